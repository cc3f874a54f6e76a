// RUN: fa-opt %s --fa-fuse-online-softmax | FileCheck %s
// RUN: fa-opt %s --fa-fuse-online-softmax --fa-fuse-online-softmax | FileCheck %s

!S = vector<4x8xf32>
!R = vector<4xf32>
!O = vector<4x16xf32>
!M = memref<8x16xf32>

// Edge and full tiles: two loops to find m, two that use it. m is carried from
// loop to loop, and what was summed with an older m is rescaled by alpha.

// CHECK-LABEL: func.func @two_loops
// CHECK-SAME: (%[[Q:[^:]*]]: memref<{{[^>]*}}>, %[[K:[^:]*]]: memref<{{[^>]*}}>, %[[N:[^:]*]]: index, %[[N1:.*]]: index)
// CHECK-DAG: %[[M_INIT:.*]] = arith.constant dense<0xFF800000> : vector<4xf32>
// CHECK-DAG: %[[L_INIT:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-DAG: %[[O_INIT:.*]] = arith.constant dense<0.000000e+00> : vector<4x16xf32>
// CHECK-NOT: vector.multi_reduction
// CHECK: %[[EDGE:.*]]:3 = scf.for %{{.*}} = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[L:.*]] = %[[L_INIT]], %[[O:.*]] = %[[O_INIT]], %[[M:.*]] = %[[M_INIT]])
// CHECK-NEXT:   %[[S:.*]] = fa.scores %[[Q]], %[[K]]
// CHECK-NEXT:   %[[P:.*]], %[[M1:.*]], %[[L1:.*]], %[[ALPHA:.*]] = fa.online_softmax %[[S]], %[[M]], %[[L]] scale 5.000000e-01
// CHECK-NEXT:   %[[O1:.*]] = fa.accumulate %[[P]], %[[K]], %[[O]] rescale %[[ALPHA]]
// CHECK-NEXT:   scf.yield %[[L1]], %[[O1]], %[[M1]]
// CHECK: %[[FULL:.*]]:3 = scf.for %{{.*}} = %[[N]] to %[[N1]] step %{{.*}} iter_args(%[[L:.*]] = %[[EDGE]]#0, %[[O:.*]] = %[[EDGE]]#1, %[[M:.*]] = %[[EDGE]]#2)
// CHECK-NEXT:   %[[S:.*]] = fa.scores %[[Q]], %[[K]] scale 2.000000e+00
// CHECK-NEXT:   %[[P:.*]], %[[M1:.*]], %[[L1:.*]], %[[ALPHA:.*]] = fa.online_softmax %[[S]], %[[M]], %[[L]] scale 5.000000e-01
// CHECK-NEXT:   %[[O1:.*]] = fa.accumulate %[[P]], %[[K]], %[[O]] rescale %[[ALPHA]]
// CHECK-NEXT:   scf.yield %[[L1]], %[[O1]], %[[M1]]
// CHECK: fa.finish %[[FULL]]#1, %[[FULL]]#2, %[[FULL]]#0
func.func @two_loops(%Q: memref<4x16xf32>, %K: !M, %n: index, %n1: index) -> (!O, !R) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %inf = arith.constant dense<0xFF800000> : !R
  %l = arith.constant dense<0.0> : !R
  %o = arith.constant dense<0.0> : !O
  %m_edge = scf.for %j = %c0 to %n step %c1 iter_args(%m = %inf) -> (!R) {
    %S = fa.scores %Q, %K : memref<4x16xf32>, !M -> !S
    %m1 = vector.multi_reduction <maxnumf>, %S, %m [1] : !S to !R
    scf.yield %m1 : !R
  }
  %max = scf.for %j = %n to %n1 step %c1 iter_args(%m = %m_edge) -> (!R) {
    %S = fa.scores %Q, %K scale 2.0 : memref<4x16xf32>, !M -> !S
    %m1 = vector.multi_reduction <maxnumf>, %S, %m [1] : !S to !R
    scf.yield %m1 : !R
  }
  %edge:2 = scf.for %j = %c0 to %n step %c1 iter_args(%l0 = %l, %o0 = %o) -> (!R, !O) {
    %S = fa.scores %Q, %K : memref<4x16xf32>, !M -> !S
    %P, %l1 = fa.softmax %S, %max, %l0 scale 0.5 : !S, !R -> !S
    %o1 = fa.accumulate %P, %K, %o0 : !S, !M, !O
    scf.yield %l1, %o1 : !R, !O
  }
  %full:2 = scf.for %j = %n to %n1 step %c1 iter_args(%l0 = %edge#0, %o0 = %edge#1) -> (!R, !O) {
    %S = fa.scores %Q, %K scale 2.0 : memref<4x16xf32>, !M -> !S
    %P, %l1 = fa.softmax %S, %max, %l0 scale 0.5 : !S, !R -> !S
    %o1 = fa.accumulate %P, %K, %o0 : !S, !M, !O
    scf.yield %l1, %o1 : !R, !O
  }
  %out, %lse = fa.finish %full#1, %max, %full#0 scale 0.5 : !O, !R
  return %out, %lse : !O, !R
}

