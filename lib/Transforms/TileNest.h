//===- TileNest.h - What loop nests over tiles are made of ------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Transforms: the parts that the nests of fa-tile and
// fa-tile-backward have in common.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TRANSFORMS_TILENEST_H
#define FA_LIB_TRANSFORMS_TILENEST_H

#include "KeyRange.h"
#include "fa/IR/FA.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <functional>

namespace mlir::fa {

/// Rows [first, first + rows) of head (batch, head) of a rank-4 or rank-3
/// memref, as a memref of rank 2 or 1. A null `rows` stands for `tile` rows.
Value buildTileView(OpBuilder &builder, Location loc, Value memref, Value batch,
                    Value head, Value first, Value rows, int64_t tile);

/// Stores the first rows of a tile, as many as `view` has.
void buildTileStore(OpBuilder &builder, Location loc, Value tile, Value view);

/// Query heads a key/value head, at least 1: without any head there is no
/// block, and nothing may be divided by zero on the way there.
Value buildHeadGroup(OpBuilder &builder, Location loc, Value heads,
                     Value kvHeads);

/// Parallel loops over blocks, which carry schedule and target. They are mapped
/// to the blocks of a GPU on the CPU as well: loops that are mapped to
/// something are kept by the canonicaliser though they run once, and with them
/// what they carry.
scf::ForallOp buildBlockLoops(OpBuilder &builder, Location loc,
                              ArrayRef<OpFoldResult> sizes,
                              AttentionOpInterface op);

/// The tiles that a row group visits. Both loops count the visits of the block,
/// t = 0, 1, ...: that over edge tiles from `begin` to `edges`, that over full
/// ones from there to `end`.
struct Visits {
  Value begin, edges, end;
  /// The number of the tile of visit t, in the loop over edge tiles or in that
  /// over full ones.
  std::function<Value(Value t)> edgeTile, fullTile;
  /// Whether an edge tile may lie past the end, where nobody sees it.
  bool mayPassEnd;
};

/// Emits the visits of the tiles `range` of a block by the rows of one group,
/// whose own tiles are `own`. If the group `maySkip`, it leaves out the visits
/// at the start that only other groups need. If products overlap, there is an
/// edge tile.
Visits buildVisits(OpBuilder &builder, Location loc, const KeyRange &range,
                   const KeyRange &own, bool maySkip, bool overlaps);

/// The visits of rows that are not in groups.
inline Visits buildVisits(OpBuilder &builder, Location loc,
                          const KeyRange &range) {
  return buildVisits(builder, loc, range, range, /*maySkip=*/false,
                     /*overlaps=*/false);
}

/// Runs `body(first, rows, isEdge, state)` over the visited tiles, edge tiles
/// first, and returns the state after the last. `first` is the first row of the
/// visited tile and `rows` how many it has, null if that is all.
using TileBody = function_ref<FailureOr<SmallVector<Value>>(
    Value first, Value rows, bool isEdge, ValueRange state)>;
FailureOr<SmallVector<Value>> buildTileLoops(OpBuilder &builder, Location loc,
                                             const Visits &visits,
                                             const MaskGeometry &geometry,
                                             ValueRange init, TileBody body);

} // namespace mlir::fa

#endif // FA_LIB_TRANSFORMS_TILENEST_H
