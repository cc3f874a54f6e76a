# ===- differences.py - Gradients against differences of the forward -----------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: differences.py <folder> <fa-run>...
#
# For each score function below, written once for fa and once for NumPy, runs
# fa-run --backward on small f32 inputs and compares dQ, dK and dV with central
# differences, in f64, of the loss
#
#   sum(dO * O) + sum(dLSE * LSE)
#
# over the attention of NumPy. No formula of a gradient is used.
#
# ===-------------------------------------------------------------------------===#

import itertools
import json
import math
import pathlib
import subprocess
import sys

import numpy as np

BATCH, HEADS, KV_HEADS, QUERIES, KEYS, DIM, DIM_V = 1, 4, 2, 5, 7, 8, 6
STEP = 1e-4
# Of the largest gradient; f32 has seven digits, and the products lose some.
TOLERANCE = 2e-5

erf = np.vectorize(math.erf)
erfc = np.vectorize(math.erfc)

# Pieces of a score: ops of fa that define %y of the score %s, and the same for
# an array s. %t is tanh(s), in (-1, 1); %g is s * s + 1; %n is j - i.
OPS = [
    ("%y = arith.negf %s : f32", lambda s, t, g, n: -s),
    ("%y = arith.addf %s, %t : f32", lambda s, t, g, n: s + t),
    ("%y = arith.subf %t, %s : f32", lambda s, t, g, n: t - s),
    ("%y = arith.mulf %s, %t : f32", lambda s, t, g, n: s * t),
    ("%y = arith.divf %s, %g : f32", lambda s, t, g, n: s / g),
    ("%y = arith.divf %half, %g : f32", lambda s, t, g, n: 0.5 / g),
    ("%y = arith.remf %s, %half : f32", lambda s, t, g, n: np.fmod(s, 0.5)),
    ("%y = arith.remf %half, %g : f32", lambda s, t, g, n: np.fmod(0.5, g)),
    ("%y = arith.maximumf %s, %half : f32", lambda s, t, g, n: np.maximum(s, 0.5)),
    ("%y = arith.maxnumf %half, %s : f32", lambda s, t, g, n: np.maximum(s, 0.5)),
    ("%y = arith.minimumf %t, %half : f32", lambda s, t, g, n: np.minimum(t, 0.5)),
    ("%y = arith.minnumf %s, %t : f32", lambda s, t, g, n: np.minimum(s, t)),
    (
        "%c = arith.cmpf ogt, %s, %half : f32\n%y = arith.select %c, %g, %t : f32",
        lambda s, t, g, n: np.where(s > 0.5, g, t),
    ),
    (
        "%d = arith.extf %s : f32 to f64\n%e = arith.mulf %d, %d : f64\n"
        "%y = arith.truncf %e : f64 to f32",
        lambda s, t, g, n: s * s,
    ),
    ("%y = math.absf %s : f32", lambda s, t, g, n: np.abs(s)),
    ("%y = math.acos %t : f32", lambda s, t, g, n: np.arccos(t)),
    ("%y = math.acosh %g : f32", lambda s, t, g, n: np.arccosh(g)),
    ("%y = math.asin %t : f32", lambda s, t, g, n: np.arcsin(t)),
    ("%y = math.asinh %s : f32", lambda s, t, g, n: np.arcsinh(s)),
    ("%y = math.atan %s : f32", lambda s, t, g, n: np.arctan(s)),
    ("%y = math.atan2 %s, %g : f32", lambda s, t, g, n: np.arctan2(s, g)),
    ("%y = math.atanh %t : f32", lambda s, t, g, n: np.arctanh(t)),
    ("%y = math.cbrt %g : f32", lambda s, t, g, n: np.cbrt(g)),
    ("%y = math.clampf %s to [%t, %half] : f32", lambda s, t, g, n: np.clip(s, t, 0.5)),
    ("%y = math.copysign %g, %s : f32", lambda s, t, g, n: np.copysign(g, s)),
    ("%y = math.cos %s : f32", lambda s, t, g, n: np.cos(s)),
    ("%y = math.cosh %t : f32", lambda s, t, g, n: np.cosh(t)),
    ("%y = math.erf %s : f32", lambda s, t, g, n: erf(s)),
    ("%y = math.erfc %s : f32", lambda s, t, g, n: erfc(s)),
    ("%y = math.exp %t : f32", lambda s, t, g, n: np.exp(t)),
    ("%y = math.exp2 %t : f32", lambda s, t, g, n: np.exp2(t)),
    ("%y = math.expm1 %t : f32", lambda s, t, g, n: np.expm1(t)),
    ("%y = math.fma %s, %t, %g : f32", lambda s, t, g, n: s * t + g),
    ("%k = arith.constant 3 : i32\n%y = math.fpowi %t, %k : f32, i32", lambda s, t, g, n: t**3),
    ("%y = math.log %g : f32", lambda s, t, g, n: np.log(g)),
    ("%y = math.log10 %g : f32", lambda s, t, g, n: np.log10(g)),
    ("%y = math.log1p %g : f32", lambda s, t, g, n: np.log1p(g)),
    ("%y = math.log2 %g : f32", lambda s, t, g, n: np.log2(g)),
    ("%y = math.powf %g, %half : f32", lambda s, t, g, n: g**0.5),
    ("%y = math.powf %g, %t : f32", lambda s, t, g, n: g**t),
    ("%y = math.rsqrt %g : f32", lambda s, t, g, n: g**-0.5),
    ("%y = math.sin %s : f32", lambda s, t, g, n: np.sin(s)),
    ("%y = math.sinh %t : f32", lambda s, t, g, n: np.sinh(t)),
    ("%y = math.sqrt %g : f32", lambda s, t, g, n: np.sqrt(g)),
    ("%y = math.tan %t : f32", lambda s, t, g, n: np.tan(t)),
    ("%y = math.tanh %g : f32", lambda s, t, g, n: np.tanh(g)),
    # Steps, which have no derivative.
    ("%x = math.floor %s : f32\n%y = arith.addf %x, %t : f32", lambda s, t, g, n: np.floor(s) + t),
    (
        "%k = arith.fptosi %s : f32 to i32\n%x = arith.sitofp %k : i32 to f32\n"
        "%y = arith.addf %x, %t : f32",
        lambda s, t, g, n: np.trunc(s) + t,
    ),
]

