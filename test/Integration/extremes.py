# ===- extremes.py - Sizes and values at the ends of what there is ------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: extremes.py <folder>
#
# Writes <folder>/suite.json for `fa-run --suite` on a GPU: long sequences, large
# batches, offsets past 2^31, bases and strides that are not aligned, one K and V
# for all heads, scores far from 0, and runs that must be equal bit by bit.
#
# ===-------------------------------------------------------------------------===#

import json
import pathlib
import sys

import numpy as np

DTYPES = ("f16", "bf16", "f32")
MASKS = ("none", "causal")


def case(**flags):
    flags = {key.replace("_", "-"): value for key, value in flags.items()}
    run = {"heads": 1} | flags
    return {"name": " ".join(f"{key}={value}" for key, value in flags.items())} | run


def write_far(folder, head_dim, dtype, sign):
    """Q and K with all scores beyond `sign` * 5e4, at a scale of 1, and a few units
    apart. Their elements are exact in bf16."""
    random = np.random.default_rng(head_dim)
    size = np.ceil((60000 / head_dim) ** 0.5)
    assert size <= 31, "more and 1/8 is not exact in bf16"
    query = np.full((1, 2, 700, head_dim), size, "f4")
    key = np.full((1, 2, 700, head_dim), sign * size, "f4")
    key[..., 0] += random.integers(-1, 2, key.shape[:3]) / 8
    paths = []
    for name, array in (("q", query), ("k", key)):
        bits = array.view("<u4")
        stored = {"f32": array, "f16": array.astype("<f2"), "bf16": (bits >> 16).astype("<u2")}[dtype]
        path = folder / f"far-{head_dim}-{dtype}-{sign}-{name}.npy"
        np.save(path, stored)
        paths.append(str(path))
    return {"q": paths[0], "k": paths[1], "scale": 1, "dtype": dtype}


def suite(folder):
    # One query of one head takes a second or so of the reference.
    for head_dim in (64, 128):
        for mask in MASKS:
            yield case(dtype="bf16", head_dim=head_dim, mask=mask, seq_q=65537, check_rows=16)
    yield case(dtype="f16", head_dim=72, mask="causal", seq_q=65537, layout="bshd", heads=2, check_rows=16)
    yield case(dtype="f32", head_dim=64, mask="causal", seq_q=65537, check_rows=16)
    for mask in (*MASKS, "window:4096,0"):
        yield case(dtype="bf16", head_dim=64, mask=mask, seq_q=262144, check_rows=8)
    yield case(dtype="f16", head_dim=256, seq_q=300, seq_kv=262144, check_rows=8)

    for dtype in DTYPES:
        yield case(dtype=dtype, head_dim=64, batch=10000, heads=2, seq_q=33, mask="causal", check_rows=2000)
    yield case(dtype="bf16", head_dim=128, batch=70000, seq_q=1, seq_kv=3, check_rows=2000)
    for dtype in ("bf16", "f32"):
        yield case(dtype=dtype, head_dim=64, heads=64, kv_heads=8, batch=2, seq_q=333, mask="causal", check_rows=2000)

    # O alone takes 4 * 2^20 elements a row here.
    yield case(dtype="bf16", head_dim=64, seq_q=2100, pad_strides=2**20)
    for head_dim in (20, 64, 128):
        for offset in (1, 2, 3, 4):
            yield case(dtype="f16", head_dim=head_dim, heads=2, seq_q=150, seq_kv=210, offset=offset)
        yield case(dtype="bf16", head_dim=head_dim, heads=2, seq_q=150, pad_strides=1, mask="causal")
    for dtype in DTYPES:
        yield case(dtype=dtype, head_dim=64, batch=2, heads=6, kv_heads=3, seq_q=333, shared_keys=True)

    # The product of two normal vectors has a deviation of sqrt(D): scores of +-1e4.
    for dtype in DTYPES:
        for head_dim in (64, 128):
            for mask in MASKS:
                flags = {"head_dim": head_dim, "mask": mask, "seq_q": 700}
                yield case(dtype=dtype, scale=1e4 / head_dim**0.5 / 4, **flags)
                for sign in (-1, 1):
                    far = write_far(folder, head_dim, dtype, sign)
                    yield case(mask=mask, **far) | {"name": f"{dtype} {head_dim} {mask} beyond {sign * 5}e4", "heads": 2}

    for head_dim in (64, 72, 128, 256):
        for mask in MASKS:
            flags = {"head_dim": head_dim, "mask": mask, "batch": 2, "heads": 16}
            yield case(dtype="bf16", seq_q=1000, repeat=20, check_rows=200, **flags)
    yield case(dtype="f32", head_dim=64, batch=2, heads=16, seq_q=1000, repeat=20, check_rows=200)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "suite.json").write_text(json.dumps(list(suite(folder)), indent=1))


if __name__ == "__main__":
    main()
