// RUN: fa-opt %s --fa-lower-to-cpu='br=8 bc=8 mr=4 nr=8' | mlir-translate --mlir-to-llvmir | FileCheck %s
// RUN: fa-opt %s --fa-lower-to-cpu='level=naive' | mlir-translate --mlir-to-llvmir | FileCheck %s
// RUN: fa-run %s --target=cpu --seq-q=3 --heads=1

// Math ops for which LLVM has no intrinsic, or none on vectors, stayed as they
// were or became invalid IR. Now they are calls of the C library (f64), of loops
// that multiply, or expanded.

// CHECK: define void @f(
// CHECK-DAG: call double @atanh(
// CHECK-DAG: call double @cbrt(
// CHECK-DAG: call double @erf(
// CHECK-DAG: call double @erfc(
// CHECK-DAG: call float @__mlir_math_fpowi_f32_i8(
// CHECK-DAG: call float @__mlir_math_fpowi_f32_i64(
// CHECK-DAG: call i32 @__mlir_math_ipowi_i32(
// CHECK-DAG: call i64 @__mlir_math_ipowi_i64(
func.func @f(%Q: tensor<?x?x?x8xf32>, %K: tensor<?x?x?x8xf32>, %V: tensor<?x?x?x8xf32>,
             %O: tensor<?x?x?x8xf32>, %LSE: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x8xf32>, tensor<?x?x?xf32>) {
  %r:2 = fa.attention
      ins(%Q, %K, %V : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>)
      outs(%O, %LSE : tensor<?x?x?x8xf32>, tensor<?x?x?xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %s16 = arith.truncf %s : f32 to f16
        %s64 = arith.extf %s : f32 to f64
        %i32 = arith.index_cast %i : index to i32
        %i8 = arith.index_cast %j : index to i8
        %i64 = arith.index_cast %j : index to i64
        %a = math.acosh %s : f32
        %b0 = math.asinh %s16 : f16
        %c = math.atanh %s64 : f64
        %d = math.cbrt %c : f64
        %e = math.erf %d : f64
        %f = math.erfc %e : f64
        %g = math.fpowi %s, %i8 : f32, i8
        %k = math.fpowi %s16, %i64 : f16, i64
        %l = math.clampf %s to [%a, %g] : f32
        %m = math.ipowi %i32, %i32 : i32
        %n = math.ipowi %i, %j : index
        %b1 = arith.extf %b0 : f16 to f32
        %f1 = arith.truncf %f : f64 to f32
        %k1 = arith.extf %k : f16 to f32
        %m1 = arith.sitofp %m : i32 to f32
        %n0 = arith.index_cast %n : index to i64
        %n1 = arith.sitofp %n0 : i64 to f32
        %0 = arith.addf %l, %b1 : f32
        %1 = arith.addf %0, %f1 : f32
        %2 = arith.addf %1, %k1 : f32
        %3 = arith.addf %2, %m1 : f32
        %4 = arith.addf %3, %n1 : f32
        fa.yield %4 : f32
      } -> tensor<?x?x?x8xf32>, tensor<?x?x?xf32>
  return %r#0, %r#1 : tensor<?x?x?x8xf32>, tensor<?x?x?xf32>
}
