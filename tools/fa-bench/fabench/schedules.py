# ===- schedules.py - The file of measured schedules -------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
"""Reads and writes lib/Transforms/Schedules.def, one FA_SCHEDULE or
FA_SCHEDULE_UP_TO a row."""

import dataclasses
import math
import re

from .runtime import ROOT
from .suite import Problem, SuiteError

FILE = ROOT / "lib/Transforms/Schedules.def"
ROW = re.compile(
    r'^FA_SCHEDULE(?:_UP_TO\((\d+), |\()"(\w+)", (\d+), (\d+), (\d+), (Full|Masked),\s*'
    r'"(#fa\.schedule<[^"]*>)"\)'
    r"(?: // (.*))?$",
    re.MULTILINE,
)
BYTES = {"f16": 2, "bf16": 2}


@dataclasses.dataclass(frozen=True, order=True)
class Key:
    """What a schedule was measured for."""

    chip: str
    element_bytes: int
    head_dim: int
    head_dim_v: int
    masked: bool
    max_keys: float = math.inf  # The largest number of keys that it is for.

    @staticmethod
    def of(chip, problem, max_keys=math.inf):
        masked = problem.mask != "none"
        return Key(chip, BYTES[problem.dtype], problem.head_dim, problem.head_dim_v, masked, max_keys)

    @property
    def name(self):
        bound = "" if self.max_keys == math.inf else f" up to {self.max_keys} keys"
        return self.problem.name + bound

    @property
    def problem(self):
        """One of the problems that have this key."""
        return Problem(self.head_dim, self.head_dim_v, "bf16", "causal" if self.masked else "none")


@dataclasses.dataclass
class Row:
    key: Key
    schedule: str
    comment: str = ""

    def __str__(self):
        key = self.key
        start = "FA_SCHEDULE("
        if key.max_keys != math.inf:
            start = f"FA_SCHEDULE_UP_TO({key.max_keys}, "
        return (
            f'{start}"{key.chip}", {key.element_bytes}, {key.head_dim}, {key.head_dim_v}, '
            f"{'Masked' if key.masked else 'Full'},\n"
            f'{"":{start.index("(") + 1}}"{self.schedule}")' + (f" // {self.comment}" if self.comment else "")
        )


def read_rows(path=FILE):
    """The rows by key. Raises SuiteError where the file has anything but rows."""
    text = path.read_text()
    rows = {}
    for bound, chip, size, d, dv, mask, schedule, comment in ROW.findall(text):
        max_keys = int(bound) if bound else math.inf
        key = Key(chip, int(size), int(d), int(dv), mask == "Masked", max_keys)
        if key in rows:
            raise SuiteError(f"'{path}': expected one row for {key.name} but got two")
        rows[key] = Row(key, schedule, comment)
    count = len(re.findall(r"^FA_SCHEDULE", text, re.MULTILINE))
    if count != len(rows):
        raise SuiteError(f"'{path}': expected {count} rows of the usual form but got {len(rows)}")
    return rows


def replace_rows(rows, path=FILE):
    """Replaces the rows of the same problems, for whatever number of keys they are."""

    def without_bound(key):
        return dataclasses.replace(key, max_keys=math.inf)

    replaced = set(map(without_bound, rows))
    kept = {key: row for key, row in read_rows(path).items() if without_bound(key) not in replaced}
    write_rows({**kept, **rows}, path)


def write_rows(rows, path=FILE):
    """Replaces all rows; what stands before the first one stays."""
    text = path.read_text()
    head = text[: min((match.start() for match in ROW.finditer(text)), default=len(text))]
    path.write_text(head + "".join(f"{rows[key]}\n" for key in sorted(rows)))
