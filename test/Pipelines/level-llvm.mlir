// RUN: fa-opt %S/Inputs/attention.mlir --fa-lower-to-cpu='br=16 bc=16 mr=4 nr=8' | FileCheck %s
// RUN: fa-opt %S/Inputs/attention.mlir --fa-lower-to-cpu='br=16 bc=16 mr=4 nr=8' | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=IR

// Functions of pointers to memref descriptors, and nothing but the LLVM dialect.

// CHECK-NOT: {{(arith|builtin|cf|fa|func|index|math|memref|scf|vector)\.[a-z]}}
// CHECK: llvm.func @_mlir_ciface_f_blocks(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i64
// CHECK-NOT: {{ (arith|builtin|cf|fa|func|index|math|memref|scf|vector)\.[a-z]}}
// CHECK: llvm.func @f(
// CHECK-NOT: {{ (arith|builtin|cf|fa|func|index|math|memref|scf|vector)\.[a-z]}}
// CHECK: llvm.intr.fmuladd({{.*}}) : (vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-NOT: {{ (arith|builtin|cf|fa|func|index|math|memref|scf|vector)\.[a-z]}}
// CHECK: llvm.func @_mlir_ciface_f(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK-NOT: {{ (arith|builtin|cf|fa|func|index|math|memref|scf|vector)\.[a-z]}}

// Without the library of vector functions: exp2 is arithmetic.
// IR: define void @f(
// IR: call <8 x float> @llvm.fmuladd.v8f32(
// IR-NOT: @llvm.exp2
// IR: define void @_mlir_ciface_f(
