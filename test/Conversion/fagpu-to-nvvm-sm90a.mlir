// RUN: fa-opt %s --convert-fagpu-to-nvvm --canonicalize --cse --split-input-file | FileCheck %s

!q = memref<64x80xbf16, #fagpu.sram<swizzle = 128>>
!k = memref<32x80xbf16, #fagpu.sram<swizzle = 128>>

// Descriptors: address / 16, a stride of 1024 bytes between groups of 8 rows, 128-byte
// swizzle. A step of 16 columns is 32 bytes on, the next chunk of 64 as far as a tile
// is high; a step of 16 rows is 2048 bytes on, and chunks are the leading offset.

// CHECK-LABEL: func.func @wgmma
// CHECK-SAME: (%[[ACC:.*]]: vector<40xf32>, %[[P:.*]]: vector<16xbf16>)
func.func @wgmma(%acc: vector<40xf32>, %p: vector<16xbf16>) -> (vector<16xf32>, vector<40xf32>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 64, bc = 32, groups = 1, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>} {
  // 1 << 62 | 64 << 32 | 1 << 16, and | 4096 / 16 << 16.
  // CHECK-DAG: %[[COLUMNS:.*]] = arith.constant 4611686293305360384 : i64
  // CHECK-DAG: %[[ROWS:.*]] = arith.constant 4611686293322072064 : i64
  // CHECK: %[[SRAM:.*]] = llvm.ptrtoint
  // CHECK: %[[KTILE:.*]] = arith.addi %[[SRAM]], %c16384_i32
  // CHECK: %[[KUNITS:.*]] = arith.shrui %[[KTILE]], %c4_i32
  // CHECK: %[[KADDRESS:.*]] = arith.andi %[[KUNITS]], %c16383_i32
  // CHECK: %[[KADDRESS64:.*]] = arith.extui %[[KADDRESS]] : i32 to i64
  // CHECK: %[[K0:.*]] = arith.ori %[[KADDRESS64]], %[[COLUMNS]]
  // CHECK: %[[K1:.*]] = arith.addi %[[K0]], %c2_i64
  // CHECK: %[[K2:.*]] = arith.addi %[[K0]], %c4_i64
  // CHECK: %[[K3:.*]] = arith.addi %[[K0]], %c6_i64
  // CHECK: %[[K4:.*]] = arith.addi %[[K0]], %c256_i64
  // CHECK: %[[Q0:.*]] = arith.ori %{{.*}}, %[[COLUMNS]]
  // CHECK: %[[Q4:.*]] = arith.addi %[[Q0]], %c512_i64
  // C = 0 is a flag of the first step, and so the results are written early.
  // CHECK: llvm.inline_asm has_side_effects "{\0Awgmma.fence.sync.aligned;\0A
  // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {$0, {{[^}]*}}, $15}, $16, $17, 0, 1, 1, 0, 0;\0A
  // CHECK-SAME: {$0, {{[^}]*}}, $15}, $18, $19, 1, 1, 1, 0, 0;\0A
  // CHECK-SAME: {$0, {{[^}]*}}, $15}, $24, $25, 1, 1, 1, 0, 0;\0A
  // CHECK-SAME: wgmma.commit_group.sync.aligned;\0A}"
  // CHECK-SAME: "=&f,=&f,{{.*}},l,l,l,l,l,l,l,l,l,l,~{memory}"
  // CHECK-SAME: %[[Q0]], %[[K0]], {{.*}}, %[[K1]], {{.*}}, %[[K2]], {{.*}}, %[[K3]], %[[Q4]], %[[K4]] :
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %q = fagpu.alloc offset = 0 : !q
  %k = fagpu.alloc offset = 16384 : !k
  %s = fagpu.dot %q, %k, %zero contract = columns warps = 4 : !q, !k, vector<16xf32>
  // The accumulators pass through the wait.
  // CHECK: %[[WAITED:.*]] = llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 1;", "=f,{{.*}},0,1,{{.*}},15,~{memory}"
  // CHECK: llvm.extractvalue %[[WAITED]][0]
  %s1 = fagpu.wait_dot %s pending = 1 : vector<16xf32>
  // A from registers; the accumulators are inputs too.
  // CHECK: %[[V0:.*]] = arith.ori %[[KADDRESS64]], %[[ROWS]]
  // CHECK: %[[V1:.*]] = arith.addi %[[V0]], %c128_i64
  // CHECK: %[[PAIRS:.*]] = vector.bitcast %[[P]] : vector<16xbf16> to vector<8xi32>
  // CHECK: wgmma.mma_async.sync.aligned.m64n80k16.f32.bf16.bf16 {$0, {{[^}]*}}, $39}, {$80, $81, $82, $83}, $84, 1, 1, 1, 1;\0A
  // CHECK-SAME: {$85, $86, $87, $88}, $89, 1, 1, 1, 1;\0A
  // CHECK-SAME: "=f,{{.*}},0,1,{{.*}},39,r,r,r,r,l,r,r,r,r,l,~{memory}"
  %o = fagpu.dot %p, %k, %acc contract = rows warps = 4 : vector<16xbf16>, !k, vector<40xf32>
  return %s1, %o : vector<16xf32>, vector<40xf32>
}

