//===- Report.h - What fa-run prints ----------------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_TOOLS_FARUN_REPORT_H
#define FA_TOOLS_FARUN_REPORT_H

#include "Runner.h"
#include "llvm/Support/JSON.h"

namespace mlir::fa {

/// A few lines for people.
void printReport(const RunReport &report, raw_ostream &os);

/// One line: the problem, the time and the verdict.
void printSummary(StringRef name, const RunReport &report, raw_ostream &os);

/// The same and more for programs.
llvm::json::Object makeJSON(const RunReport &report);

} // namespace mlir::fa

#endif // FA_TOOLS_FARUN_REPORT_H
