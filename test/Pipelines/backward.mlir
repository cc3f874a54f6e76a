// RUN: fa-opt %s --fa-lower-to-cpu='stop-after=nest' | FileCheck %s --check-prefix=NEST
// RUN: fa-opt %s --fa-lower-to-cpu='stop-after=nest' > %t.nest
// RUN: fa-opt %s --fa-lower-to-cpu='stop-after=fused' | diff %t.nest -
// RUN: fa-opt %s --fa-lower-to-cpu='stop-after=vector' | diff %t.nest -
// RUN: fa-opt %s --fa-lower-to-cpu='stop-after=nest backward=two_pass' | FileCheck %s --check-prefix=TWO
// RUN: fa-opt %s --fa-lower-to-cpu='stop-after=nest splits=2' | FileCheck %s --check-prefix=SPLITS
// RUN: fa-opt %s --fa-lower-to-cpu='stop-after=loops' | FileCheck %s --check-prefix=LOOPS
// RUN: fa-opt %s --fa-lower-to-cpu | FileCheck %s --check-prefix=LLVM
// RUN: not fa-opt %s --fa-lower-to-nvvm 2>&1 | FileCheck %s --check-prefix=GPU

// A gradient on tensors, with a score function: its derivative is made first, and
// nothing is left to fuse or to expand after the nest.

// NEST: func.func @f(%{{.*}}: memref<?x?x?x16xf16, strided<[?, ?, ?, 1], offset: ?>>,
// NEST-NOT: fa.attention_backward
// NEST-NOT: math.exp %
// NEST: fa.step = "delta"
// NEST: fa.scores {{.*}} scale 2.500000e-01
// NEST: math.tanh
// NEST: math.exp2
// NEST: fa.scores {{.*}} start
// NEST: fa.accumulate
// NEST: fa.accumulate
// NEST: fa.accumulate {{.*}} transposed
// NEST: {fa.schedule = #fa.schedule<{{.*}}, backward = one_pass, splits = 4>, fa.step = "dkv"
// NEST: fa.step = "dq"

// TWO: fa.step = "delta"
// TWO-NOT: transposed
// TWO: fa.step = "dq"
// TWO-NOT: transposed
// TWO: fa.step = "dkv"

// SPLITS: backward = one_pass, splits = 2>

// LOOPS-NOT: fa.scores
// LOOPS: func.func @f_delta_blocks(
// LOOPS: func.func @f_delta(
// LOOPS: func.func @f_dkv_blocks(
// LOOPS: func.func @f_dkv(
// LOOPS: func.func @f_dq_blocks(
// LOOPS: func.func @f_dq(
// LOOPS: func.func @f_scratch({{.*}}) -> i64 attributes {fa.steps = ["f_delta", "f_dkv", "f_dq"],

// LLVM-NOT: builtin.unrealized_conversion_cast
// LLVM: llvm.func @_mlir_ciface_f_delta_blocks(
// LLVM: llvm.func @_mlir_ciface_f_delta(
// LLVM: llvm.func @_mlir_ciface_f_dkv(
// LLVM: llvm.func @_mlir_ciface_f_dq(
// LLVM: llvm.func @f_scratch({{.*}}) -> i64 attributes {fa.steps = ["f_delta", "f_dkv", "f_dq"]
// LLVM: llvm.func @_mlir_ciface_f_scratch(
// LLVM-NOT: builtin.unrealized_conversion_cast

// GPU: error: 'fa.attention_backward' op expected the target cpu but got sm_80

!M = tensor<?x?x?x16xf16>
func.func @f(%Q: !M, %K: !M, %V: !M, %O: !M, %dO: !M, %LSE: tensor<?x?x?xf32>, %dQ: !M, %dK: !M, %dV: !M) -> (!M, !M, !M) {
  %r:3 = fa.attention_backward ins(%Q, %K, %V, %O, %dO, %LSE : !M, !M, !M, !M, !M, tensor<?x?x?xf32>)
      outs(%dQ, %dK, %dV : !M, !M, !M)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.tanh %s : f32
        fa.yield %t : f32
      } -> !M, !M, !M
  return %r#0, %r#1, %r#2 : !M, !M, !M
}