# Whole score functions, as models have them.
FUNCTIONS = {
    "none": ("", None),
    "scale-shift": (
        "%x = arith.mulf %s, %a : f32\n%y = arith.addf %x, %half : f32",
        lambda s, t, g, n: -1.5 * s + 0.5,
    ),
    "soft-cap": (
        "%x = arith.divf %s, %cap : f32\n%u = math.tanh %x : f32\n%y = arith.mulf %u, %cap : f32",
        lambda s, t, g, n: 2 * np.tanh(s / 2),
    ),
    "alibi": (
        "%x = math.absf %n : f32\n%z = arith.mulf %x, %half : f32\n%y = arith.subf %s, %z : f32",
        lambda s, t, g, n: s - 0.5 * np.abs(n),
    ),
    "relative": (
        "%x = math.exp2 %n : f32\n%z = arith.addf %x, %half : f32\n%y = arith.divf %s, %z : f32",
        lambda s, t, g, n: s / (2.0**n + 0.5),
    ),
}

HEAD = """
%half = arith.constant 0.5 : f32
%one = arith.constant 1.0 : f32
%a = arith.constant -1.5 : f32
%cap = arith.constant 2.0 : f32
%t = math.tanh %s : f32
%square = arith.mulf %s, %s : f32
%g = arith.addf %square, %one : f32
%distance = arith.subi %j, %i : index
%distance32 = arith.index_cast %distance : index to i32
%n = arith.sitofp %distance32 : i32 to f32
"""

MODULE = """
func.func @gradient(%Q: {QK}, %K: {QK}, %V: {VO}, %O: {VO}, %dO: {VO}, %LSE: {L}, %dLSE: {L}, %dQ: {QK}, %dK: {QK}, %dV: {VO})
    -> ({QK}, {QK}, {VO}) {{
  %r:3 = fa.attention_backward
      ins(%Q, %K, %V, %O, %dO, %LSE, %dLSE : {QK}, {QK}, {VO}, {VO}, {VO}, {L}, {L})
      outs(%dQ, %dK, %dV : {QK}, {QK}, {VO}) mask = #fa.mask<causal>
      {score} -> {QK}, {QK}, {VO}
  return %r#0, %r#1, %r#2 : {QK}, {QK}, {VO}
}}
"""


