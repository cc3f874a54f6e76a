// RUN: fa-opt %s --fa-insert-barriers --split-input-file | FileCheck %s

#s = #fagpu.sram<swizzle = 128>
!tile = memref<16x16xbf16, #s>
!ring = !fagpu.ring<2, memref<16x16xbf16, #s>>
!view = memref<16x16xbf16, strided<[?, 1], offset: ?>>

// What has landed is read only after a barrier, and one is enough for two reads.
// CHECK-LABEL: func @landed
func.func @landed(%src: !view) {
  scf.forall (%b) in (1) {
    // CHECK:      fagpu.copy_async
    // CHECK-NEXT: nvvm.cp.async.commit.group
    // CHECK-NEXT: nvvm.cp.async.wait.group 0
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: fa.scores
    // CHECK-NEXT: fa.scores
    // CHECK-NOT:  gpu.barrier
    %q = fagpu.alloc : !tile
    fagpu.copy_async %src to %q : !view, !tile
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    %s = fa.scores %q, %q : !tile, !tile -> vector<16x16xf32>
    %t = fa.scores %q, %q : !tile, !tile -> vector<16x16xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16>}
  return
}

// -----

#s = #fagpu.sram<swizzle = 128>
!tile = memref<16x16xbf16, #s>
!ring = !fagpu.ring<2, memref<16x16xbf16, #s>>
!view = memref<16x16xbf16, strided<[?, 1], offset: ?>>

// In the loop one barrier a tile, before the branch that copies: it stands
// between the reads of the last iteration and the copy, and between the wait and
// the reads. Before the loop nothing has been read: no barrier.
// CHECK-LABEL: func @pipeline
func.func @pipeline(%src: !view, %q: !tile, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b) in (1) {
    // CHECK:      fagpu.alloc
    // CHECK-NOT:  gpu.barrier
    // CHECK:      scf.for
    // CHECK-NEXT:   nvvm.cp.async.wait.group 0
    // CHECK:        gpu.barrier
    // CHECK-NEXT:   scf.if
    // CHECK-NOT:    gpu.barrier
    // CHECK:        fa.scores
    // CHECK:      }
    // CHECK:      gpu.barrier
    // CHECK-NEXT: fagpu.copy_async
    %ring = fagpu.alloc : !ring
    %first = fagpu.slot %ring[%c0] : !ring
    fagpu.copy_async %src to %first : !view, !tile
    nvvm.cp.async.commit.group
    scf.for %t = %c0 to %n step %c1 {
      nvvm.cp.async.wait.group 0
      %u = arith.addi %t, %c1 : index
      %more = arith.cmpi slt, %u, %n : index
      scf.if %more {
        %next = fagpu.slot %ring[%u] : !ring
        fagpu.copy_async %src to %next : !view, !tile
      }
      nvvm.cp.async.commit.group
      %k = fagpu.slot %ring[%t] : !ring
      %s = fa.scores %q, %k : !tile, !tile -> vector<16x16xf32>
    }
    // The last reads may still be going on.
    fagpu.copy_async %src to %first : !view, !tile
  } {fa.schedule = #fa.schedule<br = 16, bc = 16>}
  return
}

// -----

#s = #fagpu.sram<swizzle = 128>
!tile = memref<16x16xbf16, #s>
!view = memref<16x16xbf16, strided<[?, 1], offset: ?>>

// Another tile may be copied while one is read.
// CHECK-LABEL: func @other_tile
func.func @other_tile(%src: !view) {
  scf.forall (%b) in (1) {
    // CHECK-NOT: gpu.barrier
    %q = fagpu.alloc : !tile
    %k = fagpu.alloc : !tile
    %s = fa.scores %q, %q : !tile, !tile -> vector<16x16xf32>
    fagpu.copy_async %src to %k : !view, !tile
  } {fa.schedule = #fa.schedule<br = 16, bc = 16>}
  return
}
