# ===- ptxas-grid.py - Kernels of a grid of problems, assembled --------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles a package for each problem of a grid (f16 and bf16, full and
# causal, the head dims given) and has scripts/ptxas-gate assemble them all: no
# spills, none of the warnings of ptxas that stand for slow code, registers and
# SRAM as the manifest says. No kernel may call a function.
#
# Usage: ptxas-grid.py OUT TARGET HEAD_DIM[xHEAD_DIM_V]... [-- FLAG OF fa-translate...]
#
# ===-------------------------------------------------------------------------===#

import itertools
import pathlib
import re
import subprocess
import sys

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "scripts"
DTYPES = ("f16", "bf16")
MASKS = {"full": "none", "causal": "causal"}


def build(out, target, head_dim, dtype, mask, flags):
    """Writes one package and returns the path of its manifest."""
    d, _, dv = head_dim.partition("x")
    name = f"{target}-d{head_dim}-{dtype}-{mask}"
    command = [
        "fa-translate", "--emit=package", f"--target={target}", f"--head-dim={d}",
        f"--head-dim-v={dv or d}", f"--dtype={dtype}", f"--mask={MASKS[mask]}", "--schedule=align=16",
        f"--name={name}", "-o", out, *flags,
    ]  # fmt: skip
    subprocess.run(command, check=True)
    return out / f"{name}.json"


def check_text(manifest):
    """Returns what is wrong with the PTX without assembling it."""
    text = manifest.with_suffix(".ptx").read_text()
    target = manifest.stem.partition("-")[0]
    if not re.search(rf"^\.target {target}$", text, re.MULTILINE):
        return f"expected .target {target}"
    calls = re.findall(r"^\.extern \.func.*|^\s*call.*", text, re.MULTILINE)
    return f"expected no function calls but got: {calls[0].strip()}" if calls else None


def main():
    arguments = sys.argv[1:]
    split = arguments.index("--") if "--" in arguments else len(arguments)
    out, target, *head_dims = arguments[:split]
    out = pathlib.Path(out)
    out.mkdir(parents=True)
    problems = itertools.product(head_dims, DTYPES, MASKS)
    manifests = [build(out, target, *problem, arguments[split + 1 :]) for problem in problems]
    failed = False
    for manifest in manifests:
        if complaint := check_text(manifest):
            print(f"FAIL {manifest.stem}: {complaint}")
            failed = True
    gate = subprocess.run([sys.executable, SCRIPTS / "ptxas-gate", *manifests])
    return 1 if failed or gate.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
