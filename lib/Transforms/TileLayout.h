//===- TileLayout.h - Chunks of tiles in SRAM -------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that chooses how a tile is laid out: fa-promote-to-sram gives
// it to the tile, fa-select-schedule knows from it what fits.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TRANSFORMS_TILELAYOUT_H
#define FA_LIB_TRANSFORMS_TILELAYOUT_H

#include <cstdint>

namespace mlir::fa {

/// What a tile is to the products: summed over its columns, or over its rows.
enum class TileUse { QueryOrKey, Value };

/// The parameters of `#fagpu.sram`.
struct TileLayout {
  int64_t swizzle = 128, tail = 0;

  bool isNarrow() const { return swizzle != 128 || tail != 0; }
  /// Bytes of `rows` rows, as stages of a ring take them.
  int64_t getTileBytes(int64_t rows, int64_t columns,
                       int64_t elementBytes) const;
};

/// The layout of a tile with `columns` columns; `narrow` is that of the
/// schedule.
TileLayout chooseTileLayout(TileUse use, int64_t columns, int64_t elementBytes,
                            bool narrow);

} // namespace mlir::fa

#endif // FA_LIB_TRANSFORMS_TILELAYOUT_H
