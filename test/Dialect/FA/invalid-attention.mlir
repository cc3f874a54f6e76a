// RUN: fa-opt %s -split-input-file -verify-diagnostics

// One function for each constraint of fa.attention, named by its label. Where a
// constraint says the same of several operands, each of them is violated.

func.func @attention_c1_rank(%Q: memref<2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                             %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{operand #0 must be rank-4 tensor or memref of f16, bf16 or f32 values, but got 'memref<2x8x16xf32>'}}
  fa.attention ins(%Q, %K, %V : memref<2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c1_rank_0(%Q: memref<1x2x8x16xf32>, %K: memref<f32>,
                               %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{operand #1 must be rank-4 tensor or memref of f16, bf16 or f32 values, but got 'memref<f32>'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<f32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c1_unranked(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                                 %V: memref<*xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{operand #2 must be rank-4 tensor or memref of f16, bf16 or f32 values, but got 'memref<*xf32>'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<*xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c1_element(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                                %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf64>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{operand #3 must be rank-4 tensor or memref of f16, bf16 or f32 values, but got 'memref<1x2x8x16xf64>'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf64>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c1_vector(%Q: vector<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                               %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{operand #0 must be rank-4 tensor or memref of f16, bf16 or f32 values, but got 'vector<1x2x8x16xf32>'}}
  fa.attention ins(%Q, %K, %V : vector<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c2_rank(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                             %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8x1xf32>) {
  // expected-error @+1 {{operand #4 must be rank-3 tensor or memref of 32-bit float values, but got 'memref<1x2x8x1xf32>'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8x1xf32>)
  return
}

// -----

func.func @attention_c2_element(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                                %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf16>) {
  // expected-error @+1 {{operand #4 must be rank-3 tensor or memref of 32-bit float values, but got 'memref<1x2x8xf16>'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf16>)
  return
}

// -----

func.func @attention_c3(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                        %V: tensor<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected operands that are all tensors or all memrefs but query is 'memref<1x2x8x16xf32>' and value is 'tensor<1x2x8x16xf32>'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, tensor<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c3_lse(%Q: tensor<1x2x8x16xf32>, %K: tensor<1x2x8x16xf32>,
                            %V: tensor<1x2x8x16xf32>, %O: tensor<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected operands that are all tensors or all memrefs but query is 'tensor<1x2x8x16xf32>' and lse is 'memref<1x2x8xf32>'}}
  %r = fa.attention ins(%Q, %K, %V : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>)
      outs(%O, %L : tensor<1x2x8x16xf32>, memref<1x2x8xf32>)
      -> tensor<1x2x8x16xf32>
  return
}

// -----

func.func @attention_c4_key(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf16>,
                            %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the element type of key to be that of query, 'f32', but got 'f16'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf16>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c4_value(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                              %V: memref<1x2x8x16xf16>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the element type of value to be that of query, 'f32', but got 'f16'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf16>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c4_output(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                               %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf16>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the element type of output to be that of query, 'f32', but got 'f16'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf16>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c5_dynamic(%Q: memref<1x2x8x?xf32>, %K: memref<1x2x8x16xf32>,
                                %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected a static, positive head dim (last dimension) of query but got 'memref<1x2x8x?xf32>'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x?xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c5_zero(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                             %V: memref<1x2x8x0xf32>, %O: memref<1x2x8x0xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected a static, positive head dim (last dimension) of value but got 'memref<1x2x8x0xf32>'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x0xf32>)
      outs(%O, %L : memref<1x2x8x0xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c6(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x32xf32>,
                        %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the head dim of key to be that of query, 16, but got 32}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x32xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c7(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                        %V: memref<1x2x8x32xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the head dim of output to be that of value, 32, but got 16}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x32xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c8_key(%Q: memref<1x2x8x16xf32>, %K: memref<3x2x8x16xf32>,
                            %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the batch size of key to be that of query, 1, but got 3}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<3x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c8_value(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                              %V: memref<3x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the batch size of value to be that of query, 1, but got 3}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<3x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c8_output(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                               %V: memref<1x2x8x16xf32>, %O: memref<3x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the batch size of output to be that of query, 1, but got 3}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<3x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c8_lse(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                            %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<3x2x8xf32>) {
  // expected-error @+1 {{expected the batch size of lse to be that of query, 1, but got 3}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<3x2x8xf32>)
  return
}

// -----

func.func @attention_c9(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                        %V: memref<1x1x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the number of heads of value to be that of key, 2, but got 1}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x1x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c10_output(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                                %V: memref<1x2x8x16xf32>, %O: memref<1x1x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the number of heads of output to be that of query, 2, but got 1}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x1x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c10_lse(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                             %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x1x8xf32>) {
  // expected-error @+1 {{expected the number of heads of lse to be that of query, 2, but got 1}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x1x8xf32>)
  return
}

// -----

func.func @attention_c11(%Q: memref<1x6x8x16xf32>, %K: memref<1x4x8x16xf32>,
                         %V: memref<1x4x8x16xf32>, %O: memref<1x6x8x16xf32>, %L: memref<1x6x8xf32>) {
  // expected-error @+1 {{expected the number of heads of query to be a multiple of that of key, 4, but got 6}}
  fa.attention ins(%Q, %K, %V : memref<1x6x8x16xf32>, memref<1x4x8x16xf32>, memref<1x4x8x16xf32>)
      outs(%O, %L : memref<1x6x8x16xf32>, memref<1x6x8xf32>)
  return
}

// -----

func.func @attention_c11_fewer(%Q: memref<1x1x8x16xf32>, %K: memref<1x2x8x16xf32>,
                               %V: memref<1x2x8x16xf32>, %O: memref<1x1x8x16xf32>, %L: memref<1x1x8xf32>) {
  // expected-error @+1 {{expected the number of heads of query to be a multiple of that of key, 2, but got 1}}
  fa.attention ins(%Q, %K, %V : memref<1x1x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x1x8x16xf32>, memref<1x1x8xf32>)
  return
}

// -----

func.func @attention_c11_none(%Q: memref<1x2x8x16xf32>, %K: memref<1x0x8x16xf32>,
                              %V: memref<1x0x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the number of heads of query to be a multiple of that of key, 0, but got 2}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x0x8x16xf32>, memref<1x0x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c12(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                         %V: memref<1x2x9x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the sequence length of value to be that of key, 8, but got 9}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x9x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c13_output(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                                %V: memref<1x2x8x16xf32>, %O: memref<1x2x9x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected the sequence length of output to be that of query, 8, but got 9}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x9x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c13_lse(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                             %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x9xf32>) {
  // expected-error @+1 {{expected the sequence length of lse to be that of query, 8, but got 9}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x9xf32>)
  return
}

// -----

func.func @attention_c14_query(%Q: memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>, %K: memref<1x2x8x16xf32>,
                               %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of query but got 'memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c14_key(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>,
                             %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of key but got 'memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c14_value(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                               %V: memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>,
                               %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of value but got 'memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c14_output(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                                %V: memref<1x2x8x16xf32>,
                                %O: memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of output but got 'memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32, strided<[512, 256, 32, 2]>>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c14_lse(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                             %V: memref<1x2x8x16xf32>,
                             %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32, strided<[?, ?, ?]>>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of lse but got 'memref<1x2x8xf32, strided<[?, ?, ?]>>'}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32, strided<[?, ?, ?]>>)
  return
}

// -----

func.func @attention_c14_map(%Q: memref<1x2x8x16xf32, affine_map<(b, h, i, c) -> (b, h, c floordiv 4, i, c mod 4)>>, %K: memref<1x2x8x16xf32>,
                             %V: memref<1x2x8x16xf32>,
                             %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of query}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32, affine_map<(b, h, i, c) -> (b, h, c floordiv 4, i, c mod 4)>>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
  return
}

// -----

func.func @attention_c15_inf(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                             %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected a finite scale but got 0x7F800000 : f32}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>) scale = 0x7F800000
  return
}

// -----

func.func @attention_c15_nan(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                             %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected a finite scale but got 0x7FC00000 : f32}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>) scale = 0x7FC00000
  return
}

// -----

func.func @attention_c15_overflow(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                                  %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected a finite scale but got 0x7F800000 : f32}}
  fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>) scale = 1.0e300
  return
}

