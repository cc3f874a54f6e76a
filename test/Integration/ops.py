# ===- ops.py - Every scalar op that a region may hold ------------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: ops.py <folder> [gpu]
#
# Writes <folder>/suite.json for `fa-run --suite`: score regions that put the
# arith and math ops through the compiler and through the reference's own
# evaluation. Several ops share a region, since a region costs a compilation.
#
# ===-------------------------------------------------------------------------===#

import json
import pathlib
import re
import sys

# Inputs: %s any score, %t in (-1, 1), %h in (-1/2, 1/2), %g at least 1, and the
# integers %m and %n: i32 of both signs.
UNARY = {
    "%s": "arith.negf math.absf math.asinh math.atan math.cbrt math.ceil math.cos math.erf "
    "math.erfc math.floor math.round math.roundeven math.sin math.tanh math.trunc",
    "%t": "math.acos math.asin math.atanh math.cosh math.exp math.exp2 math.expm1 math.sinh math.tan",
    "%g": "math.acosh math.log math.log10 math.log1p math.log2 math.rsqrt math.sqrt",
}
BINARY = {
    "%s, %t": "arith.addf arith.maximumf arith.maxnumf arith.minimumf arith.minnumf "
    "arith.mulf arith.subf math.atan2 math.copysign",
    "%s, %g": "arith.divf arith.remf",
    "%g, %s": "math.powf",
}
INTEGER = (
    "arith.addi arith.andi arith.ceildivsi arith.ceildivui arith.divsi arith.divui "
    "arith.floordivsi arith.maxsi arith.maxui arith.minsi arith.minui arith.muli arith.ori "
    "arith.remsi arith.remui arith.shli arith.shrsi arith.shrui arith.subi arith.xori"
)
FLOAT_TESTS = "oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true false"
INTEGER_TESTS = "eq ne slt sle sgt sge ult ule ugt uge"

# Ops that need text of their own; each defines %y.
OTHERS = """
%y = math.fma %s, %t, %g : f32

%y = math.clampf %s to [%h, %g] : f32

%a = arith.andi %m, %three : i32
%y = math.fpowi %h, %a : f32, i32

%a = arith.truncf %g : f32 to f16
%b = arith.constant -2 : i8
%c = math.fpowi %a, %b : f16, i8
%y = arith.extf %c : f16 to f32

%a = math.ipowi %m, %three : i32
%y = arith.sitofp %a : i32 to f32

%a = math.ipowi %i, %j : index
%b = arith.index_cast %a : index to i8
%y = arith.sitofp %b : i8 to f32

%a = arith.extf %s : f32 to f64
%b = math.erf %a : f64
%c = math.erfc %a : f64
%d = math.cbrt %b : f64
%e = arith.addf %c, %d : f64
%y = arith.truncf %e : f64 to f32

%a = math.absi %m : i32
%y = arith.sitofp %a : i32 to f32

%c = math.isfinite %s : f32
%d = math.isnan %s : f32
%x = arith.select %c, %t, %g : f32
%y = arith.select %d, %h, %x : f32

%a = arith.truncf %s : f32 to f16
%y = arith.extf %a : f16 to f32

%a = arith.truncf %s : f32 to bf16
%y = arith.extf %a : bf16 to f32

%a = arith.extf %s : f32 to f64
%b = arith.mulf %a, %a : f64
%y = arith.truncf %b : f64 to f32

%a = arith.fptosi %s : f32 to i8
%b = arith.extsi %a : i8 to i32
%y = arith.sitofp %b : i32 to f32

%a = arith.fptoui %g : f32 to i16
%b = arith.extui %a : i16 to i64
%c = arith.trunci %b : i64 to i8
%y = arith.uitofp %c : i8 to f32

%a = arith.index_castui %j : index to i8
%b = arith.index_castui %a : i8 to index
%c = arith.index_cast %b : index to i32
%y = arith.sitofp %c : i32 to f32
"""

MODULE = """
func.func @attention(%Q: {T}, %K: {T}, %V: {T}, %O: {T}, %LSE: {L}) -> ({T}, {L}) {{
  %r:2 = fa.attention ins(%Q, %K, %V : {T}, {T}, {T}) outs(%O, %LSE : {T}, {L})
      score {{
      ^bb0(%s: f32, %b0: index, %h0: index, %i: index, %j: index):
        %one = arith.constant 1.0 : f32
        %half = arith.constant 0.5 : f32
        %small = arith.constant 0.01 : f32
        %t = math.tanh %s : f32
        %h = arith.mulf %t, %half : f32
        %square = arith.mulf %s, %s : f32
        %g = arith.addf %square, %one : f32
        %three = arith.constant 3 : i32
        %mask = arith.constant 31 : i32
        %m0 = arith.index_cast %i : index to i32
        %m1 = arith.index_cast %j : index to i32
        %m = arith.subi %m1, %m0 : i32
        %sum0 = arith.constant 0.0 : f32
{body}
        fa.yield %sum{n} : f32
      }} -> {T}, {L}
  return %r#0, %r#1 : {T}, {L}
}}
"""


def snippets():
    """Pieces of text that define %y of type f32."""
    for operand, names in UNARY.items():
        for name in names.split():
            yield f"%y = {name} {operand} : f32"
    for operands, names in BINARY.items():
        for name in names.split():
            yield f"%y = {name} {operands} : f32"
    for name in INTEGER.split():
        yield (
            f"%a = {name} %m, %three : i32\n%b = arith.andi %a, %mask : i32\n"
            "%y = arith.sitofp %b : i32 to f32"
        )
    for kind, operands in (("cmpf", "%s, %h : f32"), ("cmpi", "%m, %three : i32")):
        for name in (FLOAT_TESTS if kind == "cmpf" else INTEGER_TESTS).split():
            yield f"%c = arith.{kind} {name}, {operands}\n%y = arith.select %c, %t, %g : f32"
    yield from OTHERS.strip().split("\n\n")


def main():
    folder = pathlib.Path(sys.argv[1])
    onGPU = sys.argv[2:] == ["gpu"]
    dtype = "f16" if onGPU else "f32"
    folder.mkdir(parents=True, exist_ok=True)
    # A GPU has no functions of f64.
    pieces = [piece for piece in snippets() if not (onGPU and re.search(r"math.* : f64", piece))]
    suite = []
    for begin in range(0, len(pieces), 12):
        body = []
        for n, piece in enumerate(pieces[begin : begin + 12]):
            # Names of a piece get its number; those of the inputs do not.
            for name in "abcdexyz":
                piece = piece.replace(f"%{name} ", f"%{name}_{n} ").replace(
                    f"%{name},", f"%{name}_{n},"
                )
            body.append(piece)
            body.append(f"%w_{n} = arith.mulf %y_{n}, %small : f32")
            body.append(f"%sum{n + 1} = arith.addf %sum{n}, %w_{n} : f32")
        text = MODULE.format(
            T=f"tensor<?x?x?x16x{dtype}>", L="tensor<?x?x?xf32>", body="\n".join(body), n=n + 1
        )
        path = folder / f"ops-{begin}.mlir"
        path.write_text(text)
        suite.append({"name": path.stem, "input": path.name, "seq-q": 70, "seq-kv": 33, "heads": 2})
    (folder / "suite.json").write_text(json.dumps(suite, indent=1))


if __name__ == "__main__":
    main()
