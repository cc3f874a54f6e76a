//===- ScheduleModel.cpp - What fits on a target --------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleModel.h"

#include "TileLayout.h"
#include "fagpu/IR/FAGPU.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fa;

int64_t fa::getDefaultSram(StringRef chip) {
  constexpr int64_t kKiB = 1024;
  return llvm::StringSwitch<int64_t>(chip)
      .Case("sm_80", 163 * kKiB)
      .Cases({"sm_86", "sm_89", "sm_120"}, 99 * kKiB)
      .Cases({"sm_90", "sm_90a", "sm_100"}, 227 * kKiB)
      .Default(1024 * kKiB);
}

/// The largest divisor of `size` that is at most `limit`.
static int64_t getDivisorAtMost(int64_t size, int64_t limit) {
  for (int64_t divisor = std::min(size, limit); divisor > 1; --divisor)
    if (size % divisor == 0)
      return divisor;
  return 1;
}

int64_t fa::getTileBytes(TargetAttr target, const ScheduleProblem &problem,
                         const ScheduleChoice &choice) {
  int64_t br = choice.br, bc = choice.bc;
  // CPU, in f32, backward: K, V, dK and dV of a key tile; Q and dO of a query
  // tile, as they are and transposed, and dQ; S, P, dP, dS and what is rounded.
  if (target.isCPU() && problem.isBackward)
    return 4 * ((2 * bc + 3 * br) * problem.headDim +
                (2 * bc + 2 * br) * problem.headDimV + 6 * br * bc);
  // CPU, in f32: Q_i, K_j, V_j, S_ij with P_ij, O_i.
  if (target.isCPU())
    return 4 *
           (br * problem.headDim + bc * (problem.headDim + problem.headDimV) +
            2 * br * bc + br * problem.headDimV);
  // GPU: Q_i and a ring of K_j and V_j, in chunks.
  auto tileBytes = [&](int64_t rows, TileUse use, int64_t columns) {
    return chooseTileLayout(use, columns, problem.elementBytes, choice.narrow)
        .getTileBytes(rows, columns, problem.elementBytes);
  };
  return std::max<int64_t>(choice.persistent, 1) *
             tileBytes(br, TileUse::QueryOrKey, problem.headDim) +
         choice.stages * (tileBytes(bc, TileUse::QueryOrKey, problem.headDim) +
                          tileBytes(bc, TileUse::Value, problem.headDimV));
}

/// Two registers wide, and accumulators in half of the registers (32 with
/// AVX-512, else 16): enough independent FMAs to hide their latency, and room
/// for the operands.
static ScheduleChoice chooseForCPU(TargetAttr target,
                                   const ScheduleProblem &problem,
                                   const ScheduleRequest &request) {
  int64_t nr = request.nr ? request.nr : 2 * target.getVectorBits() / 32;
  int64_t mr = request.mr ? request.mr : target.getVectorBits() == 512 ? 8 : 4;

  // Halve B_c, then B_r, until the tiles fit.
  ScheduleChoice choice;
  choice.br = request.br ? request.br : 64;
  choice.bc = request.bc ? request.bc : 64;
  auto fits = [&] {
    return getTileBytes(target, problem, choice) <= target.getSram();
  };
  while (!request.bc && !fits() && choice.bc > nr)
    choice.bc /= 2;
  while (!request.br && !fits() && choice.br > mr)
    choice.br /= 2;
  choice.mr = request.mr ? request.mr : getDivisorAtMost(choice.br, mr);
  choice.nr = request.nr ? request.nr : getDivisorAtMost(choice.bc, nr);
  choice.groups = request.groups ? request.groups : 1;
  choice.warps = request.warps ? request.warps : 1;
  choice.stages = request.stages ? request.stages : 1;
  if (problem.isBackward) {
    // One pass does five products instead of seven. A few splits give threads
    // enough to do where there are few heads, at the price of a dQ in f32 each.
    constexpr int64_t kSplits = 4;
    choice.backward = request.backward.value_or(BackwardDesign::OnePass);
    bool isOnePass = choice.backward == BackwardDesign::OnePass;
    choice.splits = request.splits ? request.splits : isOnePass ? kSplits : 1;
  }
  choice.reason =
      llvm::formatv("register tile of {0} x {1} for {2}-bit vectors", choice.mr,
                    choice.nr, target.getVectorBits());
  return choice;
}

