//===- ScheduleModel.h - What fits on a target ------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to fa-select-schedule: the resource model of each kind of target, and
// what was measured to be better (Schedules.def).
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TRANSFORMS_SCHEDULEMODEL_H
#define FA_LIB_TRANSFORMS_SCHEDULEMODEL_H

#include "fa/IR/FA.h"

#include <optional>
#include <string>

namespace mlir::fa {

/// The fields that a user asked for; 0 or nothing where the model chooses.
struct ScheduleRequest {
  int64_t br = 0, bc = 0, mr = 0, nr = 0, groups = 0, warps = 0, stages = 0,
          blocks = 0;
  std::optional<bool> overlap, pingpong, lazy, narrow;
  std::optional<int64_t> persistent;
  bool tf32 = false;
  std::optional<BackwardDesign> backward;
  int64_t splits = 0;

  bool operator==(const ScheduleRequest &) const = default;
};

/// The sizes of a problem that a schedule depends on.
struct ScheduleProblem {
  int64_t headDim, headDimV;
  int64_t elementBytes;
  bool isMasked;      // by a band or a region, beyond the ends of the tensors
  bool isWindow;      // by a band that ends on both sides
  bool hasRegions;    // score or mask functions of the user's
  bool hasStaticKeys; // the number of keys is known
  bool isBackward;
};

/// A choice, not yet verified, and the reason for it.
struct ScheduleChoice {
  int64_t br, bc, mr = 0, nr = 0, groups = 1, warps = 1, stages = 1, blocks = 1;
  bool overlap = false, pingpong = false, lazy = false, narrow = false;
  int64_t persistent = 0;
  bool tf32 = false;
  BackwardDesign backward = BackwardDesign::TwoPass;
  int64_t splits = 1;
  std::string reason;
};

/// Bytes of fast memory of a known target: L2 of a core, or the workgroup
/// memory that one block may have (CUDA C++ Programming Guide, table of
/// technical specifications).
int64_t getDefaultSram(StringRef chip);

/// Bytes that the tiles of one block take with the given choice.
int64_t getTileBytes(TargetAttr target, const ScheduleProblem &problem,
                     const ScheduleChoice &choice);

/// Chooses what `request` leaves open.
ScheduleChoice chooseSchedule(TargetAttr target, const ScheduleProblem &problem,
                              const ScheduleRequest &request);

/// The text of the schedule in Schedules.def, if there is one: that of the
/// narrowest row which covers the keys that `target` promises.
std::optional<StringRef> findMeasuredSchedule(TargetAttr target,
                                              const ScheduleProblem &problem);
/// The bounds of the rows in Schedules.def that are for at most so many keys.
SmallVector<int64_t> findKeyBounds(StringRef chip,
                                   const ScheduleProblem &problem);

} // namespace mlir::fa

#endif // FA_LIB_TRANSFORMS_SCHEDULEMODEL_H