// Loops that ran once and were taken apart: the scores may be one value or two
// that are computed alike.

// CHECK-LABEL: func.func @unrolled
// CHECK-SAME: (%[[Q:[^:]*]]: memref<{{[^>]*}}>, %[[K:[^:]*]]: memref<{{[^>]*}}>)
// CHECK-DAG: %[[M_INIT:.*]] = arith.constant dense<0xFF800000> : vector<4xf32>
// CHECK-DAG: %[[L_INIT:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-DAG: %[[O_INIT:.*]] = arith.constant dense<0.000000e+00> : vector<4x16xf32>
// CHECK-NOT: vector.multi_reduction
// CHECK: %[[S:.*]] = fa.scores %[[Q]], %[[K]] :
// CHECK: %[[P:.*]], %[[M1:.*]], %[[L1:.*]], %[[ALPHA:.*]] = fa.online_softmax %[[S]], %[[M_INIT]], %[[L_INIT]] :
// CHECK: %[[O1:.*]] = fa.accumulate %[[P]], %[[K]], %[[O_INIT]] rescale %[[ALPHA]]
// CHECK: %[[S2:.*]] = fa.scores %[[Q]], %[[K]] scale 2.0
// CHECK: %[[P2:.*]], %[[M2:.*]], %[[L2:.*]], %[[ALPHA2:.*]] = fa.online_softmax %[[S2]], %[[M1]], %[[L1]] :
// CHECK: %[[O2:.*]] = fa.accumulate %[[P2]], %[[K]], %[[O1]] rescale %[[ALPHA2]]
// CHECK: fa.finish %[[O2]], %[[M2]], %[[L2]]
func.func @unrolled(%Q: memref<4x16xf32>, %K: !M) -> (!O, !R) {
  %inf = arith.constant dense<0xFF800000> : !R
  %l = arith.constant dense<0.0> : !R
  %o = arith.constant dense<0.0> : !O
  %S = fa.scores %Q, %K : memref<4x16xf32>, !M -> !S
  %m = vector.multi_reduction <maxnumf>, %S, %inf [1] : !S to !R
  %S1 = fa.scores %Q, %K scale 2.0 : memref<4x16xf32>, !M -> !S
  %max = vector.multi_reduction <maxnumf>, %S1, %m [1] : !S to !R
  %P, %l1 = fa.softmax %S, %max, %l : !S, !R -> !S
  %o1 = fa.accumulate %P, %K, %o : !S, !M, !O
  %S2 = fa.scores %Q, %K scale 2.0 : memref<4x16xf32>, !M -> !S
  %P2, %l2 = fa.softmax %S2, %max, %l1 : !S, !R -> !S
  %o2 = fa.accumulate %P2, %K, %o1 : !S, !M, !O
  %out, %lse = fa.finish %o2, %max, %l2 : !O, !R
  return %out, %lse : !O, !R
}

