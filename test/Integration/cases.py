# ===- cases.py - Cases that broke other implementations of attention --------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: cases.py <folder>        writes <folder>/suite.json for `fa-run --suite`
#        cases.py <folder> check  looks at the arrays that the suite wrote
#
# Shapes and inputs that made some public implementation wrong or crash. The
# suite compares each with the fp64 reference; what has a value that can be said
# without one (a row without keys, the number of keys of a window, equal bits) is
# looked at afterwards.
#
# ===-------------------------------------------------------------------------===#

import json
import pathlib
import sys

import numpy as np

# No multiples of a tile, one more or one less than it, one row, one key.
LENGTHS = (
    (1, 1), (3, 3), (64, 32), (64, 1), (128, 192), (255, 256), (239, 1), (799, 3), (113, 203),
    (128, 217), (108, 256), (1023, 1024), (1024, 1023), (4224, 4224),
)  # fmt: skip
HEAD_DIMS = (40, 48, 56, 72, 80, 96, 100, 104, 112, 136, 144, 160, 168, 176, 192, 224)
HEAD_DIMS_V = ((128, 64), (64, 128), (192, 128), (96, 160))

SOFTCAP = """
func.func @softcap(%Q: {T}, %K: {T}, %V: {T}, %O: {T}, %LSE: {L}, %cap: f32) -> ({T}, {L}) {{
  %r:2 = fa.attention ins(%Q, %K, %V : {T}, {T}, {T}) outs(%O, %LSE : {T}, {L})
      mask = #fa.mask<causal>
      score {{
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %x = arith.divf %s, %cap : f32
        %t = math.tanh %x : f32
        %y = arith.mulf %t, %cap : f32
        fa.yield %y : f32
      }} -> {T}, {L}
  return %r#0, %r#1 : {T}, {L}
}}
"""

# Nobody sees the first keys, a tile and more.
LATE = """
func.func @late(%Q: {T}, %K: {T}, %V: {T}, %O: {T}, %LSE: {L}, %first: index) -> ({T}, {L}) {{
  %two = arith.constant 2 : index
  %r:2 = fa.attention ins(%Q, %K, %V : {T}, {T}, {T}) outs(%O, %LSE : {T}, {L})
      where {{
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %rest = arith.remui %j, %two : index
        %even = arith.subi %j, %rest : index
        %yes = arith.cmpi sge, %even, %first : index
        fa.yield %yes : i1
      }} -> {T}, {L}
  return %r#0, %r#1 : {T}, {L}
}}
"""


def write_inputs(folder):
    for name, text in (("softcap", SOFTCAP), ("late", LATE)):
        text = text.format(T="tensor<?x?x?x16xf32>", L="tensor<?x?x?xf32>")
        (folder / f"{name}.mlir").write_text(text)
    random = np.random.default_rng(0)
    query = random.normal(size=(1, 2, 130, 16)).astype("f4")
    key = random.normal(size=(1, 2, 200, 16)).astype("f4")
    np.save(folder / "zero.npy", np.zeros((1, 2, 200, 16), "f4"))
    np.save(folder / "query.npy", np.abs(query))
    # The scores of one tile of keys are far above those of the next, or below.
    falling = np.abs(key) * np.where(np.arange(200) < 64, 8, -8)[:, None]
    np.save(folder / "falling.npy", falling.astype("f4"))
    np.save(folder / "rising.npy", falling[:, :, ::-1].astype("f4"))


