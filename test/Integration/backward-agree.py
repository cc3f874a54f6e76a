# ===- backward-agree.py - Gradients of all designs and of the naive level ------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: backward-agree.py <folder> <fa-run>...
#
# Runs the same gradients in both designs and at the naive level, with queries
# that see no key and keys that no query sees. Compares them with each other;
# what is hidden has a gradient of exactly zero.
#
# ===-------------------------------------------------------------------------===#

import json
import pathlib
import subprocess
import sys

import numpy as np

# Of the largest element: a few roundings of f32 sums, or of the 16-bit type.
TOLERANCE = {"f32": 2e-6, "f16": 2e-3, "bf16": 2e-2}
ROADS = {
    "two_pass": {"design": "two_pass"},
    "one_pass": {"design": "one_pass"},
    "naive": {"level": "naive"},
}
# Queries, keys, mask, and which rows of dQ, and of dK and dV, are hidden.
CASES = {
    "rows": (100, 75, "causal", np.s_[:25], np.s_[:0]),
    "keys": (70, 100, "causal-top-left", np.s_[:0], np.s_[70:]),
    "window": (40, 200, "window:3,2", np.s_[:0], np.s_[:157]),
}
SHAPE = {"backward": True, "batch": 2, "heads": 4, "kv-heads": 2, "head-dim": 24, "head-dim-v": 16}


def load(path):
    array = np.load(path)
    if array.dtype == "V2":  # bf16: the upper half of an f32.
        return (array.view("<u2").astype("<u4") << 16).view("<f4")
    return array.astype("f4")


def main():
    folder, fa_run = pathlib.Path(sys.argv[1]), sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    suite, runs = [], []
    for dtype in TOLERANCE:
        for name, (queries, keys, mask, *hidden) in CASES.items():
            outputs = {}
            for road, flags in ROADS.items():
                stem = f"{dtype}-{name}-{road}"
                files = {flag: str(folder / f"{stem}-{flag}.npy") for flag in ("dq", "dk", "dv")}
                sizes = {"seq-q": queries, "seq-kv": keys, "mask": mask, "dtype": dtype}
                suite.append({"name": stem} | SHAPE | sizes | flags | files)
                outputs[road] = files
            runs.append((dtype, name, hidden, outputs))
    path = folder / "suite.json"
    path.write_text(json.dumps(suite))
    subprocess.run([*fa_run, f"--suite={path}"], check=True, stdout=subprocess.DEVNULL)

    for dtype, name, (rows, columns), outputs in runs:
        for flag in ("dq", "dk", "dv"):
            arrays = {road: load(files[flag]) for road, files in outputs.items()}
            hidden = rows if flag == "dq" else columns
            largest = np.max(np.abs(arrays["naive"]))
            for road, array in arrays.items():
                assert np.all(array[:, :, hidden] == 0), (dtype, name, flag, road)
                error = np.max(np.abs(array - arrays["naive"])) / largest
                assert error < TOLERANCE[dtype], (dtype, name, flag, road, error)
    print(f"{len(runs)} problems, {len(ROADS)} roads: one answer, and zero where nothing is seen")


if __name__ == "__main__":
    main()
