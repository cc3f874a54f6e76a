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
  int64_t maxKeys;        // 0: for any number.
  StringLiteral schedule; // As the attribute is written in IR.
};
} // namespace

static constexpr Row rows[] = {
#define FA_SCHEDULE(chip, elementBytes, headDim, headDimV, mask, schedule)     \
  {chip, elementBytes, headDim, headDimV, mask, /*maxKeys=*/0, schedule},
#define FA_SCHEDULE_UP_TO(maxKeys, chip, elementBytes, headDim, headDimV,      \
                          mask, schedule)                                      \
  {chip, elementBytes, headDim, headDimV, mask, maxKeys, schedule},
#include "Schedules.def"
#undef FA_SCHEDULE_UP_TO
#undef FA_SCHEDULE
};

/// All rows of `problem`.
static SmallVector<const Row *> findRows(StringRef chip,
                                         const ScheduleProblem &problem) {
  SmallVector<const Row *> found;
  // A known number of keys is another program (fa-tile), and a gradient is one.
  // A window's loops have bounds on both sides, which take registers.
  if (problem.hasRegions || problem.hasStaticKeys || problem.isBackward ||
      problem.isWindow)
    return found;
  for (const Row &row : rows)
    if (row.chip == chip && row.elementBytes == problem.elementBytes &&
        row.headDim == problem.headDim && row.headDimV == problem.headDimV &&
        (row.mask == Masked) == problem.isMasked)
      found.push_back(&row);
  return found;
}

std::optional<StringRef>
fa::findMeasuredSchedule(TargetAttr target, const ScheduleProblem &problem) {
  const Row *best = nullptr;
  // Narrower copies are another program, with addresses of its own.
  if (target.getAlign() != 16)
    return std::nullopt;
  for (const Row *row : findRows(target.getChip(), problem)) {
    bool covers = row->maxKeys == 0 || (target.getMaxKeys() != 0 &&
                                        target.getMaxKeys() <= row->maxKeys);
    bool isNarrower = best && row->maxKeys != 0 &&
                      (best->maxKeys == 0 || row->maxKeys < best->maxKeys);
    if (covers && (!best || isNarrower))
      best = row;
  }
  return best ? std::optional<StringRef>(best->schedule) : std::nullopt;
}

SmallVector<int64_t> fa::findKeyBounds(StringRef chip,
                                       const ScheduleProblem &problem) {
  SmallVector<int64_t> bounds;
  for (const Row *row : findRows(chip, problem))
    if (row->maxKeys != 0)
      bounds.push_back(row->maxKeys);
  return bounds;
}
