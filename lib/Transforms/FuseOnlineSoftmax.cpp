//===- FuseOnlineSoftmax.cpp - Two passes over the keys to one ------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From
//
//   m = -inf;  for j: m = max(m, rowmax(S_j))                     (max loops)
//   l, O = 0;  for j: P, l = softmax(S_j, m, l); O = O + P V_j    (sum loops)
//
// to
//
//   m = -inf, l, O = 0
//   for j: P, m, l, alpha = online_softmax(S_j, m, l); O = alpha O + P V_j
//
// l and O are sums over j of terms with the factor exp(-m). A sum that was
// taken with the maximum m_old so far becomes the sum taken with m_new when it
// is multiplied by alpha = exp(m_old - m_new): after the last tile both are
// those of the final maximum. (Milakov and Gimelshein, 2018; FlashAttention,
// Algorithm 1.)
//
//===----------------------------------------------------------------------===//

#include "BodyComparison.h"
#include "fa/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAFUSEONLINESOFTMAXPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// A step of the first pass: a loop over key tiles that reduces their scores to
/// the row maximum or, where the loop ran once and was taken apart, that
/// reduction alone.
struct MaxStep {
  scf::ForOp loop; // null where there is no loop
  vector::MultiDimReductionOp reduce;

  Operation *getOp() { return loop ? loop.getOperation() : reduce; }
  Value getMaxBefore() {
    return loop ? loop.getInitArgs()[0] : reduce.getAcc();
  }
  Value getMaxAfter() { return getOp()->getResult(0); }
  Block *getBody() { return reduce->getBlock(); }
};

/// A step of the second pass: a loop over key tiles, or one tile.
struct SumStep {
  scf::ForOp loop; // null where there is no loop
  SoftmaxOp softmax;

  Operation *getOp() { return loop ? loop.getOperation() : softmax; }
  Block *getBody() { return softmax->getBlock(); }
};

/// A sum, l or O, before and after a step.
struct Sum {
  Value before, after;
};

/// The steps that are to be merged, pair by pair, in program order.
struct TwoPassSoftmax {
  SmallVector<MaxStep> maxSteps;
  SmallVector<SumStep> sumSteps;
};
} // namespace

//===----------------------------------------------------------------------===//
// Preconditions
//===----------------------------------------------------------------------===//

/// Whether all that `op` does to memory is to read it.
static bool onlyReads(Operation *op) {
  auto effects = getEffectsRecursively(op);
  return effects && llvm::all_of(*effects, [](auto &effect) {
           return isa<MemoryEffects::Read>(effect.getEffect());
         });
}

/// The maximum of each row of a tile and of what was found before.
static bool isRowMaximum(vector::MultiDimReductionOp reduce) {
  return reduce.getKind() == vector::CombiningKind::MAXNUMF &&
         reduce.getSourceVectorType().getRank() == 2 &&
         reduce.isReducedDim(1) && !reduce.isReducedDim(0);
}

/// If `loop` does nothing but reduce scores to their running maximum, returns
/// the reduction.
static vector::MultiDimReductionOp getOnlyReduction(scf::ForOp loop) {
  if (loop.getNumRegionIterArgs() != 1 || !onlyReads(loop))
    return {};
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  auto reduce =
      yield.getOperand(0).getDefiningOp<vector::MultiDimReductionOp>();
  if (!reduce || !isRowMaximum(reduce) ||
      reduce.getAcc() != loop.getRegionIterArg(0))
    return {};
  return reduce;
}

/// The steps behind the maximum that `softmax` uses, in program order, all in
/// one block.
static FailureOr<SmallVector<MaxStep>> findMaxSteps(SoftmaxOp softmax) {
  SmallVector<MaxStep> steps;
  Value max = softmax.getMax();
  while (Operation *op = max.getDefiningOp()) {
    if (!steps.empty() &&
        (op->getBlock() != steps.front().getOp()->getBlock() ||
         !max.hasOneUse()))
      break;
    auto loop = dyn_cast<scf::ForOp>(op);
    auto reduce = dyn_cast<vector::MultiDimReductionOp>(op);
    if (loop && !(reduce = getOnlyReduction(loop))) {
      InFlightDiagnostic diag = softmax.emitOpError(
          "expected the loop behind max to do nothing but reduce scores to "
          "their maximum along the rows");
      diag.attachNote(loop.getLoc()) << "see the loop";
      return diag;
    }
    if (!reduce || !isRowMaximum(reduce))
      break;
    steps.push_back({loop, reduce});
    max = steps.back().getMaxBefore();
  }
  std::reverse(steps.begin(), steps.end());
  DenseFPElementsAttr initial;
  if (steps.empty() || !matchPattern(max, m_Constant(&initial)) ||
      !initial.isSplat() || !initial.getSplatValue<APFloat>().isInfinity() ||
      !initial.getSplatValue<APFloat>().isNegative())
    return softmax.emitOpError(
        "expected max to come from loops over key tiles, each of which goes on "
        "with the maximum of the one before, that start from -inf");
  return steps;
}

