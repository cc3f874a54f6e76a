//===- Extras.h - Tables and numbers that regions read ----------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A score function or mask may read tables (slopes, biases, document ids) and
// numbers that are arguments of the kernel besides Q, K, V, O and LSE. Here
// are their values: from flags N:FILE.npy or N:NUMBER to what a launch passes.
//
//===----------------------------------------------------------------------===//

#ifndef FA_RUNTIME_EXTRAS_H
#define FA_RUNTIME_EXTRAS_H

#include "fa/Runtime/HostTensor.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fart {
struct ExtraArgument;

/// One value: a row-major table, or the bits of a number in the low bytes.
struct ExtraValue {
  const HostTensor *table = nullptr;
  int64_t bits = 0;
};

/// By number of the argument.
using ExtraValues = std::map<int64_t, ExtraValue>;

/// The bits of the number `text` of type `dtype`. Fails with a message that
/// begins with `flag`.
Result<int64_t> parseExtraNumber(const std::string &flag,
                                 const std::string &text, DType dtype);

/// Values read from flags. Owns the tables.
class ExtraInputs {
public:
  /// Reads a value for each of `arguments`. Fails if a flag is malformed or
  /// names no argument, if an array does not fit, or if a value is missing.
  Status read(const std::vector<std::string> &flags,
              const std::vector<ExtraArgument> &arguments);

  const ExtraValues &getValues() const { return values; }

private:
  Status readOne(const std::string &flag, const std::string &text,
                 const ExtraArgument &argument);

  ExtraValues values;
  std::vector<std::unique_ptr<HostTensor>> tables;
};

} // namespace fart

#endif // FA_RUNTIME_EXTRAS_H
