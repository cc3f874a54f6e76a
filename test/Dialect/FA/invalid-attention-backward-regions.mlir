// RUN: fa-opt %s -split-input-file -verify-diagnostics

// One function for each constraint on the regions of fa.attention_backward, named by its label.
// The code is that of
// fa.attention, whose test has the other cases.

func.func @attention_backward_c16(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the score region to take ('f32', 'index', 'index', 'index', 'index') but it takes ('f32', 'index')}}
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      outs(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      score {
      ^bb0(%s: f32, %b: index):
        fa.yield %s : f32
      }
  return
}

// -----

func.func @attention_backward_c16_yield(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the score region to yield 'f32' but it yields 'i1'}}
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      outs(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %c = arith.constant true
        fa.yield %c : i1
      }
  return
}

// -----

func.func @attention_backward_c17(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the where region to take ('index', 'index', 'index', 'index') but it takes ('index')}}
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      outs(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      where {
      ^bb0(%b: index):
        %c = arith.constant true
        fa.yield %c : i1
      }
  return
}

// -----

func.func @attention_backward_c18(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected only scalar arith and math ops, tensor.extract and memref.load in the score region but got 'vector.broadcast'}}
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      outs(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        // expected-note @+1 {{see the op here}}
        %v = vector.broadcast %s : f32 to vector<4xf32>
        fa.yield %s : f32
      }
  return
}

// -----

func.func @attention_backward_c18_derivative(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected only scalar arith and math ops, tensor.extract and memref.load in the derivative region but got 'vector.broadcast'}}
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      outs(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        fa.yield %s : f32
      }
      derivative {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        // expected-note @+1 {{see the op here}}
        %v = vector.broadcast %s : f32 to vector<4xf32>
        fa.yield %s : f32
      }
  return
}

// -----

func.func @attention_backward_c20(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the divisor of 'arith.remui' in the where region to be a constant other than 0 or to come from outside of the region}}
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      outs(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      where {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        // expected-note @+1 {{see the division here}}
        %r = arith.remui %i, %j : index
        %c = arith.cmpi eq, %r, %h : index
        fa.yield %c : i1
      }
  return
}

// -----

func.func @attention_backward_c21(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %x: memref<8xf32, affine_map<(d0) -> (d0 floordiv 2)>>) {
  // expected-error @+1 {{expected the memref that the score region reads to have strides but got 'memref<8xf32, affine_map<(d0) -> (d0 floordiv 2)>>'}}
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      outs(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        // expected-note @+1 {{see the read here}}
        %t = memref.load %x[%j] : memref<8xf32, affine_map<(d0) -> (d0 floordiv 2)>>
        fa.yield %t : f32
      }
  return
}

// -----

func.func @attention_backward_c22(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the derivative region to take ('f32', 'index', 'index', 'index', 'index') but it takes ('f32')}}
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      outs(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        fa.yield %s : f32
      }
      derivative {
      ^bb0(%s: f32):
        fa.yield %s : f32
      }
  return
}

// -----

func.func @attention_backward_c22_yield(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the derivative region to yield 'f32' but it yields 'i1'}}
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      outs(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        fa.yield %s : f32
      }
      derivative {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %c = arith.constant true
        fa.yield %c : i1
      }
  return
}

// -----

func.func @attention_backward_c23(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected a score region beside the derivative region}}
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      outs(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      derivative {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        fa.yield %s : f32
      }
  return
}

// -----

// One region of an op uses what another defines.

func.func @used_in_another(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      outs(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        fa.yield %c : f32
      }
      // expected-error @+1 {{expected what the region defines to be used in it alone}}
      derivative {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %c = arith.constant 1.0 : f32
        fa.yield %s : f32
      }
  return
}
