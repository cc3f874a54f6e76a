// RUN: fa-opt %S/Inputs/attention.mlir --fa-lower-to-cpu='stop-after=naive br=16 bc=16 mr=4 nr=8' | FileCheck %s

// Memrefs; S and P are whole matrices, allocated and freed.

// CHECK: func.func @f(%[[Q:[^:]*]]: memref<?x?x?x16xf32, strided<[?, ?, ?, 1], offset: ?>>, %[[K:[^:]*]]: memref<{{[^>]*>}}>,
// CHECK-SAME: %[[V:[^:]*]]: memref<{{[^>]*>}}>, %[[O:[^:]*]]: memref<{{[^>]*>}}>, %[[LSE:[^:]*]]: memref<?x?x?xf32, {{[^>]*>}}>) {
// CHECK: %[[S:.*]] = memref.alloc(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : memref<?x?x?x?xf32>
// S = Q K^T, then scale and mask.
// CHECK: linalg.generic {{.*}} ins(%[[Q]] : {{.*}}) outs(%[[S]] :
// CHECK: linalg.generic {{.*}} outs(%[[S]] :
// CHECK:   arith.select
// m = max S, P = exp(S - m), l = sum P
// CHECK: %[[M:.*]] = memref.alloc
// CHECK: linalg.generic {{.*}} ins(%[[S]] : {{.*}}) outs(%[[M]] :
// CHECK: %[[P:.*]] = memref.alloc(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : memref<?x?x?x?xf32>
// CHECK: %[[L:.*]] = memref.alloc
// CHECK: linalg.generic {{.*}} ins(%[[S]], %[[M]] : {{.*}}) outs(%[[P]], %[[L]] :
// O = P V / l, LSE = m + log l
// CHECK: linalg.generic {{.*}} ins(%[[P]] : {{.*}}) outs(%[[SUM:.*]] :
// CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[L]] : {{.*}}) outs(%[[O]] :
// CHECK: linalg.generic {{.*}} ins(%[[M]], %[[L]] : {{.*}}) outs(%[[LSE]] :
// CHECK-DAG: memref.dealloc %[[S]]
// CHECK-DAG: memref.dealloc %[[P]]
// CHECK: return{{$}}
