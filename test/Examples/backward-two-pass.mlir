// The gradient of backward.mlir with the other design: each gradient has a nest
// of its own.
//
// RUN: fa-opt %s --fa-lower-to-cpu="backward=two_pass" | FileCheck %s
//
// CHECK: llvm.func @gradient_delta(
// CHECK: llvm.func @gradient_dq(
// CHECK: llvm.func @gradient_dkv(
// CHECK: llvm.func @gradient_scratch(

!BHSD = memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
!BHS = memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>
!rows = memref<?x64xbf16, strided<[?, 1], offset: ?>>
!rows64 = memref<64x64xbf16, strided<[?, 1], offset: ?>>
!stats = memref<?xf32, strided<[1], offset: ?>>
!stats64 = memref<64xf32, strided<[1], offset: ?>>

func.func @gradient(%Q: !BHSD, %K: !BHSD, %V: !BHSD, %O: !BHSD, %dO: !BHSD, %LSE: !BHS,
                    %dQ: !BHSD, %dK: !BHSD, %dV: !BHSD) {
  fa.attention_backward
      ins(%Q, %K, %V, %O, %dO, %LSE : !BHSD, !BHSD, !BHSD, !BHSD, !BHSD, !BHS)
      outs(%dQ, %dK, %dV : !BHSD, !BHSD, !BHSD)
      mask = #fa.mask<causal>
  return
}
