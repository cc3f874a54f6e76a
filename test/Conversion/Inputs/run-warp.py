# ===- run-warp.py - A warp's products, computed lane by lane -----------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: fa-opt ... | run-warp.py
#
# Reads a function @dots of two products, S = Q K^T + C and O = P V + D with Q, K
# and V in SRAM and P, C and D in registers, after convert-fagpu-to-nvvm: straight
# code with ldmatrix, loads and m16n8k8. Runs it for the lanes of the second warp of
# a block, with the layouts of fragments from the PTX ISA (9.7.14.5), and compares
# with NumPy on rounded operands. Tiles begin at 0, 16384 and 32768 and have the
# swizzle of docs/Levels.md.
#
# ===-------------------------------------------------------------------------===#

import re
import sys

import numpy as np

LANES, ROWS, KEYS, DIM, DIM_V = 32, 32, 16, 40, 48
WARP = 1
lane = np.arange(LANES)
g, t = lane // 4, lane % 4


def round_to_tf32(values):
    bits = values.astype("<f4").view("<u4")
    return ((bits + 0x1000) & 0xFFFFE000).astype("<u4").view("<f4")


def store(sram, base, tile):
    """Chunks of 32 columns; unit u of row r of a chunk at unit u xor (r mod 8)."""
    rows, columns = tile.shape
    for r in range(rows):
        for c in range(columns):
            chunk, unit = c // 32, c % 32 // 4
            byte = base + chunk * rows * 128 + r * 128 + (unit ^ r % 8) * 16 + c % 4 * 4
            sram[byte // 4] = tile[r, c]


def multiply(a, b, c):
    """m16n8k8 of one warp on fragments [register][lane]."""
    A, B = np.zeros((16, 8), "f4"), np.zeros((8, 8), "f4")
    for i, (row, column) in enumerate(((g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4))):
        A[row, column] = a[i].view("<f4")
    for i, row in enumerate((t, t + 4)):
        B[row, g] = b[i].view("<f4")
    # Operands that were not rounded would be cut.
    assert not (A.view("<u4") & 0x1FFF).any() and not (B.view("<u4") & 0x1FFF).any()
    D = A.astype("f8") @ B
    places = ((g, 2 * t), (g, 2 * t + 1), (g + 8, 2 * t), (g + 8, 2 * t + 1))
    return [(c[i] + D[place]).astype("<f4") for i, place in enumerate(places)]


def fragment(matrix):
    """The registers of 16 rows, as accumulators lie."""
    values = []
    for block in range(matrix.shape[1] // 8):
        for down in (0, 8):
            for right in (0, 1):
                values.append(matrix[g + down, 8 * block + 2 * t + right])
    return values


def run(text, arguments, sram):
    values = dict(arguments)
    names = lambda piece: [values[name] for name in re.findall(r"%\w+(?:\[\d+\])?", piece)]
    integer = {"addi": np.add, "muli": np.multiply, "divui": np.floor_divide, "remui": np.remainder,
               "xori": np.bitwise_xor}  # fmt: skip
    for line in text.splitlines():
        match = re.match(r"\s*(%\w+) = ([\w.]+)(.*)", line)
        if not match:
            if re.match(r"\s*return", line):
                return names(line.split(":")[0])
            continue
        result, op, rest = match[1], match[2], match[3]
        operands = lambda: names(rest.split(" : ")[0])
        if op == "arith.constant":
            values[result] = np.full(LANES, int(rest.split()[0]))
        elif op.startswith("arith."):
            values[result] = integer[op[6:]](*operands())
        elif op == "llvm.mlir.addressof":
            values[result] = np.zeros(LANES, int)
        elif op == "nvvm.read.ptx.sreg.tid.x":
            values[result] = lane + LANES * WARP
        elif op in ("llvm.ptrtoint", "llvm.inttoptr"):
            values[result] = operands()[0]
        elif op == "llvm.bitcast":
            values[result] = operands()[0].view("<f4")
        elif op == "llvm.load":
            values[result] = sram[operands()[0] // 4]
        elif op == "nvvm.ldmatrix":
            address, number = operands()[0], int(re.search(r"num = (\d+)", rest)[1])
            assert not (address % 16).any() and "layout<row>" in rest
            # Lane l gives row l mod 8 of matrix l / 8 and gets 4 bytes of row l / 4.
            values[result] = [sram[address[8 * m + g] // 4 + t].view("<i4") for m in range(number)]
        elif op in ("llvm.extractvalue", "vector.extract"):
            source, index = re.match(r" (%\w+)\[(\d+)\]", rest).groups()
            values[result] = values[source][int(index)]
        elif op == "nvvm.convert.float.to.tf32":
            assert "<rna>" in rest
            values[result] = round_to_tf32(operands()[0]).view("<i4")
        elif op == "nvvm.mma.sync":
            assert "mma_type<tf32>" in rest and "m = 16, n = 8, k = 8" in rest
            a, b, c = (names(piece) for piece in re.findall(r"\[([^\]]*)\]", rest)[:3])
            values[result] = multiply(a, b, c)
        elif op == "vector.from_elements":
            values[result] = operands()
        else:
            sys.exit(f"run-warp.py: unknown op {op}")


def main():
    random = np.random.default_rng(0)
    q, k, v, p, c, d = (
        random.normal(size=shape).astype("f4")
        for shape in ((ROWS, DIM), (KEYS, DIM), (KEYS, DIM_V), (16, KEYS), (16, KEYS), (16, DIM_V))
    )
    sram = np.full(65536 // 4, np.nan, "f4")
    for base, tile in ((0, q), (16384, k), (32768, v)):
        store(sram, base, tile)
    arguments = {f"%arg{n}": fragment(matrix) for n, matrix in enumerate((c, p, d))}
    text = sys.stdin.read()
    results = run(text[text.index("@dots") :], arguments, sram)
    own = q[16 * WARP : 16 * (WARP + 1)]
    r = lambda x: round_to_tf32(x).astype("f8")
    for name, actual, expected in (("S", results[0], r(own) @ r(k).T + c), ("O", results[1], r(p) @ r(v) + d)):
        error = max(np.abs(a - e).max() for a, e in zip(actual, fragment(expected)))
        print(f"{'PASS' if error < 1e-5 else 'FAIL'} {name}: error {error:.2g}")


main()
