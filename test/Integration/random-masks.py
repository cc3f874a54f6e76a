# ===- random-masks.py - Random where regions --------------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: random-masks.py <seed> <count> <folder> [gpu]
#
# Writes <folder>/suite.json for `fa-run --suite`: masks of random comparisons of
# random sums, quotients and minima of queries, keys, numbers and tables, some of
# which the compiler can bound, with tiles small enough for many of them: the
# smallest on the CPU, or on any GPU.
#
# ===-------------------------------------------------------------------------===#

import json
import pathlib
import random
import sys

import numpy as np

MODULE = """
func.func @f(%Q: {T}, %K: {T}, %V: {T}, %O: {T}, %LSE: {L}, %w: index, %t: tensor<?xi64>) -> ({T}, {L}) {{
  %r:2 = fa.attention ins(%Q, %K, %V : {T}, {T}, {T}) outs(%O, %LSE : {T}, {L}) {mask}
      where {{
      ^bb0(%b: index, %h: index, %i: index, %j: index):
{body}
        fa.yield {result} : i1
      }} -> {T}, {L}
  return %r#0, %r#1 : {T}, {L}
}}
"""
LENGTHS = {"cpu": ((37, 41), (50, 13), (5, 70)), "gpu": ((137, 141), (150, 83), (70, 230))}
TILES = {"cpu": {"br": 8, "bc": 8}, "gpu": {"br": 64, "bc": 16, "warps": 4, "groups": 1}}
DTYPES = {"cpu": "f32", "gpu": "f16"}
PREDICATES = "slt sle sgt sge sle sge eq ne ult ule ugt uge".split()


class Region:
    """The text of a condition of i, j and what is the same for all of them."""

    def __init__(self, rng):
        self.rng, self.lines = rng, []
        self.result = self.condition(rng.choice((0, 1, 2, 3)))

    def add(self, text):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"        {name} = {text}")
        return name

    def same(self):
        kind = self.rng.randrange(5)
        if kind < 3:
            return ("%w", "%h", "%b")[kind]
        if kind == 3:
            return self.add(f"arith.index_cast {self.add('tensor.extract %t[%b] : tensor<?xi64>')} : i64 to index")
        return self.constant(-7, -1, 0, 1, 3, 8, 20, 31, 32, 33)

    def constant(self, *values):
        return self.add(f"arith.constant {self.rng.choice(values)} : index")

    def number(self, depth, with_key):
        kind = self.rng.randrange(8)
        if depth == 0 or kind <= 1:
            return self.rng.choice(["%i"] + ["%j"] * with_key) if self.rng.random() < 0.7 else self.same()
        one = self.number(depth - 1, with_key)
        if kind <= 4:
            op = self.rng.choice(("addi", "subi") if kind <= 3 else ("minsi", "maxsi"))
            return self.add(f"arith.{op} {one}, {self.number(depth - 1, False)} : index")
        if kind == 5:
            op = self.rng.choice("divsi floordivsi ceildivsi divui muli remui".split())
            value = self.rng.choice(("%i", "%j", one) if with_key else ("%i", one))
            return self.add(f"arith.{op} {value}, {self.constant(1, 2, 5, 8, 16)} : index")
        if kind == 6:
            return self.add(f"arith.index_cast {self.add(f'arith.index_cast {one} : index to i64')} : i64 to index")
        return self.add(f"arith.{self.rng.choice(('addi', 'subi'))} {self.same()}, {one} : index")

    def condition(self, depth):
        kind = self.rng.randrange(9)
        if depth == 0 or kind <= 2:
            one = self.number(self.rng.choice((0, 1, 1, 2)), True)
            other = self.number(self.rng.choice((0, 1)), self.rng.random() < 0.3)
            if self.rng.random() < 0.1:
                one, other = self.same(), self.same()
            return self.add(f"arith.cmpi {self.rng.choice(PREDICATES)}, {one}, {other} : index")
        one, other = self.condition(depth - 1), self.condition(depth - 1)
        if kind == 8:
            return self.add(f"arith.select {self.condition(0)}, {one}, {other} : i1")
        if kind == 7 and self.rng.random() < 0.5:
            other = self.add("arith.constant true")
        op = "andi" if kind <= 4 else "ori" if kind <= 6 else "xori"
        return self.add(f"arith.{op} {one}, {other} : i1")


def main():
    seed, count, folder = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
    where = sys.argv[4] if len(sys.argv) > 4 else "cpu"
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "table.npy", np.array([5, -3, 40]))
    rng, suite = random.Random(seed), []
    for number in range(count):
        region = Region(rng)
        text = MODULE.format(
            T=f"tensor<?x?x?x8x{DTYPES[where]}>", L="tensor<?x?x?xf32>", result=region.result,
            mask=rng.choice(("", "", "mask = #fa.mask<causal>")), body="\n".join(region.lines),
        )  # fmt: skip
        path = folder / f"mask-{number}.mlir"
        path.write_text(text)
        for queries, keys in LENGTHS[where]:
            arguments = [f"5:{rng.choice((6, 0, -4, 100))}", f"6:{folder / 'table.npy'}"]
            suite.append(
                {"name": f"mask {number}, {queries} x {keys}", "input": str(path), "arg": arguments, "batch": 3,
                 "heads": 2, "seq-q": queries, "seq-kv": keys} | TILES[where]
            )  # fmt: skip
    (folder / "suite.json").write_text(json.dumps(suite, indent=1))


main()
