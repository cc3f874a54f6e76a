// Sizes that are static, but for the number of queries. The keys are some tiles and
// a part of one.

func.func @fixed(%Q: tensor<1x2x?x64xbf16>, %K: tensor<1x1x1000x64xbf16>,
                 %V: tensor<1x1x1000x64xbf16>, %O: tensor<1x2x?x64xbf16>,
                 %LSE: tensor<1x2x?xf32>)
    -> (tensor<1x2x?x64xbf16>, tensor<1x2x?xf32>) {
  %result:2 = fa.attention
      ins(%Q, %K, %V : tensor<1x2x?x64xbf16>, tensor<1x1x1000x64xbf16>, tensor<1x1x1000x64xbf16>)
      outs(%O, %LSE : tensor<1x2x?x64xbf16>, tensor<1x2x?xf32>)
      -> tensor<1x2x?x64xbf16>, tensor<1x2x?xf32>
  return %result#0, %result#1 : tensor<1x2x?x64xbf16>, tensor<1x2x?xf32>
}
