// RUN: fa-opt %s --fa-pipeline-copies --split-input-file | FileCheck %s

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>
!q = memref<16x64xf16, #fagpu.sram<swizzle = 128>>
!ring = !fagpu.ring<2, memref<32x64xf16, #fagpu.sram<swizzle = 128>>>

// Two stages: the copies of tile t + 1 begin when tile t is waited for; none of
// those before it is left, so that the wait is for all. Barriers are the matter of
// fa-insert-barriers.

// CHECK-LABEL: func.func @two_stages
func.func @two_stages(%Q: memref<?x64xf16, #tile>, %K: memref<?x?x?x64xf16, #global>,
                      %V: memref<?x?x?x64xf16, #global>, %n: index, %lo: index, %hi: index) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: %[[KRING:.*]] = fagpu.alloc
    // CHECK: %[[VRING:.*]] = fagpu.alloc
    %kring = fagpu.alloc : !ring
    %vring = fagpu.alloc : !ring
    // Q's copy is committed first.
    // CHECK: %[[QTILE:.*]] = fagpu.alloc
    // CHECK-NEXT: fagpu.copy_async %{{.*}} to %[[QTILE]]
    // CHECK-NEXT: nvvm.cp.async.commit.group
    %q = fagpu.alloc : !q
    fagpu.copy %Q to %q : memref<?x64xf16, #tile>, !q

    // The first tile, where there is one. The commit is for all threads alike.
    // CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
    // CHECK-NEXT: %[[FIRST:.*]] = arith.addi %[[LO:.*]], %[[ZERO]]
    // CHECK-NEXT: %[[SOME:.*]] = arith.cmpi slt, %[[FIRST]], %[[HI:.*]] : index
    // CHECK-NEXT: scf.if %[[SOME]] {
    // CHECK-NEXT:   %[[ROW0:.*]] = arith.muli %[[FIRST]], %c32
    // CHECK-NEXT:   %[[K0:.*]] = memref.subview {{.*}}%[[ROW0]], 0] [1, 1, 32, 64]
    // CHECK-NEXT:   %[[KSLOT0:.*]] = fagpu.slot %[[KRING]][%[[FIRST]]]
    // CHECK-NEXT:   fagpu.copy_async %[[K0]] to %[[KSLOT0]]
    // CHECK-NEXT:   %[[V0:.*]] = memref.subview {{.*}}%[[ROW0]], 0] [1, 1, 32, 64]
    // CHECK-NEXT:   %[[VSLOT0:.*]] = fagpu.slot %[[VRING]][%[[FIRST]]]
    // CHECK-NEXT:   fagpu.copy_async %[[V0]] to %[[VSLOT0]]
    // CHECK-NEXT: }
    // CHECK-NEXT: nvvm.cp.async.commit.group
    // CHECK-NEXT: scf.for %[[T:.*]] = %[[LO]] to %[[HI]]
    // CHECK-NEXT:   nvvm.cp.async.wait.group 0
    // CHECK-NEXT:   %[[ONE:.*]] = arith.constant 1 : index
    // CHECK-NEXT:   %[[NEXT:.*]] = arith.addi %[[T]], %[[ONE]]
    // CHECK-NEXT:   %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %[[HI]]
    // CHECK-NEXT:   scf.if %[[MORE]] {
    // CHECK:          fagpu.slot %[[KRING]][%[[NEXT]]]
    // CHECK:          fagpu.slot %[[VRING]][%[[NEXT]]]
    // CHECK:        }
    // CHECK-NEXT:   nvvm.cp.async.commit.group
    // CHECK-NOT:    nvvm.cp
    // CHECK:        %[[KT:.*]] = fagpu.slot %[[KRING]][%[[T]]]
    // CHECK:        fa.scores %[[QTILE]], %[[KT]]
    // CHECK:        %[[VT:.*]] = fagpu.slot %[[VRING]][%[[T]]]
    // CHECK:        fa.scores %[[QTILE]], %[[VT]]
    // CHECK-NOT:  fagpu.fill
    // CHECK:      }
    scf.for %t = %lo to %hi step %c1 {
      %row = arith.muli %t, %c32 : index
      %Kt = memref.subview %K[%b, %h, %row, 0] [1, 1, 32, 64] [1, 1, 1, 1]
          : memref<?x?x?x64xf16, #global> to memref<32x64xf16, #tile>
      %k = fagpu.fill %kring[%t] from %Kt : !ring, memref<32x64xf16, #tile>
      %S = fa.scores %q, %k : !q, memref<32x64xf16, #fagpu.sram<swizzle = 128>> -> vector<16x32xf32>
      %Vt = memref.subview %V[%b, %h, %row, 0] [1, 1, 32, 64] [1, 1, 1, 1]
          : memref<?x?x?x64xf16, #global> to memref<32x64xf16, #tile>
      %v = fagpu.fill %vring[%t] from %Vt : !ring, memref<32x64xf16, #tile>
      %S2 = fa.scores %q, %v : !q, memref<32x64xf16, #fagpu.sram<swizzle = 128>> -> vector<16x32xf32>
    }
    // The second loop begins anew.
    // CHECK:      nvvm.cp.async.commit.group
    // CHECK-NEXT: scf.for
    scf.for %t = %lo to %hi step %c1 {
      %Kt = memref.subview %K[%b, %h, %t, 0] [1, 1, 32, 64] [1, 1, 1, 1]
          : memref<?x?x?x64xf16, #global> to memref<32x64xf16, #tile>
      %k = fagpu.fill %kring[%t] from %Kt : !ring, memref<32x64xf16, #tile>
    }
  } {fa.schedule = #fa.schedule<br = 16, bc = 32, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

// Four stages: three tiles are under way before the loop, and two commits may be
// left when a tile is used.

// CHECK-LABEL: func.func @four_stages
// CHECK-COUNT-3: nvvm.cp.async.commit.group
// CHECK-NOT: nvvm.cp.async.commit.group
// CHECK: scf.for %[[T:.*]] = %
// CHECK-NEXT: nvvm.cp.async.wait.group 2
// CHECK-NEXT: %[[THREE:.*]] = arith.constant 3 : index
// CHECK-NEXT: arith.addi %[[T]], %[[THREE]]
func.func @four_stages(%K: memref<?x?x?x64xf16, #global>, %n: index, %lo: index, %hi: index) {
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !fagpu.ring<4, memref<32x64xf16, #fagpu.sram<swizzle = 128>>>
    scf.for %t = %lo to %hi step %c1 {
      %Kt = memref.subview %K[%b, %h, %t, 0] [1, 1, 32, 64] [1, 1, 1, 1]
          : memref<?x?x?x64xf16, #global> to memref<32x64xf16, #tile>
      %k = fagpu.fill %kring[%t] from %Kt : !fagpu.ring<4, memref<32x64xf16, #fagpu.sram<swizzle = 128>>>, memref<32x64xf16, #tile>
    }
  } {fa.schedule = #fa.schedule<br = 16, bc = 32, stages = 4>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

// One stage and one ring: nothing runs ahead.

// CHECK-LABEL: func.func @one_stage
// CHECK: scf.for %[[T:.*]] = %
// CHECK: fagpu.slot %{{.*}}[%[[T]]]
// CHECK: fagpu.copy_async
// CHECK: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NOT: gpu.barrier
func.func @one_stage(%K: memref<?x?x?x64xf16, #global>, %n: index, %lo: index, %hi: index) {
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !fagpu.ring<1, memref<32x64xf16, #fagpu.sram<swizzle = 128>>>
    scf.for %t = %lo to %hi step %c1 {
      %Kt = memref.subview %K[%b, %h, %t, 0] [1, 1, 32, 64] [1, 1, 1, 1]
          : memref<?x?x?x64xf16, #global> to memref<32x64xf16, #tile>
      %k = fagpu.fill %kring[%t] from %Kt : !fagpu.ring<1, memref<32x64xf16, #fagpu.sram<swizzle = 128>>>, memref<32x64xf16, #tile>
    }
  } {fa.schedule = #fa.schedule<br = 16, bc = 32, stages = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>
!k = memref<32x64xf16, #fagpu.sram<swizzle = 128>>

// One stage and two rings: V of this tile is copied while K is read, K of the next
// one after that. Rows are as aligned as the target says.

// CHECK-LABEL: func.func @alternate
func.func @alternate(%q: !k, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
                     %n: index, %lo: index, %hi: index) {
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: %[[KRING:.*]] = fagpu.alloc
    // CHECK: %[[VRING:.*]] = fagpu.alloc
    %kring = fagpu.alloc : !fagpu.ring<1, !k>
    %vring = fagpu.alloc : !fagpu.ring<1, !k>
    // CHECK: scf.if
    // CHECK:   fagpu.slot %[[KRING]][%[[LO:.*]]]
    // CHECK:   fagpu.copy_async {{.*}} align = 4
    // CHECK: }
    // CHECK-NEXT: nvvm.cp.async.commit.group
    // CHECK-NEXT: scf.for %[[T:.*]] = %[[LO]] to %[[HI:.*]] step
    // CHECK-NEXT:   nvvm.cp.async.wait.group 0
    // CHECK-NEXT:   memref.subview %{{.*}}[{{.*}}, %[[T]], 0]
    // CHECK-NEXT:   %[[VT:.*]] = fagpu.slot %[[VRING]][%[[T]]]
    // CHECK-NEXT:   fagpu.copy_async %{{.*}} to %[[VT]] align = 4
    // CHECK-NEXT:   nvvm.cp.async.commit.group
    // CHECK:        %[[KT:.*]] = fagpu.slot %[[KRING]][%[[T]]]
    // CHECK-NEXT:   fa.scores %{{.*}}, %[[KT]]
    // CHECK-NEXT:   nvvm.cp.async.wait.group 0
    // CHECK:        %[[NEXT:.*]] = arith.addi %[[T]], %{{.*}}
    // CHECK-NEXT:   %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %[[HI]]
    // CHECK-NEXT:   scf.if %[[MORE]] {
    // CHECK:          fagpu.slot %[[KRING]][%[[NEXT]]]
    // CHECK:        }
    // CHECK-NEXT:   nvvm.cp.async.commit.group
    // CHECK:        fagpu.slot %[[VRING]][%[[T]]]
    // CHECK-NEXT:   fa.scores
    // CHECK-NOT:    nvvm.cp
    // CHECK:      }
    scf.for %t = %lo to %hi step %c1 {
      %Kt = memref.subview %K[%b, %h, %t, 0] [1, 1, 32, 64] [1, 1, 1, 1]
          : memref<?x?x?x64xf16, #global> to memref<32x64xf16, #tile>
      %k = fagpu.fill %kring[%t] from %Kt : !fagpu.ring<1, !k>, memref<32x64xf16, #tile>
      %s = fa.scores %q, %k : !k, !k -> vector<32x32xf32>
      %Vt = memref.subview %V[%b, %h, %t, 0] [1, 1, 32, 64] [1, 1, 1, 1]
          : memref<?x?x?x64xf16, #global> to memref<32x64xf16, #tile>
      %v = fagpu.fill %vring[%t] from %Vt : !fagpu.ring<1, !k>, memref<32x64xf16, #tile>
      %s2 = fa.scores %q, %v : !k, !k -> vector<32x32xf32>
    }
  } {fa.schedule = #fa.schedule<br = 32, bc = 32, stages = 1>, fa.target = #fa.target<"sm_80", sram = 166912, align = 4>}
  return
}

// -----

#tile = strided<[64, 1], offset: ?>
!k = memref<32x64xf16, #fagpu.sram<swizzle = 128>>

// Tiles of a static length are in no loop: V is under way while K is waited for. The
// second K has the stage of the first one, and is copied when that has been read.

// CHECK-LABEL: func.func @straight
func.func @straight(%q: !k, %K: memref<2x3x64x64xf16>, %V: memref<2x3x64x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (2, 3, 1) {
    // CHECK: %[[KRING:.*]] = fagpu.alloc
    // CHECK: %[[VRING:.*]] = fagpu.alloc
    // CHECK: %[[K0:.*]] = fagpu.slot %[[KRING]]
    // CHECK-NEXT: fagpu.copy_async %{{.*}} to %[[K0]]
    // CHECK-NEXT: nvvm.cp.async.commit.group
    // CHECK: %[[V0:.*]] = fagpu.slot %[[VRING]]
    // CHECK-NEXT: fagpu.copy_async %{{.*}} to %[[V0]]
    // CHECK-NEXT: nvvm.cp.async.commit.group
    // CHECK-NEXT: nvvm.cp.async.wait.group 1
    // CHECK: fa.scores
    // CHECK: nvvm.cp.async.wait.group 0
    // CHECK: fa.scores
    // CHECK: %[[K1:.*]] = fagpu.slot %[[KRING]]
    // CHECK-NEXT: fagpu.copy_async %{{.*}} to %[[K1]]
    // CHECK-NEXT: nvvm.cp.async.commit.group
    // CHECK-NEXT: nvvm.cp.async.wait.group 0
    // CHECK: fa.scores
    // CHECK-NOT: fagpu.copy_async
    %kring = fagpu.alloc : !fagpu.ring<1, !k>
    %vring = fagpu.alloc : !fagpu.ring<1, !k>
    %K0 = memref.subview %K[%b, %h, 0, 0] [1, 1, 32, 64] [1, 1, 1, 1] : memref<2x3x64x64xf16> to memref<32x64xf16, #tile>
    %V0 = memref.subview %V[%b, %h, 0, 0] [1, 1, 32, 64] [1, 1, 1, 1] : memref<2x3x64x64xf16> to memref<32x64xf16, #tile>
    %k0 = fagpu.fill %kring[%c0] from %K0 : !fagpu.ring<1, !k>, memref<32x64xf16, #tile>
    %s0 = fa.scores %q, %k0 : !k, !k -> vector<32x32xf32>
    %v0 = fagpu.fill %vring[%c0] from %V0 : !fagpu.ring<1, !k>, memref<32x64xf16, #tile>
    %s1 = fa.scores %v0, %k0 : !k, !k -> vector<32x32xf32>
    %K1 = memref.subview %K[%b, %h, 32, 0] [1, 1, 32, 64] [1, 1, 1, 1] : memref<2x3x64x64xf16> to memref<32x64xf16, #tile>
    %k1 = fagpu.fill %kring[%c1] from %K1 : !fagpu.ring<1, !k>, memref<32x64xf16, #tile>
    %s2 = fa.scores %q, %k1 : !k, !k -> vector<32x32xf32>
  } {fa.schedule = #fa.schedule<br = 32, bc = 32, stages = 1>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}
