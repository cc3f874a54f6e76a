func.func @f(%Q: memref<?x?x?x64xbf16>, %K: memref<?x?x64x64xbf16>, %V: memref<?x?x64x64xbf16>,
             %O: memref<?x?x?x64xbf16>, %LSE: memref<?x?x?xf32>) {
  fa.attention ins(%Q, %K, %V : memref<?x?x?x64xbf16>, memref<?x?x64x64xbf16>, memref<?x?x64x64xbf16>)
      outs(%O, %LSE : memref<?x?x?x64xbf16>, memref<?x?x?xf32>)
  return
}
