# ===- ptxas-sample.py - The sample of kernels, assembled --------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles the configurations of test/Integration/configurations.py, each for one
# of the targets in turn, and has scripts/ptxas-gate assemble them: no spills,
# none of the warnings that stand for slow code. With --full all configurations
# for all targets.
#
# Usage: ptxas-sample.py OUT [--full]
#
# ===-------------------------------------------------------------------------===#

import itertools
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "test/Integration"))
import configurations  # noqa: E402

TARGETS = ("sm_80", "sm_86", "sm_89", "sm_90a", "sm_100", "sm_120")


def build(out, target, configuration):
    """Writes one package, of one kernel; returns the path of its manifest."""
    name = "-".join(map(str, [target, *configuration.values()])).replace(":", "-").replace(",", "-")
    # The kernel for contiguous tensors alone.
    size = 4 if configuration["dtype"] == "f32" else 2
    dims = [configuration[key] for key in ("head-dim", "head-dim-v") if key in configuration]
    align = math.gcd(16, *(size * dim for dim in dims))
    flags = [f"--{key}={value}" for key, value in configuration.items()]
    subprocess.run(
        ["fa-translate", "--emit=package", f"--target={target}", f"--name={name}", "-o", out]
        + [f"--schedule=align={align}", *flags],
        check=True,
    )
    return out / f"{name}.json"


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True)
    if "--full" in sys.argv:
        cases = itertools.product(TARGETS, configurations.full())
    else:
        cases = zip(itertools.cycle(TARGETS), configurations.pairwise())
    manifests = [build(out, *case) for case in cases]
    gate = subprocess.run([sys.executable, ROOT / "scripts/ptxas-gate", *manifests])
    print(f"ptxas-sample: {len(manifests)} kernels")
    return gate.returncode


if __name__ == "__main__":
    sys.exit(main())