// -----

func.func @attention_c19_without_lse(%Q: tensor<1x2x8x16xf32>, %O: tensor<1x2x8x16xf32>) {
  // expected-error @+1 {{expected 1 result on tensors but got 0}}
  fa.attention ins(%Q, %Q, %Q : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>)
      outs(%O : tensor<1x2x8x16xf32>)
  return
}

// -----

func.func @attention_c19_none(%Q: tensor<1x2x8x16xf32>, %K: tensor<1x2x8x16xf32>,
                              %V: tensor<1x2x8x16xf32>, %O: tensor<1x2x8x16xf32>, %L: tensor<1x2x8xf32>) {
  // expected-error @+1 {{expected 2 results on tensors but got 0}}
  fa.attention ins(%Q, %K, %V : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>)
      outs(%O, %L : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>)
  return
}

// -----

func.func @attention_c19_one(%Q: tensor<1x2x8x16xf32>, %K: tensor<1x2x8x16xf32>,
                             %V: tensor<1x2x8x16xf32>, %O: tensor<1x2x8x16xf32>, %L: tensor<1x2x8xf32>) {
  // expected-error @+1 {{expected 2 results on tensors but got 1}}
  %r = fa.attention ins(%Q, %K, %V : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>)
      outs(%O, %L : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>)
      -> tensor<1x2x8x16xf32>
  return
}

