// RUN: fa-opt %s --fa-plan-sram -split-input-file -verify-diagnostics

// A block of sm_86 has 99 KiB.
func.func @sm_86(%n: index) {
  // expected-error @+1 {{expected tiles and barriers of at most 101376 bytes of SRAM but they take 114688}}
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %q = fagpu.alloc : memref<128x192xbf16, #fagpu.sram<swizzle = 128>>
    %k = fagpu.alloc : !fagpu.ring<2, memref<64x256xbf16, #fagpu.sram<swizzle = 128>>>
  } {fa.target = #fa.target<"sm_86", sram = 101376>}
  return
}

// -----

// The tiles fit, but their barriers do not.
func.func @barriers(%n: index) {
  // expected-error @+1 {{expected tiles and barriers of at most 16384 bytes of SRAM but they take 16416}}
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %k = fagpu.alloc : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>
  } {fa.target = #fa.target<"sm_90a", sram = 16384>}
  return
}
