# ===- configurations.py - The grid of kernels, in one table ------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What tests on the CPU (grid.py), on a GPU (scripts/full-grid) and of ptxas
# (test/Target/Inputs/ptxas-sample.py) vary in a kernel. `full` gives all
# combinations, `pairwise` so few that every two values of two different axes
# meet in at least one of them.
#
# ===-------------------------------------------------------------------------===#

import itertools

# Keys are flags of the tools. A head dim of V of None is that of Q and K.
AXES = {
    "head-dim": (8, 20, 64, 72, 80, 96, 100, 112, 128, 160, 192, 224, 256),
    "mask": ("none", "causal", "causal-top-left", "window:64,0", "window:7,9", "window:0,0"),
    "dtype": ("f32", "f16", "bf16"),
    "head-dim-v": (None, 40, 128),
}

# The values that differ most, for every run of the tests.
SAMPLE = AXES | {
    "head-dim": (8, 20, 64, 72, 100, 128, 192, 256),
    "mask": ("none", "causal", "window:64,0", "window:7,9"),
}


def clean(configuration):
    """Without what is not given."""
    return {key: value for key, value in configuration.items() if value is not None}


def full(axes=AXES):
    """All combinations."""
    return [clean(dict(zip(axes, values))) for values in itertools.product(*axes.values())]


def pairwise(axes=SAMPLE):
    """Few combinations with every pair of values, always the same ones."""
    names = list(axes)
    missing = {
        ((a, x), (b, y))
        for a, b in itertools.combinations(names, 2)
        for x in axes[a]
        for y in axes[b]
    }  # fmt: skip
    chosen = []
    for values in itertools.product(axes[names[0]], axes[names[1]]):
        # The first two axes meet everywhere; of the others, what brings most pairs.
        best = max(
            itertools.product(*(axes[name] for name in names[2:])),
            key=lambda rest: len(missing & pairs_of(names, values + rest)),
        )
        missing -= pairs_of(names, values + best)
        chosen.append(clean(dict(zip(names, values + best))))
    assert not missing, "a third axis is longer than the first two"
    return chosen


def pairs_of(names, values):
    return set(itertools.combinations(list(zip(names, values)), 2))
