//===- TileBackward.cpp - fa.attention_backward to loop nests -------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds, for each fa.attention_backward, the steps
//
//   delta:  forall b, h, i:    delta_i = rowsum(dO_i * O_i) - dLSE_i
//
// and, with the design two_pass (Dao, FlashAttention-2, Algorithm 2, as two
// nests so that each gradient has one owner),
//
//   dq:     forall b, h, i:    dQ = 0;  for j: dQ += dS_ij K_j;  dQ_i = scale
//   dQ dkv:    forall b, hk, j:   dK, dV = 0
//                              for h of hk, i: dV += P_ij^T dO_i
//                                              dK += dS_ij^T Q_i
//                              dK_j = scale dK;  dV_j = dV
//
// or, with one_pass, where %acc is an f32 dQ for each of G splits,
//
//   dkv:    forall b, hk, g:   acc[g] = 0;  for j = g, g + G, ...:
//                              the same, and acc[g]_i += dS_ij K_j
//   dq:     forall b, h, i:    dQ_i = scale (acc[0]_i + ... + acc[G-1]_i)
//
// with S_ij = score(scale Q_i K_j^T), P_ij = exp(S_ij - LSE_i) and
// dS_ij = P_ij * (dO_i V_j^T - delta_i) * score'.
//
// The tiles of dkv are transposed, their rows are keys. Then dV and dK are
// fa.accumulate of P^T and dS^T as they stand, and LSE and delta are vectors
// over the columns.
//
//===----------------------------------------------------------------------===//

#include "TileNest.h"
#include "TileRegion.h"
#include "fa/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

namespace mlir::fa {
#define GEN_PASS_DEF_FATILEBACKWARDPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr double kLog2E = 1.44269504088896340736;

/// P and dS of a pair of tiles, f32.
struct PairTiles {
  Value probs, scoreGrad;
};

/// Builds the steps of one fa.attention_backward.
class BackwardBuilder {
public:
  BackwardBuilder(OpBuilder &builder, AttentionBackwardOp op)
      : builder(builder), loc(op.getLoc()), op(op),
        schedule(op.getScheduleAttr()), br(schedule.getBr()),
        bc(schedule.getBc()) {}

  LogicalResult build();

private:
  void buildDelta();
  LogicalResult buildQueryGrad();
  LogicalResult buildKeyValueGrad();
  void buildQueryGradSum();

  /// dK and dV of the key tile `key0`, and with one_pass its part of dQ.
  LogicalResult buildKeyTile(Value key0, Value kvHead, Value accBatch);

  /// P and dS of queries from `query0` and keys from `key0`, with queries in
  /// the rows or, if `keysInRows`, keys. `minusLse` and `minusDelta` are tiles
  /// of that shape. `edge` masks the scores, and is null in a full tile.
  FailureOr<PairTiles> buildPair(Value queryView, Value keyView,
                                 Value outputGradView, Value valueView,
                                 Value minusLse, Value minusDelta, Value head,
                                 Value query0, Value key0, bool keysInRows,
                                 function_ref<Value(Value scores)> edge);

  /// -LSE of a query tile, -inf where LSE is -inf (no key is seen) and past the
  /// end: P = exp(S - LSE) is 0 there.
  Value buildMinusLse(Value head, Value query0, Value rows);
  /// -delta of a query tile, 0 past the end.
  Value buildMinusDelta(Value head, Value query0, Value rows);

  /// The parallel loops of a step over (batch, `heads`, `count`); the body is
  /// the insertion point then.
  scf::ForallOp buildStep(StringRef name, Value heads, Value count);

