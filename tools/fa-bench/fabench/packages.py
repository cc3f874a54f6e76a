# ===- packages.py - Packages of the kernels of a suite ----------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
"""Building packages with fa-translate, and finding those of a problem in a folder."""

import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess

from .runtime import ROOT
from .suite import SuiteError


def find_fa_translate():
    candidates = [
        os.environ.get("FA_TRANSLATE"),
        pathlib.Path(os.environ.get("FA_BUILD_DIR", ROOT / "build")) / "bin/fa-translate",
        shutil.which("fa-translate"),
    ]
    for candidate in candidates:
        if candidate and os.access(candidate, os.X_OK):
            return str(candidate)
    raise SuiteError("no fa-translate; FA_TRANSLATE may name it")


def build_package(folder, target, problem, schedule="", name=None, flags=()):
    """Compiles one package. Returns its manifest, or the compiler's error."""
    name = name or f"{target}-{problem.name}"
    command = [
        find_fa_translate(), "--emit=package", f"--target={target}", *problem.flags(),
        f"--name={name}", "-o", str(folder), *flags,
    ]  # fmt: skip
    if schedule:
        command.append(f"--schedule={schedule}")
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        return None, (result.stderr.strip().splitlines() or ["no message"])[-1]
    return folder / f"{name}.json", None


def build_suite(folder, target, cases, schedule, no_lse, jobs):
    """Yields (problem, manifest or None, error or None), one for each problem."""

    def build(problem):
        if not no_lse:
            return build_package(folder, target, problem, schedule)
        name = f"{target}-{problem.name}-no-lse"
        return build_package(folder, target, problem, schedule, name, ["--no-lse"])

    folder.mkdir(parents=True, exist_ok=True)
    problems = list(dict.fromkeys(case.problem for case in cases))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for problem, (manifest, error) in zip(problems, pool.map(build, problems)):
            yield problem, manifest, error


def read_manifests(folder):
    """The packages of a folder, by name."""
    manifests = []
    for path in sorted(folder.glob("*.json")):
        try:
            manifest = json.loads(path.read_text())
        except ValueError as error:
            raise SuiteError(f"'{path}': {error}") from error
        if isinstance(manifest, dict) and "kernels" in manifest:
            manifests.append({**manifest, "stem": path.stem, "path": path})
    return manifests


def solves(manifest, case):
    """Whether the package computes this case: type, head dims, mask, default scale,
    no regions, and sizes that are free or the same."""
    problem = manifest["problem"]
    if problem.get("score_region") or problem.get("mask_region"):
        return False
    sizes = ("batch", "heads", "kv_heads", "seq_q", "seq_kv")
    return (
        problem["dtype"] == case.problem.dtype
        and problem["head_dim"] == case.problem.head_dim
        and problem.get("head_dim_v", problem["head_dim"]) == case.problem.head_dim_v
        and problem["mask"] == case.problem.mask
        and abs(problem["scale"] / case.scale - 1) < 1e-6
        and all(problem.get(size) in (None, getattr(case, size)) for size in sizes)
    )
