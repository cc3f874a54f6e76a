// RUN: fa-opt %s --fa-expand-math | FileCheck %s
// The numbers of exp2 are tested in expand-math-exp2.mlir.

// 2^x = 2^f * 2^n: x held to [-125, 128], n the nearest integer, a polynomial in
// f by Horner's rule, the power from its bits.

// CHECK-LABEL: func.func @exp2
// CHECK-SAME: (%[[X:.*]]: vector<8xf32>)
// CHECK-DAG: %[[LOW:.*]] = arith.constant dense<-1.250000e+02> : vector<8xf32>
// CHECK-DAG: %[[HIGH:.*]] = arith.constant dense<1.280000e+02> : vector<8xf32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK-DAG: %[[INF:.*]] = arith.constant dense<0x7F800000> : vector<8xf32>
// CHECK-DAG: %[[C126:.*]] = arith.constant dense<126> : vector<8xi32>
// CHECK-DAG: %[[C23:.*]] = arith.constant dense<23> : vector<8xi32>
// CHECK: %[[ABOVE:.*]] = arith.cmpf ogt, %[[X]], %[[LOW]]
// CHECK: %[[X1:.*]] = arith.select %[[ABOVE]], %[[X]], %[[LOW]]
// CHECK: %[[BELOW:.*]] = arith.cmpf olt, %[[X1]], %[[HIGH]]
// CHECK: %[[X2:.*]] = arith.select %[[BELOW]], %[[X1]], %[[HIGH]]
// CHECK: %[[N:.*]] = math.roundeven %[[X2]]
// CHECK: %[[F:.*]] = arith.subf %[[X]], %[[N]]
// CHECK: %[[P5:.*]] = math.fma %{{.*}}, %[[F]],
// CHECK: %[[P4:.*]] = math.fma %[[P5]], %[[F]],
// CHECK: %[[P3:.*]] = math.fma %[[P4]], %[[F]],
// CHECK: %[[P2:.*]] = math.fma %[[P3]], %[[F]],
// CHECK: %[[P1:.*]] = math.fma %[[P2]], %[[F]],
// CHECK: %[[P:.*]] = math.fma %[[P1]], %[[F]],
// CHECK: %[[I:.*]] = arith.fptosi %[[N]]
// CHECK: %[[E:.*]] = arith.addi %[[I]], %[[C126]]
// CHECK: %[[BITS:.*]] = arith.shli %[[E]], %[[C23]]
// CHECK: %[[POWER:.*]] = arith.bitcast %[[BITS]]
// CHECK: %[[TWICE:.*]] = arith.addf %[[P]], %[[P]]
// CHECK: %[[Y:.*]] = arith.mulf %[[TWICE]], %[[POWER]]
// CHECK: %[[UNDER:.*]] = arith.cmpf olt, %[[X]], %[[LOW]]
// CHECK: %[[Y1:.*]] = arith.select %[[UNDER]], %[[ZERO]], %[[Y]]
// CHECK: %[[OVER:.*]] = arith.cmpf oge, %[[X]], %[[HIGH]]
// CHECK: %[[Y2:.*]] = arith.select %[[OVER]], %[[INF]], %[[Y1]]
// CHECK: return %[[Y2]]
func.func @exp2(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.exp2 %x : vector<8xf32>
  return %y : vector<8xf32>
}

// bf16 by its bits, rounded to nearest even, a NaN quiet.

// CHECK-LABEL: func.func @bf16
// CHECK-SAME: (%[[X:.*]]: vector<8xbf16>, %[[Z:.*]]: f32)
// CHECK: %[[X16:.*]] = arith.bitcast %[[X]] : vector<8xbf16> to vector<8xi16>
// CHECK: %[[X32:.*]] = arith.extui %[[X16]] : vector<8xi16> to vector<8xi32>
// CHECK: %[[HIGH:.*]] = arith.shli %[[X32]], %{{.*}}
// CHECK: arith.bitcast %[[HIGH]] : vector<8xi32> to vector<8xf32>
// CHECK: %[[NAN:.*]] = arith.cmpf une, %[[Z]], %[[Z]]
// CHECK: arith.select %[[NAN]],
// CHECK-NOT: {{arith.extf|arith.truncf}}
// CHECK: return
func.func @bf16(%x: vector<8xbf16>, %z: f32) -> (vector<8xf32>, bf16) {
  %y = arith.extf %x : vector<8xbf16> to vector<8xf32>
  %w = arith.truncf %z : f32 to bf16
  return %y, %w : vector<8xf32>, bf16
}

