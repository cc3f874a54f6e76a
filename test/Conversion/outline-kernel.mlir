// RUN: fa-opt %s --fa-outline-kernel --split-input-file | FileCheck %s

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
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %B = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  %H = memref.dim %Q, %c1 : memref<?x?x?x64xf16>
  %Tr = memref.dim %Q, %c2 : memref<?x?x?x64xf16>
  // CHECK-NOT: scf.forall
  // CHECK: %[[BLOCK:.*]] = gpu.block_id x
  // CHECK: %[[TILE:.*]] = arith.remui %[[BLOCK]], %[[TR]]
  // CHECK: %[[REST:.*]] = arith.divui %[[BLOCK]], %[[TR]]
  // CHECK: %[[HEAD:.*]] = arith.remui %[[REST]], %[[H]]
  // CHECK: %[[BATCH:.*]] = arith.divui %[[REST]], %[[H]]
  // CHECK: memref.store %{{.*}}[%[[BATCH]], %[[HEAD]], %[[TILE]]]
  // CHECK-NEXT: return
  scf.forall (%b, %h, %i) in (%B, %H, %Tr) {
    memref.store %zero, %LSE[%b, %h, %i] : memref<?x?x?xf32>
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE"], mask = "none"}, fa.schedule = #fa.schedule<br = 128, bc = 64, warps = 8, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
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

// With a mask the last tiles, which have the most keys, begin first. On sm_90a the
// producer is a warpgroup more. Bounds may be constants.

// CHECK-LABEL: func.func @causal
// CHECK-SAME: block = 384 : i64
func.func @causal(%Q: memref<2x4x512x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
                  %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  // CHECK: %[[TR:.*]] = arith.constant 8 : index
  // CHECK: %[[TILE:.*]] = arith.remui %{{.*}}, %[[TR]]
  // CHECK: %[[LAST:.*]] = arith.subi %[[TR]], %c1
  // CHECK: %[[FROM_LAST:.*]] = arith.subi %[[LAST]], %[[TILE]]
  // CHECK: memref.store %{{.*}}[%{{.*}}, %{{.*}}, %[[FROM_LAST]]]
  scf.forall (%b, %h, %i) in (2, 4, 8) {
    memref.store %zero, %LSE[%b, %h, %i] : memref<?x?x?xf32>
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE"], mask = "causal"}, fa.schedule = #fa.schedule<br = 128, bc = 64, groups = 2, warps = 4, stages = 2>, fa.target = #fa.target<"sm_90a", sram = 232448>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// What is only declared is left alone.
// CHECK: func.func private @declared(memref<?xf32>)
// CHECK-NOT: fa.kernel
func.func private @declared(memref<?xf32>)
