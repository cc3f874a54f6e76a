// RUN: fa-opt %s --convert-fagpu-to-nvvm --canonicalize --cse --split-input-file | FileCheck %s

// What sm_80 has, and the addresses of tiles. What sm_90a adds is tested in
// fagpu-to-nvvm-sm90a.mlir.

// A tile of 16 x 64 is 128 units of 16 bytes: 4 for each of 32 threads, which has one
// column of units and goes down 4 rows at a time. Unit u of row r stands at unit
// u xor r mod 8. Rows past the end are zeros: a source size of 0, and the address
// of the first element.

!k = memref<16x64xf16, #fagpu.sram<swizzle = 128>>

// CHECK: llvm.mlir.global external @fa_sram() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: func.func @copy
// CHECK-SAME: (%[[K:.*]]: memref<?x64xf16, {{.*}}>, %[[T:.*]]: index)
func.func @copy(%K: memref<?x64xf16, strided<[?, 1], offset: ?>>, %t: index)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // CHECK: %[[SYMBOL:.*]] = llvm.mlir.addressof @fa_sram
  // CHECK: %[[SRAM:.*]] = llvm.ptrtoint %[[SYMBOL]] : !llvm.ptr<3> to i32
  // CHECK: %[[RING:.*]] = arith.addi %[[SRAM]], %c2048_i32
  // CHECK: %[[T32:.*]] = arith.index_cast %[[T]] : index to i32
  // CHECK: %[[STAGE:.*]] = arith.remui %[[T32]], %c2_i32
  // CHECK: %[[BYTES:.*]] = arith.muli %[[STAGE]], %c2048_i32
  // CHECK: %[[TILE:.*]] = arith.addi %[[RING]], %[[BYTES]]
  // CHECK: %{{.*}}, %[[OFFSET:.*]], %[[SIZES:.*]]:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[K]]
  // CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[K]]
  // CHECK: %[[POINTER64:.*]] = arith.index_cast %[[POINTER]] : index to i64
  // CHECK: %[[BASE:.*]] = arith.addi %[[POINTER64]],
  // CHECK: %[[STRIDE:.*]] = arith.index_cast %[[STRIDES]]#0 : index to i64
  // CHECK: %[[ROWBYTES:.*]] = arith.muli %[[STRIDE]], %c2_i64
  // CHECK: %[[ROWS:.*]] = arith.index_cast %[[SIZES]]#0 : index to i32
  // CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[ROW:.*]] = arith.divui %[[THREAD]], %c8_i32
  // CHECK: %[[UNIT:.*]] = arith.remui %[[THREAD]], %c8_i32
  // CHECK: %[[ROW64:.*]] = arith.extui %[[ROW]] : i32 to i64
  // CHECK: %[[ROWFROM:.*]] = arith.muli %[[ROW64]], %[[ROWBYTES]] : i64
  // CHECK: %[[INROW:.*]] = arith.muli %[[UNIT]], %c16_i32
  // CHECK: %[[INROW64:.*]] = arith.extui %[[INROW]] : i32 to i64
  // CHECK: %[[FROM:.*]] = arith.addi %[[ROWFROM]], %[[INROW64]]
  // CHECK: %[[FIRST:.*]] = arith.addi %[[BASE]], %[[FROM]]
  // CHECK: %[[SWIZZLED:.*]] = arith.xori
  // CHECK: %[[ROWOFFSET:.*]] = arith.muli %[[ROW]], %c128_i32
  // CHECK: %[[UNITOFFSET:.*]] = arith.muli %[[SWIZZLED]], %c16_i32
  // CHECK: %[[INTILE:.*]] = arith.addi %[[ROWOFFSET]], %[[UNITOFFSET]]
  // CHECK: %[[TO:.*]] = arith.addi %{{.*}}, %[[INTILE]]
  // CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[ROW]], %[[ROWS]]
  // CHECK: %[[SIZE:.*]] = arith.select %[[INSIDE]], %c16_i32, %c0_i32
  // CHECK: %[[ISREAD:.*]] = arith.cmpi ugt, %[[SIZE]], %c0_i32
  // CHECK: %[[SOURCE:.*]] = arith.select %[[ISREAD]], %[[FIRST]], %[[BASE]]
  // CHECK: llvm.inline_asm has_side_effects "cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r,~{memory}" %[[TO]], %[[SOURCE]], %[[SIZE]]
  // CHECK: %[[ROW4:.*]] = arith.addi %[[ROW]], %c4_i32
  // CHECK: %[[ROWOFFSET4:.*]] = arith.muli %[[ROW4]], %c128_i32
  // CHECK: %[[LEFT4:.*]] = arith.addi %[[ROWS]], %c-4_i32
  // CHECK: arith.cmpi slt, %[[ROW]], %[[LEFT4]]
  // CHECK: %[[DOWN:.*]] = arith.muli %[[STRIDE]], %c8_i64
  // CHECK: arith.addi %[[FIRST]], %[[DOWN]]
  // CHECK: cp.async.cg.shared.global
  // CHECK: %[[TO8:.*]] = arith.addi %[[TO]], %c1024_i32
  // CHECK: cp.async.cg.shared.global {{.*}} %[[TO8]],
  // CHECK: cp.async.cg.shared.global
  // CHECK-NOT: cp.async
  // CHECK: nvvm.barrier0
  // CHECK-NOT: fagpu
  // CHECK: return
  %ring = fagpu.alloc offset = 2048 : !fagpu.ring<2, !k>
  %k = fagpu.slot %ring[%t] : !fagpu.ring<2, !k>
  fagpu.copy_async %K to %k : memref<?x64xf16, strided<[?, 1], offset: ?>>, !k
  gpu.barrier
  return
}

