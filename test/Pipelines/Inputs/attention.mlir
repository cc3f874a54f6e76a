// The problem that the tests of the levels lower, with tiles of 16 x 16.

func.func @f(%Q: tensor<?x?x?x16xf32>, %K: tensor<?x?x?x16xf32>, %V: tensor<?x?x?x16xf32>,
             %O: tensor<?x?x?x16xf32>, %LSE: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x16xf32>, tensor<?x?x?xf32>) {
  %r:2 = fa.attention
      ins(%Q, %K, %V : tensor<?x?x?x16xf32>, tensor<?x?x?x16xf32>, tensor<?x?x?x16xf32>)
      outs(%O, %LSE : tensor<?x?x?x16xf32>, tensor<?x?x?xf32>)
      mask = #fa.mask<causal>
      -> tensor<?x?x?x16xf32>, tensor<?x?x?xf32>
  return %r#0, %r#1 : tensor<?x?x?x16xf32>, tensor<?x?x?xf32>
}
