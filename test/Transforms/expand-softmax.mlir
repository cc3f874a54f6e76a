// RUN: fa-opt %s --fa-expand-softmax | FileCheck %s

// 1 / ln 2 is 1.44269502; half of it is the factor of a scale of 0.5. The
// maximum of a row without a key is replaced by 0; P is rounded only after it
// was summed.

// CHECK-LABEL: func.func @softmax
// CHECK-SAME: (%[[S:.*]]: vector<4x8xf32>, %[[M:.*]]: vector<4xf32>, %[[L:.*]]: vector<4xf32>)
// CHECK: %[[INF:.*]] = arith.constant dense<0xFF800000> : vector<4xf32>
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[M]], %[[INF]]
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK: %[[FINITE:.*]] = arith.select %[[EMPTY]], %[[ZERO]], %[[M]]
// CHECK: %[[MINUS_C:.*]] = arith.constant dense<-0.72134751> : vector<4xf32>
// CHECK: %[[OFFSET:.*]] = arith.mulf %[[FINITE]], %[[MINUS_C]]
// CHECK: %[[C:.*]] = arith.constant dense<0.72134751> : vector<4x8xf32>
// CHECK: %[[COLUMN:.*]] = vector.shape_cast %[[OFFSET]] : vector<4xf32> to vector<4x1xf32>
// CHECK: %[[TILE:.*]] = vector.broadcast %[[COLUMN]] : vector<4x1xf32> to vector<4x8xf32>
// CHECK: %[[E:.*]] = math.fma %[[S]], %[[C]], %[[TILE]]
// CHECK: %[[P:.*]] = math.exp2 %[[E]] : vector<4x8xf32>
// CHECK: %[[L1:.*]] = vector.multi_reduction <add>, %[[P]], %[[L]] [1]
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[P]] : vector<4x8xf32> to vector<4x8xf16>
// CHECK: return %[[ROUNDED]], %[[L1]]
func.func @softmax(%S: vector<4x8xf32>, %m: vector<4xf32>, %l: vector<4xf32>) -> (vector<4x8xf16>, vector<4xf32>) {
  %P, %l1 = fa.softmax %S, %m, %l scale 0.5 : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf16>
  return %P, %l1 : vector<4x8xf16>, vector<4xf32>
}

// The new maximum first; alpha from the old one, with the same factor; f32 is
// not rounded.

// CHECK-LABEL: func.func @online_softmax
// CHECK-SAME: (%[[S:.*]]: vector<4x8xf32>, %[[M:.*]]: vector<4xf32>, %[[L:.*]]: vector<4xf32>)
// CHECK: %[[M1:.*]] = vector.multi_reduction <maxnumf>, %[[S]], %[[M]] [1]
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[M1]],
// CHECK: %[[FINITE:.*]] = arith.select %[[EMPTY]], %{{.*}}, %[[M1]]
// CHECK: %[[MINUS_C:.*]] = arith.constant dense<-0.72134751> : vector<4xf32>
// CHECK: %[[OFFSET:.*]] = arith.mulf %[[FINITE]], %[[MINUS_C]]
// CHECK: %[[C:.*]] = arith.constant dense<0.72134751> : vector<4xf32>
// CHECK: %[[OLD:.*]] = arith.mulf %[[M]], %[[C]]
// CHECK: %[[D:.*]] = arith.addf %[[OLD]], %[[OFFSET]]
// CHECK: %[[ALPHA:.*]] = math.exp2 %[[D]] : vector<4xf32>
// CHECK: %[[E:.*]] = math.fma %[[S]],
// CHECK: %[[P:.*]] = math.exp2 %[[E]] : vector<4x8xf32>
// CHECK: %[[RESCALED:.*]] = arith.mulf %[[L]], %[[ALPHA]]
// CHECK: %[[L1:.*]] = vector.multi_reduction <add>, %[[P]], %[[RESCALED]] [1]
// CHECK: return %[[P]], %[[M1]], %[[L1]], %[[ALPHA]]
func.func @online_softmax(%S: vector<4x8xf32>, %m: vector<4xf32>, %l: vector<4xf32>)
    -> (vector<4x8xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
  %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l scale 0.5 : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  return %P, %m1, %l1, %alpha : vector<4x8xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
}