// -----

!k = memref<16x8xf16, #fagpu.sram<swizzle = 128>>

// 8 columns are one unit, and the product takes 16: the second is filled with zeros.
// 32 units are for the first 32 threads of 64.

// CHECK-LABEL: func.func @copy_half_a_step
func.func @copy_half_a_step(%K: memref<16x8xf16>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 2>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[ROW:.*]] = arith.divui %[[THREAD]], %c2_i32
  // CHECK: %[[UNIT:.*]] = arith.remui %[[THREAD]], %c2_i32
  // CHECK: %[[BEFORE:.*]] = arith.muli %[[UNIT]], %c16_i32
  // CHECK: %[[LEFT:.*]] = arith.subi %c16_i32, %[[BEFORE]]
  // CHECK: %[[SOME:.*]] = arith.maxsi %[[LEFT]], %c0_i32
  // CHECK: %[[BYTES:.*]] = arith.minsi %[[SOME]], %c16_i32
  // CHECK: %[[HAS:.*]] = arith.cmpi ult, %[[ROW]], %c16_i32
  // CHECK: scf.if %[[HAS]] {
  // CHECK:   cp.async.cg.shared.global {{.*}}, %[[BYTES]] :
  // CHECK: }
  %k = fagpu.alloc offset = 0 : !k
  fagpu.copy_async %K to %k : memref<16x8xf16>, !k
  return
}

// -----

!k = memref<16x24xf16, #fagpu.sram<swizzle = 128>>

// Of 4 units a row three exist; the fourth is copied as if there were no rows.

