# ===- many-uses.py - A region whose values have many uses --------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints an fa.attention with a score region and a chain of N ops on the score,
# and another on the position, each of which uses the one before it twice.
#
# ===-------------------------------------------------------------------------===#

N = 64
T, L = "tensor<?x?x?x16xf32>", "tensor<?x?x?xf32>"
chain = "".join(
    f"    %s{n + 1} = arith.maximumf %s{n}, %s{n} : f32\n"
    f"    %j{n + 1} = arith.xori %j{n}, %j{n} : i32\n"
    for n in range(N)
)
print(f"""
func.func @f(%Q: {T}, %K: {T}, %V: {T}, %O: {T}, %LSE: {L}) -> ({T}, {L}) {{
  %r:2 = fa.attention ins(%Q, %K, %V : {T}, {T}, {T}) outs(%O, %LSE : {T}, {L})
  score {{
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %s0 = arith.addf %s, %s : f32
    %j0 = arith.index_cast %j : index to i32
{chain}
    %x = arith.sitofp %j{N} : i32 to f32
    %y = arith.addf %x, %s{N} : f32
    fa.yield %y : f32
  }} -> {T}, {L}
  return %r#0, %r#1 : {T}, {L}
}}""")
