//===- Machines.h - Rooflines of GPUs by name -------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_ANALYSIS_MACHINES_H
#define FA_ANALYSIS_MACHINES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdint>

namespace mlir::fa {

/// What bounds a kernel on a GPU, from the vendor's data sheets.
struct Machine {
  StringRef name;
  StringRef chip; ///< What it is compiled for.
  /// Dense products of f16 and bf16 with sums in f32, per second.
  double flopsPerSecond;
  double bytesPerSecond; ///< Of HBM (or GDDR).
  int64_t sramBytes;     ///< That one block may have.

  /// Seconds that a problem takes at least.
  double getSeconds(double flops, double bytes) const {
    return std::max(flops / flopsPerSecond, bytes / bytesPerSecond);
  }
  /// FLOP a byte below which memory is the bound.
  double getRidge() const { return flopsPerSecond / bytesPerSecond; }
};

ArrayRef<Machine> getMachines();

/// The machine called `name`, or null.
const Machine *findMachine(StringRef name);

} // namespace mlir::fa

#endif // FA_ANALYSIS_MACHINES_H
