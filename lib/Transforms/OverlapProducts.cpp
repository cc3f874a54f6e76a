//===- OverlapProducts.cpp - Q K^T of a tile with P V of the last --------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program of a row group, one key tile a visit,
//
//   for t in first ..: S = Q K_t^T; P, m, l, alpha = softmax(S)
//                      O = alpha O + P V_t
//
// in loops one after another, the first of which runs at least once, becomes
//
//   S = Q K_first^T; P, m, l = softmax(S)
//   for t in first + 1 ..:
//     S = Q K_t^T                   issued together with
//     O = O + P V_(t-1)
//     P, m, l, alpha = softmax(S)   while the second product runs
//     O = alpha O
//   O = O + P V_last
//
// (FlashAttention-3, Algorithm 2.) The softmax of visit t - 1 had its alpha
// applied to O before its product with V was added: the sums are the same.
//
// Positions in the rings are visits, so that the tile of V is the one at
// position t - 1. The producer loads in the order of use: K of visit t, then V
// of visit t - 1. In the order of the visits K would wait behind a stage of V
// that is let go half a visit later than its own.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/Passes.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAOVERLAPPRODUCTSPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// A loop over key tiles of the form above.
struct KeyLoop {
  scf::ForOp loop;
  ScoresOp scores;
  OnlineSoftmaxOp softmax;
  AccumulateOp accumulate;
  fagpu::AcquireOp acquireKey, acquireValue;
  unsigned acc; // which of the carried values O is

  static FailureOr<KeyLoop> match(scf::ForOp loop);
};

/// Rewrites the loops of one row group.
class Overlapper {
public:
  Overlapper(ArrayRef<KeyLoop> loops)
      : loops(loops), builder(loops.front().loop) {}

  void overlap();

private:
  /// Copies Q K^T of the visit `t` and what comes before it, then calls
  /// `issue`, then the release of K and the softmax. Maps the results.
  void buildScoresAndSoftmax(KeyLoop keys, Value t, ValueRange carried,
                             IRMapping &mapping, function_ref<void()> issue);
  /// O + P V of the visit `t`.
  Value buildAccumulate(KeyLoop keys, Value t, Value probs, Value acc);
  void buildRelease(KeyLoop keys, Value t);
  /// Puts the new loop in the place of `keys`; the values carried into it, and
  /// then those after it, P last.
  SmallVector<Value> buildLoop(KeyLoop keys, Value begin, ValueRange carried);

  ArrayRef<KeyLoop> loops;
  OpBuilder builder;
};
} // namespace

/// Whether `value` is `base` + `offset`.
static bool isPlus(Value value, Value base, int64_t offset) {
  Operation *op = value.getDefiningOp();
  APInt number;
  if (!op || !isa<arith::AddIOp, arith::SubIOp>(op) ||
      op->getOperand(0) != base ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&number)))
    return false;
  return (isa<arith::AddIOp>(op) ? number : -number).getSExtValue() == offset;
}

/// Whether the loop runs at least once, for bounds as fa-tile makes them: from
/// a constant to a greater one or max(.., greater one), from begin to
/// max(.., begin + 1), or from min(.., end - 1) to end.
static bool runsAtLeastOnce(scf::ForOp loop) {
  Value begin = loop.getLowerBound(), end = loop.getUpperBound();
  APInt first;
  bool isConstant = matchPattern(begin, m_ConstantInt(&first));
  auto isGreater = [&](Value value) {
    APInt number;
    return isPlus(value, begin, 1) ||
           (isConstant && matchPattern(value, m_ConstantInt(&number)) &&
            first.slt(number));
  };
  auto max = end.getDefiningOp<arith::MaxSIOp>();
  if (isGreater(end) || (max && llvm::any_of(max->getOperands(), isGreater)))
    return true;
  auto min = begin.getDefiningOp<arith::MinSIOp>();
  return min && llvm::any_of(min->getOperands(), [&](Value operand) {
           return isPlus(operand, end, -1);
         });
}