  // Short names for the ops on tiles.
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value dim(Value memref, int64_t number) {
    return memref::DimOp::create(builder, loc, memref, number);
  }
  VectorType vectorType(ArrayRef<int64_t> shape) {
    return VectorType::get(shape, builder.getF32Type());
  }
  Value splat(VectorType type, float value) {
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, value));
  }
  Value mul(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value scaled(Value tile, float factor) {
    return mul(tile, splat(cast<VectorType>(tile.getType()), factor));
  }
  /// `tile` in the element type of the problem.
  Value rounded(Value tile) {
    if (op.getElementType().isF32())
      return tile;
    auto type = cast<VectorType>(tile.getType());
    return arith::TruncFOp::create(builder, loc,
                                   type.clone(op.getElementType()), tile);
  }
  Value view(Value memref, Value batchIndex, Value head, Value first,
             Value rows, int64_t tile) {
    return buildTileView(builder, loc, memref, batchIndex, head, first, rows,
                         tile);
  }
  /// The first `tile` rows of `view`, as f32; `padding` past the end.
  Value load(Value view, int64_t tile, float padding = 0.0f);
  void store(Value tile, Value view) {
    buildTileStore(builder, loc, tile, view);
  }
  Value rowsLeft(Value length, Value first, int64_t tile) {
    Value left = arith::SubIOp::create(builder, loc, length, first);
    return arith::MinSIOp::create(builder, loc, index(tile), left);
  }
  Value tileCount(Value length, int64_t tile) {
    return arith::CeilDivUIOp::create(builder, loc, length, index(tile));
  }
  /// A loop that carries `init`; the body is the insertion point of `body`.
  SmallVector<Value> loop(Value begin, Value end, Value step, ValueRange init,
                          function_ref<SmallVector<Value>(Value, ValueRange)>);

  OpBuilder &builder;
  Location loc;
  AttentionBackwardOp op;
  ScheduleAttr schedule;
  int64_t br, bc;
  Value batches, heads, kvHeads, seqQ, seqKV, group;
  MaskGeometry geometry;
  Value delta;    // [B, Hq, Sq]
  Value queryAcc; // [G * B, Hq, Sq, D], null with two_pass
  Value batch;    // of this block
};
} // namespace

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

scf::ForallOp BackwardBuilder::buildStep(StringRef name, Value headCount,
                                         Value count) {
  scf::ForallOp forall =
      buildBlockLoops(builder, loc, {batches, headCount, count}, op);
  forall->setAttr(FADialect::getStepAttrName(), builder.getStringAttr(name));
  builder.setInsertionPointToStart(forall.getBody());
  batch = forall.getInductionVar(0);
  return forall;
}

Value BackwardBuilder::load(Value view, int64_t tile, float padding) {
  auto memref = cast<MemRefType>(view.getType());
  SmallVector<int64_t> shape(memref.getShape());
  shape[0] = tile;
  auto type = VectorType::get(shape, memref.getElementType());
  Value pad = arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(memref.getElementType(), padding));
  SmallVector<bool> inBounds(shape.size(), true);
  inBounds[0] = false;
  SmallVector<Value> origin(shape.size(), index(0));
  Value loaded = vector::TransferReadOp::create(builder, loc, type, view,
                                                origin, pad, inBounds);
  if (type.getElementType().isF32())
    return loaded;
  return arith::ExtFOp::create(builder, loc, vectorType(shape), loaded);
}

SmallVector<Value> BackwardBuilder::loop(
    Value begin, Value end, Value step, ValueRange init,
    function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(builder, loc, begin, end, step, init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!init.empty())
    scf::YieldOp::create(builder, loc, next);
  return SmallVector<Value>(loop.getResults());
}

Value BackwardBuilder::buildMinusLse(Value head, Value query0, Value rows) {
  Value lse = load(view(op.getLse(), batch, head, query0, rows, br), br, -kInf);
  auto type = cast<VectorType>(lse.getType());
  Value isEmpty = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                        lse, splat(type, -kInf));
  Value minusLse = arith::NegFOp::create(builder, loc, lse);
  return arith::SelectOp::create(builder, loc, isEmpty, splat(type, -kInf),
                                 minusLse);
}

Value BackwardBuilder::buildMinusDelta(Value head, Value query0, Value rows) {
  Value tile = load(view(delta, batch, head, query0, rows, br), br);
  return arith::NegFOp::create(builder, loc, tile);
}

