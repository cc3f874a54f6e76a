// RUN: fa-opt %s --fa-lazy-rescale | FileCheck %s

!S = vector<64x16xf32>
!P = vector<64x16xf16>
!stats = vector<64xf32>

// The maximum may lag by 2^8, and what stays behind the softmax is rarely needed.

// CHECK-LABEL: func.func @lazy
// CHECK: fa.online_softmax %{{.*}}, %{{.*}}, %{{.*}} scale 5.000000e-01 lazy 8.000000e+00 :
// CHECK: fa.rescale %{{.*}} by %{{.*}} rarely :
func.func @lazy(%S: !S, %m: !stats, %l: !stats, %n: index) {
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l scale 0.5 : !S, !stats -> !P
    %O = fa.rescale %S by %alpha : !S, !stats
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, overlap = true, lazy = true>}
  return
}

// An fa.accumulate that rescales by itself stays; its softmax may be lazy.

// CHECK-LABEL: func.func @not_overlapped
// CHECK: fa.online_softmax %{{.*}} lazy 8.000000e+00 :
// CHECK: fa.accumulate %{{.*}}, %{{.*}}, %{{.*}} rescale %{{.*}} : vector<64x16xf16>
func.func @not_overlapped(%S: !S, %V: memref<16x16xf16>, %m: !stats, %l: !stats, %n: index) {
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
    %O = fa.accumulate %P, %V, %S rescale %alpha : !P, memref<16x16xf16>, !S, !stats
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, lazy = true>}
  return
}

// CHECK-LABEL: func.func @not_asked_for
// CHECK-NOT: lazy 8
// CHECK-NOT: rarely
// CHECK: return
func.func @not_asked_for(%S: !S, %m: !stats, %l: !stats, %n: index) {
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : !S, !stats -> !P
    %O = fa.rescale %S by %alpha : !S, !stats
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4, overlap = true>}
  return
}
