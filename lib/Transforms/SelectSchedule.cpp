//===- SelectSchedule.cpp - The one place that chooses tile sizes ---------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules are in ScheduleModel.cpp, what was measured to be faster in
// Schedules.def. Every other pass only reads the #fa.schedule that is attached
// here.
//
//===----------------------------------------------------------------------===//

#include "ScheduleModel.h"
#include "fa/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FASELECTSCHEDULEPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
struct SelectSchedule
    : public fa::impl::FASelectSchedulePassBase<SelectSchedule> {
  using Base::Base;

  void runOnOperation() override;

private:
  /// The options that ask for fields of the schedule.
  FASelectSchedulePassOptions getFieldOptions() const {
    FASelectSchedulePassOptions options;
    options.br = br;
    options.bc = bc;
    options.mr = mr;
    options.nr = nr;
    options.groups = groups;
    options.warps = warps;
    options.stages = stages;
    options.blocks = blocks;
    options.overlap = overlap;
    options.pingpong = pingpong;
    options.lazy = lazy;
    options.narrow = narrow;
    options.persistent = persistent;
    options.tf32 = tf32;
    options.backward = backward;
    options.splits = splits;
    return options;
  }
  /// Attaches target and schedule to `op`.
  LogicalResult select(AttentionOpInterface op, TargetAttr target);
};
} // namespace

/// Bytes of an element of Q, K, V and O.
static int64_t getElementBytes(AttentionOpInterface op) {
  return llvm::divideCeil(op.getElementType().getIntOrFloatBitWidth(), 8);
}

/// Whether the tensor memory accelerator and wgmma can do `op`: 16-bit
/// elements, and rows that are and stay multiples of 16 bytes.
static bool fitsHopper(AttentionOpInterface op, int64_t align) {
  return getElementBytes(op) == 2 && op.getHeadDim() % 8 == 0 &&
         op.getHeadDimV() % 8 == 0 && op.getHeadDimV() <= 256 && align == 16;
}

static ScheduleProblem getProblem(AttentionOpInterface op) {
  return {op.getHeadDim(),
          op.getHeadDimV(),
          getElementBytes(op),
          op.hasMaskRegion() ||
              op.getMaskOrDefault().getKind() != MaskKind::None,
          op.getMaskOrDefault().getLeftBound().has_value(),
          op.hasScoreRegion() || op.hasMaskRegion(),
          !op.getKey().getType().isDynamicDim(2),
          isa<AttentionBackwardOp>(op)};
}

/// The fields that `options` ask for.
static ScheduleRequest getRequest(const FASelectSchedulePassOptions &options) {
  auto toFlag = [](int64_t option) {
    return option < 0 ? std::nullopt : std::optional<bool>(option != 0);
  };
  ScheduleRequest request{options.br,
                          options.bc,
                          options.mr,
                          options.nr,
                          options.groups,
                          options.warps,
                          options.stages,
                          options.blocks,
                          toFlag(options.overlap),
                          toFlag(options.pingpong),
                          toFlag(options.lazy),
                          toFlag(options.narrow),
                          options.persistent < 0
                              ? std::nullopt
                              : std::optional<int64_t>(options.persistent),
                          options.tf32,
                          /*backward=*/{},
                          options.splits};
  if (!options.backward.empty())
    request.backward = symbolizeBackwardDesign(options.backward);
  return request;
}

/// `align`, or what contiguous tensors have if it is 0.
static int64_t getAlignFor(AttentionOpInterface op, int64_t align) {
  int64_t bytes = getElementBytes(op);
  if (align != 0)
    return align;
  return llvm::MinAlign(
      llvm::MinAlign(op.getHeadDim() * bytes, op.getHeadDimV() * bytes), 16);
}

/// What sm_90a cannot do in its own way is done as on the GPUs before it.
static StringRef getChipFor(AttentionOpInterface op, StringRef chip,
                            int64_t align) {
  // Of so few keys (two tiles of the largest B_c that is chosen), if their
  // number is static, no loop may be left, and a producer has nothing to run
  // ahead of.
  constexpr int64_t kFewKeys = 320;
  int64_t keys = op.getKey().getType().getDimSize(2);
  bool hasFewKeys = !ShapedType::isDynamic(keys) && keys <= kFewKeys;
  if (chip == "sm_90a" && (hasFewKeys || !fitsHopper(op, align)))
    return "sm_90";
  return chip;
}