// CHECK-LABEL: func.func @copy_three_units
// CHECK-SAME: (%[[K:.*]]: memref
func.func @copy_three_units(%K: memref<?x24xf16, strided<[?, 1], offset: ?>>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // CHECK: %{{.*}}, %{{.*}}, %[[SIZES:.*]]:2, %{{.*}}:2 = memref.extract_strided_metadata %[[K]]
  // CHECK: %[[ROWS:.*]] = arith.index_cast %[[SIZES]]#0 : index to i32
  // CHECK: %[[ROW:.*]] = arith.divui %{{.*}}, %c4_i32
  // CHECK: %[[UNIT:.*]] = arith.remui %{{.*}}, %c4_i32
  // CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[UNIT]], %c3_i32
  // CHECK: %[[OWN:.*]] = arith.select %[[EXISTS]], %[[ROWS]], %c0_i32
  // CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[ROW]], %[[OWN]]
  // CHECK: arith.select %[[INSIDE]], %c16_i32, %c0_i32
  // CHECK: %[[LEFT8:.*]] = arith.addi %[[OWN]], %c-8_i32
  // CHECK: arith.cmpi slt, %[[ROW]], %[[LEFT8]]
  %k = fagpu.alloc offset = 0 : !k
  fagpu.copy_async %K to %k : memref<?x24xf16, strided<[?, 1], offset: ?>>, !k
  return
}

// -----

!q = memref<32x16xbf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x16xbf16, #fagpu.sram<swizzle = 128>>

// One step of 16 of K and two blocks of 8 columns. Along the columns B's matrices are
// read as they stand, along the rows transposed.

// CHECK-LABEL: func.func @mma_sync
// CHECK-SAME: (%[[ACC:.*]]: vector<8xf32>, %[[P:.*]]: vector<8xbf16>)
func.func @mma_sync(%acc: vector<8xf32>, %p: vector<8xbf16>) -> (vector<8xf32>, vector<8xf32>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 32, bc = 16, warps = 2>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // CHECK: %[[SRAM:.*]] = llvm.ptrtoint
  // CHECK: %[[BASE:.*]] = arith.addi %[[SRAM]], %c4096_i32
  // CHECK-DAG: %[[QUOTIENT:.*]] = arith.divui %{{.*}}, %c32_i32
  // CHECK-DAG: %[[WARP:.*]] = arith.remui %[[QUOTIENT]], %c2_i32
  // CHECK-DAG: %[[WARPBYTES:.*]] = arith.muli %[[WARP]], %c2048_i32
  // CHECK-DAG: arith.addi %[[SRAM]], %[[WARPBYTES]]
  // CHECK-DAG: %[[C0:.*]] = vector.extract %[[ACC]][0]
  // CHECK-DAG: %[[C3:.*]] = vector.extract %[[ACC]][3]
  // CHECK-DAG: %[[C4:.*]] = vector.extract %[[ACC]][4]
  // CHECK: %[[A:.*]] = nvvm.ldmatrix %{{.*}} {{{.*}}layout = #nvvm.mma_layout<row>, num = 4 : i32
  // CHECK: %[[A0:.*]] = llvm.extractvalue %[[A]][0]
  // CHECK: %[[A3:.*]] = llvm.extractvalue %[[A]][3]
  // CHECK: %[[B:.*]] = nvvm.ldmatrix %{{.*}} {{{.*}}layout = #nvvm.mma_layout<row>, num = 4 : i32
  // CHECK: %[[B0:.*]] = llvm.extractvalue %[[B]][0]
  // CHECK: %[[B1:.*]] = llvm.extractvalue %[[B]][1]
  // CHECK: %[[B2:.*]] = llvm.extractvalue %[[B]][2]
  // CHECK: %[[B3:.*]] = llvm.extractvalue %[[B]][3]
  // CHECK: %[[D0:.*]] = nvvm.mma.sync A[%[[A0]], {{.*}}, %[[A3]]] B[%[[B0]], %[[B1]]] C[%[[C0]], {{.*}}, %[[C3]]] {{.*}}#nvvm.mma_type<bf16>{{.*}} shape = #nvvm.shape<m = 16, n = 8, k = 16>
  // CHECK: %[[D1:.*]] = nvvm.mma.sync A[%[[A0]], {{.*}}, %[[A3]]] B[%[[B2]], %[[B3]]] C[%[[C4]],
  %q = fagpu.alloc offset = 0 : !q
  %k = fagpu.alloc offset = 4096 : !k
  %s = fagpu.dot %q, %k, %acc contract = columns warps = 2 : !q, !k, vector<8xf32>
  // Nothing to wait for.
  // CHECK-NOT: wait
  %s1 = fagpu.wait_dot %s pending = 0 : vector<8xf32>
  // P comes as pairs of 16 bits.
  // CHECK: %[[PAIRS:.*]] = vector.bitcast %[[P]] : vector<8xbf16> to vector<4xi32>
  // CHECK: %[[P0:.*]] = vector.extract %[[PAIRS]][0]
  // CHECK: nvvm.ldmatrix %{{.*}} {{{.*}}layout = #nvvm.mma_layout<col>, num = 4 : i32
  // CHECK-COUNT-2: nvvm.mma.sync A[%[[P0]],
  // CHECK-NOT: nvvm.mma.sync
  %o = fagpu.dot %p, %k, %s1 contract = rows warps = 2 : vector<8xbf16>, !k, vector<8xf32>
  return %s1, %o : vector<8xf32>, vector<8xf32>
}

