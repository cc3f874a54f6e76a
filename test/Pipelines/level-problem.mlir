// RUN: fa-opt %S/Inputs/attention.mlir --fa-lower-to-cpu='stop-after=problem br=16 bc=16 mr=4 nr=8' | FileCheck %s

// As the user wrote it.

// CHECK: func.func @f(%[[Q:[^:]*]]: tensor<?x?x?x16xf32>, %[[K:[^:]*]]: tensor<?x?x?x16xf32>, %[[V:[^:]*]]: tensor<?x?x?x16xf32>,
// CHECK-SAME: %[[O:[^:]*]]: tensor<?x?x?x16xf32>, %[[LSE:[^:]*]]: tensor<?x?x?xf32>) -> (tensor<?x?x?x16xf32>, tensor<?x?x?xf32>)
// CHECK-NEXT: %[[R:.*]]:2 = fa.attention ins(%[[Q]], %[[K]], %[[V]] :
// CHECK-SAME: outs(%[[O]], %[[LSE]] :
// CHECK-SAME: mask = <causal>
// CHECK-NOT: schedule
// CHECK: return %[[R]]#0, %[[R]]#1
