// RUN: fa-opt %s --fa-outline-kernel --split-input-file -verify-diagnostics

// A kernel is one nest over the blocks, and what the launch contract says of it.

// expected-error @+1 {{expected a function that is one loop nest to become a kernel}}
func.func @no_nest(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
    %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  return
}

// -----

// expected-error @+1 {{expected a function that is one loop nest to become a kernel}}
func.func @two_nests(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
    %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE"], mask = "none"}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE"], mask = "none"}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// expected-error @+1 {{expected a function that is one loop nest to become a kernel}}
func.func @nest_and_store(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
    %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE"], mask = "none"}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  %x = arith.constant 0.0 : f32
  memref.store %x, %LSE[%c0, %c0, %c0] : memref<?x?x?xf32>
  return
}

// -----

// expected-error @+1 {{expected a function that is one loop nest to become a kernel}}
func.func @two_loops(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
    %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  scf.forall (%b, %h) in (%n, %n) {
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE"], mask = "none"}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// expected-error @+1 {{expected a function that is one loop nest to become a kernel}}
func.func @other_bounds(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
    %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  scf.forall (%b, %h, %i) = (1, 0, 0) to (%n, %n, %n) step (1, 1, 1) {
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE"], mask = "none"}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// expected-error @+1 {{expected a function that is one loop nest to become a kernel}}
func.func @results(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
    %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE"], mask = "none"}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return %n : index
}

// -----

// expected-error @+1 {{expected a function that is one loop nest to become a kernel}}
func.func @blocks(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
    %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  cf.br ^bb1
^bb1:
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE"], mask = "none"}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// expected-error @+1 {{expected a loop nest planned for a GPU; run fa-tile and fa-plan-sram first}}
func.func @no_target(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
    %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE"], mask = "none"}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// expected-error @+1 {{expected a loop nest planned for a GPU; run fa-tile and fa-plan-sram first}}
func.func @no_problem(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
    %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// expected-error @+1 {{expected a loop nest planned for a GPU; run fa-tile and fa-plan-sram first}}
func.func @no_mask(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
    %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE"]}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// expected-error @+1 {{expected a loop nest planned for a GPU; run fa-tile and fa-plan-sram first}}
func.func @not_planned(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
    %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE"], mask = "none"}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

// expected-error @+1 {{expected a loop nest planned for a GPU; run fa-tile and fa-plan-sram first}}
func.func @no_arguments(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
    %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.problem = {mask = "none"}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// expected-error @+1 {{expected a loop nest planned for a GPU; run fa-tile and fa-plan-sram first}}
func.func @other_number_of_arguments(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
    %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE"], mask = "none"}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// expected-error @+1 {{expected arguments besides Q, K, V, O and LSE that are tables of f32, f16, bf16, i1, i32, i64 or index, or such numbers but i1, on a GPU but argument #5 is 'i8'}}
func.func @other_argument(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
    %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>, %x: i8) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE", ""], mask = "none"}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// Q is a part of an argument, or the same as K.
// expected-error @+1 {{expected Q, K, V, O and LSE to be an argument each on a GPU but Q is not}}
func.func @no_query(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
    %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.problem = {arguments = ["", "K", "V", "O", "LSE"], mask = "none"}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// LSE is a part of an argument.
// expected-error @+1 {{expected Q, K, V, O and LSE to be an argument each on a GPU but LSE is not}}
func.func @no_lse(%Q: memref<?x?x?x64xf16>, %K: memref<?x?x?x64xf16>, %V: memref<?x?x?x64xf16>,
    %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Q, %c0 : memref<?x?x?x64xf16>
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.problem = {arguments = ["Q", "K", "V", "O", ""], lse = true, mask = "none"}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return
}

// -----

// expected-error @+1 {{expected K to be a memref of rank 4 with a static head dim but got 'memref<?xf16>'}}
func.func @key_of_rank_1(%Q: memref<?x?x?x64xf16>, %K: memref<?xf16>, %V: memref<?x?x?x64xf16>,
    %O: memref<?x?x?x64xf16>, %LSE: memref<?x?x?xf32>) {
  scf.forall (%b, %h, %i) in (2, 4, 8) {
  } {fa.problem = {arguments = ["Q", "K", "V", "O", "LSE"], mask = "causal"}, fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.target = #fa.target<"sm_80", sram = 166912>, fagpu.sram_bytes = 8192 : i64}
  return
}
