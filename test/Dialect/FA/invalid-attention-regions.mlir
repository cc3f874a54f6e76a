// RUN: fa-opt %s -split-input-file -verify-diagnostics

// The constraints on the score and where regions of fa.attention, each function
// named by the label it violates, and malformed regions.

func.func @attention_c16_arguments(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                                   %V: memref<1x2x8x16xf32>,
                                   %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the score region to take ('f32', 'index', 'index', 'index', 'index') but it takes ('f32', 'index')}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %j: index):
      fa.yield %s : f32
    }
  return
}

// -----

func.func @attention_c16_no_arguments(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                                      %V: memref<1x2x8x16xf32>,
                                      %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %x: f32) {
  // expected-error @+1 {{expected the score region to take ('f32', 'index', 'index', 'index', 'index') but it takes ()}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
      fa.yield %x : f32
    }
  return
}

// -----

func.func @attention_c16_yield(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                               %V: memref<1x2x8x16xf32>,
                               %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %x: i1) {
  // expected-error @+1 {{expected the score region to yield 'f32' but it yields 'i1'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      fa.yield %x : i1
    }
  return
}

// -----

func.func @attention_c17_arguments(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                                   %V: memref<1x2x8x16xf32>,
                                   %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %x: i1) {
  // expected-error @+1 {{expected the where region to take ('index', 'index', 'index', 'index') but it takes ('f32', 'index', 'index', 'index', 'index')}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    where {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      fa.yield %x : i1
    }
  return
}

// -----

func.func @attention_c17_yield(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                               %V: memref<1x2x8x16xf32>,
                               %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %x: f32) {
  // expected-error @+1 {{expected the where region to yield 'i1' but it yields 'f32'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    where {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      fa.yield %x : f32
    }
  return
}

// -----

func.func private @callee(f32) -> f32

func.func @attention_c18_call(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                              %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected only scalar arith and math ops, tensor.extract and memref.load in the score region but got 'func.call'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      // expected-note @+1 {{see the op here}}
      %t = func.call @callee(%s) : (f32) -> f32
      fa.yield %t : f32
    }
  return
}

// -----

func.func @attention_c18_control_flow(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                                      %V: memref<1x2x8x16xf32>,
                                      %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %x: i1) {
  // expected-error @+1 {{expected only scalar arith and math ops, tensor.extract and memref.load in the score region but got 'scf.if'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      // expected-note @+1 {{see the op here}}
      %t = scf.if %x -> f32 {
        scf.yield %s : f32
      } else {
        scf.yield %s : f32
      }
      fa.yield %t : f32
    }
  return
}

// -----

func.func @attention_c18_store(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                               %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected only scalar arith and math ops, tensor.extract and memref.load in the score region but got 'memref.store'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      // expected-note @+1 {{see the op here}}
      memref.store %s, %L[%b, %h, %i] : memref<1x2x8xf32>
      fa.yield %s : f32
    }
  return
}

// -----

func.func @attention_c18_vector(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                                %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected only scalar arith and math ops, tensor.extract and memref.load in the score region but got 'arith.constant'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      // expected-note @+1 {{see the op here}}
      %t = arith.constant dense<0.0> : vector<4xf32>
      fa.yield %s : f32
    }
  return
}

// -----

func.func @attention_c18_load_complex(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                                      %V: memref<1x2x8x16xf32>,
                                      %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %x: memref<8xcomplex<f32>>) {
  // expected-error @+1 {{expected only scalar arith and math ops, tensor.extract and memref.load in the score region but got 'memref.load'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      // expected-note @+1 {{see the op here}}
      %t = memref.load %x[%i] : memref<8xcomplex<f32>>
      fa.yield %s : f32
    }
  return
}

// -----

func.func @attention_c18_load_f8(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %x: memref<8xf8E4M3FN>) {
  // expected-error @+1 {{expected only scalar arith and math ops, tensor.extract and memref.load in the score region but got 'memref.load'}}
  fa.attention ins(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%Q, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      // expected-note @+1 {{see the op here}}
      %t = memref.load %x[%i] : memref<8xf8E4M3FN>
      fa.yield %s : f32
    }
  return
}

// -----

func.func @attention_c18_i128(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %x: f32) {
  // expected-error @+1 {{expected only scalar arith and math ops, tensor.extract and memref.load in the score region but got 'arith.index_cast'}}
  fa.attention ins(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%Q, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      // expected-note @+1 {{see the op here}}
      %t = arith.index_cast %i : index to i128
      fa.yield %s : f32
    }
  return
}

// -----

