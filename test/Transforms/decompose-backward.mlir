// RUN: fa-opt %s --fa-decompose -split-input-file | FileCheck %s
// RUN: fa-opt %s --pass-pipeline='builtin.module(fa-bufferize, func.func(fa-decompose))' -split-input-file \
// RUN:   | FileCheck %s --check-prefix=MEMREF

// The steps of the gradient, in order. Sums are f32; P and dS are rounded before
// their products, P is not in dS.

// CHECK-LABEL: func.func @steps
// CHECK-SAME: (%[[Q:[^:]*]]: {{[^%]*}}%[[K:[^:]*]]: {{[^%]*}}%[[V:[^:]*]]: {{[^%]*}}%[[O:[^:]*]]: {{[^%]*}}%[[dO:[^:]*]]: {{[^%]*}}%[[LSE:[^:]*]]: {{[^%]*}}%[[dLSE:[^:]*]]: {{[^%]*}}%[[dQ:[^:]*]]: {{[^%]*}}%[[dK:[^:]*]]: {{[^%]*}}%[[dV:[^:]*]]: {{[^%]*}})

// X = Q K^T
// CHECK: %[[X:.*]] = linalg.generic {{.*}} ins(%[[Q]], %[[K]] :

// S = score(scale * X), -inf where masked; and the derivative at scale * X.
// CHECK: %[[S:.*]]:2 = linalg.generic {{.*}} outs(%[[X]],
// CHECK:   %[[SCALED:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK:   math.exp %[[SCALED]]
// CHECK:   %[[MASKED:.*]] = arith.select
// CHECK:   %[[SCALED:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK:   %[[SLOPE:.*]] = math.exp2 %[[SCALED]]
// CHECK:   linalg.yield %[[MASKED]], %[[SLOPE]]

// P = exp(S - LSE), with 0 for an LSE of -inf; exact, and rounded.
// CHECK: %[[P:.*]]:2 = linalg.generic {{.*}} ins(%[[S]]#0, %[[LSE]] :
// CHECK:   %[[FINITE:.*]] = arith.select
// CHECK:   %[[DIFFERENCE:.*]] = arith.subf %{{.*}}, %[[FINITE]] : f32
// CHECK:   %[[PROB:.*]] = math.exp %[[DIFFERENCE]] : f32
// CHECK:   %[[ROUNDED:.*]] = arith.truncf %[[PROB]] : f32 to f16
// CHECK:   linalg.yield %[[PROB]], %[[ROUNDED]]

// delta = sum dO O - dLSE
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[dO]], %[[O]] :
// CHECK: %[[DELTA:.*]] = linalg.generic {{.*}} ins(%[[dLSE]] : {{.*}}) outs(%[[SUM]] :
// CHECK:   arith.subf

// dP = dO V^T
// CHECK: %[[dP:.*]] = linalg.generic {{.*}} ins(%[[dO]], %[[V]] :

// dS, 0 where S = -inf
// CHECK: %[[dS:.*]] = linalg.generic {{.*}} ins(%[[S]]#0, %[[P]]#0, %[[dP]], %[[DELTA]], %[[S]]#1 :
// CHECK-NEXT: ^bb0(%[[SCORE:.*]]: f32, %[[PROB:.*]]: f32, %[[GRAD:.*]]: f32, %[[D:.*]]: f32, %[[SLOPE:.*]]: f32, %{{.*}}: f16):
// CHECK:   %[[CENTRED:.*]] = arith.subf %[[GRAD]], %[[D]] : f32
// CHECK:   %[[WEIGHTED:.*]] = arith.mulf %[[PROB]], %[[CENTRED]] : f32
// CHECK:   %[[CHAINED:.*]] = arith.mulf %[[WEIGHTED]], %[[SLOPE]] : f32
// CHECK:   %[[HIDDEN:.*]] = arith.cmpf oeq, %[[SCORE]], %{{.*}} : f32
// CHECK:   %[[CHOSEN:.*]] = arith.select %[[HIDDEN]], %{{.*}}, %[[CHAINED]] : f32
// CHECK:   arith.truncf %[[CHOSEN]] : f32 to f16

