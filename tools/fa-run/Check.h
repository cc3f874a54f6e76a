//===- Check.h - Results of a kernel against the reference ------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_TOOLS_FARUN_CHECK_H
#define FA_TOOLS_FARUN_CHECK_H

#include "Runner.h"

namespace mlir::fa {

/// Compares what a kernel wrote to `arguments` with the fp64 reference, with
/// the regions of `func` evaluated on the host, and states in `report` what
/// came out. Compares at most `maxRows` rows, or about a second's worth. Fails
/// if the reference does not know an op of a region.
llvm::Error checkResults(const AttentionProblem &problem, AttentionFunc &func,
                         KernelArguments &arguments,
                         std::optional<int64_t> maxRows, fart::ThreadPool &pool,
                         RunReport &report);

} // namespace mlir::fa

#endif // FA_TOOLS_FARUN_CHECK_H
