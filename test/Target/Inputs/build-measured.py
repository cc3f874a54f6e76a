# ===- build-measured.py - Packages of all measured schedules ----------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds a package for each row of lib/Transforms/Schedules.def, with no word about
# the schedule, and compares the one that is in the package with that of the row.
# Prints each row, and what is wrong with it.
#
# Usage: build-measured.py OUT
#
# ===-------------------------------------------------------------------------===#

import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools/fa-bench"))
from fabench import packages, schedules  # noqa: E402


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True)
    failed = 0
    for key, row in schedules.read_rows().items():
        manifest, error = packages.build_package(out, key.chip, key.problem, "align=16")
        if manifest:
            bounds = {
                kernel["guards"].get("max_seq_kv", math.inf): kernel["schedule"]
                for kernel in json.loads(manifest.read_text())["kernels"]
            }
            chosen = bounds.get(key.max_keys)
            error = chosen != row.schedule and f"expected {row.schedule} but got {chosen}"
        failed += bool(error)
        print(f"{'FAIL' if error else 'PASS'} {key.chip} {key.name}" + (f": {error}" if error else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
