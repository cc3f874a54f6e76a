//===- Suite.h - Many problems in one file ----------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A suite is a JSON array of objects. The keys of an object are the names of
// flags, without dashes, and `name`:
//
//   [{"name": "masked rows", "seq-q": 70, "seq-kv": 33},
//    {"name": "long", "seq-q": 8192, "bench": true}]
//
//===----------------------------------------------------------------------===//

#ifndef FA_RUNTIME_SUITE_H
#define FA_RUNTIME_SUITE_H

#include "fa/Runtime/Result.h"

#include <string>
#include <utility>
#include <vector>

namespace fart {

struct SuiteCase {
  std::string name; ///< "case 3" if the suite gives none.
  /// Flags in the order of their names; an array gives one entry an element.
  std::vector<std::pair<std::string, std::string>> flags;
};

/// Reads the suite at `path`. Values are as on a command line.
Result<std::vector<SuiteCase>> readSuite(const std::string &path);

} // namespace fart

#endif // FA_RUNTIME_SUITE_H
