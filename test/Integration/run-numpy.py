# ===- run-numpy.py - fa-run against NumPy ------------------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: run-numpy.py <dtype> <folder with q.npy, k.npy, v.npy, o.npy, lse.npy>
#
# Recomputes O and LSE from the inputs that fa-run read, with a causal
# bottom-right mask, and compares with what fa-run wrote: a check of the files
# and of the reference itself by an independent program.
#
# ===-------------------------------------------------------------------------===#

import pathlib
import sys

import numpy as np

TOLERANCE = {"f32": 2e-6, "f16": 3e-3, "bf16": 3e-2}


def load(path, dtype):
    array = np.load(path)
    if dtype == "bf16":  # Raw bits: the upper half of an f32.
        return (array.view("<u2").astype("<u4") << 16).view("<f4")
    assert array.dtype == {"f32": "<f4", "f16": "<f2"}[dtype], array.dtype
    return array


def main():
    dtype, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    q, k, v, o = (load(folder / f"{name}.npy", dtype).astype("f8") for name in "qkvo")
    lse = np.load(folder / "lse.npy")
    assert lse.dtype == "<f4"
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[3])
    rows, columns = scores.shape[2:]
    hidden = np.arange(columns) > np.arange(rows)[:, None] + columns - rows
    scores[..., hidden] = -np.inf
    weights = np.exp(scores)
    total = weights.sum(axis=3, keepdims=True)
    with np.errstate(divide="ignore"):
        expected_lse = np.log(total[..., 0])
    expected = weights / np.where(total == 0, 1, total) @ v

    assert o.shape == expected.shape and lse.shape == expected_lse.shape
    masked = np.isneginf(expected_lse)
    assert np.array_equal(masked, np.isneginf(lse))
    assert np.all(o[masked] == 0)
    error = np.max(np.abs(o - expected))
    lse_error = np.max(np.abs(lse[~masked] - expected_lse[~masked]))
    assert error < TOLERANCE[dtype], error
    assert lse_error < 2e-6, lse_error
    print(f"{dtype}: {masked.sum()} masked rows, agrees with NumPy")


if __name__ == "__main__":
    main()
