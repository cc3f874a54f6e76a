// RUN: fa-opt %s --fa-fuse-online-softmax -split-input-file -verify-diagnostics

func.func @max_from_outside(%S: vector<4x8xf32>, %m: vector<4xf32>, %l: vector<4xf32>) -> vector<4xf32> {
  // expected-error @+1 {{expected max to come from loops over key tiles, each of which goes on with the maximum of the one before, that start from -inf}}
  %P, %l1 = fa.softmax %S, %m, %l : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  return %l1 : vector<4xf32>
}

// -----

func.func @max_from_0(%S: vector<4x8xf32>) -> vector<4xf32> {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %m = vector.multi_reduction <maxnumf>, %S, %zero [1] : vector<4x8xf32> to vector<4xf32>
  // expected-error @+1 {{that start from -inf}}
  %P, %l1 = fa.softmax %S, %m, %zero : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  return %l1 : vector<4xf32>
}

// -----

func.func @minimum(%S: vector<4x8xf32>) -> vector<4xf32> {
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %m = vector.multi_reduction <minnumf>, %S, %inf [1] : vector<4x8xf32> to vector<4xf32>
  // expected-error @+1 {{that start from -inf}}
  %P, %l1 = fa.softmax %S, %m, %zero : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  return %l1 : vector<4xf32>
}

// -----

// The maximum of the first step is needed: it would get lost.
func.func @max_of_step_used(%S: vector<4x8xf32>) -> (vector<4xf32>, vector<4xf32>) {
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %m = vector.multi_reduction <maxnumf>, %S, %inf [1] : vector<4x8xf32> to vector<4xf32>
  %m1 = vector.multi_reduction <maxnumf>, %S, %m [1] : vector<4x8xf32> to vector<4xf32>
  // expected-error @+1 {{that start from -inf}}
  %P, %l1 = fa.softmax %S, %m1, %zero : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  %P2, %l2 = fa.softmax %S, %m1, %l1 : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  return %l2, %m : vector<4xf32>, vector<4xf32>
}

// -----

func.func @max_loop_does_more(%S: vector<4x8xf32>, %n: index, %buffer: memref<4xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  // expected-note @+1 {{see the loop}}
  %max = scf.for %j = %c0 to %n step %c1 iter_args(%m = %inf) -> (vector<4xf32>) {
    vector.store %m, %buffer[%c0] : memref<4xf32>, vector<4xf32>
    %m1 = vector.multi_reduction <maxnumf>, %S, %m [1] : vector<4x8xf32> to vector<4xf32>
    scf.yield %m1 : vector<4xf32>
  }
  // expected-error @+1 {{expected the loop behind max to do nothing but reduce scores to their maximum along the rows}}
  %P, %l1 = fa.softmax %S, %max, %zero : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  return %l1 : vector<4xf32>
}

// -----

func.func @max_along_columns(%S: vector<8x8xf32>, %n: index) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %inf = arith.constant dense<0xFF800000> : vector<8xf32>
  %zero = arith.constant dense<0.0> : vector<8xf32>
  // expected-note @+1 {{see the loop}}
  %max = scf.for %j = %c0 to %n step %c1 iter_args(%m = %inf) -> (vector<8xf32>) {
    %m1 = vector.multi_reduction <maxnumf>, %S, %m [0] : vector<8x8xf32> to vector<8xf32>
    scf.yield %m1 : vector<8xf32>
  }
  // expected-error @+1 {{expected the loop behind max to do nothing but reduce}}
  %P, %l1 = fa.softmax %S, %max, %zero : vector<8x8xf32>, vector<8xf32> -> vector<8x8xf32>
  return %l1 : vector<8xf32>
}

// -----

func.func @max_not_carried(%S: vector<4x8xf32>, %n: index) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  // expected-note @+1 {{see the loop}}
  %max = scf.for %j = %c0 to %n step %c1 iter_args(%m = %inf) -> (vector<4xf32>) {
    %m1 = vector.multi_reduction <maxnumf>, %S, %inf [1] : vector<4x8xf32> to vector<4xf32>
    scf.yield %m1 : vector<4xf32>
  }
  // expected-error @+1 {{expected the loop behind max to do nothing but reduce}}
  %P, %l1 = fa.softmax %S, %max, %zero : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  return %l1 : vector<4xf32>
}

// -----

