# ===- runtime.py - Kernel packages in this process --------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
"""libfa-runtime.so (include/fa/Runtime/CApi.h) through ctypes."""

import ctypes
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]


class RuntimeFailure(Exception):
    """What the runtime or the driver said."""


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("address", ctypes.c_uint64),
        ("shape", ctypes.c_int64 * 4),
        ("strides", ctypes.c_int64 * 4),
    ]


class _Info(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_int64) for name in ("kernel", "grid", "block", "sram_bytes")),
        *((name, ctypes.c_int64) for name in ("registers", "local_bytes")),
        ("load_seconds", ctypes.c_double),
    ]


def find_library():
    candidates = [
        os.environ.get("FA_RUNTIME"),
        pathlib.Path(os.environ.get("FA_BUILD_DIR", ROOT / "build")) / "lib/libfa-runtime.so",
    ]
    for candidate in candidates:
        if candidate and os.path.exists(candidate):
            return os.path.abspath(candidate)
    raise RuntimeFailure("no libfa-runtime.so; FA_RUNTIME may name it")


class Runtime:
    def __init__(self, path=None):
        self.library = library = ctypes.CDLL(str(path or find_library()))
        library.fartGetError.restype = ctypes.c_char_p
        library.fartOpenPackage.restype = ctypes.c_void_p
        library.fartOpenPackage.argtypes = [ctypes.c_char_p, ctypes.c_int]
        library.fartClosePackage.argtypes = [ctypes.c_void_p]
        library.fartWritesLse.argtypes = [ctypes.c_void_p]
        library.fartPrepare.restype = ctypes.c_void_p
        library.fartPrepare.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Tensor)]
        library.fartGetInfo.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Info)]
        library.fartLaunch.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        library.fartCloseLaunch.argtypes = [ctypes.c_void_p]

    def fail(self):
        raise RuntimeFailure(self.library.fartGetError().decode())

    def open(self, manifest, device=0):
        return Package(self, manifest, device)


class Package:
    """A package on the device. Close it after its launches."""

    def __init__(self, runtime, manifest, device):
        self.runtime = runtime
        self.handle = runtime.library.fartOpenPackage(os.fsencode(manifest), device)
        if not self.handle:
            runtime.fail()

    @property
    def writes_lse(self):
        return bool(self.runtime.library.fartWritesLse(self.handle))

    def prepare(self, tensors):
        """`tensors` are Q, K, V, O and LSE (None where the kernels write none), and
        must stay where they are."""
        return Launch(self, tensors)

    def close(self):
        self.runtime.library.fartClosePackage(self.handle)


class Launch:
    def __init__(self, package, tensors):
        self.runtime = package.runtime
        array = (_Tensor * 5)()
        for view, tensor in zip(array, tensors):
            if tensor is None:
                continue
            view.address = tensor.data_ptr()
            view.shape[: tensor.dim()] = tensor.shape
            view.strides[: tensor.dim()] = tensor.stride()
        self.handle = self.runtime.library.fartPrepare(package.handle, array)
        if not self.handle:
            self.runtime.fail()

    @property
    def info(self):
        info = _Info()
        self.runtime.library.fartGetInfo(self.handle, ctypes.byref(info))
        return {name: getattr(info, name) for name, _ in info._fields_}

    def __call__(self, stream):
        if self.runtime.library.fartLaunch(self.handle, stream) != 0:
            self.runtime.fail()

    def close(self):
        self.runtime.library.fartCloseLaunch(self.handle)
