// Three kernels in one module, each with its nest; docs/Levels.md shows a part.
//
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_80 level=naive" | FileCheck %s
// CHECK-LABEL: llvm.func @attention_scores(
// CHECK-SAME: next = "attention_softmax"
// CHECK: mma.sync
// CHECK-LABEL: llvm.func @attention_softmax(
// CHECK-NOT: mma.sync
// CHECK-LABEL: llvm.func @attention_output(
// CHECK: mma.sync

!BHSD = memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
!BHSS = memref<?x?x?x?xf32, strided<[?, ?, ?, 1], offset: ?>>
!tileS = memref<?x64xf32, strided<[?, 1], offset: ?>>
!tileP = memref<?x64xbf16, strided<[?, 1], offset: ?>>

func.func @attention(%Q: tensor<?x?x?x64xbf16>, %K: tensor<?x?x?x64xbf16>,
                     %V: tensor<?x?x?x64xbf16>, %O: tensor<?x?x?x64xbf16>,
                     %LSE: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>) {
  %result:2 = fa.attention
      ins(%Q, %K, %V : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>)
      outs(%O, %LSE : tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>)
      -> tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>
  return %result#0, %result#1 : tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>
}
