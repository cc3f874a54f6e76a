//===- Tile.cpp - fa.attention to the loop nest ---------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds, for each fa.attention,
//
//   forall b, h, i:                           (batch, head, query tile)
//     m = -inf;      for j in edge, full tiles: m = max(m, rowmax(S_ij))
//     l = 0, O = 0;  for j in edge, full tiles: P_ij = exp(S_ij - m)
//                                               l += rowsum(P_ij)
//                                               O += P_ij V_j
//     O_i = O / l;   LSE_i = m + log(l)
//
// with S_ij = score(Q_i K_j^T), masked in edge tiles only. Which tiles are
// visited, and which of them are edge tiles, is in KeyRange.cpp; the regions
// are applied in TileRegion.cpp, a where region in edge tiles only if it is one
// interval of keys for each query (MaskBounds.h).
//
// Queries are not peeled: the last query tile is a memref with fewer rows, read
// once, and its missing rows are computed on zeros and not stored.
//
//===----------------------------------------------------------------------===//

#include "KeyRange.h"
#include "TileKeysOutside.h"
#include "TileRegion.h"
#include "fa/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>

namespace mlir::fa {
#define GEN_PASS_DEF_FATILEPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Builds the loop nest of one fa.attention. The members are the values that
/// are in scope at the current insertion point, outermost first.
class NestBuilder {
public:
  NestBuilder(OpBuilder &builder, AttentionOp op)
      : builder(builder), loc(op.getLoc()), op(op),
        schedule(op.getScheduleAttr()),
        geometry{op.getMaskOrDefault(), Value(), Value(), schedule.getBc()} {
    if (!op.hasMaskRegion())
      return;
    geometry.whereRegion = &op.getMaskRegion();
    geometry.where = analyzeMask(op.getMaskRegion());
  }

  LogicalResult build();

private:
  /// The body of the parallel loops: one query tile, row group by row group.
  LogicalResult buildQueryTile(Value queryTile);

  /// Where the loops of a row group begin and end.
  struct Visits {
    Value begin, edges, end;
    /// The number of the tile of visit t, in the loop over edge tiles or in
    /// that over full ones.
    std::function<Value(Value t)> edgeTile, fullTile;
  };

  /// The visits of the key tiles `range` of the block by the rows of this
  /// group, whose own tiles are `own`.
  Visits buildVisits(const KeyRange &range, const KeyRange &own);

  /// The rows of one group, or the whole query tile if there is one group.
  LogicalResult buildRowGroup(const Visits &visits);

  /// Runs `body(key0, rows, isEdge, state)` over the visited key tiles, edge
  /// tiles first, and returns the state after the last.
  using TileBody = function_ref<FailureOr<SmallVector<Value>>(
      Value key0, Value rows, bool isEdge, ValueRange state)>;
  FailureOr<SmallVector<Value>> buildKeyLoops(const Visits &visits,
                                              ValueRange init, TileBody body);

  /// S_ij after the score region and, in an edge tile, the mask.
  FailureOr<Value> buildScores(Value key0, Value rows, bool isEdge);

  void reportBounds();

  /// Rows [row0, row0 + rows) of one head of a rank-4 or rank-3 memref; a
  /// null `rows` stands for B_c rows.
  Value buildTileView(Value memref, Value head, Value row0, Value rows);

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value constantVector(VectorType type, APFloat value) {
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, value));
  }
  bool hasTableReads(Region &region) {
    return !region.getOps<memref::LoadOp>().empty();
  }

  OpBuilder &builder;
  Location loc;
  AttentionOp op;
  ScheduleAttr schedule;
  MaskGeometry geometry;
  Value seqQ, group;
  Value batch, head, kvHead;   // of this block
  Value row0, rows, queryView; // of this query tile, then of the row group
};
} // namespace

Value NestBuilder::buildTileView(Value memref, Value headIndex, Value first,
                                 Value rowCount) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> offsets{batch, headIndex, first};
  OpFoldResult one = builder.getIndexAttr(1);
  OpFoldResult size = rowCount ? OpFoldResult(rowCount)
                               : builder.getIndexAttr(schedule.getBc());
  SmallVector<OpFoldResult> sizes{one, one, size};
  SmallVector<int64_t> shape{rowCount ? ShapedType::kDynamic
                                      : schedule.getBc()};
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