// -----

func.func @attention_c19_memrefs(%Q: memref<1x2x8x16xf32>, %K: memref<1x2x8x16xf32>,
                                 %V: memref<1x2x8x16xf32>, %O: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected 0 results on memrefs but got 2}}
  %r:2 = fa.attention ins(%Q, %K, %V : memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)
      outs(%O, %L : memref<1x2x8x16xf32>, memref<1x2x8xf32>)
      -> tensor<1x2x8x16xf32>, tensor<1x2x8xf32>
  return
}

// -----

func.func @attention_c19_types(%Q: tensor<1x2x8x16xf32>, %K: tensor<1x2x8x16xf32>,
                               %V: tensor<1x2x8x16xf32>, %O: tensor<1x2x8x16xf32>, %L: tensor<1x2x8xf32>) {
  // expected-error @+1 {{expected type of operand #3 ('tensor<1x2x8x16xf32>') to match type of corresponding result ('tensor<1x2x8x?xf32>')}}
  %r:2 = fa.attention ins(%Q, %K, %V : tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>)
      outs(%O, %L : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>)
      -> tensor<1x2x8x?xf32>, tensor<1x2x8xf32>
  return
}

//===----------------------------------------------------------------------===//
// Malformed IR: an error, and no crash
//===----------------------------------------------------------------------===//

// -----

func.func @no_regions(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected 2 regions}}
  "fa.attention"(%Q, %Q, %Q, %Q, %L) : (memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>) -> ()
  return
}

// -----

func.func @few_operands(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{expected 4 or more operands, but found 2}}
  "fa.attention"(%Q, %L) ({}, {}) : (memref<1x2x8x16xf32>, memref<1x2x8xf32>) -> ()
  return
}

// -----

func.func @mask_kind_of_attribute(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{Invalid attribute `mask` in property conversion}}
  "fa.attention"(%Q, %Q, %Q, %Q, %L) <{mask = 1}> ({}, {}) : (memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>) -> ()
  return
}

// -----

func.func @scale_type(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{attribute 'scale' failed to satisfy constraint: 32-bit float attribute}}
  "fa.attention"(%Q, %Q, %Q, %Q, %L) <{scale = 1.0 : f64}> ({}, {}) : (memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>) -> ()
  return
}

// -----

func.func @schedule_type(%Q: memref<1x2x8x16xf32>, %L: memref<1x2x8xf32>) {
  // expected-error @+1 {{Invalid attribute `schedule` in property conversion}}
  "fa.attention"(%Q, %Q, %Q, %Q, %L) <{schedule = #fa.mask<causal>}> ({}, {}) : (memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8xf32>) -> ()
  return
}

// -----

func.func @huge(%Q: memref<9223372036854775807x9223372036854775806x9223372036854775807x9223372036854775807xf32>, %K: memref<9223372036854775807x4611686018427387904x9223372036854775807x9223372036854775807xf32>,
                %V: memref<9223372036854775807x4611686018427387904x9223372036854775807x9223372036854775807xf32>,
                %O: memref<9223372036854775807x9223372036854775806x9223372036854775807x9223372036854775807xf32>, %L: memref<9223372036854775807x9223372036854775806x9223372036854775807xf32>) {
  // expected-error @+1 {{expected the number of heads of query to be a multiple of that of key, 4611686018427387904, but got 9223372036854775806}}
  fa.attention ins(%Q, %K, %V : memref<9223372036854775807x9223372036854775806x9223372036854775807x9223372036854775807xf32>, memref<9223372036854775807x4611686018427387904x9223372036854775807x9223372036854775807xf32>, memref<9223372036854775807x4611686018427387904x9223372036854775807x9223372036854775807xf32>)
      outs(%O, %L : memref<9223372036854775807x9223372036854775806x9223372036854775807x9223372036854775807xf32>, memref<9223372036854775807x9223372036854775806x9223372036854775807xf32>)
  return
}
