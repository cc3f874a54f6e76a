//===- TileRegion.cpp - Scalar regions on whole tiles ---------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileRegion.h"

#include "fa/IR/FA.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fa;

/// [0, 1, ..., size - 1] as a 1-D vector of `element`.
static Value buildStep(OpBuilder &builder, Location loc, int64_t size,
                       Type element) {
  auto indexType = VectorType::get({size}, builder.getIndexType());
  Value step = vector::StepOp::create(builder, loc, indexType);
  if (element.isIndex())
    return step;
  return arith::IndexCastOp::create(builder, loc,
                                    VectorType::get({size}, element), step);
}

Value fa::buildRowNumbers(OpBuilder &builder, Location loc, VectorType type) {
  int64_t rows = type.getDimSize(0);
  Value step = buildStep(builder, loc, rows, type.getElementType());
  auto columnType = VectorType::get({rows, 1}, type.getElementType());
  Value column = vector::ShapeCastOp::create(builder, loc, columnType, step);
  return vector::BroadcastOp::create(builder, loc, type, column);
}

Value fa::buildColumnNumbers(OpBuilder &builder, Location loc,
                             VectorType type) {
  Value step =
      buildStep(builder, loc, type.getDimSize(1), type.getElementType());
  return vector::BroadcastOp::create(builder, loc, type, step);
}

/// `positions` held below `end`, which is at least 1.
static Value clampBelow(OpBuilder &builder, Location loc, Value positions,
                        Value end) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value last = arith::SubIOp::create(builder, loc, end, one);
  Value lasts =
      vector::BroadcastOp::create(builder, loc, positions.getType(), last);
  return arith::MinSIOp::create(builder, loc, positions, lasts);
}

/// Tiles whose element (r, c) is first + r, or first + c. With an `end`, of at
/// least 1, numbers from there on are end - 1.
static Value buildRowPositions(OpBuilder &builder, Location loc,
                               VectorType type, Value first, Value end) {
  int64_t rows = type.getDimSize(0);
  Value step = buildStep(builder, loc, rows, type.getElementType());
  Value positions = arith::AddIOp::create(
      builder, loc, step,
      vector::BroadcastOp::create(builder, loc, step.getType(), first));
  if (end)
    positions = clampBelow(builder, loc, positions, end);
  auto columnType = VectorType::get({rows, 1}, type.getElementType());
  Value column =
      vector::ShapeCastOp::create(builder, loc, columnType, positions);
  return vector::BroadcastOp::create(builder, loc, type, column);
}
static Value buildColumnPositions(OpBuilder &builder, Location loc,
                                  VectorType type, Value first, Value end) {
  Value positions = arith::AddIOp::create(
      builder, loc, buildColumnNumbers(builder, loc, type),
      vector::BroadcastOp::create(builder, loc, type, first));
  return end ? clampBelow(builder, loc, positions, end) : positions;
}

Value fa::buildHide(OpBuilder &builder, Location loc, Value scores,
                    Value visible) {
  auto type = cast<VectorType>(scores.getType());
  APFloat minusInf = APFloat::getInf(APFloat::IEEEsingle(), /*Negative=*/true);
  Value hidden = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, minusInf));
  return arith::SelectOp::create(builder, loc, visible, scores, hidden);
}

namespace {
/// The values that stand for those of the region, tile or scalar.
class TileCloner {
public:
  TileCloner(OpBuilder &builder, ArrayRef<int64_t> shape)
      : builder(builder), shape(shape) {}

  FailureOr<Value> clone(Region &region, ValueRange arguments);

private:
  static bool isTile(Value value) { return isa<VectorType>(value.getType()); }

  /// `value` as a tile, by broadcast if it is a scalar.
  Value asTile(Location loc, Value value) {
    if (isTile(value))
      return value;
    return vector::BroadcastOp::create(
        builder, loc, VectorType::get(shape, value.getType()), value);
  }

  LogicalResult cloneOp(Operation &op);
  LogicalResult cloneLoad(memref::LoadOp load);

  OpBuilder &builder;
  ArrayRef<int64_t> shape;
  IRMapping mapping;
};
} // namespace