// -----

!k = memref<16x128xbf16, #fagpu.sram<swizzle = 128>>
!v = memref<16x72xbf16, #fagpu.sram<swizzle = 128>>
!q = memref<64x72xbf16, #fagpu.sram<swizzle = 128>>

// A tensor map is appended for each argument and box, and its recipe to fa.kernel: 128
// columns are two chunks of 64 in one box; 72 are two boxes, of which the second
// reaches past the end of the row.

// CHECK-LABEL: func.func @roles
// CHECK-SAME: %[[KMAP:[^:,]*]]: !llvm.ptr, %[[VMAP:[^:,]*]]: !llvm.ptr, %[[STOREMAP:[^:,]*]]: !llvm.ptr)
// CHECK-SAME: arguments = [{tensor = "K"}, {tensor = "V"},
// CHECK-SAME: {box = [64, 16, 2, 1, 1], dims = [{size = 64 : i64, stride = 2 : i64}, {size = "rows", stride = "rows"}, {size = 2 : i64, stride = 128 : i64}, {size = "heads", stride = "heads"}, {size = "batch", stride = "batch"}], kind = "tensor_map", swizzle = 128 : i64, tensor = "K"},
// CHECK-SAME: {box = [64, 16, 1, 1, 1], dims = [{size = 72 : i64, stride = 2 : i64}, {size = "rows", stride = "rows"}, {size = 1 : i64, stride = 128 : i64}, {size = "heads", stride = "heads"}, {size = "batch", stride = "batch"}], kind = "tensor_map", swizzle = 128 : i64, tensor = "V"},
// CHECK-SAME: {box = [64, 64, 1, 1, 1]{{.*}}tensor = "V"}]
func.func @roles(%K: memref<?x?x?x128xbf16>, %V: memref<?x?x?x72xbf16>, %b: index, %t: index, %f: vector<36xbf16>)
    attributes {fa.kernel = {arguments = [{tensor = "K"}, {tensor = "V"}], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4, stages = 2>, fa.target = #fa.target<"sm_90a", sram = 232448>} {
  // Barriers follow the tiles, two a stage: full, with one arrival, and empty, with one
  // of each of 8 warps. All are initialised, and all tensor maps fetched, before the
  // roles part; the barrier of the block is the only one that both pass.
  // CHECK: %[[SRAM:.*]] = llvm.ptrtoint
  // CHECK-DAG: %[[KFULL:.*]] = arith.addi %[[SRAM]], %c32768_i32
  // CHECK-DAG: %[[KEMPTY:.*]] = arith.addi %[[SRAM]], %c32784_i32
  // CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %c0_i32
  // CHECK: scf.if %[[FIRST]] {
  // CHECK-NEXT: "prefetch.tensormap [$0];", "l,~{memory}" %[[KMAP]]
  // CHECK-NEXT: "prefetch.tensormap [$0];", "l,~{memory}" %[[VMAP]]
  // CHECK-NEXT: "prefetch.tensormap [$0];", "l,~{memory}" %[[STOREMAP]]
  // CHECK-NEXT: "mbarrier.init.shared::cta.b64 [$0], 1;", "r,~{memory}" %[[KFULL]]
  // CHECK-NEXT: "mbarrier.init.shared::cta.b64 [$0], 8;", "r,~{memory}" %[[KEMPTY]]
  // CHECK-COUNT-6: mbarrier.init
  // CHECK:   fence.mbarrier_init.release.cluster
  // CHECK: }
  // CHECK: nvvm.barrier0
  // CHECK-NOT: nvvm.barrier0
  // CHECK-NOT: mbarrier.init
  %kring = fagpu.alloc offset = 0 : !fagpu.ring<2, !k>
  %vring = fagpu.alloc offset = 8192 : !fagpu.ring<2, !v>
  %q = fagpu.alloc offset = 16384 : !q

  // CHECK: %[[GROUP:.*]] = arith.divui %[[THREAD]], %c128_i32
  // The number of the row group, by way of a reduction of the warp, whose result stands
  // in a uniform register; the turns are named barriers of their own, 1 + groups + g, after those of stores.
  // CHECK: %[[MINUS1:.*]] = arith.addi %[[GROUP]], %c-1_i32
  // CHECK: %[[GROUPID:.*]] = nvvm.redux.sync max %[[MINUS1]], %c-1_i32 : i32 -> i32
  // CHECK: %[[OWN:.*]] = arith.addi %[[GROUPID]], %c3_i32
  // CHECK: %[[ISLAST:.*]] = arith.cmpi eq, %[[GROUPID]], %c1_i32
  // CHECK: %[[AFTER:.*]] = arith.addi %[[GROUPID]], %c4_i32
  // CHECK: %[[NEXT:.*]] = arith.select %[[ISLAST]], %c3_i32, %[[AFTER]]
  // CHECK: %[[ISPRODUCER:.*]] = arith.cmpi eq, %[[GROUP]], %c0_i32
  // CHECK: scf.if %[[ISPRODUCER]] {
  // CHECK:   setmaxnreg.dec.sync.aligned.u32 24
  // CHECK:   scf.if %[[FIRST]] {
  // The stage is waited for with the parity of the use before.
  // CHECK:     %[[STAGE:.*]] = arith.remui %[[T:.*]], %c2_i32
  // CHECK:     %[[USE:.*]] = arith.divui %[[T]], %c2_i32
  // CHECK:     %[[STAGEBYTES:.*]] = arith.muli %[[STAGE]], %c8_i32
  // CHECK:     %[[EMPTY:.*]] = arith.addi %[[KEMPTY]], %[[STAGEBYTES]]
  // CHECK:     %[[PARITY:.*]] = arith.remui %[[USE]], %c2_i32
  // CHECK:     %[[BEFORE:.*]] = arith.xori %[[PARITY]], %c1_i32
  // CHECK:     mbarrier.try_wait.parity.shared::cta.b64{{.*}} %[[EMPTY]], %[[BEFORE]]
  // CHECK:     %[[FULL:.*]] = arith.addi %[[KFULL]], %[[STAGEBYTES]]
  // CHECK:     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 4096;", "r,~{memory}" %[[FULL]]
  // CHECK:     cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes{{.*}} %{{.*}}, %[[KMAP]], %c0_i32, %[[T]], %c0_i32, %{{.*}}, %{{.*}}, %[[FULL]]
  // CHECK:     mbarrier.try_wait
  // CHECK:     mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 4096;
  // CHECK:     cp.async.bulk.tensor{{.*}} %{{.*}}, %[[VMAP]], %c0_i32,
  // CHECK:     cp.async.bulk.tensor{{.*}} %{{.*}}, %[[VMAP]], %c64_i32,
  // CHECK:   }
  fagpu.specialize groups = 2 registers = (24, 240) producer {
    fagpu.load %kring[%t] from %K[%b, %b, %t] : !fagpu.ring<2, !k>, memref<?x?x?x128xbf16>
    fagpu.load %vring[%t] from %V[%b, %b, %t] : !fagpu.ring<2, !v>, memref<?x?x?x72xbf16>
  // CHECK: } else {
  // CHECK:   setmaxnreg.inc.sync.aligned.u32 240
  } consumer {
    // CHECK: arith.index_castui %[[GROUPID]] : i32 to index
    %g = fagpu.group_id
    // By the threads of two groups: who waits, and who lets it go on.
    // CHECK: "bar.sync $0, 256;", "r,~{memory}" %[[OWN]]
    // CHECK: "bar.arrive $0, 256;", "r,~{memory}" %[[NEXT]]
    fagpu.await_turn
    fagpu.pass_turn
    // CHECK: mbarrier.try_wait.parity.shared::cta.b64
    %k = fagpu.acquire %kring[%t] : !fagpu.ring<2, !k>
    // One lane of a warp arrives.
    // CHECK: %[[LANE:.*]] = arith.remui %[[THREAD]], %c32_i32
    // CHECK: %[[ISFIRST:.*]] = arith.cmpi eq, %[[LANE]], %c0_i32
    // CHECK: scf.if %[[ISFIRST]] {
    // CHECK:   mbarrier.arrive.shared::cta.b64 _, [$0];
    // CHECK: }
    fagpu.release %kring[%t] : !fagpu.ring<2, !k>
    // 72 columns are 4 matrices four times and 2 once.
    // CHECK-COUNT-4: nvvm.stmatrix %{{.*}} : !llvm.ptr<3>, i32, i32, i32, i32
    // CHECK: nvvm.stmatrix %{{.*}} : !llvm.ptr<3>, i32, i32{{$}}
    fagpu.store_fragment %f to %q warps = 4 : vector<36xbf16>, !q
    // By the threads of this group, and one of them.
    // CHECK: fence.proxy.async.shared::cta
    // CHECK: bar.sync $0, 128;{{.*}} %[[GROUP]]
    // CHECK: scf.if
    // CHECK:   cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group{{.*}} %[[STOREMAP]], %c0_i32,
    // CHECK:   cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group{{.*}} %[[STOREMAP]], %c64_i32,
    // CHECK:   nvvm.cp.async.bulk.commit.group
    // CHECK:   nvvm.cp.async.bulk.wait_group 0 {read}
    fagpu.store %q to %V[%b, %g, %t] : !q, memref<?x?x?x72xbf16>
  }
  return
}

// -----

// A whole tile whose columns fill its chunks is stored in one box; rows of a larger
// one, whose chunks lie further apart, in a box a chunk.

// CHECK-LABEL: func.func @boxes
// CHECK-SAME: %[[ONE:[^:,]*]]: !llvm.ptr, %[[EACH:[^:,]*]]: !llvm.ptr)
// CHECK-SAME: arguments = [{tensor = "O"}, {box = [64, 64, 2, 1, 1],
// CHECK-SAME: tensor = "O"}, {box = [64, 64, 1, 1, 1],
func.func @boxes(%O: memref<?x?x?x128xbf16>, %b: index, %h: index, %row: index)
    attributes {fa.kernel = {arguments = [{tensor = "O"}], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4, stages = 2>, fa.target = #fa.target<"sm_90a", sram = 232448>} {
  // CHECK: %[[SRAM:.*]] = llvm.ptrtoint
  // CHECK: %[[ROWS:.*]] = arith.addi %[[SRAM]], %c16384_i32
  %tile = fagpu.alloc offset = 0 : memref<64x128xbf16, #fagpu.sram<swizzle = 128>>
  %block = fagpu.alloc offset = 16384 : memref<128x128xbf16, #fagpu.sram<swizzle = 128>>
  // CHECK: cp.async.bulk.tensor.5d.global{{.*}} %[[ONE]], %c0_i32, %{{.*}}, %c0_i32, %{{.*}}, %{{.*}}, %[[SRAM]] :
  // CHECK-NEXT: nvvm.cp.async.bulk.commit.group
  fagpu.store %tile to %O[%b, %h, %row] : memref<64x128xbf16, #fagpu.sram<swizzle = 128>>, memref<?x?x?x128xbf16>
  // CHECK: cp.async.bulk.tensor.5d.global{{.*}} %[[EACH]], %c0_i32, %{{.*}}, %c0_i32, %{{.*}}, %{{.*}}, %[[ROWS]] :
  // CHECK: cp.async.bulk.tensor.5d.global{{.*}} %[[EACH]], %c0_i32, %{{.*}}, %c1_i32, %{{.*}}, %{{.*}}, %{{.*}} :
  // CHECK-NEXT: nvvm.cp.async.bulk.commit.group
  %c0 = arith.constant 0 : index
  %rows = memref.subview %block[0, 0] [64, 128] [1, 1]
      : memref<128x128xbf16, #fagpu.sram<swizzle = 128>> to memref<64x128xbf16, strided<[128, 1]>, #fagpu.sram<swizzle = 128>>
  fagpu.store %rows to %O[%b, %h, %row] : memref<64x128xbf16, strided<[128, 1]>, #fagpu.sram<swizzle = 128>>, memref<?x?x?x128xbf16>
  return
}

// -----

// Two elements of 16 bits that a loop carries are one register, since each is one
// from block to block.

// CHECK-LABEL: func.func @carried
// CHECK-SAME: (%[[P:[^:]*]]: vector<4xbf16>, %[[ODD:[^:]*]]: vector<3xbf16>, %[[X:[^:]*]]: vector<4xf32>,
func.func @carried(%p: vector<4xbf16>, %odd: vector<3xbf16>, %x: vector<4xf32>, %n: index)
    -> (vector<4xbf16>, vector<3xbf16>, vector<4xf32>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[PAIRS:.*]] = vector.bitcast %[[P]] : vector<4xbf16> to vector<2xi32>
  // CHECK: %[[R:.*]]:3 = scf.for %{{.*}} iter_args(%[[PT:.*]] = %[[PAIRS]], %{{.*}} = %[[ODD]], %{{.*}} = %[[X]]) -> (vector<2xi32>, vector<3xbf16>, vector<4xf32>) {
  // CHECK:   %[[OLD:.*]] = vector.bitcast %[[PT]] : vector<2xi32> to vector<4xbf16>
  // CHECK:   %[[NEW:.*]] = arith.addf %[[OLD]], %[[P]] : vector<4xbf16>
  // CHECK:   %[[NEXT:.*]] = vector.bitcast %[[NEW]] : vector<4xbf16> to vector<2xi32>
  // CHECK:   scf.yield %[[NEXT]],
  // CHECK: }
  // CHECK: %[[LAST:.*]] = vector.bitcast %[[R]]#0 : vector<2xi32> to vector<4xbf16>
  // CHECK: return %[[LAST]], %[[R]]#1, %[[R]]#2
  %r:3 = scf.for %t = %c0 to %n step %c1 iter_args(%pt = %p, %ot = %odd, %xt = %x) -> (vector<4xbf16>, vector<3xbf16>, vector<4xf32>) {
    %q = arith.addf %pt, %p : vector<4xbf16>
    %o = arith.addf %ot, %odd : vector<3xbf16>
    %y = arith.addf %xt, %x : vector<4xf32>
    scf.yield %q, %o, %y : vector<4xbf16>, vector<3xbf16>, vector<4xf32>
  }
  return %r#0, %r#1, %r#2 : vector<4xbf16>, vector<3xbf16>, vector<4xf32>
}

// -----

!q = memref<64x80xbf16, #fagpu.sram<swizzle = 128, tail = 32>>
!k = memref<32x80xbf16, #fagpu.sram<swizzle = 128, tail = 32>>
!v = memref<32x80xbf16, #fagpu.sram<swizzle = 32>>
!w = memref<32x96xbf16, #fagpu.sram<swizzle = 64>>

// Narrow chunks. The step in the tail is past the chunk of 64 columns, and its
// descriptor has the swizzle code 3 instead of 1 (2 << 62) and a stride of 256 bytes
// between groups of 8 rows instead of 1024 (-48 << 32). Of chunks of 16 columns the
// leading offset is 32 rows of 32 bytes, and a step of 16 rows 512 bytes; of chunks of 32
// columns both are twice that.

// CHECK-LABEL: func.func @narrow_wgmma
func.func @narrow_wgmma(%p: vector<16xbf16>, %acc: vector<40xf32>, %wide: vector<48xf32>) -> (vector<16xf32>, vector<40xf32>, vector<48xf32>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 64, bc = 32, groups = 1, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>} {
  // 1 << 62 | 64 << 32 | 1 << 16; 2 << 62 - 48 << 32 + 4096 / 16, and + 8192 / 16.
  // CHECK-DAG: %[[COLUMNS:.*]] = arith.constant 4611686293305360384 : i64
  // CHECK-DAG: %[[KTAIL:.*]] = arith.constant 9223371830696345856 : i64
  // CHECK-DAG: %[[QTAIL:.*]] = arith.constant 9223371830696346112 : i64
  // 3 << 62 | 16 << 32 | 1024 / 16 << 16, and 2 << 62 | 32 << 32 | 2048 / 16 << 16.
  // CHECK-DAG: %[[ROWS32:.*]] = arith.constant -4611685949703716864 : i64
  // CHECK-DAG: %[[ROWS64:.*]] = arith.constant -9223371899407433728 : i64
  // CHECK: %[[K0:.*]] = arith.ori %{{.*}}, %[[COLUMNS]]
  // CHECK: %[[K1:.*]] = arith.addi %[[K0]], %c2_i64
  // CHECK: %[[K3:.*]] = arith.addi %[[K0]], %c6_i64
  // CHECK: %[[K4:.*]] = arith.addi %[[K0]], %[[KTAIL]]
  // CHECK: %[[Q0:.*]] = arith.ori %{{.*}}, %[[COLUMNS]]
  // CHECK: %[[Q4:.*]] = arith.addi %[[Q0]], %[[QTAIL]]
  // CHECK: wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16
  // CHECK-SAME: %[[Q4]], %[[K4]] :
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %q = fagpu.alloc offset = 0 : !q
  %k = fagpu.alloc offset = 16384 : !k
  %v = fagpu.alloc offset = 32768 : !v
  %w = fagpu.alloc offset = 49152 : !w
  %s = fagpu.dot %q, %k, %zero contract = columns warps = 4 : !q, !k, vector<16xf32>
  // CHECK: %[[V0:.*]] = arith.ori %{{.*}}, %[[ROWS32]]
  // CHECK: %[[V1:.*]] = arith.addi %[[V0]], %c32_i64
  // CHECK: wgmma.mma_async.sync.aligned.m64n80k16.f32.bf16.bf16
  %o = fagpu.dot %p, %v, %acc contract = rows warps = 4 : vector<16xbf16>, !v, vector<40xf32>
  // CHECK: %[[W0:.*]] = arith.ori %{{.*}}, %[[ROWS64]]
  // CHECK: %[[W1:.*]] = arith.addi %[[W0]], %c64_i64
  // CHECK: wgmma.mma_async.sync.aligned.m64n96k16.f32.bf16.bf16
  %x = fagpu.dot %p, %w, %wide contract = rows warps = 4 : vector<16xbf16>, !w, vector<48xf32>
  return %s, %o, %x : vector<16xf32>, vector<40xf32>, vector<48xf32>
}

// -----

!k = memref<48x72xbf16, #fagpu.sram<swizzle = 128, tail = 32>>
!v = memref<48x160xbf16, #fagpu.sram<swizzle = 64>>
!q = memref<64x160xbf16, #fagpu.sram<swizzle = 128, tail = 64>>

// A tail has a map of its own, of which the part past the end of a row is zeros; chunks of
// one width that are full have one box. Stages begin at multiples of 1024 bytes, and bring
// what is in their boxes.

// CHECK-LABEL: func.func @narrow_boxes
// CHECK-SAME: %[[KMAP:[^:,]*]]: !llvm.ptr, %[[KTAIL:[^:,]*]]: !llvm.ptr, %[[VMAP:[^:,]*]]: !llvm.ptr, %[[OMAP:[^:,]*]]: !llvm.ptr, %[[OTAIL:[^:,]*]]: !llvm.ptr)
// CHECK-SAME: {box = [64, 48, 1, 1, 1], dims = [{size = 64 : i64, stride = 2 : i64}, {size = "rows", stride = "rows"}, {size = 1 : i64, stride = 128 : i64}, {{.*}}swizzle = 128 : i64, tensor = "K"},
// CHECK-SAME: {box = [16, 48, 1, 1, 1], dims = [{size = 72 : i64, stride = 2 : i64}, {{.*}}swizzle = 32 : i64, tensor = "K"},
// CHECK-SAME: {box = [32, 48, 5, 1, 1], dims = [{size = 32 : i64, stride = 2 : i64}, {size = "rows", stride = "rows"}, {size = 5 : i64, stride = 64 : i64}, {{.*}}swizzle = 64 : i64, tensor = "V"},
// CHECK-SAME: {box = [64, 64, 2, 1, 1], dims = [{size = 64 : i64, stride = 2 : i64}, {size = "rows", stride = "rows"}, {size = 2 : i64, stride = 128 : i64}, {{.*}}swizzle = 128 : i64, tensor = "O"},
// CHECK-SAME: {box = [32, 64, 1, 1, 1], dims = [{size = 160 : i64, stride = 2 : i64}, {{.*}}swizzle = 64 : i64, tensor = "O"}]
func.func @narrow_boxes(%K: memref<?x?x?x72xbf16>, %V: memref<?x?x?x160xbf16>, %O: memref<?x?x?x160xbf16>, %b: index, %t: index)
    attributes {fa.kernel = {arguments = [{tensor = "K"}, {tensor = "V"}, {tensor = "O"}], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 64, bc = 48, groups = 1, warps = 4, stages = 2>, fa.target = #fa.target<"sm_90a", sram = 232448>} {
  %kring = fagpu.alloc offset = 0 : !fagpu.ring<2, !k>
  %vring = fagpu.alloc offset = 16384 : !fagpu.ring<2, !v>
  %q = fagpu.alloc offset = 65536 : !q
  // 48 rows of 128 + 32 bytes are 7680, in 8 KiB.
  // CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 7680;
  // CHECK: %[[STAGE:.*]] = arith.muli %{{.*}}, %c8192_i32
  // CHECK: %[[TILE:.*]] = arith.addi %{{.*}}, %[[STAGE]]
  // CHECK: cp.async.bulk.tensor{{.*}} %[[TILE]], %[[KMAP]], %c0_i32,
  // CHECK: %[[TAIL:.*]] = arith.addi %[[TILE]], %c6144_i32
  // CHECK: cp.async.bulk.tensor{{.*}} %[[TAIL]], %[[KTAIL]], %c64_i32, %{{.*}}, %c0_i32,
  // CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 15360;
  // CHECK: cp.async.bulk.tensor{{.*}} %{{.*}}, %[[VMAP]], %c0_i32, %{{.*}}, %c0_i32,
  // CHECK-NOT: cp.async.bulk.tensor
  // CHECK: } else {
  fagpu.specialize groups = 1 registers = (24, 240) producer {
    fagpu.load %kring[%t] from %K[%b, %b, %t] : !fagpu.ring<2, !k>, memref<?x?x?x72xbf16>
    fagpu.load %vring[%t] from %V[%b, %b, %t] : !fagpu.ring<2, !v>, memref<?x?x?x160xbf16>
  } consumer {
    // CHECK: cp.async.bulk.tensor.5d.global{{.*}} %[[OMAP]], %c0_i32, %{{.*}}, %c0_i32,
    // CHECK: cp.async.bulk.tensor.5d.global{{.*}} %[[OTAIL]], %c128_i32, %{{.*}}, %c0_i32,
    // CHECK-NEXT: nvvm.cp.async.bulk.commit.group
    fagpu.store %q to %O[%b, %b, %t] : !q, memref<?x?x?x160xbf16>
  }
  return
}

// -----

!q = memref<64x80xbf16, #fagpu.sram<swizzle = 128, tail = 32>>

// Within a chunk of 8 units a lane's unit is exchanged by its row mod 8; in one of 2 by its
// row / 4 mod 2. The tail is past 64 rows of 128 bytes.

// CHECK-LABEL: func.func @narrow_stmatrix
func.func @narrow_stmatrix(%f: vector<40xbf16>)
    attributes {fa.kernel = {arguments = [], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 64, bc = 16, groups = 1, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>} {
  // CHECK: %[[SRAM:.*]] = llvm.ptrtoint
  // CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c32_i32
  // CHECK: %[[INEIGHT:.*]] = arith.remui %[[LANE]], %c8_i32
  // CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %[[INEIGHT]]
  // CHECK: %[[UPPER:.*]] = arith.divui %[[LANE]], %c16_i32
  // CHECK: %[[UNIT:.*]] = arith.xori %[[UPPER]], %[[INEIGHT]]
  // CHECK: arith.muli %[[ROW]], %c128_i32
  // CHECK-COUNT-4: nvvm.stmatrix
  // CHECK: %[[INFOUR:.*]] = arith.divui %[[INEIGHT]], %c4_i32
  // CHECK: %[[TAILUNIT:.*]] = arith.xori %[[UPPER]], %[[INFOUR]]
  // CHECK: %[[TAILROW:.*]] = arith.muli %[[ROW]], %c32_i32
  // CHECK: %[[OFROW:.*]] = arith.addi %[[SRAM]], %[[TAILROW]]
  // CHECK: %[[BYTES:.*]] = arith.muli %[[TAILUNIT]], %c16_i32
  // CHECK: %[[INCHUNK:.*]] = arith.addi %[[OFROW]], %[[BYTES]]
  // CHECK: %[[ADDRESS:.*]] = arith.addi %[[INCHUNK]], %c8192_i32
  // CHECK: llvm.inttoptr %[[ADDRESS]]
  // CHECK: nvvm.stmatrix %{{.*}} : !llvm.ptr<3>, i32, i32, i32, i32
  // CHECK-NOT: nvvm.stmatrix
  %q = fagpu.alloc offset = 0 : !q
  fagpu.store_fragment %f to %q warps = 4 : vector<40xbf16>, !q
  return
}

// -----

!q = memref<64x64xbf16, #fagpu.sram<swizzle = 128>>
!qring = !fagpu.ring<4, !q>

// A block that takes query tiles in turn. The address of a counter comes before the
// tensor maps. After the barriers of the rings, at 32768, stand two places for what is
// posted, with barriers of their own: full, with one arrival, and empty, with one of
// each of 8 warps, where a stage of Q is released by the 4 warps of one row group.

// CHECK-LABEL: func.func @persistent
// CHECK-SAME: %[[TOTAL:[^:,]*]]: i32, %{{.*}}: index, %[[TURN:[^:,]*]]: i32, %[[COUNTER:[^:,]*]]: !llvm.ptr<1>, %[[QMAP:[^:,]*]]: !llvm.ptr)
// CHECK-SAME: arguments = [{tensor = "Q"}, {}, {}, {}, {kind = "counter"}, {{[{]}}box = {{.*}}tensor = "Q"}]
func.func @persistent(%Q: memref<?x?x?x64xbf16>, %total: i32, %b: index, %turn: i32)
    attributes {fa.kernel = {arguments = [{tensor = "Q"}, {}, {}, {}], sram_bytes = 0 : i64}, fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 4, stages = 2, persistent = 2>, fa.target = #fa.target<"sm_90a", sram = 232448>} {
  // CHECK: %[[SRAM:.*]] = llvm.ptrtoint
  // CHECK-DAG: %[[QFULL:.*]] = arith.addi %[[SRAM]], %c32768_i32
  // CHECK-DAG: %[[QEMPTY:.*]] = arith.addi %[[SRAM]], %c32800_i32
  // CHECK-DAG: %[[FULL:.*]] = arith.addi %[[SRAM]], %c32832_i32
  // CHECK-DAG: %[[EMPTY:.*]] = arith.addi %[[SRAM]], %c32848_i32
  // CHECK-DAG: %[[WORDS:.*]] = arith.addi %[[SRAM]], %c32864_i32
  // CHECK: scf.if
  // CHECK: "mbarrier.init.shared::cta.b64 [$0], 1;", "r,~{memory}" %[[QFULL]]
  // CHECK-NEXT: "mbarrier.init.shared::cta.b64 [$0], 4;", "r,~{memory}" %[[QEMPTY]]
  // CHECK-COUNT-6: mbarrier.init
  // CHECK: "mbarrier.init.shared::cta.b64 [$0], 1;", "r,~{memory}" %[[FULL]]
  // CHECK-NEXT: "mbarrier.init.shared::cta.b64 [$0], 8;", "r,~{memory}" %[[EMPTY]]
  // CHECK-NEXT: %[[FULL1:.*]] = arith.addi %[[SRAM]], %c32840_i32
  // CHECK-NEXT: "mbarrier.init.shared::cta.b64 [$0], 1;", "r,~{memory}" %[[FULL1]]
  // CHECK-NEXT: %[[EMPTY1:.*]] = arith.addi %[[SRAM]], %c32856_i32
  // CHECK-NEXT: "mbarrier.init.shared::cta.b64 [$0], 8;", "r,~{memory}" %[[EMPTY1]]
  // CHECK-NEXT: fence.mbarrier_init
  // CHECK: setmaxnreg.dec.sync.aligned.u32 40
  %qring = fagpu.alloc offset = 0 readers = 1 : !qring
  fagpu.specialize groups = 2 registers = (40, 232) producer {
    // The place is empty: the parity of the use before. Then 1, and the values, at 52
    // bytes a place.
    // CHECK: %[[PLACE:.*]] = arith.remui %[[TURN]], %c2_i32
    // CHECK: %[[USE:.*]] = arith.divui %[[TURN]], %c2_i32
    // CHECK: %[[BYTES:.*]] = arith.muli %[[PLACE]], %c8_i32
    // CHECK: %[[OWNEMPTY:.*]] = arith.addi %[[EMPTY]], %[[BYTES]]
    // CHECK: %[[PARITY:.*]] = arith.remui %[[USE]], %c2_i32
    // CHECK: %[[BEFORE:.*]] = arith.xori %[[PARITY]], %c1_i32
    // CHECK: mbarrier.try_wait.parity.shared::cta.b64{{.*}} %[[OWNEMPTY]], %[[BEFORE]]
    // CHECK: %[[OFFSET:.*]] = arith.muli %[[PLACE]], %c52_i32
    // CHECK: %[[WORD0:.*]] = arith.addi %[[WORDS]], %[[OFFSET]]
    // CHECK: %[[P0:.*]] = llvm.inttoptr %[[WORD0]]
    // CHECK: llvm.store %c1_i32, %[[P0]]
    // CHECK: %[[WORD1:.*]] = arith.addi %[[WORD0]], %c4_i32
    // CHECK: %[[P1:.*]] = llvm.inttoptr %[[WORD1]]
    // CHECK: llvm.store %[[TOTAL]], %[[P1]]
    // CHECK: %[[WORD2:.*]] = arith.addi %[[WORD0]], %c8_i32
    // CHECK: %[[P2:.*]] = llvm.inttoptr %[[WORD2]]
    // CHECK: llvm.store %[[TURN]], %[[P2]]
    // CHECK: %[[OWNFULL:.*]] = arith.addi %[[FULL]], %[[BYTES]]
    // CHECK: "mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}" %[[OWNFULL]]
    fagpu.post_block %total, %turn at %turn
    // CHECK: cp.async.bulk.tensor{{.*}} %[[QMAP]]
    fagpu.load %qring[%b] from %Q[%b, %b, %b] : !qring, memref<?x?x?x64xbf16>
    // The first draw is the number of the first block that was not launched. The last
    // one sets the counter back.
    // CHECK: %[[DRAWN:.*]] = llvm.atomicrmw add %[[COUNTER]], %c1_i32 syncscope("device") monotonic
    // CHECK: %[[MOST:.*]] = arith.subi %[[TOTAL]], %c1_i32
    // CHECK: %[[ISLAST:.*]] = arith.cmpi eq, %[[DRAWN]], %[[MOST]]
    // CHECK: scf.if %[[ISLAST]] {
    // CHECK-NEXT: llvm.store %c0_i32, %[[COUNTER]]
    // CHECK-NEXT: }
    // CHECK: %[[GRID:.*]] = nvvm.read.ptx.sreg.nctaid.x
    // CHECK: %[[NEXT:.*]] = arith.addi %[[GRID]], %[[DRAWN]]
    %next = fagpu.draw_block of %total
    // Nothing is left: 0 alone.
    // CHECK: arith.remui %[[NEXT]], %c2_i32
    // CHECK: llvm.store %c0_i32
    // CHECK-NOT: llvm.store
    // CHECK: mbarrier.arrive
    fagpu.post_block at %next
  } consumer {
    // CHECK: setmaxnreg.inc.sync.aligned.u32 232
    // CHECK: %[[FULLNOW:.*]] = arith.addi %[[FULL]], %{{.*}}
    // CHECK: %[[PARITY:.*]] = arith.remui %{{.*}}, %c2_i32
    // CHECK: mbarrier.try_wait.parity.shared::cta.b64{{.*}} %[[FULLNOW]], %[[PARITY]]
    // CHECK: %[[WORD:.*]] = arith.addi %[[WORDS]], %{{.*}}
    // CHECK: %[[P:.*]] = llvm.inttoptr %[[WORD]]
    // CHECK: %[[LOADED:.*]] = llvm.load volatile %[[P]]
    // CHECK: %[[FLAG:.*]] = nvvm.redux.sync max %[[LOADED]], %c-1_i32
    // CHECK: %[[LEFT:.*]] = arith.cmpi ne, %[[FLAG]], %c0_i32
    // CHECK: scf.if %[[LEFT]] {
    %left = fagpu.acquire_block at %turn
    scf.if %left {
      // Value 1 is word 2. A value is read each time, and is the same in the warp.
      // CHECK: %[[WORD2:.*]] = arith.addi %[[WORD]], %c8_i32
      // CHECK: %[[P2:.*]] = llvm.inttoptr %[[WORD2]]
      // CHECK: %[[VALUE:.*]] = llvm.load volatile %[[P2]]
      // CHECK: %[[X:.*]] = nvvm.redux.sync max %[[VALUE]], %c-1_i32
      // CHECK: %[[Y:.*]] = nvvm.redux.sync max
      // CHECK: arith.addi %[[X]], %[[Y]]
      %x = fagpu.read_block 1 at %turn
      %y = fagpu.read_block 1 at %turn
      %z = arith.addi %x, %y : i32
      // One lane of each warp.
      // CHECK: %[[OWNEMPTY:.*]] = arith.addi %[[EMPTY]],
      // CHECK: scf.if
      // CHECK-NEXT: "mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}" %[[OWNEMPTY]]
      fagpu.release_block at %z
    }
  }
  return
}
