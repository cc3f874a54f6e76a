//===- TileLayout.cpp - Chunks of tiles in SRAM ---------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLayout.h"

#include "fagpu/IR/FAGPU.h"

using namespace mlir;
using namespace mlir::fa;

int64_t TileLayout::getTileBytes(int64_t rows, int64_t columns,
                                 int64_t elementBytes) const {
  return fagpu::getStageBytes(rows, columns, 8 * elementBytes, swizzle, tail);
}

TileLayout fa::chooseTileLayout(TileUse use, int64_t columns,
                                int64_t elementBytes, bool narrow) {
  constexpr int64_t kWide = 128;
  int64_t bytes = columns * elementBytes, rest = bytes % kWide;
  // A last chunk that is more than half full: no layout was measured to gain.
  if (!narrow || rest == 0 || rest > kWide / 2)
    return {};
  int64_t tail = rest <= kWide / 4 ? kWide / 4 : kWide / 2;
  if (use == TileUse::QueryOrKey)
    return bytes < kWide ? TileLayout{tail} : TileLayout{kWide, tail};
  // A wgmma reads V in chunks of one width. With a second one for the tail PV
  // was slower than with zeros in wide chunks.
  return rest == tail ? TileLayout{tail} : TileLayout{};
}
