//===- TilesToLoops.cpp - Tile values to scratch buffers and loops --------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver of fa-tiles-to-loops: walks the loop nest, collects runs of
// row-wise ops between products and loops, and decides where each tile lives.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "fa/Conversion/Passes.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FATILESTOLOOPSPASS
#include "fa/Conversion/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Value TileLowering::allocate(Location loc, ArrayRef<int64_t> shape,
                             Type element) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  // A cache line, and the width of the widest vector register.
  constexpr int64_t kAlignment = 64;
  return memref::AllocaOp::create(builder, loc, MemRefType::get(shape, element),
                                  builder.getI64IntegerAttr(kAlignment));
}

Value TileLowering::getOrAllocateBuffer(Value tile) {
  Value &buffer = buffers[tile];
  if (!buffer) {
    auto type = cast<VectorType>(tile.getType());
    buffer = allocate(tile.getLoc(), type.getShape(), getBufferElement(type));
  }
  return buffer;
}

FailureOr<Value> TileLowering::getOperandBuffer(Value tile) {
  if (Value buffer = buffers.lookup(tile))
    return buffer;
  // A buffer of this use alone: it is written here, which need not come before
  // the other uses.
  auto type = cast<VectorType>(tile.getType());
  Value buffer =
      allocate(tile.getLoc(), type.getShape(), getBufferElement(type));
  if (failed(lowerCopies(tile.getLoc(), {{tile, buffer}})))
    return failure();
  return buffer;
}

bool TileLowering::isLastUse(Value tile, Operation *user) {
  // In a loop around `user` alone the tile is used again.
  return tile.hasOneUse() && tile.getParentBlock() == user->getBlock();
}

Value TileLowering::findCarriedBuffer(Value tile, ArrayRef<Operation *> run) {
  Block *block = run.front()->getBlock();
  auto loop = dyn_cast<scf::ForOp>(block->getParentOp());
  if (!loop)
    return {};
  for (OpOperand &use : tile.getUses()) {
    if (use.getOwner() != block->getTerminator())
      continue;
    BlockArgument carried = loop.getRegionIterArg(use.getOperandNumber());
    // The old value must not be needed after the run. Within the run each row
    // is read before it is written.
    bool oldValueIsDead =
        llvm::all_of(carried.getUsers(), [&](Operation *user) {
          Operation *ancestor = block->findAncestorOpInBlock(*user);
          return llvm::is_contained(run, ancestor) ||
                 ancestor->isBeforeInBlock(run.front());
        });
    if (oldValueIsDead)
      return buffers.lookup(carried);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Blocks and loops
//===----------------------------------------------------------------------===//

/// Whether `op` may join `run`: it has as many rows, and no row of it reads
/// what another row of the run writes, or the other way round.
static bool mayJoin(ArrayRef<Operation *> run, Operation &op) {
  if (run.empty())
    return true;
  auto all = [&](auto is) {
    return llvm::all_of(run, [&](Operation *other) { return !is(*other); });
  };
  auto reads = [](Operation &op) { return isa<vector::TransferReadOp>(op); };
  auto writes = [](Operation &op) { return isa<vector::TransferWriteOp>(op); };
  return getRows(*run.front()) == getRows(op) && (!reads(op) || all(writes)) &&
         (!writes(op) || all(reads));
}

static LogicalResult rejectOp(Operation &op) {
  return op.emitError("expected a product, a loop or a row-wise op on a tile "
                      "but got '")
         << op.getName() << "'";
}

/// The rows of the tile are made where they are used, from the buffer of the
/// vector; that of a carried value may have been overwritten by then.
LogicalResult TileLowering::lowerColumnBroadcast(vector::BroadcastOp op) {
  if (!isColumnBroadcast(*op) || !buffers.contains(op.getSource()))
    return rejectOp(*op);
  return success();
}

LogicalResult TileLowering::lowerBlock(Block &block) {
  SmallVector<Operation *> run;
  auto flushBefore = [&](Operation *op) -> LogicalResult {
    if (run.empty())
      return success();
    builder.setInsertionPoint(op);
    if (failed(lowerRun(run.front()->getLoc(), run)))
      return failure();
    lowered.append(run);
    run.clear();
    return success();
  };

  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    if (!touchesTiles(op)) {
      if (!isMemoryEffectFree(&op) && failed(flushBefore(&op)))
        return failure();
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        if (failed(lowerLoop(loop)))
          return failure();
        continue;
      }
      // Tiles in any other region would stay as they are.
      if (op.walk([&](Operation *nested) {
              return touchesTiles(*nested) ? WalkResult::interrupt()
                                           : WalkResult::advance();
            }).wasInterrupted())
        return rejectOp(op);
      continue;
    }
    if (isRematerializable(op)) {
      lowered.push_back(&op);
      continue;
    }
    if (isRowWise(op)) {
      if (!mayJoin(run, op) && failed(flushBefore(&op)))
        return failure();
      run.push_back(&op);
      continue;
    }
    if (failed(flushBefore(&op)))
      return failure();
    builder.setInsertionPoint(&op);
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case<ScoresOp>([&](auto scores) { return lowerScores(scores); })
            .Case<AccumulateOp>(
                [&](auto accumulate) { return lowerAccumulate(accumulate); })
            .Case<scf::ForOp>([&](auto loop) { return lowerLoop(loop); })
            .Case<vector::BroadcastOp>(
                [&](auto broadcast) { return lowerColumnBroadcast(broadcast); })
            .Default([](Operation *other) { return rejectOp(*other); });
    if (failed(result))
      return failure();
    lowered.push_back(&op);
  }
  return flushBefore(block.getTerminator());
}

