// RUN: fa-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(fa-select-schedule,fa-tile{keys-outside=true}),canonicalize,cse)' | FileCheck %s

// The state of the queries is in memory. A tile of K and V is taken outside of the loop over
// queries, which begins with the first that sees one of its keys.

// CHECK-LABEL: func.func @causal(
// CHECK-SAME: %{{[a-z0-9]+}}: memref<{{[^%]*}}, %[[K:[a-z0-9]+]]: memref<{{[^%]*}}, %[[V:[a-z0-9]+]]: memref<
// CHECK-DAG: memref.alloc(%{{.*}}) : memref<?x?x?x16xf32>
// CHECK-DAG: memref.alloc(%{{.*}}) : memref<?x?x?xf32>
// CHECK: scf.forall
// CHECK: scf.for
// CHECK-COUNT-3: vector.transfer_write
// CHECK: scf.for %[[j:.*]] =
// CHECK: %[[KEY0:.*]] = arith.muli %[[j]]
// CHECK: %[[Kj:.*]] = memref.subview %[[K]][
// CHECK: %[[Vj:.*]] = memref.subview %[[V]][
// CHECK: %[[FIRST:.*]] = arith.subi %[[KEY0]],
// CHECK: %[[SEEN:.*]] = arith.maxsi %[[FIRST]],
// CHECK: %[[TILE:.*]] = arith.divui %[[SEEN]],
// CHECK: %[[BEGIN:.*]] = arith.select %{{.*}}, %[[TILE]],
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to
// CHECK-COUNT-3: vector.transfer_read
// CHECK: fa.scores %{{.*}}, %[[Kj]]
// CHECK: fa.online_softmax
// CHECK: fa.accumulate %{{.*}}, %[[Vj]], %{{.*}} rescale
// CHECK-COUNT-3: vector.transfer_write
// CHECK: scf.for
// CHECK: fa.finish
// CHECK: memref.dealloc
func.func @causal(%Q: memref<?x?x?x16xf32>, %K: memref<?x?x?x16xf32>, %V: memref<?x?x?x16xf32>,
                  %O: memref<?x?x?x16xf32>, %LSE: memref<?x?x?xf32>) {
  fa.attention
      ins(%Q, %K, %V : memref<?x?x?x16xf32>, memref<?x?x?x16xf32>, memref<?x?x?x16xf32>)
      outs(%O, %LSE : memref<?x?x?x16xf32>, memref<?x?x?xf32>)
      mask = #fa.mask<causal>
  return
}