FailureOr<PairTiles> BackwardBuilder::buildPair(
    Value queryView, Value keyView, Value outputGradView, Value valueView,
    Value minusLse, Value minusDelta, Value head, Value query0, Value key0,
    bool keysInRows, function_ref<Value(Value scores)> edge) {
  auto type = cast<VectorType>(minusLse.getType());
  // As in the forward nest: regions see scaled scores, and -inf times a scale
  // that is not positive would hide nothing.
  float scale = op.getScaleOrDefault();
  bool scaleFirst = op.hasScoreRegion() || !(scale > 0.0f);
  FloatAttr productScale = builder.getF32FloatAttr(scaleFirst ? scale : 1.0f);

  Value rows = keysInRows ? keyView : queryView;
  Value columns = keysInRows ? queryView : keyView;
  Value product = ScoresOp::create(builder, loc, type, rows, columns,
                                   productScale, /*start=*/Value());
  Value scores = product, derivative;
  if (op.hasScoreRegion() || op.hasMaskRegion()) {
    TilePosition position = buildTilePosition(
        builder, loc, op,
        {&op.getScoreRegion(), &op.getDerivativeRegion(), &op.getMaskRegion()},
        type.getShape(), batch, head, query0, key0, keysInRows,
        static_cast<bool>(edge));
    FailureOr<Value> changed = scores;
    if (op.hasScoreRegion()) {
      FailureOr<Value> slope = buildScoreRegion(
          builder, op.getDerivativeRegion(), product, position);
      changed =
          buildScoreRegion(builder, op.getScoreRegion(), product, position);
      if (failed(slope) || failed(changed))
        return failure();
      derivative = *slope;
    }
    if (op.hasMaskRegion())
      changed =
          buildMaskRegion(builder, op.getMaskRegion(), *changed, position);
    if (failed(changed))
      return failure();
    scores = *changed;
  }
  if (edge)
    scores = edge(scores);

  // P = exp(S - LSE): the difference is rounded once, and small where P is not.
  Value difference;
  if (scaleFirst)
    difference = arith::AddFOp::create(builder, loc, scores, minusLse);
  else
    difference =
        math::FmaOp::create(builder, loc, scores, splat(type, scale), minusLse);
  Value probs = math::Exp2Op::create(
      builder, loc, scaled(difference, static_cast<float>(kLog2E)));

  // dP - delta, by accumulators that start from -delta.
  Value gradRows = keysInRows ? valueView : outputGradView;
  Value gradColumns = keysInRows ? outputGradView : valueView;
  Value probsGrad = ScoresOp::create(builder, loc, type, gradRows, gradColumns,
                                     builder.getF32FloatAttr(1.0f), minusDelta);
  Value scoreGrad = mul(probs, probsGrad);
  if (derivative)
    scoreGrad = mul(scoreGrad, derivative);
  // Where a score may be -inf, dP and the derivative may be infinite or NaN.
  if (edge || op.hasScoreRegion() || op.hasMaskRegion()) {
    Value zero = splat(type, 0.0f);
    Value isHidden = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OEQ, probs, zero);
    scoreGrad =
        arith::SelectOp::create(builder, loc, isHidden, zero, scoreGrad);
  }
  return PairTiles{probs, scoreGrad};
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void BackwardBuilder::buildDelta() {
  OpBuilder::InsertionGuard guard(builder);
  scf::ForallOp step = buildStep("delta", heads, tileCount(seqQ, br));
  Value head = step.getInductionVar(1);
  Value query0 =
      arith::MulIOp::create(builder, loc, step.getInductionVar(2), index(br));
  Value rows = rowsLeft(seqQ, query0, br);
  auto loadRows = [&](Value memref) {
    return load(view(memref, batch, head, query0, rows, br), br);
  };
  Value products = mul(loadRows(op.getOutputGrad()), loadRows(op.getOutput()));
  Value sum = vector::MultiDimReductionOp::create(
      builder, loc, products, splat(vectorType({br}), 0.0f),
      SmallVector<bool>{false, true}, vector::CombiningKind::ADD);
  if (Value lseGrad = op.getLseGrad())
    sum = arith::SubFOp::create(builder, loc, sum, loadRows(lseGrad));
  store(sum, view(delta, batch, head, query0, rows, br));
}

