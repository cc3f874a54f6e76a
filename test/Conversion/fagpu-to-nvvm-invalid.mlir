// RUN: fa-opt %s --convert-fagpu-to-nvvm --split-input-file -verify-diagnostics

// expected-error @+1 {{expected a kernel made by fa-outline-kernel}}
func.func @no_schedule() attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.target = #fa.target<"sm_80", sram = 166912>} {
  return
}

// -----

// expected-error @+1 {{expected a kernel made by fa-outline-kernel}}
func.func @no_arguments() attributes {fa.kernel = {sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  return
}

// -----

func.func @not_planned() attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // expected-error @+1 {{expected an offset; run fa-plan-sram first}}
  %q = fagpu.alloc : memref<16x64xf16, #fagpu.sram<swizzle = 128>>
  return
}

// -----

func.func @ring_from_outside(%ring: !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>, %t: index)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // expected-error @+1 {{expected a ring made by fagpu.alloc}}
  %k = fagpu.slot %ring[%t] : !fagpu.ring<2, memref<16x64xf16, #fagpu.sram<swizzle = 128>>>
  return
}

// -----

func.func @tile_from_outside(%src: memref<16x64xf16>, %q: memref<16x64xf16, #fagpu.sram<swizzle = 128>>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // expected-error @+1 {{expected a tile made by fagpu ops but got 'memref<16x64xf16, #fagpu.sram<swizzle = 128>>'}}
  fagpu.copy_async %src to %q : memref<16x64xf16>, memref<16x64xf16, #fagpu.sram<swizzle = 128>>
  return
}

// -----

func.func @some_columns()
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  %q = fagpu.alloc offset = 0 : memref<16x64xf16, #fagpu.sram<swizzle = 128>>
  // expected-error @+1 {{expected a view of whole rows of a tile in SRAM}}
  %right = memref.subview %q[0, 32] [16, 32] [1, 1] : memref<16x64xf16, #fagpu.sram<swizzle = 128>>
      to memref<16x32xf16, strided<[64, 1], offset: 32>, #fagpu.sram<swizzle = 128>>
  return
}

// -----

// The copy of a level before.
func.func @copy(%src: memref<16x64xf16>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  %q = fagpu.alloc offset = 0 : memref<16x64xf16, #fagpu.sram<swizzle = 128>>
  // expected-error @+1 {{expected an op of the scheduled level or below to lower to NVVM}}
  fagpu.copy %src to %q : memref<16x64xf16>, memref<16x64xf16, #fagpu.sram<swizzle = 128>>
  return
}

// -----

// Blocks and threads are numbered along x.
func.func @block_y()
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // expected-error @+1 {{expected an op of the scheduled level or below to lower to NVVM}}
  %b = gpu.block_id y
  return
}

// -----

func.func @thread_z()
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // expected-error @+1 {{expected an op of the scheduled level or below to lower to NVVM}}
  %b = gpu.thread_id z
  return
}

// -----

func.func @wgmma_of_one_warp(%acc: vector<8xf32>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_90a", sram = 232448>} {
  %q = fagpu.alloc offset = 0 : memref<16x64xf16, #fagpu.sram<swizzle = 128>>
  // expected-error @+1 {{expected row groups of 4 warps for wgmma but got 1}}
  %s = fagpu.dot %q, %q, %acc contract = columns warps = 1
      : memref<16x64xf16, #fagpu.sram<swizzle = 128>>, memref<16x64xf16, #fagpu.sram<swizzle = 128>>, vector<8xf32>
  return
}

// -----

func.func @wgmma_of_f32(%acc: vector<8xf32>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>} {
  %q = fagpu.alloc offset = 0 : memref<64x64xf32, #fagpu.sram<swizzle = 128>>
  %k = fagpu.alloc offset = 16384 : memref<16x64xf32, #fagpu.sram<swizzle = 128>>
  // expected-error @+1 {{expected f16 or bf16 for wgmma but got f32}}
  %s = fagpu.dot %q, %k, %acc contract = columns warps = 4
      : memref<64x64xf32, #fagpu.sram<swizzle = 128>>, memref<16x64xf32, #fagpu.sram<swizzle = 128>>, vector<8xf32>
  return
}

