//===- RowLoops.h - Row-wise ops on tiles --------------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to fa-tiles-to-loops: which ops work on each row of a tile by itself.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_TILESTOLOOPS_ROWLOOPS_H
#define FA_LIB_CONVERSION_TILESTOLOOPS_ROWLOOPS_H

#include "mlir/IR/Operation.h"

namespace mlir::fa {

/// True if `op` can be applied to one row at a time.
bool isRowWise(Operation &op);

/// True if `op` is cheap, has no effect, and depends on no tile that would need
/// a buffer: constants, row and column numbers, and what is made of them. It is
/// made anew in each run that uses it.
bool isRematerializable(Operation &op);

} // namespace mlir::fa

#endif // FA_LIB_CONVERSION_TILESTOLOOPS_ROWLOOPS_H
