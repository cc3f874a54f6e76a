//===- TileRegion.h - Scalar regions on whole tiles -------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Transforms: how the scalar score and mask regions of
// fa.attention are applied to a tile of scores.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TRANSFORMS_TILEREGION_H
#define FA_LIB_TRANSFORMS_TILEREGION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Region.h"

namespace mlir::fa {

/// A tile of integers or indices whose element (r, c) is r, or c.
Value buildRowNumbers(OpBuilder &builder, Location loc, VectorType type);
Value buildColumnNumbers(OpBuilder &builder, Location loc, VectorType type);

/// Tiles of query numbers row0 + r and of key numbers key0 + c. With an `end`,
/// of at least 1, numbers from there on are end - 1.
Value buildRowPositions(OpBuilder &builder, Location loc, VectorType type,
                        Value row0, Value end);
Value buildKeyPositions(OpBuilder &builder, Location loc, VectorType type,
                        Value key0, Value end);

/// The scores, with -inf where the tile `visible` of i1 is false.
Value buildHide(OpBuilder &builder, Location loc, Value scores, Value visible);

/// Clones a region of scalar ops so that it works on a whole tile, and returns
/// the tile that it yields. An argument is a scalar, the same for all elements
/// of the tile, or a vector of shape `shape`.
///
/// A read of a table at positions that differ within the tile becomes a
/// vector.gather from the table's memory seen as one dimension. Fails, with a
/// diagnostic, if the table is still a tensor.
FailureOr<Value> buildOnTile(OpBuilder &builder, Region &region,
                             ValueRange arguments, ArrayRef<int64_t> shape);

} // namespace mlir::fa

#endif // FA_LIB_TRANSFORMS_TILEREGION_H
