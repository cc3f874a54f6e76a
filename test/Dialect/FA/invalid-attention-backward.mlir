// RUN: fa-opt %s -split-input-file -verify-diagnostics

// One function for each constraint of fa.attention_backward, named by its label.
// Where a constraint says the same of several operands, each of them is
// violated.

func.func @attention_backward_c1_query(%Q: memref<2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<1x2x8x16xf32>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{operand #0 must be rank-4 tensor or memref of f16, bf16 or f32 values, but got 'memref<2x8x16xf32>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c1_key(%Q: memref<1x2x8x16xf32>, %K: memref<2x8x16xf32>, %V: memref<1x2x8x16xf32>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{operand #1 must be rank-4 tensor or memref of f16, bf16 or f32 values, but got 'memref<2x8x16xf32>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c1_value(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<2x8x16xf32>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{operand #2 must be rank-4 tensor or memref of f16, bf16 or f32 values, but got 'memref<2x8x16xf32>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c1_output(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<1x2x8x16xf32>,
    %O: memref<2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{operand #3 must be rank-4 tensor or memref of f16, bf16 or f32 values, but got 'memref<2x8x16xf32>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c1_outputGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{operand #4 must be rank-4 tensor or memref of f16, bf16 or f32 values, but got 'memref<2x8x16xf32>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c1_queryGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{operand #7 must be rank-4 tensor or memref of f16, bf16 or f32 values, but got 'memref<2x8x16xf32>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c1_keyGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{operand #8 must be rank-4 tensor or memref of f16, bf16 or f32 values, but got 'memref<2x8x16xf32>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c1_valueGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<2x8x16xf32>) {
  // expected-error @+1 {{operand #9 must be rank-4 tensor or memref of f16, bf16 or f32 values, but got 'memref<2x8x16xf32>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c1_element(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf64>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{operand #7 must be rank-4 tensor or memref of f16, bf16 or f32 values, but got 'memref<1x2x8x16xf64>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf64>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c2_lse(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<1x2x8x16xf32>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8x1xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{operand #5 must be rank-3 tensor or memref of 32-bit float values, but got 'memref<1x2x8x1xf32>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8x1xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c2_lseGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf16>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{operand #6 must be rank-3 tensor or memref of 32-bit float values, but got 'memref<1x2x8xf16>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf16>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c3(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<1x2x8x16xf32>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: tensor<1x2x8x16xf32>) {
  // expected-error @+1 {{expected operands that are all tensors or all memrefs but query is 'memref<1x2x8x16xf32>' and valueGrad is 'tensor<1x2x8x16xf32>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, tensor<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c3_lseGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: tensor<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected operands that are all tensors or all memrefs but query is 'memref<1x2x8x16xf32>' and lseGrad is 'tensor<1x2x8xf32>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, tensor<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c4_key(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf16>, %V: memref<1x2x8x16xf32>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the element type of key to be that of query, 'f32', but got 'f16'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf16>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c4_value(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<1x2x8x16xf16>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the element type of value to be that of query, 'f32', but got 'f16'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf16>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c4_output(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<1x2x8x16xf32>,
    %O: memref<1x2x8x16xf16>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the element type of output to be that of query, 'f32', but got 'f16'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf16>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c4_outputGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf16>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the element type of outputGrad to be that of query, 'f32', but got 'f16'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf16>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c4_queryGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf16>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the element type of queryGrad to be that of query, 'f32', but got 'f16'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf16>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c4_keyGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf16>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the element type of keyGrad to be that of query, 'f32', but got 'f16'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf16>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c4_valueGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf16>) {
  // expected-error @+1 {{expected the element type of valueGrad to be that of query, 'f32', but got 'f16'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf16>)
  return
}

// -----

func.func @attention_backward_c5_dynamic(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x?xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected a static, positive head dim (last dimension) of queryGrad but got 'memref<1x2x8x?xf32>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x?xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c5_zero(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<1x2x8x16xf32>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x0xf32>, %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected a static, positive head dim (last dimension) of outputGrad but got 'memref<1x2x8x0xf32>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x0xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c14_query(%Q: memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>,
    %K: memref<1x2x8x16xf32>, %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>,
    %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>,
    %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of query but got 'memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c14_key(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of key but got 'memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c14_value(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>,
    %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>,
    %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of value but got 'memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c14_output(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>, %dO: memref<1x2x8x16xf32>,
    %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>,
    %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of output but got 'memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c14_outputGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>,
    %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>,
    %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of outputGrad but got 'memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c14_lse(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<1x2x8x16xf32>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32, strided<[32, 16, 2]>>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of lse but got 'memref<1x2x8xf32, strided<[32, 16, 2]>>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32, strided<[32, 16, 2]>>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c14_lseGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32, strided<[32, 16, 2]>>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>,
    %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of lseGrad but got 'memref<1x2x8xf32, strided<[32, 16, 2]>>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32, strided<[32, 16, 2]>>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c14_queryGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>, %dK: memref<1x2x8x16xf32>,
    %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of queryGrad but got 'memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c14_keyGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>,
    %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of keyGrad but got 'memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c14_valueGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>,
    %dV: memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of valueGrad but got 'memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>'}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>)
  return
}

// -----

func.func @attention_backward_c15(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<1x2x8x16xf32>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected a finite scale but got 0x7F800000 : f32}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>) scale = 0x7F800000
  return
}

