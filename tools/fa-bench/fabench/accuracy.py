# ===- accuracy.py - Is a result right? --------------------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-------------------------------------------------------------------------===#
"""Sampled rows against an fp64 reference.

The rule is that of lib/Runtime/Reference: the largest error may be twice that of a
plain program, which rounds P to the type of the tensors, plus one rounding step of
the output.
"""

import dataclasses

import numpy as np

# (batch, head) pairs beside the first and the last, and rows of each. A sample is
# enough here, where kernels are timed; that no row is left out is seen in the whole
# output, which is filled with NaN before.
PAIRS, ROWS = 4, 48
# Mantissa bits of the output types, and f32 for LSE.
MANTISSA = {"f16": 10, "bf16": 7, "f32": 23}
# Orders in which a plain program sums, as its largest error is a matter of luck.
ORDERS = 3


@dataclasses.dataclass
class Rows:
    """The inputs of some rows of one head, and what is expected of them."""

    batch: int
    head: int
    rows: np.ndarray
    output: np.ndarray  # f64 [rows, head dim of V]
    lse: np.ndarray
    plain_error: float
    plain_lse_error: float


def round_to(values, dtype):
    """`values` rounded to the type (to nearest even), as f32."""
    values = values.astype(np.float32)
    if dtype == "f16":
        return values.astype(np.float16).astype(np.float32)
    bits = values.view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return bits.astype(np.uint32).view(np.float32)


def _visible(case, rows):
    left, right, offset = case.band
    distance = np.arange(case.seq_kv)[None, :] - rows[:, None] - offset
    visible = np.ones_like(distance, dtype=bool)
    if left is not None:
        visible &= distance >= -left
    if right is not None:
        visible &= distance <= right
    return visible


def _attention(q, k, v, visible, scale, round_probs):
    """O and LSE in the type of q, summed in order. Rows that see nothing give 0 and
    -inf."""
    scores = np.where(visible, (q @ k.T) * q.dtype.type(scale), -np.inf)
    largest = scores.max(axis=1, keepdims=True)
    probs = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
    total = np.cumsum(probs, axis=1)[:, -1:]
    with np.errstate(divide="ignore"):
        return round_probs(probs / np.where(total > 0, total, 1)) @ v, (largest + np.log(total))[:, 0]


def _largest(difference):
    return float(np.nanmax(np.abs(difference), initial=0))


def make_reference(case, get, seed):
    """Samples rows. `get(name, batch, head)` yields one head of Q, K or V in f32."""
    random = np.random.RandomState(seed)
    count = case.batch * case.heads
    pairs = {0, count - 1, *map(int, random.permutation(count)[:PAIRS])}
    dtype, samples = case.problem.dtype, []
    for pair in sorted(pairs):
        batch, head = divmod(pair, case.heads)
        kv_head = head // (case.heads // case.kv_heads)
        rows = random.permutation(case.seq_q)[:ROWS]
        rows = np.unique(np.concatenate([rows, [0, case.seq_q - 1]]))
        q, k, v = get("q", batch, head)[rows], get("k", batch, kv_head), get("v", batch, kv_head)
        visible = _visible(case, rows)
        output, lse = _attention(
            *(x.astype(np.float64) for x in (q, k, v)), visible, case.scale, lambda p: p
        )
        plain = plain_lse = 0
        for _ in range(ORDERS):
            order = random.permutation(case.seq_kv)
            o, l = _attention(
                q, k[order], v[order], visible[:, order], case.scale, lambda p: round_to(p, dtype)
            )
            plain = max(plain, _largest(round_to(o, dtype) - output))
            with np.errstate(invalid="ignore"):
                plain_lse = max(plain_lse, _largest(l - lse))
        samples.append(Rows(batch, head, rows, output, lse, plain, plain_lse))
    return samples


def _judge(errors, magnitude, plain, dtype):
    exponent = np.floor(np.log2(magnitude)) if magnitude > 0 else 0
    tolerance = 2 * plain + 2.0 ** (exponent - MANTISSA[dtype])
    error = float(np.max(errors))  # NaN stays NaN, and fails.
    return {"error": error, "tolerance": float(tolerance), "passed": bool(error <= tolerance)}


def check(case, samples, get):
    """`get(name, batch, head)` yields one head of O, or of LSE if there is one."""
    outputs, lses, squares, norms = [], [], 0.0, 0.0
    for sample in samples:
        actual = get("o", sample.batch, sample.head)[sample.rows].astype(np.float64)
        outputs.append(np.abs(actual - sample.output).max())
        squares += np.square(actual - sample.output).sum()
        norms += np.square(sample.output).sum()
        lse = get("lse", sample.batch, sample.head)
        if lse is not None:
            lse = lse[sample.rows].astype(np.float64)
            same = lse == sample.lse  # Equal infinities, too.
            with np.errstate(invalid="ignore"):
                lses.append(np.where(same, 0, np.abs(lse - sample.lse)).max())

    def magnitude(values):
        return max(_largest(x[np.isfinite(x)]) for x in values)

    result = {
        "output": _judge(
            outputs, magnitude([s.output for s in samples]),
            max(s.plain_error for s in samples), case.problem.dtype,
        ),
        "relative_error": float(np.sqrt(squares / norms)) if norms else 0.0,
        "rows": sum(len(s.rows) for s in samples),
    }  # fmt: skip
    if lses:
        result["lse"] = _judge(
            lses, magnitude([s.lse for s in samples]),
            max(s.plain_lse_error for s in samples), "f32",
        )  # fmt: skip
    result["passed"] = all(result[name]["passed"] for name in ("output", "lse") if name in result)
    return result
