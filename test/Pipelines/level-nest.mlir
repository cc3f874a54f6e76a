// RUN: fa-opt %S/Inputs/attention.mlir --fa-lower-to-cpu='stop-after=nest br=16 bc=16 mr=4 nr=8' | FileCheck %s

// Blocks in parallel; in each two passes over the keys, edge tiles and full
// tiles in loops of their own. S and P are tiles.

// CHECK: func.func @f(%{{.*}}: memref<?x?x?x16xf32, strided<[?, ?, ?, 1], offset: ?>>,
// CHECK-NOT: fa.attention
// CHECK: scf.forall
// CHECK: %[[M_EDGE:.*]] = scf.for {{.*}} -> (vector<16xf32>) {
// CHECK:   fa.scores {{.*}} -> vector<16x16xf32>
// CHECK:   arith.select {{.*}} vector<16x16xf32>
// CHECK:   vector.multi_reduction <maxnumf>
// CHECK: %[[M:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[M_EDGE]]) -> (vector<16xf32>) {
// CHECK:   fa.scores
// CHECK:   vector.multi_reduction <maxnumf>
// CHECK: %[[LO_EDGE:.*]]:2 = scf.for {{.*}} -> (vector<16xf32>, vector<16x16xf32>) {
// CHECK:   fa.scores
// CHECK:   arith.select {{.*}} vector<16x16xf32>
// CHECK:   fa.softmax %{{.*}}, %[[M]], %{{.*}} scale 2.500000e-01
// CHECK:   fa.accumulate %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} :
// CHECK: %[[LO:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[LO_EDGE]]#0, %{{.*}} = %[[LO_EDGE]]#1)
// CHECK:   fa.scores
// CHECK:   fa.softmax %{{.*}}, %[[M]],
// CHECK:   fa.accumulate
// CHECK: fa.finish %[[LO]]#1, %[[M]], %[[LO]]#0
// CHECK: vector.transfer_write {{.*}} vector<16x16xf32>
// CHECK: vector.transfer_write {{.*}} vector<16xf32>
// CHECK: } {fa.schedule = #fa.schedule<br = 16, bc = 16, mr = 4, nr = 8>, fa.target = #fa.target<"cpu",
