//===- Report.h - What fa-launch prints -------------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_TOOLS_FALAUNCH_REPORT_H
#define FA_TOOLS_FALAUNCH_REPORT_H

#include "Launcher.h"

#include <nlohmann/json.hpp>

#include <ostream>

namespace fart {

/// A few lines for people.
void printReport(const LaunchReport &report, const cuda::DeviceInfo &device,
                 std::ostream &os);

/// One line: verdict, name, problem, and the time if it was measured.
void printSummary(const std::string &name, const LaunchReport &report,
                  std::ostream &os);

/// The same and more for programs.
nlohmann::ordered_json makeJSON(const LaunchReport &report,
                                const cuda::DeviceInfo &device);

/// What a launch would pass, for --dry-run.
void printPlan(const Package &package, const Problem &problem,
               const PackageKernel &kernel, const LaunchPlan &plan,
               std::ostream &os);

} // namespace fart

#endif // FA_TOOLS_FALAUNCH_REPORT_H
