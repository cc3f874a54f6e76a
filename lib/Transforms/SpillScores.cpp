//===- SpillScores.cpp - S and P in memory: three kernels -----------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nest of two passes over the keys
//
//   m:     for j: S = Q_i K_j^T;  m = max(m, rowmax(S))
//   l, O:  for j: S = Q_i K_j^T;  P = exp(S - m);  l += rowsum(P);  O += P V_j
//   O_i = O / l;  LSE_i = m + log(l)
//
// is taken apart to what attention is without FlashAttention:
//
//   scores   for j: S = Q_i K_j^T;  write S_ij
//   softmax  for j: read S_ij;  m = max(m, rowmax(S))
//            for j: read S_ij;  P = exp(S - m);  l += rowsum(P);  write P_ij
//            write l_i;  LSE_i = m + log(l)
//   output   for j: read P_ij;  O += P V_j
//            read l_i;  O_i = O / l
//
// Each is a copy of the nest in which some tiles come from memory and others go
// there. What is then not needed any more does not change from iteration to
// iteration, and the canonicaliser removes it.
//
//===----------------------------------------------------------------------===//

#include "fa/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FASPILLSCORESPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// The three kernels, in the order in which they are run.
enum class Step { Scores, Softmax, Output };
constexpr StringLiteral stepNames[] = {"scores", "softmax", "output"};

/// Makes one of the kernels of a copy of the nest.
class StepBuilder {
public:
  StepBuilder(func::FuncOp func, scf::ForallOp nest, Step step)
      : func(func), nest(nest), step(step), builder(func.getContext()) {}

  LogicalResult build();

private:
  LogicalResult rewriteMax(vector::MultiDimReductionOp max);
  LogicalResult rewriteSoftmax(SoftmaxOp softmax);
  void rewriteAccumulate(AccumulateOp accumulate);
  void rewriteFinish(FinishOp finish);

  /// The argument for S, P or l, which is made.
  Value addArgument(ArrayRef<int64_t> shape, Type element);
  /// The product Q_i K_j^T that `tile`, a value of the loop over key tiles, is
  /// made of.
  ScoresOp findScores(Value tile);
  /// S_ij or P_ij in `matrix`, for the i and j of the views that `scores`
  /// reads.
  FailureOr<Value> buildTileView(Value matrix, ScoresOp scores,
                                 int64_t columns);
  Value read(Value view, VectorType type);
  void write(Value tile, Value view);

  func::FuncOp func;
  scf::ForallOp nest;
  Step step;
  OpBuilder builder;
  Value scoresMatrix, probsMatrix, sums; // S, P and l in memory
  memref::SubViewOp queryView;           // of Q_i
};
} // namespace

Value StepBuilder::addArgument(ArrayRef<int64_t> shape, Type element) {
  SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
  strides.back() = 1;
  auto layout = StridedLayoutAttr::get(builder.getContext(),
                                       ShapedType::kDynamic, strides);
  auto type = MemRefType::get(shape, element, layout);
  FunctionType old = func.getFunctionType();
  SmallVector<Type> inputs(old.getInputs());
  inputs.push_back(type);
  func.setFunctionType(builder.getFunctionType(inputs, old.getResults()));
  return func.front().addArgument(type, func.getLoc());
}

ScoresOp StepBuilder::findScores(Value tile) {
  SmallVector<Value> worklist{tile};
  DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(value).second)
      continue;
    if (auto scores = dyn_cast<ScoresOp>(op))
      return scores;
    llvm::append_range(worklist, op->getOperands());
  }
  return {};
}

/// The view of a rank-4 memref that `operand` of a product is, or null.
static memref::SubViewOp getView(Value operand) {
  if (auto cast = operand.getDefiningOp<memref::CastOp>())
    operand = cast.getSource();
  auto view = operand.getDefiningOp<memref::SubViewOp>();
  if (view && view.getSourceType().getRank() == 4)
    return view;
  return {};
}

FailureOr<Value> StepBuilder::buildTileView(Value matrix, ScoresOp scores,
                                            int64_t columns) {
  memref::SubViewOp query = getView(scores.getQuery()),
                    key = getView(scores.getKey());
  if (!query || !key)
    return scores.emitOpError("expected views of Q and K as operands; run "
                              "fa-tile first, for a target without row groups");
  queryView = query;
  OpFoldResult one = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets = query.getMixedOffsets();
  offsets[3] = key.getMixedOffsets()[2];
  OpFoldResult rows = query.getMixedSizes()[2];
  SmallVector<OpFoldResult> sizes{one, one, rows,
                                  builder.getIndexAttr(columns)};
  SmallVector<OpFoldResult> strides(4, one);
  MemRefType type = memref::SubViewOp::inferRankReducedResultType(
      {query.getType().getDimSize(0), columns},
      cast<MemRefType>(matrix.getType()), offsets, sizes, strides);
  return Value(memref::SubViewOp::create(builder, scores.getLoc(), type, matrix,
                                         offsets, sizes, strides));
}

