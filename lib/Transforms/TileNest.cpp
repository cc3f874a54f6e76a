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

FailureOr<SmallVector<Value>>
fa::buildTileLoops(OpBuilder &builder, Location loc, const KeyRange &range,
                   const MaskGeometry &geometry, ValueRange init, TileBody body,
                   const TileVisits &visits) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  LogicalResult status = success();
  auto buildLoop = [&](Value begin, Value end, bool isEdge, ValueRange state,
                       function_ref<Value(Value)> tileNumber) {
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
      if (visits.alwaysEdge) // a tile that nobody sees may lie past the end
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

  // Both loops count the visits, t = 0, 1, ...: the edge tiles from the last
  // one down, so that what a row group does not see comes first, then the full
  // ones.
  //
  //   t < after   end - 1 - t
  //   t < edges   fullBegin - 1 - (t - after), or end - 1 - t less full tiles
  //   else        fullBegin + (t - edges)
  bool hasBefore = range.begin != range.fullBegin;
  Value after = arith::SubIOp::create(builder, loc, range.end, range.fullEnd);
  Value edges = after;
  if (hasBefore)
    edges = arith::AddIOp::create(
        builder, loc, edges,
        arith::SubIOp::create(builder, loc, range.fullBegin, range.begin));
  Value mostSkipped = edges;
  if (visits.alwaysEdge) {
    edges = arith::MaxSIOp::create(builder, loc, edges, one);
    mostSkipped = arith::SubIOp::create(builder, loc, edges, one);
  }
  Value begin = zero;
  if (visits.skipped)
    begin = arith::MinSIOp::create(builder, loc, visits.skipped, mostSkipped);
  Value full =
      arith::SubIOp::create(builder, loc, range.fullEnd, range.fullBegin);
  Value numVisits = arith::AddIOp::create(builder, loc, edges, full);
  Value shift = arith::SubIOp::create(builder, loc, range.fullBegin, edges);
  Value last = arith::SubIOp::create(builder, loc, range.end, one);
  SmallVector<Value> state =
      buildLoop(begin, edges, /*isEdge=*/true, init, [&](Value t) -> Value {
        Value number = arith::SubIOp::create(builder, loc, last, t);
        if (!hasBefore)
          return number;
        Value isAfter = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::slt, t, after);
        Value before = arith::SubIOp::create(builder, loc, number, full);
        return arith::SelectOp::create(builder, loc, isAfter, number, before);
      });
  state = buildLoop(edges, numVisits, /*isEdge=*/false, state,
                    [&](Value t) -> Value {
                      return arith::AddIOp::create(builder, loc, t, shift);
                    });
  if (failed(status))
    return failure();
  return state;
}
