//===- KeyRange.cpp - Which tiles a tile of the other kind meets ----------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeyRange.h"

#include "TileRegion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fa;

int64_t fa::clampBound(int64_t bound) {
  return std::min(bound, int64_t(1) << 60);
}

MaskGeometry MaskGeometry::get(OpBuilder &builder, Location loc, MaskAttr mask,
                               Value seqQ, Value seqKV, int64_t bc) {
  MaskGeometry geometry{mask.getLeftBound(), mask.getRightBound(), seqKV,
                        Value(), bc};
  if (!geometry.left && !geometry.right)
    return geometry;
  if (mask.getAlign() == MaskAlign::TopLeft)
    geometry.shift = arith::ConstantIndexOp::create(builder, loc, 0);
  else
    geometry.shift = arith::SubIOp::create(builder, loc, seqKV, seqQ);
  return geometry;
}

MaskGeometry MaskGeometry::transpose(OpBuilder &builder, Location loc,
                                     Value seqQ, int64_t br) const {
  Value minusShift;
  if (shift) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    minusShift = arith::SubIOp::create(builder, loc, zero, shift);
  }
  return {right, left, seqQ, minusShift, br};
}

KeyRange fa::buildKeyRange(OpBuilder &builder, Location loc,
                           const MaskGeometry &geometry, Value row0,
                           Value rows) {
  ArithBuilder arith(builder, loc);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto min = [&](Value a, Value b) -> Value {
    return arith::MinSIOp::create(builder, loc, a, b);
  };
  auto max = [&](Value a, Value b) -> Value {
    return arith::MaxSIOp::create(builder, loc, a, b);
  };
  Value zero = constant(0), bc = constant(geometry.bc);
  // Tile numbers. The numerators are not negative.
  auto floorTile = [&](Value key) -> Value {
    return arith::DivUIOp::create(builder, loc, key, bc);
  };
  auto ceilTile = [&](Value key) -> Value {
    return arith::CeilDivUIOp::create(builder, loc, key, bc);
  };

  std::optional<int64_t> left = geometry.left, right = geometry.right;
  Value lo = zero, fullLo = zero;
  Value hi = geometry.seqKV, fullHi = geometry.seqKV; // one past the last
  if (left || right) {
    Value first = arith::AddIOp::create(builder, loc, row0, geometry.shift);
    Value pastLast = arith::AddIOp::create(builder, loc, first, rows);
    if (left) {
      Value bound = constant(clampBound(*left));
      lo = max(zero, arith::SubIOp::create(builder, loc, first, bound));
      fullLo =
          max(zero, arith::SubIOp::create(builder, loc, pastLast,
                                          constant(clampBound(*left) + 1)));
    }
    if (right) {
      Value bound = constant(clampBound(*right));
      Value pastHi = arith::AddIOp::create(builder, loc, pastLast, bound);
      hi = max(zero, min(geometry.seqKV, pastHi));
      Value pastFull = arith::AddIOp::create(builder, loc, first,
                                             constant(clampBound(*right) + 1));
      fullHi = max(zero, min(geometry.seqKV, pastFull));
    }
  }
  const KeyInterval &where = geometry.where;
  bool hasLo = left || !where.lo.isMinusInf();
  if (geometry.whereRegion && (where.isBounded() || where.isExact)) {
    // The ends for the first row and for the last.
    Value one = constant(1);
    Value last = arith::SubIOp::create(
        builder, loc, arith::AddIOp::create(builder, loc, row0, rows), one);
    IRMapping atFirst, atLast;
    for (auto [mapping, row] : {std::pair{&atFirst, row0}, {&atLast, last}})
      mapping->map(geometry.whereRegion->getArguments().take_front(3),
                   ValueRange{geometry.batch, geometry.head, row});
    auto at = [&](const KeyBound &bound, IRMapping &mapping) -> Value {
      return bound.build(builder, loc, *geometry.whereRegion, mapping);
    };
    // Where the region is applied to full tiles, these are all that are
    // visited.
    if (!where.lo.isMinusInf()) {
      Value ofFirst = at(where.lo, atFirst);
      lo = max(lo, ofFirst);
      fullLo = max(fullLo, where.isExact ? at(where.lo, atLast) : ofFirst);
    }
    if (!where.hi.isPlusInf()) {
      Value ofLast = at(where.hi, atLast);
      hi = max(zero, min(hi, ofLast));
      fullHi = max(zero,
                   min(fullHi, where.isExact ? at(where.hi, atFirst) : ofLast));
    }
  }
  KeyRange range;
  range.begin = zero;
  range.end = ceilTile(hi);
  range.fullBegin = zero;
  range.fullEnd = floorTile(fullHi);
  if (hasLo) {
    range.begin = floorTile(lo);
    range.end = max(range.begin, range.end);
    range.fullBegin = min(ceilTile(fullLo), range.end);
    range.fullEnd = max(range.fullBegin, min(range.fullEnd, range.end));
  }
  return range;
}

