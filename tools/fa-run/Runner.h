//===- Runner.h - Compiles, runs, checks and times one problem --*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_TOOLS_FARUN_RUNNER_H
#define FA_TOOLS_FARUN_RUNNER_H

#include "../common/ProblemFlags.h"
#include "fa/Runtime/GpuAttention.h"
#include "fa/Runtime/ReferenceBackward.h"
#include "fa/Target/CPU/CPUKernel.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::fa {
class GPURunner;
class KernelArguments;
struct AttentionFunc;
struct GPUKernel;

/// What to run. Strings are as on the command line.
struct RunOptions {
  FlagValues shape;
  FlagValues tiles;
  std::string target = "auto";     ///< auto, cpu or a GPU such as sm_90a
  std::string input;               ///< A .mlir file; empty: from the shape.
  std::string level = "fused";     ///< naive, nest or fused
  bool keysOutside = false;        ///< The loop order of the first paper.
  std::string query, key, value;   ///< .npy files; empty: random.
  std::string outputGrad, lseGrad; ///< The same of dO and dLSE.
  std::string output, lse;         ///< .npy files to write, if not empty.
  std::string queryGrad, keyGrad, valueGrad;
  std::vector<std::string> extras; ///< N:FILE.npy or N:NUMBER
  std::string layout = "bhsd";     ///< bhsd or bshd
  std::string dumpDir;
  /// What only a GPU has: views of padded buffers, repeats, a time limit. The
  /// other members are set when it runs.
  fart::GpuRunOptions gpu;
  std::vector<std::string> gpuFlags; ///< The names of those that were given.
  std::optional<int64_t> checkRows;  ///< At most so many are compared.
  uint64_t seed = 0;
  bool backward = false;
  bool noLse = false;
  bool check = false;
  bool bench = false;
};

/// What came out of a GPU.
struct GPUReport {
  fart::cuda::DeviceInfo device;
  fart::PackageKernel kernel;
  double pipelineSeconds = 0; ///< Of compilation: the passes of MLIR.
  double ptxSeconds = 0;      ///< LLVM's, to PTX.
  int64_t repeat = 1;         ///< Runs whose results were compared.
  bool isTF32 = false;        ///< Products round their operands.
  fart::GpuRun run;
};

/// What came out.
struct RunReport {
  AttentionProblem problem;
  std::string level;
  /// Why the CPU was taken where a GPU would have been; empty otherwise.
  std::string fallback;
  std::optional<GPUReport> gpu; ///< If it ran there.
  unsigned threads = 1;
  CPUKernel::CompileTime compileTime;
  double runSeconds = 0; ///< Median, if there was more than one run.
  double minSeconds = 0;
  int64_t numRuns = 1;
  /// Memory that the tensors made here and the runs took, at the peak.
  std::optional<int64_t> peakBytes;
  std::optional<fart::CheckResult> check;
  std::optional<fart::GradientCheck> gradientCheck;

  double getGFlops() const { return problem.getFlops() / runSeconds * 1e-9; }
  /// Whether nothing that was looked at is wrong.
  bool passed() const {
    return (!gpu || gpu->run.failure.empty()) && (!check || check->passed()) &&
           (!gradientCheck || gradientCheck->passed());
  }
};

/// Runs problems one after the other; kernels are compiled once.
class Runner {
public:
  /// `threads` = 0: one for each hardware thread.
  explicit Runner(unsigned threads);
  ~Runner();

  llvm::Expected<RunReport> run(const RunOptions &options);

  /// Whether more can be run: false after a kernel that broke the GPU.
  bool isAlive() const;

private:
  llvm::Expected<OwningOpRef<ModuleOp>> getModule(const RunOptions &options,
                                                  ProblemSpec &spec);
  /// The kernel of `module` at the level of `options`, from the cache if it was
  /// asked for before.
  llvm::Expected<const CPUKernel *> getKernel(ModuleOp module, StringRef name,
                                              const RunOptions &options);

  /// The kernel for the GPU that `options` ask for. Null if the CPU is to be
  /// taken; then `fallback` says why, if the choice was ours.
  llvm::Expected<GPUKernel *> getGPUKernel(ModuleOp module,
                                           const AttentionProblem &problem,
                                           const RunOptions &options,
                                           const fart::ExtraValues &extras,
                                           std::string &fallback);
  /// The kernel of the forward that belongs to the gradient in `module`, at
  /// the level fused.
  llvm::Expected<const CPUKernel *> getForwardKernel(ModuleOp module,
                                                     StringRef name);
  llvm::Error runOnCPU(ModuleOp module, AttentionFunc &func,
                       KernelArguments &arguments, const RunOptions &options,
                       RunReport &report);

  MLIRContext context;
  fart::ThreadPool pool;
  llvm::StringMap<std::unique_ptr<CPUKernel>> kernels;
  std::unique_ptr<GPURunner> gpu; ///< Null until it is asked for.
};

} // namespace mlir::fa

#endif // FA_TOOLS_FARUN_RUNNER_H