/// The value of each row in every column of a tile.
static Value acrossColumns(OpBuilder &builder, Location loc, Value row,
                           VectorType tile) {
  auto columnType =
      VectorType::get({tile.getDimSize(0), 1}, tile.getElementType());
  Value column = vector::ShapeCastOp::create(builder, loc, columnType, row);
  return vector::BroadcastOp::create(builder, loc, tile, column);
}

LogicalResult BackwardBuilder::buildQueryGrad() {
  OpBuilder::InsertionGuard guard(builder);
  scf::ForallOp step = buildStep("dq", heads, tileCount(seqQ, br));
  Value head = step.getInductionVar(1);
  Value kvHead = arith::DivUIOp::create(builder, loc, head, group);
  Value query0 =
      arith::MulIOp::create(builder, loc, step.getInductionVar(2), index(br));
  Value rows = rowsLeft(seqQ, query0, br);
  Value queryView = view(op.getQuery(), batch, head, query0, rows, br);
  Value gradView = view(op.getOutputGrad(), batch, head, query0, rows, br);
  VectorType tileType = vectorType({br, bc});
  Value minusLse =
      acrossColumns(builder, loc, buildMinusLse(head, query0, rows), tileType);
  Value minusDelta = acrossColumns(
      builder, loc, buildMinusDelta(head, query0, rows), tileType);

  KeyRange range = buildKeyRange(builder, loc, geometry, query0, rows);
  FailureOr<SmallVector<Value>> sums = buildTileLoops(
      builder, loc, buildVisits(builder, loc, range), geometry,
      splat(vectorType({br, op.getHeadDim()}), 0.0f),
      [&](Value key0, Value keyRows, bool isEdge,
          ValueRange state) -> FailureOr<SmallVector<Value>> {
        Value keyView = view(op.getKey(), batch, kvHead, key0, keyRows, bc);
        Value valueView = view(op.getValue(), batch, kvHead, key0, keyRows, bc);
        auto hide = [&](Value scores) {
          return buildEdgeMask(builder, loc, geometry, scores, query0, key0);
        };
        FailureOr<PairTiles> pair =
            buildPair(queryView, keyView, gradView, valueView, minusLse,
                      minusDelta, head, query0, key0, /*keysInRows=*/false,
                      isEdge ? hide : function_ref<Value(Value)>());
        if (failed(pair))
          return failure();
        Value sum = AccumulateOp::create(builder, loc, state[0].getType(),
                                         rounded(pair->scoreGrad), keyView,
                                         state[0], /*alpha=*/Value());
        return SmallVector<Value>{sum};
      });
  if (failed(sums))
    return failure();
  store(rounded(scaled(sums->front(), op.getScaleOrDefault())),
        view(op.getQueryGrad(), batch, head, query0, rows, br));
  return success();
}

