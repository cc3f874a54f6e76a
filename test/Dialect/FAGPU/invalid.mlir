// RUN: fa-opt %s -split-input-file -verify-diagnostics

// One function for each constraint, named by its label.

// expected-error @+1 {{expected a swizzle of 32, 64 or 128 bytes but got 16}}
func.func private @sram_c1(memref<64x64xbf16, #fagpu.sram<swizzle = 16>>)

// -----

// expected-error @+1 {{expected a tail of 32 or 64 bytes that is narrower than the swizzle, 128, but got 16}}
func.func private @sram_c2_width(memref<64x72xbf16, #fagpu.sram<swizzle = 128, tail = 16>>)

// -----

// expected-error @+1 {{expected a tail of 32 or 64 bytes that is narrower than the swizzle, 64, but got 64}}
func.func private @sram_c2_wide(memref<64x72xbf16, #fagpu.sram<swizzle = 64, tail = 64>>)

// -----

// expected-error @+1 {{expected a positive number of stages but got 0}}
func.func private @ring_c1(!fagpu.ring<0, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>)

// -----

// expected-error @+1 {{expected a 2-D tile with static shape, not empty, of f16, bf16 or f32 in #fagpu.sram, but got 'memref<1x64x64xbf16, #fagpu.sram<swizzle = 128>>'}}
func.func private @ring_c2_rank(!fagpu.ring<2, memref<1x64x64xbf16, #fagpu.sram<swizzle = 128>>>)

// -----

// expected-error @+1 {{expected a 2-D tile with static shape, not empty, of f16, bf16 or f32 in #fagpu.sram, but got 'memref<?x64xbf16, #fagpu.sram<swizzle = 128>>'}}
func.func private @ring_c2_shape(!fagpu.ring<2, memref<?x64xbf16, #fagpu.sram<swizzle = 128>>>)

// -----

// expected-error @+1 {{expected a 2-D tile with static shape, not empty, of f16, bf16 or f32 in #fagpu.sram, but got 'memref<0x64xbf16, #fagpu.sram<swizzle = 128>>'}}
func.func private @ring_c2_empty(!fagpu.ring<2, memref<0x64xbf16, #fagpu.sram<swizzle = 128>>>)

// -----

// expected-error @+1 {{expected a 2-D tile with static shape, not empty, of f16, bf16 or f32 in #fagpu.sram, but got 'memref<64x64xf64, #fagpu.sram<swizzle = 128>>'}}
func.func private @ring_c2_element(!fagpu.ring<2, memref<64x64xf64, #fagpu.sram<swizzle = 128>>>)

// -----

// expected-error @+1 {{expected a 2-D tile with static shape, not empty, of f16, bf16 or f32 in #fagpu.sram, but got 'memref<64x64xbf16>'}}
func.func private @ring_c2_space(!fagpu.ring<2, memref<64x64xbf16>>)

// -----

func.func @alloc_c1_part() {
  // expected-error @+1 {{expected an offset that is a multiple of 1024 bytes but got 512}}
  %t = fagpu.alloc offset = 512 : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
  return
}

// -----

func.func @alloc_c1_negative() {
  // expected-error @+1 {{expected an offset that is a multiple of 1024 bytes but got -1024}}
  %t = fagpu.alloc offset = -1024 : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
  return
}

// -----

func.func @alloc_c2_none() {
  // expected-error @+1 {{expected whole chunks, and 1 to 16 columns after them for the tail, but got 128 and 0 columns in 'memref<64x128xbf16, #fagpu.sram<swizzle = 128, tail = 32>>'}}
  %t = fagpu.alloc : memref<64x128xbf16, #fagpu.sram<swizzle = 128, tail = 32>>
  return
}

// -----

func.func @alloc_c2_many() {
  // expected-error @+1 {{expected whole chunks, and 1 to 16 columns after them for the tail, but got 64 and 24 columns in 'memref<64x88xbf16,}}
  %t = fagpu.alloc : !fagpu.ring<2, memref<64x88xbf16, #fagpu.sram<swizzle = 128, tail = 32>>>
  return
}

// -----

func.func @alloc_c2_no_chunk() {
  // expected-error @+1 {{expected whole chunks, and 1 to 16 columns after them for the tail, but got 0 and 16 columns in}}
  %t = fagpu.alloc : memref<64x16xbf16, #fagpu.sram<swizzle = 128, tail = 32>>
  return
}

// -----

func.func @alloc_c3_tile() {
  // expected-error @+1 {{expected readers of a ring but got 'memref<64x64xbf16, #fagpu.sram<swizzle = 128>>'}}
  %q = fagpu.alloc readers = 1 : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
  return
}

// -----

func.func @alloc_c3_none() {
  // expected-error @+1 {{expected at least one reader but got 0}}
  %q = fagpu.alloc readers = 0 : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>
  return
}

// -----

func.func @post_block_c1(%x: i32) {
  // expected-error @+1 {{expected at most 12 values but got 13}}
  fagpu.post_block %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x at %x
  return
}

// -----

func.func @read_block_c1(%x: i32) {
  // expected-error @+1 {{expected an index from 0 to 11 but got 12}}
  %y = fagpu.read_block 12 at %x
  return
}

// -----

func.func @read_block_c1_negative(%x: i32) {
  // expected-error @+1 {{expected an index from 0 to 11 but got -1}}
  %y = fagpu.read_block -1 at %x
  return
}

// -----

func.func @copy_c1_columns(%src: memref<?x32xbf16, strided<[?, 1], offset: ?>>, %t: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>) {
  // expected-error @+1 {{expected a source with the columns and element type of the target, 'memref<64x64xbf16, #fagpu.sram<swizzle = 128>>', but got 'memref<?x32xbf16, strided<[?, 1], offset: ?>>'}}
  fagpu.copy %src to %t : memref<?x32xbf16, strided<[?, 1], offset: ?>>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
  return
}

// -----

func.func @copy_c1_element(%src: memref<?x64xf16, strided<[?, 1], offset: ?>>, %t: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>) {
  // expected-error @+1 {{expected a source with the columns and element type of the target, 'memref<64x64xbf16, #fagpu.sram<swizzle = 128>>', but got 'memref<?x64xf16, strided<[?, 1], offset: ?>>'}}
  fagpu.copy %src to %t : memref<?x64xf16, strided<[?, 1], offset: ?>>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
  return
}

// -----

func.func @copy_c2(%src: memref<80x64xbf16, strided<[?, 1], offset: ?>>, %t: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>) {
  // expected-error @+1 {{expected a source of at most 64 rows but got 'memref<80x64xbf16, strided<[?, 1], offset: ?>>'}}
  fagpu.copy %src to %t : memref<80x64xbf16, strided<[?, 1], offset: ?>>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
  return
}

// -----

func.func @copy_c3_stride(%src: memref<64x64xbf16, strided<[1, 64]>>, %t: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>) {
  // expected-error @+1 {{expected a source in global memory with a contiguous last dimension but got 'memref<64x64xbf16, strided<[1, 64]>>'}}
  fagpu.copy %src to %t : memref<64x64xbf16, strided<[1, 64]>>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
  return
}

// -----

func.func @copy_c3_space(%src: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, %t: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>) {
  // expected-error @+1 {{expected a source in global memory with a contiguous last dimension but got 'memref<64x64xbf16, #fagpu.sram<swizzle = 128>>'}}
  fagpu.copy %src to %t : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
  return
}

// -----

func.func @copy_async_c1(%src: memref<?x32xbf16, strided<[?, 1], offset: ?>>, %t: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>) {
  // expected-error @+1 {{expected a source with the columns and element type of the target, 'memref<64x64xbf16, #fagpu.sram<swizzle = 128>>', but got 'memref<?x32xbf16, strided<[?, 1], offset: ?>>'}}
  fagpu.copy_async %src to %t : memref<?x32xbf16, strided<[?, 1], offset: ?>>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
  return
}

// -----

func.func @fill_c1(%ring: !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, %t: index, %src: memref<80x64xbf16, strided<[?, 1], offset: ?>>) {
  // expected-error @+1 {{expected a source of at most 64 rows but got 'memref<80x64xbf16, strided<[?, 1], offset: ?>>'}}
  %k = fagpu.fill %ring[%t] from %src : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, memref<80x64xbf16, strided<[?, 1], offset: ?>>
  return
}

// -----

func.func @specialize_c1_zero() {
  // expected-error @+1 {{expected at least one row group but got 0}}
  fagpu.specialize groups = 0 registers = (24, 240) producer {
  } consumer {
  }
  return
}

// -----

func.func @specialize_c1_negative() {
  // expected-error @+1 {{expected at least one row group but got -1}}
  fagpu.specialize groups = -1 registers = (24, 240) producer {
  } consumer {
  }
  return
}

// -----

func.func @specialize_c2_small() {
  // expected-error @+1 {{expected register counts that are multiples of 8 from 24 to 240 but got 16}}
  fagpu.specialize groups = 2 registers = (16, 240) producer {
  } consumer {
  }
  return
}

// -----

func.func @specialize_c2_large() {
  // expected-error @+1 {{expected register counts that are multiples of 8 from 24 to 240 but got 248}}
  fagpu.specialize groups = 1 registers = (24, 248) producer {
  } consumer {
  }
  return
}

// -----

func.func @specialize_c2_part() {
  // expected-error @+1 {{expected register counts that are multiples of 8 from 24 to 240 but got 236}}
  fagpu.specialize groups = 2 registers = (24, 236) producer {
  } consumer {
  }
  return
}

// -----

func.func @specialize_c2_negative() {
  // expected-error @+1 {{expected register counts that are multiples of 8 from 24 to 240 but got -8}}
  fagpu.specialize groups = 2 registers = (-8, 240) producer {
  } consumer {
  }
  return
}

// -----

func.func @specialize_c3_gpu(%c: i1) {
  // expected-error @+1 {{expected no barrier of the whole block in its regions}}
  fagpu.specialize groups = 1 registers = (24, 240) producer {
  } consumer {
    scf.if %c {
      // expected-note @+1 {{see the barrier here}}
      gpu.barrier
    }
  }
  return
}

// -----

func.func @specialize_c3_nvvm(%c: i1) {
  // expected-error @+1 {{expected no barrier of the whole block in its regions}}
  fagpu.specialize groups = 1 registers = (24, 240) producer {
  } consumer {
    scf.if %c {
      // expected-note @+1 {{see the barrier here}}
      nvvm.barrier0
    }
  }
  return
}

// -----

func.func @specialize_c4() {
  // expected-error @+1 {{expected at most 65536 registers in all but a producer with 24 and 3 row groups with 240 registers a thread take more}}
  fagpu.specialize groups = 3 registers = (24, 240) producer {
  } consumer {
  }
  return
}

// -----

func.func @specialize_c4_overflow() {
  // expected-error @+1 {{expected at most 65536 registers in all but a producer with 24 and 9223372036854775807 row groups}}
  fagpu.specialize groups = 9223372036854775807 registers = (24, 240) producer {
  } consumer {
  }
  return
}

// -----

func.func @load_c1_columns(%ring: !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, %K: memref<?x?x?x128xbf16, strided<[?, ?, ?, 1], offset: ?>>, %i: index) {
  // expected-error @+1 {{expected a source with the columns and element type of the ring's tile, 'memref<64x64xbf16, #fagpu.sram<swizzle = 128>>', but got 'memref<?x?x?x128xbf16, strided<[?, ?, ?, 1], offset: ?>>'}}
  fagpu.load %ring[%i] from %K[%i, %i, %i] : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, memref<?x?x?x128xbf16, strided<[?, ?, ?, 1], offset: ?>>
  return
}

// -----

func.func @load_c1_element(%ring: !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, %K: memref<?x?x?x64xf16, strided<[?, ?, ?, 1], offset: ?>>, %i: index) {
  // expected-error @+1 {{expected a source with the columns and element type of the ring's tile, 'memref<64x64xbf16, #fagpu.sram<swizzle = 128>>', but got 'memref<?x?x?x64xf16, strided<[?, ?, ?, 1], offset: ?>>'}}
  fagpu.load %ring[%i] from %K[%i, %i, %i] : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, memref<?x?x?x64xf16, strided<[?, ?, ?, 1], offset: ?>>
  return
}

// -----

func.func @load_c2(%ring: !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, %K: memref<1x2x3x64xbf16>, %i: index) {
  %cast = memref.cast %K : memref<1x2x3x64xbf16> to memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
  // expected-error @+1 {{expected the source to be an argument of the function}}
  fagpu.load %ring[%i] from %cast[%i, %i, %i] : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
  return
}

// -----

func.func @load_c2_of_loop(%ring: !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, %K: memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>, %i: index) {
  %r = scf.for %n = %i to %i step %i iter_args(%k = %K) -> memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>> {
    // expected-error @+1 {{expected the source to be an argument of the function}}
    fagpu.load %ring[%i] from %k[%i, %i, %i] : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
    scf.yield %k : memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
  }
  return
}

// -----

func.func @load_c3(%ring: !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, %K: memref<?x?x?x64xbf16, strided<[?, ?, ?, ?], offset: ?>>, %i: index) {
  // expected-error @+1 {{expected a source with a contiguous last dimension but got 'memref<?x?x?x64xbf16, strided<[?, ?, ?, ?], offset: ?>>'}}
  fagpu.load %ring[%i] from %K[%i, %i, %i] : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, memref<?x?x?x64xbf16, strided<[?, ?, ?, ?], offset: ?>>
  return
}

// -----

func.func @dot_c1_sram(%a: memref<64x64xf16, #fagpu.sram<swizzle = 128>>, %b: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, %acc: vector<32xf32>) {
  // expected-error @+1 {{expected the element type of A to be that of B, 'bf16', but got 'f16'}}
  %d = fagpu.dot %a, %b, %acc contract = columns warps = 4 : memref<64x64xf16, #fagpu.sram<swizzle = 128>>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, vector<32xf32>
  return
}

// -----

func.func @dot_c1_registers(%a: vector<32xf16>, %b: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, %acc: vector<32xf32>) {
  // expected-error @+1 {{expected the element type of A to be that of B, 'bf16', but got 'f16'}}
  %d = fagpu.dot %a, %b, %acc contract = rows warps = 4 : vector<32xf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, vector<32xf32>
  return
}

// -----

func.func @dot_c2_rows(%a: memref<32x64xbf16, #fagpu.sram<swizzle = 128>>, %b: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, %acc: vector<32xf32>) {
  // expected-error @+1 {{expected A to be 64 x 64 but got 'memref<32x64xbf16, #fagpu.sram<swizzle = 128>>'}}
  %d = fagpu.dot %a, %b, %acc contract = columns warps = 4 : memref<32x64xbf16, #fagpu.sram<swizzle = 128>>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, vector<32xf32>
  return
}

// -----

func.func @dot_c2_depth(%a: memref<64x32xbf16, #fagpu.sram<swizzle = 128>>, %b: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, %acc: vector<32xf32>) {
  // expected-error @+1 {{expected A to be 64 x 64 but got 'memref<64x32xbf16, #fagpu.sram<swizzle = 128>>'}}
  %d = fagpu.dot %a, %b, %acc contract = columns warps = 4 : memref<64x32xbf16, #fagpu.sram<swizzle = 128>>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, vector<32xf32>
  return
}

// -----

func.func @dot_c2_registers(%a: vector<16xbf16>, %b: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, %acc: vector<32xf32>) {
  // expected-error @+1 {{expected A to have 32 elements but got 'vector<16xbf16>'}}
  %d = fagpu.dot %a, %b, %acc contract = rows warps = 4 : vector<16xbf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, vector<32xf32>
  return
}

// -----

func.func @dot_c2_row_blocks(%a: vector<32xbf16>, %b: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, %acc: vector<64xf32>) {
  // expected-error @+1 {{expected A to have 64 elements but got 'vector<32xbf16>'}}
  %d = fagpu.dot %a, %b, %acc contract = rows warps = 4 : vector<32xbf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, vector<64xf32>
  return
}

// -----

func.func @dot_c3_columns(%a: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, %b: memref<128x64xbf16, #fagpu.sram<swizzle = 128>>, %acc: vector<32xf32>) {
  // expected-error @+1 {{expected an accumulator of a multiple of 64 elements but got 'vector<32xf32>'}}
  %d = fagpu.dot %a, %b, %acc contract = columns warps = 4 : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, memref<128x64xbf16, #fagpu.sram<swizzle = 128>>, vector<32xf32>
  return
}

// -----

func.func @dot_c3_rows(%a: vector<64xbf16>, %b: memref<128x64xbf16, #fagpu.sram<swizzle = 128>>, %acc: vector<48xf32>) {
  // expected-error @+1 {{expected an accumulator of a multiple of 32 elements but got 'vector<48xf32>'}}
  %d = fagpu.dot %a, %b, %acc contract = rows warps = 4 : vector<64xbf16>, memref<128x64xbf16, #fagpu.sram<swizzle = 128>>, vector<48xf32>
  return
}

// -----

func.func @dot_c4_rows(%a: memref<16x24xbf16, #fagpu.sram<swizzle = 128>>, %b: memref<24x64xbf16, #fagpu.sram<swizzle = 128>>, %acc: vector<32xf32>) {
  // expected-error @+1 {{expected a K that is summed over rows or in registers to be a multiple of 16 and N a multiple of 8 but got K = 24, N = 64}}
  %d = fagpu.dot %a, %b, %acc contract = rows warps = 1 : memref<16x24xbf16, #fagpu.sram<swizzle = 128>>, memref<24x64xbf16, #fagpu.sram<swizzle = 128>>, vector<32xf32>
  return
}

// -----

func.func @dot_c4_registers(%a: vector<12xbf16>, %b: memref<64x24xbf16, #fagpu.sram<swizzle = 128>>, %acc: vector<32xf32>) {
  // expected-error @+1 {{expected a K that is summed over rows or in registers to be a multiple of 16 and N a multiple of 8 but got K = 24, N = 64}}
  %d = fagpu.dot %a, %b, %acc contract = columns warps = 1 : vector<12xbf16>, memref<64x24xbf16, #fagpu.sram<swizzle = 128>>, vector<32xf32>
  return
}

// -----

func.func @dot_c4_result(%a: memref<16x64xbf16, #fagpu.sram<swizzle = 128>>, %b: memref<12x64xbf16, #fagpu.sram<swizzle = 128>>, %acc: vector<6xf32>) {
  // expected-error @+1 {{expected a K that is summed over rows or in registers to be a multiple of 16 and N a multiple of 8 but got K = 64, N = 12}}
  %d = fagpu.dot %a, %b, %acc contract = columns warps = 1 : memref<16x64xbf16, #fagpu.sram<swizzle = 128>>, memref<12x64xbf16, #fagpu.sram<swizzle = 128>>, vector<6xf32>
  return
}

// -----

func.func @dot_c5_zero(%a: vector<32xbf16>, %b: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, %acc: vector<32xf32>) {
  // expected-error @+1 {{expected at least one warp but got 0}}
  %d = fagpu.dot %a, %b, %acc contract = rows warps = 0 : vector<32xbf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, vector<32xf32>
  return
}

// -----

func.func @dot_c5_negative(%a: vector<32xbf16>, %b: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, %acc: vector<32xf32>) {
  // expected-error @+1 {{expected at least one warp but got -1}}
  %d = fagpu.dot %a, %b, %acc contract = rows warps = -1 : vector<32xbf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, vector<32xf32>
  return
}

// -----

func.func @dot_c6(%a: vector<32xbf16>, %b: memref<64x80xbf16, #fagpu.sram<swizzle = 128, tail = 32>>, %acc: vector<40xf32>) {
  // expected-error @+1 {{expected a B that is summed over its rows to have chunks of one width but got 'memref<64x80xbf16, #fagpu.sram<swizzle = 128, tail = 32>>'}}
  %d = fagpu.dot %a, %b, %acc contract = rows warps = 4 : vector<32xbf16>, memref<64x80xbf16, #fagpu.sram<swizzle = 128, tail = 32>>, vector<40xf32>
  return
}

// -----

func.func @wait_dot_c1_many(%s: vector<32xf32>) {
  // expected-error @+1 {{expected pending from 0 to 7 but got 8}}
  %r = fagpu.wait_dot %s pending = 8 : vector<32xf32>
  return
}

// -----

func.func @wait_dot_c1_negative(%s: vector<32xf32>) {
  // expected-error @+1 {{expected pending from 0 to 7 but got -1}}
  %r = fagpu.wait_dot %s pending = -1 : vector<32xf32>
  return
}

// -----

func.func @tile_of_f64(%s: memref<?x64xf64>, %t: memref<64x64xf64, 3>) {
  // expected-error @+1 {{operand #0 must be 2D memref of f16, bf16 or f32 values, but got 'memref<?x64xf64>'}}
  fagpu.copy %s to %t : memref<?x64xf64>, memref<64x64xf64, 3>
  return
}

// -----

func.func @copy_async_c2_odd(%s: memref<?x64xf16>, %t: memref<64x64xf16, #fagpu.sram<swizzle = 128>>) {
  // expected-error @+1 {{expected an align of 2, 4, 8 or 16 bytes that is at least the size of an element but got 6}}
  fagpu.copy_async %s to %t align = 6 : memref<?x64xf16>, memref<64x64xf16, #fagpu.sram<swizzle = 128>>
  return
}

// -----

func.func @copy_async_c2_element(%s: memref<?x64xf32>, %t: memref<64x64xf32, #fagpu.sram<swizzle = 128>>) {
  // expected-error @+1 {{expected an align of 2, 4, 8 or 16 bytes that is at least the size of an element but got 2}}
  fagpu.copy_async %s to %t align = 2 : memref<?x64xf32>, memref<64x64xf32, #fagpu.sram<swizzle = 128>>
  return
}

// -----

func.func @target_in_global_memory(%s: memref<?x64xf16>, %t: memref<64x64xf16>) {
  // expected-error @+1 {{operand #1 must be 2-D memref of f16, bf16 or f32 in #fagpu.sram, but got 'memref<64x64xf16>'}}
  fagpu.copy %s to %t : memref<?x64xf16>, memref<64x64xf16>
  return
}

// -----

func.func @store_tile_c1_shape(%v: vector<32x64xbf16>, %t: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, %O: memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>, %i: index) {
  // expected-error @+1 {{expected a value with the shape and element type of the buffer, 'memref<64x64xbf16, #fagpu.sram<swizzle = 128>>', but got 'vector<32x64xbf16>'}}
  fagpu.store_tile %v by %t to %O[%i, %i, %i] : vector<32x64xbf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
  return
}

// -----

func.func @store_tile_c1_element(%v: vector<64x64xf16>, %t: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, %O: memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>, %i: index) {
  // expected-error @+1 {{expected a value with the shape and element type of the buffer, 'memref<64x64xbf16, #fagpu.sram<swizzle = 128>>', but got 'vector<64x64xf16>'}}
  fagpu.store_tile %v by %t to %O[%i, %i, %i] : vector<64x64xf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
  return
}

// -----

func.func @store_tile_c2_columns(%v: vector<64x64xbf16>, %t: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, %O: memref<?x?x?x32xbf16, strided<[?, ?, ?, 1], offset: ?>>, %i: index) {
  // expected-error @+1 {{expected a target with the columns and element type of the tile, 'memref<64x64xbf16, #fagpu.sram<swizzle = 128>>', but got 'memref<?x?x?x32xbf16, strided<[?, ?, ?, 1], offset: ?>>'}}
  fagpu.store_tile %v by %t to %O[%i, %i, %i] : vector<64x64xbf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, memref<?x?x?x32xbf16, strided<[?, ?, ?, 1], offset: ?>>
  return
}

// -----

func.func @store_tile_c2_element(%v: vector<64x64xbf16>, %t: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, %O: memref<?x?x?x64xf16, strided<[?, ?, ?, 1], offset: ?>>, %i: index) {
  // expected-error @+1 {{expected a target with the columns and element type of the tile, 'memref<64x64xbf16, #fagpu.sram<swizzle = 128>>', but got 'memref<?x?x?x64xf16, strided<[?, ?, ?, 1], offset: ?>>'}}
  fagpu.store_tile %v by %t to %O[%i, %i, %i] : vector<64x64xbf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, memref<?x?x?x64xf16, strided<[?, ?, ?, 1], offset: ?>>
  return
}

// -----

func.func @store_fragment_c1_rows(%f: vector<32xbf16>, %t: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>) {
  // expected-error @+1 {{expected a tile of 32 x 64 'bf16' but got 'memref<64x64xbf16, #fagpu.sram<swizzle = 128>>'}}
  fagpu.store_fragment %f to %t warps = 2 : vector<32xbf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
  return
}

// -----

func.func @store_fragment_c1_columns(%f: vector<16xbf16>, %t: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>) {
  // expected-error @+1 {{expected a tile of 64 x 32 'bf16' but got 'memref<64x64xbf16, #fagpu.sram<swizzle = 128>>'}}
  fagpu.store_fragment %f to %t warps = 4 : vector<16xbf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
  return
}

// -----

func.func @store_fragment_c1_units(%f: vector<34xbf16>, %t: memref<64x68xbf16, #fagpu.sram<swizzle = 128>>) {
  // expected-error @+1 {{expected a tile of 64 x 68 'bf16' but got 'memref<64x68xbf16, #fagpu.sram<swizzle = 128>>'}}
  fagpu.store_fragment %f to %t warps = 4 : vector<34xbf16>, memref<64x68xbf16, #fagpu.sram<swizzle = 128>>
  return
}

// -----

func.func @store_fragment_c1_element(%f: vector<32xf16>, %t: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>) {
  // expected-error @+1 {{expected a tile of 64 x 64 'f16' but got 'memref<64x64xbf16, #fagpu.sram<swizzle = 128>>'}}
  fagpu.store_fragment %f to %t warps = 4 : vector<32xf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
  return
}

// -----

func.func @store_c1_columns(%t: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, %O: memref<?x?x?x32xbf16, strided<[?, ?, ?, 1], offset: ?>>, %i: index) {
  // expected-error @+1 {{expected a target with the columns and element type of the tile, 'memref<64x64xbf16, #fagpu.sram<swizzle = 128>>', but got 'memref<?x?x?x32xbf16, strided<[?, ?, ?, 1], offset: ?>>'}}
  fagpu.store %t to %O[%i, %i, %i] : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, memref<?x?x?x32xbf16, strided<[?, ?, ?, 1], offset: ?>>
  return
}

// -----

func.func @store_c1_argument(%t: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, %O: memref<1x2x3x64xbf16>, %i: index) {
  %cast = memref.cast %O : memref<1x2x3x64xbf16> to memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
  // expected-error @+1 {{expected the target to be an argument of the function}}
  fagpu.store %t to %cast[%i, %i, %i] : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
  return
}

// -----

func.func @empty_tile(%q: memref<64x16xbf16, #fagpu.sram<swizzle = 128>>, %k: memref<0x16xbf16, #fagpu.sram<swizzle = 128>>, %zero: vector<8xf32>) {
  // expected-error @+1 {{operand #1 must be 2-D memref of f16, bf16 or f32 in #fagpu.sram, but got 'memref<0x16xbf16, #fagpu.sram<swizzle = 128>>'}}
  %p = fagpu.dot %q, %k, %zero contract = columns warps = 4 : memref<64x16xbf16, #fagpu.sram<swizzle = 128>>, memref<0x16xbf16, #fagpu.sram<swizzle = 128>>, vector<8xf32>
  return
}
