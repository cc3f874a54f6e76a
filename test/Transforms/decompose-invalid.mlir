// RUN: fa-opt %s --fa-decompose -split-input-file -verify-diagnostics

func.func @no_derivative(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected a derivative region beside the score region; run fa-differentiate-score first}}
  fa.attention_backward ins(%Q, %Q, %Q, %Q, %Q, %L : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      outs(%Q, %Q, %Q : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.tanh %s : f32
        fa.yield %t : f32
      }
  return
}
