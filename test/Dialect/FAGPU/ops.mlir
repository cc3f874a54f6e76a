// RUN: fa-opt %s --verify-roundtrip | FileCheck %s

// The examples of the op descriptions in FAGPUOps.td come first, one a function.

// CHECK-LABEL: func.func @alloc_example
// CHECK: fagpu.alloc : memref<128x64xbf16, #fagpu.sram<swizzle = 128>>
// CHECK: fagpu.alloc offset = 16384 : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>
func.func @alloc_example() {
  %q = fagpu.alloc : memref<128x64xbf16, #fagpu.sram<swizzle = 128>>
  %k = fagpu.alloc offset = 16384 : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>
  return
}

// CHECK-LABEL: func.func @copy_example
// CHECK: fagpu.copy %{{.*}} to %{{.*}} : memref<?x64xbf16, strided<[?, 1], offset: ?>>, memref<128x64xbf16, #fagpu.sram<swizzle = 128>>
func.func @copy_example(%src: memref<?x64xbf16, strided<[?, 1], offset: ?>>,
                        %q: memref<128x64xbf16, #fagpu.sram<swizzle = 128>>) {
  fagpu.copy %src to %q : memref<?x64xbf16, strided<[?, 1], offset: ?>>, memref<128x64xbf16, #fagpu.sram<swizzle = 128>>
  return
}

// CHECK-LABEL: func.func @fill_example
// CHECK: fagpu.fill %{{.*}}[%{{.*}}] from %{{.*}} : <2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, memref<?x64xbf16, strided<[?, 1], offset: ?>>
func.func @fill_example(%ring: !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, %t: index,
                        %src: memref<?x64xbf16, strided<[?, 1], offset: ?>>)
    -> memref<64x64xbf16, #fagpu.sram<swizzle = 128>> {
  %k = fagpu.fill %ring[%t] from %src : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, memref<?x64xbf16, strided<[?, 1], offset: ?>>
  return %k : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
}

// CHECK-LABEL: func.func @copy_async_example
// CHECK: fagpu.copy_async %{{.*}} to %{{.*}} : memref<?x64xbf16, strided<[?, 1], offset: ?>>, memref<128x64xbf16, #fagpu.sram<swizzle = 128>>
func.func @copy_async_example(%src: memref<?x64xbf16, strided<[?, 1], offset: ?>>,
                              %q: memref<128x64xbf16, #fagpu.sram<swizzle = 128>>) {
  fagpu.copy_async %src to %q : memref<?x64xbf16, strided<[?, 1], offset: ?>>, memref<128x64xbf16, #fagpu.sram<swizzle = 128>>
  return
}

// CHECK-LABEL: func.func @slot_example
// CHECK: fagpu.slot %{{.*}}[%{{.*}}] : <2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>
func.func @slot_example(%ring: !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, %t: index)
    -> memref<64x64xbf16, #fagpu.sram<swizzle = 128>> {
  %k = fagpu.slot %ring[%t] : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>
  return %k : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
}

// CHECK-LABEL: func.func @specialize_example
// CHECK: fagpu.load %{{.*}}[%{{.*}}] from %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : <2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
// CHECK: fagpu.specialize groups = 2 registers = (24, 240) producer {
// CHECK: } consumer {
// CHECK-NEXT: fagpu.group_id
// CHECK: fagpu.acquire %{{.*}}[%{{.*}}] : <2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>
// CHECK: fagpu.release %{{.*}}[%{{.*}}] : <2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>
func.func @specialize_example(%K: memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>,
                              %b: index, %h: index, %row: index, %t: index) {
  %ring = fagpu.alloc : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>
  fagpu.load %ring[%t] from %K[%b, %h, %row] : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
  fagpu.specialize groups = 2 registers = (24, 240) producer {
    fagpu.load %ring[%t] from %K[%b, %h, %row] : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>, memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
  } consumer {
    %g = fagpu.group_id
    %k = fagpu.acquire %ring[%t] : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>
    fagpu.release %ring[%t] : !fagpu.ring<2, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>
  }
  return
}