/// wgmma: row groups of one warpgroup with 64 rows each. More groups hide more
/// of the softmax behind the products of others, but leave a thread fewer
/// registers (docs/Rationale.md): 240, 160 or 112 with 2, 3 or 4 groups. With
/// products that overlap it needs B_c/2 for S, B_c/4 for P, D_v/2 for O and 28
/// for the rest. Where the mask makes blocks unequal, short rows gain from the
/// fourth group. A user's function is computed for all scores of a thread at
/// once, with values of its own for each: it gets the registers of two groups,
/// tiles of 64 keys, and no overlap. Nor has it where the number of keys is
/// known: fa-overlap-products needs the loop over edge tiles, which is then
/// taken apart if it runs once.
///
/// Blocks take query tiles in turn wherever products overlap: the start and the
/// end of a tile are hidden behind others. That takes some registers more,
/// which a window, whose loops end on both sides, does not leave, nor do three
/// or four groups where Q and K have more than 192 columns, and more steps in
/// their product. Four groups have no registers for where a second tile of Q
/// would be.
static ScheduleChoice chooseForHopper(TargetAttr target,
                                      const ScheduleProblem &problem,
                                      const ScheduleRequest &request) {
  ScheduleChoice choice;
  choice.mr = request.mr;
  choice.nr = request.nr;
  int64_t headDim = problem.headDimV;
  int64_t groups = headDim <= 72 && problem.isMasked ? 4
                   : headDim <= 160                  ? 3
                                                     : 2;
  if (problem.hasRegions)
    groups = 2;
  choice.groups = request.groups ? request.groups : groups;
  choice.warps = request.warps ? request.warps : 4;
  choice.stages = request.stages ? request.stages : 2;
  choice.br = request.br ? request.br : 64 * choice.groups;
  choice.overlap =
      request.overlap.value_or(!problem.hasRegions && !problem.hasStaticKeys);
  choice.pingpong =
      request.pingpong.value_or(choice.overlap && choice.groups > 1);
  // With 64 columns of O and three groups the branch costs more than it saves.
  choice.lazy = request.lazy.value_or(choice.overlap &&
                                      !(headDim <= 64 && choice.groups == 3));
  // Below 64 columns nothing was measured to gain.
  choice.narrow = request.narrow.value_or(
      problem.headDim > 64 &&
      chooseTileLayout(TileUse::QueryOrKey, problem.headDim,
                       problem.elementBytes, /*narrow=*/true)
          .isNarrow());
  // Larger tiles were no faster where they fit, and what a mask takes more than
  // the rule says does not fit past 128 columns.
  bool isTight = headDim > 128 && problem.isMasked;
  int64_t mostKeys = choice.groups >= 3 && !isTight ? 128 : 64;
  choice.bc = request.bc ? request.bc : mostKeys;
  bool hasRoom =
      !problem.isWindow && (choice.groups <= 2 || problem.headDim <= 192);
  choice.persistent = request.persistent.value_or(
      choice.overlap && choice.groups > 1 && hasRoom ? 1 : 0);
  int64_t limit =
      ScheduleAttr::getGroupRegisters(choice.groups, choice.persistent);
  auto registers = [&] {
    return choice.bc / 2 + headDim / 2 +
           (choice.overlap ? choice.bc / 4 + 28 : 32);
  };
  while (!request.bc && choice.bc > 16 &&
         (registers() > limit ||
          getTileBytes(target, problem, choice) > target.getSram()))
    choice.bc -= 16;
  // The next tile of Q, where it fits beside this one, is loaded early.
  if (!request.persistent && choice.persistent == 1 && choice.groups < 4) {
    choice.persistent = 2;
    // Two barriers for each stage of K, V and Q.
    int64_t barriers = 16 * 2 * (choice.stages + choice.groups);
    if (getTileBytes(target, problem, choice) + barriers +
            fagpu::kMailboxBytes >
        target.getSram())
      choice.persistent = 1;
  }
  choice.reason =
      llvm::formatv("{0} of {1} registers a thread", registers(), limit);
  return choice;
}

