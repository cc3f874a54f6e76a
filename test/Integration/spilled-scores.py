# ===- spilled-scores.py - The three kernels without a GPU --------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Executes what fa-spill-scores makes, on the CPU: the nests get the target and
# the register tile of a CPU, and go down its road to a shared library. S, P and
# l are full of NaN before, so that what is read without having been written
# shows. O is compared with float64, element by element: P is rounded once to 8
# bits, and so is O.
#
# Usage: spilled-scores.py DIR
#
# ===-------------------------------------------------------------------------===#

import ctypes
import pathlib
import re
import subprocess
import sys

import numpy as np

PIPELINE = (
    "builtin.module(func.func(fa-expand-softmax),canonicalize,cse,"
    "func.func(fa-tiles-to-loops,scf-forall-to-for),canonicalize,cse,func.func(fa-expand-math),"
    "expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-vector-to-llvm,convert-to-llvm,"
    "reconcile-unrealized-casts)"
)
EPSILON = 2.0**-8


def tool(command, text=None):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def compile_kernels(folder, name, flags):
    """The kernels of a problem as functions of descriptors, in order."""
    emit = ["--target=sm_80", "--level=naive", "--emit=naive", "--dtype=bf16"]
    ir = tool(["fa-translate", *emit, *flags])
    ir = re.sub(r"#fa\.target<[^>]*>", '#fa.target<"cpu", sram = 1048576, vector_bits = 256>', ir)
    ir = re.sub(r"#fa\.schedule<(br = \d+, bc = \d+)[^>]*>", r"#fa.schedule<\1, mr = 4, nr = 16>", ir)
    ir = re.sub(r"(func\.func @.*\)) {", r"\1 attributes {llvm.emit_c_interface} {", ir)
    llvm = tool(["mlir-translate", "--mlir-to-llvmir"], tool(["fa-opt", "-", f"-pass-pipeline={PIPELINE}"], ir))
    source, library = folder / f"{name}.ll", folder / f"{name}.so"
    source.write_text(llvm)
    tool(["clang", "-O1", "-shared", "-fPIC", "-Wno-override-module", source, "-o", library, "-lm"])
    loaded = ctypes.CDLL(str(library))
    return [getattr(loaded, f"_mlir_ciface_attention_{step}") for step in ("scores", "softmax", "output")]


def descriptor(array):
    """A memref descriptor of an array."""
    class Descriptor(ctypes.Structure):
        _fields_ = [
            ("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64),
            ("sizes", ctypes.c_int64 * array.ndim), ("strides", ctypes.c_int64 * array.ndim),
        ]  # fmt: skip

    words = ctypes.c_int64 * array.ndim
    strides = [stride // array.itemsize for stride in array.strides]
    return Descriptor(array.ctypes.data, array.ctypes.data, 0, words(*array.shape), words(*strides))


def to_bf16(array):
    bits = array.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def check(folder, number, mask, band, batch, heads, kv_heads, seq_q, seq_kv, d, dv):
    flags = [f"--mask={mask}", f"--head-dim={d}", f"--head-dim-v={dv}"]
    kernels = compile_kernels(folder, f"case{number}", flags)
    random = np.random.default_rng(number)
    q, k, v = (
        to_bf16(random.standard_normal(shape))
        for shape in ((batch, heads, seq_q, d), (batch, kv_heads, seq_kv, d), (batch, kv_heads, seq_kv, dv))
    )
    padded = (seq_kv + 63) // 64 * 64
    output = np.full((batch, heads, seq_q, dv), 0x7FC0, np.uint16)
    lse = np.full((batch, heads, seq_q), np.nan, np.float32)
    scores = np.full((batch, heads, seq_q, padded), np.nan, np.float32)
    probs = np.full((batch, heads, seq_q, padded), 0x7FC0, np.uint16)
    sums = np.full((batch, heads, seq_q), np.nan, np.float32)
    arguments = [descriptor(a) for a in (q, k, v, output, lse, scores, probs, sums)]
    for kernel in kernels:
        kernel(*map(ctypes.byref, arguments))

    keys, values = (np.repeat(from_bf16(x), heads // kv_heads, 1) for x in (k, v))
    s = from_bf16(q) @ keys.swapaxes(2, 3) / np.sqrt(d)
    distance = np.arange(seq_kv)[None, :] - np.arange(seq_q)[:, None] - (seq_kv - seq_q)
    s[..., ~((-band[0] <= distance) & (distance <= band[1]))] = -np.inf
    m = s.max(3, keepdims=True)
    p = np.exp(s - np.where(np.isinf(m), 0, m))
    with np.errstate(divide="ignore", invalid="ignore"):
        total = p.sum(3, keepdims=True)
        wanted_lse = (m + np.log(total))[..., 0]
        p = np.where(total > 0, p / total, 0)
    wanted = p @ values
    bound = EPSILON * (p @ np.abs(values) + np.abs(wanted)) + 1e-6
    if not (np.abs(from_bf16(output) - wanted) <= bound).all():
        sys.exit(f"{flags}: O is wrong")
    seen = np.isfinite(wanted_lse)
    if not (np.abs(lse[seen] - wanted_lse[seen]) <= 1e-5).all() or not (lse[~seen] == -np.inf).all():
        sys.exit(f"{flags}: LSE is wrong")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    far = 1 << 40
    cases = [
        ("none", (far, far), 1, 2, 1, 200, 130, 64, 64),
        ("causal", (far, 0), 1, 2, 2, 300, 300, 64, 128),
        ("causal", (far, 0), 1, 4, 2, 300, 90, 64, 64),  # rows without a key
        ("window:40,7", (40, 7), 2, 1, 1, 257, 400, 40, 48),
    ]
    for number, case in enumerate(cases):
        check(folder, number, *case)
    print(f"{len(cases)} problems are right")


main()
