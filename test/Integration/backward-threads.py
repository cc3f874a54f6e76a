# ===- backward-threads.py - Gradients do not depend on threads ----------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: backward-threads.py <folder> <fa-run>...
#
# Runs a gradient three times on each of 1 to 7 threads, in each design, and
# compares the bytes of dQ, dK and dV.
#
# ===-------------------------------------------------------------------------===#

import json
import pathlib
import subprocess
import sys

DESIGNS = ("two_pass", "one_pass")
SHAPE = {"heads": 9, "kv-heads": 3, "seq-q": 150, "seq-kv": 200, "head-dim": 16, "mask": "causal"}


def main():
    folder, fa_run = pathlib.Path(sys.argv[1]), sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    results = {design: [] for design in DESIGNS}
    for threads in range(1, 8):
        suite, outputs = [], {}
        for design in DESIGNS:
            for run in range(3):
                case = {"name": f"{design}-{run}", "backward": True, "design": design} | SHAPE
                files = {flag: folder / f"{case['name']}-{flag}.npy" for flag in ("dq", "dk", "dv")}
                suite.append(case | {flag: str(path) for flag, path in files.items()})
                outputs[case["name"]] = design, files
        path = folder / "suite.json"
        path.write_text(json.dumps(suite))
        subprocess.run(
            [*fa_run, f"--threads={threads}", f"--suite={path}"], check=True, stdout=subprocess.DEVNULL
        )
        for design, files in outputs.values():
            results[design].append(tuple(path.read_bytes() for path in files.values()))
    for design, runs in results.items():
        assert len(set(runs)) == 1, (design, len(set(runs)))
        print(f"{design}: {len(runs)} runs, one result")


if __name__ == "__main__":
    main()