func.func @other_use_of_max(%S: vector<4x8xf32>) -> (vector<4xf32>, vector<4xf32>) {
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %max = vector.multi_reduction <maxnumf>, %S, %inf [1] : vector<4x8xf32> to vector<4xf32>
  // expected-error @+1 {{expected max to be used only by one fa.softmax in each of the loops beside those that find it, and by fa.finish after them}}
  %P, %l1 = fa.softmax %S, %max, %zero : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  // expected-note @+1 {{see this use}}
  %double = arith.addf %max, %max : vector<4xf32>
  return %l1, %double : vector<4xf32>, vector<4xf32>
}

// -----

func.func @finish_too_early(%S: vector<4x8xf32>, %O: vector<4x16xf32>) -> (vector<4xf32>, vector<4xf32>) {
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %max = vector.multi_reduction <maxnumf>, %S, %inf [1] : vector<4x8xf32> to vector<4xf32>
  // expected-note @+1 {{see this use}}
  %out, %lse = fa.finish %O, %max, %zero : vector<4x16xf32>, vector<4xf32>
  // expected-error @+1 {{and by fa.finish after them}}
  %P, %l1 = fa.softmax %S, %max, %zero : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  return %l1, %lse : vector<4xf32>, vector<4xf32>
}

// -----

func.func @two_softmax_in_a_loop(%S: vector<4x8xf32>, %n: index) -> (vector<4xf32>, vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %max0 = scf.for %j = %c0 to %n step %c1 iter_args(%m = %inf) -> (vector<4xf32>) {
    %m1 = vector.multi_reduction <maxnumf>, %S, %m [1] : vector<4x8xf32> to vector<4xf32>
    scf.yield %m1 : vector<4xf32>
  }
  %max = scf.for %j = %c0 to %n step %c1 iter_args(%m = %max0) -> (vector<4xf32>) {
    %m1 = vector.multi_reduction <maxnumf>, %S, %m [1] : vector<4x8xf32> to vector<4xf32>
    scf.yield %m1 : vector<4xf32>
  }
  %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero) -> (vector<4xf32>, vector<4xf32>) {
    // expected-error @+1 {{expected max to be used only by one fa.softmax in each of the loops}}
    %P, %a1 = fa.softmax %S, %max, %a : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
    // expected-note @+1 {{see this use}}
    %P1, %b1 = fa.softmax %S, %max, %b : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
    scf.yield %a1, %b1 : vector<4xf32>, vector<4xf32>
  }
  return %r#0, %r#1 : vector<4xf32>, vector<4xf32>
}

// -----

func.func @softmax_deeper(%S: vector<4x8xf32>, %n: index, %c: i1) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %max = vector.multi_reduction <maxnumf>, %S, %inf [1] : vector<4x8xf32> to vector<4xf32>
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%a0 = %zero) -> (vector<4xf32>) {
    %a2 = scf.for %j = %c0 to %n step %c1 iter_args(%a = %a0) -> (vector<4xf32>) {
      // expected-error @+2 {{in each of the loops beside those that find it}}
      // expected-note @+1 {{see this use}}
      %P, %a1 = fa.softmax %S, %max, %a : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
      scf.yield %a1 : vector<4xf32>
    }
    scf.yield %a2 : vector<4xf32>
  }
  return %l : vector<4xf32>
}

// -----

func.func @sum_not_carried(%S: vector<4x8xf32>, %n: index) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %max = scf.for %j = %c0 to %n step %c1 iter_args(%m = %inf) -> (vector<4xf32>) {
    %m1 = vector.multi_reduction <maxnumf>, %S, %m [1] : vector<4x8xf32> to vector<4xf32>
    scf.yield %m1 : vector<4xf32>
  }
  %l = scf.for %j = %c0 to %n step %c1 iter_args(%a = %zero) -> (vector<4xf32>) {
    // expected-error @+1 {{expected the sum to be carried by the loop and used for nothing else}}
    %P, %a1 = fa.softmax %S, %max, %a : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
    %a2 = arith.addf %a1, %a1 : vector<4xf32>
    scf.yield %a2 : vector<4xf32>
  }
  return %l : vector<4xf32>
}

// -----

func.func @other_use_of_p(%S: vector<4x8xf32>, %n: index, %buffer: memref<4x8xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %max = vector.multi_reduction <maxnumf>, %S, %inf [1] : vector<4x8xf32> to vector<4xf32>
  // expected-error @+1 {{expected P to be used only by fa.accumulate ops without a rescale whose accumulator is carried by the loop and used for nothing else}}
  %P, %l = fa.softmax %S, %max, %zero : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  // expected-note @+1 {{see this use}}
  vector.transfer_write %P, %buffer[%c0, %c0] : vector<4x8xf32>, memref<4x8xf32>
  return %l : vector<4xf32>
}

// -----