func.func @attention_c18_where(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                               %V: memref<1x2x8x16xf32>,
                               %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %x: i1) {
  // expected-error @+1 {{expected only scalar arith and math ops, tensor.extract and memref.load in the where region but got 'vector.broadcast'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    where {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      // expected-note @+1 {{see the op here}}
      %t = vector.broadcast %i : index to vector<4xindex>
      fa.yield %x : i1
    }
  return
}

// -----

func.func @attention_c20_position(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                                  %V: memref<1x2x8x16xf32>,
                                  %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %x: i1) {
  // expected-error @+1 {{expected the divisor of 'arith.remui' in the where region to be a constant other than 0 or to come from outside of the region}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    where {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      // expected-note @+1 {{see the division here}}
      %t = arith.remui %i, %j : index
      fa.yield %x : i1
    }
  return
}

// -----

func.func @attention_c20_table(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                               %V: memref<1x2x8x16xf32>,
                               %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %x: memref<8xindex>) {
  // expected-error @+1 {{expected the divisor of 'arith.divsi' in the score region to be a constant other than 0 or to come from outside of the region}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = memref.load %x[%j] : memref<8xindex>
      // expected-note @+1 {{see the division here}}
      %t = arith.divsi %i, %d : index
      fa.yield %s : f32
    }
  return
}

// -----

func.func @attention_c20_zero(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                              %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the divisor of 'arith.floordivsi' in the score region to be a constant other than 0 or to come from outside of the region}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = arith.constant 0 : index
      // expected-note @+1 {{see the division here}}
      %t = arith.floordivsi %i, %d : index
      fa.yield %s : f32
    }
  return
}

// -----

func.func @attention_c21(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %x: memref<8xf32, affine_map<(d0) -> (d0 floordiv 2)>>) {
  // expected-error @+1 {{expected the memref that the score region reads to have strides but got 'memref<8xf32, affine_map<(d0) -> (d0 floordiv 2)>>'}}
  fa.attention ins(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%Q, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      // expected-note @+1 {{see the read here}}
      %t = memref.load %x[%i] : memref<8xf32, affine_map<(d0) -> (d0 floordiv 2)>>
      fa.yield %s : f32
    }
  return
}

// -----

func.func @yield_c1(%s: f32) {
  // expected-error @+1 {{'fa.yield' op expects parent op to be one of 'fa.attention, fa.attention_backward'}}
  fa.yield %s : f32
}

// -----

func.func @yield_c1_nested(%s: f32, %c: i1) {
  scf.if %c {
    // expected-error @+1 {{'fa.yield' op expects parent op to be one of 'fa.attention, fa.attention_backward'}}
    fa.yield %s : f32
  }
  return
}

//===----------------------------------------------------------------------===//
// Malformed IR: an error, and no crash
//===----------------------------------------------------------------------===//

// -----

func.func @several_blocks(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                          %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{region #0 ('scoreRegion') failed to verify constraint: region with at most 1 blocks}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      cf.br ^bb1
    ^bb1:
      fa.yield %s : f32
    }
  return
}

// -----

func.func @no_terminator(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                         %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      // expected-error @+1 {{block with no terminator}}
      %t = arith.addf %s, %s : f32
    }
  return
}

// -----

func.func @empty_block(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                       %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{empty block: expect at least a terminator}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    where {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
    }
  return
}

// -----

func.func @wrong_terminator(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                            %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      // expected-error @+1 {{'func.return' op expects parent op 'func.func'}}
      func.return
    }
  return
}

// -----

func.func @unreachable_terminator(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                                  %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the score region to yield 'f32'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      ub.unreachable
    }
  return
}

// -----

func.func @yield_too_early(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                           %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      // expected-error @+1 {{'fa.yield' op must be the last operation in the parent block}}
      fa.yield %s : f32
      fa.yield %s : f32
    }
  return
}

// -----

func.func @yield_type(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                      %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %x: f64) {
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      // expected-error @+1 {{operand #0 must be 32-bit float or 1-bit signless integer, but got 'f64'}}
      fa.yield %x : f64
    }
  return
}

// -----

// A value that is used before it is defined, in a region that is well formed, and in
// one that is not.

func.func @used_outside(%Q: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  %y = arith.addf %s, %t : f32
  fa.attention ins(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    // expected-error @+1 {{expected what the region defines to be used in it alone}}
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %t = arith.addf %s, %s : f32
      fa.yield %t : f32
    }
  return
}

// -----

func.func @used_outside_malformed(%Q: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  %y = arith.addf %s, %s : f32
  fa.attention ins(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %t = arith.addf %s, %s : f32
    // expected-error @+1 {{redefinition of block '^bb0'}}
    ^bb0(%s1: f32, %b1: index, %h1: index, %i1: index, %j1: index):
      fa.yield %t : f32
    }
  return
}
