//===- TileKeysOutside.cpp - The loop order of the first paper ------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Algorithm 1 of FlashAttention (Dao et al., 2022) has the loop over key tiles
// outside, so that the state of all query tiles is in memory:
//
//   forall b, h:
//     for i: O_i = 0, l_i = 0, m_i = -inf                             (line 2)
//     for j: load K_j, V_j                                          (lines 5,
//     6)
//       for i that see j: load Q_i, O_i, l_i, m_i                   (lines 7,
//       8)
//         S = Q_i K_j^T;  P, m_i, l_i, alpha = online_softmax       (lines
//         9-11) O_i = alpha O_i + P V_j;  store O_i, l_i, m_i            (lines
//         12, 13)
//     for i: O_i = O_i / l_i;  LSE_i = m_i + log(l_i)
//
// O_i is divided by l_i once, at the end, and is f32 until then.
//
//===----------------------------------------------------------------------===//

#include "TileKeysOutside.h"

#include "TileNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Builds the nest of one fa.attention; as NestBuilder, the members are the
/// values in scope.
class KeysOutsideBuilder {
public:
  KeysOutsideBuilder(OpBuilder &builder, AttentionOp op)
      : builder(builder), loc(op.getLoc()), op(op),
        schedule(op.getScheduleAttr()),
        rowType(VectorType::get({schedule.getBr()}, builder.getF32Type())),
        accType(VectorType::get({schedule.getBr(), op.getHeadDimV()},
                                builder.getF32Type())) {}

  void build();

private:
  /// The query tiles [begin, end) that see a key of the tile that begins with
  /// `key0` and has `keys` rows.
  std::pair<Value, Value> buildQueryRange(Value key0, Value keys);
  void buildInit();
  void buildStep(Value key0, Value keyView, Value valueView);
  void buildFinish();

  /// for i in [begin, end): row0 and rows, then `body`.
  void buildQueryLoop(Value begin, Value end, function_ref<void()> body);
  /// Rows [first, first + count) of a head of `memref`.
  Value buildView(Value memref, Value headIndex, Value first, Value count) {
    return buildTileView(builder, loc, memref, batch, headIndex, first, count,
                         schedule.getBr());
  }
  Value read(Value memref, VectorType type);
  void write(Value tile, Value memref);
  Value allocate(StringRef name, ArrayRef<int64_t> shape);

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value splat(VectorType type, float value) {
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, APFloat(value)));
  }
  Value min(Value a, Value b) {
    return arith::MinSIOp::create(builder, loc, a, b);
  }
  Value max(Value a, Value b) {
    return arith::MaxSIOp::create(builder, loc, a, b);
  }

  OpBuilder &builder;
  Location loc;
  AttentionOp op;
  ScheduleAttr schedule;
  MaskGeometry geometry;
  VectorType rowType, accType;
  Value batches, heads, seqQ;
  Value accs, maxima, sums;  // O, m and l of all rows
  Value batch, head, kvHead; // of this block
  Value row0, rows;          // of this query tile
};
} // namespace

Value KeysOutsideBuilder::allocate(StringRef name, ArrayRef<int64_t> shape) {
  auto type = MemRefType::get(shape, builder.getF32Type());
  return memref::AllocOp::create(builder,
                                 NameLoc::get(builder.getStringAttr(name), loc),
                                 type, ValueRange{batches, heads, seqQ});
}

Value KeysOutsideBuilder::read(Value memref, VectorType type) {
  SmallVector<Value> origin(type.getRank(), constant(0));
  SmallVector<bool> inBounds(type.getRank(), true);
  inBounds[0] = false; // rows past the end
  Value padding = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  return vector::TransferReadOp::create(builder, loc, type,
                                        buildView(memref, head, row0, rows),
                                        origin, padding, inBounds);
}

void KeysOutsideBuilder::write(Value tile, Value memref) {
  buildTileStore(builder, loc, tile, buildView(memref, head, row0, rows));
}

void KeysOutsideBuilder::buildQueryLoop(Value begin, Value end,
                                        function_ref<void()> body) {
  auto loop = scf::ForOp::create(builder, loc, begin, end, constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value br = constant(schedule.getBr());
  row0 = arith::MulIOp::create(builder, loc, loop.getInductionVar(), br);
  rows = min(arith::SubIOp::create(builder, loc, seqQ, row0), br);
  body();
}

std::pair<Value, Value> KeysOutsideBuilder::buildQueryRange(Value key0,
                                                            Value keys) {
  ArithBuilder arith(builder, loc);
  Value zero = constant(0), br = constant(schedule.getBr());
  auto ceilTile = [&](Value row) -> Value {
    return arith::CeilDivUIOp::create(builder, loc, row, br);
  };
  // Row i sees key j from i = j - shift - right on, up to j - shift + left.
  Value begin = zero, end = ceilTile(seqQ);
  if (std::optional<int64_t> left = geometry.left) {
    Value pastKey = arith.sub(arith.add(key0, keys), geometry.shift);
    Value pastRow = arith.add(pastKey, constant(clampBound(*left)));
    end = ceilTile(max(min(pastRow, seqQ), zero));
  }
  if (std::optional<int64_t> right = geometry.right) {
    Value first = arith.sub(arith.sub(key0, geometry.shift),
                            constant(clampBound(*right)));
    first = max(first, zero);
    Value isSeen = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, first, seqQ);
    Value tile = arith::DivUIOp::create(builder, loc, first, br);
    begin = arith::SelectOp::create(builder, loc, isSeen, tile, end);
  }
  return {begin, end};
}

