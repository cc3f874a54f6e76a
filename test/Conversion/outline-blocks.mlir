// RUN: fa-opt %s --fa-outline-blocks --canonicalize | FileCheck %s

// A nest: the number of blocks is the product of its bounds, and a block's
// indices come from its number, the last dimension being the fastest. Buffers on
// the stack are made once and used by each block.

// CHECK-LABEL: func.func @nest_blocks
// CHECK-SAME: (%[[M:[^:]*]]: memref<?x?xf32>, %[[N:[^:]*]]: index) -> i64 attributes {llvm.emit_c_interface}
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK: %[[DIM:.*]] = memref.dim %[[M]], %[[C0]]
// CHECK: %[[AB:.*]] = arith.muli %[[N]], %[[DIM]]
// CHECK: %[[ABC:.*]] = arith.muli %[[AB]], %[[C3]]
// CHECK: %[[COUNT:.*]] = arith.index_cast %[[ABC]] : index to i64
// CHECK: return %[[COUNT]]

// CHECK-LABEL: func.func @nest(
// CHECK-SAME: %[[M:[^:]*]]: memref<?x?xf32> {llvm.noalias}, %[[N:[^:]*]]: index, %[[BEGIN:[^:]*]]: i64, %[[END:[^:]*]]: i64) attributes {llvm.emit_c_interface}
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[BUFFER:.*]] = memref.alloca() : memref<4xf32>
// CHECK-DAG: %[[DIM:.*]] = memref.dim %[[M]], %[[C0]]
// CHECK: %[[FIRST:.*]] = arith.index_cast %[[BEGIN]] : i64 to index
// CHECK: %[[LAST:.*]] = arith.index_cast %[[END]] : i64 to index
// CHECK: scf.for %[[BLOCK:.*]] = %[[FIRST]] to %[[LAST]] step %[[C1]] {
// CHECK:   %[[K:.*]] = arith.remui %[[BLOCK]], %[[C3]]
// CHECK:   %[[IJ:.*]] = arith.divui %[[BLOCK]], %[[C3]]
// CHECK:   %[[J:.*]] = arith.remui %[[IJ]], %[[DIM]]
// CHECK:   %[[I:.*]] = arith.divui %[[IJ]], %[[DIM]]
// CHECK-NOT: memref.alloca
// CHECK:   %[[X:.*]] = memref.load %[[BUFFER]][%[[K]]]
// CHECK:   memref.store %[[X]], %[[M]][%[[I]], %[[J]]]
// CHECK: } {fa.schedule = #fa.schedule<br = 8, bc = 8>}
// CHECK-NEXT: return
func.func @nest(%m: memref<?x?xf32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %dim = memref.dim %m, %c0 : memref<?x?xf32>
  scf.forall (%i, %j, %k) in (%n, %dim, 3) {
    %buffer = memref.alloca() : memref<4xf32>
    %x = memref.load %buffer[%k] : memref<4xf32>
    memref.store %x, %m[%i, %j] : memref<?x?xf32>
  } {fa.schedule = #fa.schedule<br = 8, bc = 8>, mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>]}
  return
}

// A function that does more than one nest is one block, whatever it does.

// CHECK-LABEL: func.func @more_blocks
// CHECK-SAME: -> i64
// CHECK: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-NEXT: return %[[ONE]]

// CHECK-LABEL: func.func @more(
// CHECK-SAME: %[[M:[^:]*]]: memref<?xf32>, %[[X:[^:]*]]: f32, %{{.*}}: i64, %{{.*}}: i64)
// CHECK: scf.for
// CHECK:   memref.store %[[X]], %[[M]]
// CHECK:   scf.forall
// CHECK:     memref.store
// CHECK:   scf.forall
// CHECK:     memref.store
// CHECK: }
// CHECK: return
func.func @more(%m: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  memref.store %x, %m[%c0] : memref<?xf32>
  scf.forall (%i) in (3) {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  scf.forall (%i) in (2) {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// A nest that does not count from 0 by 1 is none that has blocks.

// CHECK-LABEL: func.func @steps_blocks
// CHECK: arith.constant 1 : i64
// CHECK-LABEL: func.func @steps(
// CHECK: scf.for
// CHECK:   scf.forall (%{{.*}}) = (2) to (8) step (3)
func.func @steps(%m: memref<?xf32>, %x: f32) {
  scf.forall (%i) = (2) to (8) step (3) {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @empty_blocks
// CHECK-LABEL: func.func @empty(
// CHECK-NEXT: return
func.func @empty() {
  return
}

// Private functions, and declarations, are no kernels.
// CHECK-NOT: @helper_blocks
// CHECK: func.func private @helper(%{{.*}}: f32) -> f32 {
// CHECK: func.func private @outside(f32) -> f32
// CHECK-NOT: _blocks
func.func private @helper(%x: f32) -> f32 {
  %y = func.call @outside(%x) : (f32) -> f32
  return %y : f32
}
func.func private @outside(f32) -> f32
