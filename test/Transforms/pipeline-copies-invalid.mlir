// RUN: fa-opt %s --fa-pipeline-copies --split-input-file -verify-diagnostics

// A copy can be begun ahead of its turn only if its address follows from the
// number of the tile.

#tile = strided<[?, 1], offset: ?>

func.func @address_from_memory(%K: memref<?x64xf16, #tile>, %rows: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
    scf.for %t = %c0 to %n step %c1 {
      // expected-error @+1 {{expected the address of a tile to depend on loop counters only}}
      %row = memref.load %rows[%t] : memref<?xindex>
      %Kt = memref.subview %K[%row, 0] [16, 64] [1, 1] : memref<?x64xf16, #tile> to memref<16x64xf16, #tile>
      %k = fagpu.fill %kring[%t] from %Kt : !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>, memref<16x64xf16, #tile>
    }
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#tile = strided<[?, 1], offset: ?>

func.func @address_from_the_tile_before(%K: memref<?x64xf16, #tile>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %kring = fagpu.alloc : !fagpu.ring<1, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
    // expected-error @+1 {{expected the address of a tile to depend on loop counters only}}
    %last = scf.for %t = %c0 to %n step %c1 iter_args(%row = %c0) -> index {
      %Kt = memref.subview %K[%row, 0] [16, 64] [1, 1] : memref<?x64xf16, #tile> to memref<16x64xf16, #tile>
      %k = fagpu.fill %kring[%t] from %Kt : !fagpu.ring<1, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>, memref<16x64xf16, #tile>
      %next = arith.addi %row, %t : index
      scf.yield %next : index
    }
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}
