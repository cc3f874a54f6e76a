//===- TileKeysOutside.h - The loop order of the first paper ----*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to fa-tile.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TRANSFORMS_TILEKEYSOUTSIDE_H
#define FA_LIB_TRANSFORMS_TILEKEYSOUTSIDE_H

#include "fa/IR/FA.h"
#include "mlir/IR/Builders.h"

namespace mlir::fa {

/// Builds the nest of `op` with the loop over key tiles outside and the state
/// of the queries in memory; with the online softmax, since m is not known
/// before the last key tile. `op` is left to the caller. Fails, with a
/// diagnostic, for regions and GPUs.
LogicalResult buildKeysOutside(OpBuilder &builder, AttentionOp op);

} // namespace mlir::fa

#endif // FA_LIB_TRANSFORMS_TILEKEYSOUTSIDE_H