func.func @rescaled_already(%S: vector<4x8xf32>, %V: memref<8x16xf32>, %alpha: vector<4xf32>) -> (vector<4xf32>, vector<4x16xf32>) {
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %O = arith.constant dense<0.0> : vector<4x16xf32>
  %max = vector.multi_reduction <maxnumf>, %S, %inf [1] : vector<4x8xf32> to vector<4xf32>
  // expected-error @+1 {{expected P to be used only by fa.accumulate ops without a rescale}}
  %P, %l = fa.softmax %S, %max, %zero : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  // expected-note @+1 {{see this use}}
  %O1 = fa.accumulate %P, %V, %O rescale %alpha : vector<4x8xf32>, memref<8x16xf32>, vector<4x16xf32>, vector<4xf32>
  return %l, %O1 : vector<4xf32>, vector<4x16xf32>
}

// -----

// P P is no sum of terms with the factor exp(-m).
func.func @p_as_value(%S: vector<8x8xf32>) -> (vector<8xf32>, vector<8x8xf32>) {
  %inf = arith.constant dense<0xFF800000> : vector<8xf32>
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %O = arith.constant dense<0.0> : vector<8x8xf32>
  %max = vector.multi_reduction <maxnumf>, %S, %inf [1] : vector<8x8xf32> to vector<8xf32>
  // expected-error @+1 {{expected P to be used only by fa.accumulate ops without a rescale}}
  %P, %l = fa.softmax %S, %max, %zero : vector<8x8xf32>, vector<8xf32> -> vector<8x8xf32>
  // expected-note @+1 {{see this use}}
  %O1 = fa.accumulate %P, %P, %O : vector<8x8xf32>, vector<8x8xf32>, vector<8x8xf32>
  return %l, %O1 : vector<8xf32>, vector<8x8xf32>
}

// -----

func.func @sum_from_1(%S: vector<4x8xf32>) -> vector<4xf32> {
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %one = arith.constant dense<1.0> : vector<4xf32>
  %max = vector.multi_reduction <maxnumf>, %S, %inf [1] : vector<4x8xf32> to vector<4xf32>
  // expected-error @+1 {{expected sums that start from 0, or go on from the loop before}}
  %P, %l = fa.softmax %S, %max, %one : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  return %l : vector<4xf32>
}

// -----

// Two sums that are added after the loops: the first one would keep the maximum
// of its own loop.
func.func @sums_apart(%S: vector<4x8xf32>) -> vector<4xf32> {
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %m = vector.multi_reduction <maxnumf>, %S, %inf [1] : vector<4x8xf32> to vector<4xf32>
  %max = vector.multi_reduction <maxnumf>, %S, %m [1] : vector<4x8xf32> to vector<4xf32>
  %P, %a = fa.softmax %S, %max, %zero : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  // expected-error @+1 {{expected all sums of the loop before to go on, and to be used for nothing else}}
  %P1, %b = fa.softmax %S, %max, %zero : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  %l = arith.addf %a, %b : vector<4xf32>
  return %l : vector<4xf32>
}

// -----

func.func @fewer_loops(%S: vector<4x8xf32>) -> vector<4xf32> {
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %m = vector.multi_reduction <maxnumf>, %S, %inf [1] : vector<4x8xf32> to vector<4xf32>
  %max = vector.multi_reduction <maxnumf>, %S, %m [1] : vector<4x8xf32> to vector<4xf32>
  // expected-error @+1 {{expected as many loops that use max as loops that find it, 2, but got 1}}
  %P, %l = fa.softmax %S, %max, %zero : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  return %l : vector<4xf32>
}

// -----

func.func @other_tiles(%S: vector<4x8xf32>, %n: index) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  // expected-note @+1 {{see the loop that finds max}}
  %max = scf.for %j = %c0 to %n step %c1 iter_args(%m = %inf) -> (vector<4xf32>) {
    %m1 = vector.multi_reduction <maxnumf>, %S, %m [1] : vector<4x8xf32> to vector<4xf32>
    scf.yield %m1 : vector<4xf32>
  }
  %l = scf.for %j = %c1 to %n step %c1 iter_args(%a = %zero) -> (vector<4xf32>) {
    // expected-error @+1 {{expected the loop that finds max to run over the same tiles as the loop that uses it}}
    %P, %a1 = fa.softmax %S, %max, %a : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
    scf.yield %a1 : vector<4xf32>
  }
  return %l : vector<4xf32>
}

// -----

