//===- Runner.h - Compiles, runs, checks and times one problem --*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_TOOLS_FARUN_RUNNER_H
#define FA_TOOLS_FARUN_RUNNER_H

#include "../common/ProblemFlags.h"
#include "fa/Runtime/Reference.h"
#include "fa/Target/CPU/CPUKernel.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::fa {

/// What to run. Strings are as on the command line.
struct RunOptions {
  FlagValues shape;
  FlagValues tiles;
  std::string input;               ///< A .mlir file; empty: from the shape.
  std::string level = "fused";     ///< naive, nest or fused
  std::string query, key, value;   ///< .npy files; empty: random.
  std::string output, lse;         ///< .npy files to write, if not empty.
  std::vector<std::string> extras; ///< N:FILE.npy or N:NUMBER
  std::string layout = "bhsd";     ///< bhsd or bshd
  std::string dumpDir;
  uint64_t seed = 0;
  bool check = false;
  bool bench = false;
};

/// What came out.
struct RunReport {
  AttentionProblem problem;
  std::string level;
  unsigned threads = 1;
  CPUKernel::CompileTime compileTime;
  double runSeconds = 0; ///< Median, if there was more than one run.
  double minSeconds = 0;
  int64_t numRuns = 1;
  /// Memory that the tensors made here and the runs took, at the peak.
  std::optional<int64_t> peakBytes;
  std::optional<fart::CheckResult> check;

  double getGFlops() const { return problem.getFlops() / runSeconds * 1e-9; }
};

/// Runs problems one after the other; kernels are compiled once.
class Runner {
public:
  /// `threads` = 0: one for each hardware thread.
  explicit Runner(unsigned threads);

  llvm::Expected<RunReport> run(const RunOptions &options);

private:
  struct Inputs;

  llvm::Expected<OwningOpRef<ModuleOp>> getModule(const RunOptions &options,
                                                  ProblemSpec &spec);
  /// The kernel of `module` at the level of `options`, from the cache if it was
  /// asked for before.
  llvm::Expected<const CPUKernel *> getKernel(ModuleOp module, StringRef name,
                                              const RunOptions &options);

  MLIRContext context;
  fart::ThreadPool pool;
  llvm::StringMap<std::unique_ptr<CPUKernel>> kernels;
};

} // namespace mlir::fa

#endif // FA_TOOLS_FARUN_RUNNER_H