// -----

!k = memref<16x80xf16, #fagpu.sram<swizzle = 128>>

// 10 units a row are 8 and 2, so that no thread changes its column: 4 rows at a time
// and 16.

// CHECK-LABEL: func.func @copy_ten_units
func.func @copy_ten_units(%K: memref<16x80xf16>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // CHECK: arith.divui %{{.*}}, %c8_i32
  // CHECK-COUNT-4: cp.async.cg.shared.global {{.*}}, %c16_i32 :
  // CHECK: arith.divui %{{.*}}, %c2_i32
  // CHECK: %[[UNIT:.*]] = arith.remui %{{.*}}, %c2_i32
  // CHECK: arith.addi %[[UNIT]], %c8_i32
  // CHECK: cp.async.cg.shared.global {{.*}}, %c16_i32 :
  // CHECK-NOT: cp.async
  %k = fagpu.alloc offset = 0 : !k
  fagpu.copy_async %K to %k : memref<16x80xf16>, !k
  return
}

// -----

!k = memref<16x20xf16, #fagpu.sram<swizzle = 128>>

// Rows that are aligned to 8 bytes are copied by halves of a unit, and those of 20
// columns end in the middle of one: of 40 bytes the third unit has 8.

// CHECK-LABEL: func.func @copy_by_8
func.func @copy_by_8(%K: memref<16x20xf16>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 2>, fa.target = #fa.target<"sm_80", sram = 166912, align = 8>} {
  // CHECK: arith.divui %{{.*}}, %c4_i32
  // CHECK: %[[UNIT:.*]] = arith.remui %{{.*}}, %c4_i32
  // CHECK: %[[BEFORE:.*]] = arith.muli %[[UNIT]], %c16_i32
  // CHECK: %[[LEFT:.*]] = arith.subi %c40_i32, %[[BEFORE]]
  // CHECK: %[[SOME:.*]] = arith.maxsi %[[LEFT]], %c0_i32
  // CHECK: %[[BYTES:.*]] = arith.minsi %[[SOME]], %c16_i32
  // CHECK: %[[SOMEFIRST:.*]] = arith.maxsi %[[BYTES]], %c0_i32
  // CHECK: %[[FIRST:.*]] = arith.minsi %[[SOMEFIRST]], %c8_i32
  // CHECK: cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %[[TO:.*]], %{{.*}}, %[[FIRST]] :
  // CHECK: %[[REST:.*]] = arith.addi %[[BYTES]], %c-8_i32
  // CHECK: %[[REST0:.*]] = arith.maxsi %[[REST]], %c0_i32
  // CHECK: %[[SECOND:.*]] = arith.minsi %[[REST0]], %c8_i32
  // CHECK: %[[TO8:.*]] = arith.addi %[[TO]], %c8_i32
  // CHECK: cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r,~{memory}" %[[TO8]], %{{.*}}, %[[SECOND]] :
  // CHECK-NOT: cp.async
  %k = fagpu.alloc offset = 0 : !k
  fagpu.copy_async %K to %k align = 8 : memref<16x20xf16>, !k
  return
}