Value StepBuilder::read(Value view, VectorType type) {
  // Rows past the end are read as anything: they are not stored.
  Location loc = view.getLoc();
  SmallVector<Value> origin(type.getRank(),
                            arith::ConstantIndexOp::create(builder, loc, 0));
  SmallVector<bool> inBounds(type.getRank(), true);
  inBounds[0] = false;
  Value padding = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  return vector::TransferReadOp::create(builder, loc, type, view, origin,
                                        padding, ArrayRef<bool>(inBounds));
}

void StepBuilder::write(Value tile, Value view) {
  Location loc = tile.getLoc();
  int64_t rank = cast<VectorType>(tile.getType()).getRank();
  SmallVector<Value> origin(rank,
                            arith::ConstantIndexOp::create(builder, loc, 0));
  SmallVector<bool> inBounds(rank, true);
  inBounds[0] = false;
  vector::TransferWriteOp::create(builder, loc, tile, view, origin,
                                  ArrayRef<bool>(inBounds));
}

LogicalResult StepBuilder::rewriteMax(vector::MultiDimReductionOp max) {
  Value tile = max.getSource();
  ScoresOp scores = findScores(tile);
  if (!scores)
    return max.emitOpError("expected the maximum of scores");
  builder.setInsertionPoint(max);
  if (step != Step::Output) {
    VectorType type = max.getSourceVectorType();
    FailureOr<Value> view =
        buildTileView(scoresMatrix, scores, type.getDimSize(1));
    if (failed(view))
      return failure();
    if (step == Step::Softmax) {
      max.getSourceMutable().assign(read(*view, type));
      return success();
    }
    write(tile, *view);
  }
  max.getResult().replaceAllUsesWith(max.getAcc());
  max.erase();
  return success();
}

LogicalResult StepBuilder::rewriteSoftmax(SoftmaxOp softmax) {
  ScoresOp scores = findScores(softmax.getScores());
  if (!scores)
    return softmax.emitOpError("expected the softmax of scores");
  builder.setInsertionPointAfter(softmax);
  auto type = cast<VectorType>(softmax.getScores().getType());
  auto probsType = cast<VectorType>(softmax.getProbs().getType());
  if (step != Step::Scores) {
    FailureOr<Value> view =
        buildTileView(probsMatrix, scores, type.getDimSize(1));
    if (failed(view))
      return failure();
    if (step == Step::Softmax) {
      write(softmax.getProbs(), *view);
      builder.setInsertionPoint(softmax);
      view = buildTileView(scoresMatrix, scores, type.getDimSize(1));
      softmax.getScoresMutable().assign(read(*view, type));
      return success();
    }
    softmax.getProbs().replaceAllUsesWith(read(*view, probsType));
  }
  softmax.getNewSum().replaceAllUsesWith(softmax.getSum());
  if (softmax.getProbs().use_empty())
    softmax.erase();
  return success();
}

void StepBuilder::rewriteAccumulate(AccumulateOp accumulate) {
  if (step == Step::Output)
    return;
  accumulate.getResult().replaceAllUsesWith(accumulate.getAcc());
  accumulate.erase();
}

void StepBuilder::rewriteFinish(FinishOp finish) {
  if (step == Step::Scores)
    return;
  Location loc = finish.getLoc();
  builder.setInsertionPoint(finish);
  OpFoldResult one = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets = queryView.getMixedOffsets();
  SmallVector<OpFoldResult> sizes{one, one, queryView.getMixedSizes()[2]};
  offsets.pop_back();
  SmallVector<OpFoldResult> strides(3, one);
  MemRefType type = memref::SubViewOp::inferRankReducedResultType(
      {queryView.getType().getDimSize(0)}, cast<MemRefType>(sums.getType()),
      offsets, sizes, strides);
  Value view = memref::SubViewOp::create(builder, loc, type, sums, offsets,
                                         sizes, strides);
  auto rowType = cast<VectorType>(finish.getSum().getType());
  if (step == Step::Output) {
    // O needs no maximum, and LSE is there already.
    Value sum = read(view, rowType);
    finish.getSumMutable().assign(sum);
    finish.getMaxMutable().assign(sum);
    return;
  }
  write(finish.getSum(), view);
  // LSE needs no O: the narrowest that there is.
  auto accType =
      VectorType::get({rowType.getDimSize(0), 8}, builder.getF32Type());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(accType));
  auto lse =
      FinishOp::create(builder, loc, accType, rowType, zero, finish.getMax(),
                       finish.getSum(), finish.getScaleAttr());
  finish.getLse().replaceAllUsesWith(lse.getLse());
}

