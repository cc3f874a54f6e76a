# ===- functions.py - How exact the math functions of regions are ------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: functions.py <folder> [flags of fa-run...]
#
# With one key, a head dim of 1, K = 1 and a scale of 1 the log-sum-exp of query x
# is score(x). So each function is a head of one attention whose score is that
# function, and the log-sum-exp is compared with NumPy's in double. Prints the
# largest error of each function and fails if one is above its bound, which is the
# one in docs/Spec.md. The harness itself adds up to 2^-23: the one key weighs
# exp2(rounding), which is 1 up to that.
#
# ===-------------------------------------------------------------------------===#

import math
import pathlib
import subprocess
import sys

import numpy as np

ULP = 2.0**-23
erf, erfc = np.vectorize(math.erf), np.vectorize(math.erfc)

# Name, text that defines %y from %x, what it is, the domain, and the bound:
# relative error in units of 2^-23 (CPU, GPU), or absolute ("abs").
FUNCTIONS = [
    ("exp2", "math.exp2 %x", np.exp2, (-100, 20), 2, 4),
    ("exp", "math.exp %x", np.exp, (-60, 14), 2, 96),
    ("expm1", "math.expm1 %x", np.expm1, (0.5, 14), 8, 32),
    ("log", "math.log %x", np.log, (2, 1e6), 2, 4),
    ("log near 1", "math.log %x", np.log, (0.25, 2), "abs 2", "abs 4"),
    ("log2", "math.log2 %x", np.log2, (2, 1e6), 2, 4),
    ("log10", "math.log10 %x", np.log10, (2, 1e6), 3, 5),
    ("log1p", "math.log1p %x", np.log1p, (1, 1e6), 3, 5),
    ("tanh", "math.tanh %x", np.tanh, (-9, 9), 8, 6),
    ("tanh near 0", "math.tanh %x", np.tanh, (1e-4, 0.6), 8, 6),
    ("sin", "math.sin %x", np.sin, (-30, 30), "abs 16", "abs 16"),
    ("cos", "math.cos %x", np.cos, (-30, 30), "abs 16", "abs 16"),
    ("tan", "math.tan %x", np.tan, (-30, 30), 8, 8),
    ("sinh", "math.sinh %x", np.sinh, (-14, 14), 24, 32),
    ("sinh near 0", "math.sinh %x", np.sinh, (1e-4, 1.5), 3, 4),
    ("cosh", "math.cosh %x", np.cosh, (-14, 14), 24, 32),
    ("asin", "math.asin %x", np.arcsin, (-1, 1), "abs 4", "abs 4"),
    ("acos", "math.acos %x", np.arccos, (-1, 1), "abs 4", "abs 4"),
    ("atan", "math.atan %x", np.arctan, (-100, 100), 24, 24),
    ("atan2", "math.atan2 %x, %c", lambda x: np.arctan2(x, 1.5), (-100, 100), 36, 36),
    ("asinh", "math.asinh %x", np.arcsinh, (1, 1e12), 4, 6),
    ("asinh of negative", "math.asinh %x", np.arcsinh, (-1e12, -1), 4, 6),
    ("acosh", "math.acosh %x", np.arccosh, (2, 1e12), 4, 6),
    ("atanh", "math.atanh %x", np.arctanh, (0.25, 0.99), 4, 16),
    ("erf", "math.erf %x", erf, (-4, 4), "abs 4", "abs 4"),
    ("erfc", "math.erfc %x", erfc, (-4, 4), "abs 8", "abs 8"),
    ("cbrt", "math.cbrt %x", np.cbrt, (-1e6, 1e6), 12, 12),
    ("sqrt", "math.sqrt %x", np.sqrt, (0, 1e6), 1.5, 1.5),
    ("rsqrt", "math.rsqrt %x", lambda x: 1 / np.sqrt(x), (1e-3, 1e6), 4, 4),
    ("powf 2.5", "math.powf %x, %p", lambda x: x**2.5, (0.01, 100), 40, 40),
    ("powf -3", "math.powf %x, %m", lambda x: x**-3, (-100, -0.01), 50, 50),
]


def region():
    """The score of head number n is function n."""
    body = []
    for n, (_, text, *_) in enumerate(FUNCTIONS):
        body.append(f"%n{n} = arith.constant {n} : index")
        body.append(f"%is{n} = arith.cmpi eq, %h, %n{n} : index")
        body.append(f"%y{n} = {text} : f32")
        body.append(f"%r{n + 1} = arith.select %is{n}, %y{n}, %r{n} : f32")
    return "\n".join("        " + line for line in body)


def module(dtype):
    tensor, lse = f"tensor<?x?x?x8x{dtype}>", "tensor<?x?x?xf32>"
    return f"""
func.func @functions(%Q: {tensor}, %K: {tensor}, %V: {tensor}, %O: {tensor}, %LSE: {lse})
    -> ({tensor}, {lse}) {{
  %r:2 = fa.attention ins(%Q, %K, %V : {tensor}, {tensor}, {tensor})
      outs(%O, %LSE : {tensor}, {lse}) scale = 1.0
      score {{
      ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index):
        %c = arith.constant 1.5 : f32
        %p = arith.constant 2.5 : f32
        %m = arith.constant -3.0 : f32
        %r0 = arith.constant 0.0 : f32
{region()}
        fa.yield %r{len(FUNCTIONS)} : f32
      }} -> {tensor}, {lse}
  return %r#0, %r#1 : {tensor}, {lse}
}}
"""


def main():
    folder, flags = pathlib.Path(sys.argv[1]), sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    onCPU = "--target=cpu" in flags
    dtype, storage = ("f32", np.float32) if onCPU else ("f16", np.float16)
    (folder / "functions.mlir").write_text(module(dtype))
    count, heads = 4000, len(FUNCTIONS)
    query = np.zeros((1, heads, count, 8), storage)
    for n, (_, _, _, (low, high), *_) in enumerate(FUNCTIONS):
        # Evenly, and evenly by magnitude where the sign is one.
        points = np.linspace(low, high, count)
        if low > 0 or high < 0:
            points[::2] = np.geomspace(low, high, count // 2)
        largest = np.finfo(storage).max
        query[0, n, :, 0] = np.clip(points, -largest, largest)
    key = np.zeros((1, heads, 1, 8), storage)
    key[..., 0] = 1
    for name, array in ("q", query), ("k", key), ("v", key):
        np.save(folder / f"{name}.npy", array)
    subprocess.run(
        ["fa-run", folder / "functions.mlir", *flags, f"--lse={folder / 'lse.npy'}"]
        + [f"--{name}={folder / name}.npy" for name in "qkv"],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    lse = np.load(folder / "lse.npy")[0].astype(np.float64)
    failed = 0
    for n, (name, _, function, _, onCPUBound, onGPUBound) in enumerate(FUNCTIONS):
        with np.errstate(all="ignore"):
            exact = function(query[0, n, :, 0].astype(np.float64))
        isFinite = np.isfinite(exact) & (np.abs(exact) < np.finfo(np.float32).max)
        bound = onCPUBound if onCPU else onGPUBound
        isAbsolute = isinstance(bound, str)
        limit = float(bound.split()[1]) if isAbsolute else bound
        error = np.abs(lse[n] - exact)[isFinite]
        scale = 1 if isAbsolute else np.maximum(np.abs(exact), 2.0**-125)[isFinite]
        worst = np.max(error / scale) / ULP
        ok = worst <= limit
        failed += not ok
        kind = "absolute" if isAbsolute else "relative"
        print(f"{'PASS' if ok else 'FAIL'} {name}: {kind} error {worst:.2f} of at most {limit} times 2^-23")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