// -----

!k = memref<16x16xf16, #fagpu.sram<swizzle = 128>>

// By quarters; and by single elements, with loads and one store.

// CHECK-LABEL: func.func @copy_by_4
// CHECK-COUNT-4: cp.async.ca.shared.global [$0], [$1], 4, $2;
// CHECK-NOT: cp.async
func.func @copy_by_4(%K: memref<16x16xf16>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912, align = 4>} {
  %k = fagpu.alloc offset = 0 : !k
  fagpu.copy_async %K to %k align = 4 : memref<16x16xf16>, !k
  return
}

// CHECK-LABEL: func.func @copy_by_2
// CHECK: "{\0A.reg .pred p;{{.*}}setp.gt.s32 p, $2, 0;\0Amov.b16 h0, 0;\0A@p ld.global.b16 h0, [$1+0];{{.*}}@p ld.global.b16 h7, [$1+14];{{.*}}mov.b32 w0, {h0, h1};{{.*}}st.shared.v4.b32 [$0], {w0, w1, w2, w3};\0A}", "r,l,r,~{memory}" %{{.*}}, %{{.*}}, %c16_i32
// CHECK-NOT: inline_asm
func.func @copy_by_2(%K: memref<16x16xf16>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912, align = 2>} {
  %k = fagpu.alloc offset = 0 : !k
  fagpu.copy_async %K to %k align = 2 : memref<16x16xf16>, !k
  return
}

// -----

!q = memref<16x36xf32, #fagpu.sram<swizzle = 128>>
!k = memref<16x36xf32, #fagpu.sram<swizzle = 128>>

// f32: each thread sums up the elements that it has. Along the columns four of A and
// four of B are read at once; 36 columns are 9 such units.

// CHECK-LABEL: func.func @fma_columns
// CHECK-SAME: (%[[ACC:.*]]: vector<8xf32>)
func.func @fma_columns(%acc: vector<8xf32>) -> vector<8xf32>
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // CHECK: %[[C0:.*]] = vector.extract %[[ACC]][0]
  // CHECK: %[[A:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK: %[[A0:.*]] = llvm.extractelement %[[A]][
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK: %[[B:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK: %[[B0:.*]] = llvm.extractelement %[[B]][
  // CHECK: llvm.intr.fma(%[[A0]], %[[B0]], %[[C0]])
  // 9 units, 4 columns each, 8 elements.
  // CHECK-COUNT-287: llvm.intr.fma
  // CHECK-NOT: llvm.intr.fma
  // CHECK: return
  %q = fagpu.alloc offset = 0 : !q
  %k = fagpu.alloc offset = 4096 : !k
  %s = fagpu.dot %q, %k, %acc contract = columns warps = 1 : !q, !k, vector<8xf32>
  return %s : vector<8xf32>
}

// -----

!q = memref<32x72xf32, #fagpu.sram<swizzle = 128>>
!k = memref<16x72xf32, #fagpu.sram<swizzle = 128>>

// Full chunks of 32 columns are a loop, the rest follows.

// CHECK-LABEL: func.func @fma_chunks
func.func @fma_chunks(%acc: vector<16xf32>) -> vector<16xf32>
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 32, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // CHECK: scf.for %[[CHUNK:.*]] = %c0_i32 to %c2_i32 step %c1_i32 iter_args
  // CHECK-DAG: arith.muli %[[CHUNK]], %c4096_i32
  // CHECK-DAG: arith.muli %[[CHUNK]], %c2048_i32
  // CHECK-COUNT-512: llvm.intr.fma
  // CHECK-NOT: llvm.intr.fma
  // CHECK: scf.yield
  // CHECK-COUNT-128: llvm.intr.fma
  // CHECK-NOT: llvm.intr.fma
  %q = fagpu.alloc offset = 0 : !q
  %k = fagpu.alloc offset = 16384 : !k
  %s = fagpu.dot %q, %k, %acc contract = columns warps = 1 : !q, !k, vector<16xf32>
  return %s : vector<16xf32>
}

// -----

!v = memref<16x20xf32, #fagpu.sram<swizzle = 128>>

// Along the rows P comes from the lanes of the quad, and two columns of V are read at
// once. 20 columns count as 24.

// CHECK-LABEL: func.func @fma_rows
// CHECK-SAME: (%{{.*}}: vector<12xf32>, %[[P:.*]]: vector<8xf32>)
func.func @fma_rows(%acc: vector<12xf32>, %p: vector<8xf32>) -> vector<12xf32>
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // CHECK: %[[P0:.*]] = vector.extract %[[P]][0]
  // CHECK: %[[A:.*]] = nvvm.shfl.sync idx %c-1_i32, %[[P0]], %{{.*}}, %c31_i32
  // CHECK: %[[B:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
  // CHECK: %[[B0:.*]] = llvm.extractelement %[[B]][
  // CHECK: llvm.intr.fma(%[[A]], %[[B0]],
  // 16 rows, 12 elements.
  // CHECK-COUNT-191: llvm.intr.fma
  // CHECK-NOT: llvm.intr.fma
  %v = fagpu.alloc offset = 0 : !v
  %o = fagpu.dot %p, %v, %acc contract = rows warps = 1 : vector<8xf32>, !v, vector<12xf32>
  return %o : vector<12xf32>
}