FailureOr<Value> NestBuilder::buildScores(Value key0, Value keyRows,
                                          bool isEdge) {
  // exp takes the scale into its FMA (`scale` of the softmax ops) unless the
  // region must see scaled scores, or the scale would turn the order around.
  bool scaleFirst = op.hasScoreRegion() || !(op.getScaleOrDefault() > 0.0f);
  Value keyView = buildTileView(op.getKey(), kvHead, key0, keyRows);
  auto tileType = VectorType::get({schedule.getGroupRows(), schedule.getBc()},
                                  builder.getF32Type());
  Value scores = ScoresOp::create(
      builder, loc, tileType, queryView, keyView,
      builder.getF32FloatAttr(scaleFirst ? op.getScaleOrDefault() : 1.0f));

  bool needsWhere =
      op.hasMaskRegion() && (isEdge || geometry.needsWhereInFullTiles());
  if (op.hasScoreRegion() || needsWhere) {
    // Rows and keys past the end exist in the tile, but not in a table: there
    // the regions see the last one, and the result is dropped.
    bool readsTables = hasTableReads(op.getScoreRegion()) ||
                       (needsWhere && hasTableReads(op.getMaskRegion()));
    VectorType indexTile = tileType.clone(builder.getIndexType());
    Value i = buildRowPositions(builder, loc, indexTile, row0,
                                readsTables ? seqQ : Value());
    Value j =
        buildKeyPositions(builder, loc, indexTile, key0,
                          readsTables && isEdge ? geometry.seqKV : Value());
    if (op.hasScoreRegion()) {
      FailureOr<Value> changed =
          buildOnTile(builder, op.getScoreRegion(), {scores, batch, head, i, j},
                      tileType.getShape());
      if (failed(changed))
        return failure();
      scores = *changed;
    }
    if (needsWhere) {
      FailureOr<Value> visible =
          buildOnTile(builder, op.getMaskRegion(), {batch, head, i, j},
                      tileType.getShape());
      if (failed(visible))
        return failure();
      scores = buildHide(builder, loc, scores, *visible);
    }
  }
  if (isEdge)
    scores = buildEdgeMask(builder, loc, geometry, scores, row0, key0);
  return scores;
}

NestBuilder::Visits NestBuilder::buildVisits(const KeyRange &range,
                                             const KeyRange &own) {
  auto add = [this](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, loc, a, b);
  };
  auto sub = [this](Value a, Value b) -> Value {
    return arith::SubIOp::create(builder, loc, a, b);
  };
  auto min = [this](Value a, Value b) -> Value {
    return arith::MinSIOp::create(builder, loc, a, b);
  };
  auto max = [this](Value a, Value b) -> Value {
    return arith::MaxSIOp::create(builder, loc, a, b);
  };
  Value zero = constant(0), one = constant(1);
  // Products that overlap have their first visit outside the loops, an edge
  // tile, be it that nothing of it is hidden or all.
  bool overlaps = schedule.getOverlap();
  Value end = overlaps ? max(range.end, one) : range.end;
  Value last = sub(end, one);
  auto fromLast = [=](Value t) { return sub(last, t); };

  // The tiles at the end that no row of this group sees.
  Value skipped = zero;
  bool maySkip = schedule.getGroups() > 1 && geometry.mask.getRightBound();
  if (maySkip)
    skipped = max(sub(end, own.end), zero);

  // From the last tile down: edge tiles, then full ones.
  if (range.begin == range.fullBegin) {
    if (maySkip && overlaps)
      skipped = min(skipped, last);
    Value edges = sub(end, own.fullEnd);
    if (overlaps)
      edges = max(edges, add(skipped, one));
    else if (maySkip)
      edges = max(edges, skipped);
    return {skipped, edges, end, fromLast, fromLast};
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
  auto edgeTile = [=, this](Value t) -> Value {
    Value isAfter = arith::CmpIOp::create(builder, loc,
                                          arith::CmpIPredicate::slt, t, after);
    Value number = fromLast(t);
    return arith::SelectOp::create(builder, loc, isAfter, number,
                                   sub(number, full));
  };
  auto fullTile = [=](Value t) { return sub(fullLast, t); };
  return {skipped, edges, add(edges, full), edgeTile, fullTile};
}