Value fa::buildEdgeMask(OpBuilder &builder, Location loc,
                        const MaskGeometry &geometry, Value scores, Value row0,
                        Value key0, Value rows) {
  auto tileType = cast<VectorType>(scores.getType());
  Type i32 = builder.getI32Type();
  VectorType indexTile = tileType.clone(i32);
  auto rowType = VectorType::get(tileType.getDimSize(0), i32);
  // Distances are taken from the corner of the tile and clamped, so that the
  // comparisons are on 32 bits (one vector register a row instead of two).
  auto splat = [&](Value distance) -> Value {
    Value limit = arith::ConstantIndexOp::create(builder, loc, 1 << 30);
    Value minusLimit = arith::ConstantIndexOp::create(builder, loc, -(1 << 30));
    distance = arith::MinSIOp::create(builder, loc, distance, limit);
    distance = arith::MaxSIOp::create(builder, loc, distance, minusLimit);
    distance = arith::IndexCastOp::create(builder, loc, i32, distance);
    return vector::BroadcastOp::create(builder, loc, rowType, distance);
  };

  // In the band: row + d - left <= column < row + d + right + 1, where
  // d = row0 + shift - key0 is the diagonal's column in row 0 of the tile.
  std::optional<int64_t> leftBound = geometry.left;
  std::optional<int64_t> rightBound = geometry.right;
  Value row, diagonal;
  if (leftBound || rightBound || rows) {
    Value numbers = vector::StepOp::create(
        builder, loc, rowType.clone(builder.getIndexType()));
    row = arith::IndexCastOp::create(builder, loc, rowType, numbers);
  }
  if (leftBound || rightBound) {
    Value first = arith::AddIOp::create(builder, loc, row0, geometry.shift);
    diagonal = arith::SubIOp::create(builder, loc, first, key0);
  }
  auto edge = [&](int64_t offset) -> Value {
    Value bound = arith::ConstantIndexOp::create(builder, loc, offset);
    Value shifted = arith::AddIOp::create(builder, loc, diagonal, bound);
    return arith::AddIOp::create(builder, loc, row, splat(shifted));
  };
  // Before the end, too: column < Sk - key0. One limit a row for both.
  Value end = splat(arith::SubIOp::create(builder, loc, geometry.seqKV, key0));
  if (rightBound)
    end = arith::MinSIOp::create(builder, loc, end,
                                 edge(clampBound(*rightBound) + 1));
  if (rows) {
    Value exists = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, row, splat(rows));
    Value nothing =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(rowType));
    end = arith::SelectOp::create(builder, loc, exists, end, nothing);
  }

  Value column = buildColumnNumbers(builder, loc, indexTile);
  auto test = [&](arith::CmpIPredicate predicate, Value rowLimit) -> Value {
    auto columnType = VectorType::get({rowType.getDimSize(0), 1}, i32);
    Value limit =
        vector::ShapeCastOp::create(builder, loc, columnType, rowLimit);
    limit = vector::BroadcastOp::create(builder, loc, indexTile, limit);
    return arith::CmpIOp::create(builder, loc, predicate, column, limit);
  };
  Value visible = test(arith::CmpIPredicate::slt, end);
  if (leftBound)
    visible = arith::AndIOp::create(
        builder, loc, visible,
        test(arith::CmpIPredicate::sge, edge(-clampBound(*leftBound))));
  return buildHide(builder, loc, scores, visible);
}