// -----

!q = memref<32x16xbf16, #fagpu.sram<swizzle = 128>>
!k = memref<16x16xbf16, #fagpu.sram<swizzle = 128>>

// Two blocks of 16 rows a warp: what was read of B serves both.

// CHECK-LABEL: func.func @mma_sync_row_blocks
// CHECK-SAME: (%{{.*}}: vector<16xf32>, %[[P:.*]]: vector<16xbf16>)
func.func @mma_sync_row_blocks(%acc: vector<16xf32>, %p: vector<16xbf16>) -> vector<16xf32>
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 32, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // CHECK: %[[A:.*]] = nvvm.ldmatrix
  // CHECK: %[[A0:.*]] = llvm.extractvalue %[[A]][0]
  // The second block is 16 * 128 bytes on.
  // CHECK: arith.addi %{{.*}}, %c2048_i32
  // CHECK: %[[LOWER:.*]] = nvvm.ldmatrix
  // CHECK: %[[LOWER0:.*]] = llvm.extractvalue %[[LOWER]][0]
  // CHECK: %[[B:.*]] = nvvm.ldmatrix
  // CHECK: %[[B0:.*]] = llvm.extractvalue %[[B]][0]
  // CHECK: %[[B2:.*]] = llvm.extractvalue %[[B]][2]
  // CHECK: nvvm.mma.sync A[%[[A0]], {{.*}} B[%[[B0]],
  // CHECK: nvvm.mma.sync A[%[[A0]], {{.*}} B[%[[B2]],
  // CHECK: nvvm.mma.sync A[%[[LOWER0]], {{.*}} B[%[[B0]],
  // CHECK: nvvm.mma.sync A[%[[LOWER0]], {{.*}} B[%[[B2]],
  // CHECK: %[[PAIRS:.*]] = vector.bitcast %[[P]] : vector<16xbf16> to vector<8xi32>
  // CHECK: %[[P0:.*]] = vector.extract %[[PAIRS]][0]
  // CHECK: %[[P4:.*]] = vector.extract %[[PAIRS]][4]
  // CHECK: nvvm.ldmatrix
  // CHECK-NOT: nvvm.ldmatrix
  // CHECK-COUNT-2: nvvm.mma.sync A[%[[P0]],
  // CHECK-COUNT-2: nvvm.mma.sync A[%[[P4]],
  // CHECK-NOT: nvvm.mma.sync
  %q = fagpu.alloc offset = 0 : !q
  %k = fagpu.alloc offset = 4096 : !k
  %s = fagpu.dot %q, %k, %acc contract = columns warps = 1 : !q, !k, vector<16xf32>
  %o = fagpu.dot %p, %k, %s contract = rows warps = 1 : vector<16xbf16>, !k, vector<16xf32>
  return %o : vector<16xf32>
}

