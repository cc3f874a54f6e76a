//===- RowWise.h - Row-wise ops on tiles ------------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between two products a tile program is row-wise: each row of a tile by
// itself. Both ways to lower it, to loops over rows and to the registers of
// threads, rest on this classification.
//
//===----------------------------------------------------------------------===//

#ifndef FA_ANALYSIS_ROWWISE_H
#define FA_ANALYSIS_ROWWISE_H

#include "mlir/IR/Operation.h"

namespace mlir::fa {

/// True for a vector of rank 1 (a value a row) or 2 (a tile).
bool isTileType(Type type);

/// True if `op` has an operand or a result of a tile type, or is a product.
bool touchesTiles(Operation &op);

/// True if `op` can be applied to one row at a time.
bool isRowWise(Operation &op);

/// True if `op` puts a vector over the columns, which is computed or read, in
/// every row of a tile. The vector is needed whole for each row.
bool isColumnBroadcast(Operation &op);

/// True if `op` is cheap, has no effect, and depends on no tile that is
/// computed: constants, row and column numbers, and what is made of them. It is
/// made anew where it is used.
bool isRematerializable(Operation &op);

} // namespace mlir::fa

#endif // FA_ANALYSIS_ROWWISE_H
