//===- InsertBarriers.cpp - Barriers of the block from effects on SRAM ----===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All threads of a block copy to SRAM and all read from it. A barrier must
// stand
//
//   between a read of a tile and a copy to the same tile or ring: other threads
//     may still be reading;
//   between the wait for copies and a read: other threads' copies count too.
//
// The analysis walks the program with what has happened since the last barrier:
// which tiles were read, and whether copies have landed (were waited for). A
// loop begins with what holds before it or at the end of its body. A barrier
// before an op that stands in a branch is put before the branch, where all
// threads pass.
//
// A producer and row groups synchronise by the barriers of their rings instead;
// their regions are left alone.
//
//===----------------------------------------------------------------------===//

#include "fa/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAINSERTBARRIERSPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// What has happened since the last barrier of the block.
struct SinceBarrier {
  llvm::SmallDenseSet<Value, 4> read; // tiles and rings
  bool landed = false;                // copies were waited for

  void clear() {
    read.clear();
    landed = false;
  }
  /// Adds `other`; true if that changed anything.
  bool join(const SinceBarrier &other) {
    bool changed = other.landed && !landed;
    landed |= other.landed;
    for (Value tile : other.read)
      changed |= read.insert(tile).second;
    return changed;
  }
};

/// The reads and writes of SRAM of an op and of what is in it.
struct Effects {
  SmallVector<Value> reads, writes;
  bool waits = false;
};

class BarrierInserter {
public:
  /// Analyses `block`, beginning and ending with `state`, and inserts barriers
  /// if `insert` is set.
  void visit(Block &block, SinceBarrier &state, bool insert);
};
} // namespace

static void collectEffects(Operation *op, Effects &effects) {
  if (isa<NVVM::CpAsyncWaitGroupOp>(op))
    effects.waits = true;
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> instances;
    interface.getEffects(instances);
    for (const MemoryEffects::EffectInstance &effect : instances) {
      Value value = effect.getValue();
      if (!value || !fagpu::isSramTile(value.getType()))
        continue;
      if (isa<MemoryEffects::Read>(effect.getEffect()))
        effects.reads.push_back(fagpu::getTileRoot(value));
      else if (isa<MemoryEffects::Write>(effect.getEffect()))
        effects.writes.push_back(fagpu::getTileRoot(value));
    }
  }
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps())
      collectEffects(&nested, effects);
}

void BarrierInserter::visit(Block &block, SinceBarrier &state, bool insert) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<fagpu::SpecializeOp>(op))
      continue;
    if (isa<gpu::BarrierOp>(op)) {
      state.clear();
      continue;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      // The body may run after what is before it or after itself, or not at
      // all.
      while (true) {
        SinceBarrier end = state;
        visit(*loop.getBody(), end, /*insert=*/false);
        if (!state.join(end))
          break;
      }
      SinceBarrier end = state;
      visit(*loop.getBody(), end, insert);
      state.join(end);
      continue;
    }
    Effects effects;
    collectEffects(&op, effects);
    bool overwritesRead = llvm::any_of(
        effects.writes, [&](Value tile) { return state.read.contains(tile); });
    bool readsLanded = state.landed && !effects.reads.empty();
    if (overwritesRead || readsLanded) {
      if (insert) {
        OpBuilder builder(&op);
        gpu::BarrierOp::create(builder, op.getLoc());
      }
      state.clear();
    }
    state.read.insert(effects.reads.begin(), effects.reads.end());
    state.landed |= effects.waits;
  }
}

namespace {
struct InsertBarriers
    : public fa::impl::FAInsertBarriersPassBase<InsertBarriers> {
  void runOnOperation() override {
    getOperation().walk([](scf::ForallOp nest) {
      if (!nest->hasAttr(FADialect::getScheduleAttrName()))
        return;
      SinceBarrier state;
      BarrierInserter().visit(*nest.getBody(), state, /*insert=*/true);
    });
  }
};
} // namespace
