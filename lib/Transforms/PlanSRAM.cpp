//===- PlanSRAM.cpp - Where each tile lies in workgroup memory ------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All tiles live as long as the block, so that they are placed one after the
// other; barriers of rings follow the tiles (fagpu::AllocOp has none in its
// size). What does not fit is refused here, before any code is made.
//
//===----------------------------------------------------------------------===//

#include "fa/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAPLANSRAMPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Gives the tiles of `nest` their offsets and leaves the sum on it.
static LogicalResult plan(scf::ForallOp nest, TargetAttr target) {
  int64_t tiles = 0, barriers = 0;
  nest.walk([&](fagpu::AllocOp alloc) {
    alloc.setOffset(tiles);
    tiles += llvm::alignTo(alloc.getByteSize(), 1024);
    // Two mbarriers of 8 bytes a stage.
    if (auto ring = dyn_cast<fagpu::RingType>(alloc.getType()))
      barriers += 16 * ring.getStages();
  });
  // The number of the next query tile, with its two.
  auto schedule =
      nest->getAttrOfType<ScheduleAttr>(FADialect::getScheduleAttrName());
  if (schedule && schedule.getPersistent())
    barriers += fagpu::kMailboxBytes;
  int64_t bytes = tiles + (target.isHopper() ? barriers : 0);
  if (bytes > target.getSram())
    return nest.emitOpError("expected tiles and barriers of at most ")
           << target.getSram() << " bytes of SRAM but they take " << bytes;
  nest->setAttr(
      "fagpu.sram_bytes",
      IntegerAttr::get(IntegerType::get(nest.getContext(), 64), bytes));
  return success();
}

namespace {
struct PlanSRAM : public fa::impl::FAPlanSRAMPassBase<PlanSRAM> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](scf::ForallOp nest) {
      auto target =
          nest->getAttrOfType<TargetAttr>(FADialect::getTargetAttrName());
      if (!target)
        return WalkResult::advance();
      return failed(plan(nest, target)) ? WalkResult::interrupt()
                                        : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
