// The problem that docs/Levels.md follows through every level. The names of
// types and attributes are for the reader of that page: scripts/update-docs
// puts them back into the IR.
//
// RUN: fa-opt %s --fa-lower-to-cpu | FileCheck %s --check-prefix=CPU
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_80" | FileCheck %s --check-prefix=GPU
// RUN: fa-opt %s --fa-lower-to-nvvm="chip=sm_90a max-keys=4096" | FileCheck %s --check-prefix=GPU
// RUN: fa-run --target=cpu %s --heads=1 --seq-q=150 --seq-kv=200 --check | FileCheck %s --check-prefix=OK
//
// CPU: llvm.func @attention_blocks(
// CPU: llvm.func @attention(
// GPU: llvm.func @attention(
// GPU-SAME: nvvm.kernel
// OK: 150 of 150 rows against the fp64 reference: PASS

!BHSD = memref<?x?x?x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
!BHS = memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>
!rows = memref<?x64xbf16, strided<[?, 1], offset: ?>>
!rows64 = memref<64x64xbf16, strided<[?, 1], offset: ?>>
!rows128 = memref<128x64xbf16, strided<[?, 1], offset: ?>>
!stats = memref<?xf32, strided<[1], offset: ?>>
#sram = #fagpu.sram<swizzle = 128>
!sram64 = memref<64x64xbf16, #sram>
!sram128 = memref<128x64xbf16, #sram>

func.func @attention(%Q: tensor<?x?x?x64xbf16>, %K: tensor<?x?x?x64xbf16>,
                     %V: tensor<?x?x?x64xbf16>, %O: tensor<?x?x?x64xbf16>,
                     %LSE: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>) {
  %result:2 = fa.attention
      ins(%Q, %K, %V : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>)
      outs(%O, %LSE : tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>)
      mask = #fa.mask<causal> -> tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>
  return %result#0, %result#1 : tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>
}
