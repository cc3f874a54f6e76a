# ===- __init__.py - PyTorch without a GPU, for tests ------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
"""What fa-bench takes from PyTorch, on NumPy. "Device memory" is memory of the
process, as it is for the driver of test/FakeCuda."""

import numpy as np

from . import backends, cuda, nn  # noqa: F401

__version__ = "0.0 (fake)"
float16, bfloat16, float32 = "f16", "bf16", "f32"
_storage = {"f16": np.float16, "bf16": np.uint16, "f32": np.float32}


class Tensor:
    def __init__(self, array, dtype):
        self.array, self.dtype = array, dtype

    @property
    def shape(self):
        return self.array.shape

    def dim(self):
        return self.array.ndim

    def stride(self):
        return tuple(stride // self.array.itemsize for stride in self.array.strides)

    def data_ptr(self):
        return self.array.ctypes.data

    def __getitem__(self, index):
        return Tensor(self.array[index], self.dtype)

    def float(self):
        if self.dtype == "bf16":
            return Tensor((self.array.astype(np.uint32) << 16).view(np.float32), "f32")
        return Tensor(self.array.astype(np.float32), "f32")

    def cpu(self):
        return self

    def numpy(self):
        return self.array

    def fill_(self, value):
        self.array[...] = _encode(np.float32(value), self.dtype)

    def any(self):
        return bool(self.array.any())


def _encode(values, dtype):
    if dtype == "bf16":
        return (np.asarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(_storage[dtype])


_random = np.random.RandomState(0)


def manual_seed(seed):
    _random.seed(seed)


def randn(*shape, device, dtype):
    if np.prod(shape) > 1 << 24:  # All rows alike, and in memory once.
        row = _encode(_random.standard_normal(shape[-1]), dtype)
        return Tensor(np.broadcast_to(row, shape), dtype)
    return Tensor(_encode(_random.standard_normal(shape), dtype), dtype)


def empty(*shape, device, dtype):
    return Tensor(np.zeros(shape, _storage[dtype]), dtype)


def matmul(a, b, out):
    assert a.shape[1] == b.shape[0] and out.shape == (a.shape[0], b.shape[1])


def isnan(tensor):
    return Tensor(np.isnan(tensor.float().array), "bool")


class no_grad:
    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass
