// RUN: fa-opt %s --fa-ping-pong | FileCheck %s

!q = memref<64x64xf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
!S = vector<64x16xf32>
!P = vector<64x16xf16>
!O = vector<64x64xf32>

// The turn covers a visit's products. A visit that is skipped takes one too, and
// the last group passes the first turn to group 0. The producer, loops over
// other things and products outside of loops have none.

// CHECK-LABEL: func.func @turns
// CHECK: fagpu.specialize
// CHECK-NOT: turn
// CHECK: } consumer {
// CHECK-NEXT: %[[LAST:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[G:.*]] = fagpu.group_id
// CHECK-NEXT: %[[ISLAST:.*]] = arith.cmpi eq, %[[G]], %[[LAST]]
// CHECK-NEXT: scf.if %[[ISLAST]] {
// CHECK-NEXT:   fagpu.pass_turn
// CHECK-NEXT: }
// CHECK-NEXT: scf.for
// CHECK-NEXT:   fagpu.acquire
// CHECK-NEXT:   fagpu.release
// CHECK-NEXT:   fagpu.await_turn
// CHECK-NEXT:   fagpu.pass_turn
// CHECK-NEXT: }
// CHECK-NEXT: scf.for
// CHECK-NEXT:   fagpu.acquire
// CHECK-NEXT:   fagpu.await_turn
// CHECK-NEXT:   fa.scores
// CHECK-NEXT:   fagpu.acquire
// CHECK-NEXT:   fa.accumulate
// CHECK-NEXT:   fagpu.pass_turn
// CHECK-NEXT:   fagpu.release
// CHECK-NEXT:   fagpu.release
// CHECK-NEXT:   scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: scf.for
// CHECK-NOT: turn
// CHECK: return
func.func @turns(%q: !q, %p: !P, %o0: !O, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    fagpu.specialize groups = 3 registers = (32, 160) producer {
      scf.for %t = %c0 to %n step %c1 {
      }
    } consumer {
      scf.for %t = %c0 to %i step %c1 {
        %k = fagpu.acquire %kring[%t] : !ring
        fagpu.release %kring[%t] : !ring
      }
      %r = scf.for %t = %i to %n step %c1 iter_args(%o = %o0) -> !O {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
        %v = fagpu.acquire %vring[%t] : !ring
        %o1 = fa.accumulate %p, %v, %o : !P, !k, !O
        fagpu.release %kring[%t] : !ring
        fagpu.release %vring[%t] : !ring
        scf.yield %o1 : !O
      }
      scf.for %t = %c0 to %n step %c1 {
      }
      %v = fagpu.acquire %vring[%n] : !ring
      %o2 = fa.accumulate %p, %v, %r : !P, !k, !O
    }
  } {fa.schedule = #fa.schedule<br = 192, bc = 16, groups = 3, warps = 4, stages = 2, pingpong = true>}
  return
}

// CHECK-LABEL: func.func @not_asked_for
// CHECK-NOT: turn
// CHECK: return
func.func @not_asked_for(%q: !q, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !ring
    fagpu.specialize groups = 2 registers = (24, 240) producer {
    } consumer {
      scf.for %t = %c0 to %n step %c1 {
        %k = fagpu.acquire %kring[%t] : !ring
        %S = fa.scores %q, %k : !q, !k -> !S
      }
    }
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4, stages = 2>}
  return
}
