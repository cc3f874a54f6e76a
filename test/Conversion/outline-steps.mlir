// RUN: fa-opt %s --fa-outline-steps --canonicalize --cse | FileCheck %s

// Each nest becomes a function of its own with what it needs of the ops before
// it. What is allocated is a part of the scratch: here sizes of n floats and then
// n x 4 halves, each from a cache line on.

// CHECK-LABEL: func.func @f_first
// CHECK-SAME: (%[[IN:[^:]*]]: memref<?xf32>, %[[OUT:[^:]*]]: memref<?xf32>, %[[SCRATCH:[^:]*]]: memref<?xi8>) {
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[N:.*]] = memref.dim %[[IN]], %[[C0]]
// CHECK: %[[A:.*]] = memref.view %[[SCRATCH]][%[[C0]]][%[[N]]] : memref<?xi8> to memref<?xf32>
// CHECK-NOT: memref.view
// CHECK: scf.forall (%[[I:.*]]) in (%[[N]]) {
// CHECK:   %[[X:.*]] = memref.load %[[IN]][%[[I]]]
// CHECK:   memref.store %[[X]], %[[A]][%[[I]]]
// CHECK: fa.step = "first"
// CHECK-NEXT: return

// CHECK-LABEL: func.func @f_second
// CHECK-SAME: (%[[IN:[^:]*]]: memref<?xf32>, %[[OUT:[^:]*]]: memref<?xf32>, %[[SCRATCH:[^:]*]]: memref<?xi8>) {
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[N:.*]] = memref.dim %[[IN]], %[[C0]]
// CHECK: %[[A:.*]] = memref.view %[[SCRATCH]][%[[C0]]][%[[N]]]
// CHECK: %[[BYTES:.*]] = arith.muli %[[N]], %[[C4]]
// CHECK: %[[LINES:.*]] = arith.ceildivui %[[BYTES]], %[[C64]]
// CHECK: %[[OFFSET:.*]] = arith.muli %[[LINES]], %[[C64]]
// CHECK: %[[B:.*]] = memref.view %[[SCRATCH]][%[[OFFSET]]][%[[N]]] : memref<?xi8> to memref<?x4xf16>
// CHECK: scf.forall
// CHECK:   memref.load %[[A]]
// CHECK:   memref.store %{{.*}}, %[[B]]
// CHECK: fa.step = "second"

// CHECK-LABEL: func.func @f_scratch
// CHECK-SAME: (%[[IN:[^:]*]]: memref<?xf32>, %{{[^:]*}}: memref<?xf32>) -> i64
// CHECK-SAME: attributes {fa.steps = ["f_first", "f_second"], llvm.emit_c_interface}
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK: %[[N:.*]] = memref.dim %[[IN]],
// CHECK: %[[OFFSET:.*]] = arith.muli %{{.*}}, %c64
// CHECK: %[[BYTES:.*]] = arith.muli %[[N]], %[[C8]]
// CHECK: %[[LINES:.*]] = arith.ceildivui %[[BYTES]], %c64
// CHECK: %[[SIZE:.*]] = arith.muli %[[LINES]], %c64
// CHECK: %[[SUM:.*]] = arith.addi %[[OFFSET]], %[[SIZE]]
// CHECK: %[[RESULT:.*]] = arith.index_cast %[[SUM]] : index to i64
// CHECK: return %[[RESULT]]

// CHECK-NOT: func.func @f(
func.func @f(%in: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %in, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  scf.forall (%i) in (%n) {
    %x = memref.load %in[%i] : memref<?xf32>
    memref.store %x, %a[%i] : memref<?xf32>
  } {fa.step = "first"}
  %b = memref.alloc(%n) : memref<?x4xf16>
  scf.forall (%i) in (%n) {
    %x = memref.load %a[%i] : memref<?xf32>
    %y = arith.truncf %x : f32 to f16
    memref.store %y, %b[%i, %c0] : memref<?x4xf16>
    memref.store %x, %out[%i] : memref<?xf32>
  } {fa.step = "second"}
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %b : memref<?x4xf16>
  return
}

// Left alone: nests without a step, other ops with effects, functions in use.

// CHECK-LABEL: func.func @no_step
func.func @no_step(%out: memref<?xf32>, %n: index, %x: f32) {
  scf.forall (%i) in (%n) {
    memref.store %x, %out[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @other_ops
func.func @other_ops(%out: memref<?xf32>, %n: index, %x: f32) {
  scf.forall (%i) in (%n) {
    memref.store %x, %out[%i] : memref<?xf32>
  } {fa.step = "fill"}
  memref.store %x, %out[%n] : memref<?xf32>
  return
}

// CHECK-LABEL: func.func @callee
func.func @callee(%out: memref<?xf32>, %n: index, %x: f32) {
  scf.forall (%i) in (%n) {
    memref.store %x, %out[%i] : memref<?xf32>
  } {fa.step = "fill"}
  return
}
func.func @caller(%out: memref<?xf32>, %n: index, %x: f32) {
  call @callee(%out, %n, %x) : (memref<?xf32>, index, f32) -> ()
  return
}
