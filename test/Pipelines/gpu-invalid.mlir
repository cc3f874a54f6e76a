// What the GPU road refuses, with the message that a user of the pipeline sees.

// RUN: split-file %s %t
// RUN: not fa-opt %t/d64.mlir --fa-lower-to-nvvm="chip=sm_86 br=512 warps=32 bc=256" 2>&1 | FileCheck %s --check-prefix=SRAM
// RUN: not fa-opt %t/d64.mlir --fa-lower-to-nvvm="chip=sm_80 groups=2" 2>&1 | FileCheck %s --check-prefix=GROUPS
// RUN: not fa-opt %t/d64.mlir --fa-lower-to-nvvm="chip=sm_80 warps=33" 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not fa-opt %t/d64.mlir --fa-lower-to-nvvm="chip=sm_90a groups=5" 2>&1 | FileCheck %s --check-prefix=GROUPS-90
// RUN: not fa-opt %t/d64.mlir --fa-lower-to-nvvm="chip=sm_80 align=3" 2>&1 | FileCheck %s --check-prefix=ALIGN
// RUN: not fa-opt %t/d64.mlir --fa-lower-to-nvvm="chip=sm_80 bc=24" 2>&1 | FileCheck %s --check-prefix=BC
// RUN: not fa-opt %t/d64.mlir --fa-lower-to-nvvm="chip=cpu" 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not fa-opt %t/slice.mlir --fa-lower-to-nvvm="chip=sm_80" 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not fa-opt %t/slice.mlir --fa-lower-to-nvvm="chip=sm_90a" 2>&1 | FileCheck %s --check-prefix=SLICE-90
// RUN: not fa-opt %t/twice.mlir --fa-lower-to-nvvm="chip=sm_80" 2>&1 | FileCheck %s --check-prefix=TWICE

// Declarations are not compiled.
// RUN: fa-opt %t/declaration.mlir --fa-lower-to-nvvm="chip=sm_80" | FileCheck %s --check-prefix=DECLARED

// SRAM: error: 'fa.attention' op expected the tiles of #fa.schedule<br = 512, bc = 256, warps = 32{{.*}}> to fit in 101376 bytes of sram, but with head dims 64 and 64 they take 131072
// GROUPS: error: 'fa.attention' op expected at most 1 row groups and 32 warps on sm_80 but got #fa.schedule<br = 256, bc = {{[0-9]+}}, groups = 2, warps = 4
// WARPS: error: 'fa.attention' op expected at most 1 row groups and 32 warps on sm_80 but got #fa.schedule<br = 528, {{.*}} warps = 33
// GROUPS-90: error: 'fa.attention' op expected at most 4 row groups and 32 warps on sm_90a but got #fa.schedule<br = 320, {{.*}} groups = 5
// BC: error: 'fa.attention' op expected br = 16 * warps * groups = 64, or 2, 3 or 4 times that, and a bc that is a multiple of 16 on a GPU but got #fa.schedule<br = 128, bc = 24
// ALIGN: error: expected option 'align' to be 2, 4, 8 or 16, or 0, but got 3
// CPU: error: {{.*}}expected a loop nest for a GPU
// SLICE: error: expected Q, K, V, O and LSE to be an argument each on a GPU but Q is not
// SLICE-90: error: {{.*}}expected the source to be an argument of the function
// TWICE: error: expected Q, K, V, O and LSE to be an argument each on a GPU but
// DECLARED: llvm.func @declared

//--- d64.mlir
func.func @f(%Q: memref<?x?x?x64xbf16>, %K: memref<?x?x?x64xbf16>, %V: memref<?x?x?x64xbf16>,
             %O: memref<?x?x?x64xbf16>, %LSE: memref<?x?x?xf32>) {
  fa.attention ins(%Q, %K, %V : memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>)
      outs(%O, %LSE : memref<?x?x?x64xbf16>, memref<?x?x?xf32>)
  return
}

//--- slice.mlir
func.func @f(%whole: memref<2x3x1000x128xbf16>, %K: memref<?x?x?x64xbf16>, %V: memref<?x?x?x64xbf16>,
             %O: memref<?x?x?x64xbf16>, %LSE: memref<?x?x?xf32>) {
  // Its rows begin at an address that no 16-byte copy can take.
  %Q = memref.subview %whole[0, 0, 0, 1] [2, 3, 1000, 64] [1, 1, 1, 1]
      : memref<2x3x1000x128xbf16> to memref<2x3x1000x64xbf16, strided<[384000, 128000, 128, 1], offset: 1>>
  fa.attention ins(%Q, %K, %V : memref<2x3x1000x64xbf16, strided<[384000, 128000, 128, 1], offset: 1>>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>)
      outs(%O, %LSE : memref<?x?x?x64xbf16>, memref<?x?x?xf32>)
  return
}

//--- twice.mlir
func.func @f(%QK: memref<?x?x?x64xbf16>, %V: memref<?x?x?x64xbf16>,
             %O: memref<?x?x?x64xbf16>, %LSE: memref<?x?x?xf32>) {
  fa.attention ins(%QK, %QK, %V : memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>)
      outs(%O, %LSE : memref<?x?x?x64xbf16>, memref<?x?x?xf32>)
  return
}

//--- declaration.mlir
func.func private @declared(memref<?xf32>)