// CHECK-LABEL: func.func @turns_example
// CHECK-NEXT: fagpu.await_turn
// CHECK-NEXT: fagpu.pass_turn
func.func @turns_example() {
  fagpu.await_turn
  fagpu.pass_turn
  return
}

// CHECK-LABEL: func.func @draw_block_example
// CHECK: fagpu.draw_block of %{{.*}}
func.func @draw_block_example(%total: i32) -> i32 {
  %next = fagpu.draw_block of %total
  return %next : i32
}

// CHECK-LABEL: func.func @post_block_example
// CHECK: fagpu.post_block %{{.*}}, %{{.*}}, %{{.*}} at %{{.*}}
// CHECK-NEXT: fagpu.post_block at %{{.*}}
func.func @post_block_example(%batch: i32, %head: i32, %tile: i32, %turn: i32) {
  fagpu.post_block %batch, %head, %tile at %turn
  fagpu.post_block at %turn
  return
}

// CHECK-LABEL: func.func @acquire_block_example
// CHECK: %[[LEFT:.*]] = fagpu.acquire_block at %{{.*}}
// CHECK-NEXT: return %[[LEFT]] : i1
func.func @acquire_block_example(%turn: i32) -> i1 {
  %left = fagpu.acquire_block at %turn
  return %left : i1
}

// CHECK-LABEL: func.func @read_block_example
// CHECK: fagpu.read_block 0 at %{{.*}}
// CHECK-NEXT: fagpu.read_block 11 at %{{.*}}
func.func @read_block_example(%turn: i32) {
  %batch = fagpu.read_block 0 at %turn
  %last = fagpu.read_block 11 at %turn
  return
}

// CHECK-LABEL: func.func @release_block_example
// CHECK: fagpu.release_block at %{{.*}}
func.func @release_block_example(%turn: i32) {
  fagpu.release_block at %turn
  return
}

// CHECK-LABEL: func.func @store_tile_example
// CHECK: fagpu.store_tile %{{.*}} by %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : vector<64x64xbf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
func.func @store_tile_example(%value: vector<64x64xbf16>, %q: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>,
                              %O: memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>,
                              %b: index, %h: index, %row: index) {
  fagpu.store_tile %value by %q to %O[%b, %h, %row] : vector<64x64xbf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
  return
}

// CHECK-LABEL: func.func @store_fragment_example
// CHECK: fagpu.store_fragment %{{.*}} to %{{.*}} warps = 4 : vector<32xbf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
func.func @store_fragment_example(%f: vector<32xbf16>, %q: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>) {
  fagpu.store_fragment %f to %q warps = 4 : vector<32xbf16>, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
  return
}

// CHECK-LABEL: func.func @store_example
// CHECK: fagpu.store %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
func.func @store_example(%q: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>,
                         %O: memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>,
                         %b: index, %h: index, %row: index) {
  fagpu.store %q to %O[%b, %h, %row] : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
  return
}

// CHECK-LABEL: func.func @dot_example
// CHECK: fagpu.dot %{{.*}}, %{{.*}}, %{{.*}} contract = {{ *}}columns warps = 4
// CHECK-SAME: : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, memref<128x64xbf16, #fagpu.sram<swizzle = 128>>, vector<64xf32>
// CHECK: fagpu.wait_dot %{{.*}} pending = 0 : vector<64xf32>
func.func @dot_example(%q: memref<64x64xbf16, #fagpu.sram<swizzle = 128>>,
                       %k: memref<128x64xbf16, #fagpu.sram<swizzle = 128>>, %zero: vector<64xf32>) -> vector<64xf32> {
  %s = fagpu.dot %q, %k, %zero contract = columns warps = 4
      : memref<64x64xbf16, #fagpu.sram<swizzle = 128>>, memref<128x64xbf16, #fagpu.sram<swizzle = 128>>, vector<64xf32>
  %s1 = fagpu.wait_dot %s pending = 0 : vector<64xf32>
  return %s1 : vector<64xf32>
}

//===----------------------------------------------------------------------===//
// What else is allowed
//===----------------------------------------------------------------------===//