LogicalResult StepBuilder::build() {
  int64_t dynamic = ShapedType::kDynamic;
  auto problem =
      nest->getAttrOfType<DictionaryAttr>(FADialect::getProblemAttrName());
  SmallVector<SoftmaxOp> softmaxes;
  SmallVector<vector::MultiDimReductionOp> maxima;
  SmallVector<AccumulateOp> accumulates;
  SmallVector<FinishOp> finishes;
  SmallVector<vector::TransferWriteOp> stores;
  nest.walk([&](Operation *op) {
    if (auto softmax = dyn_cast<SoftmaxOp>(op))
      softmaxes.push_back(softmax);
    else if (auto max = dyn_cast<vector::MultiDimReductionOp>(op);
             max && max.getKind() == vector::CombiningKind::MAXNUMF)
      maxima.push_back(max);
    else if (auto accumulate = dyn_cast<AccumulateOp>(op))
      accumulates.push_back(accumulate);
    else if (auto finish = dyn_cast<FinishOp>(op))
      finishes.push_back(finish);
    else if (auto store = dyn_cast<vector::TransferWriteOp>(op))
      stores.push_back(store);
  });
  if (softmaxes.empty())
    return nest.emitOpError("expected a nest with two passes over the keys");
  auto probsType = cast<VectorType>(softmaxes[0].getProbs().getType());
  Type f32 = builder.getF32Type();
  scoresMatrix = addArgument({dynamic, dynamic, dynamic, dynamic}, f32);
  probsMatrix = addArgument({dynamic, dynamic, dynamic, dynamic},
                            probsType.getElementType());
  sums = addArgument({dynamic, dynamic, dynamic}, f32);

  // Of O and LSE, a kernel stores what it computes.
  for (vector::TransferWriteOp store : stores) {
    bool isOutput = store.getVectorType().getRank() == 2;
    if (step == Step::Scores || isOutput != (step == Step::Output))
      store.erase();
  }
  for (vector::MultiDimReductionOp max : maxima)
    if (failed(rewriteMax(max)))
      return failure();
  for (SoftmaxOp softmax : softmaxes)
    if (failed(rewriteSoftmax(softmax)))
      return failure();
  for (AccumulateOp accumulate : accumulates)
    rewriteAccumulate(accumulate);
  for (FinishOp finish : finishes)
    rewriteFinish(finish);

  // The caller brings the matrices, and runs the next kernel after this one.
  SmallVector<Attribute> arguments(
      problem.getAs<ArrayAttr>("arguments").getValue());
  for (StringRef name : {"S", "P", "l"})
    arguments.push_back(builder.getStringAttr(name));
  NamedAttrList info(problem);
  info.set("arguments", builder.getArrayAttr(arguments));
  if (step != Step::Output) {
    StringRef next = stepNames[static_cast<size_t>(step) + 1];
    StringRef base =
        func.getName().drop_back(stepNames[static_cast<size_t>(step)].size());
    info.set("next", builder.getStringAttr(base + next));
  }
  nest->setAttr(FADialect::getProblemAttrName(),
                info.getDictionary(builder.getContext()));
  return success();
}

/// The nest of `func`, if it has one that is for a GPU.
static scf::ForallOp findNest(func::FuncOp func) {
  scf::ForallOp nest;
  func.walk([&](scf::ForallOp forall) {
    if (forall->hasAttr(FADialect::getProblemAttrName()))
      nest = forall;
  });
  return nest;
}

namespace {
struct SpillScores : public fa::impl::FASpillScoresPassBase<SpillScores> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> funcs(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp func : funcs) {
      if (func.isDeclaration())
        continue;
      scf::ForallOp nest = findNest(func);
      auto target =
          nest ? nest->getAttrOfType<TargetAttr>(FADialect::getTargetAttrName())
               : TargetAttr();
      if (!target || target.isCPU() || target.isHopper()) {
        func.emitError("expected a loop nest for a GPU without row groups");
        return signalPassFailure();
      }
      auto schedule =
          nest->getAttrOfType<ScheduleAttr>(FADialect::getScheduleAttrName());
      // The caller pads the rows of S and P to a multiple of 64.
      if (!schedule || 64 % schedule.getBc() != 0) {
        nest.emitOpError("expected a schedule whose bc divides 64");
        return signalPassFailure();
      }
      if (failed(split(func)))
        return signalPassFailure();
    }
  }

private:
  static LogicalResult split(func::FuncOp func) {
    OpBuilder builder(func);
    for (Step step : {Step::Scores, Step::Softmax, Step::Output}) {
      auto copy = cast<func::FuncOp>(builder.clone(*func));
      copy.setName(
          (func.getName() + "_" + stepNames[static_cast<size_t>(step)]).str());
      if (failed(StepBuilder(copy, findNest(copy), step).build()))
        return failure();
    }
    func.erase();
    return success();
  }
};
} // namespace
