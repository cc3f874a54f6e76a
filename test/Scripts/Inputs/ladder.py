# ===- ladder.py - Invented measurements of every rung ------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: ladder.py RUNG... > ladder.json
#
# ===-------------------------------------------------------------------------===#

import json
import sys

rows = [
    {
        "rung": rung, "head_dim": head_dim, "length": length,
        "report": {
            "device": {"name": "Some GPU"}, "tflops": 123.45,
            "hbm_bytes": {"read": 3_000_000_000, "written": 1_000_000_000},
        },
        "bytes": {
            "kernels": [
                {"l2": {"read": 2e9, "written": 1e9}, "dram": {"read": 5e8, "written": 5e8}},
                {"l2": {"read": 1e9, "written": 0.0}, "dram": {"read": 1e8, "written": None if rung == "none" else 0.0}},
            ]
        },
        "profile": {
            "short": {"nanoseconds": 10.0, "dram": 1.0, "l2": 1.0, "tensor": 1.0, "issue": 1.0},
            "long": {
                "nanoseconds": 99.0, "dram": 71.0, "l2": 40.0, "tensor": None, "issue": 5.0,
                "a barrier": 0.5, "memory (long scoreboard)": 7.25, "wgmma": None, "a busy pipe": 1.0,
            },
        },
    }
    for rung in sys.argv[1:] for head_dim in (64, 128) for length in (2048, 8192)
]  # fmt: skip
print(json.dumps({"rows": rows}))
