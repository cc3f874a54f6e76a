// RUN: fa-opt %s --fa-differentiate-score -split-input-file -verify-diagnostics

// The bits of a float are no function that has a derivative, though they are an
// integer.
func.func @bits(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected ops whose derivative is known in the score region but got 'arith.bitcast'; a derivative region can be given}}
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      outs(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        // expected-note @+1 {{see the op here}}
        %n = arith.bitcast %s : f32 to i32
        %y = arith.bitcast %n : i32 to f32
        fa.yield %y : f32
      }
  return
}

// -----

// An op with two results.
func.func @two_results(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected ops whose derivative is known in the score region but got 'math.sincos'; a derivative region can be given}}
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      outs(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        // expected-note @+1 {{see the op here}}
        %sin, %cos = math.sincos %s : f32
        %y = arith.addf %sin, %cos : f32
        fa.yield %y : f32
      }
  return
}
