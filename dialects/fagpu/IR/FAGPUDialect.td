//===- FAGPUDialect.td - The fagpu dialect -----------------*- tablegen -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FAGPU_IR_FAGPUDIALECT_TD
#define FAGPU_IR_FAGPUDIALECT_TD

include "mlir/IR/DialectBase.td"

def FAGPU_Dialect : Dialect {
  let name = "fagpu";
  let cppNamespace = "::mlir::fagpu";
  let summary = "tiles in SRAM, copies, rings and products of NVIDIA GPUs";
  let description = [{
    What the NVVM dialect lacks, or spells too low to reason about: tiles in
    workgroup memory (SRAM) with their swizzle, rings of such tiles that are
    filled while others are read, the split of a block into a producer and row
    groups, and matrix products of whole tiles.

    By level:

    | level     | ops                                                         |
    |-----------|-------------------------------------------------------------|
    | promoted  | `alloc`, `copy`, `fill`: as if each copy were done at once  |
    | scheduled | `copy_async`, `slot` (sm_80); `specialize`, `load`, `acquire`, `release`, `store_tile` (sm_90a) |
    | warp      | `dot`, `wait_dot`, `store_fragment`, `store`: values of one thread |

    Each op names the PTX that it becomes. All ops with `cp.async` need sm_80,
    those with tensor maps, mbarriers and wgmma need sm_90a.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

#endif // FAGPU_IR_FAGPUDIALECT_TD