/// mma.sync. What bounds it from sm_90 on is the SRAM that ldmatrix reads: two
/// blocks of 16 rows a warp halve that, as far as registers suffice, and 4
/// warps then have 128 rows. A thread needs B_c/2 for S, B_c/4 for P and D_v/2
/// for O in each block of rows (and some of all for what ptxas moves ahead),
/// and about 65 for the rest. Two blocks of threads share a multiprocessor, so
/// that the softmax of one runs beside the products of the other: one stage is
/// better than one block. Beyond a head dim of 192 there is one block of 8
/// warps with 16 rows each.
///
/// f32 is as wide in SRAM as two 16-bit elements, and P stays as wide as S.
static ScheduleChoice chooseForMmaSync(TargetAttr target,
                                       const ScheduleProblem &problem,
                                       const ScheduleRequest &request) {
  // A multiprocessor has 1 KiB more than one block may take, and keeps as much
  // for itself with each block.
  constexpr int64_t kReserved = 1024;
  bool isF32 = problem.elementBytes == 4;
  // The code for sm_100 and sm_120 needs some more registers for the rest.
  bool isBlackwell =
      target.getChip() == "sm_100" || target.getChip() == "sm_120";
  bool hasTwoRowBlocks = problem.headDimV <= (isF32         ? 64
                                              : isBlackwell ? 80
                                                            : 128) &&
                         !problem.hasRegions;
  ScheduleChoice choice;
  choice.mr = request.mr;
  choice.nr = request.nr;
  choice.groups = request.groups ? request.groups : 1;
  // Two blocks of 64 rows, if their tiles fit, beat one of 128.
  auto getBytesFor64Rows = [&] {
    ScheduleChoice narrow;
    narrow.br = narrow.bc = 64;
    return getTileBytes(target, problem, narrow);
  };
  bool hasFourWarps =
      hasTwoRowBlocks || isF32 ||
      (!isBlackwell && problem.headDimV > 128 && problem.headDimV <= 192 &&
       2 * getBytesFor64Rows() + kReserved <= target.getSram());
  choice.warps = request.warps ? request.warps : hasFourWarps ? 4 : 8;
  // Rows that are no power of two of units are copied in parts, each with an
  // address of its own: beside tiles of 64 keys one stage takes fewer
  // registers.
  bool copiesInParts = problem.headDim % 32 != 0;
  bool wantsOneStage =
      problem.headDimV > 192 ||
      (hasTwoRowBlocks && copiesInParts && problem.headDimV <= 80);
  choice.stages = request.stages ? request.stages : wantsOneStage ? 1 : 2;
  int64_t rowBlocks = hasTwoRowBlocks && choice.warps <= 4 ? 2 : 1;
  auto chooseRows = [&] {
    int64_t rows = 16 * choice.warps * choice.groups;
    choice.br = request.br ? request.br : rows * rowBlocks;
    rowBlocks = std::max<int64_t>(choice.br / rows, 1);
  };
  chooseRows();
  auto getRegisters = [&] {
    return rowBlocks * (choice.bc / 2 + choice.bc / (isF32 ? 2 : 4) +
                        problem.headDimV * 11 / 20);
  };
  // Copies of less than a unit have more addresses.
  bool hasNarrowCopies = copiesInParts && target.getAlign() < 16;
  int64_t registerLimit = rowBlocks > 1 && isBlackwell ? 150
                          : hasNarrowCopies            ? 180
                                                       : 190;
  int64_t most = isF32 || problem.hasRegions       ? 32
                 : rowBlocks > 1 && !copiesInParts ? 80
                                                   : 64;
  choice.bc = request.bc ? request.bc : most;
  while (!request.bc && choice.bc > 32 && getRegisters() > registerLimit)
    choice.bc -= 16;

  auto fits = [&](int64_t blocks) {
    return blocks * (getTileBytes(target, problem, choice) + kReserved) <=
           target.getSram() + kReserved;
  };
  int64_t wantedBlocks = choice.warps * choice.groups <= 4 ? 2 : 1;
  if (!request.stages && !fits(wantedBlocks))
    choice.stages = 1;
  if (!request.warps && !request.br && choice.warps == 8 && !fits(1)) {
    choice.warps = 4;
    chooseRows();
    wantedBlocks = 1;
  }
  while (!request.bc && choice.bc > 32 && !fits(wantedBlocks))
    choice.bc -= 16;
  while (!request.bc && choice.bc > 16 && !fits(1))
    choice.bc -= 16;

  constexpr int64_t kRegisterFile = 65536;
  int64_t threads = 32 * choice.warps * choice.groups;
  int64_t registers = getRegisters() + 48;
  choice.blocks = request.blocks                             ? request.blocks
                  : threads <= 128                           ? 2
                  : 2 * threads * registers <= kRegisterFile ? 2
                                                             : 1;
  choice.reason = llvm::formatv(
      "{0} warps of {1} rows, {2} blocks a multiprocessor with {3} "
      "registers a thread",
      choice.warps, 16 * rowBlocks, choice.blocks, registers);
  return choice;
}

ScheduleChoice fa::chooseSchedule(TargetAttr target,
                                  const ScheduleProblem &problem,
                                  const ScheduleRequest &request) {
  if (target.isHopper()) {
    ScheduleChoice choice = chooseForHopper(target, problem, request);
    choice.tf32 = request.tf32;
    return choice;
  }
  ScheduleChoice choice = target.isCPU()
                              ? chooseForCPU(target, problem, request)
                              : chooseForMmaSync(target, problem, request);
  // Of sm_90a alone: fa-select-schedule tells who asked for them.
  choice.overlap = request.overlap.value_or(false);
  choice.pingpong = request.pingpong.value_or(false);
  choice.lazy = request.lazy.value_or(false);
  choice.narrow = request.narrow.value_or(false);
  choice.persistent = request.persistent.value_or(0);
  choice.tf32 = request.tf32;
  return choice;
}