FailureOr<SmallVector<Value>> NestBuilder::buildKeyLoops(const Visits &visits,
                                                         ValueRange init,
                                                         TileBody body) {
  Value one = constant(1);
  LogicalResult status = success();
  auto buildLoop = [&](Value begin, Value end, bool isEdge, ValueRange state,
                       const std::function<Value(Value)> &tileNumber) {
    auto loop = scf::ForOp::create(builder, loc, begin, end, one, state);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value bc = constant(schedule.getBc());
    Value key0 = arith::MulIOp::create(builder, loc,
                                       tileNumber(loop.getInductionVar()), bc);
    Value keyRows;
    if (isEdge) {
      Value left = arith::SubIOp::create(builder, loc, geometry.seqKV, key0);
      keyRows = arith::MinSIOp::create(builder, loc, bc, left);
      if (schedule.getOverlap()) // a tile that nobody sees may lie past the end
        keyRows = arith::MaxSIOp::create(builder, loc, keyRows, constant(0));
    }
    FailureOr<SmallVector<Value>> next =
        body(key0, keyRows, isEdge, loop.getRegionIterArgs());
    if (failed(next)) {
      status = failure();
      next = SmallVector<Value>(loop.getRegionIterArgs());
    }
    scf::YieldOp::create(builder, loc, *next);
    return SmallVector<Value>(loop.getResults());
  };

  // Both loops count the visits of the block, t = 0, 1, ...
  SmallVector<Value> state = buildLoop(visits.begin, visits.edges,
                                       /*isEdge=*/true, init, visits.edgeTile);
  state = buildLoop(visits.edges, visits.end, /*isEdge=*/false, state,
                    visits.fullTile);
  if (failed(status))
    return failure();
  return state;
}

LogicalResult NestBuilder::buildQueryTile(Value queryTile) {
  Value br = constant(schedule.getBr());
  row0 = arith::MulIOp::create(builder, loc, queryTile, br);
  rows = arith::MinSIOp::create(
      builder, loc, br, arith::SubIOp::create(builder, loc, seqQ, row0));
  kvHead = arith::DivUIOp::create(builder, loc, head, group);
  queryView = buildTileView(op.getQuery(), head, row0, rows);
  KeyRange range = buildKeyRange(builder, loc, geometry, row0, rows);
  if (schedule.getGroups() == 1 && !op.getTargetAttr().isHopper())
    return buildRowGroup(buildVisits(range, range));

  // The groups share the key tiles that the block visits.
  Attribute groupMapping = gpu::GPUWarpgroupMappingAttr::get(
      builder.getContext(), gpu::MappingId::DimX);
  auto groups = scf::ForallOp::create(
      builder, loc,
      ArrayRef<OpFoldResult>{builder.getIndexAttr(schedule.getGroups())},
      /*outputs=*/ValueRange(), builder.getArrayAttr(groupMapping));
  builder.setInsertionPointToStart(groups.getBody());
  Value groupRows = constant(schedule.getGroupRows());
  Value offset =
      arith::MulIOp::create(builder, loc, groups.getInductionVar(0), groupRows);
  Value left = arith::MaxSIOp::create(
      builder, loc, arith::SubIOp::create(builder, loc, rows, offset),
      constant(0));
  rows = arith::MinSIOp::create(builder, loc, left, groupRows);
  row0 = arith::AddIOp::create(builder, loc, row0, offset);
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1),
               depth = builder.getIndexAttr(op.getHeadDim());
  queryView = memref::SubViewOp::create(
      builder, loc, queryView, ArrayRef<OpFoldResult>{offset, zero},
      ArrayRef<OpFoldResult>{rows, depth}, ArrayRef<OpFoldResult>{one, one});
  KeyRange own = schedule.getGroups() == 1
                     ? range
                     : buildKeyRange(builder, loc, geometry, row0, rows);
  return buildRowGroup(buildVisits(range, own));
}

