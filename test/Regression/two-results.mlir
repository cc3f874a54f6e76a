// RUN: fa-run %s --target=cpu --seq-q=5
// RUN: not fa-run %s --target=cpu --seq-q=5 --check 2>&1 | FileCheck %s

// The reference took each result of an op with two as 0.

// CHECK: fa-run: error: the reference does not know the op 'math.sincos' of the region
func.func @f(%Q: tensor<?x?x?x16xf32>, %K: tensor<?x?x?x16xf32>, %V: tensor<?x?x?x16xf32>,
             %O: tensor<?x?x?x16xf32>, %LSE: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x16xf32>, tensor<?x?x?xf32>) {
  %r:2 = fa.attention
      ins(%Q, %K, %V : tensor<?x?x?x16xf32>, tensor<?x?x?x16xf32>, tensor<?x?x?x16xf32>)
      outs(%O, %LSE : tensor<?x?x?x16xf32>, tensor<?x?x?xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %sin, %cos = math.sincos %s : f32
        %y = arith.addf %sin, %cos : f32
        fa.yield %y : f32
      } -> tensor<?x?x?x16xf32>, tensor<?x?x?xf32>
  return %r#0, %r#1 : tensor<?x?x?x16xf32>, tensor<?x?x?xf32>
}
