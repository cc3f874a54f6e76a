// RUN: fa-opt %S/Inputs/attention.mlir --fa-lower-to-cpu='stop-after=vector br=16 bc=16 mr=4 nr=8' | FileCheck %s

// The softmax is code on tiles: 0.360673755 is scale / ln 2. Only the products
// are ops of fa.

// CHECK-NOT: fa.{{softmax|online_softmax|finish}}
// CHECK-DAG: %[[C:.*]] = arith.constant dense<0.360673755> : vector<16x16xf32>
// CHECK-DAG: %[[MINUS_C:.*]] = arith.constant dense<-0.360673755> : vector<16xf32>
// CHECK: scf.forall
// CHECK: scf.for
// CHECK:   fa.scores
// CHECK:   %[[M1:.*]] = vector.multi_reduction <maxnumf>
// CHECK:   arith.mulf %{{.*}}, %[[MINUS_C]]
// CHECK:   %[[ALPHA:.*]] = math.exp2 %{{.*}} : vector<16xf32>
// CHECK:   math.fma %{{.*}}, %[[C]], %{{.*}} : vector<16x16xf32>
// CHECK:   %[[P:.*]] = math.exp2 %{{.*}} : vector<16x16xf32>
// CHECK:   %[[L1:.*]] = vector.multi_reduction <add>, %[[P]],
// CHECK:   %[[O1:.*]] = fa.accumulate %[[P]], %{{.*}}, %{{.*}} rescale %[[ALPHA]]
// CHECK:   scf.yield %[[L1]], %[[O1]], %[[M1]]
// CHECK: scf.for
// CHECK: arith.divf {{.*}} : vector<16xf32>
// CHECK: math.log {{.*}} : vector<16xf32>
// CHECK-NOT: fa.{{softmax|online_softmax|finish}}
// CHECK: return