LogicalResult NestBuilder::buildRowGroup(const Visits &visits) {
  float scale = op.getScaleOrDefault();
  bool scaleFirst = op.hasScoreRegion() || !(scale > 0.0f);
  FloatAttr softmaxScale = builder.getF32FloatAttr(scaleFirst ? 1.0f : scale);
  auto rowType =
      VectorType::get({schedule.getGroupRows()}, builder.getF32Type());
  auto accType = VectorType::get({schedule.getGroupRows(), op.getHeadDimV()},
                                 builder.getF32Type());
  auto probType = VectorType::get({schedule.getGroupRows(), schedule.getBc()},
                                  op.getElementType());
  APFloat zero = APFloat::getZero(APFloat::IEEEsingle());
  APFloat minusInf = APFloat::getInf(APFloat::IEEEsingle(), /*Negative=*/true);

  // First pass: m.
  FailureOr<SmallVector<Value>> maxState = buildKeyLoops(
      visits, constantVector(rowType, minusInf),
      [&](Value key0, Value keyRows, bool isEdge,
          ValueRange state) -> FailureOr<SmallVector<Value>> {
        FailureOr<Value> scores = buildScores(key0, keyRows, isEdge);
        if (failed(scores))
          return failure();
        Value max = vector::MultiDimReductionOp::create(
            builder, loc, *scores, state[0], SmallVector<bool>{false, true},
            vector::CombiningKind::MAXNUMF);
        return SmallVector<Value>{max};
      });
  if (failed(maxState))
    return failure();
  Value max = maxState->front();

  // Second pass: l and O.
  FailureOr<SmallVector<Value>> sums = buildKeyLoops(
      visits, {constantVector(rowType, zero), constantVector(accType, zero)},
      [&](Value key0, Value keyRows, bool isEdge,
          ValueRange state) -> FailureOr<SmallVector<Value>> {
        FailureOr<Value> scores = buildScores(key0, keyRows, isEdge);
        if (failed(scores))
          return failure();
        auto softmax = SoftmaxOp::create(builder, loc, probType, rowType,
                                         *scores, max, state[0], softmaxScale);
        Value valueView = buildTileView(op.getValue(), kvHead, key0, keyRows);
        Value acc =
            AccumulateOp::create(builder, loc, accType, softmax.getProbs(),
                                 valueView, state[1], /*alpha=*/Value());
        return SmallVector<Value>{softmax.getNewSum(), acc};
      });
  if (failed(sums))
    return failure();

  auto finish = FinishOp::create(builder, loc, accType, rowType, (*sums)[1],
                                 max, (*sums)[0], softmaxScale);
  Value output = finish.getOutput();
  if (!op.getElementType().isF32())
    output = arith::TruncFOp::create(
        builder, loc, accType.clone(op.getElementType()), output);
  // Rows past the end are not stored.
  auto store = [&](Value vector, Value view, ArrayRef<bool> inBounds) {
    SmallVector<Value> origin(inBounds.size(), constant(0));
    vector::TransferWriteOp::create(builder, loc, vector, view, origin,
                                    inBounds);
  };
  store(output, buildTileView(op.getOutput(), head, row0, rows), {false, true});
  store(finish.getLse(), buildTileView(op.getLse(), head, row0, rows), {false});
  return success();
}

/// What a caller of the kernel must know of the problem.
static DictionaryAttr describeProblem(AttentionOp op) {
  Builder b(op.getContext());
  MaskAttr mask = op.getMaskOrDefault();
  std::string name = stringifyMaskKind(mask.getKind()).str();
  if (mask.getKind() == MaskKind::Window)
    name += llvm::formatv(":{0},{1}", mask.getLeft(), mask.getRight()).str();
  if (mask.getAlign() == MaskAlign::TopLeft)
    name += "-top-left";
  std::string element;
  llvm::raw_string_ostream(element) << op.getElementType();
  // What each argument of the function is, in order.
  SmallVector<Attribute> arguments;
  auto func = op->getParentOfType<func::FuncOp>();
  std::pair<Value, StringRef> tensors[] = {{op.getQuery(), "Q"},
                                           {op.getKey(), "K"},
                                           {op.getValue(), "V"},
                                           {op.getOutput(), "O"},
                                           {op.getLse(), "LSE"}};
  for (Value argument : func.getArguments()) {
    StringRef name = "";
    for (auto [tensor, tensorName] : tensors)
      if (tensor == argument)
        name = tensorName;
    arguments.push_back(b.getStringAttr(name));
  }
  return b.getDictionaryAttr(
      {b.getNamedAttr("arguments", b.getArrayAttr(arguments)),
       b.getNamedAttr("score_region", b.getBoolAttr(op.hasScoreRegion())),
       b.getNamedAttr("mask_region", b.getBoolAttr(op.hasMaskRegion())),
       b.getNamedAttr("dtype", b.getStringAttr(element)),
       b.getNamedAttr("head_dim", b.getI64IntegerAttr(op.getHeadDim())),
       b.getNamedAttr("head_dim_v", b.getI64IntegerAttr(op.getHeadDimV())),
       b.getNamedAttr("mask", b.getStringAttr(name)),
       b.getNamedAttr("scale", b.getF32FloatAttr(op.getScaleOrDefault()))});
}

