//===- PTXVersion.h - The lowest PTX version of a module --------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Versions are 10 times those of the PTX ISA: 80 for 8.0.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TARGET_PTX_PTXVERSION_H
#define FA_LIB_TARGET_PTX_PTXVERSION_H

#include "mlir/Support/LLVM.h"

#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::fa {

/// The lowest version that knows `chip`; 71 for a chip that is older than that.
unsigned getLowestPTXVersion(StringRef chip);

/// The lowest version for the instructions of `module` on `chip`.
unsigned getNeededPTXVersion(const llvm::Module &module, StringRef chip);

/// "8.0" for 80.
std::string formatPTXVersion(unsigned version);

} // namespace mlir::fa

#endif // FA_LIB_TARGET_PTX_PTXVERSION_H
