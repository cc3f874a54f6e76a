// RUN: fa-opt %S/Inputs/attention.mlir --fa-lower-to-cpu='stop-after=loops br=16 bc=16 mr=4 nr=8' | FileCheck %s
// RUN: fa-opt %S/Inputs/attention.mlir --fa-lower-to-cpu='level=naive stop-after=loops' | FileCheck %s --check-prefix=NAIVE

// A range of blocks, buffers on the stack, products in register tiles of 4 x 8
// and row loops. No op of fa, and no tile, is left.

// CHECK: func.func @f_blocks(
// CHECK: return %{{.*}} : i64
// CHECK: func.func @f({{.*}}, %{{.*}}: i64, %{{.*}}: i64) attributes {llvm.emit_c_interface} {
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<16x16xf32>
// CHECK: scf.for
// CHECK-NOT: memref.alloca
// CHECK-NOT: {{fa\.scores|fa\.accumulate|vector<16x16x|scf.forall}}
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
// CHECK-COUNT-4: vector.fma {{.*}} : vector<8xf32>
// CHECK: vector.reduction <maxnumf>, {{.*}} : vector<16xf32> into f32
// CHECK: math.exp2 {{.*}} : vector<16xf32>
// CHECK: vector.reduction <add>, {{.*}} : vector<16xf32> into f32
// CHECK-NOT: {{fa\.scores|fa\.accumulate|vector<16x16x|scf.forall}}
// CHECK: return

// The naive level becomes loops over the matrices, in one block.
// NAIVE: func.func @f_blocks(
// NAIVE: arith.constant 1 : i64
// NAIVE: func.func @f(
// NAIVE: memref.alloc(
// NAIVE-NOT: linalg
// NAIVE: math.exp
// NAIVE: memref.dealloc
// NAIVE-NOT: linalg
// NAIVE: return
