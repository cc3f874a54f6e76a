// RUN: fa-opt %s -split-input-file -verify-diagnostics

// One function for each constraint on the sizes of fa.attention_backward, named by its label.
// Where a constraint says the same of several operands, each of them is
// violated.

func.func @attention_backward_c6_key(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x32xf32>, %V: memref<1x2x8x16xf32>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the head dim of key to be that of query, 16, but got 32}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x32xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c6_queryGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x32xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the head dim of queryGrad to be that of query, 16, but got 32}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x32xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c6_keyGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x32xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the head dim of keyGrad to be that of query, 16, but got 32}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x32xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c7_output(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<1x2x8x16xf32>,
    %O: memref<1x2x8x32xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the head dim of output to be that of value, 16, but got 32}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x32xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c7_outputGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x32xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the head dim of outputGrad to be that of value, 16, but got 32}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x32xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c7_valueGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x32xf32>) {
  // expected-error @+1 {{expected the head dim of valueGrad to be that of value, 16, but got 32}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x32xf32>)
  return
}

// -----

func.func @attention_backward_c8_key(%Q: memref<1x2x8x16xf32>, %K: memref<3x2x8x16xf32>, %V: memref<1x2x8x16xf32>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the batch size of key to be that of query, 1, but got 3}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<3x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c8_value(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<3x2x8x16xf32>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the batch size of value to be that of query, 1, but got 3}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<3x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c8_output(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<1x2x8x16xf32>,
    %O: memref<3x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the batch size of output to be that of query, 1, but got 3}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<3x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c8_outputGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<3x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the batch size of outputGrad to be that of query, 1, but got 3}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<3x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c8_lse(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<1x2x8x16xf32>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<3x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the batch size of lse to be that of query, 1, but got 3}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<3x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c8_lseGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<3x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the batch size of lseGrad to be that of query, 1, but got 3}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<3x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c8_queryGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<3x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the batch size of queryGrad to be that of query, 1, but got 3}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<3x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c8_keyGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<3x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the batch size of keyGrad to be that of query, 1, but got 3}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<3x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c8_valueGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<3x2x8x16xf32>) {
  // expected-error @+1 {{expected the batch size of valueGrad to be that of query, 1, but got 3}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<3x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c9_value(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<1x1x8x16xf32>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the number of heads of value to be that of key, 2, but got 1}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x1x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c9_keyGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x1x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the number of heads of keyGrad to be that of key, 2, but got 1}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x1x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c9_valueGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x1x8x16xf32>) {
  // expected-error @+1 {{expected the number of heads of valueGrad to be that of key, 2, but got 1}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x1x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c10_output(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x4x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the number of heads of output to be that of query, 2, but got 4}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x4x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c10_outputGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x4x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the number of heads of outputGrad to be that of query, 2, but got 4}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x4x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c10_lse(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<1x2x8x16xf32>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x4x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the number of heads of lse to be that of query, 2, but got 4}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x4x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c10_lseGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x4x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the number of heads of lseGrad to be that of query, 2, but got 4}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x4x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c10_queryGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x4x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the number of heads of queryGrad to be that of query, 2, but got 4}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x4x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c11(%Q: memref<1x6x8x16xf32>, %K: memref<1x4x8x16xf32>, %V: memref<1x4x8x16xf32>,
    %O: memref<1x6x8x16xf32>, %dO: memref<1x6x8x16xf32>, %L: memref<1x6x8xf32>, %dL: memref<1x6x8xf32>,
    %dQ: memref<1x6x8x16xf32>, %dK: memref<1x4x8x16xf32>, %dV: memref<1x4x8x16xf32>) {
  // expected-error @+1 {{expected the number of heads of query to be a multiple of that of key, 4, but got 6}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x6x8x16xf32>, memref<1x4x8x16xf32>, memref<1x4x8x16xf32>, memref<1x6x8x16xf32>,
          memref<1x6x8x16xf32>, memref<1x6x8xf32>, memref<1x6x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x6x8x16xf32>, memref<1x4x8x16xf32>, memref<1x4x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c12_value(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<1x2x9x16xf32>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the sequence length of value to be that of key, 8, but got 9}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x9x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c12_keyGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x9x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the sequence length of keyGrad to be that of key, 8, but got 9}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x9x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c12_valueGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x9x16xf32>) {
  // expected-error @+1 {{expected the sequence length of valueGrad to be that of key, 8, but got 9}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x9x16xf32>)
  return
}

// -----

func.func @attention_backward_c13_output(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x9x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the sequence length of output to be that of query, 8, but got 9}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x9x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c13_outputGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x9x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the sequence length of outputGrad to be that of query, 8, but got 9}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x9x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c13_lse(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>, %V: memref<1x2x8x16xf32>,
    %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x9xf32>, %dL: memref<1x2x8xf32>,
    %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the sequence length of lse to be that of query, 8, but got 9}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x9xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c13_lseGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x9xf32>, %dQ: memref<1x2x8x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the sequence length of lseGrad to be that of query, 8, but got 9}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x9xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_backward_c13_queryGrad(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
    %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %dO: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>,
    %dL: memref<1x2x8xf32>, %dQ: memref<1x2x9x16xf32>, %dK: memref<1x2x8x16xf32>, %dV: memref<1x2x8x16xf32>) {
  // expected-error @+1 {{expected the sequence length of queryGrad to be that of query, 8, but got 9}}
  fa.attention_backward ins(%Q, %K, %V, %O, %dO, %L, %dL : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>,
          memref<1x2x8x16xf32>, memref<1x2x8xf32>, memref<1x2x8xf32>)
      outs(%dQ, %dK, %dV : memref<1x2x9x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
  return
}
