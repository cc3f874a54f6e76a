//===- SelectSchedule.cpp - The one place that chooses tile sizes -----------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The resource model of the CPU: what the tiles of one block take of L2, and
// which register tile keeps the FMA units busy. Every other pass reads the
// #fa.schedule that is attached here.
//
//===----------------------------------------------------------------------===//

#include "fa/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FASELECTSCHEDULEPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Bytes of the f32 tiles of one block: Q_i, K_j, V_j, S_ij with P_ij, O_i.
static int64_t getTileBytes(int64_t br, int64_t bc, int64_t headDim,
                            int64_t headDimV) {
  return 4 * (br * headDim + bc * (headDim + headDimV) + 2 * br * bc +
              br * headDimV);
}

/// The largest divisor of `size` that is at most `limit`.
static int64_t getDivisorAtMost(int64_t size, int64_t limit) {
  for (int64_t divisor = std::min(size, limit); divisor > 1; --divisor)
    if (size % divisor == 0)
      return divisor;
  return 1;
}

namespace {
struct SelectSchedule
    : public fa::impl::FASelectSchedulePassBase<SelectSchedule> {
  using Base::Base;

  void runOnOperation() override;

private:
  /// Attaches target and schedule to `op`.
  LogicalResult select(AttentionOp op, TargetAttr target);
  /// Fails if the tiles of `schedule` do not fit in the SRAM of `target`.
  LogicalResult verifyFits(AttentionOp op, ScheduleAttr schedule,
                           TargetAttr target);
};
} // namespace

LogicalResult SelectSchedule::verifyFits(AttentionOp op, ScheduleAttr schedule,
                                         TargetAttr target) {
  int64_t bytes = getTileBytes(schedule.getBr(), schedule.getBc(),
                               op.getHeadDim(), op.getHeadDimV());
  if (bytes <= target.getSram())
    return success();
  return op.emitOpError("expected the tiles of ")
         << schedule << " to fit in " << target.getSram()
         << " bytes of sram, but with head dims " << op.getHeadDim() << " and "
         << op.getHeadDimV() << " they take " << bytes;
}

LogicalResult SelectSchedule::select(AttentionOp op, TargetAttr target) {
  if (!op.getTargetAttr())
    op.setTargetAttr(target);
  target = op.getTargetAttr();
  if (ScheduleAttr given = op.getScheduleAttr())
    return verifyFits(op, given, target);

  int64_t headDim = op.getHeadDim(), headDimV = op.getHeadDimV();
  // Past this head dim one row alone is larger than any cache.
  constexpr int64_t kMaxHeadDim = 1 << 20;
  if (headDim > kMaxHeadDim || headDimV > kMaxHeadDim)
    return op.emitOpError("expected head dims of at most ")
           << kMaxHeadDim << " but got " << headDim << " and " << headDimV;

  // Two registers wide, and accumulators in half of the registers (32 with
  // AVX-512, else 16): enough independent FMAs to hide their latency, and room
  // for the operands.
  int64_t lanes = target.getVectorBits() / 32;
  int64_t defaultNr = 2 * lanes;
  int64_t defaultMr = target.getVectorBits() == 512 ? 8 : 4;

  // Halve B_c, then B_r, until the tiles fit.
  int64_t chosenBr = br ? br : 64, chosenBc = bc ? bc : 64;
  auto fits = [&] {
    return getTileBytes(chosenBr, chosenBc, headDim, headDimV) <=
           target.getSram();
  };
  while (!bc && !fits() && chosenBc > defaultNr)
    chosenBc /= 2;
  while (!br && !fits() && chosenBr > defaultMr)
    chosenBr /= 2;

  int64_t chosenMr = mr ? mr : getDivisorAtMost(chosenBr, defaultMr);
  int64_t chosenNr = nr ? nr : getDivisorAtMost(chosenBc, defaultNr);
  auto schedule = ScheduleAttr::getChecked(
      [&] { return op.emitOpError("has no valid schedule: "); },
      op.getContext(), chosenBr, chosenBc, chosenMr, chosenNr);
  if (!schedule || failed(verifyFits(op, schedule, target)))
    return failure();
  op.setScheduleAttr(schedule);

  remark::analysis(op.getLoc(),
                   remark::RemarkOpts::name("SelectSchedule")
                       .category("schedule")
                       .function(getOperation().getName()))
      << remark::add("br = {0}, bc = {1}: tiles take {2} of {3} bytes of sram; "
                     "mr = {4}, nr = {5}: register tile for {6}-bit vectors",
                     chosenBr, chosenBc,
                     getTileBytes(chosenBr, chosenBc, headDim, headDimV),
                     target.getSram(), chosenMr, chosenNr,
                     target.getVectorBits());
  return success();
}

void SelectSchedule::runOnOperation() {
  func::FuncOp func = getOperation();
  for (int64_t option : {br.getValue(), bc.getValue(), mr.getValue(),
                         nr.getValue()})
    if (option < 0) {
      func.emitError("expected br, bc, mr and nr of at least 0 but got ")
          << option;
      return signalPassFailure();
    }
  auto target = TargetAttr::getChecked(
      [&] { return func.emitError("has no valid target: "); }, &getContext(),
      StringRef(chip), sram.getValue(), vectorBits.getValue());
  if (!target)
    return signalPassFailure();
  WalkResult result = func.walk([&](AttentionOp op) {
    return failed(select(op, target)) ? WalkResult::interrupt()
                                      : WalkResult::advance();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