/// `target` for `op`, with `align` or else what contiguous tensors have.
static TargetAttr getTargetFor(AttentionOpInterface op, TargetAttr target,
                               int64_t align) {
  if (target.isCPU())
    return target;
  align = getAlignFor(op, align);
  return TargetAttr::get(
      op->getContext(), getChipFor(op, target.getChip(), align),
      target.getSram(), /*vectorBits=*/0, align, target.getMaxKeys());
}

/// Fails if `schedule` is not one for the kind of `target`.
static LogicalResult verifyKind(AttentionOpInterface op, ScheduleAttr schedule,
                                TargetAttr target) {
  bool hasRegisterTile = schedule.getMr() != 0;
  bool isForCPU = hasRegisterTile && schedule.getGroups() == 1 &&
                  schedule.getWarps() == 1 && schedule.getStages() == 1 &&
                  !schedule.getOverlap() && !schedule.getPingpong() &&
                  !schedule.getLazy() && !schedule.getNarrow() &&
                  schedule.getPersistent() == 0 && !schedule.getTf32();
  if (target.isCPU() && !isForCPU)
    return op->emitOpError("expected a schedule with mr and nr, and without "
                           "the fields of a GPU, on the CPU but got ")
           << schedule;
  bool isBackward = isa<AttentionBackwardOp>(op);
  if (!isBackward && schedule.getBackward() != BackwardDesign::TwoPass)
    return op->emitOpError("expected a schedule without a design of backward "
                           "but got ")
           << schedule;
  if (target.isCPU())
    return success();
  if (isBackward)
    return op->emitOpError("expected the target cpu but got ")
           << target.getChip();
  if (hasRegisterTile)
    return op->emitOpError("expected a schedule without mr and nr on a GPU but "
                           "got ")
           << schedule;

  // What the products and copies of a GPU can do: whole elements; 16 rows a
  // warp, steps of 16 keys; a warpgroup and at most 256 columns for one wgmma.
  if (target.getAlign() < getElementBytes(op))
    return op->emitOpError("expected an align of at least ")
           << getElementBytes(op) << " bytes, the size of an element, but got "
           << target.getAlign();
  if (schedule.getTf32() && !op.getElementType().isF32())
    return op->emitOpError("expected tf32 with f32 alone but got ")
           << op.getElementType();
  // A tile of one column is a statistic of rows.
  if (op.getHeadDimV() == 1)
    return op->emitOpError(
        "expected a head dim of V of at least 2 on a GPU but "
        "got 1");
  if (target.isHopper() && !fitsHopper(op, target.getAlign()))
    return op->emitOpError("expected f16 or bf16, head dims that are multiples "
                           "of 8, that of V at most 256, and an align of 16 on "
                           "sm_90a but got ")
           << op.getElementType() << ", head dims " << op.getHeadDim()
           << " and " << op.getHeadDimV() << ", and an align of "
           << target.getAlign() << "; sm_90 takes any";
  // A block of sm_90a has a producer and up to four row groups, which share the
  // registers; other blocks have no groups, and at most 1024 threads.
  int64_t maxGroups = target.isHopper() ? 4 : 1, maxWarps = 32;
  if (schedule.getGroups() > maxGroups || schedule.getWarps() > maxWarps)
    return op->emitOpError("expected at most ")
           << maxGroups << " row groups and " << maxWarps << " warps on "
           << target.getChip() << " but got " << schedule;
  int64_t rows = 16 * schedule.getWarps() * schedule.getGroups();
  if (schedule.getBr() % rows != 0 ||
      schedule.getRowBlocks() > (target.isHopper() ? 1 : 4) ||
      schedule.getBc() % 16 != 0)
    return op->emitOpError("expected br = 16 * warps * groups = ")
           << rows << (target.isHopper() ? "" : ", or 2, 3 or 4 times that,")
           << " and a bc that is a multiple of 16 on a GPU but got "
           << schedule;
  if (!target.isHopper() && (schedule.getOverlap() || schedule.getPingpong() ||
                             schedule.getLazy() || schedule.getPersistent()))
    return op->emitOpError(
               "expected overlap, pingpong, lazy and persistent on sm_90a "
               "only, "
               "where products and copies are asynchronous, but got ")
           << schedule << " on " << target.getChip();
  if (!target.isHopper() && schedule.getNarrow())
    return op->emitOpError("expected narrow on sm_90a only, where copies and "
                           "products know narrow chunks, but got ")
           << schedule << " on " << target.getChip();
  if (target.isHopper() && (schedule.getWarps() != 4 || schedule.getBc() > 256))
    return op->emitOpError("expected row groups of 4 warps and a bc of at most "
                           "256 on sm_90a but got ")
           << schedule;
  return success();
}