LogicalResult TileLowering::lowerLoop(scf::ForOp loop) {
  // A carried tile starts in the buffer of its initial value if that is needed
  // for nothing else, or in a copy.
  SmallVector<std::pair<Value, Value>> copies;
  for (auto [argument, init, result] : llvm::zip_equal(
           loop.getRegionIterArgs(), loop.getInitArgs(), loop.getResults())) {
    if (!isTileType(argument.getType()))
      continue;
    Value buffer = buffers.lookup(init);
    if (!buffer || !isLastUse(init, loop)) {
      buffer = getOrAllocateBuffer(argument);
      copies.emplace_back(init, buffer);
    }
    buffers[argument] = buffers[result] = buffer;
  }
  builder.setInsertionPoint(loop);
  if (failed(lowerCopies(loop.getLoc(), copies)))
    return failure();

  size_t outerLowered = lowered.size();
  Block *body = loop.getBody();
  if (failed(lowerBlock(*body)))
    return failure();

  // What the body did not make in place is copied. The copies of one row are
  // all read before they are written, so that carried values may be exchanged.
  copies.clear();
  auto yield = cast<scf::YieldOp>(body->getTerminator());
  SmallVector<Value> scalarInits, scalarYields;
  SmallVector<std::pair<Value, BlockArgument>> scalars; // result, argument
  for (auto [argument, init, result, next] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs(),
                       loop.getResults(), yield.getOperands())) {
    if (!isTileType(argument.getType())) {
      scalarInits.push_back(init);
      scalarYields.push_back(next);
      scalars.emplace_back(result, argument);
    } else if (buffers.lookup(next) != buffers.lookup(argument)) {
      copies.emplace_back(next, buffers.lookup(argument));
    }
  }
  builder.setInsertionPoint(yield);
  if (failed(lowerCopies(yield.getLoc(), copies)))
    return failure();
  yield->setOperands(scalarYields);
  eraseLowered(outerLowered);
  if (scalars.size() == loop.getNumRegionIterArgs())
    return success();

  // The loop without its tiles. The old one, empty, stays until its tile
  // results have lost their uses.
  builder.setInsertionPoint(loop);
  auto newLoop =
      scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                         loop.getUpperBound(), loop.getStep(), scalarInits);
  newLoop->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  if (scalarInits.empty())
    newLoop.getBody()->getTerminator()->erase();
  loop.getInductionVar().replaceAllUsesWith(newLoop.getInductionVar());
  for (auto [index, scalar] : llvm::enumerate(scalars)) {
    scalar.first.replaceAllUsesWith(newLoop.getResult(index));
    scalar.second.replaceAllUsesWith(newLoop.getRegionIterArg(index));
  }
  newLoop.getBody()->getOperations().splice(newLoop.getBody()->end(),
                                            body->getOperations());
  return success();
}

void TileLowering::eraseLowered(size_t from) {
  while (lowered.size() > from) {
    Operation *op = lowered.pop_back_val();
    // Row and column numbers may be in use as they are.
    if (op->use_empty())
      op->erase();
  }
}

namespace {
struct TilesToLoops : public fa::impl::FATilesToLoopsPassBase<TilesToLoops> {
  void runOnOperation() override {
    SmallVector<scf::ForallOp> nests;
    getOperation().walk([&](scf::ForallOp nest) {
      if (nest->hasAttr(FADialect::getScheduleAttrName()))
        nests.push_back(nest);
    });
    for (scf::ForallOp nest : nests)
      if (failed(lower(nest)))
        return signalPassFailure();

    // Here and not with the other vector ops: upstream's canonicalisation would
    // take a transpose of rows apart, element by element.
    RewritePatternSet patterns(&getContext());
    vector::populateVectorTransposeLoweringPatterns(
        patterns, vector::VectorTransposeLowering::Shuffle16x16);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }

private:
  static LogicalResult lower(scf::ForallOp nest) {
    auto schedule =
        nest->getAttrOfType<ScheduleAttr>(FADialect::getScheduleAttrName());
    auto target =
        nest->getAttrOfType<TargetAttr>(FADialect::getTargetAttrName());
    if (!target)
      return nest.emitError("expected a loop nest with a target for the CPU");
    if (!target.isCPU())
      return nest.emitError("expected a loop nest for the CPU but its target "
                            "is ")
             << target;
    if (schedule.getMr() == 0 || schedule.getGroups() != 1)
      return nest.emitError("expected a schedule with mr and nr and with one "
                            "row group but got ")
             << schedule;
    OpBuilder builder(nest);
    TileLowering lowering(builder, nest.getBody(), schedule);
    if (failed(lowering.lowerBlock(*nest.getBody())))
      return failure();
    lowering.eraseLowered();
    return success();
  }
};
} // namespace
