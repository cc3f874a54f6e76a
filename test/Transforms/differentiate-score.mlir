// RUN: fa-opt %s --fa-differentiate-score | FileCheck %s

// Each function has one score region; what the pass adds is checked. That the
// derivative of every op is right is seen in test/Integration/differences.test.

!M = memref<1x2x8x16xf32>
!L = memref<1x2x8xf32>

// The example of the pass: the score stays, and its own steps are used again.
// CHECK-LABEL: func.func @example
// CHECK: score {
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, {{.*}}):
// CHECK-NEXT:   %[[T:.*]] = math.tanh %[[S]] : f32
// CHECK-NEXT:   fa.yield %[[T]] : f32
// CHECK-NEXT: } derivative {
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index):
// CHECK-DAG:    %[[T:.*]] = math.tanh %[[S]] : f32
// CHECK-DAG:    %[[TT:.*]] = arith.mulf %[[T]], %[[T]] : f32
// CHECK-DAG:    %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:        %[[D:.*]] = arith.subf %[[ONE]], %[[TT]] : f32
// CHECK-NEXT:   fa.yield %[[D]] : f32
// CHECK-NEXT: }
func.func @example(%Q: !M, %L: !L) {
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : !M, !M, !M, !M, !M, !L) outs(%Q, %Q, %Q : !M, !M, !M)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.tanh %s : f32
        fa.yield %t : f32
      }
  return
}

// A bias does not depend on the score: the derivative is 1, and its table is
// not read.
// CHECK-LABEL: func.func @bias
// CHECK: derivative {
// CHECK-NEXT: ^bb0
// CHECK-NEXT:   %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:   fa.yield %[[ONE]] : f32
func.func @bias(%Q: !M, %L: !L, %table: memref<?xf32>) {
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : !M, !M, !M, !M, !M, !L) outs(%Q, %Q, %Q : !M, !M, !M)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %bias = memref.load %table[%h] : memref<?xf32>
        %y = arith.addf %s, %bias : f32
        fa.yield %y : f32
      }
  return
}

// A factor from a table is the derivative.
// CHECK-LABEL: func.func @factor
// CHECK: derivative {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: index, %[[H:.*]]: index, %{{.*}}: index, %{{.*}}: index):
// CHECK-NEXT:   %[[F:.*]] = memref.load %{{.*}}[%[[H]]] : memref<?xf32>
// CHECK-NEXT:   fa.yield %[[F]] : f32
func.func @factor(%Q: !M, %L: !L, %table: memref<?xf32>) {
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : !M, !M, !M, !M, !M, !L) outs(%Q, %Q, %Q : !M, !M, !M)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %factor = memref.load %table[%h] : memref<?xf32>
        %y = arith.mulf %s, %factor : f32
        fa.yield %y : f32
      }
  return
}

// What passes through an integer or a comparison is constant.
// CHECK-LABEL: func.func @steps
// CHECK: derivative {
// CHECK-NEXT: ^bb0
// CHECK-NEXT:   %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:   fa.yield %[[ZERO]] : f32
func.func @steps(%Q: !M, %L: !L, %a: f32) {
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : !M, !M, !M, !M, !M, !L) outs(%Q, %Q, %Q : !M, !M, !M)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %n = arith.fptosi %s : f32 to i32
        %f = arith.sitofp %n : i32 to f32
        %c = arith.cmpf ogt, %s, %a : f32
        %x = arith.select %c, %f, %a : f32
        %r = math.floor %s : f32
        %y = arith.addf %x, %r : f32
        fa.yield %y : f32
      }
  return
}

// Both branches of a select, one of them constant.
// CHECK-LABEL: func.func @branches
// CHECK: derivative {
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, {{.*}}):
// CHECK-DAG:    %[[C:.*]] = arith.cmpf ogt, %[[S]], %{{.*}} : f32
// CHECK-DAG:    %[[TWO:.*]] = arith.addf %[[S]], %[[S]] : f32
// CHECK-DAG:    %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:        %[[D:.*]] = arith.select %[[C]], %[[TWO]], %[[ZERO]] : f32
// CHECK-NEXT:   fa.yield %[[D]] : f32
func.func @branches(%Q: !M, %L: !L, %a: f32) {
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : !M, !M, !M, !M, !M, !L) outs(%Q, %Q, %Q : !M, !M, !M)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %c = arith.cmpf ogt, %s, %a : f32
        %q = arith.mulf %s, %s : f32
        %y = arith.select %c, %q, %a : f32
        fa.yield %y : f32
      }
  return
}

// Tangents have the type of their values.
// CHECK-LABEL: func.func @types
// CHECK: derivative {
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, {{.*}}):
// CHECK:        math.exp %{{.*}} : f16
// CHECK:        %[[D:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT:   fa.yield %[[D]] : f32
func.func @types(%Q: !M, %L: !L) {
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : !M, !M, !M, !M, !M, !L) outs(%Q, %Q, %Q : !M, !M, !M)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %n = arith.truncf %s : f32 to f16
        %e = math.exp %n : f16
        %y = arith.extf %e : f16 to f32
        fa.yield %y : f32
      }
  return
}

// A derivative that is there is kept, also where none would be known; an op that
// the result does not depend on needs none.
// CHECK-LABEL: func.func @given
// CHECK: derivative {
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, {{.*}}):
// CHECK-NEXT:   fa.yield %[[S]] : f32
// CHECK-NEXT: }
// CHECK: derivative {
// CHECK-NEXT: ^bb0
// CHECK-NEXT:   %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:   fa.yield %[[ONE]] : f32
func.func @given(%Q: !M, %L: !L) {
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : !M, !M, !M, !M, !M, !L) outs(%Q, %Q, %Q : !M, !M, !M)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %n = arith.bitcast %s : f32 to i32
        %y = arith.bitcast %n : i32 to f32
        fa.yield %y : f32
      }
      derivative {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        fa.yield %s : f32
      }
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : !M, !M, !M, !M, !M, !L) outs(%Q, %Q, %Q : !M, !M, !M)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %n = arith.bitcast %s : f32 to i32
        fa.yield %s : f32
      }
  return
}

// Nothing to do: no score region, and the forward.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: derivative
func.func @nothing(%Q: !M, %L: !L) {
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : !M, !M, !M, !M, !M, !L) outs(%Q, %Q, %Q : !M, !M, !M)
  fa.attention ins(%Q, %Q, %Q : !M, !M, !M) outs(%Q, %L : !M, !L)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.tanh %s : f32
        fa.yield %t : f32
      }
  return
}
