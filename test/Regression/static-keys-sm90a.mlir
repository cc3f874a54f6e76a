// RUN: fa-opt %s --fa-lower-to-nvvm=chip=sm_90a | FileCheck %s

// A known number of keys, of whole tiles: with one edge tile the loop over edge
// tiles would be taken apart, and nothing could overlap.

// CHECK: llvm.func @attention(
// CHECK-NOT: {{ (fa|fagpu|scf|vector)\.[a-z]}}
func.func @attention(%Q: tensor<1x4x512x128xbf16>, %K: tensor<1x4x512x128xbf16>, %V: tensor<1x4x512x128xbf16>,
                     %O: tensor<1x4x512x128xbf16>, %LSE: tensor<1x4x512xf32>)
    -> (tensor<1x4x512x128xbf16>, tensor<1x4x512xf32>) {
  %r:2 = fa.attention ins(%Q, %K, %V : tensor<1x4x512x128xbf16>, tensor<1x4x512x128xbf16>, tensor<1x4x512x128xbf16>)
      outs(%O, %LSE : tensor<1x4x512x128xbf16>, tensor<1x4x512xf32>)
      -> tensor<1x4x512x128xbf16>, tensor<1x4x512xf32>
  return %r#0, %r#1 : tensor<1x4x512x128xbf16>, tensor<1x4x512xf32>
}
