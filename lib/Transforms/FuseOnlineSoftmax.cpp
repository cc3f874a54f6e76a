//===- FuseOnlineSoftmax.cpp - Two passes over the keys to one ---------------===//
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

#include "fa/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAFUSEONLINESOFTMAXPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// The loops that are to be merged, pair by pair.
struct TwoPassSoftmax {
  Value max;                          // what the max loops find
  Value initialMax;                   // what they start from
  SmallVector<scf::ForOp> maxLoops;   // in program order
  SmallVector<SoftmaxOp> softmaxOps;  // in program order, one a sum loop
};
} // namespace

//===----------------------------------------------------------------------===//
// Preconditions
//===----------------------------------------------------------------------===//

static bool onlyReads(Operation &op) {
  if (isMemoryEffectFree(&op))
    return true;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  return interface && interface.onlyHasEffect<MemoryEffects::Read>();
}

/// The body of `loop` without its terminator only reads memory.
static bool bodyOnlyReads(scf::ForOp loop) {
  return llvm::all_of(loop.getBody()->without_terminator(), onlyReads);
}

/// `a`, computed in the body of `loopA`, is what `b` is in `loopB` in the
/// iteration of the same number.
static bool isSameInBothLoops(Value a, Value b, scf::ForOp loopA,
                              scf::ForOp loopB) {
  if (a == b)
    return true;
  if (a == loopA.getInductionVar() && b == loopB.getInductionVar())
    return true;
  Operation *opA = a.getDefiningOp(), *opB = b.getDefiningOp();
  if (!opA || !opB || opA->getBlock() != loopA.getBody() ||
      opB->getBlock() != loopB.getBody())
    return false;
  if (opA->getName() != opB->getName() ||
      opA->getNumOperands() != opB->getNumOperands() ||
      opA->getNumRegions() != 0 || opB->getNumRegions() != 0 ||
      opA->getAttrDictionary() != opB->getAttrDictionary() ||
      opA->getResultTypes() != opB->getResultTypes() ||
      cast<OpResult>(a).getResultNumber() !=
          cast<OpResult>(b).getResultNumber())
    return false;
  return llvm::all_of(
      llvm::zip_equal(opA->getOperands(), opB->getOperands()),
      [&](auto operands) {
        return isSameInBothLoops(std::get<0>(operands), std::get<1>(operands),
                                 loopA, loopB);
      });
}

/// If `loop` does nothing but reduce scores to their running maximum, returns
/// the scores.
static Value getReducedScores(scf::ForOp loop) {
  if (loop.getNumRegionIterArgs() != 1 || !bodyOnlyReads(loop))
    return {};
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  auto reduce =
      yield.getOperand(0).getDefiningOp<vector::MultiDimReductionOp>();
  if (!reduce || reduce.getKind() != vector::CombiningKind::MAXNUMF ||
      reduce.getAcc() != loop.getRegionIterArg(0) ||
      !reduce.isReducedDim(1) || reduce.isReducedDim(0))
    return {};
  return reduce.getSource();
}

/// The value that `loop` carries from `argument` to the next iteration, or
/// null if `argument` is not carried by it.
static Value getCarried(scf::ForOp loop, Value argument) {
  auto blockArgument = dyn_cast<BlockArgument>(argument);
  if (!blockArgument || blockArgument.getOwner() != loop.getBody() ||
      blockArgument == loop.getInductionVar())
    return {};
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  return yield.getOperand(blockArgument.getArgNumber() - 1);
}

/// l and O are carried by the loop, and are the only things made from P.
static LogicalResult verifySumLoop(SoftmaxOp softmax, scf::ForOp loop) {
  if (getCarried(loop, softmax.getSum()) != softmax.getNewSum() ||
      !softmax.getNewSum().hasOneUse() || !softmax.getSum().hasOneUse())
    return softmax.emitOpError(
        "expected the sum to be carried by the loop and used for nothing else");
  for (Operation *user : softmax.getProbs().getUsers()) {
    auto accumulate = dyn_cast<AccumulateOp>(user);
    if (!accumulate || accumulate.getAlpha() ||
        getCarried(loop, accumulate.getAcc()) != accumulate.getResult() ||
        !accumulate.getResult().hasOneUse() ||
        !accumulate.getAcc().hasOneUse()) {
      InFlightDiagnostic diag = softmax.emitOpError(
          "expected P to be used only by fa.accumulate ops without a rescale "
          "whose accumulator is carried by the loop and used for nothing else");
      diag.attachNote(user->getLoc()) << "see this use";
      return diag;
    }
  }
  return success();
}

