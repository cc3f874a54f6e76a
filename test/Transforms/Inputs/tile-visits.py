# ===- tile-visits.py - Which key tiles the loops of fa-tile visit -----------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: tile-visits.py MASK LEFT RIGHT SCHEDULE
#
# Tiles an attention op with #fa.mask<MASK>, whose bounds are LEFT and RIGHT (or
# none), or with a where region of keys up to the query for MASK = where, and
# evaluates the bounds of the loops and the numbers of the tiles in
# that IR for many lengths. Each row group of each query tile has to visit
#
#   no tile twice, and each tile of which one of its rows sees a key;
#   in the loop without a mask only tiles of which all its rows see all keys;
#   with `overlap` at least one edge tile;
#   at one counter the same tile as the other groups of its block, since they
#   share them, and no counter before the first.
#
# ===-------------------------------------------------------------------------===#

import re
import subprocess
import sys

MASK, LEFT, RIGHT, SCHEDULE = sys.argv[1:]
LEFT, RIGHT = (None if x == "none" else int(x) for x in (LEFT, RIGHT))
OVERLAP = "overlap = true" in SCHEDULE
IS_REGION = MASK == "where"
SEEN = f"mask = #fa.mask<{MASK}>" if not IS_REGION else """where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %seen = arith.cmpi sle, %j, %i : index
        fa.yield %seen : i1
      }"""
SOURCE = f"""
!Q = memref<?x?x?x64xf16>
!LSE = memref<?x?x?xf32>
func.func @f(%Q: !Q, %K: !Q, %V: !Q, %O: !Q, %LSE: !LSE) {{
  fa.attention ins(%Q, %K, %V : !Q, !Q, !Q) outs(%O, %LSE : !Q, !LSE)
      {SEEN} {{schedule = #fa.schedule<{SCHEDULE}>,
      target = #fa.target<"sm_90a", sram = 200000>}}
  return
}}
"""
OPS = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "divui": lambda a, b: a // b,
    "ceildivui": lambda a, b: -(-a // b),
    "minsi": min,
    "maxsi": max,
    "maxui": max,
}
IR = subprocess.run(["fa-opt", "--fa-tile", "--canonicalize", "--cse"],
                    input=SOURCE, text=True, capture_output=True,
                    check=True).stdout.splitlines()


class Nest:
    """What a row group does, for lengths `sq` and `sk`."""

    def __init__(self, sq, sk, tile, group):
        self.values = {}
        self.lines = iter(IR)
        self.visits = []  # (tile, is_edge)
        self.tiles = {}  # by counter
        sizes = {"%arg0": (1, 1, sq), "%arg1": (1, 1, sk)}
        places = {"block": ("0", "0", str(tile)), "group": (str(group), )}
        for line in self.lines:
            line = line.strip()
            if match := re.match(r"(%\S+) = memref.dim (%\S+), (%\S+) :", line):
                name, tensor, axis = match.groups()
                self.values[name] = sizes[tensor][self.values[axis]]
            elif match := re.match(r"scf.forall \((.*)\) in", line):
                names = match[1].split(", ")
                place = places["block" if len(names) == 3 else "group"]
                self.values.update(zip(names, map(int, place)))
            elif match := re.match(
                    r"%\S+ = scf.for (%\S+) = (%\S+) to (%\S+) step", line):
                self.loop(*match.groups())
                if len(self.bounds) == 2:  # the second pass is the same
                    return
            else:
                self.compute(line)

    def compute(self, line):
        if match := re.match(r"(%\S+) = arith.constant (\S+) : index", line):
            self.values[match[1]] = int(match[2])
        elif match := re.match(
                r"(%\S+) = arith.(\w+) (%\S+), (%\S+) : index", line):
            name, op, a, b = match.groups()
            self.values[name] = OPS[op](self.values[a], self.values[b])
        elif match := re.match(r"(%\S+) = arith.cmpi slt, (%\S+), (%\S+) : index",
                               line):
            name, a, b = match.groups()
            self.values[name] = self.values[a] < self.values[b]
        elif match := re.match(
                r"(%\S+) = arith.select (%\S+), (%\S+), (%\S+) : index", line):
            name, test, a, b = match.groups()
            self.values[name] = self.values[a if self.values[test] else b]

    bounds = ()

    def loop(self, counter, begin, end):
        body = []
        for line in self.lines:
            if line.strip().startswith("scf.yield"):
                break
            body.append(line.strip())
        is_edge = not self.bounds
        begin, end = self.values[begin], self.values[end]
        self.bounds += ((begin, end), )
        for t in range(begin, end):
            self.values[counter] = t
            for line in body:
                self.compute(line)
                if match := re.match(
                        r"%\S+ = memref.subview %arg1\[%\S+, %\S+, (%\S+), 0\]",
                        line):
                    self.visits.append((self.values[match[1]], is_edge))
                    self.tiles[t] = self.values[match[1]]


def check(br, bc, groups, sq, sk, tile, group, shared):
    nest = Nest(sq, sk, tile, group)
    rows = range(tile * br + group * br // groups,
                 min(sq, tile * br + (group + 1) * br // groups))
    seen = [key0 for key0, _ in nest.visits]
    where = f"{MASK} Sq = {sq} Sk = {sk} tile = {tile} group = {group}"
    if len(set(seen)) != len(seen):
        raise SystemExit(f"{where}: visited twice: {seen}")
    for t, key0 in nest.tiles.items():
        if t < 0 or shared.setdefault(t, key0) != key0:
            raise SystemExit(f"{where}: {key0} at counter {t}: {shared}")
    for row in rows:
        place = row + (0 if IS_REGION else sk - sq)
        first = max(0, place - LEFT) if LEFT is not None else 0
        last = min(sk - 1, place + RIGHT) if RIGHT is not None else sk - 1
        for key0 in range(0, sk, bc):
            keys = (key0, min(key0 + bc, sk) - 1)
            if first <= keys[1] and keys[0] <= last and key0 not in seen:
                raise SystemExit(f"{where}: row {row} misses {key0}: {seen}")
        for key0, is_edge in nest.visits:
            if not is_edge and not (first <= key0 and key0 + bc - 1 <= last):
                raise SystemExit(f"{where}: {key0} needs a mask in row {row}")
    if OVERLAP and not any(is_edge for _, is_edge in nest.visits):
        raise SystemExit(f"{where}: no edge tile")
    return len(seen)


def main():
    fields = dict(f.split(" = ") for f in SCHEDULE.split(", "))
    br, bc, groups = (int(fields.get(f, 1)) for f in ("br", "bc", "groups"))
    lengths = (0, 1, 31, 32, 64, 100, 128, 200, 257)
    visits, cases = 0, 0
    for sq in lengths[1:]:
        for sk in lengths:
            for tile in range(-(-sq // br)):
                shared = {}
                for group in range(groups):
                    visits += check(br, bc, groups, sq, sk, tile, group, shared)
                    cases += 1
    print(f"{cases} row groups, {visits} visits")


main()