// Upstream's polynomials, also for 16 bits.

// CHECK-LABEL: func.func @tanh
// CHECK-NOT: math.tanh
// CHECK: math.fma
// CHECK: math.fma {{.*}} : vector<4xf32>
// CHECK-NOT: math.tanh
// CHECK: return
func.func @tanh(%x: f32, %h: vector<4xf16>) -> (f32, vector<4xf16>) {
  %a = math.tanh %x : f32
  %b = math.tanh %h : vector<4xf16>
  return %a, %b : f32, vector<4xf16>
}

// CHECK-LABEL: func.func @clampf
// CHECK-SAME: (%[[X:.*]]: vector<4xf32>, %[[LOW:.*]]: vector<4xf32>, %[[HIGH:.*]]: vector<4xf32>)
// CHECK: %[[AT_LEAST:.*]] = arith.maximumf %[[X]], %[[LOW]]
// CHECK: %[[R:.*]] = arith.minimumf %[[AT_LEAST]], %[[HIGH]]
// CHECK: return %[[R]]
func.func @clampf(%x: vector<4xf32>, %low: vector<4xf32>, %high: vector<4xf32>) -> vector<4xf32> {
  %r = math.clampf %x to [%low, %high] : vector<4xf32>
  return %r : vector<4xf32>
}

// Integer powers stay, in types that upstream turns into loops.

// CHECK-LABEL: func.func @powers
// CHECK-SAME: (%[[H:.*]]: vector<4xf16>, %[[N:.*]]: vector<4xi8>, %[[I:.*]]: index)
// CHECK: %[[X:.*]] = arith.extf %[[H]] : vector<4xf16> to vector<4xf32>
// CHECK: %[[Y:.*]] = math.fpowi %[[X]], %[[N]] : vector<4xf32>, vector<4xi8>
// CHECK: %[[A:.*]] = arith.truncf %[[Y]] : vector<4xf32> to vector<4xf16>
// CHECK: %[[I0:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK: %[[Z:.*]] = math.ipowi %{{.*}}, %{{.*}} : i64
// CHECK: %[[B:.*]] = arith.index_cast %[[Z]] : i64 to index
// CHECK: return %[[A]], %[[B]]
func.func @powers(%h: vector<4xf16>, %n: vector<4xi8>, %i: index) -> (vector<4xf16>, index) {
  %a = math.fpowi %h, %n : vector<4xf16>, vector<4xi8>
  %b = math.ipowi %i, %i : index
  return %a, %b : vector<4xf16>, index
}

// What upstream has no polynomial for.

// CHECK-LABEL: func.func @ours
// CHECK-NOT: math.{{a?(cosh|sinh|tanh)|log|powf|sin|cos|tan}}
// CHECK: return
func.func @ours(%x: vector<4xf32>, %h: bf16)
    -> (vector<4xf32>, bf16, vector<4xf32>, vector<4xf32>) {
  %a = math.acosh %x : vector<4xf32>
  %b = math.asinh %a : vector<4xf32>
  %c = math.atanh %b : vector<4xf32>
  %d = math.cosh %c : vector<4xf32>
  %e = math.sinh %d : vector<4xf32>
  %f = math.tan %e : vector<4xf32>
  %g = math.log10 %f : vector<4xf32>
  %i = math.powf %g, %x : vector<4xf32>
  %j = math.powf %h, %h : bf16
  %s, %k = math.sincos %i : vector<4xf32>
  return %i, %j, %s, %k : vector<4xf32>, bf16, vector<4xf32>, vector<4xf32>
}

// What is left.

// CHECK-LABEL: func.func @left
// CHECK: math.acosh {{.*}} : f64
// CHECK: math.exp2 {{.*}} : f64
func.func @left(%d: f64) -> (f64, f64) {
  %a = math.acosh %d : f64
  %b = math.exp2 %d : f64
  return %a, %b : f64, f64
}