// A tile alone and then a loop; V in two halves, one of which begins in the
// loop.

// CHECK-LABEL: func.func @mixed
// CHECK: %{{.*}}, %[[M1:.*]], %[[L1:.*]], %[[A1:.*]] = fa.online_softmax
// CHECK: %[[O1:.*]] = fa.accumulate {{.*}} rescale %[[A1]]
// CHECK: %[[ALL:.*]]:4 = scf.for {{.*}} iter_args(%[[L:.*]] = %[[L1]], %[[OA:.*]] = %[[O1]], %[[OB:.*]] = %{{.*}}, %[[M:.*]] = %[[M1]])
// CHECK:   %[[P:.*]], %[[M2:.*]], %[[L2:.*]], %[[A2:.*]] = fa.online_softmax %{{.*}}, %[[M]], %[[L]]
// CHECK-DAG: %[[OA1:.*]] = fa.accumulate %[[P]], %{{.*}}, %[[OA]] rescale %[[A2]]
// CHECK-DAG: %[[OB1:.*]] = fa.accumulate %[[P]], %{{.*}}, %[[OB]] rescale %[[A2]]
// CHECK:   scf.yield %[[L2]], %[[OA1]], %[[OB1]], %[[M2]]
// CHECK: fa.finish %[[ALL]]#1, %[[ALL]]#3, %[[ALL]]#0
// CHECK: fa.finish %[[ALL]]#2, %[[ALL]]#3, %[[ALL]]#0
func.func @mixed(%Q: memref<4x16xf32>, %K: memref<?x8x16xf32>, %n: index) -> (!O, !O) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %inf = arith.constant dense<0xFF800000> : !R
  %l = arith.constant dense<0.0> : !R
  %o = arith.constant dense<0.0> : !O
  %K0 = memref.subview %K[0, 0, 0] [1, 8, 16] [1, 1, 1] : memref<?x8x16xf32> to !M
  %S = fa.scores %Q, %K0 : memref<4x16xf32>, !M -> !S
  %m0 = vector.multi_reduction <maxnumf>, %S, %inf [1] : !S to !R
  %max = scf.for %j = %c1 to %n step %c1 iter_args(%m = %m0) -> (!R) {
    %Kj = memref.subview %K[%j, 0, 0] [1, 8, 16] [1, 1, 1] : memref<?x8x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
    %Sj = fa.scores %Q, %Kj : memref<4x16xf32>, memref<8x16xf32, strided<[16, 1], offset: ?>> -> !S
    %double = arith.addf %Sj, %Sj : !S
    %m1 = vector.multi_reduction <maxnumf>, %double, %m [1] : !S to !R
    scf.yield %m1 : !R
  }
  %P, %l1 = fa.softmax %S, %max, %l : !S, !R -> !S
  %o1 = fa.accumulate %P, %K0, %o : !S, !M, !O
  %r:3 = scf.for %j = %c1 to %n step %c1 iter_args(%l0 = %l1, %a0 = %o1, %b0 = %o) -> (!R, !O, !O) {
    %Kj = memref.subview %K[%j, 0, 0] [1, 8, 16] [1, 1, 1] : memref<?x8x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
    %Sj = fa.scores %Q, %Kj : memref<4x16xf32>, memref<8x16xf32, strided<[16, 1], offset: ?>> -> !S
    %double = arith.addf %Sj, %Sj : !S
    %Pj, %l2 = fa.softmax %double, %max, %l0 : !S, !R -> !S
    %a1 = fa.accumulate %Pj, %K0, %a0 : !S, !M, !O
    %b1 = fa.accumulate %Pj, %Kj, %b0 : !S, memref<8x16xf32, strided<[16, 1], offset: ?>>, !O
    scf.yield %l2, %a1, %b1 : !R, !O, !O
  }
  %a, %lse = fa.finish %r#1, %max, %r#0 : !O, !R
  %b, %lse2 = fa.finish %r#2, %max, %r#0 : !O, !R
  return %a, %b : !O, !O
}