/// The loops behind the maximum of `softmax`, and all ops that use it.
static FailureOr<TwoPassSoftmax> match(SoftmaxOp softmax) {
  TwoPassSoftmax result;
  result.max = softmax.getMax();

  // Max loops, from the last to the first.
  Value max = result.max;
  while (auto loop = max.getDefiningOp<scf::ForOp>()) {
    if (!getReducedScores(loop)) {
      InFlightDiagnostic diag = softmax.emitOpError(
          "expected the loop behind max to do nothing but reduce scores to "
          "their maximum along the rows");
      diag.attachNote(loop.getLoc()) << "see the loop";
      return diag;
    }
    result.maxLoops.push_back(loop);
    max = loop.getInitArgs()[0];
  }
  std::reverse(result.maxLoops.begin(), result.maxLoops.end());
  result.initialMax = max;
  DenseFPElementsAttr initial;
  if (result.maxLoops.empty() || !matchPattern(max, m_Constant(&initial)) ||
      !initial.isSplat() ||
      !initial.getSplatValue<APFloat>().isInfinity() ||
      !initial.getSplatValue<APFloat>().isNegative())
    return softmax.emitOpError("expected max to come from loops over key tiles "
                               "that start from -inf");

  // Sum loops, in program order.
  Block *block = result.maxLoops.front()->getBlock();
  for (Operation *user : result.max.getUsers()) {
    if (isa<FinishOp>(user))
      continue;
    auto other = dyn_cast<SoftmaxOp>(user);
    auto loop = other ? dyn_cast<scf::ForOp>(other->getParentOp()) : nullptr;
    if (!other || other.getMax() != result.max || !loop ||
        loop->getBlock() != block) {
      InFlightDiagnostic diag = softmax.emitOpError(
          "expected max to be used only by fa.finish, and by fa.softmax in "
          "loops beside those that find it");
      diag.attachNote(user->getLoc()) << "see this use";
      return diag;
    }
    if (failed(verifySumLoop(other, loop)))
      return failure();
    result.softmaxOps.push_back(other);
  }
  llvm::sort(result.softmaxOps, [](SoftmaxOp a, SoftmaxOp b) {
    return a->getParentOp()->isBeforeInBlock(b->getParentOp());
  });
  if (result.softmaxOps.size() != result.maxLoops.size())
    return softmax.emitOpError("expected as many loops that use max as loops "
                               "that find it, ")
           << result.maxLoops.size() << ", but got "
           << result.softmaxOps.size();

  // Pair by pair: the same tiles and the same scores.
  for (auto [maxLoop, op] :
       llvm::zip_equal(result.maxLoops, result.softmaxOps)) {
    auto sumLoop = cast<scf::ForOp>(op->getParentOp());
    auto fail = [&](const Twine &message) {
      InFlightDiagnostic diag = op.emitOpError(message);
      diag.attachNote(maxLoop.getLoc()) << "see the loop that finds max";
      return diag;
    };
    if (maxLoop.getLowerBound() != sumLoop.getLowerBound() ||
        maxLoop.getUpperBound() != sumLoop.getUpperBound() ||
        maxLoop.getStep() != sumLoop.getStep())
      return fail("expected the loop that finds max to run over the same tiles "
                  "as the loop that uses it");
    if (!bodyOnlyReads(sumLoop))
      return fail("expected the loop that uses max to write no memory");
    if (!isSameInBothLoops(getReducedScores(maxLoop), op.getScores(), maxLoop,
                           sumLoop))
      return fail("expected the scores to be those that the loop that finds "
                  "max reduces");
  }
  // Between the loops nothing may change what they read.
  Operation *last = result.softmaxOps.back()->getParentOp();
  for (Operation *op = result.maxLoops.front(); op != last;
       op = op->getNextNode())
    if (!isa<scf::ForOp>(op) && !onlyReads(*op))
      return softmax.emitOpError("expected no write to memory between the "
                                 "loops that find max and those that use it");
  return result;
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

/// Makes `loop` carry the maximum, starting from `max`, and returns the
/// maximum after it.
static Value fuseIntoLoop(RewriterBase &rewriter, SoftmaxOp softmax,
                          Value max) {
  auto loop = cast<scf::ForOp>(softmax->getParentOp());
  auto fuse = [&](OpBuilder &, Location,
                  ArrayRef<BlockArgument> added) -> SmallVector<Value> {
    rewriter.setInsertionPoint(softmax);
    auto online = OnlineSoftmaxOp::create(
        rewriter, softmax.getLoc(), softmax.getProbs().getType(),
        softmax.getMax().getType(), softmax.getSum().getType(),
        softmax.getSum().getType(), softmax.getScores(), added.front(),
        softmax.getSum(), softmax.getScaleAttr());
    for (Operation *user : softmax.getProbs().getUsers()) {
      auto accumulate = cast<AccumulateOp>(user);
      rewriter.modifyOpInPlace(accumulate, [&] {
        accumulate.getAlphaMutable().assign(online.getAlpha());
      });
    }
    rewriter.replaceOp(softmax, {online.getProbs(), online.getNewSum()});
    return {online.getNewMax()};
  };
  rewriter.setInsertionPoint(loop);
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, max, /*replaceInitOperandUsesInLoop=*/false, fuse);
  return replaced->getOperation()->getResults().back();
}

static void rewrite(RewriterBase &rewriter, TwoPassSoftmax &loops) {
  Value max = loops.initialMax;
  for (SoftmaxOp softmax : loops.softmaxOps)
    max = fuseIntoLoop(rewriter, softmax, max);
  rewriter.replaceAllUsesWith(loops.max, max);
  for (scf::ForOp loop : llvm::reverse(loops.maxLoops))
    rewriter.eraseOp(loop);
}

namespace {
struct FuseOnlineSoftmax
    : public fa::impl::FAFuseOnlineSoftmaxPassBase<FuseOnlineSoftmax> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Each maximum is dealt with once; fusing removes all its fa.softmax ops.
    llvm::SetVector<Value> maxima;
    getOperation().walk([&](SoftmaxOp op) { maxima.insert(op.getMax()); });
    for (Value max : maxima) {
      auto users = max.getUsers();
      auto softmax = llvm::find_if(
          users, [](Operation *user) { return isa<SoftmaxOp>(user); });
      FailureOr<TwoPassSoftmax> loops = match(cast<SoftmaxOp>(*softmax));
      if (failed(loops))
        return signalPassFailure();
      rewrite(rewriter, *loops);
    }
  }
};
} // namespace
