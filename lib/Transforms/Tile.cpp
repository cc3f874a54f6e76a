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

#include "TileKeysOutside.h"
#include "TileNest.h"
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
        schedule(op.getScheduleAttr()) {}

  LogicalResult build();

private:
  /// The body of the parallel loops: one query tile, row group by row group.
  LogicalResult buildQueryTile(Value queryTile);

  /// The visits of the key tiles `range` of the block by the rows of this
  /// group, whose own tiles are `own`.
  Visits buildGroupVisits(const KeyRange &range, const KeyRange &own) {
    bool maySkip = schedule.getGroups() > 1 && geometry.right;
    return buildVisits(builder, loc, range, own, maySkip,
                       schedule.getOverlap());
  }

  /// The rows of one group, or the whole query tile if there is one group.
  LogicalResult buildRowGroup(const Visits &visits);

  /// S_ij after the score region and, in an edge tile, the mask.
  FailureOr<Value> buildScores(Value key0, Value rows, bool isEdge);

  void reportBounds();

  /// Rows [first, first + rows) of one head; a null `rows` stands for B_c rows.
  Value buildView(Value memref, Value headIndex, Value first, Value rowCount) {
    return buildTileView(builder, loc, memref, batch, headIndex, first,
                         rowCount, schedule.getBc());
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value constantVector(VectorType type, APFloat value) {
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, value));
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

FailureOr<Value> NestBuilder::buildScores(Value key0, Value keyRows,
                                          bool isEdge) {
  // exp takes the scale into its FMA (`scale` of the softmax ops) unless the
  // region must see scaled scores, or the scale would turn the order around.
  bool scaleFirst = op.hasScoreRegion() || !(op.getScaleOrDefault() > 0.0f);
  Value keyView = buildView(op.getKey(), kvHead, key0, keyRows);
  auto tileType = VectorType::get({schedule.getGroupRows(), schedule.getBc()},
                                  builder.getF32Type());
  Value scores = ScoresOp::create(
      builder, loc, tileType, queryView, keyView,
      builder.getF32FloatAttr(scaleFirst ? op.getScaleOrDefault() : 1.0f),
      /*start=*/Value());

  bool needsWhere =
      op.hasMaskRegion() && (isEdge || geometry.needsWhereInFullTiles());
  SmallVector<Region *, 2> regions;
  if (op.hasScoreRegion())
    regions.push_back(&op.getScoreRegion());
  if (needsWhere)
    regions.push_back(&op.getMaskRegion());
  if (!regions.empty()) {
    TilePosition position = buildTilePosition(
        builder, loc, op, regions, tileType.getShape(), batch, head, row0, key0,
        /*keysInRows=*/false, isEdge);
    FailureOr<Value> changed = scores;
    if (op.hasScoreRegion())
      changed =
          buildScoreRegion(builder, op.getScoreRegion(), scores, position);
    if (succeeded(changed) && needsWhere)
      changed =
          buildMaskRegion(builder, op.getMaskRegion(), *changed, position);
    if (failed(changed))
      return failure();
    scores = *changed;
  }
  if (isEdge)
    scores = buildEdgeMask(builder, loc, geometry, scores, row0, key0);
  return scores;
}

LogicalResult NestBuilder::buildQueryTile(Value queryTile) {
  Value br = constant(schedule.getBr());
  row0 = arith::MulIOp::create(builder, loc, queryTile, br);
  rows = arith::MinSIOp::create(
      builder, loc, br, arith::SubIOp::create(builder, loc, seqQ, row0));
  kvHead = arith::DivUIOp::create(builder, loc, head, group);
  queryView = buildView(op.getQuery(), head, row0, rows);
  KeyRange range = buildKeyRange(builder, loc, geometry, row0, rows);
  if (schedule.getGroups() == 1 && !op.getTargetAttr().isHopper())
    return buildRowGroup(buildGroupVisits(range, range));

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
  return buildRowGroup(buildGroupVisits(range, own));
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
  FailureOr<SmallVector<Value>> maxState = buildTileLoops(
      builder, loc, visits, geometry, constantVector(rowType, minusInf),
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
  FailureOr<SmallVector<Value>> sums = buildTileLoops(
      builder, loc, visits, geometry,
      {constantVector(rowType, zero), constantVector(accType, zero)},
      [&](Value key0, Value keyRows, bool isEdge,
          ValueRange state) -> FailureOr<SmallVector<Value>> {
        FailureOr<Value> scores = buildScores(key0, keyRows, isEdge);
        if (failed(scores))
          return failure();
        auto softmax = SoftmaxOp::create(builder, loc, probType, rowType,
                                         *scores, max, state[0], softmaxScale);
        Value valueView = buildView(op.getValue(), kvHead, key0, keyRows);
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
  buildTileStore(builder, loc, output,
                 buildView(op.getOutput(), head, row0, rows));
  if (Value lse = op.getLse())
    buildTileStore(builder, loc, finish.getLse(),
                   buildView(lse, head, row0, rows));
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
       b.getNamedAttr("lse", b.getBoolAttr(op.getLse() != nullptr)),
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
  Value batches = dim(op.getQuery(), 0), heads = dim(op.getQuery(), 1);
  seqQ = dim(op.getQuery(), 2);
  geometry = MaskGeometry::get(builder, loc, op.getMaskOrDefault(), seqQ,
                               dim(op.getKey(), 2), schedule.getBc());
  if (op.hasMaskRegion()) {
    geometry.whereRegion = &op.getMaskRegion();
    geometry.where = analyzeMask(op.getMaskRegion());
    reportBounds();
  }
  group = buildHeadGroup(builder, loc, heads, dim(op.getKey(), 1));
  Value queryTiles = arith::CeilDivUIOp::create(builder, loc, seqQ,
                                                constant(schedule.getBr()));

  scf::ForallOp forall =
      buildBlockLoops(builder, loc, {batches, heads, queryTiles}, op);
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
