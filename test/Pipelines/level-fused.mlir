// RUN: fa-opt %S/Inputs/attention.mlir --fa-lower-to-cpu='stop-after=fused br=16 bc=16 mr=4 nr=8' | FileCheck %s

// One pass over the keys: l, O and m are carried by the loops.

// CHECK: scf.forall
// CHECK-NOT: vector.multi_reduction
// CHECK: %[[EDGE:.*]]:3 = scf.for {{.*}} iter_args(%[[L:.*]] = %{{.*}}, %[[O:.*]] = %{{.*}}, %[[M:.*]] = %{{.*}}) -> (vector<16xf32>, vector<16x16xf32>, vector<16xf32>) {
// CHECK:   %[[S:.*]] = fa.scores
// CHECK:   %[[MASKED:.*]] = arith.select %{{.*}}, %[[S]], %{{.*}}
// CHECK:   %[[P:.*]], %[[M1:.*]], %[[L1:.*]], %[[ALPHA:.*]] = fa.online_softmax %[[MASKED]], %[[M]], %[[L]] scale 2.500000e-01
// CHECK:   %[[O1:.*]] = fa.accumulate %[[P]], %{{.*}}, %[[O]] rescale %[[ALPHA]]
// CHECK:   scf.yield %[[L1]], %[[O1]], %[[M1]]
// CHECK: %[[FULL:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %[[EDGE]]#0, %{{.*}} = %[[EDGE]]#1, %{{.*}} = %[[EDGE]]#2)
// CHECK:   %[[S:.*]] = fa.scores
// CHECK:   fa.online_softmax %[[S]],
// CHECK: fa.finish %[[FULL]]#1, %[[FULL]]#2, %[[FULL]]#0
// CHECK-NOT: scf.for
// CHECK: } {fa.schedule