// -----

func.func @attention_backward_c19_none(%Q: tensor<1x2x8x16xf32>, %K: tensor<1x2x8x16xf32>, %V: tensor<1x2x8x16xf32>,
    %O: tensor<1x2x8x16xf32>, %dO: tensor<1x2x8x16xf32>, %L: tensor<1x2x8xf32>, %dL: tensor<1x2x8xf32>,
    %dQ: tensor<1x2x8x16xf32>, %dK: tensor<1x2x8x16xf32>, %dV: tensor<1x2x8x16xf32>) {
  // expected-error @+1 {{expected 3 results on tensors but got 0}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>,
          tensor<1x2x8x16xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
      outs(%dQ, %dK, %dV : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c19_two(%Q: tensor<1x2x8x16xf32>, %K: tensor<1x2x8x16xf32>, %V: tensor<1x2x8x16xf32>,
    %O: tensor<1x2x8x16xf32>, %dO: tensor<1x2x8x16xf32>, %L: tensor<1x2x8xf32>, %dL: tensor<1x2x8xf32>,
    %dQ: tensor<1x2x8x16xf32>, %dK: tensor<1x2x8x16xf32>, %dV: tensor<1x2x8x16xf32>) {
  // expected-error @+1 {{expected 3 results on tensors but got 2}}
  %r:2 = fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>,
          tensor<1x2x8x16xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
      outs(%dQ, %dK, %dV : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>)
      -> tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>
  return
}

// -----

func.func @attention_backward_c19_memrefs(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected 0 results on memrefs but got 3}}
  %r:3 = fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      -> tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>
  return
}

// -----

func.func @attention_backward_c19_types(%Q: tensor<1x2x8x16xf32>, %K: tensor<1x2x8x16xf32>, %V: tensor<1x2x8x16xf32>,
    %O: tensor<1x2x8x16xf32>, %dO: tensor<1x2x8x16xf32>, %L: tensor<1x2x8xf32>, %dL: tensor<1x2x8xf32>,
    %dQ: tensor<1x2x8x16xf32>, %dK: tensor<1x2x8x16xf32>, %dV: tensor<1x2x8x16xf32>) {
  // expected-error @+1 {{expected type of operand #9 ('tensor<1x2x8x16xf32>') to match type of corresponding result ('tensor<1x2x8x32xf32>')}}
  %r:3 = fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>,
          tensor<1x2x8x16xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
      outs(%dQ, %dK, %dV : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>)
      -> tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x32xf32>
  return
}
