// The sums of fa-print-io on the nest, where fa-outline-kernel finds them.
//
// RUN: fa-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(fa-count-io))' | FileCheck %s

// CHECK-LABEL: func.func @nest
// CHECK: scf.forall
// CHECK: fa.schedule = #fa.schedule<br = 16, bc = 16>
// CHECK-SAME: fagpu.hbm_bytes = {read = "4 * seq_q", written = "0"}
func.func @nest(%A: memref<?xf32>, %LSE: memref<?x?x?xf32>, %K: memref<?x?x?x8xf32>, %V: memref<?x?x?x8xf32>, %O: memref<?x?x?x8xf32>) {
  %c2 = arith.constant 2 : index
  %n = memref.dim %LSE, %c2 : memref<?x?x?xf32>
  // Outside of the nest: not its.
  %c0 = arith.constant 0 : index
  %outside = memref.load %A[%c0] : memref<?xf32>
  scf.forall (%i) in (%n) {
    %a = memref.load %A[%i] : memref<?xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16>, fa.problem = {arguments = ["", "LSE", "K", "V", "O"]}}
  return
}

// -----

// CHECK-LABEL: func.func @unknown
// CHECK: scf.forall
// CHECK-NOT: fagpu.hbm_bytes
func.func @unknown(%A: memref<?xf32>, %n: index) {
  scf.forall (%i) in (%n) {
    %a = memref.load %A[%i] : memref<?xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16>}
  return
}