// dQ = scale * dS K
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%[[dS]], %[[K]] :
// CHECK: %[[R0:.*]] = linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[dQ]] :

// dK = scale * dS^T Q, for each query head, and then summed over those of a
// key/value head
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%[[dS]], %[[Q]] :
// CHECK: %[[B:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel"]}
// CHECK:   tensor.extract %[[A]]
// CHECK: %[[R1:.*]] = linalg.generic {{.*}} ins(%[[B]] : {{.*}}) outs(%[[dK]] :

// dV = P^T dO
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%[[P]]#1, %[[dO]] :
// CHECK: %[[B:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel"]}
// CHECK:   tensor.extract %[[A]]
// CHECK: %[[R2:.*]] = linalg.generic {{.*}} ins(%[[B]] : {{.*}}) outs(%[[dV]] :
// CHECK: return %[[R0]], %[[R1]], %[[R2]]

// MEMREF-LABEL: func.func @steps
// MEMREF-COUNT-14: memref.alloc
// MEMREF-NOT: memref.alloc
// MEMREF-COUNT-14: memref.dealloc
// MEMREF: return
func.func @steps(%Q: tensor<?x4x?x16xf16>, %K: tensor<?x2x?x16xf16>, %V: tensor<?x2x?x8xf16>, %O: tensor<?x4x?x8xf16>,
                 %dO: tensor<?x4x?x8xf16>, %LSE: tensor<?x4x?xf32>, %dLSE: tensor<?x4x?xf32>,
                 %dQ: tensor<?x4x?x16xf16>, %dK: tensor<?x2x?x16xf16>, %dV: tensor<?x2x?x8xf16>)
    -> (tensor<?x4x?x16xf16>, tensor<?x2x?x16xf16>, tensor<?x2x?x8xf16>) {
  %r:3 = fa.attention_backward
      ins(%Q, %K, %V, %O, %dO, %LSE, %dLSE : tensor<?x4x?x16xf16>, tensor<?x2x?x16xf16>, tensor<?x2x?x8xf16>,
          tensor<?x4x?x8xf16>, tensor<?x4x?x8xf16>, tensor<?x4x?xf32>, tensor<?x4x?xf32>)
      outs(%dQ, %dK, %dV : tensor<?x4x?x16xf16>, tensor<?x2x?x16xf16>, tensor<?x2x?x8xf16>)
      mask = #fa.mask<causal> scale = 0.5
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.exp %s : f32
        fa.yield %t : f32
      }
      derivative {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.exp2 %s : f32
        fa.yield %t : f32
      }
      -> tensor<?x4x?x16xf16>, tensor<?x2x?x16xf16>, tensor<?x2x?x8xf16>
  return %r#0, %r#1, %r#2 : tensor<?x4x?x16xf16>, tensor<?x2x?x16xf16>, tensor<?x2x?x8xf16>
}

// -----

// In f32 there is one P; without a region no derivative, without dLSE no step
// for it.

// CHECK-LABEL: func.func @plain
// CHECK-NOT: :2 = linalg.generic
// CHECK-NOT: arith.truncf
// CHECK-COUNT-14: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @plain(%Q: tensor<1x2x8x16xf32>, %K: tensor<1x2x4x16xf32>, %L: tensor<1x2x8xf32>)
    -> (tensor<1x2x8x16xf32>, tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>) {
  %r:3 = fa.attention_backward
      ins(%Q, %K, %K, %Q, %Q, %L : tensor<1x2x8x16xf32>, tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>,
          tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8xf32>)
      outs(%Q, %K, %K : tensor<1x2x8x16xf32>, tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>)
      -> tensor<1x2x8x16xf32>, tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>
  return %r#0, %r#1, %r#2 : tensor<1x2x8x16xf32>, tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>
}