// -----

func.func @wgmma_of_two_row_blocks(%acc: vector<16xf32>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 128, bc = 16, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>} {
  %q = fagpu.alloc offset = 0 : memref<128x64xf16, #fagpu.sram<swizzle = 128>>
  %k = fagpu.alloc offset = 16384 : memref<16x64xf16, #fagpu.sram<swizzle = 128>>
  // expected-error @+1 {{expected one block of 16 rows a warp for wgmma but got 2}}
  %s = fagpu.dot %q, %k, %acc contract = columns warps = 4
      : memref<128x64xf16, #fagpu.sram<swizzle = 128>>, memref<16x64xf16, #fagpu.sram<swizzle = 128>>, vector<16xf32>
  return
}

// -----

func.func @wgmma_of_264_columns(%acc: vector<132xf32>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>} {
  %q = fagpu.alloc offset = 0 : memref<64x64xf16, #fagpu.sram<swizzle = 128>>
  %k = fagpu.alloc offset = 8192 : memref<264x64xf16, #fagpu.sram<swizzle = 128>>
  // expected-error @+1 {{expected at most 256 columns of the result for wgmma but got 264}}
  %s = fagpu.dot %q, %k, %acc contract = columns warps = 4
      : memref<64x64xf16, #fagpu.sram<swizzle = 128>>, memref<264x64xf16, #fagpu.sram<swizzle = 128>>, vector<132xf32>
  return
}

// -----

func.func @view_of_tail()
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>} {
  %q = fagpu.alloc offset = 0 : memref<128x80xf16, #fagpu.sram<swizzle = 128, tail = 32>>
  // expected-error @+1 {{expected a view of a tile without a tail but got 'memref<128x80xf16, #fagpu.sram<swizzle = 128, tail = 32>>'}}
  %rows = memref.subview %q[64, 0] [64, 80] [1, 1]
      : memref<128x80xf16, #fagpu.sram<swizzle = 128, tail = 32>> to memref<64x80xf16, strided<[80, 1], offset: 5120>, #fagpu.sram<swizzle = 128, tail = 32>>
  return
}

// -----

func.func @narrow_chunks_of_mma_sync(%acc: vector<8xf32>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  %q = fagpu.alloc offset = 0 : memref<16x64xf16, #fagpu.sram<swizzle = 64>>
  %k = fagpu.alloc offset = 2048 : memref<16x64xf16, #fagpu.sram<swizzle = 128>>
  // expected-error @+1 {{expected a tile in chunks of 128 bytes but got 'memref<16x64xf16, #fagpu.sram<swizzle = 64>>'}}
  %s = fagpu.dot %q, %k, %acc contract = columns warps = 1
      : memref<16x64xf16, #fagpu.sram<swizzle = 64>>, memref<16x64xf16, #fagpu.sram<swizzle = 128>>, vector<8xf32>
  return
}

// -----

func.func @tail_of_f32(%acc: vector<8xf32>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  %q = fagpu.alloc offset = 0 : memref<16x40xf32, #fagpu.sram<swizzle = 128, tail = 32>>
  // expected-error @+1 {{expected a tile in chunks of 128 bytes but got 'memref<16x40xf32, #fagpu.sram<swizzle = 128, tail = 32>>'}}
  %s = fagpu.dot %q, %q, %acc contract = columns warps = 1
      : memref<16x40xf32, #fagpu.sram<swizzle = 128, tail = 32>>, memref<16x40xf32, #fagpu.sram<swizzle = 128, tail = 32>>, vector<8xf32>
  return
}

// -----

func.func @narrow_copy_async(%s: memref<16x64xf16>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  %q = fagpu.alloc offset = 0 : memref<16x64xf16, #fagpu.sram<swizzle = 32>>
  // expected-error @+1 {{expected a tile in chunks of 128 bytes but got 'memref<16x64xf16, #fagpu.sram<swizzle = 32>>'}}
  fagpu.copy_async %s to %q : memref<16x64xf16>, memref<16x64xf16, #fagpu.sram<swizzle = 32>>
  return
}