def suite(folder):
    small = {"heads": 1, "head-dim": 16}
    out = lambda name: {"out": str(folder / f"{name}.o.npy"), "lse": str(folder / f"{name}.lse.npy")}
    file = lambda name: str(folder / f"{name}.npy")
    # More queries than keys: the first see none.
    yield small | {"name": "no keys", "seq-q": 70, "seq-kv": 33, "mask": "causal"} | out("nokeys")
    yield small | {"name": "first tile hidden", "input": str(folder / "late.mlir"), "arg": "5:150", "seq-q": 70, "seq-kv": 300}
    yield small | {"name": "all hidden", "input": str(folder / "late.mlir"), "arg": "5:300", "seq-q": 70, "seq-kv": 300} | out("hidden")
    for queries, keys in LENGTHS:
        for mask in ("none", "causal", "window:64,3"):
            yield small | {"name": f"{queries} x {keys} {mask}", "seq-q": queries, "seq-kv": keys, "mask": mask}
    for mask in ("causal", "window:100,0"):
        yield small | {"name": f"2048 x 1024 {mask}", "seq-q": 2048, "seq-kv": 1024, "mask": mask}
    # A window of all keys before is causal, and one of w has w + 1 keys.
    for name, mask in (("window", "window:199,0"), ("causal", "causal"), ("six", "window:5,0"), ("all", "none")):
        zero = {"q": file("zero")} if name in ("six", "all") else {}
        yield {"name": f"as {mask}", "heads": 2, "head-dim": 16, "seq-q": 200, "mask": mask} | zero | out(name)
    for head_dim in HEAD_DIMS:
        yield {"name": f"head dim {head_dim}", "heads": 1, "seq-q": 70, "dtype": "bf16", "head-dim": head_dim, "mask": "causal"}
    for head_dim, head_dim_v in HEAD_DIMS_V:
        yield {"name": f"{head_dim}/{head_dim_v}", "heads": 1, "seq-q": 70, "dtype": "f16", "head-dim": head_dim, "head-dim-v": head_dim_v}
    # Inputs times 3 are a scale times 9.
    yield {"name": "times 3", "heads": 1, "seq-q": 1024, "head-dim": 128, "dtype": "bf16", "scale": 9 / 128**0.5}
    yield small | {"name": "one query", "seq-q": 1, "seq-kv": 5000, "mask": "causal"}
    yield {"name": "batch 8300", "batch": 8300, "heads": 16, "seq-q": 1, "head-dim": 128, "dtype": "bf16"}
    yield small | {"name": "256 K", "seq-q": 3, "seq-kv": 262144}
    yield small | {"name": "256 K windowed", "seq-q": 262144, "seq-kv": 262144, "mask": "window:3,0"}
    yield {"name": "heads of one position", "batch": 2, "heads": 6, "kv-heads": 2, "seq-q": 70, "head-dim": 16, "layout": "bshd"}
    yield small | {"name": "500 rows in tiles of 128", "seq-q": 500, "br": 128, "bc": 64}
    for name in ("falling", "rising"):
        yield {"name": f"{name} maxima", "q": file("query"), "k": file(name)}
    for cap in (15, 50):
        yield {"name": f"soft-cap {cap}", "input": str(folder / "softcap.mlir"), "arg": f"5:{cap}", "heads": 1, "seq-q": 150}
    for heads, kv_heads in ((7, 7), (25, 5), (28, 4)):
        yield {"name": f"{heads} heads", "heads": heads, "kv-heads": kv_heads, "seq-q": 40, "head-dim": 16}
    # Outputs are full of NaN before each run: equal bits nevertheless.
    for name in ("first", "second"):
        yield {"name": name, "heads": 3, "seq-q": 300, "head-dim": 64, "dtype": "f16", "mask": "causal"} | out(name)


def check(folder):
    load = lambda name: (np.load(folder / f"{name}.o.npy"), np.load(folder / f"{name}.lse.npy"))
    output, lse = load("nokeys")
    assert (output[:, :, :37] == 0).all() and np.isneginf(lse[:, :, :37]).all()
    assert np.isfinite(lse[:, :, 37:]).all()
    output, lse = load("hidden")
    assert (output == 0).all() and np.isneginf(lse).all()
    for one, two in (("window", "causal"), ("first", "second")):
        for a, b in zip(load(one), load(two)):
            assert a.tobytes() == b.tobytes(), (one, two)
    # Q = 0: the log-sum-exp is the natural logarithm of the number of keys.
    rows = np.arange(200)
    assert np.allclose(load("six")[1], np.log(np.minimum(rows + 1, 6)), atol=1e-6)
    assert np.allclose(load("all")[1], np.log(200), atol=1e-6)
    print("the values are as they should be")


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    if len(sys.argv) > 2:
        return check(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write_inputs(folder)
    (folder / "suite.json").write_text(json.dumps(list(suite(folder)), indent=1))


main()