FailureOr<KeyLoop> KeyLoop::match(scf::ForOp loop) {
  KeyLoop keys;
  keys.loop = loop;
  Block *body = loop.getBody();
  auto findOne = [&](auto &op) {
    using OpType = std::remove_reference_t<decltype(op)>;
    auto ops = body->getOps<OpType>();
    if (!llvm::hasSingleElement(ops))
      return false;
    op = *ops.begin();
    return true;
  };
  auto fail = [&](const Twine &what) -> LogicalResult {
    return loop.emitOpError("expected ") << what << " to overlap products";
  };
  if (!matchPattern(loop.getStep(), m_One()))
    return fail("a step of 1");
  if (!findOne(keys.scores) || !findOne(keys.softmax) ||
      !findOne(keys.accumulate))
    return fail("one fa.scores, fa.online_softmax and fa.accumulate in a loop");
  keys.acquireKey = keys.scores.getKey().getDefiningOp<fagpu::AcquireOp>();
  keys.acquireValue =
      keys.accumulate.getValue().getDefiningOp<fagpu::AcquireOp>();
  for (fagpu::AcquireOp acquire : {keys.acquireKey, keys.acquireValue})
    if (!acquire || acquire.getPosition() != loop.getInductionVar())
      return fail("tiles of K and V that are acquired at the loop's counter");
  auto acc = dyn_cast<BlockArgument>(keys.accumulate.getAcc());
  if (!acc || acc.getOwner() != body || !acc.hasOneUse() ||
      loop.getTiedLoopYieldedValue(acc)->get() != keys.accumulate.getResult() ||
      !keys.accumulate->hasOneUse() ||
      keys.accumulate.getProbs() != keys.softmax.getProbs() ||
      !keys.softmax.getProbs().hasOneUse() ||
      keys.accumulate.getAlpha() != keys.softmax.getAlpha())
    return fail("O to be carried by the loop and P to be used once");
  keys.acc = acc.getArgNumber() - loop.getNumInductionVars();
  return keys;
}

void Overlapper::buildRelease(KeyLoop keys, Value t) {
  fagpu::ReleaseOp::create(builder, keys.loop.getLoc(),
                           keys.acquireValue.getRing(), t);
}

Value Overlapper::buildAccumulate(KeyLoop keys, Value t, Value probs,
                                  Value acc) {
  Location loc = keys.accumulate.getLoc();
  Value value = fagpu::AcquireOp::create(builder, loc,
                                         keys.acquireValue.getStage().getType(),
                                         keys.acquireValue.getRing(), t);
  return AccumulateOp::create(builder, loc, acc.getType(), probs, value, acc,
                              /*alpha=*/Value());
}

void Overlapper::buildScoresAndSoftmax(KeyLoop keys, Value t,
                                       ValueRange carried, IRMapping &mapping,
                                       function_ref<void()> issue) {
  mapping.map(keys.loop.getInductionVar(), t);
  mapping.map(keys.loop.getRegionIterArgs(), carried);
  Value keyRing = keys.acquireKey.getRing();
  for (Operation &op : keys.loop.getBody()->without_terminator()) {
    auto release = dyn_cast<fagpu::ReleaseOp>(op);
    if (&op == keys.accumulate || &op == keys.acquireValue ||
        (release && release.getRing() != keyRing))
      continue;
    builder.clone(op, mapping);
    if (&op == keys.scores)
      issue();
  }
}