// Without a scale the difference comes first: it is exact for scores of any size
// that are near the maximum.

// CHECK-LABEL: func.func @unscaled
// CHECK-SAME: (%[[S:.*]]: vector<4x8xf32>, %[[M:.*]]: vector<4xf32>, %[[L:.*]]: vector<4xf32>)
// CHECK: %[[M1:.*]] = vector.multi_reduction <maxnumf>, %[[S]], %[[M]] [1]
// CHECK: %[[FINITE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[M1]]
// CHECK: %[[C:.*]] = arith.constant dense<1.44269502> : vector<4xf32>
// CHECK: %[[OLD:.*]] = arith.subf %[[M]], %[[FINITE]]
// CHECK: %[[D:.*]] = arith.mulf %[[OLD]], %[[C]]
// CHECK: %[[ALPHA:.*]] = math.exp2 %[[D]] : vector<4xf32>
// CHECK: %[[CT:.*]] = arith.constant dense<1.44269502> : vector<4x8xf32>
// CHECK: %[[COLUMN:.*]] = vector.shape_cast %[[FINITE]] : vector<4xf32> to vector<4x1xf32>
// CHECK: %[[TILE:.*]] = vector.broadcast %[[COLUMN]]
// CHECK: %[[DIFFERENCE:.*]] = arith.subf %[[S]], %[[TILE]]
// CHECK: %[[E:.*]] = arith.mulf %[[DIFFERENCE]], %[[CT]]
// CHECK: %[[P:.*]] = math.exp2 %[[E]] : vector<4x8xf32>
func.func @unscaled(%S: vector<4x8xf32>, %m: vector<4xf32>, %l: vector<4xf32>)
    -> (vector<4x8xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
  %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  return %P, %m1, %l1, %alpha : vector<4x8xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
}

// A row that has grown by no more than the bound keeps its maximum, and has an
// alpha of 1. From -inf any growth is more; a row without any key is NaN, and not
// more.

// CHECK-LABEL: func.func @lazy
// CHECK-SAME: (%[[S:.*]]: vector<4x8xf32>, %[[M:.*]]: vector<4xf32>, %[[L:.*]]: vector<4xf32>)
// CHECK: %[[MAX:.*]] = vector.multi_reduction <maxnumf>, %[[S]], %[[M]] [1]
// CHECK: %[[D:.*]] = arith.subf %[[MAX]], %[[M]]
// CHECK: %[[C:.*]] = arith.constant dense<0.72134751> : vector<4xf32>
// CHECK: %[[GROWTH:.*]] = arith.mulf %[[D]], %[[C]]
// CHECK: %[[BOUND:.*]] = arith.constant dense<8.000000e+00> : vector<4xf32>
// CHECK: %[[GREW:.*]] = arith.cmpf ogt, %[[GROWTH]], %[[BOUND]]
// CHECK: %[[M1:.*]] = arith.select %[[GREW]], %[[MAX]], %[[M]]
// CHECK: arith.cmpf oeq, %[[M1]],
// CHECK: %[[FACTOR:.*]] = math.exp2 %{{.*}} : vector<4xf32>
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<4xf32>
// CHECK: %[[ALPHA:.*]] = arith.select %[[GREW]], %[[FACTOR]], %[[ONE]]
// CHECK: arith.mulf %[[L]], %[[ALPHA]]
// CHECK: return %{{.*}}, %[[M1]], %{{.*}}, %[[ALPHA]]
func.func @lazy(%S: vector<4x8xf32>, %m: vector<4xf32>, %l: vector<4xf32>)
    -> (vector<4x8xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
  %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l scale 0.5 lazy 8.0 : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  return %P, %m1, %l1, %alpha : vector<4x8xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
}

// An empty row is divided by 1; its LSE is -inf because m is. l is the sum of powers
// with the rounded product of m and c: what it was rounded by, m c - round(m c), which
// an FMA has exactly, is taken from the logarithm, times ln 2.

