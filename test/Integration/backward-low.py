# ===- backward-low.py - Queries that point away from all keys ----------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: backward-low.py <folder>
#
# Writes q.npy [1, 4, 70, 16] and k.npy [1, 2, 37, 16] whose scores are about
# -200, so that exp(LSE) is 0 and exp(0 - LSE), what a key past the end would
# weigh, is infinite.
#
# ===-------------------------------------------------------------------------===#

import pathlib
import sys

import numpy as np

random = np.random.default_rng(5)
folder = pathlib.Path(sys.argv[1])
direction = np.sqrt(200 / 4, dtype="f4")  # 16 products over sqrt(16)
for name, sign, shape in (("q", 1, (1, 4, 70, 16)), ("k", -1, (1, 2, 37, 16))):
    noise = random.standard_normal(shape, dtype="f4")
    np.save(folder / f"{name}.npy", sign * direction + noise / 4)