/// Fails if the tiles do not fit in the SRAM of `target`.
static LogicalResult verifyFits(AttentionOpInterface op, ScheduleAttr schedule,
                                TargetAttr target,
                                const ScheduleProblem &problem,
                                const ScheduleChoice &choice) {
  int64_t bytes = getTileBytes(target, problem, choice);
  if (bytes <= target.getSram())
    return success();
  return op->emitOpError("expected the tiles of ")
         << schedule << " to fit in " << target.getSram()
         << " bytes of sram, but with head dims " << problem.headDim << " and "
         << problem.headDimV << " they take " << bytes;
}

/// The fields of a schedule that was not chosen by the model.
static ScheduleChoice getFields(ScheduleAttr schedule) {
  return {schedule.getBr(),
          schedule.getBc(),
          schedule.getMr(),
          schedule.getNr(),
          schedule.getGroups(),
          schedule.getWarps(),
          schedule.getStages(),
          schedule.getBlocks(),
          schedule.getOverlap(),
          schedule.getPingpong(),
          schedule.getLazy(),
          schedule.getNarrow(),
          schedule.getPersistent(),
          schedule.getTf32(),
          schedule.getBackward(),
          schedule.getSplits(),
          "measured"};
}

/// The schedule that was measured to be fastest; null where there is none, or
/// where it does not fit in the SRAM that there is.
static FailureOr<ScheduleAttr> getMeasured(MLIRContext *context,
                                           TargetAttr target,
                                           const ScheduleProblem &problem) {
  std::optional<StringRef> text = findMeasuredSchedule(target, problem);
  if (!text)
    return ScheduleAttr();
  auto schedule =
      dyn_cast_if_present<ScheduleAttr>(parseAttribute(*text, context));
  if (!schedule)
    return failure(); // The parser has said why.
  if (getTileBytes(target, problem, getFields(schedule)) > target.getSram())
    return ScheduleAttr();
  return schedule;
}

LogicalResult SelectSchedule::select(AttentionOpInterface op,
                                     TargetAttr target) {
  if (!op.getTargetAttr())
    op.setTargetAttr(getTargetFor(op, target, align));
  target = op.getTargetAttr();

  // Past this head dim one row alone is larger than any cache.
  constexpr int64_t kMaxHeadDim = 1 << 20;
  ScheduleProblem problem = getProblem(op);
  if (problem.headDim > kMaxHeadDim || problem.headDimV > kMaxHeadDim)
    return op->emitOpError("expected head dims of at most ")
           << kMaxHeadDim << " but got " << problem.headDim << " and "
           << problem.headDimV;

  if (ScheduleAttr given = op.getScheduleAttr()) {
    if (failed(verifyKind(op, given, target)))
      return failure();
    return verifyFits(op, given, target, problem, getFields(given));
  }
  // What was measured is a whole: a field that is asked for asks the model for
  // the others.
  ScheduleRequest request = getRequest(getFieldOptions());
  ScheduleAttr schedule;
  if (table && request == ScheduleRequest()) {
    FailureOr<ScheduleAttr> measured =
        getMeasured(op->getContext(), target, problem);
    if (failed(measured))
      return failure();
    schedule = *measured;
  }
  StringRef source = schedule ? "table" : "model";
  ScheduleChoice choice =
      schedule ? getFields(schedule) : chooseSchedule(target, problem, request);
  if (!schedule)
    schedule = ScheduleAttr::getChecked(
        [&] { return op->emitOpError("has no valid schedule: "); },
        op->getContext(), choice.br, choice.bc, choice.mr, choice.nr,
        choice.groups, choice.warps, choice.stages, choice.blocks,
        choice.overlap, choice.pingpong, choice.lazy, choice.narrow,
        choice.persistent, choice.tf32, choice.backward, choice.splits);
  if (!schedule || failed(verifyKind(op, schedule, target)) ||
      failed(verifyFits(op, schedule, target, problem, choice)))
    return failure();
  op.setScheduleAttr(schedule);

  remark::analysis(op->getLoc(), remark::RemarkOpts::name("SelectSchedule")
                                     .category("schedule")
                                     .function(getOperation().getName()))
      << remark::add("by the {0}: br = {1}, bc = {2}: tiles take {3} of {4} "
                     "bytes of sram; {5}",
                     source, choice.br, choice.bc,
                     getTileBytes(target, problem, choice), target.getSram(),
                     choice.reason);
  return success();
}

