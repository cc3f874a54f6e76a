//===- ScheduleTable.cpp - Schedules that were measured -------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleModel.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
enum MaskColumn : bool { Full, Masked };

struct Row {
  StringLiteral chip;
  int64_t elementBytes, headDim, headDimV;
  MaskColumn mask;
  StringLiteral schedule; // As the attribute is written in IR.
};
} // namespace

static constexpr Row rows[] = {
#define FA_SCHEDULE(chip, elementBytes, headDim, headDimV, mask, schedule)     \
  {chip, elementBytes, headDim, headDimV, mask, schedule},
#include "Schedules.def"
#undef FA_SCHEDULE
};

std::optional<StringRef>
fa::findMeasuredSchedule(TargetAttr target, const ScheduleProblem &problem) {
  // A known number of keys is another program (fa-tile), and a gradient is one.
  if (problem.hasRegions || problem.hasStaticKeys || problem.isBackward)
    return std::nullopt;
  for (const Row &row : rows)
    if (row.chip == target.getChip() &&
        row.elementBytes == problem.elementBytes &&
        row.headDim == problem.headDim && row.headDimV == problem.headDimV &&
        (row.mask == Masked) == problem.isMasked)
      return row.schedule;
  return std::nullopt;
}
