// RUN: fa-opt %s --fa-promote-to-sram -split-input-file -verify-diagnostics

// The nests here hold no more than the error needs.

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @not_a_gpu(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
      %O: memref<?x?x?x64xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected a loop nest for a GPU}}
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, stages = 2>, fa.target = #fa.target<"cpu", sram = 1048576, vector_bits = 256>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @no_target(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
      %O: memref<?x?x?x64xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected a loop nest for a GPU}}
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.schedule = #fa.schedule<br = 16, bc = 16>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @query_is_a_vector(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
      %O: memref<?x?x?x64xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %q = arith.constant dense<0.0> : vector<16x64xf16>
    %Kj = memref.subview %K[%b, %h, %i, 0] [1, 1, %n, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
    // expected-error @+1 {{expected a view of memory as operand but got 'vector<16x64xf16>'}}
    %S = fa.scores %q, %Kj : vector<16x64xf16>, memref<?x64xf16, #tile> -> vector<16x16xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

func.func @value_is_an_argument(%Vt: memref<16x64xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %p = arith.constant dense<0.0> : vector<16x16xf16>
    %o = arith.constant dense<0.0> : vector<16x64xf32>
    // expected-error @+1 {{expected a view of memory as operand but got 'memref<16x64xf16>'}}
    %r = fa.accumulate %p, %Vt, %o : vector<16x16xf16>, memref<16x64xf16>, vector<16x64xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @view_before_the_loop(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
      %O: memref<?x?x?x64xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %Qi = memref.subview %Q[%b, %h, %i, 0] [1, 1, %n, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
    %Kj = memref.subview %K[%b, %h, %i, 0] [1, 1, %n, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
    scf.for %j = %c0 to %n step %c1 {
      // expected-error @+1 {{expected the view of its operand beside it in the block or in a loop over key tiles}}
      %S = fa.scores %Qi, %Kj : memref<?x64xf16, #tile>, memref<?x64xf16, #tile> -> vector<16x16xf32>
    }
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @product_in_a_branch(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %n: index, %yes: i1) {
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %Qi = memref.subview %Q[%b, %h, %i, 0] [1, 1, %n, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
    scf.if %yes {
      %Kj = memref.subview %K[%b, %h, %i, 0] [1, 1, %n, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
      // expected-error @+1 {{expected the view of its operand beside it in the block or in a loop over key tiles}}
      %S = fa.scores %Qi, %Kj : memref<?x64xf16, #tile>, memref<?x64xf16, #tile> -> vector<16x16xf32>
    }
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}
