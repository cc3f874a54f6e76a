# ===- tune.py - Schedules around the model's choice, and the fastest --------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
"""Tuning has three steps, of which only the second needs a GPU:

 1. `build_candidates`: packages of the schedules around the model's choice, those
    that NVIDIA's assembler takes without spills and warnings (scripts/ptxas-gate);
 2. `fa-bench run` times them all;
 3. `pick`: the fastest of each problem becomes a row of lib/Transforms/Schedules.def.
"""

import concurrent.futures
import dataclasses
import itertools
import json
import math
import re
import subprocess
import sys

from . import packages
from .runtime import ROOT
from .schedules import Key, Row
from .suite import Problem, SuiteError

# The fields that are varied, by kind of chip. Values with a sign are relative to
# what the model chooses beside the other fields.
VARIED = {
    "sm_90a": ["groups=2,3,4", "bc=-32,-16,+0,+16,+32"],
    "": ["warps=4,8", "bc=-32,-16,+0,+16,+32", "stages=2,3"],
}
# The suffixes of the names of what is chosen without tuning.
MODEL, TABLE = "model", "table"


@dataclasses.dataclass
class Candidate:
    problem: Problem
    fields: dict  # What is asked for, by field.
    suffix: str = ""
    manifest: object = None
    schedule: str = ""
    rejected: str = ""

    def __post_init__(self):
        self.suffix = self.suffix or "-".join(f"{name}{value}" for name, value in self.fields.items())

    @property
    def options(self):
        # The kernel for tensors as they are when they are contiguous.
        if self.suffix == TABLE:
            return "align=16"
        return " ".join(["table=false", "align=16", *(f"{name}={value}" for name, value in self.fields.items())])


def parse_varied(texts, target):
    """{field: values}; what is given replaces the default of its field."""
    varied = {}
    for text in [*VARIED.get(target, VARIED[""]), *texts]:
        name, equal, values = text.partition("=")
        values = [value for value in values.split(",") if value]
        if not equal or not values or not all(re.fullmatch(r"[+-]?\w+", v) for v in values):
            raise SuiteError(f"--vary: expected a field and values such as groups=2,3 but got '{text}'")
        signs = sum(value[0] in "+-" for value in values)
        if signs not in (0, len(values)):
            raise SuiteError(f"--vary: expected all values of '{name}' with a sign or none but got '{text}'")
        varied[name] = values
    return varied


def _build(folder, target, candidate):
    name = f"{target}-{candidate.problem.name}-{candidate.suffix}"
    candidate.manifest, error = packages.build_package(
        folder, target, candidate.problem, candidate.options, name
    )
    if error:
        candidate.rejected = error
    else:
        kernel = json.loads(candidate.manifest.read_text())["kernels"][0]
        candidate.schedule = kernel["schedule"]
    return candidate


def _gate(candidate):
    result = subprocess.run(
        [sys.executable, ROOT / "scripts/ptxas-gate", candidate.manifest],
        capture_output=True, text=True,
    )  # fmt: skip
    if result.returncode != 0:
        lines = (result.stdout + result.stderr).splitlines()
        candidate.rejected = next((line.strip() for line in lines if line.startswith("     ")), lines[-1])
    return candidate


def _remove(candidate):
    for path in (candidate.manifest, candidate.manifest.with_suffix(".ptx")):
        path.unlink(missing_ok=True)


def _neighbours(candidate, relative):
    """What is asked for relative to the fields of a schedule."""
    fields = []
    for name, deltas in relative.items():
        found = re.search(rf"\b{name} = (\d+)", candidate.schedule)
        value = int(found.group(1)) if found else 1
        fields.append([(name, value + int(delta)) for delta in deltas if value + int(delta) > 0])
    for values in itertools.product(*fields):
        yield Candidate(candidate.problem, {**candidate.fields, **dict(values)})


def build_candidates(folder, target, problems, varied, gate, jobs):
    """Builds and gates. Returns (kept, rejected); the files of the latter are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    fixed = {name: values for name, values in varied.items() if values[0][0] not in "+-"}
    relative = {name: values for name, values in varied.items() if values[0][0] in "+-"}
    first = []
    for problem in problems:
        first += [Candidate(problem, {}, MODEL), Candidate(problem, {}, TABLE)]
        for values in itertools.product(*fixed.values()):
            if fields := dict(zip(fixed, values)):
                first.append(Candidate(problem, fields))
    kept, rejected, seen = [], [], set()

    def take(candidates):
        for candidate in candidates:
            if candidate.rejected:
                rejected.append(candidate)
            elif (candidate.problem, candidate.schedule) in seen:
                _remove(candidate)
            else:
                seen.add((candidate.problem, candidate.schedule))
                kept.append(candidate)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        first = list(pool.map(lambda candidate: _build(folder, target, candidate), first))
        take(first)
        if relative:
            second = [
                neighbour for candidate in kept if candidate.suffix != TABLE
                for neighbour in _neighbours(candidate, relative)
            ]  # fmt: skip
            take(pool.map(lambda candidate: _build(folder, target, candidate), second))
        if gate:
            list(pool.map(_gate, kept))
    for candidate in kept:
        if candidate.rejected:
            _remove(candidate)
            rejected.append(candidate)
    return [candidate for candidate in kept if not candidate.rejected], rejected


def _mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def pick(reports, margin):
    """Yields a row of each problem in `reports`, which are results of `fa-bench run`.
    Where the model's own schedule is slower by no more than `margin`, it is taken."""
    rows = {}
    for report in reports:
        problems = {}
        for result in report["results"]:
            case = result["case"]
            problem = Problem(*(case[field.name] for field in dataclasses.fields(Problem)))
            problems.setdefault(problem, []).append(result)
        for problem, results in problems.items():
            speeds = {}
            for name, kernel in results[0]["kernels"].items():
                times = [result["kernels"].get(name, {}).get("tflops") for result in results]
                if kernel.get("kind") == "fa" and all(times):
                    speeds[name] = times
            if not speeds:
                continue
            best = max(speeds, key=lambda name: _mean(speeds[name]))
            model = next((name for name in speeds if name.endswith(f"-{MODEL}")), None)
            gain = _mean(speeds[best]) / _mean(speeds[model]) - 1 if model else None
            if model and gain <= margin:
                best, gain = model, 0
            kernel = results[0]["kernels"][best]
            lengths = "/".join(str(result["case"]["seq_q"]) for result in results)
            comment = f"{'/'.join(f'{x:.0f}' for x in speeds[best])} TFLOP/s at S={lengths}"
            if gain is not None:
                comment += f", {100 * gain:+.1f} %" if gain else ", as the model"
            key = Key.of(kernel["target"], problem)
            rows[key] = Row(key, kernel["schedule"], comment)
    return rows
