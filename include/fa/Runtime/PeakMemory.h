//===- PeakMemory.h - Memory that a piece of work takes ---------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_RUNTIME_PEAKMEMORY_H
#define FA_RUNTIME_PEAKMEMORY_H

#include <cstdint>
#include <optional>

namespace fart {

/// Measures how far the resident memory of the process rises above what it was
/// at the construction.
class PeakMemory {
public:
  PeakMemory();

  /// Bytes at the highest point since the construction, or nothing where the
  /// operating system does not say (only Linux does).
  std::optional<int64_t> getBytes() const;

private:
  std::optional<int64_t> base;
};

} // namespace fart

#endif // FA_RUNTIME_PEAKMEMORY_H