/// Says which keys the where region was found to let through.
void NestBuilder::reportBounds() {
  std::string text;
  llvm::raw_string_ostream os(text);
  geometry.where.print(os);
  remark::analysis(loc,
                   remark::RemarkOpts::name("MaskBounds")
                       .category("schedule")
                       .function(op->getParentOfType<func::FuncOp>().getName()))
      << remark::add("query i sees {0}", text);
}

LogicalResult NestBuilder::build() {
  auto dim = [&](Value memref, int64_t index) -> Value {
    return memref::DimOp::create(builder, loc, memref, index);
  };
  if (geometry.whereRegion)
    reportBounds();
  Value batches = dim(op.getQuery(), 0), heads = dim(op.getQuery(), 1);
  seqQ = dim(op.getQuery(), 2);
  geometry.seqKV = dim(op.getKey(), 2);
  if (geometry.mask.getLeftBound() || geometry.mask.getRightBound())
    geometry.shift =
        geometry.mask.getAlign() == MaskAlign::TopLeft
            ? constant(0)
            : arith::SubIOp::create(builder, loc, geometry.seqKV, seqQ)
                  .getResult();
  // Query heads a key/value head. Without any head there is no block, and
  // nothing may be divided by zero on the way there.
  Value kvHeads =
      arith::MaxUIOp::create(builder, loc, dim(op.getKey(), 1), constant(1));
  group = arith::DivUIOp::create(builder, loc, heads, kvHeads);
  group = arith::MaxUIOp::create(builder, loc, group, constant(1));
  Value queryTiles = arith::CeilDivUIOp::create(builder, loc, seqQ,
                                                constant(schedule.getBr()));

  // Loops that are mapped to something are kept by the canonicaliser though
  // they run once: what the nest carries must not get lost.
  SmallVector<Attribute> mapping;
  for (gpu::MappingId id :
       {gpu::MappingId::DimZ, gpu::MappingId::DimY, gpu::MappingId::DimX})
    mapping.push_back(gpu::GPUBlockMappingAttr::get(builder.getContext(), id));
  auto forall = scf::ForallOp::create(
      builder, loc, ArrayRef<OpFoldResult>{batches, heads, queryTiles},
      /*outputs=*/ValueRange(), builder.getArrayAttr(mapping));
  forall->setAttr(FADialect::getScheduleAttrName(), schedule);
  forall->setAttr(FADialect::getTargetAttrName(), op.getTargetAttr());
  if (!op.getTargetAttr().isCPU())
    forall->setAttr(FADialect::getProblemAttrName(), describeProblem(op));
  builder.setInsertionPointToStart(forall.getBody());
  geometry.batch = batch = forall.getInductionVar(0);
  geometry.head = head = forall.getInductionVar(1);
  return buildQueryTile(forall.getInductionVar(2));
}

namespace {
struct Tile : public fa::impl::FATilePassBase<Tile> {
  using Base::Base;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](AttentionOp op) {
      return failed(tile(op, keysOutside)) ? WalkResult::interrupt()
                                           : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  static LogicalResult tile(AttentionOp op, bool keysOutside) {
    if (op.isOnTensors())
      return op.emitOpError("expected memrefs but got tensors; run "
                            "fa-bufferize first");
    if (!op.getScheduleAttr() || !op.getTargetAttr())
      return op.emitOpError("expected a schedule and a target; run "
                            "fa-select-schedule first");
    OpBuilder builder(op);
    if (failed(keysOutside ? buildKeysOutside(builder, op)
                           : NestBuilder(builder, op).build()))
      return failure();
    op.erase();
    return success();
  }
};
} // namespace
