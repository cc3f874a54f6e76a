//===- PTX.h - From the LLVM dialect to PTX text ----------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module in the LLVM and NVVM dialects becomes PTX through LLVM's NVPTX back
// end alone: no libdevice, and LLVM's optimiser only where it is asked for. A
// module that would need a function from outside is an error.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TARGET_PTX_H
#define FA_TARGET_PTX_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace mlir {
class DialectRegistry;
class Operation;

namespace fa {

struct PTXOptions {
  /// Level of LLVM's optimiser before code generation, 1 to 3. 0 leaves it out.
  /// By default 1, which saves registers, but 0 for sm_90a: wgmma is inline
  /// assembly, which LLVM does not know to be convergent.
  std::optional<unsigned> optLevel;
  /// Whether machine instructions may sink into later blocks. That can move the
  /// conversion of P past a rare branch and off the shadow of the exponentials.
  bool machineSink = true;
};

/// Translates `module`, which holds the LLVM dialect (a builtin module or a
/// gpu.module), for the processor `chip` ("sm_80", "sm_90a"). `ptxVersion` is
/// 10 times the version of the PTX ISA; 0 means the lowest that the code needs.
/// Code generation never ends the process: what it cannot select is an error.
llvm::Expected<std::string> translateToPTX(Operation *module, StringRef chip,
                                           unsigned ptxVersion = 0,
                                           const PTXOptions &options = {});

/// Registers what the translation asks of each dialect; `translateToPTX` does
/// it itself where it is missing.
void registerPTXTranslation(DialectRegistry &registry);

} // namespace fa
} // namespace mlir

#endif // FA_TARGET_PTX_H