// CHECK-LABEL: func.func @finish
// CHECK-SAME: (%[[O:.*]]: vector<4x16xf32>, %[[M:.*]]: vector<4xf32>, %[[L:.*]]: vector<4xf32>)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[L]], %[[ZERO]]
// CHECK: %[[DIVISOR:.*]] = arith.select %[[EMPTY]], %{{.*}}, %[[L]]
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<4xf32>
// CHECK: %[[INVERSE:.*]] = arith.divf %[[ONE]], %[[DIVISOR]] fastmath<arcp>
// CHECK: %[[COLUMN:.*]] = vector.shape_cast %[[INVERSE]] : vector<4xf32> to vector<4x1xf32>
// CHECK: %[[TILE:.*]] = vector.broadcast %[[COLUMN]] : vector<4x1xf32> to vector<4x16xf32>
// CHECK: %[[OUT:.*]] = arith.mulf %[[O]], %[[TILE]]
// CHECK: %[[LOG:.*]] = math.log %[[DIVISOR]]
// CHECK: %[[FINITE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[M]]
// CHECK: %[[MINUSC:.*]] = arith.constant dense<-0.72134751> : vector<4xf32>
// CHECK: %[[OFFSET:.*]] = arith.mulf %[[FINITE]], %[[MINUSC]]
// CHECK: %[[C:.*]] = arith.constant dense<0.72134751> : vector<4xf32>
// CHECK: %[[EXCESS:.*]] = math.fma %[[FINITE]], %[[C]], %[[OFFSET]]
// CHECK: %[[MINUSLN2:.*]] = arith.constant dense<-0.693147182> : vector<4xf32>
// CHECK: %[[EXACT:.*]] = math.fma %[[EXCESS]], %[[MINUSLN2]], %[[LOG]]
// CHECK: %[[SCALE:.*]] = arith.constant dense<5.000000e-01> : vector<4xf32>
// CHECK: %[[LSE:.*]] = math.fma %[[M]], %[[SCALE]], %[[EXACT]]
// CHECK: return %[[OUT]], %[[LSE]]
func.func @finish(%O: vector<4x16xf32>, %m: vector<4xf32>, %l: vector<4xf32>) -> (vector<4x16xf32>, vector<4xf32>) {
  %out, %lse = fa.finish %O, %m, %l scale 0.5 : vector<4x16xf32>, vector<4xf32>
  return %out, %lse : vector<4x16xf32>, vector<4xf32>
}

// Without a scale the difference to m comes first, and nothing is rounded by m.

// CHECK-LABEL: func.func @finish_unscaled
// CHECK-SAME: %[[M:[^:]*]]: vector<4xf32>, %[[L:[^:]*]]: vector<4xf32>)
// CHECK: %[[LOG:.*]] = math.log
// CHECK-NOT: {{math.fma|arith.mulf}}
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<4xf32>
// CHECK-NEXT: %[[LSE:.*]] = math.fma %[[M]], %[[ONE]], %[[LOG]]
// CHECK: return %{{.*}}, %[[LSE]]
func.func @finish_unscaled(%O: vector<4x16xf32>, %m: vector<4xf32>, %l: vector<4xf32>) -> (vector<4x16xf32>, vector<4xf32>) {
  %out, %lse = fa.finish %O, %m, %l : vector<4x16xf32>, vector<4xf32>
  return %out, %lse : vector<4x16xf32>, vector<4xf32>
}

// The products stay. No fast-math flag says that there are no infinities.

// CHECK-LABEL: func.func @products
// CHECK: fa.scores
// CHECK-NOT: {{fa.online_softmax|fastmath}}
// CHECK: fa.accumulate %{{.*}}, %{{.*}}, %{{.*}} rescale %{{.*}} :
// CHECK-NOT: fastmath
// CHECK: return
func.func @products(%Q: memref<4x16xf32>, %K: memref<8x16xf32>, %m: vector<4xf32>, %l: vector<4xf32>, %O: vector<4x16xf32>) -> vector<4x16xf32> {
  %S = fa.scores %Q, %K : memref<4x16xf32>, memref<8x16xf32> -> vector<4x8xf32>
  %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  %O1 = fa.accumulate %P, %K, %O rescale %alpha : vector<4x8xf32>, memref<8x16xf32>, vector<4x16xf32>, vector<4xf32>
  return %O1 : vector<4x16xf32>
}
