//===- TileNest.cpp - What loop nests over tiles are made of --------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fa;

Value fa::buildTileView(OpBuilder &builder, Location loc, Value memref,
                        Value batch, Value head, Value first, Value rows,
                        int64_t tile) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> offsets{batch, head, first};
  OpFoldResult one = builder.getIndexAttr(1);
  OpFoldResult size =
      rows ? OpFoldResult(rows) : OpFoldResult(builder.getIndexAttr(tile));
  SmallVector<OpFoldResult> sizes{one, one, size};
  SmallVector<int64_t> shape{rows ? ShapedType::kDynamic : tile};
  if (type.getRank() == 4) {
    offsets.push_back(builder.getIndexAttr(0));
    sizes.push_back(builder.getIndexAttr(type.getDimSize(3)));
    shape.push_back(type.getDimSize(3));
  }
  SmallVector<OpFoldResult> strides(type.getRank(), one);
  MemRefType viewType = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(builder, loc, viewType, memref, offsets,
                                   sizes, strides);
}

void fa::buildTileStore(OpBuilder &builder, Location loc, Value tile,
                        Value view) {
  SmallVector<bool> inBounds(cast<VectorType>(tile.getType()).getRank(), true);
  inBounds[0] = false; // rows past the end are not stored
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  SmallVector<Value> origin(inBounds.size(), zero);
  vector::TransferWriteOp::create(builder, loc, tile, view, origin, inBounds);
}

Value fa::buildHeadGroup(OpBuilder &builder, Location loc, Value heads,
                         Value kvHeads) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value divisor = arith::MaxUIOp::create(builder, loc, kvHeads, one);
  Value group = arith::DivUIOp::create(builder, loc, heads, divisor);
  return arith::MaxUIOp::create(builder, loc, group, one);
}

scf::ForallOp fa::buildBlockLoops(OpBuilder &builder, Location loc,
                                  ArrayRef<OpFoldResult> sizes,
                                  AttentionOpInterface op) {
  SmallVector<Attribute> mapping;
  for (gpu::MappingId id :
       {gpu::MappingId::DimZ, gpu::MappingId::DimY, gpu::MappingId::DimX})
    mapping.push_back(gpu::GPUBlockMappingAttr::get(builder.getContext(), id));
  auto forall = scf::ForallOp::create(builder, loc, sizes,
                                      /*outputs=*/ValueRange(),
                                      builder.getArrayAttr(mapping));
  forall->setAttr(FADialect::getScheduleAttrName(), op.getScheduleAttr());
  forall->setAttr(FADialect::getTargetAttrName(), op.getTargetAttr());
  return forall;
}

Visits fa::buildVisits(OpBuilder &builder, Location loc, const KeyRange &range,
                       const KeyRange &own, bool maySkip, bool overlaps) {
  auto add = [&builder, loc](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, loc, a, b);
  };
  auto sub = [&builder, loc](Value a, Value b) -> Value {
    return arith::SubIOp::create(builder, loc, a, b);
  };
  auto min = [&](Value a, Value b) -> Value {
    return arith::MinSIOp::create(builder, loc, a, b);
  };
  auto max = [&](Value a, Value b) -> Value {
    return arith::MaxSIOp::create(builder, loc, a, b);
  };
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  // Products that overlap have their first visit outside the loops, an edge
  // tile, be it that nothing of it is hidden or all.
  Value end = overlaps ? max(range.end, one) : range.end;
  Value last = sub(end, one);
  auto fromLast = [=](Value t) { return sub(last, t); };

  // The tiles at the end that no row of this group sees.
  Value skipped = zero;
  if (maySkip)
    skipped = max(sub(end, own.end), zero);

  // From the last tile down: edge tiles, then full ones.
  if (range.begin == range.fullBegin) {
    if (maySkip && overlaps)
      skipped = min(skipped, last);
    // A group without rows may lie past all tiles of the block.
    Value edges = sub(end, own.fullEnd);
    if (overlaps || own.fullEnd != range.fullEnd)
      edges = max(edges, overlaps ? add(skipped, one) : skipped);
    return {skipped, edges, end, fromLast, fromLast, overlaps};
  }

  // Edge tiles on both sides, from the last one down too, so that what a row
  // group does not see comes first; then the full ones, in the order in which
  // they would come without the edge tiles before them.
  Value fullEnd =
      overlaps ? max(range.fullBegin, min(range.fullEnd, last)) : range.fullEnd;
  Value full = sub(fullEnd, range.fullBegin);
  Value after = sub(end, fullEnd);
  Value edges = add(after, sub(range.fullBegin, range.begin));
  if (overlaps)
    edges = max(edges, one);
  if (maySkip)
    skipped = min(skipped, overlaps ? sub(edges, one) : edges);
  Value fullLast = sub(add(fullEnd, edges), one);
  auto edgeTile = [=, &builder](Value t) -> Value {
    Value isAfter = arith::CmpIOp::create(builder, loc,
                                          arith::CmpIPredicate::slt, t, after);
    Value number = fromLast(t);
    return arith::SelectOp::create(builder, loc, isAfter, number,
                                   sub(number, full));
  };
  auto fullTile = [=](Value t) { return sub(fullLast, t); };
  return {skipped, edges, add(edges, full), edgeTile, fullTile, overlaps};
}

FailureOr<SmallVector<Value>>
fa::buildTileLoops(OpBuilder &builder, Location loc, const Visits &visits,
                   const MaskGeometry &geometry, ValueRange init,
                   TileBody body) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  LogicalResult status = success();
  auto buildLoop = [&](Value begin, Value end, bool isEdge, ValueRange state,
                       const std::function<Value(Value)> &tileNumber) {
    auto loop = scf::ForOp::create(builder, loc, begin, end, one, state);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value tile = arith::ConstantIndexOp::create(builder, loc, geometry.bc);
    Value first = arith::MulIOp::create(
        builder, loc, tileNumber(loop.getInductionVar()), tile);
    Value rows;
    if (isEdge) {
      Value left = arith::SubIOp::create(builder, loc, geometry.seqKV, first);
      rows = arith::MinSIOp::create(builder, loc, tile, left);
      if (visits.mayPassEnd)
        rows = arith::MaxSIOp::create(builder, loc, rows, zero);
    }
    FailureOr<SmallVector<Value>> next =
        body(first, rows, isEdge, loop.getRegionIterArgs());
    if (failed(next)) {
      status = failure();
      next = SmallVector<Value>(loop.getRegionIterArgs());
    }
    if (!init.empty())
      scf::YieldOp::create(builder, loc, *next);
    return SmallVector<Value>(loop.getResults());
  };

  SmallVector<Value> state = buildLoop(visits.begin, visits.edges,
                                       /*isEdge=*/true, init, visits.edgeTile);
  state = buildLoop(visits.edges, visits.end, /*isEdge=*/false, state,
                    visits.fullTile);
  if (failed(status))
    return failure();
  return state;
}