LogicalResult BackwardBuilder::buildKeyTile(Value key0, Value kvHead,
                                            Value accBatch) {
  Value keyRows = rowsLeft(seqKV, key0, bc);
  Value keyView = view(op.getKey(), batch, kvHead, key0, keyRows, bc);
  Value valueView = view(op.getValue(), batch, kvHead, key0, keyRows, bc);
  VectorType tileType = vectorType({bc, br});

  // The query tiles that see one of these keys. All are edge tiles if keys are
  // missing: exp(0 - LSE) of a missing key may be infinite.
  MaskGeometry queries = geometry.transpose(builder, loc, seqQ, br);
  KeyRange range = buildKeyRange(builder, loc, queries, key0, keyRows);
  Value isWhole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        keyRows, index(bc));
  range.fullEnd = arith::SelectOp::create(builder, loc, isWhole, range.fullEnd,
                                          range.fullBegin);
  Visits visits = buildVisits(builder, loc, range);

  LogicalResult status = success();
  Value firstHead = arith::MulIOp::create(builder, loc, kvHead, group);
  Value zeroK = splat(vectorType({bc, op.getHeadDim()}), 0.0f);
  Value zeroV = splat(vectorType({bc, op.getHeadDimV()}), 0.0f);
  auto buildHead = [&](Value number, ValueRange init) -> SmallVector<Value> {
    Value head = arith::AddIOp::create(builder, loc, firstHead, number);
    FailureOr<SmallVector<Value>> sums = buildTileLoops(
        builder, loc, visits, queries, init,
        [&](Value query0, Value rows, bool isEdge,
            ValueRange state) -> FailureOr<SmallVector<Value>> {
          Value queryView = view(op.getQuery(), batch, head, query0, rows, br);
          Value gradView =
              view(op.getOutputGrad(), batch, head, query0, rows, br);
          auto acrossRows = [&](Value column) -> Value {
            return vector::BroadcastOp::create(builder, loc, tileType, column);
          };
          auto hide = [&](Value scores) {
            return buildEdgeMask(builder, loc, queries, scores, key0, query0,
                                 keyRows);
          };
          FailureOr<PairTiles> pair =
              buildPair(queryView, keyView, gradView, valueView,
                        acrossRows(buildMinusLse(head, query0, rows)),
                        acrossRows(buildMinusDelta(head, query0, rows)), head,
                        query0, key0, /*keysInRows=*/true,
                        isEdge ? hide : function_ref<Value(Value)>());
          if (failed(pair))
            return failure();
          Value scoreGrad = rounded(pair->scoreGrad);
          Value valueGrad = AccumulateOp::create(
              builder, loc, state[1].getType(), rounded(pair->probs), gradView,
              state[1], /*alpha=*/Value());
          Value keyGrad = AccumulateOp::create(builder, loc, state[0].getType(),
                                               scoreGrad, queryView, state[0],
                                               /*alpha=*/Value());
          if (queryAcc) {
            Value accView = view(queryAcc, accBatch, head, query0, rows, br);
            Value old = load(accView, br);
            store(AccumulateOp::create(builder, loc, old.getType(), scoreGrad,
                                       keyView, old, /*alpha=*/Value(),
                                       /*transposed=*/true),
                  accView);
          }
          return SmallVector<Value>{keyGrad, valueGrad};
        });
    if (succeeded(sums))
      return *sums;
    status = failure();
    return SmallVector<Value>(init);
  };
  SmallVector<Value> sums =
      loop(index(0), group, index(1), {zeroK, zeroV}, buildHead);
  if (failed(status))
    return failure();
  store(rounded(scaled(sums[0], op.getScaleOrDefault())),
        view(op.getKeyGrad(), batch, kvHead, key0, keyRows, bc));
  store(rounded(sums[1]),
        view(op.getValueGrad(), batch, kvHead, key0, keyRows, bc));
  return success();
}

