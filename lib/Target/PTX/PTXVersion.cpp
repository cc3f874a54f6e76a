//===- PTXVersion.cpp - The lowest PTX version of a module ----------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX of a low version is loaded by more drivers. LLVM knows the lowest version
// of a processor, but not of an instruction: it stops at one that is too new
// for the version it was told. Hence these two tables, of the parts of PTX that
// fa's kernels use, after the PTX ISA's release notes.
//
//===----------------------------------------------------------------------===//

#include "PTXVersion.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::fa;

unsigned fa::getLowestPTXVersion(StringRef chip) {
  StringRef number = chip;
  number.consume_front("sm_");
  bool archSpecific = number.consume_back("a");
  bool familySpecific = number.consume_back("f");
  if (familySpecific)
    return number == "110" ? 90 : 88;
  return llvm::StringSwitch<unsigned>(number)
      .Case("87", 74)
      .Case("89", 78)
      .Case("90", archSpecific ? 80 : 78)
      .Cases({"100", "101"}, 86)
      .Case("120", 87)
      .Cases({"103", "121"}, 88)
      .Cases({"88", "110"}, 90)
      .Default(71);
}

namespace {
struct Feature {
  StringRef name; ///< An intrinsic, or a piece of inline assembly.
  unsigned version;
};
} // namespace

/// Intrinsics by the beginning of their names.
static constexpr Feature intrinsics[] = {
    // The destination .shared::cta of bulk copies.
    {"llvm.nvvm.cp.async.bulk.tensor.g2s.cta", 86},
    {"llvm.nvvm.cp.async.bulk.global.to.shared.cta", 86},
    {"llvm.nvvm.cp.async.bulk", 80},
    {"llvm.nvvm.stmatrix", 78},
    {"llvm.nvvm.mbarrier.try.wait", 78},
    {"llvm.nvvm.fence.proxy", 80},
    {"llvm.nvvm.setmaxnreg", 80},
    {"llvm.nvvm.elect.sync", 80},
};

/// Pieces of inline assembly.
static constexpr Feature instructions[] = {
    {".shared::cta.global", 86}, {"wgmma.", 80},     {"setmaxnreg", 80},
    {"fence.proxy.async", 80},   {"stmatrix", 78},   {"mbarrier.try_wait", 78},
    {"fence.mbarrier_init", 80}, {"elect.sync", 80}, {"griddepcontrol", 78}};

unsigned fa::getNeededPTXVersion(const llvm::Module &module, StringRef chip) {
  unsigned version = getLowestPTXVersion(chip);
  for (const llvm::Function &function : module) {
    if (function.isIntrinsic())
      for (const Feature &feature : intrinsics)
        if (function.getName().starts_with(feature.name))
          version = std::max(version, feature.version);
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      const auto *call = dyn_cast<llvm::CallInst>(&instruction);
      if (!call || !call->isInlineAsm())
        continue;
      StringRef text =
          cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString();
      for (const Feature &feature : ::instructions)
        if (text.contains(feature.name))
          version = std::max(version, feature.version);
    }
    // A tensor map as a kernel parameter is read through cvta.param.
    for (const llvm::Argument &argument : function.args())
      if (argument.hasByValAttr())
        version = std::max(version, 77u);
  }
  return version;
}

std::string fa::formatPTXVersion(unsigned version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}
