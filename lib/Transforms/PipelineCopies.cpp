//===- PipelineCopies.cpp - Copies ahead of their use, cp.async -----------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For targets without a tensor memory accelerator. Each loop over key tiles
//
//   for t in [lo, hi): K = fill ringK[t], V = fill ringV[t]; compute
//
// becomes, with s > 1 stages,
//
//   for n in [0, s - 1): begin copies of tile lo + n; commit
//   for t in [lo, hi):
//     wait until all but the last s - 2 commits are complete
//     begin copies of tile t + s - 1; commit
//     compute on stage t
//
// fa-insert-barriers puts one barrier a tile after the wait. It does two jobs:
// what was copied is seen by all threads, and all threads have read stage t -
// 1, which is the one that is filled next.
//
// With one stage a ring is filled while the other one is read, with two
// barriers a tile (as FlashAttention-2 does):
//
//   begin the copy of K[lo]; commit
//   for t in [lo, hi):
//     wait; begin the copy of V[t]; commit
//     S = Q K[t]^T
//     wait; begin the copy of K[t + 1]; commit
//     softmax; O += P V[t]
//
// A tile that is not visited in a loop, since its length is static, is copied
// while the one before it is computed with.
//
//===----------------------------------------------------------------------===//

#include "CloneSlice.h"
#include "fa/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAPIPELINECOPIESPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Begins the copies of one nest ahead of their use.
class Pipeliner {
public:
  Pipeliner(scf::ForallOp nest, int64_t stages, int64_t align)
      : nest(nest), stages(stages), align(align), builder(nest) {}

  LogicalResult pipeline();

private:
  LogicalResult pipelineLoop(scf::ForOp loop);
  /// One stage and two rings, of which one is filled while the other is read.
  LogicalResult alternate(scf::ForOp loop, fagpu::FillOp first,
                          fagpu::FillOp second);
  LogicalResult pipelineStraight(MutableArrayRef<fagpu::FillOp> fills);
  bool isStageFree(MutableArrayRef<fagpu::FillOp> fills, size_t next);

  /// Begins the copies of `fills` for position `position` of `loop`, if that is
  /// before its end, and commits them; a commit without copies keeps the count.
  LogicalResult buildCopies(scf::ForOp loop, ArrayRef<fagpu::FillOp> fills,
                            Value position);
  /// Begins one copy, as it is in the program but for what is in `mapping`.
  LogicalResult buildCopy(fagpu::FillOp fill, Region &region, Value position,
                          IRMapping &mapping);
  /// The stage, which is filled elsewhere, in place of `fill`.
  void replace(fagpu::FillOp fill);

  scf::ForallOp nest;
  int64_t stages, align;
  OpBuilder builder;
};
} // namespace

LogicalResult Pipeliner::buildCopy(fagpu::FillOp fill, Region &region,
                                   Value position, IRMapping &mapping) {
  FailureOr<Value> source =
      cloneSlice(builder, fill.getSource(), region, mapping);
  if (failed(source))
    return failure();
  Value stage =
      fagpu::SlotOp::create(builder, fill.getLoc(), fill.getStage().getType(),
                            fill.getRing(), position);
  fagpu::CopyAsyncOp::create(builder, fill.getLoc(), *source, stage, align);
  return success();
}

LogicalResult Pipeliner::buildCopies(scf::ForOp loop,
                                     ArrayRef<fagpu::FillOp> fills,
                                     Value position) {
  Location loc = loop.getLoc();
  Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       position, loop.getUpperBound());
  auto guarded = scf::IfOp::create(builder, loc, inside);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(guarded.thenBlock());
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), position);
    for (fagpu::FillOp fill : fills)
      if (failed(buildCopy(fill, loop.getRegion(), position, mapping)))
        return failure();
  }
  NVVM::CpAsyncCommitGroupOp::create(builder, loc);
  return success();
}

void Pipeliner::replace(fagpu::FillOp fill) {
  builder.setInsertionPoint(fill);
  Value stage =
      fagpu::SlotOp::create(builder, fill.getLoc(), fill.getStage().getType(),
                            fill.getRing(), fill.getPosition());
  fill.replaceAllUsesWith(stage);
  fill.erase();
}

LogicalResult Pipeliner::alternate(scf::ForOp loop, fagpu::FillOp first,
                                   fagpu::FillOp second) {
  Location loc = loop.getLoc();
  Operation *lastRead = nullptr;
  for (Operation *user : first.getStage().getUsers()) {
    Operation *op = loop.getBody()->findAncestorOpInBlock(*user);
    if (!lastRead || lastRead->isBeforeInBlock(op))
      lastRead = op;
  }
  builder.setInsertionPoint(loop);
  if (failed(buildCopies(loop, first, loop.getLowerBound())))
    return failure();

  builder.setInsertionPointToStart(loop.getBody());
  NVVM::CpAsyncWaitGroupOp::create(builder, loc, 0);
  IRMapping asItStands;
  asItStands.map(loop.getInductionVar(), loop.getInductionVar());
  if (failed(buildCopy(second, loop.getRegion(), loop.getInductionVar(),
                       asItStands)))
    return failure();
  NVVM::CpAsyncCommitGroupOp::create(builder, loc);

  builder.setInsertionPointAfter(lastRead);
  NVVM::CpAsyncWaitGroupOp::create(builder, loc, 0);
  Value next =
      arith::AddIOp::create(builder, loc, loop.getInductionVar(),
                            arith::ConstantIndexOp::create(builder, loc, 1));
  if (failed(buildCopies(loop, first, next)))
    return failure();
  replace(first);
  replace(second);
  return success();
}