LogicalResult BackwardBuilder::buildKeyValueGrad() {
  OpBuilder::InsertionGuard guard(builder);
  if (!queryAcc) {
    scf::ForallOp step = buildStep("dkv", kvHeads, tileCount(seqKV, bc));
    Value key0 =
        arith::MulIOp::create(builder, loc, step.getInductionVar(2), index(bc));
    return buildKeyTile(key0, step.getInductionVar(1), Value());
  }

  int64_t splits = schedule.getSplits();
  scf::ForallOp step = buildStep("dkv", kvHeads, index(splits));
  Value kvHead = step.getInductionVar(1), split = step.getInductionVar(2);
  Value firstBatch = arith::MulIOp::create(builder, loc, split, batches);
  Value accBatch = arith::AddIOp::create(builder, loc, firstBatch, batch);

  Value zero = index(0), one = index(1);
  Value firstHead = arith::MulIOp::create(builder, loc, kvHead, group);
  Value endHead = arith::AddIOp::create(builder, loc, firstHead, group);
  loop(firstHead, endHead, one, {}, [&](Value head, ValueRange) {
    loop(zero, seqQ, index(br), {}, [&](Value query0, ValueRange) {
      store(splat(vectorType({br, op.getHeadDim()}), 0.0f),
            view(queryAcc, accBatch, head, query0, rowsLeft(seqQ, query0, br),
                 br));
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });

  LogicalResult status = success();
  Value begin = arith::MulIOp::create(builder, loc, split, index(bc));
  loop(begin, seqKV, index(splits * bc), {}, [&](Value key0, ValueRange) {
    status = buildKeyTile(key0, kvHead, accBatch);
    return SmallVector<Value>();
  });
  return status;
}

void BackwardBuilder::buildQueryGradSum() {
  OpBuilder::InsertionGuard guard(builder);
  scf::ForallOp step = buildStep("dq", heads, tileCount(seqQ, br));
  Value head = step.getInductionVar(1);
  Value query0 =
      arith::MulIOp::create(builder, loc, step.getInductionVar(2), index(br));
  Value rows = rowsLeft(seqQ, query0, br);
  Value sum;
  for (int64_t split = 0; split < schedule.getSplits(); ++split) {
    Value firstBatch =
        arith::MulIOp::create(builder, loc, index(split), batches);
    Value accBatch = arith::AddIOp::create(builder, loc, firstBatch, batch);
    Value part = load(view(queryAcc, accBatch, head, query0, rows, br), br);
    sum =
        sum ? arith::AddFOp::create(builder, loc, sum, part).getResult() : part;
  }
  store(rounded(scaled(sum, op.getScaleOrDefault())),
        view(op.getQueryGrad(), batch, head, query0, rows, br));
}

LogicalResult BackwardBuilder::build() {
  batches = dim(op.getQuery(), 0);
  heads = dim(op.getQuery(), 1);
  kvHeads = dim(op.getKey(), 1);
  seqQ = dim(op.getQuery(), 2);
  seqKV = dim(op.getKey(), 2);
  group = buildHeadGroup(builder, loc, heads, kvHeads);
  geometry =
      MaskGeometry::get(builder, loc, op.getMaskOrDefault(), seqQ, seqKV, bc);

  auto allocate = [&](ArrayRef<int64_t> shape, ValueRange sizes) -> Value {
    return memref::AllocOp::create(
        builder, loc, MemRefType::get(shape, builder.getF32Type()), sizes);
  };
  constexpr int64_t kDynamic = ShapedType::kDynamic;
  delta = allocate({kDynamic, kDynamic, kDynamic}, {batches, heads, seqQ});
  bool isOnePass = schedule.getBackward() == BackwardDesign::OnePass;
  if (isOnePass) {
    Value accBatches = arith::MulIOp::create(builder, loc, batches,
                                             index(schedule.getSplits()));
    queryAcc = allocate({kDynamic, kDynamic, kDynamic, op.getHeadDim()},
                        {accBatches, heads, seqQ});
  }

  buildDelta();
  if (!isOnePass && failed(buildQueryGrad()))
    return failure();
  if (failed(buildKeyValueGrad()))
    return failure();
  if (isOnePass)
    buildQueryGradSum();
  for (Value scratch : {queryAcc, delta})
    if (scratch)
      memref::DeallocOp::create(builder, loc, scratch);
  return success();
}

namespace {
struct TileBackward : public fa::impl::FATileBackwardPassBase<TileBackward> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](AttentionBackwardOp op) {
      return failed(tile(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  static LogicalResult tile(AttentionBackwardOp op) {
    if (op.isOnTensors())
      return op.emitOpError("expected memrefs but got tensors; run "
                            "fa-bufferize first");
    if (!op.getScheduleAttr() || !op.getTargetAttr())
      return op.emitOpError("expected a schedule and a target; run "
                            "fa-select-schedule first");
    if (op.hasScoreRegion() && !op.hasDerivativeRegion())
      return op.emitOpError("expected a derivative region beside the score "
                            "region; run fa-differentiate-score first");
    OpBuilder builder(op);
    if (failed(BackwardBuilder(builder, op).build()))
      return failure();
    op.erase();
    return success();
  }
};
} // namespace
