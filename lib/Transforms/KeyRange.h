//===- KeyRange.h - Which tiles a tile of the other kind meets --*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Transforms: the arithmetic by which the nests skip masked
// tiles. It is written for the key tiles that a query tile visits. A band is
// one from the side of the keys, too, so that the query tiles that a key tile
// visits are the same with queries and keys exchanged
// (MaskGeometry::transpose).
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TRANSFORMS_KEYRANGE_H
#define FA_LIB_TRANSFORMS_KEYRANGE_H

#include "fa/Analysis/MaskBounds.h"
#include "fa/IR/FA.h"
#include "mlir/IR/Builders.h"

namespace mlir::fa {

/// The key tiles that the queries [row0, row0 + rows) see, as values of type
/// index. Tiles [begin, end) hold at least one visible key; of these the tiles
/// [fullBegin, fullEnd) hold only visible keys, for every row.
struct KeyRange {
  Value begin, fullBegin, fullEnd, end;
};

/// The band of visible keys and the lengths, common to all query tiles:
///
///     query i sees the keys from i + shift - left to i + shift + right
struct MaskGeometry {
  std::optional<int64_t> left, right; // unbounded where there is none
  Value seqKV;
  /// Sk - Sq, or 0 if the mask is aligned top-left; null if it is not needed.
  Value shift;
  int64_t bc;
  /// What the where region lets through, if there is one.
  KeyInterval where = {};
  Region *whereRegion = nullptr;
  Value batch = {}, head = {};

  /// Whether full tiles need the region, too: whether it may hide keys between
  /// the ends of its interval.
  bool needsWhereInFullTiles() const { return whereRegion && !where.isExact; }

  /// The geometry of `mask`; emits the shift where there is a bound.
  static MaskGeometry get(OpBuilder &builder, Location loc, MaskAttr mask,
                          Value seqQ, Value seqKV, int64_t bc);

  /// The same band with the roles of queries and keys exchanged:
  ///
  ///     key j is seen by the queries from j - shift - right to j - shift +
  ///     left
  MaskGeometry transpose(OpBuilder &builder, Location loc, Value seqQ,
                         int64_t br) const;
};

/// A bound of the band that no sum with lengths and row numbers can make
/// overflow.
int64_t clampBound(int64_t bound);

/// Emits the bounds of the key tiles:
///
///     first key seen by any row   lo  = row0 + shift - left
///     last key seen by any row    hi  = row0 + rows - 1 + shift + right
///     first key seen by all rows  flo = row0 + rows - 1 + shift - left
///     last key seen by all rows   fhi = row0 + shift + right
///
/// and within the interval [lo(i), hi(i)) of the where region, whose ends do
/// not fall as i grows; each clamped to [0, Sk), then divided by B_c: outwards
/// for the visited tiles, inwards for the full ones.
KeyRange buildKeyRange(OpBuilder &builder, Location loc,
                       const MaskGeometry &geometry, Value row0, Value rows);

/// Emits S with -inf where a key of an edge tile is hidden by the mask or lies
/// past the end. `key0` is the first key of the tile. If `rows` is not null,
/// the rows from there on are hidden as well.
Value buildEdgeMask(OpBuilder &builder, Location loc,
                    const MaskGeometry &geometry, Value scores, Value row0,
                    Value key0, Value rows = Value());

} // namespace mlir::fa

#endif // FA_LIB_TRANSFORMS_KEYRANGE_H
