// RUN: fa-opt %s --fa-outline-kernel --cse --split-input-file | FileCheck %s

// Block n has query tile n mod T_r of head (n / T_r) mod H of batch n / T_r / H. What
// the caller must know stands in fa.kernel.

// CHECK-LABEL: func.func @full
// CHECK-SAME: fa.kernel = {
// CHECK-SAME: arguments = [{kind = "memref", tensor = "Q"}, {kind = "memref", tensor = "K"}, {kind = "memref", tensor = "V"}, {kind = "memref", tensor = "O"}, {kind = "memref", tensor = "LSE"}]
// CHECK-SAME: block = 256 : i64
// CHECK-SAME: entry = "full"
// CHECK-SAME: guards = {pointer_alignment = 16 : i64, stride_alignment = 16 : i64}
// CHECK-SAME: problem = {mask = "none"}
// CHECK-SAME: query_tile = 128 : i64
// CHECK-SAME: schedule = "#fa.schedule<br = 128, bc = 64, warps = 8, stages = 2>"
// CHECK-SAME: sram_bytes = 8192 : i64
// CHECK-SAME: target = "sm_80"
// CHECK-SAME: fa.schedule = #fa.schedule<
// CHECK-SAME: fa.target = #fa.target<"sm_80"
func.func @full(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
                %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  // CHECK: %[[H:.*]] = memref.dim %{{.*}}, %c1
  // CHECK: %[[TR:.*]] = memref.dim %{{.*}}, %c2
  // CHECK: %[[H32:.*]] = arith.index_castui %[[H]] : index to i32
  // CHECK: %[[TR32:.*]] = arith.index_castui %[[TR]] : index to i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %B = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  %H = memref.dim %Q, %c1 : memref<?x?x?x64xf16>
  %Tr = memref.dim %Q, %c2 : memref<?x?x?x64xf16>
  // CHECK-NOT: scf.forall
  // CHECK: %[[ID:.*]] = gpu.block_id x
  // CHECK: %[[BLOCK:.*]] = arith.index_castui %[[ID]] : index to i32
  // CHECK-DAG: %[[REST:.*]] = arith.divui %[[BLOCK]], %[[TR32]]
  // CHECK-DAG: %[[TILE:.*]] = arith.remui %[[BLOCK]], %[[TR32]]
  // CHECK-DAG: %[[BATCH:.*]] = arith.divui %[[REST]], %[[H32]]
  // CHECK-DAG: %[[HEAD:.*]] = arith.remui %[[REST]], %[[H32]]
  // CHECK-DAG: %[[B:.*]] = arith.index_castui %[[BATCH]] : i32 to index
  // CHECK-DAG: %[[HI:.*]] = arith.index_castui %[[HEAD]] : i32 to index
  // CHECK-DAG: %[[I:.*]] = arith.index_castui %[[TILE]] : i32 to index
  // CHECK: memref.store %{{.*}}[%[[B]], %[[HI]], %[[I]]]
  // CHECK-NEXT: return
  scf.forall (%b, %h, %i) in (%B, %H, %Tr) {
    memref.store %zero, %LSE[%b, %h, %i] : memref<?x?x?xf32>
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE"], mask = "none"}, fa.schedule = #fa.schedule<br = 128, bc = 64, warps = 8, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// Without LSE there is no such argument, and the package does not say so of its
// problem: it shows in the arguments.

// CHECK-LABEL: func.func @no_lse
// CHECK-SAME: arguments = [{kind = "memref", tensor = "Q"}, {kind = "memref", tensor = "K"}, {kind = "memref", tensor = "V"}, {kind = "memref", tensor = "O"}]
// CHECK-SAME: problem = {mask = "none"}
func.func @no_lse(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
                  %O: memref<?x?x?x64xf16>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.problem = {arguments = ["Q", "K", "V", "O"], lse = false, mask = "none"}, fa.schedule = #fa.schedule<br = 128, bc = 64, warps = 8, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// Tables and numbers that regions read. With a mask region, too, the last tiles
// begin first.

// CHECK-LABEL: func.func @extras
// CHECK-SAME: arguments = [{kind = "memref", tensor = "Q"}, {kind = "memref", tensor = "K"}, {kind = "memref", tensor = "V"},
// CHECK-SAME: {argument = 3 : i64, dtype = "f16", kind = "table", shape = [unit, 257]}
// CHECK-SAME: {kind = "memref", tensor = "O"}, {kind = "memref", tensor = "LSE"},
// CHECK-SAME: {argument = 6 : i64, dtype = "i64", kind = "number"}, {argument = 7 : i64, dtype = "bf16", kind = "number"},
// CHECK-SAME: {argument = 8 : i64, dtype = "i1", kind = "table", shape = []}
func.func @extras(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
                  %table: memref<?x257xf16>, %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>,
                  %n: index, %x: bf16, %flag: memref<i1>) {
  // CHECK: arith.muli %c163840
  %zero = arith.constant 0.0 : f32
  scf.forall (%b, %h, %i) in (2, 4, 8) {
    memref.store %zero, %LSE[%b, %h, %i] : memref<?x?x?xf32>
  } {fa.problem = {arguments = ["Q", "K", "V", "", "O", "LSE", "", "", ""], mask = "none", mask_region = true}, fa.schedule = #fa.schedule<br = 128, bc = 64, warps = 8, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// The arguments in the order of the function.

// CHECK-LABEL: func.func @order
// CHECK-SAME: arguments = [{kind = "memref", tensor = "LSE"}, {kind = "memref", tensor = "O"}, {kind = "memref", tensor = "K"}, {kind = "memref", tensor = "V"}, {kind = "memref", tensor = "Q"}]
// CHECK-SAME: problem = {mask = "none"}
func.func @order(%LSE: memref<?x?x?xf32>, %O: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>,
                 %V: memref<?x?x?x64xf16>, %Q: memref<?x?x?x64xf16>) {
  scf.forall (%b, %h, %i) in (2, 4, 8) {
  } {fa.problem = {arguments = ["LSE", "O", "K", "V", "Q"], mask = "none"}, fa.schedule = #fa.schedule<br = 128, bc = 64, warps = 8, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// With a mask the last tiles, which have the most keys, begin first: those of a
// section of heads, whose K and V are at most 40 MiB; as many sections of the same
// size as that takes. On sm_90a the producer is a
// warpgroup more. Bounds may be constants.

// CHECK-LABEL: func.func @causal
// CHECK-SAME: block = 384 : i64
func.func @causal(%Q: memref<2x4x512x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
                  %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  // CHECK-DAG: %[[B:.*]] = arith.index_castui %c2 : index to i32
  // CHECK-DAG: %[[H:.*]] = arith.index_castui %c4 : index to i32
  // CHECK-DAG: %[[TR:.*]] = arith.index_castui %c8 : index to i32
  // CHECK: %[[ID:.*]] = gpu.block_id x
  // CHECK: %[[BLOCK:.*]] = arith.index_castui %[[ID]] : index to i32
  // 40 MiB are 163840 rows of K and V, of 256 bytes together, for each query head that
  // shares them.
  // CHECK: %[[GROUP32:.*]] = arith.divui {{.*}} : i32
  // CHECK: %[[GROUP:.*]] = arith.index_castui %[[GROUP32]] : i32 to index
  // CHECK: %[[SMALL:.*]] = arith.minui %[[GROUP]], %c13107
  // CHECK: %[[ATLEAST:.*]] = arith.maxui %[[SMALL]]
  // CHECK: %[[ROWS:.*]] = arith.muli %c163840, %[[ATLEAST]]
  // CHECK: %[[ROWS32:.*]] = arith.index_cast %[[ROWS]] : index to i32
  // CHECK: %[[FITTING32:.*]] = arith.divui %[[ROWS32]], %{{.*}} : i32
  // CHECK: %[[FITTING:.*]] = arith.index_castui %[[FITTING32]] : i32 to index
  // CHECK: %[[SOME:.*]] = arith.maxui %[[FITTING]]
  // CHECK: %[[ALL:.*]] = arith.muli %[[B]], %[[H]] : i32
  // CHECK: %[[MOST:.*]] = arith.minui %[[SOME]]
  // CHECK: %[[MOST32:.*]] = arith.index_castui %[[MOST]] : index to i32
  // CHECK: %[[COUNT:.*]] = arith.ceildivui %[[ALL]], %[[MOST32]]
  // CHECK: %[[SECTIONS:.*]] = arith.maxui %[[COUNT]], %c1_i32
  // CHECK: %[[SECTION:.*]] = arith.ceildivui %[[ALL]], %[[SECTIONS]]
  // CHECK: %[[BLOCKS:.*]] = arith.muli %[[SECTION]], %[[TR]]
  // CHECK: %[[NUMBER:.*]] = arith.divui %[[BLOCK]], %[[BLOCKS]]
  // CHECK: %[[FIRST:.*]] = arith.muli %[[NUMBER]], %[[SECTION]]
  // CHECK: %[[BEFORE:.*]] = arith.muli %[[FIRST]], %[[TR]]
  // CHECK: %[[IN:.*]] = arith.subi %[[BLOCK]], %[[BEFORE]]
  // CHECK: %[[LEFT:.*]] = arith.subi %[[ALL]], %[[FIRST]]
  // CHECK: %[[HEADS:.*]] = arith.minui %[[SECTION]], %[[LEFT]]
  // CHECK: %[[LAST:.*]] = arith.subi %[[TR]], %c1_i32
  // CHECK: %[[DOWN:.*]] = arith.divui %[[IN]], %[[HEADS]]
  // CHECK: %[[TILE:.*]] = arith.subi %[[LAST]], %[[DOWN]]
  // CHECK: %[[INSECTION:.*]] = arith.remui %[[IN]], %[[HEADS]]
  // CHECK: %[[BH:.*]] = arith.addi %[[FIRST]], %[[INSECTION]]
  // CHECK-DAG: arith.divui %[[BH]], %[[H]]
  // CHECK-DAG: arith.remui %[[BH]], %[[H]]
  // CHECK-DAG: %[[I:.*]] = arith.index_castui %[[TILE]] : i32 to index
  // CHECK: memref.store %{{.*}}[%{{.*}}, %{{.*}}, %[[I]]]
  scf.forall (%b, %h, %i) in (2, 4, 8) {
    memref.store %zero, %LSE[%b, %h, %i] : memref<?x?x?xf32>
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE"], mask = "causal"}, fa.schedule = #fa.schedule<br = 128, bc = 64, groups = 2, warps = 4, stages = 2>, fa.target = #fa.target<"sm_90a", sram = 232448>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// What becomes persistent has batch, head and query tile marked.

// CHECK-LABEL: func.func @persistent
// CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %c1_i32
// CHECK-COUNT-3: arith.index_castui %{{.*}} {fagpu.coordinate} : i32 to index
// CHECK-NOT: fagpu.coordinate
func.func @persistent(%Q: memref<2x4x512x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
                      %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%b, %h, %i) in (2, 4, 8) {
    memref.store %zero, %LSE[%b, %h, %i] : memref<?x?x?xf32>
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE"], mask = "causal"}, fa.schedule = #fa.schedule<br = 128, bc = 64, groups = 2, warps = 4, stages = 2, persistent = 1>, fa.target = #fa.target<"sm_90a", sram = 232448>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// Divisions of the nest are of 32 bits, and on sm_90a its loops, too, whatever level
// they stand at: body and bounds get an index. What already has a width keeps it.

// CHECK-LABEL: func.func @narrow(
// CHECK-SAME: %[[LSE:[^:]*]]: memref<?x?x?xf32>, %{{[^:]*}}: index, %[[W:[^:]*]]: i64)
func.func @narrow(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
                  %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>, %n: index, %w: i64) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c1_i64 = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  // CHECK: %[[N:.*]] = memref.dim
  %rows = memref.dim %Q, %c2 : memref<?x?x?x64xf16>
  scf.forall (%b, %h, %i) in (2, 4, 8) {
    // CHECK: %[[N32:.*]] = arith.index_cast %[[N]] : index to i32
    // CHECK: %[[THREE:.*]] = arith.index_cast %c3 : index to i32
    // CHECK: %[[DIV:.*]] = arith.divui %[[N32]], %[[THREE]] : i32
    // CHECK: %[[LO:.*]] = arith.index_castui %[[DIV]] : i32 to index
    // CHECK: %[[REM:.*]] = arith.remui %[[N32]], %[[THREE]] : i32
    // CHECK: %[[STEP:.*]] = arith.index_castui %[[REM]] : i32 to index
    // CHECK: %[[CEIL:.*]] = arith.ceildivui %[[N32]], %[[THREE]] : i32
    // CHECK: %[[HI:.*]] = arith.index_castui %[[CEIL]] : i32 to index
    %lo = arith.divui %rows, %c3 : index
    %step = arith.remui %rows, %c3 : index
    %hi = arith.ceildivui %rows, %c3 : index
    // CHECK: %[[LO32:.*]] = arith.index_cast %[[LO]] : index to i32
    // CHECK: %[[HI32:.*]] = arith.index_cast %[[HI]] : index to i32
    // CHECK: %[[STEP32:.*]] = arith.index_cast %[[STEP]] : index to i32
    // CHECK: scf.for %[[T32:.*]] = %[[LO32]] to %[[HI32]] step %[[STEP32]] : i32 {
    // CHECK:   %[[T:.*]] = arith.index_cast %[[T32]] : i32 to index
    // CHECK:   %[[TO32:.*]] = arith.index_cast %[[T]] : index to i32
    // CHECK:   scf.for %[[U32:.*]] = %{{.*}} to %[[TO32]] step %{{.*}} : i32 {
    // CHECK:     %[[U:.*]] = arith.index_cast %[[U32]] : i32 to index
    // CHECK:     memref.store %{{.*}}, %[[LSE]][%{{.*}}, %[[T]], %[[U]]]
    scf.for %t = %lo to %hi step %step {
      scf.for %u = %c1 to %t step %c1 {
        memref.store %zero, %LSE[%b, %t, %u] : memref<?x?x?xf32>
      }
    }
    // CHECK: scf.for %[[T64:.*]] = %{{.*}} to %[[W]] step %{{.*}} : i64 {
    // CHECK-NEXT: %[[X64:.*]] = arith.divui %[[W]], %[[T64]] : i64
    // CHECK-NEXT: %[[X:.*]] = arith.index_cast %[[X64]] : i64 to index
    // CHECK-NEXT: memref.store %{{.*}}, %[[LSE]][%{{.*}}, %{{.*}}, %[[X]]]
    scf.for %t = %c1_i64 to %w step %c1_i64 : i64 {
      %x64 = arith.divui %w, %t : i64
      %x = arith.index_cast %x64 : i64 to index
      memref.store %zero, %LSE[%b, %h, %x] : memref<?x?x?xf32>
    }
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE", "", ""], mask = "none"}, fa.schedule = #fa.schedule<br = 128, bc = 64, groups = 2, warps = 4, stages = 2>, fa.target = #fa.target<"sm_90a", sram = 232448>, fagpu.sram_bytes = 8192 : i64}
  return
}

// Of sizes divisions are of 32 bits; what a region makes of a number of its own
// may be larger. On sm_80 loops count as they did.

// CHECK-LABEL: func.func @narrow_divisions(
// CHECK: arith.ceildivui {{.*}} : i32
// CHECK: arith.remui %{{.*}}, %{{.*}} : index
// CHECK: scf.for %[[T:.*]] = %{{[^ ]*}} to %{{[^ ]*}} step %{{[^ ]*}} {
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%{{.*}}, %[[T]], %[[T]]]
func.func @narrow_divisions(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
                            %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %rows = memref.dim %Q, %c2 : memref<?x?x?x64xf16>
  scf.forall (%b, %h, %i) in (2, 4, 8) {
    %hi = arith.ceildivui %rows, %c3 : index
    %own = arith.remui %n, %c3 : index
    memref.store %zero, %LSE[%own, %own, %own] : memref<?x?x?xf32>
    scf.for %t = %c1 to %hi step %c1 {
      memref.store %zero, %LSE[%b, %t, %t] : memref<?x?x?xf32>
    }
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE", ""], mask = "none"}, fa.schedule = #fa.schedule<br = 128, bc = 64, warps = 8, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// What is only declared is left alone.
// CHECK: func.func private @declared(memref<?xf32>)
// CHECK-NOT: fa.kernel
func.func private @declared(memref<?xf32>)