def weigh(pieces):
    """One score function of several pieces, each with a weight of its own."""
    body, functions = "%sum0 = arith.constant 0.0 : f32\n", []
    for number, (text, function) in enumerate(pieces):
        for name in "ycdekxzu":
            text = text.replace(f"%{name} ", f"%{name}_{number} ").replace(f"%{name},", f"%{name}_{number},")
        weight = 0.125 * (number % 5 + 1)
        body += text + f"\n%w_{number} = arith.constant {weight} : f32\n"
        body += f"%p_{number} = arith.mulf %y_{number}, %w_{number} : f32\n"
        body += f"%sum{number + 1} = arith.addf %sum{number}, %p_{number} : f32\n"
        functions.append((weight, function))
    body += f"%y = arith.addf %sum{len(functions)}, %half : f32"
    return body, lambda *at: sum(w * f(*at) for w, f in functions) + 0.5


def forward(q, k, v, score):
    """O and LSE in f64, with a causal mask, bottom right."""
    group = HEADS // KV_HEADS
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    s = q @ k.swapaxes(2, 3) / np.sqrt(DIM)
    n = np.arange(KEYS) - np.arange(QUERIES)[:, None]
    if score:
        s = score(s, np.tanh(s), s * s + 1, np.broadcast_to(n, s.shape).astype("f8"))
    s = np.where(n > KEYS - QUERIES, -np.inf, s)
    p = np.exp(s - s.max(axis=3, keepdims=True))
    total = p.sum(axis=3, keepdims=True)
    return p / total @ v, (np.log(total) + s.max(axis=3, keepdims=True))[..., 0]


def differentiate(loss, array):
    """d loss / d array, element by element."""
    gradient = np.zeros_like(array)
    for index in itertools.product(*map(range, array.shape)):
        kept = array[index]
        array[index] = kept + STEP
        above = loss()
        array[index] = kept - STEP
        gradient[index] = (above - loss()) / (2 * STEP)
        array[index] = kept
    return gradient


def check(name, body, score, inputs, folder, fa_run):
    path = folder / f"{name}.mlir"
    region = ""
    if score:
        region = "score {\n^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):" + HEAD
        region += body + "\nfa.yield %y : f32\n}"
    path.write_text(
        MODULE.format(
            QK=f"tensor<?x?x?x{DIM}xf32>", VO=f"tensor<?x?x?x{DIM_V}xf32>", L="tensor<?x?x?xf32>", score=region
        )
    )
    command = [*fa_run, str(path)]
    command += [f"--{flag}={folder}/{flag}.npy" for flag in inputs]
    command += [f"--{flag}={folder}/{flag}.npy" for flag in ("dq", "dk", "dv")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    q, k, v, do, dlse = (inputs[flag].astype("f8") for flag in ("q", "k", "v", "do", "dlse"))

    def loss():
        o, lse = forward(q, k, v, score)
        return np.sum(do * o) + np.sum(dlse * lse)

    for flag, array in (("dq", q), ("dk", k), ("dv", v)):
        expected = differentiate(loss, array)
        actual = np.load(folder / f"{flag}.npy")
        error = np.max(np.abs(actual - expected)) / np.max(np.abs(expected))
        assert error < TOLERANCE, (name, flag, error)


def main():
    folder, fa_run = pathlib.Path(sys.argv[1]), sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(7)
    shapes = {
        "q": (BATCH, HEADS, QUERIES, DIM),
        "k": (BATCH, KV_HEADS, KEYS, DIM),
        "v": (BATCH, KV_HEADS, KEYS, DIM_V),
        "do": (BATCH, HEADS, QUERIES, DIM_V),
        "dlse": (BATCH, HEADS, QUERIES),
    }
    inputs = {}
    for flag, shape in shapes.items():
        inputs[flag] = random.standard_normal(shape).astype("<f4")
        np.save(folder / f"{flag}.npy", inputs[flag])
    for name, (body, score) in FUNCTIONS.items():
        check(name, body, score, inputs, folder, fa_run)
    for begin in range(0, len(OPS), 12):
        check(f"ops-{begin}", *weigh(OPS[begin : begin + 12]), inputs, folder, fa_run)
    print(f"{len(FUNCTIONS)} functions, {len(OPS)} ops: gradients agree with differences")


if __name__ == "__main__":
    main()