/// The steps that use `max`, in program order, all in `block`.
static FailureOr<SmallVector<SumStep>> findSumSteps(SoftmaxOp softmax,
                                                    Value max, Block *block) {
  auto reject = [&](Operation *user) {
    InFlightDiagnostic diag = softmax.emitOpError(
        "expected max to be used only by one fa.softmax in each of the loops "
        "beside those that find it, and by fa.finish after them");
    diag.attachNote(user->getLoc()) << "see this use";
    return diag;
  };
  SmallVector<SumStep> steps;
  SmallVector<Operation *> others;
  for (Operation *user : max.getUsers()) {
    auto op = dyn_cast<SoftmaxOp>(user);
    if (!op) {
      others.push_back(user);
      continue;
    }
    SumStep step{dyn_cast<scf::ForOp>(op->getParentOp()), op};
    if (op->getBlock() == block)
      step.loop = nullptr;
    if (op.getMax() != max || step.getOp()->getBlock() != block)
      return reject(op);
    steps.push_back(step);
  }
  llvm::sort(steps, [](SumStep a, SumStep b) {
    return a.getOp() == b.getOp() ? a.softmax->isBeforeInBlock(b.softmax)
                                  : a.getOp()->isBeforeInBlock(b.getOp());
  });
  for (size_t i = 1; i < steps.size(); ++i)
    if (steps[i - 1].getOp() == steps[i].getOp())
      return reject(steps[i].softmax);
  for (Operation *user : others) {
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    if (!isa<FinishOp>(user) || !ancestor ||
        !steps.back().getOp()->isBeforeInBlock(ancestor))
      return reject(user);
  }
  return steps;
}

/// A sum that `step` takes from `before` to `after`, in the loop if there is
/// one, and that nothing else in the loop uses; null values otherwise.
static Sum getCarriedSum(SumStep &step, Value before, Value after) {
  if (!step.loop)
    return {before, after};
  auto argument = dyn_cast<BlockArgument>(before);
  if (!argument || argument.getOwner() != step.getBody() ||
      argument == step.loop.getInductionVar() || !before.hasOneUse() ||
      !after.hasOneUse())
    return {};
  unsigned index = argument.getArgNumber() - 1;
  auto yield = cast<scf::YieldOp>(step.getBody()->getTerminator());
  if (yield.getOperand(index) != after)
    return {};
  return {step.loop.getInitArgs()[index], step.loop.getResult(index)};
}

/// l, and O of each fa.accumulate of P: all that is made from m in `step`.
static FailureOr<SmallVector<Sum>> getSums(SumStep &step) {
  SoftmaxOp softmax = step.softmax;
  SmallVector<Sum> sums{
      getCarriedSum(step, softmax.getSum(), softmax.getNewSum())};
  if (!sums.front().before)
    return softmax.emitOpError(
        "expected the sum to be carried by the loop and used for nothing else");
  for (Operation *user : softmax.getProbs().getUsers()) {
    auto accumulate = dyn_cast<AccumulateOp>(user);
    Sum sum;
    if (accumulate && accumulate->getBlock() == step.getBody() &&
        !accumulate.getAlpha() && accumulate.getValue() != softmax.getProbs())
      sum = getCarriedSum(step, accumulate.getAcc(), accumulate.getResult());
    if (!sum.before) {
      InFlightDiagnostic diag = softmax.emitOpError(
          "expected P to be used only by fa.accumulate ops without a rescale "
          "whose accumulator is carried by the loop and used for nothing else");
      diag.attachNote(user->getLoc()) << "see this use";
      return diag;
    }
    sums.push_back(sum);
  }
  return sums;
}

/// The sums start from 0, and each step goes on with those of the one before,
/// so that it can rescale them.
static LogicalResult verifySums(MutableArrayRef<SumStep> steps) {
  SmallVector<Sum> last;
  for (SumStep &step : steps) {
    FailureOr<SmallVector<Sum>> sums = getSums(step);
    if (failed(sums))
      return failure();
    unsigned goneOn = 0;
    for (Sum sum : *sums) {
      bool goesOn = llvm::any_of(last, [&](Sum previous) {
        return previous.after == sum.before && previous.after.hasOneUse();
      });
      goneOn += goesOn;
      if (!goesOn && !matchPattern(sum.before, m_AnyZeroFloat()))
        return step.softmax.emitOpError(
            "expected sums that start from 0, or go on from the loop before");
    }
    if (goneOn != last.size())
      return step.softmax.emitOpError("expected all sums of the loop before to "
                                      "go on, and to be used for nothing else");
    last = *sums;
  }
  return success();
}