LogicalResult Pipeliner::pipelineLoop(scf::ForOp loop) {
  Location loc = loop.getLoc();
  SmallVector<fagpu::FillOp> fills(loop.getBody()->getOps<fagpu::FillOp>());
  if (stages == 1 && fills.size() == 2 && !fills[0].getStage().use_empty() &&
      fills[0].getRing() != fills[1].getRing())
    return alternate(loop, fills[0], fills[1]);

  builder.setInsertionPoint(loop);
  for (int64_t n = 0; n < stages - 1; ++n) {
    Value position =
        arith::AddIOp::create(builder, loc, loop.getLowerBound(),
                              arith::ConstantIndexOp::create(builder, loc, n));
    if (failed(buildCopies(loop, fills, position)))
      return failure();
  }

  builder.setInsertionPointToStart(loop.getBody());
  if (stages == 1) {
    // Nothing runs ahead: copy, wait, compute.
    if (failed(buildCopies(loop, fills, loop.getInductionVar())))
      return failure();
    NVVM::CpAsyncWaitGroupOp::create(builder, loc, 0);
  } else {
    NVVM::CpAsyncWaitGroupOp::create(builder, loc, stages - 2);
    Value next = arith::AddIOp::create(
        builder, loc, loop.getInductionVar(),
        arith::ConstantIndexOp::create(builder, loc, stages - 1));
    if (failed(buildCopies(loop, fills, next)))
      return failure();
  }
  for (fagpu::FillOp fill : fills)
    replace(fill);
  return success();
}

static bool hasLoopBetween(Operation *first, Operation *last) {
  for (Operation *op = first; op != last; op = op->getNextNode())
    if (isa<scf::ForOp>(op))
      return true;
  return false;
}

/// Whether the stage of `fills[next]` has been read where the fill before
/// stands: all fills of its ring but those of the other stages.
bool Pipeliner::isStageFree(MutableArrayRef<fagpu::FillOp> fills, size_t next) {
  int64_t others = stages - 1;
  for (int64_t i = next - 1; i >= 0; --i) {
    if (fills[i].getRing() != fills[next].getRing() || others-- > 0)
      continue;
    for (Operation *user : fills[i].getStage().getUsers())
      if (!user->isBeforeInBlock(fills[next - 1]))
        return false;
  }
  return true;
}

/// Each waits for its own copy, with that of the next one under way if it is to
/// another stage.
LogicalResult
Pipeliner::pipelineStraight(MutableArrayRef<fagpu::FillOp> fills) {
  bool isUnderWay = false;
  for (auto [i, fill] : llvm::enumerate(fills)) {
    Location loc = fill.getLoc();
    auto begin = [&](fagpu::FillOp copied) -> LogicalResult {
      builder.setInsertionPoint(fill);
      IRMapping mapping;
      for (BlockArgument index : nest.getBody()->getArguments())
        mapping.map(index, index);
      FailureOr<Value> position =
          cloneSlice(builder, copied.getPosition(), nest.getRegion(), mapping);
      if (failed(position) ||
          failed(buildCopy(copied, nest.getRegion(), *position, mapping)))
        return failure();
      NVVM::CpAsyncCommitGroupOp::create(builder, loc);
      return success();
    };
    if (!isUnderWay && failed(begin(fill)))
      return failure();
    isUnderWay = i + 1 < fills.size() && isStageFree(fills, i + 1) &&
                 !hasLoopBetween(fill, fills[i + 1]);
    if (isUnderWay && failed(begin(fills[i + 1])))
      return failure();
    builder.setInsertionPoint(fill);
    NVVM::CpAsyncWaitGroupOp::create(builder, loc, isUnderWay ? 1 : 0);
  }
  for (fagpu::FillOp fill : fills)
    replace(fill);
  return success();
}

LogicalResult Pipeliner::pipeline() {
  // Q's copy is committed first, and so waited for with the first key tile.
  nest.walk([&](fagpu::CopyOp copy) {
    builder.setInsertionPoint(copy);
    fagpu::CopyAsyncOp::create(builder, copy.getLoc(), copy.getSource(),
                               copy.getTarget(), align);
    NVVM::CpAsyncCommitGroupOp::create(builder, copy.getLoc());
    copy.erase();
  });
  SmallVector<scf::ForOp> loops;
  nest.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (!loop.getBody()->getOps<fagpu::FillOp>().empty())
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops)
    if (failed(pipelineLoop(loop)))
      return failure();
  SmallVector<fagpu::FillOp> straight(nest.getBody()->getOps<fagpu::FillOp>());
  return pipelineStraight(straight);
}

namespace {
struct PipelineCopies
    : public fa::impl::FAPipelineCopiesPassBase<PipelineCopies> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](scf::ForallOp nest) {
      auto schedule =
          nest->getAttrOfType<ScheduleAttr>(FADialect::getScheduleAttrName());
      auto target =
          nest->getAttrOfType<TargetAttr>(FADialect::getTargetAttrName());
      if (!schedule || (target && target.isHopper()))
        return WalkResult::advance();
      int64_t align = target ? target.getAlign() : 16;
      return failed(Pipeliner(nest, schedule.getStages(), align).pipeline())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
