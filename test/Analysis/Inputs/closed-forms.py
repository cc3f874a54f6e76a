# ===- closed-forms.py - fa-io against counting tile by tile ------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the loops of each algorithm over one head, with the mask as a predicate on
# single keys, and adds up what is moved. Nothing is shared with the formulas.
#
# Usage: closed-forms.py FA-IO
#
# ===-------------------------------------------------------------------------===#

import itertools
import json
import subprocess
import sys


class Head:
    """The loops of one head."""

    def __init__(self, seq_q, seq_kv, d, dv, br, bc, size, mask):
        self.seq_q, self.seq_kv, self.d, self.dv = seq_q, seq_kv, d, dv
        self.br, self.bc, self.size, self.mask = br, bc, size, mask

    def sees(self, i, j):
        left, right, top_left = self.mask
        distance = j - i - (0 if top_left else self.seq_kv - self.seq_q)
        return (left is None or distance >= -left) and (right is None or distance <= right)

    def tiles(self):
        """Rows of Q and of K of each tile with a visible score, inside of a band."""
        for i0 in range(0, self.seq_q, self.br):
            rows = range(i0, min(i0 + self.br, self.seq_q))
            for j0 in range(0, self.seq_kv, self.bc):
                keys = range(j0, min(j0 + self.bc, self.seq_kv))
                if any(self.sees(i, j) for i in rows for j in keys):
                    yield rows, keys

    def forward(self):
        e, nq, nk, d, dv = self.size, self.seq_q, self.seq_kv, self.d, self.dv
        naive = e * (nq * d + nk * d + nk * dv + 2 * nq * nk + 2 * nq * nk + nq * dv)
        fa1 = e * nq * d + e * nq * dv + 4 * nq
        keys_outside = e * nk * (d + dv)
        for rows, keys in self.tiles():
            fa1 += e * len(keys) * (d + dv)
            keys_outside += len(rows) * (e * d + 2 * e * dv + 2 * 4 + 2 * 4)
        return {"naive": naive, "fa1": fa1, "fa1_keys": keys_outside}

    def backward(self):
        e, nq, nk, d, dv = self.size, self.seq_q, self.seq_kv, self.d, self.dv
        s, k, v, q, o, row = e * nq * nk, e * nk * d, e * nk * dv, e * nq * d, e * nq * dv, 4 * nq
        naive = (
            (o + o + row)  # delta
            + (q + k + s)  # S
            + (s + row + s)  # P
            + (s + o + v)  # dV
            + (o + v + s)  # dP
            + (s + s + row + s)  # dS
            + (s + k + q)  # dQ
            + (s + q + k)  # dK
        )
        delta = 2 * o + row
        keys_outside = delta + 2 * (k + v)
        two = delta + 2 * (k + v) + (q + o + 2 * row + q)
        for rows, keys in self.tiles():
            tile = len(rows) * (e * d + e * dv + 2 * 4)
            keys_outside += tile + len(rows) * 2 * 4 * d
            two += tile + len(keys) * e * (d + dv)
        return {"naive": naive, "keys": keys_outside, "two": two}


def main():
    masks = {
        "none": (None, None, False),
        "causal": (None, 0, False),
        "causal-top-left": (None, 0, True),
        "window:40,0": (40, 0, False),
        "window:17,23": (17, 23, False),
    }
    #          seq_q seq_kv   d   dv
    sizes = [(256, 256, 64, 64), (192, 320, 128, 64), (300, 130, 72, 72), (1, 97, 64, 128)]
    tiles = [(64, 64), (48, 80), (128, 32)]
    rows = 0
    for backward, (name, mask), (seq_q, seq_kv, d, dv), (br, bc) in itertools.product(
        (False, True), masks.items(), sizes, tiles
    ):
        size = 4 if backward else 2
        flags = [f"--seq={seq_q}", f"--seq-kv={seq_kv}", f"--head-dim={d}", f"--head-dim-v={dv}"]
        flags += [f"--br={br}", f"--bc={bc}", f"--bytes={size}", f"--mask={name}", "--json"]
        flags += ["--batch=3", "--heads=4", "--kv-heads=2"] + ["--backward"] * backward
        result = subprocess.run([sys.argv[1], *flags], capture_output=True, text=True, check=True)
        (row,) = json.loads(result.stdout)["rows"]
        head = Head(seq_q, seq_kv, d, dv, br, bc, size, mask)
        wanted = head.backward() if backward else head.forward()
        for form, value in wanted.items():
            if row[form]["bytes"] != 12 * value:
                sys.exit(f"{form} {flags}: got {row[form]['bytes']}, counted {12 * value}")
        rows += 1
    print(f"{rows} rows are exact")


main()