SmallVector<Value> Overlapper::buildLoop(KeyLoop keys, Value begin,
                                         ValueRange carried) {
  scf::ForOp old = keys.loop;
  Location loc = old.getLoc();
  auto loop = scf::ForOp::create(builder, loc, begin, old.getUpperBound(),
                                 old.getStep(), carried);
  loop->setDiscardableAttrs(old->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value t = loop.getInductionVar();
  Value previous = arith::SubIOp::create(builder, loc, t, old.getStep());
  SmallVector<Value> arguments(loop.getRegionIterArgs());
  Value probs = arguments.pop_back_val();
  IRMapping mapping;
  Value acc;
  buildScoresAndSoftmax(keys, t, arguments, mapping, [&] {
    acc = buildAccumulate(keys, previous, probs, arguments[keys.acc]);
  });
  buildRelease(keys, previous);
  acc = RescaleOp::create(builder, loc, acc,
                          mapping.lookup(keys.softmax.getAlpha()));
  SmallVector<Value> next;
  for (auto [index, value] : llvm::enumerate(old.getYieldedValues()))
    next.push_back(index == keys.acc ? acc : mapping.lookupOrDefault(value));
  next.push_back(mapping.lookup(keys.softmax.getProbs()));
  scf::YieldOp::create(builder, loc, next);
  return SmallVector<Value>(loop.getResults());
}

void Overlapper::overlap() {
  KeyLoop first = loops.front(), last = loops.back();
  Location loc = first.loop.getLoc();

  // The first visit. O is 0: there is nothing to rescale.
  IRMapping mapping;
  buildScoresAndSoftmax(first, first.loop.getLowerBound(),
                        first.loop.getInitArgs(), mapping, [] {});
  SmallVector<Value> carried;
  for (auto [index, value] : llvm::enumerate(first.loop.getYieldedValues()))
    carried.push_back(index == first.acc ? first.loop.getInitArgs()[index]
                                         : mapping.lookupOrDefault(value));
  carried.push_back(mapping.lookup(first.softmax.getProbs()));

  Value begin = arith::AddIOp::create(builder, loc, first.loop.getLowerBound(),
                                      first.loop.getStep());
  for (KeyLoop keys : loops) {
    builder.setInsertionPoint(keys.loop);
    bool isFirst = keys.loop == first.loop;
    carried =
        buildLoop(keys, isFirst ? begin : keys.loop.getLowerBound(), carried);
  }

  Value position = arith::SubIOp::create(
      builder, loc, last.loop.getUpperBound(), last.loop.getStep());
  Value probs = carried.pop_back_val();
  carried[last.acc] = buildAccumulate(last, position, probs, carried[last.acc]);
  buildRelease(last, position);
  for (KeyLoop keys : llvm::reverse(loops)) {
    if (keys.loop == last.loop)
      keys.loop.replaceAllUsesWith(carried);
    keys.loop.erase();
  }
}

/// Delays the loads of `valueRing` in the producer's loops by one visit.
static LogicalResult rotateProducer(Block &producer, Value valueRing) {
  struct Loop {
    scf::ForOp loop;
    fagpu::LoadOp load;
  };
  SmallVector<Loop> loops;
  for (auto loop : producer.getOps<scf::ForOp>())
    for (auto load : loop.getBody()->getOps<fagpu::LoadOp>())
      if (load.getRing() == valueRing)
        loops.push_back({loop, load});
  for (auto [index, entry] : llvm::enumerate(loops)) {
    auto isOutside = [&, loop = entry.loop](Value value) mutable {
      return loop.isDefinedOutsideOfLoop(value);
    };
    if (entry.load.getPosition() != entry.loop.getInductionVar() ||
        !isOutside(entry.load.getBatch()) || !isOutside(entry.load.getHead()) ||
        (index == 0 ? !runsAtLeastOnce(entry.loop)
                    : entry.loop.getLowerBound() !=
                          loops[index - 1].loop.getUpperBound()))
      return entry.load.emitOpError(
          "expected loads of V at the loop's counter, from one head, in loops "
          "that go on where the one before ended, to overlap products");
  }
  if (loops.empty())
    return success();

  OpBuilder builder(loops.front().loop);
  auto buildLoad = [&](fagpu::LoadOp load, Value position, Value row) {
    fagpu::LoadOp::create(builder, load.getLoc(), valueRing, position,
                          load.getSource(), load.getBatch(), load.getHead(),
                          row);
  };
  // Copies a visit; `previous` is the first row of V of the visit before it.
  // Returns that of this one.
  auto buildVisit = [&](Loop entry, Value t, Value previous) {
    IRMapping mapping;
    mapping.map(entry.loop.getInductionVar(), t);
    for (Operation &op : entry.loop.getBody()->without_terminator())
      if (&op != entry.load)
        builder.clone(op, mapping);
    if (previous) {
      Value position = arith::SubIOp::create(builder, entry.loop.getLoc(), t,
                                             entry.loop.getStep());
      buildLoad(entry.load, position, previous);
    }
    return mapping.lookupOrDefault(entry.load.getRow());
  };
  scf::ForOp first = loops.front().loop, last = loops.back().loop;
  // K of the first visit goes before Q: no group can begin without it.
  SmallVector<fagpu::LoadOp> before;
  for (auto load : producer.getOps<fagpu::LoadOp>())
    if (load->isBeforeInBlock(first))
      before.push_back(load);
  Value row = buildVisit(loops.front(), first.getLowerBound(), Value());
  for (fagpu::LoadOp load : before)
    load->moveBefore(first);
  Value begin = arith::AddIOp::create(builder, first.getLoc(),
                                      first.getLowerBound(), first.getStep());
  for (Loop entry : loops) {
    builder.setInsertionPoint(entry.loop);
    bool isFirst = entry.loop == first;
    auto loop = scf::ForOp::create(builder, entry.loop.getLoc(),
                                   isFirst ? begin : entry.loop.getLowerBound(),
                                   entry.loop.getUpperBound(),
                                   entry.loop.getStep(), row);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value next = buildVisit(entry, loop.getInductionVar(),
                            loop.getRegionIterArgs().front());
    scf::YieldOp::create(builder, loop.getLoc(), next);
    row = loop.getResult(0);
  }
  Value position = arith::SubIOp::create(builder, last.getLoc(),
                                         last.getUpperBound(), last.getStep());
  buildLoad(loops.back().load, position, row);
  for (Loop entry : loops)
    entry.loop.erase();
  return success();
}

/// The loops over key tiles in `program`, each going on where the one before
/// ended.
static FailureOr<SmallVector<KeyLoop>> matchLoops(Block &program) {
  SmallVector<KeyLoop> loops;
  for (auto loop : program.getOps<scf::ForOp>()) {
    if (loop.getBody()->getOps<AccumulateOp>().empty())
      continue; // of skipped visits
    FailureOr<KeyLoop> keys = KeyLoop::match(loop);
    if (failed(keys))
      return failure();
    if (loops.empty() && !runsAtLeastOnce(loop))
      return loop.emitOpError("expected a first loop over key tiles that runs "
                              "at least once to overlap products");
    if (loops.empty() &&
        !matchPattern(loop.getInitArgs()[keys->acc], m_AnyZeroFloat()))
      return loop.emitOpError("expected O to start from 0 to overlap products");
    if (!loops.empty()) {
      scf::ForOp before = loops.back().loop;
      if (loop.getLowerBound() != before.getUpperBound() ||
          loop.getInitArgs() != before.getResults() ||
          keys->acc != loops.back().acc)
        return loop.emitOpError("expected a loop that goes on where the one "
                                "before ended to overlap products");
    }
    loops.push_back(*keys);
  }
  return loops;
}

namespace {
struct OverlapProducts
    : public fa::impl::FAOverlapProductsPassBase<OverlapProducts> {
  void runOnOperation() override {
    WalkResult result =
        getOperation().walk([&](fagpu::SpecializeOp split) -> WalkResult {
          auto nest = split->getParentOfType<scf::ForallOp>();
          auto schedule = nest ? nest->getAttrOfType<ScheduleAttr>(
                                     FADialect::getScheduleAttrName())
                               : ScheduleAttr();
          if (!schedule || !schedule.getOverlap())
            return WalkResult::advance();
          FailureOr<SmallVector<KeyLoop>> loops =
              matchLoops(split.getConsumer().front());
          if (failed(loops))
            return WalkResult::interrupt();
          if (loops->empty())
            return WalkResult::advance();
          if (failed(rotateProducer(split.getProducer().front(),
                                    loops->front().acquireValue.getRing())))
            return WalkResult::interrupt();
          Overlapper(*loops).overlap();
          return WalkResult::advance();
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