// A from registers, B read along its rows: P V.
// CHECK-LABEL: func.func @dot_registers
// CHECK: fagpu.dot %{{.*}} contract = {{ *}}rows warps = 1 : vector<8xf16>, memref<16x72xf16, #fagpu.sram<swizzle = 128>>, vector<36xf32>
func.func @dot_registers(%p: vector<8xf16>, %v: memref<16x72xf16, #fagpu.sram<swizzle = 128>>,
                         %acc: vector<36xf32>) -> vector<36xf32> {
  %o = fagpu.dot %p, %v, %acc contract = rows warps = 1
      : vector<8xf16>, memref<16x72xf16, #fagpu.sram<swizzle = 128>>, vector<36xf32>
  return %o : vector<36xf32>
}

// Along the columns K may end within a step: the columns up to the next multiple
// of 16 are filled with zeros.
// CHECK-LABEL: func.func @dot_part_of_step
func.func @dot_part_of_step(%q: memref<16x72xf16, #fagpu.sram<swizzle = 128>>,
                            %k: memref<8x72xf16, #fagpu.sram<swizzle = 128>>, %acc: vector<4xf32>) {
  // CHECK: fagpu.dot
  %s = fagpu.dot %q, %k, %acc contract = columns warps = 1
      : memref<16x72xf16, #fagpu.sram<swizzle = 128>>, memref<8x72xf16, #fagpu.sram<swizzle = 128>>, vector<4xf32>
  return
}

// Chunks of other widths. A tail holds 1 to all of its columns.
// CHECK-LABEL: func.func @narrow_chunks
// CHECK: fagpu.alloc : memref<64x72xbf16, #fagpu.sram<swizzle = 128, tail = 32>>
// CHECK: fagpu.alloc : !fagpu.ring<2, memref<64x160xbf16, #fagpu.sram<swizzle = 128, tail = 64>>>
// CHECK: fagpu.alloc : memref<64x48xbf16, #fagpu.sram<swizzle = 64, tail = 32>>
// CHECK: fagpu.alloc : memref<64x80xbf16, #fagpu.sram<swizzle = 32>>
// CHECK: fagpu.alloc : memref<64x96xf32, #fagpu.sram<swizzle = 64>>
func.func @narrow_chunks() {
  %0 = fagpu.alloc : memref<64x72xbf16, #fagpu.sram<swizzle = 128, tail = 32>>
  %1 = fagpu.alloc : !fagpu.ring<2, memref<64x160xbf16, #fagpu.sram<swizzle = 128, tail = 64>>>
  %2 = fagpu.alloc : memref<64x48xbf16, #fagpu.sram<swizzle = 64, tail = 32>>
  %3 = fagpu.alloc : memref<64x80xbf16, #fagpu.sram<swizzle = 32>>
  %4 = fagpu.alloc : memref<64x96xf32, #fagpu.sram<swizzle = 64>>
  return
}

// A ring whose stages are read by one row group each.
// CHECK-LABEL: func.func @readers
// CHECK: fagpu.alloc offset = 1024 readers = 1 : !fagpu.ring<4,
func.func @readers() {
  %q = fagpu.alloc offset = 1024 readers = 1 : !fagpu.ring<4, memref<64x64xbf16, #fagpu.sram<swizzle = 128>>>
  return
}

// Some rows of a tile are a tile.
// CHECK-LABEL: func.func @rows
// CHECK: fagpu.dot %{{.*}} : memref<16x64xf16, strided<[64, 1], offset: ?>, #fagpu.sram<swizzle = 128>>
func.func @rows(%q: memref<64x64xf16, #fagpu.sram<swizzle = 128>>,
                %k: memref<16x64xf16, #fagpu.sram<swizzle = 128>>, %acc: vector<8xf32>, %row: index) {
  %rows = memref.subview %q[%row, 0] [16, 64] [1, 1] : memref<64x64xf16, #fagpu.sram<swizzle = 128>>
      to memref<16x64xf16, strided<[64, 1], offset: ?>, #fagpu.sram<swizzle = 128>>
  %s = fagpu.dot %rows, %k, %acc contract = columns warps = 1
      : memref<16x64xf16, strided<[64, 1], offset: ?>, #fagpu.sram<swizzle = 128>>, memref<16x64xf16, #fagpu.sram<swizzle = 128>>, vector<8xf32>
  return
}
