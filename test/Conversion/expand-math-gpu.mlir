// RUN: fa-opt %s --fa-expand-math-gpu | FileCheck %s

// CHECK-LABEL: func.func @exp2
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: vector<2xf32>)
func.func @exp2(%x: f32, %y: vector<2xf32>) -> (f32, vector<2xf32>) {
  // CHECK: %[[EX:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[X]]) : (f32) -> f32
  // CHECK: %[[Y0:.*]] = vector.extract %[[Y]][0]
  // CHECK: %[[E0:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[Y0]])
  // CHECK: %[[Y1:.*]] = vector.extract %[[Y]][1]
  // CHECK: %[[E1:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[Y1]])
  // CHECK: %[[EY:.*]] = vector.from_elements %[[E0]], %[[E1]] : vector<2xf32>
  // CHECK: return %[[EX]], %[[EY]]
  %ex = math.exp2 %x : f32
  %ey = math.exp2 %y : vector<2xf32>
  return %ex, %ey : f32, vector<2xf32>
}

// CHECK-LABEL: func.func @log
// CHECK-SAME: (%[[X:.*]]: f32)
func.func @log(%x: f32) -> f32 {
  // CHECK-DAG: %[[LN2:.*]] = arith.constant 0.693147182 : f32
  // CHECK-DAG: %[[LG2:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%[[X]]) : (f32) -> f32
  // CHECK: %[[LOG:.*]] = arith.mulf %[[LG2]], %[[LN2]]
  // CHECK: return %[[LOG]]
  %log = math.log %x : f32
  return %log : f32
}

// 1 / x where a reciprocal may be fast; other quotients are not touched.

// CHECK-LABEL: func.func @reciprocal
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: vector<2xf32>)
func.func @reciprocal(%x: f32, %y: vector<2xf32>) -> (vector<2xf32>, f32, f32) {
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK-DAG: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
  // CHECK: %[[Y0:.*]] = vector.extract %[[Y]][0]
  // CHECK: %[[R0:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[Y0]]) : (f32) -> f32
  // CHECK: %[[Y1:.*]] = vector.extract %[[Y]][1]
  // CHECK: %[[R1:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[Y1]])
  // CHECK: %[[R:.*]] = vector.from_elements %[[R0]], %[[R1]] : vector<2xf32>
  // CHECK: %[[EXACT:.*]] = arith.divf %[[ONE]], %[[X]] : f32
  // CHECK: %[[HALF:.*]] = arith.divf %[[TWO]], %[[X]] fastmath<arcp> : f32
  // CHECK: return %[[R]], %[[EXACT]], %[[HALF]]
  %ones = arith.constant dense<1.0> : vector<2xf32>
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %r = arith.divf %ones, %y fastmath<arcp> : vector<2xf32>
  %exact = arith.divf %one, %x : f32
  %half = arith.divf %two, %x fastmath<arcp> : f32
  return %r, %exact, %half : vector<2xf32>, f32, f32
}

// CHECK-LABEL: func.func @exp
// CHECK-SAME: (%[[X:.*]]: f32)
func.func @exp(%x: f32) -> (f32, f32) {
  // CHECK-DAG: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
  // CHECK-DAG: %[[SCALED:.*]] = arith.mulf %[[X]], %[[LOG2E]]
  // CHECK-DAG: %[[EXP:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[SCALED]])
  // CHECK-DAG: %[[LOG2:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%[[X]])
  // CHECK: return %[[EXP]], %[[LOG2]]
  %exp = math.exp %x : f32
  %log2 = math.log2 %x : f32
  return %exp, %log2 : f32, f32
}

// 1 - 2 e / (1 + e) with e = exp(-2 |x|), or a polynomial.

// CHECK-LABEL: func.func @tanh
// CHECK-SAME: (%[[X:.*]]: f32)
func.func @tanh(%x: f32) -> f32 {
  // CHECK-DAG: %[[MINUS2:.*]] = arith.constant -2.885390e+00 : f32
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00
  // CHECK: %[[A:.*]] = math.absf %[[X]]
  // CHECK: %[[SCALED:.*]] = arith.mulf %[[A]], %[[MINUS2]]
  // CHECK: %[[E:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[SCALED]])
  // CHECK: %[[SUM:.*]] = arith.addf %[[E]], %[[ONE]]
  // CHECK: %[[RCP:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[SUM]])
  // CHECK: %[[LARGE:.*]] = math.fma %{{.*}}, %[[RCP]], %[[ONE]]
  // CHECK-COUNT-4: math.fma
  // CHECK: %[[SMALL:.*]] = math.fma
  // CHECK: %[[TEST:.*]] = arith.cmpf olt, %[[A]]
  // CHECK: %[[R:.*]] = arith.select %[[TEST]], %[[SMALL]], %[[LARGE]]
  // CHECK: math.copysign %[[R]], %[[X]]
  %y = math.tanh %x : f32
  return %y : f32
}

// A power with an integer exponent: a multiplication for each bit.

