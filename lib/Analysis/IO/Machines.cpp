//===- Machines.cpp - Rooflines of GPUs by name ---------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Analysis/Machines.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fa;

ArrayRef<Machine> fa::getMachines() {
  constexpr double kTera = 1e12;
  constexpr int64_t kKiB = 1024;
  // NVIDIA's data sheets: A100 (SXM, 80 and 40 GB), H100 and H200 (SXM), B200,
  // L40S; RTX 4090 from the Ada white paper (sums in f32).
  static constexpr Machine machines[] = {
      {"a100", "sm_80", 312 * kTera, 2.039 * kTera, 163 * kKiB},
      {"a100-40gb", "sm_80", 312 * kTera, 1.555 * kTera, 163 * kKiB},
      {"h100", "sm_90a", 989.4 * kTera, 3.35 * kTera, 227 * kKiB},
      {"h200", "sm_90a", 989.4 * kTera, 4.8 * kTera, 227 * kKiB},
      {"b200", "sm_100", 2250 * kTera, 8.0 * kTera, 227 * kKiB},
      {"l40s", "sm_89", 362 * kTera, 0.864 * kTera, 99 * kKiB},
      {"rtx4090", "sm_89", 165.2 * kTera, 1.008 * kTera, 99 * kKiB},
  };
  return machines;
}

const Machine *fa::findMachine(StringRef name) {
  const auto *found = llvm::find_if(
      getMachines(), [&](const Machine &m) { return m.name == name; });
  return found == getMachines().end() ? nullptr : found;
}
