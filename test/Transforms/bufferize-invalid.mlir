// RUN: fa-opt %s --fa-bufferize -split-input-file -verify-diagnostics

// A slice with a step has no buffer that attention takes (attention_c14).
func.func @step(%Q: tensor<1x1x8x32xf32>, %K: tensor<1x1x8x16xf32>, %O: tensor<1x1x8x16xf32>, %LSE: tensor<1x1x8xf32>)
    -> (tensor<1x1x8x16xf32>, tensor<1x1x8xf32>) {
  %half = tensor.extract_slice %Q[0, 0, 0, 0] [1, 1, 8, 16] [1, 1, 1, 2] : tensor<1x1x8x32xf32> to tensor<1x1x8x16xf32>
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of query but got 'memref<1x1x8x16xf32, strided<[?, ?, ?, 2], offset: ?>>'}}
  %r:2 = fa.attention ins(%half, %K, %K : tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>)
      outs(%O, %LSE : tensor<1x1x8x16xf32>, tensor<1x1x8xf32>)
      -> tensor<1x1x8x16xf32>, tensor<1x1x8xf32>
  return %r#0, %r#1 : tensor<1x1x8x16xf32>, tensor<1x1x8xf32>
}

// -----

func.func @step_backward(%Q: tensor<1x1x8x32xf32>, %K: tensor<1x1x8x16xf32>, %LSE: tensor<1x1x8xf32>)
    -> (tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>) {
  %half = tensor.extract_slice %Q[0, 0, 0, 0] [1, 1, 8, 16] [1, 1, 1, 2] : tensor<1x1x8x32xf32> to tensor<1x1x8x16xf32>
  // expected-error @+1 {{expected a contiguous last dimension (stride 1) of query but got 'memref<1x1x8x16xf32, strided<[?, ?, ?, 2], offset: ?>>'}}
  %r:3 = fa.attention_backward ins(%half, %K, %K, %K, %K, %LSE : tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>,
          tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8xf32>)
      outs(%K, %K, %K : tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>)
      -> tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>
  return %r#0, %r#1, %r#2 : tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>, tensor<1x1x8x16xf32>
}
