//===- Suite.h - Many problems in one process -------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A suite is a JSON array of objects. The keys of an object are the names of
// flags, without dashes, and `name`:
//
//   [{"name": "masked rows", "seq-q": 70, "seq-kv": 33, "mask": "causal"},
//    {"name": "soft-cap", "input": "softcap.mlir", "level": "naive"}]
//
// Kernels that differ only in dynamic sizes are compiled once.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TOOLS_FARUN_SUITE_H
#define FA_TOOLS_FARUN_SUITE_H

#include "Runner.h"

namespace mlir::fa {

/// One problem of a suite.
struct SuiteCase {
  std::string name;
  RunOptions options;
};

/// Reads the suite at `path`. Every case starts as `defaults`. A relative
/// `input` is looked for beside the suite.
llvm::Expected<std::vector<SuiteCase>> readSuite(StringRef path,
                                                 const RunOptions &defaults);

/// Sets the option that the flag --`name` stands for. Fails for unknown names.
llvm::Error setOption(RunOptions &options, StringRef name, StringRef value);

} // namespace mlir::fa

#endif // FA_TOOLS_FARUN_SUITE_H
