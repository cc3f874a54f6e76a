# ===- ptxas-examples.py - The kernels of the examples, assembled ------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles a package for each file and target and has scripts/ptxas-gate assemble
# them all. No kernel may call a function.
#
# Usage: ptxas-examples.py OUT TARGET,TARGET... FILE.mlir...
#
# ===-------------------------------------------------------------------------===#

import pathlib
import re
import subprocess
import sys

GATE = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "ptxas-gate"


def main():
    out, targets, files = pathlib.Path(sys.argv[1]), sys.argv[2].split(","), sys.argv[3:]
    manifests = []
    for file in map(pathlib.Path, files):
        for target in targets:
            name = f"{file.stem}-{target}"
            command = [
                "fa-translate", file, f"--target={target}", "--emit=package", "--schedule=align=16", f"--name={name}", "-o", out
            ]  # fmt: skip
            subprocess.run(command, check=True)
            manifests.append(out / f"{name}.json")
            text = (out / f"{name}.ptx").read_text()
            for call in re.findall(r"^\.extern \.func.*|^\s*call.*", text, re.MULTILINE):
                print(f"FAIL {name}: expected no call but got {call.strip()}")
    return subprocess.run([sys.executable, GATE, *manifests]).returncode


if __name__ == "__main__":
    sys.exit(main())