// CHECK-LABEL: func.func @powers
// CHECK-COUNT-8: arith.andi {{.*}} : i8
// CHECK-NOT: arith.andi {{.*}} : i8
// CHECK: arith.divf
// CHECK-COUNT-64: arith.andi {{.*}} : index
// CHECK-NOT: math.{{fpowi|ipowi}}
// CHECK: return
func.func @powers(%x: f16, %n: i8, %i: index) -> (f16, index) {
  %y = math.fpowi %x, %n : f16, i8
  %z = math.ipowi %i, %i : index
  return %y, %z : f16, index
}

// Conversions are done in pairs, of which the second source is the lower half.

// CHECK-LABEL: func.func @to_bf16
// CHECK-SAME: (%[[X:.*]]: vector<4xf32>)
func.func @to_bf16(%x: vector<4xf32>) -> vector<4xbf16> {
  // CHECK-DAG: %[[X0:.*]] = vector.extract %[[X]][0]
  // CHECK-DAG: %[[X1:.*]] = vector.extract %[[X]][1]
  // CHECK: %[[P0:.*]] = llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%[[X1]], %[[X0]]) : (f32, f32) -> vector<2xbf16>
  // CHECK: %[[B0:.*]] = llvm.bitcast %[[P0]] : vector<2xbf16> to i32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
  // CHECK: %[[B1:.*]] = llvm.bitcast
  // CHECK: %[[PACKED:.*]] = vector.from_elements %[[B0]], %[[B1]] : vector<2xi32>
  // CHECK: vector.bitcast %[[PACKED]] : vector<2xi32> to vector<4xbf16>
  %y = arith.truncf %x : vector<4xf32> to vector<4xbf16>
  return %y : vector<4xbf16>
}

// CHECK-LABEL: func.func @to_f16
// CHECK: llvm.call_intrinsic "llvm.nvvm.ff2f16x2.rn"
func.func @to_f16(%x: vector<2xf32>) -> vector<2xf16> {
  %y = arith.truncf %x : vector<2xf32> to vector<2xf16>
  return %y : vector<2xf16>
}

// On sm_90a a pair stays where it stands: no optimiser may move it past a branch.

// CHECK-LABEL: func.func @pinned_bf16
// CHECK-SAME: (%[[X:.*]]: vector<2xf32>)
// CHECK: %[[LOW:.*]] = vector.extract %[[X]][0]
// CHECK: %[[HIGH:.*]] = vector.extract %[[X]][1]
// CHECK: llvm.inline_asm has_side_effects "cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f" %[[HIGH]], %[[LOW]] : (f32, f32) -> i32
func.func @pinned_bf16(%x: vector<2xf32>) -> vector<2xbf16>
    attributes {fa.target = #fa.target<"sm_90a", sram = 232448>} {
  %y = arith.truncf %x : vector<2xf32> to vector<2xbf16>
  return %y : vector<2xbf16>
}

// CHECK-LABEL: func.func @pinned_f16
// CHECK: llvm.inline_asm has_side_effects "cvt.rn.f16x2.f32 $0, $1, $2;", "=r,f,f"
func.func @pinned_f16(%x: vector<2xf32>) -> vector<2xf16>
    attributes {fa.target = #fa.target<"sm_90a", sram = 232448>} {
  %y = arith.truncf %x : vector<2xf32> to vector<2xf16>
  return %y : vector<2xf16>
}

// CHECK-LABEL: func.func @not_pinned
// CHECK: llvm.call_intrinsic "llvm.nvvm.ff2f16x2.rn"
func.func @not_pinned(%x: vector<2xf32>) -> vector<2xf16>
    attributes {fa.target = #fa.target<"sm_90", sram = 232448>} {
  %y = arith.truncf %x : vector<2xf32> to vector<2xf16>
  return %y : vector<2xf16>
}

// A lone element, an odd number of them and other types are left to LLVM.

// CHECK-LABEL: func.func @left
// CHECK-NOT: llvm.call_intrinsic
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: arith.truncf %{{.*}} : vector<3xf32> to vector<3xf16>
// CHECK: arith.truncf %{{.*}} : vector<2xf64> to vector<2xf16>
// CHECK: math.sqrt %{{.*}} : f64
func.func @left(%x: f32, %y: vector<3xf32>, %z: vector<2xf64>, %w: f64)
    -> (bf16, vector<3xf16>, vector<2xf16>, f64) {
  %0 = arith.truncf %x : f32 to bf16
  %1 = arith.truncf %y : vector<3xf32> to vector<3xf16>
  %2 = arith.truncf %z : vector<2xf64> to vector<2xf16>
  %3 = math.sqrt %w : f64
  return %0, %1, %2, %3 : bf16, vector<3xf16>, vector<2xf16>, f64
}

// Others are polynomials: no function is called.

// CHECK-LABEL: func.func @polynomials
// CHECK-NOT: math.{{tanh|exp |erf|sin|cos}}
// CHECK: return
func.func @polynomials(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.tanh %x : vector<8xf32>
  %1 = math.exp %0 : vector<8xf32>
  %2 = math.erf %1 : vector<8xf32>
  %3 = math.sin %2 : vector<8xf32>
  %4 = math.cos %3 : vector<8xf32>
  return %4 : vector<8xf32>
}
