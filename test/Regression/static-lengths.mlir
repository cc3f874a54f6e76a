// RUN: fa-run %s --target=cpu --check | FileCheck %s
// RUN: fa-run %s --target=cpu --check --level=nest | FileCheck %s
// RUN: fa-opt %s --fa-lower-to-cpu | FileCheck %s --check-prefix=LLVM

// Lengths that are known and short: the loops over key tiles run once and are
// taken apart before they are fused, and the loops over blocks run once too. The
// nest and its schedule got lost.

// CHECK: 40 of 40 rows against the fp64 reference: PASS
// LLVM: llvm.func @f(
// LLVM-NOT: {{ (fa|scf|vector)\.[a-z]}}
func.func @f(%Q: tensor<1x1x40x16xf32>, %K: tensor<1x1x70x16xf32>, %V: tensor<1x1x70x16xf32>,
             %O: tensor<1x1x40x16xf32>, %LSE: tensor<1x1x40xf32>)
    -> (tensor<1x1x40x16xf32>, tensor<1x1x40xf32>) {
  %r:2 = fa.attention
      ins(%Q, %K, %V : tensor<1x1x40x16xf32>, tensor<1x1x70x16xf32>, tensor<1x1x70x16xf32>)
      outs(%O, %LSE : tensor<1x1x40x16xf32>, tensor<1x1x40xf32>)
      -> tensor<1x1x40x16xf32>, tensor<1x1x40xf32>
  return %r#0, %r#1 : tensor<1x1x40x16xf32>, tensor<1x1x40xf32>
}
