// RUN: fa-opt %s --fa-unroll-elementwise --split-input-file | FileCheck %s

// One element after another, each through the whole chain. What an element is
// made from is taken where it is made.

// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[S:.*]]: vector<4xf32>, %[[ROWS:.*]]: vector<2xf32>, %[[X:.*]]: f32, %[[Y:.*]]: f32)
func.func @chain(%s: vector<4xf32>, %rows: vector<2xf32>, %x: f32, %y: f32)
    -> (vector<4xf32>, vector<4xf16>) {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  %xs = vector.broadcast %x : f32 to vector<4xf32>
  %pack = vector.from_elements %x, %y, %x, %y : vector<4xf32>
  %across = vector.shuffle %rows, %rows [0, 0, 1, 1] : vector<2xf32>, vector<2xf32>
  // CHECK: %[[S0:.*]] = vector.extract %[[S]][0]
  // CHECK: %[[C0:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK: %[[A0:.*]] = arith.addf %[[S0]], %[[C0]] fastmath<contract> : f32
  // CHECK: %[[T0:.*]] = math.tanh %[[A0]] : f32
  // CHECK: %[[M0:.*]] = arith.mulf %[[T0]], %[[X]] : f32
  // CHECK: %[[R0:.*]] = vector.extract %[[ROWS]][0]
  // CHECK: %[[B0:.*]] = arith.subf %[[M0]], %[[R0]] : f32
  // CHECK: %[[D0:.*]] = arith.divf %[[B0]], %[[X]] : f32
  // CHECK: %[[S1:.*]] = vector.extract %[[S]][1]
  // CHECK: %[[T1:.*]] = math.tanh
  // CHECK: %[[D1:.*]] = arith.divf %{{.*}}, %[[Y]] : f32
  // CHECK: %[[T2:.*]] = math.tanh
  // CHECK: vector.extract %[[ROWS]][1]
  // CHECK: %[[D2:.*]] = arith.divf %{{.*}}, %[[X]] : f32
  // CHECK: %[[T3:.*]] = math.tanh
  // CHECK: %[[D3:.*]] = arith.divf %{{.*}}, %[[Y]] : f32
  // CHECK: %[[T:.*]] = vector.from_elements %[[T0]], %[[T1]], %[[T2]], %[[T3]]
  // CHECK: %[[D:.*]] = vector.from_elements %[[D0]], %[[D1]], %[[D2]], %[[D3]]
  // CHECK: %[[P:.*]] = arith.truncf %[[D]] : vector<4xf32> to vector<4xf16>
  // CHECK: return %[[T]], %[[P]]
  %a = arith.addf %s, %c fastmath<contract> : vector<4xf32>
  %t = math.tanh %a : vector<4xf32>
  %m = arith.mulf %t, %xs : vector<4xf32>
  %b = arith.subf %m, %across : vector<4xf32>
  %d = arith.divf %b, %pack : vector<4xf32>
  %p = arith.truncf %d : vector<4xf32> to vector<4xf16>
  return %t, %p : vector<4xf32>, vector<4xf16>
}

// -----

// A read of a table for each element. One with a mask stays.

// CHECK-LABEL: func.func @gather
// CHECK-SAME: (%[[TABLE:.*]]: memref<?xi32>, %[[AT:.*]]: vector<2xi64>, %[[FROM:.*]]: index, %[[MASK:.*]]: vector<2xi1>)
func.func @gather(%table: memref<?xi32>, %at: vector<2xi64>, %from: index, %mask: vector<2xi1>)
    -> (vector<2xi1>, vector<2xi32>) {
  %yes = arith.constant dense<true> : vector<2xi1>
  %zero = arith.constant dense<0> : vector<2xi32>
  // CHECK: %[[AT0:.*]] = vector.extract %[[AT]][0]
  // CHECK: %[[INDEX0:.*]] = arith.index_cast %[[AT0]] : i64 to index
  // CHECK: %[[SUM0:.*]] = arith.addi %[[FROM]], %[[INDEX0]]
  // CHECK: %[[READ0:.*]] = memref.load %[[TABLE]][%[[SUM0]]]
  // CHECK: arith.cmpi eq, %[[READ0]]
  // CHECK: memref.load %[[TABLE]]
  // CHECK: vector.gather %[[TABLE]][%{{.*}}] [%{{.*}}], %[[MASK]]
  %read = vector.gather %table[%from] [%at], %yes, %zero
      : memref<?xi32>, vector<2xi64>, vector<2xi1>, vector<2xi32> into vector<2xi32>
  %same = arith.cmpi eq, %read, %zero : vector<2xi32>
  %masked = vector.gather %table[%from] [%at], %mask, %zero
      : memref<?xi32>, vector<2xi64>, vector<2xi1>, vector<2xi32> into vector<2xi32>
  return %same, %masked : vector<2xi1>, vector<2xi32>
}

// -----

// A chain ends before what uses it, also in a loop, and before a write; what
// needs nothing of it may stand between.

// CHECK-LABEL: func.func @ends
// CHECK: math.tanh
// CHECK: math.tanh
// CHECK: vector.from_elements
// CHECK: scf.for
// CHECK:   memref.load
// CHECK:   memref.load
// CHECK:   vector.from_elements
// CHECK:   memref.store
// CHECK:   math.sin
// CHECK:   math.sin
// CHECK:   vector.from_elements
// CHECK:   scf.yield
func.func @ends(%s: vector<2xf32>, %table: memref<?xf32>, %n: index, %at: vector<2xindex>) -> vector<2xf32> {
  %yes = arith.constant dense<true> : vector<2xi1>
  %c0 = arith.constant 0 : index
  %t = math.tanh %s : vector<2xf32>
  %k = arith.addi %n, %n : index
  %r = scf.for %i = %c0 to %k step %n iter_args(%x = %s) -> vector<2xf32> {
    %a = arith.addf %x, %t : vector<2xf32>
    %read = vector.gather %table[%c0] [%at], %yes, %a
        : memref<?xf32>, vector<2xindex>, vector<2xi1>, vector<2xf32> into vector<2xf32>
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %table[%i] : memref<?xf32>
    %b = math.sin %read : vector<2xf32>
    scf.yield %b : vector<2xf32>
  }
  return %r : vector<2xf32>
}

// -----

// Short chains, and conversions to 16 bits, which are done in pairs, stay.

// CHECK-LABEL: func.func @short
// CHECK: math.fma %{{.*}} : vector<8xf32>
// CHECK: math.exp2 %{{.*}} : vector<8xf32>
// CHECK-NOT: extract
func.func @short(%s: vector<8xf32>, %m: vector<8xf32>) -> vector<8xbf16> {
  %a = math.fma %s, %m, %m : vector<8xf32>
  %b = math.exp2 %a : vector<8xf32>
  %c = arith.truncf %b : vector<8xf32> to vector<8xbf16>
  return %c : vector<8xbf16>
}
