# ===- same-ranges.py - Do two nests visit the same key tiles? ---------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: same-ranges.py < nests.mlir
#
# Of each pair of functions @x_mask and @x_where the bounds of all loops over key
# tiles, written out as expressions down to the arguments, have to be equal.
#
# ===-------------------------------------------------------------------------===#

import re
import sys


def bounds(function):
    """The bounds of the loops as expressions."""
    values, loops = {}, []

    def expand(name):
        return values.get(name, name)

    for line in function.splitlines():
        line = line.strip()
        if match := re.match(r"scf\.forall \((.*)\) in", line):
            for number, name in enumerate(match[1].split(", ")):
                values[name] = f"block{number}"
        elif match := re.match(r"(%\w+) = arith\.constant (-?\d+) : index", line):
            values[match[1]] = match[2]
        elif match := re.match(r"(%\w+) = ((?:arith|memref)\.\w+) (.*) : ", line):
            operands = [expand(name) for name in re.findall(r"%\w+", match[3])]
            values[match[1]] = f"{match[2]}({', '.join(operands)})"
        elif match := re.search(r"scf\.for %\w+ = (%\w+) to (%\w+)", line):
            loops.append((expand(match[1]), expand(match[2])))
    return loops


def main():
    functions = {}
    for text in sys.stdin.read().split("func.func @")[1:]:
        functions[text[: text.index("(")]] = bounds(text)
    for name, loops in functions.items():
        if not name.endswith("_mask"):
            continue
        other = functions[name.removesuffix("_mask") + "_where"]
        same = loops == other and len(loops) == 4
        print(f"{'PASS' if same else 'FAIL'} {name}")
        if not same:
            for one, two in zip(loops, other):
                print(f"  {one}\n  {two}")


main()
