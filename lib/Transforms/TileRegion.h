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

#include "fa/IR/FA.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Region.h"

namespace mlir::fa {

/// A tile of integers or indices whose element (r, c) is r, or c.
Value buildRowNumbers(OpBuilder &builder, Location loc, VectorType type);
Value buildColumnNumbers(OpBuilder &builder, Location loc, VectorType type);

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

/// Where the elements of a tile of scores are, for the regions of a problem.
struct TilePosition {
  Value batch, head;
  Value query, key; // i and j, tiles of index
};

/// Emits the position of a tile of shape `shape` with the first query `query0`
/// and the first key `key0`. Its rows are queries or, if `keysInRows`, keys.
///
/// Queries and keys past the end exist in the tile, but not in a table: if one
/// of `regions` reads one, numbers from the end on are that of the last query
/// or key, and what comes of them is dropped. `isEdge` says whether the tile
/// may have keys past the end.
TilePosition buildTilePosition(OpBuilder &builder, Location loc,
                               AttentionOpInterface op,
                               ArrayRef<Region *> regions,
                               ArrayRef<int64_t> shape, Value batch, Value head,
                               Value query0, Value key0, bool keysInRows,
                               bool isEdge);

/// `scores` after the score region, or another of its signature.
FailureOr<Value> buildScoreRegion(OpBuilder &builder, Region &region,
                                  Value scores, const TilePosition &position);

/// `scores` with -inf where the mask region hides the key.
FailureOr<Value> buildMaskRegion(OpBuilder &builder, Region &region,
                                 Value scores, const TilePosition &position);

} // namespace mlir::fa

#endif // FA_LIB_TRANSFORMS_TILEREGION_H
