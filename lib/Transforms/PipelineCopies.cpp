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
// becomes, with s stages,
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

/// Begins the copies of all rings at position `position`, if that is before
/// `end`, and commits them; a commit without copies keeps the count.
static LogicalResult buildCopies(OpBuilder &builder, scf::ForOp loop,
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
    for (fagpu::FillOp fill : fills) {
      FailureOr<Value> source =
          cloneSlice(builder, fill.getSource(), loop.getRegion(), mapping);
      if (failed(source))
        return failure();
      Value stage = fagpu::SlotOp::create(
          builder, loc, fill.getStage().getType(), fill.getRing(), position);
      fagpu::CopyAsyncOp::create(builder, loc, *source, stage);
    }
  }
  NVVM::CpAsyncCommitGroupOp::create(builder, loc);
  return success();
}

static LogicalResult
pipelineLoop(scf::ForOp loop, ArrayRef<fagpu::FillOp> fills, int64_t stages) {
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  for (int64_t n = 0; n < stages - 1; ++n) {
    Value position =
        arith::AddIOp::create(builder, loc, loop.getLowerBound(),
                              arith::ConstantIndexOp::create(builder, loc, n));
    if (failed(buildCopies(builder, loop, fills, position)))
      return failure();
  }

  builder.setInsertionPointToStart(loop.getBody());
  if (stages == 1) {
    // Nothing runs ahead: copy, wait, compute.
    if (failed(buildCopies(builder, loop, fills, loop.getInductionVar())))
      return failure();
    NVVM::CpAsyncWaitGroupOp::create(builder, loc, 0);
  } else {
    NVVM::CpAsyncWaitGroupOp::create(builder, loc, stages - 2);
    Value next = arith::AddIOp::create(
        builder, loc, loop.getInductionVar(),
        arith::ConstantIndexOp::create(builder, loc, stages - 1));
    if (failed(buildCopies(builder, loop, fills, next)))
      return failure();
  }

  for (fagpu::FillOp fill : fills) {
    builder.setInsertionPoint(fill);
    Value stage = fagpu::SlotOp::create(builder, loc, fill.getStage().getType(),
                                        fill.getRing(), fill.getPosition());
    fill.replaceAllUsesWith(stage);
    fill.erase();
  }
  return success();
}

static LogicalResult pipeline(scf::ForallOp nest, ScheduleAttr schedule) {
  // Q's copy is committed first, and so waited for with the first key tile.
  nest.walk([](fagpu::CopyOp copy) {
    OpBuilder builder(copy);
    fagpu::CopyAsyncOp::create(builder, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
    NVVM::CpAsyncCommitGroupOp::create(builder, copy.getLoc());
    copy.erase();
  });
  SmallVector<scf::ForOp> loops;
  nest.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (!loop.getBody()->getOps<fagpu::FillOp>().empty())
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    SmallVector<fagpu::FillOp> fills(loop.getBody()->getOps<fagpu::FillOp>());
    if (failed(pipelineLoop(loop, fills, schedule.getStages())))
      return failure();
  }
  return success();
}

namespace {
struct PipelineCopies
    : public fa::impl::FAPipelineCopiesPassBase<PipelineCopies> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](scf::ForallOp nest) {
      auto schedule =
          nest->getAttrOfType<ScheduleAttr>(FADialect::getScheduleAttrName());
      if (!schedule)
        return WalkResult::advance();
      return failed(pipeline(nest, schedule)) ? WalkResult::interrupt()
                                              : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