/// The two steps run over the same tiles and make the same scores of them.
static LogicalResult verifyPair(MaxStep &maxStep, SumStep &sumStep) {
  auto fail = [&](const Twine &message) {
    InFlightDiagnostic diag = sumStep.softmax.emitOpError(message);
    diag.attachNote(maxStep.getOp()->getLoc()) << "see the loop that finds max";
    return diag;
  };
  scf::ForOp a = maxStep.loop, b = sumStep.loop;
  if (!a != !b || (a && (a.getLowerBound() != b.getLowerBound() ||
                         a.getUpperBound() != b.getUpperBound() ||
                         a.getStep() != b.getStep())))
    return fail("expected the loop that finds max to run over the same tiles "
                "as the loop that uses it");
  if (!BodyComparison(maxStep.getBody(), sumStep.getBody())
           .isSame(maxStep.reduce.getSource(), sumStep.softmax.getScores()))
    return fail("expected the scores to be those that the loop that finds "
                "max reduces");
  return success();
}

/// The steps behind the maximum of `softmax`, and all that use it.
static FailureOr<TwoPassSoftmax> match(SoftmaxOp softmax) {
  FailureOr<SmallVector<MaxStep>> maxSteps = findMaxSteps(softmax);
  if (failed(maxSteps))
    return failure();
  Block *block = maxSteps->front().getOp()->getBlock();
  FailureOr<SmallVector<SumStep>> sumSteps =
      findSumSteps(softmax, softmax.getMax(), block);
  if (failed(sumSteps) || failed(verifySums(*sumSteps)))
    return failure();
  if (sumSteps->size() != maxSteps->size())
    return softmax.emitOpError("expected as many loops that use max as loops "
                               "that find it, ")
           << maxSteps->size() << ", but got " << sumSteps->size();
  for (auto [maxStep, sumStep] : llvm::zip_equal(*maxSteps, *sumSteps))
    if (failed(verifyPair(maxStep, sumStep)))
      return failure();

  // From the first read to the last nothing may change what is read.
  Operation *end = sumSteps->back().getOp()->getNextNode();
  for (Operation *op = maxSteps->front().getOp(); op != end;
       op = op->getNextNode())
    if (!onlyReads(op)) {
      InFlightDiagnostic diag = softmax.emitOpError(
          "expected no write to memory from the loops that find max to those "
          "that use it");
      diag.attachNote(op->getLoc()) << "see the write here";
      return diag;
    }
  return TwoPassSoftmax{*maxSteps, *sumSteps};
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

/// fa.softmax to fa.online_softmax, which goes on from `max`; returns the new
/// maximum.
static Value makeOnline(RewriterBase &rewriter, SoftmaxOp softmax, Value max) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(softmax);
  auto online = OnlineSoftmaxOp::create(
      rewriter, softmax.getLoc(), softmax.getProbs().getType(),
      softmax.getMax().getType(), softmax.getSum().getType(),
      softmax.getSum().getType(), softmax.getScores(), max, softmax.getSum(),
      softmax.getScaleAttr(), /*lazy=*/FloatAttr());
  for (Operation *user : softmax.getProbs().getUsers()) {
    auto accumulate = cast<AccumulateOp>(user);
    rewriter.modifyOpInPlace(accumulate, [&] {
      accumulate.getAlphaMutable().assign(online.getAlpha());
    });
  }
  rewriter.replaceOp(softmax, {online.getProbs(), online.getNewSum()});
  return online.getNewMax();
}

/// Makes `step` carry the maximum, starting from `max`, and returns the maximum
/// after it.
static Value fuseIntoStep(RewriterBase &rewriter, SumStep &step, Value max) {
  if (!step.loop)
    return makeOnline(rewriter, step.softmax, max);
  auto fuse = [&](OpBuilder &, Location,
                  ArrayRef<BlockArgument> added) -> SmallVector<Value> {
    return {makeOnline(rewriter, step.softmax, added.front())};
  };
  rewriter.setInsertionPoint(step.loop);
  FailureOr<LoopLikeOpInterface> replaced =
      step.loop.replaceWithAdditionalYields(
          rewriter, max, /*replaceInitOperandUsesInLoop=*/false, fuse);
  return replaced->getOperation()->getResults().back();
}

static void rewrite(RewriterBase &rewriter, TwoPassSoftmax &loops) {
  Value max = loops.maxSteps.front().getMaxBefore();
  for (SumStep &step : loops.sumSteps)
    max = fuseIntoStep(rewriter, step, max);
  rewriter.replaceAllUsesWith(loops.maxSteps.back().getMaxAfter(), max);
  for (MaxStep &step : llvm::reverse(loops.maxSteps))
    rewriter.eraseOp(step.getOp());
}

namespace {
struct FuseOnlineSoftmax
    : public fa::impl::FAFuseOnlineSoftmaxPassBase<FuseOnlineSoftmax> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Each maximum is dealt with once; fusing removes all its fa.softmax ops.
    SmallVector<SoftmaxOp> firstUses;
    DenseSet<Value> maxima;
    getOperation().walk([&](SoftmaxOp op) {
      if (maxima.insert(op.getMax()).second)
        firstUses.push_back(op);
    });
    for (SoftmaxOp softmax : firstUses) {
      FailureOr<TwoPassSoftmax> loops = match(softmax);
      if (failed(loops))
        return signalPassFailure();
      rewrite(rewriter, *loops);
    }
  }
};
} // namespace