// -----

!q = memref<16x80xf16, #fagpu.sram<swizzle = 128>>
!k = memref<8x80xf16, #fagpu.sram<swizzle = 128>>

// 80 of K are 5 steps, the last in the second chunk; 8 columns take half an ldmatrix.
// f16 is a pair of halves.

// CHECK-LABEL: func.func @mma_sync_steps
func.func @mma_sync_steps(%acc: vector<4xf32>) -> vector<4xf32>
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // CHECK-COUNT-4: nvvm.mma.sync A[{{.*}}(vector<2xf16>, vector<2xf16>, f32)
  // The second chunk of Q is 16 * 128 bytes on, that of K 8 * 128.
  // CHECK: arith.addi %{{.*}}, %c2048_i32
  // CHECK: nvvm.ldmatrix {{.*}} num = 4 : i32
  // CHECK: arith.addi %{{.*}}, %c1024_i32
  // CHECK: nvvm.ldmatrix {{.*}} num = 2 : i32
  // CHECK: nvvm.mma.sync
  // CHECK-NOT: nvvm.mma.sync
  %q = fagpu.alloc offset = 0 : !q
  %k = fagpu.alloc offset = 4096 : !k
  %s = fagpu.dot %q, %k, %acc contract = columns warps = 1 : !q, !k, vector<4xf32>
  return %s : vector<4xf32>
}

// -----

!q = memref<64x128xf16, #fagpu.sram<swizzle = 128>>
!rows = memref<16x128xf16, strided<[128, 1], offset: ?>, #fagpu.sram<swizzle = 128>>

// Rows of a tile are an address; the next chunk is as far away as in the whole tile.

// CHECK-LABEL: func.func @view
// CHECK-SAME: (%{{.*}}: vector<8xf32>, %[[ROW:.*]]: index)
func.func @view(%acc: vector<8xf32>, %row: index) -> vector<8xf32>
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // CHECK: %[[SRAM:.*]] = llvm.ptrtoint
  // CHECK: %[[ROW32:.*]] = arith.index_cast %[[ROW]] : index to i32
  // CHECK: %[[BYTES:.*]] = arith.muli %[[ROW32]], %c128_i32
  // CHECK: arith.addi %[[SRAM]], %[[BYTES]]
  // CHECK: arith.addi %{{.*}}, %c8192_i32
  // CHECK-NOT: memref.subview
  // CHECK: return
  %q = fagpu.alloc offset = 0 : !q
  %rows = memref.subview %q[%row, 0] [16, 128] [1, 1] : !q to !rows
  %s = fagpu.dot %rows, %rows, %acc contract = columns warps = 1 : !rows, !rows, vector<8xf32>
  return %s : vector<8xf32>
}

// -----

// The numbers of block and thread. Functions that are not kernels are left alone.

// CHECK-LABEL: func.func @numbers
func.func @numbers() -> (index, index)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 16, bc = 16, warps = 1>, fa.target = #fa.target<"sm_80", sram = 166912>} {
  // CHECK: %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x
  // CHECK: arith.index_castui %[[BLOCK]]
  // CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: arith.index_castui %[[THREAD]]
  %b = gpu.block_id x
  %t = gpu.thread_id x
  return %b, %t : index, index
}

// CHECK-LABEL: func.func @no_kernel
// CHECK: gpu.thread_id x
func.func @no_kernel() -> index {
  %t = gpu.thread_id x
  return %t : index
}