func.func @one_tile(%S: vector<4x8xf32>, %n: index) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  // expected-note @+1 {{see the loop that finds max}}
  %max = scf.for %j = %c0 to %n step %c1 iter_args(%m = %inf) -> (vector<4xf32>) {
    %m1 = vector.multi_reduction <maxnumf>, %S, %m [1] : vector<4x8xf32> to vector<4xf32>
    scf.yield %m1 : vector<4xf32>
  }
  // expected-error @+1 {{expected the loop that finds max to run over the same tiles as the loop that uses it}}
  %P, %l = fa.softmax %S, %max, %zero : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  return %l : vector<4xf32>
}

// -----

// One op of the scores has another attribute.
func.func @other_scores(%Q: memref<4x16xf32>, %K: memref<8x16xf32>, %n: index) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  // expected-note @+1 {{see the loop that finds max}}
  %max = scf.for %j = %c0 to %n step %c1 iter_args(%m = %inf) -> (vector<4xf32>) {
    %S = fa.scores %Q, %K : memref<4x16xf32>, memref<8x16xf32> -> vector<4x8xf32>
    %m1 = vector.multi_reduction <maxnumf>, %S, %m [1] : vector<4x8xf32> to vector<4xf32>
    scf.yield %m1 : vector<4xf32>
  }
  %l = scf.for %j = %c0 to %n step %c1 iter_args(%a = %zero) -> (vector<4xf32>) {
    %S = fa.scores %Q, %K scale 0.5 : memref<4x16xf32>, memref<8x16xf32> -> vector<4x8xf32>
    // expected-error @+1 {{expected the scores to be those that the loop that finds max reduces}}
    %P, %a1 = fa.softmax %S, %max, %a : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
    scf.yield %a1 : vector<4xf32>
  }
  return %l : vector<4xf32>
}

// -----

// What the loop carries differs from iteration to iteration.
func.func @scores_of_sum(%n: index) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %S = arith.constant dense<0.0> : vector<4x8xf32>
  // expected-note @+1 {{see the loop that finds max}}
  %max = scf.for %j = %c0 to %n step %c1 iter_args(%m = %inf) -> (vector<4xf32>) {
    %m1 = vector.multi_reduction <maxnumf>, %S, %m [1] : vector<4x8xf32> to vector<4xf32>
    scf.yield %m1 : vector<4xf32>
  }
  %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%a = %zero, %T = %S) -> (vector<4xf32>, vector<4x8xf32>) {
    // expected-error @+1 {{expected the scores to be those that the loop that finds max reduces}}
    %P, %a1 = fa.softmax %T, %max, %a : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
    %T1 = arith.addf %T, %T : vector<4x8xf32>
    scf.yield %a1, %T1 : vector<4xf32>, vector<4x8xf32>
  }
  return %r#0 : vector<4xf32>
}

// -----

func.func @write_in_sum_loop(%S: vector<4x8xf32>, %n: index, %buffer: memref<4xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %max = scf.for %j = %c0 to %n step %c1 iter_args(%m = %inf) -> (vector<4xf32>) {
    %m1 = vector.multi_reduction <maxnumf>, %S, %m [1] : vector<4x8xf32> to vector<4xf32>
    scf.yield %m1 : vector<4xf32>
  }
  // expected-note @+1 {{see the write here}}
  %l = scf.for %j = %c0 to %n step %c1 iter_args(%a = %zero) -> (vector<4xf32>) {
    // expected-error @+1 {{expected no write to memory from the loops that find max to those that use it}}
    %P, %a1 = fa.softmax %S, %max, %a : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
    vector.store %zero, %buffer[%c0] : memref<4xf32>, vector<4xf32>
    scf.yield %a1 : vector<4xf32>
  }
  return %l : vector<4xf32>
}

// -----

// In a loop of its own.
func.func @write_between(%Q: memref<4x16xf32>, %K: memref<8x16xf32>, %n: index) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f0 = arith.constant 0.0 : f32
  %inf = arith.constant dense<0xFF800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %S = fa.scores %Q, %K : memref<4x16xf32>, memref<8x16xf32> -> vector<4x8xf32>
  %max = vector.multi_reduction <maxnumf>, %S, %inf [1] : vector<4x8xf32> to vector<4xf32>
  // expected-note @+1 {{see the write here}}
  scf.for %j = %c0 to %n step %c1 {
    memref.store %f0, %K[%j, %j] : memref<8x16xf32>
  }
  %S1 = fa.scores %Q, %K : memref<4x16xf32>, memref<8x16xf32> -> vector<4x8xf32>
  // expected-error @+1 {{expected no write to memory from the loops that find max to those that use it}}
  %P, %l = fa.softmax %S1, %max, %zero : vector<4x8xf32>, vector<4xf32> -> vector<4x8xf32>
  return %l : vector<4xf32>
}
