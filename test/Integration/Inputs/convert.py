# ===- convert.py - The sample input in other types ---------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: convert.py f16|bf16|swapped <folder to read> <folder to write>
#
# `swapped` makes 100 queries and 75 keys of 75 queries and 100 keys, in Fortran
# order.
#
# ===-------------------------------------------------------------------------===#

import pathlib
import sys

import numpy as np


def main():
    kind, source, target = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
    arrays = {name: np.load(source / f"{name}.npy") for name in "qkv"}
    if kind == "swapped":
        q, k = arrays["q"], arrays["k"]
        arrays = {"q": np.repeat(k, 2, axis=1), "k": q[:, ::2], "v": q[:, 1::2]}
    for name, array in arrays.items():
        if kind == "f16":
            array = array.astype("<f2")
        elif kind == "bf16":  # The bits of f32, rounded to the upper half.
            bits = array.view("<u4")
            array = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("<u2").view("V2")
        else:
            array = np.asfortranarray(array)
        np.save(target / f"{name}.npy", array)


if __name__ == "__main__":
    main()
