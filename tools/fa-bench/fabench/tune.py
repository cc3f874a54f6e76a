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
# Further fields, where one varies at a time: with all combinations there would be
# too many to time.
SWITCHES = {"sm_90a": ["lazy=0,1", "pingpong=0,1", "overlap=0,1", "narrow=0,1", "persistent=0,1,2"]}
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


def parse_varied(texts, target, one_at_a_time):
    """{field: values}; what is given replaces the default of its field."""
    varied = {}
    defaults = VARIED.get(target, VARIED[""]) + (SWITCHES.get(target, []) if one_at_a_time else [])
    for text in [*defaults, *texts]:
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
        # Several, where the table has one for short sequences.
        kernels = json.loads(candidate.manifest.read_text())["kernels"]
        candidate.schedule = "; ".join(kernel["schedule"] for kernel in kernels)
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
    """{field: values} of what is asked for relative to the fields of a schedule."""
    neighbours = {}
    for name, deltas in relative.items():
        found = re.search(rf"\b{name} = (\d+)", candidate.schedule)
        value = int(found.group(1)) if found else 1
        neighbours[name] = [value + int(delta) for delta in deltas if value + int(delta) > 0]
    return neighbours


def _combinations(varied, one_at_a_time):
    """The requests for values of fields: all combinations, or each value alone."""
    if not one_at_a_time:
        return [dict(zip(varied, values)) for values in itertools.product(*varied.values())]
    return [{name: value} for name, values in varied.items() for value in values]


def _promise(candidate):
    """How far from what the register model holds for full; small is promising. The
    rule is that of lib/Transforms/ScheduleModel.cpp for sm_90a: S, P and O of a row
    group, and what else a thread keeps."""
    if candidate.suffix in (MODEL, TABLE):
        return 0
    fields = dict(re.findall(r"(\w+) = (\d+)", candidate.schedule))
    limit = {1: 240, 2: 240, 3: 160, 4: 112}[int(fields.get("groups", 1))]
    return abs(1 - (3 * int(fields["bc"]) / 4 + candidate.problem.head_dim_v / 2 + 28) / limit)


def _keep_most_promising(candidates, limit, gate):
    """Takes candidates of one problem in the order of promise, until `limit` pass."""
    passed = 0
    for candidate in sorted(candidates, key=_promise):
        if passed == limit:
            candidate.rejected = f"not among the {limit} most promising"
        else:
            passed += not (gate and _gate(candidate).rejected)


def build_candidates(folder, target, problems, varied, gate, limit, jobs):
    """Builds and gates. Returns (kept, rejected); the files of the latter are gone.
    With a `limit` to the candidates of a problem, these differ from the model's choice
    in one field that is asked for."""
    folder.mkdir(parents=True, exist_ok=True)
    fixed = {name: values for name, values in varied.items() if values[0][0] not in "+-"}
    relative = {name: values for name, values in varied.items() if values[0][0] in "+-"}
    first = []
    for problem in problems:
        first += [Candidate(problem, {}, MODEL), Candidate(problem, {}, TABLE)]
        first += [Candidate(problem, fields) for fields in _combinations(fixed, limit) if fields]
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
        second = [
            Candidate(candidate.problem, {**candidate.fields, **fields})
            for candidate in kept if candidate.suffix == MODEL or not (limit or candidate.suffix == TABLE)
            for fields in _combinations(_neighbours(candidate, relative), limit) if fields
        ]  # fmt: skip
        take(pool.map(lambda candidate: _build(folder, target, candidate), second))
        if limit:
            of_problem = {problem: [] for problem in problems}
            for candidate in kept:
                of_problem[candidate.problem].append(candidate)
            list(pool.map(lambda some: _keep_most_promising(some, limit, gate), of_problem.values()))
        elif gate:
            list(pool.map(_gate, kept))
    for candidate in kept:
        if candidate.rejected:
            _remove(candidate)
            rejected.append(candidate)
    return [candidate for candidate in kept if not candidate.rejected], rejected


def _mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


class _Choice:
    """The fastest schedule over some cases of a problem, or the model's own where
    that is slower by no more than `margin`."""

    def __init__(self, speeds, cases, margin):
        self.cases = cases
        means = {name: _mean([times[i] for i in cases]) for name, times in speeds.items()}
        self.name = max(means, key=means.get)
        model = next((name for name in speeds if name.endswith(f"-{MODEL}")), None)
        self.gain = means[self.name] / means[model] - 1 if model else None
        if model and self.gain <= margin:
            self.name, self.gain = model, 0
        self.means = means

    def gain_over(self, other):
        """How much faster than the choice of `other`, on the cases of this one."""
        return self.means[self.name] / self.means[other.name] - 1


def _choose_by_length(speeds, lengths, margin):
    """Yields (largest number of keys, choice): one choice for all lengths, or two
    where one half is faster by more than `margin` with another schedule."""
    everywhere = _Choice(speeds, range(len(lengths)), margin)
    best, best_gain = [(math.inf, everywhere)], 0
    known = sorted(set(lengths))
    for short, long in zip(known, known[1:]):
        halves = [
            _Choice(speeds, [i for i, length in enumerate(lengths) if test(length)], margin)
            for test in (lambda length: length <= short, lambda length: length >= long)
        ]
        gains = [half.gain_over(everywhere) for half in halves]
        if max(gains) > margin and sum(gains) > best_gain:
            # What lies between was not measured.
            bound = round(math.sqrt(short * long))
            best, best_gain = list(zip((bound, math.inf), halves)), sum(gains)
    return best


def _describe(choice, times, lengths):
    measured = [(lengths[i], times[i]) for i in choice.cases]
    comment = f"{'/'.join(f'{speed:.0f}' for _, speed in measured)} TFLOP/s"
    comment += f" at S={'/'.join(str(length) for length, _ in measured)}"
    if choice.gain is not None:
        comment += f", {100 * choice.gain:+.1f} %" if choice.gain else ", as the model"
    return comment


def pick(reports, margin):
    """The rows of each problem in `reports`, which are results of `fa-bench run`, by
    key. Where the model's own schedule is slower by no more than `margin`, it is
    taken; where short and long sequences differ by more, there are two rows. The table
    has none for windows, whose schedules are the model's."""
    rows = {}
    for report in reports:
        problems = {}
        for result in report["results"]:
            case = result["case"]
            problem = Problem(*(case[field.name] for field in dataclasses.fields(Problem)))
            if not problem.mask.startswith("window"):
                problems.setdefault(problem, []).append(result)
        for problem, results in problems.items():
            lengths = [result["case"].get("seq_kv", result["case"]["seq_q"]) for result in results]
            speeds, found = {}, {}
            for name, kernel in results[0]["kernels"].items():
                kernels = [result["kernels"].get(name, {}) for result in results]
                times = [kernel.get("tflops") for kernel in kernels]
                # A package with several schedules is none of them.
                is_one = len({kernel.get("schedule") for kernel in kernels}) == 1
                if kernel.get("kind") == "fa" and all(times) and is_one:
                    speeds[name], found[name] = times, kernel
            if not speeds:
                continue
            for max_keys, choice in _choose_by_length(speeds, lengths, margin):
                kernel = found[choice.name]
                key = Key.of(kernel["target"], problem, max_keys)
                rows[key] = Row(key, kernel["schedule"], _describe(choice, speeds[choice.name], lengths))
    return rows
