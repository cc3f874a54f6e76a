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

func.func @wgmma_groups(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
      %O: memref<?x?x?x64xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected at most 4 row groups of 4 warps with 64 rows each for wgmma but got #fa.schedule<br = 320, bc = 16, groups = 5, warps = 4>}}
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.schedule = #fa.schedule<br = 320, bc = 16, groups = 5, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @wgmma_warps(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
      %O: memref<?x?x?x64xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected at most 4 row groups of 4 warps with 64 rows each for wgmma but got #fa.schedule<br = 128, bc = 16, groups = 2, warps = 8>}}
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.schedule = #fa.schedule<br = 128, bc = 16, groups = 2, warps = 8>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @wgmma_rows(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
      %O: memref<?x?x?x64xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected at most 4 row groups of 4 warps with 64 rows each for wgmma but got #fa.schedule<br = 64, bc = 16, groups = 2, warps = 4>}}
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, groups = 2, warps = 4>, fa.target = #fa.target<"sm_90a", sram = 232448>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @mma_sync_groups(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
      %O: memref<?x?x?x64xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected one row group of at most 32 warps with 16 rows each for mma.sync but got #fa.schedule<br = 32, bc = 16, groups = 2>}}
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.schedule = #fa.schedule<br = 32, bc = 16, groups = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @mma_sync_warps(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
      %O: memref<?x?x?x64xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected one row group of at most 32 warps with 16 rows each for mma.sync but got #fa.schedule<br = 528, bc = 16, warps = 33>}}
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.schedule = #fa.schedule<br = 528, bc = 16, warps = 33>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @mma_sync_rows(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
      %O: memref<?x?x?x64xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected one row group of at most 32 warps with 16 rows each for mma.sync but got #fa.schedule<br = 64, bc = 16, warps = 2>}}
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.schedule = #fa.schedule<br = 64, bc = 16, warps = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @key_rows(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
      %O: memref<?x?x?x64xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected key tiles whose rows are a multiple of 16 on a GPU but got #fa.schedule<br = 16, bc = 24>}}
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
  } {fa.schedule = #fa.schedule<br = 16, bc = 24>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @f32(%Q: memref<?x?x?x64xf32, #global>, %K: memref<?x?x?x64xf32, #global>, %V: memref<?x?x?x64xf32, #global>,
      %O: memref<?x?x?x64xf32, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %Qi = memref.subview %Q[%b, %h, %i, 0] [1, 1, %n, 64] [1, 1, 1, 1] : memref<?x?x?x64xf32, #global> to memref<?x64xf32, #tile>
    // expected-error @+1 {{expected operands of f16 or bf16 on a GPU but got 'f32'}}
    %S = fa.scores %Qi, %Qi : memref<?x64xf32, #tile>, memref<?x64xf32, #tile> -> vector<16x16xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
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
      // expected-error @+1 {{expected the product and the view of its operand in a loop over key tiles}}
      %S = fa.scores %Qi, %Kj : memref<?x64xf16, #tile>, memref<?x64xf16, #tile> -> vector<16x16xf32>
    }
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @no_loop(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
      %O: memref<?x?x?x64xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %Qi = memref.subview %Q[%b, %h, %i, 0] [1, 1, %n, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
    %Kj = memref.subview %K[%b, %h, %i, 0] [1, 1, %n, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
    // expected-error @+1 {{expected the product and the view of its operand in a loop over key tiles}}
    %S = fa.scores %Qi, %Kj : memref<?x64xf16, #tile>, memref<?x64xf16, #tile> -> vector<16x16xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @query_is_argument_1(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
      %O: memref<?x?x?x64xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %Qi = memref.subview %K[%b, %h, %i, 0] [1, 1, %n, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
    // expected-error @+1 {{expected Q, K, V, O and LSE to be the arguments of the function, in this order, but argument 0 is not Q}}
    %S = fa.scores %Qi, %Qi : memref<?x64xf16, #tile>, memref<?x64xf16, #tile> -> vector<16x16xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @query_is_a_slice(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
      %O: memref<?x?x?x64xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %Qs = memref.subview %Q[0, 0, 1, 0] [%n, %n, %n, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<?x?x?x64xf16, #global>
    %Qi = memref.subview %Qs[%b, %h, %i, 0] [1, 1, %n, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
    // expected-error @+1 {{expected Q, K, V, O and LSE to be the arguments of the function, in this order, but argument 0 is not Q}}
    %S = fa.scores %Qi, %Qi : memref<?x64xf16, #tile>, memref<?x64xf16, #tile> -> vector<16x16xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @key_is_argument_0(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
      %O: memref<?x?x?x64xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %Qi = memref.subview %Q[%b, %h, %i, 0] [1, 1, %n, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
    scf.for %j = %c0 to %n step %c1 {
      %Kj = memref.subview %Q[%b, %h, %j, 0] [1, 1, %n, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
      // expected-error @+1 {{expected Q, K, V, O and LSE to be the arguments of the function, in this order, but argument 1 is not K}}
      %S = fa.scores %Qi, %Kj : memref<?x64xf16, #tile>, memref<?x64xf16, #tile> -> vector<16x16xf32>
    }
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @value_is_argument_1(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
      %O: memref<?x?x?x64xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %p = arith.constant dense<0.0> : vector<16x16xf16>
    %o = arith.constant dense<0.0> : vector<16x64xf32>
    scf.for %j = %c0 to %n step %c1 {
      %Vj = memref.subview %K[%b, %h, %j, 0] [1, 1, %n, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
      // expected-error @+1 {{expected Q, K, V, O and LSE to be the arguments of the function, in this order, but argument 2 is not V}}
      %r = fa.accumulate %p, %Vj, %o : vector<16x16xf16>, memref<?x64xf16, #tile>, vector<16x64xf32>
    }
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

#global = strided<[?, ?, ?, 1], offset: ?>
#tile = strided<[?, 1], offset: ?>

func.func @output_is_argument_2(%Q: memref<?x?x?x64xf16, #global>, %K: memref<?x?x?x64xf16, #global>, %V: memref<?x?x?x64xf16, #global>,
      %O: memref<?x?x?x64xf16, #global>, %LSE: memref<?x?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %o = arith.constant dense<0.0> : vector<16x64xf16>
    %Oi = memref.subview %V[%b, %h, %i, 0] [1, 1, %n, 64] [1, 1, 1, 1] : memref<?x?x?x64xf16, #global> to memref<?x64xf16, #tile>
    // expected-error @+1 {{expected Q, K, V, O and LSE to be the arguments of the function, in this order, but argument 3 is not O}}
    vector.transfer_write %o, %Oi[%c0, %c0] {in_bounds = [false, true]} : vector<16x64xf16>, memref<?x64xf16, #tile>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}

// -----

func.func @lse_is_argument_5(%Q: memref<?xf32>, %K: memref<?xf32>, %V: memref<?xf32>, %O: memref<?xf32>, %LSE: memref<?xf32>,
      %other: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b, %h, %i) in (%n, %n, %n) {
    %l = arith.constant dense<0.0> : vector<16xf32>
    // expected-error @+1 {{expected Q, K, V, O and LSE to be the arguments of the function, in this order, but argument 4 is not LSE}}
    vector.transfer_write %l, %other[%c0] : vector<16xf32>, memref<?xf32>
  } {fa.schedule = #fa.schedule<br = 16, bc = 16, stages = 2>, fa.target = #fa.target<"sm_80", sram = 166912>}
  return
}