/// table[i_0, ..., i_n] at a tile of positions: one gather at the offsets
/// sum_k i_k * stride_k from the first element.
LogicalResult TileCloner::cloneLoad(memref::LoadOp load) {
  Location loc = load.getLoc();
  Value table = load.getMemref();
  auto type = load.getMemRefType();
  auto indexTile = VectorType::get(shape, builder.getIndexType());
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, table);
  Value offsets;
  for (auto [index, stride] :
       llvm::zip_equal(load.getIndices(), metadata.getStrides())) {
    Value position = asTile(loc, mapping.lookupOrDefault(index));
    Value step = arith::MulIOp::create(
        builder, loc, position,
        vector::BroadcastOp::create(builder, loc, indexTile, stride));
    offsets =
        offsets ? arith::AddIOp::create(builder, loc, offsets, step).getResult()
                : step;
  }
  // The table as a row of some length; the gather stays inside the table
  // because the positions do.
  Value length = arith::ConstantIndexOp::create(builder, loc, int64_t(1) << 60);
  Value flat = memref::ReinterpretCastOp::create(
      builder, loc,
      MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                      StridedLayoutAttr::get(builder.getContext(),
                                             ShapedType::kDynamic, {1}),
                      type.getMemorySpace()),
      metadata.getBaseBuffer(), OpFoldResult(metadata.getOffset()),
      ArrayRef<OpFoldResult>{length},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  auto resultType = VectorType::get(shape, type.getElementType());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(resultType));
  Value mask = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(VectorType::get(shape, builder.getI1Type()),
                             true));
  Value base = arith::ConstantIndexOp::create(builder, loc, 0);
  Value gathered = vector::GatherOp::create(builder, loc, resultType, flat,
                                            base, offsets, mask, zero);
  mapping.map(load.getResult(), gathered);
  return success();
}

LogicalResult TileCloner::cloneOp(Operation &op) {
  bool anyTile = llvm::any_of(op.getOperands(), [&](Value operand) {
    return isTile(mapping.lookupOrDefault(operand));
  });
  // The same for the whole tile.
  if (!anyTile && !isa<tensor::ExtractOp>(op)) {
    builder.clone(op, mapping);
    return success();
  }
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return cloneLoad(load);
  if (!OpTrait::hasElementwiseMappableTraits(&op))
    return op.emitError("expected an op that works element by element, or a "
                        "read of a memref, to apply to a tile but got '")
           << op.getName() << "'";
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(asTile(op.getLoc(), mapping.lookupOrDefault(operand)));
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(VectorType::get(shape, type));
  OperationState state(op.getLoc(), op.getName(), operands, types,
                       op.getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op.getPropertiesAsAttribute();
  Operation *onTile = builder.create(state);
  mapping.map(op.getResults(), onTile->getResults());
  return success();
}

FailureOr<Value> TileCloner::clone(Region &region, ValueRange arguments) {
  Block &block = region.front();
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    if (failed(cloneOp(op)))
      return failure();
  auto yield = cast<YieldOp>(block.getTerminator());
  return asTile(yield.getLoc(), mapping.lookupOrDefault(yield.getValue()));
}

FailureOr<Value> fa::buildOnTile(OpBuilder &builder, Region &region,
                                 ValueRange arguments,
                                 ArrayRef<int64_t> shape) {
  return TileCloner(builder, shape).clone(region, arguments);
}

TilePosition fa::buildTilePosition(OpBuilder &builder, Location loc,
                                   AttentionOpInterface op,
                                   ArrayRef<Region *> regions,
                                   ArrayRef<int64_t> shape, Value batch,
                                   Value head, Value query0, Value key0,
                                   bool keysInRows, bool isEdge) {
  bool readsTables = llvm::any_of(regions, [](Region *region) {
    return !region->getOps<memref::LoadOp>().empty();
  });
  auto getEnd = [&](Value tensor) -> Value {
    return memref::DimOp::create(builder, loc, tensor, 2);
  };
  Value queryEnd = readsTables ? getEnd(op.getQuery()) : Value();
  Value keyEnd = readsTables && isEdge ? getEnd(op.getKey()) : Value();
  auto indexTile = VectorType::get(shape, builder.getIndexType());
  TilePosition position{batch, head, Value(), Value()};
  if (keysInRows) {
    position.query =
        buildColumnPositions(builder, loc, indexTile, query0, queryEnd);
    position.key = buildRowPositions(builder, loc, indexTile, key0, keyEnd);
  } else {
    position.query =
        buildRowPositions(builder, loc, indexTile, query0, queryEnd);
    position.key = buildColumnPositions(builder, loc, indexTile, key0, keyEnd);
  }
  return position;
}

FailureOr<Value> fa::buildScoreRegion(OpBuilder &builder, Region &region,
                                      Value scores,
                                      const TilePosition &position) {
  return buildOnTile(
      builder, region,
      {scores, position.batch, position.head, position.query, position.key},
      cast<VectorType>(scores.getType()).getShape());
}

FailureOr<Value> fa::buildMaskRegion(OpBuilder &builder, Region &region,
                                     Value scores,
                                     const TilePosition &position) {
  FailureOr<Value> visible =
      buildOnTile(builder, region,
                  {position.batch, position.head, position.query, position.key},
                  cast<VectorType>(scores.getType()).getShape());
  if (failed(visible))
    return failure();
  return buildHide(builder, region.getLoc(), scores, *visible);
}
