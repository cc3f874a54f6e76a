// RUN: fa-opt %s --fa-plan-sram | FileCheck %s

// Tiles one after the other, in chunks of 128 bytes a row: 64 columns of 16 bits
// are one chunk, 72 are two. Offsets are multiples of 1024.

// CHECK-LABEL: func.func @offsets
func.func @offsets(%n: index) {
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // 2 stages of 48 rows.
    // CHECK: fagpu.alloc offset = 0 : !fagpu.ring<2, memref<48x64xbf16
    %0 = fagpu.alloc : !fagpu.ring<2, memref<48x64xbf16, #fagpu.sram<swizzle = 128>>>
    // 4 rows: half a kilobyte.
    // CHECK: fagpu.alloc offset = 12288 : memref<4x64xbf16
    %1 = fagpu.alloc : memref<4x64xbf16, #fagpu.sram<swizzle = 128>>
    // 3 stages of 16 rows, 2 chunks.
    // CHECK: fagpu.alloc offset = 13312 : !fagpu.ring<3, memref<16x72xbf16
    %2 = fagpu.alloc : !fagpu.ring<3, memref<16x72xbf16, #fagpu.sram<swizzle = 128>>>
    // What was planned before is planned anew.
    // CHECK: fagpu.alloc offset = 25600 : memref<16x8xbf16
    %3 = fagpu.alloc offset = 1024 : memref<16x8xbf16, #fagpu.sram<swizzle = 128>>
  // CHECK: fagpu.sram_bytes = 27648 : i64
  } {fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// On sm_90a each stage has two barriers of 8 bytes, after the tiles.
// CHECK-LABEL: func.func @barriers
func.func @barriers(%n: index) {
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: fagpu.alloc offset = 0
    // CHECK: fagpu.alloc offset = 16384
    // CHECK: fagpu.alloc offset = 40960
    %0 = fagpu.alloc : !fagpu.ring<1, memref<128x64xbf16, #fagpu.sram<swizzle = 128>>>
    %1 = fagpu.alloc : !fagpu.ring<3, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>
    %2 = fagpu.alloc : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
  // 40960 + 8192 + 16 * (1 + 3)
  // CHECK: fagpu.sram_bytes = 49216 : i64
  } {fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// Narrow chunks take what their columns need, and each stage begins at a multiple of
// 1024: 112 rows of 64 + 16 columns are 17920 bytes, 18 KiB.
// CHECK-LABEL: func.func @narrow
func.func @narrow(%n: index) {
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    // CHECK: fagpu.alloc offset = 0
    // CHECK: fagpu.alloc offset = 36864
    // CHECK: fagpu.alloc offset = 73728
    %0 = fagpu.alloc : !fagpu.ring<2, memref<112x80xbf16, #fagpu.sram<swizzle = 128, tail = 32>>>
    %1 = fagpu.alloc : !fagpu.ring<2, memref<112x80xbf16, #fagpu.sram<swizzle = 32>>>
    %2 = fagpu.alloc : memref<64x96xbf16, #fagpu.sram<swizzle = 64>>
  // CHECK: fagpu.sram_bytes = 86016 : i64
  } {fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// As much as there is.
// CHECK-LABEL: func.func @just_fits
// CHECK: fagpu.sram_bytes = 8192 : i64
func.func @just_fits(%n: index) {
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %0 = fagpu.alloc : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
  } {fa.target = #fa.target<"sm_80", sram = 8192>}
  return
}

// Loops that are not for a target are not planned.
// CHECK-LABEL: func.func @no_target
// CHECK: fagpu.alloc : memref
// CHECK-NOT: fagpu.sram_bytes
func.func @no_target(%n: index) {
  scf.forall (%i) in (%n) {
    %0 = fagpu.alloc : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
  }
  return
}