SmallVector<int64_t>
fa::getKeyBounds(ModuleOp module, const FASelectSchedulePassOptions &options) {
  SmallVector<int64_t> bounds;
  if (!options.table || options.maxKeys != 0 ||
      getRequest(options) != ScheduleRequest())
    return bounds;
  module.walk([&](AttentionOpInterface op) {
    StringRef chip =
        getChipFor(op, options.chip, getAlignFor(op, options.align));
    if (!op.getScheduleAttr())
      llvm::append_range(bounds, findKeyBounds(chip, getProblem(op)));
  });
  llvm::sort(bounds);
  bounds.erase(llvm::unique(bounds), bounds.end());
  return bounds;
}

void SelectSchedule::runOnOperation() {
  func::FuncOp func = getOperation();
  // Far more than #fa.schedule takes, and so little that nothing overflows.
  constexpr int64_t kMaxOption = 1 << 20;
  for (Option<int64_t> *option :
       {&br, &bc, &mr, &nr, &groups, &warps, &stages, &blocks, &splits})
    if (*option < 0 || *option > kMaxOption) {
      func.emitError("expected option '")
          << option->getArgStr() << "' to be from 0 to " << kMaxOption
          << " but got " << option->getValue();
      return signalPassFailure();
    }
  for (Option<int64_t> *option : {&overlap, &pingpong, &lazy, &narrow})
    if (*option < -1 || *option > 1) {
      func.emitError("expected option '")
          << option->getArgStr() << "' to be 0, 1 or -1 but got "
          << option->getValue();
      return signalPassFailure();
    }
  if (persistent < -1 || persistent > 2) {
    func.emitError("expected option 'persistent' to be 0, 1, 2 or -1 but got ")
        << persistent.getValue();
    return signalPassFailure();
  }
  for (Option<int64_t> *option : {&sram, &maxKeys})
    if (*option < 0) {
      func.emitError("expected option '")
          << option->getArgStr() << "' to be at least 0 but got "
          << option->getValue();
      return signalPassFailure();
    }
  if (!StringRef(backward).empty() && !symbolizeBackwardDesign(backward)) {
    func.emitError("expected option 'backward' to be two_pass or one_pass but "
                   "got '")
        << backward.getValue() << "'";
    return signalPassFailure();
  }
  if (!llvm::is_contained({0, 2, 4, 8, 16}, align.getValue())) {
    func.emitError(
        "expected option 'align' to be 2, 4, 8 or 16, or 0, but got ")
        << align.getValue();
    return signalPassFailure();
  }
  bool isCPU = StringRef(chip) == "cpu";
  auto target = TargetAttr::getChecked(
      [&] { return func.emitError("has no valid target: "); }, &getContext(),
      StringRef(chip), sram ? sram.getValue() : getDefaultSram(chip),
      isCPU ? vectorBits.getValue() : int64_t(0), /*align=*/int64_t(16),
      maxKeys.getValue());
  if (!target)
    return signalPassFailure();
  WalkResult result = func.walk([&](AttentionOpInterface op) {
    return failed(select(op, target)) ? WalkResult::interrupt()
                                      : WalkResult::advance();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
