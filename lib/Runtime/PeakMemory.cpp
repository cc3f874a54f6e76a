//===- PeakMemory.cpp - Memory that a piece of work takes -----------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/PeakMemory.h"

#include <algorithm>
#include <fstream>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace fart;

/// The entry `key` of /proc/self/status, which is in kB.
static std::optional<int64_t> readStatus(const std::string &key) {
  std::ifstream stream("/proc/self/status");
  for (std::string word; stream >> word;) {
    int64_t kilobytes;
    if (word == key + ":" && stream >> kilobytes)
      return kilobytes * 1024;
  }
  return std::nullopt;
}

PeakMemory::PeakMemory() {
#ifdef __GLIBC__
  // What was freed before must not serve the work unnoticed.
  malloc_trim(0);
#endif
  // Sets the high-water mark of the process back to what it has now.
  std::ofstream reset("/proc/self/clear_refs");
  if (reset << "5" << std::flush)
    base = readStatus("VmRSS");
}

std::optional<int64_t> PeakMemory::getBytes() const {
  std::optional<int64_t> peak = readStatus("VmHWM");
  if (!base || !peak)
    return std::nullopt;
  return std::max<int64_t>(*peak - *base, 0);
}
