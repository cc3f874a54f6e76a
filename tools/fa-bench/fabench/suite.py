# ===- suite.py - Which problems are measured --------------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
"""Suites of shapes.

A suite is a JSON list of groups. A group has the shape flags of the tools; a flag
with a list of values makes a case of each, and several lists make the product:

    [{"head-dim": [64, 128], "mask": ["none", "causal"], "seq-q": [2048, 8192],
      "dtype": "bf16", "tokens": 16384, "width": 2048}]

`tokens` gives the batch, tokens / seq-q, and `width` the heads, width / head-dim,
where these are not given: the work of a launch then hardly depends on the case.
"""

import dataclasses
import itertools
import json
import math
import re

FLAGS = ("batch", "heads", "kv-heads", "seq-q", "seq-kv", "head-dim", "head-dim-v", "dtype", "mask")
DTYPES = ("f16", "bf16")


class SuiteError(Exception):
    """One line for the user."""


@dataclasses.dataclass(frozen=True)
class Problem:
    """What one kernel computes: the part of a case that is compiled."""

    head_dim: int
    head_dim_v: int
    dtype: str
    mask: str

    @property
    def name(self):
        d = str(self.head_dim)
        if self.head_dim_v != self.head_dim:
            d += f"x{self.head_dim_v}"
        mask = "full" if self.mask == "none" else re.sub(r"[:,]", "-", self.mask)
        return f"d{d}-{self.dtype}-{mask}"

    def flags(self):
        return [
            f"--head-dim={self.head_dim}",
            f"--head-dim-v={self.head_dim_v}",
            f"--dtype={self.dtype}",
            f"--mask={self.mask}",
        ]


@dataclasses.dataclass(frozen=True)
class Case:
    """One shape that is timed."""

    problem: Problem
    batch: int
    heads: int
    kv_heads: int
    seq_q: int
    seq_kv: int

    @property
    def scale(self):
        return 1 / math.sqrt(self.problem.head_dim)

    @property
    def band(self):
        """(left, right, offset): query i sees the keys j with
        -left <= j - i - offset <= right; None where there is no bound."""
        mask, offset = self.problem.mask, self.seq_kv - self.seq_q
        if mask.endswith("-top-left"):
            mask, offset = mask.removesuffix("-top-left"), 0
        if mask == "none":
            return None, None, 0
        if mask == "causal":
            return None, 0, offset
        left, right = (int(side) for side in mask.removeprefix("window:").split(","))
        return left, right, offset

    @property
    def flops(self):
        """Operations of the two products, on the true head dims. A causal mask
        halves them, as is the custom; a window counts what it shows."""
        problem = self.problem
        pairs = self.seq_q * self.seq_kv
        if problem.mask == "causal" and self.seq_q == self.seq_kv:
            pairs /= 2
        elif problem.mask != "none":
            left, right, offset = self.band
            pairs = 0
            for i in range(self.seq_q):
                low = 0 if left is None else max(0, i + offset - left)
                high = self.seq_kv - 1 if right is None else min(self.seq_kv - 1, i + offset + right)
                pairs += max(0, high - low + 1)
        return 2 * self.batch * self.heads * pairs * (problem.head_dim + problem.head_dim_v)

    def to_json(self):
        return {**dataclasses.asdict(self.problem), **{
            name: getattr(self, name) for name in ("batch", "heads", "kv_heads", "seq_q", "seq_kv")
        }}  # fmt: skip

    @property
    def name(self):
        """d128-bf16-causal B=8 H=16 S=2048, on 4 KV heads, S=1x4096."""
        heads = f"{self.heads}" if self.heads == self.kv_heads else f"{self.heads}/{self.kv_heads}"
        seq = f"{self.seq_q}" if self.seq_q == self.seq_kv else f"{self.seq_q}x{self.seq_kv}"
        return f"{self.problem.name} B={self.batch} H={heads} S={seq}"


def _integer(flag, value, where):
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise SuiteError(f"{where}: {flag}: expected a positive integer but got {json.dumps(value)}")
    return value


def _make_case(values, where):
    def integer(flag, default=None):
        value = values.get(flag, default)
        if value is None:
            raise SuiteError(f"{where}: expected a value of '{flag}'")
        return _integer(flag, value, where)

    def derived(flag, total, size, default):
        if flag not in values and total in values:
            return max(1, integer(total) // size)
        return integer(flag, default)

    head_dim, seq_q = integer("head-dim"), integer("seq-q")
    heads = derived("heads", "width", head_dim, 8)
    dtype, mask = values.get("dtype", "bf16"), values.get("mask", "none")
    if dtype not in DTYPES:
        raise SuiteError(f"{where}: dtype: expected f16 or bf16 but got {json.dumps(dtype)}")
    if not re.fullmatch(r"none|(causal|window:\d+,\d+)(-top-left)?", str(mask)):
        raise SuiteError(
            f"{where}: mask: expected none, causal or window:L,R but got {json.dumps(mask)}"
        )
    kv_heads = integer("kv-heads", heads)
    if heads % kv_heads:
        raise SuiteError(f"{where}: expected {heads} heads to be a multiple of {kv_heads} kv-heads")
    return Case(
        Problem(head_dim, integer("head-dim-v", head_dim), dtype, mask),
        batch=derived("batch", "tokens", seq_q, 1),
        heads=heads,
        kv_heads=kv_heads,
        seq_q=seq_q,
        seq_kv=integer("seq-kv", seq_q),
    )


def read_suite(path):
    """The cases of the file, each once. Raises SuiteError."""
    try:
        groups = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise SuiteError(f"'{path}': {error}") from error
    if not isinstance(groups, list) or not all(isinstance(group, dict) for group in groups):
        raise SuiteError(f"'{path}': expected a list of objects")
    cases = {}
    for number, group in enumerate(groups):
        where = f"'{path}': group {number}"
        for flag in group:
            if flag not in (*FLAGS, "tokens", "width", "comment"):
                raise SuiteError(f"{where}: unknown key '{flag}'")
        group = {flag: value for flag, value in group.items() if flag != "comment"}
        lists = [value if isinstance(value, list) else [value] for value in group.values()]
        for values in itertools.product(*lists):
            cases[_make_case(dict(zip(group, values)), where)] = None
    return list(cases)
