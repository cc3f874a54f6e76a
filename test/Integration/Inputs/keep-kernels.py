# ===- keep-kernels.py - A package with some of its kernels -------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: keep-kernels.py MANIFEST ALIGNMENT[,ALIGNMENT...] OUTPUT
#
# Keeps the kernels whose strides are aligned to one of these numbers of bytes.
#
# ===-------------------------------------------------------------------------===#

import json
import sys

path, alignments, output = sys.argv[1:]
alignments = list(map(int, alignments.split(",")))
with open(path) as file:
    manifest = json.load(file)
manifest["kernels"] = [k for k in manifest["kernels"] if k["guards"]["stride_alignment"] in alignments]
assert len(manifest["kernels"]) == len(alignments), manifest["kernels"]
with open(output, "w") as file:
    json.dump(manifest, file)