void KeysOutsideBuilder::buildInit() {
  write(splat(accType, 0.0f), accs);
  write(splat(rowType, 0.0f), sums);
  write(splat(rowType, -std::numeric_limits<float>::infinity()), maxima);
}

void KeysOutsideBuilder::buildStep(Value key0, Value keyView, Value valueView) {
  // As in fa-tile: the scale goes into the exponent if it may.
  float scale = op.getScaleOrDefault();
  bool scaleFirst = !(scale > 0.0f);
  Value query = buildView(op.getQuery(), head, row0, rows);
  Value acc = read(accs, accType), max = read(maxima, rowType),
        sum = read(sums, rowType);
  auto tileType = VectorType::get({schedule.getBr(), schedule.getBc()},
                                  builder.getF32Type());
  Value scores =
      ScoresOp::create(builder, loc, tileType, query, keyView,
                       builder.getF32FloatAttr(scaleFirst ? scale : 1.0f),
                       /*start=*/Value());
  scores = buildEdgeMask(builder, loc, geometry, scores, row0, key0);
  auto softmax = OnlineSoftmaxOp::create(
      builder, loc, tileType.clone(op.getElementType()), rowType, rowType,
      rowType, scores, max, sum,
      builder.getF32FloatAttr(scaleFirst ? 1.0f : scale),
      /*lazy=*/FloatAttr());
  acc = AccumulateOp::create(builder, loc, accType, softmax.getProbs(),
                             valueView, acc, softmax.getAlpha());
  write(acc, accs);
  write(softmax.getNewSum(), sums);
  write(softmax.getNewMax(), maxima);
}

void KeysOutsideBuilder::buildFinish() {
  float scale = op.getScaleOrDefault();
  auto finish =
      FinishOp::create(builder, loc, accType, rowType, read(accs, accType),
                       read(maxima, rowType), read(sums, rowType),
                       builder.getF32FloatAttr(scale > 0.0f ? scale : 1.0f));
  Value output = finish.getOutput();
  if (!op.getElementType().isF32())
    output = arith::TruncFOp::create(
        builder, loc, accType.clone(op.getElementType()), output);
  write(output, op.getOutput());
  if (Value lse = op.getLse())
    write(finish.getLse(), lse);
}

void KeysOutsideBuilder::build() {
  auto dim = [&](Value memref, int64_t index) -> Value {
    return memref::DimOp::create(builder, loc, memref, index);
  };
  batches = dim(op.getQuery(), 0);
  heads = dim(op.getQuery(), 1);
  seqQ = dim(op.getQuery(), 2);
  geometry = MaskGeometry::get(builder, loc, op.getMaskOrDefault(), seqQ,
                               dim(op.getKey(), 2), schedule.getBc());
  Value group = buildHeadGroup(builder, loc, heads, dim(op.getKey(), 1));
  constexpr int64_t kDynamic = ShapedType::kDynamic;
  accs = allocate("O", {kDynamic, kDynamic, kDynamic, op.getHeadDimV()});
  maxima = allocate("m", {kDynamic, kDynamic, kDynamic});
  sums = allocate("l", {kDynamic, kDynamic, kDynamic});

  // The third loop runs once: a nest has loops over batch, head and blocks of
  // queries, of which there is one.
  scf::ForallOp forall = buildBlockLoops(
      builder, loc, {batches, heads, builder.getIndexAttr(1)}, op);
  for (Value buffer : {accs, maxima, sums})
    memref::DeallocOp::create(builder, loc, buffer);

  builder.setInsertionPointToStart(forall.getBody());
  batch = forall.getInductionVar(0);
  head = forall.getInductionVar(1);
  kvHead = arith::DivUIOp::create(builder, loc, head, group);
  Value zero = constant(0), one = constant(1), bc = constant(schedule.getBc());
  Value queryTiles = arith::CeilDivUIOp::create(builder, loc, seqQ,
                                                constant(schedule.getBr()));
  buildQueryLoop(zero, queryTiles, [&] { buildInit(); });
  Value keyTiles = arith::CeilDivUIOp::create(builder, loc, geometry.seqKV, bc);
  auto keyLoop = scf::ForOp::create(builder, loc, zero, keyTiles, one);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(keyLoop.getBody());
    Value key0 =
        arith::MulIOp::create(builder, loc, keyLoop.getInductionVar(), bc);
    Value keys =
        min(arith::SubIOp::create(builder, loc, geometry.seqKV, key0), bc);
    Value keyView = buildView(op.getKey(), kvHead, key0, keys);
    Value valueView = buildView(op.getValue(), kvHead, key0, keys);
    auto [begin, end] = buildQueryRange(key0, keys);
    buildQueryLoop(begin, end, [&] { buildStep(key0, keyView, valueView); });
  }
  buildQueryLoop(zero, queryTiles, [&] { buildFinish(); });
}

LogicalResult fa::buildKeysOutside(OpBuilder &builder, AttentionOp op) {
  if (op.hasScoreRegion() || op.hasMaskRegion())
    return op.emitOpError("expected no score or mask region with the loop over "
                          "keys outside");
  if (!op.getTargetAttr().isCPU())
    return op.emitOpError("expected the CPU as target with the loop over keys "
                          "outside but got ")
           << op.getTargetAttr().getChip();
  KeysOutsideBuilder(builder, op).build();
  return success();
}
