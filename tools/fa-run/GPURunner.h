//===- GPURunner.h - Compiles and runs attention on a GPU -------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The GPU road in one process: passes, PTX and a package in memory, which the
// runtime of fa-launch loads and runs.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TOOLS_FARUN_GPURUNNER_H
#define FA_TOOLS_FARUN_GPURUNNER_H

#include "Runner.h"
#include "fa/Runtime/GpuKernel.h"

namespace mlir::fa {
class KernelArguments;

/// One attention function as a program for a GPU.
struct GPUKernel {
  std::string chip;
  /// Bytes that addresses and strides have to be multiples of; 0: what those of
  /// contiguous tensors are.
  int64_t align = 0;
  double pipelineSeconds = 0;
  double ptxSeconds = 0;
  fart::GpuProgram program;
};

/// The first GPU of this machine and the kernels compiled for it.
class GPURunner {
public:
  /// Fails if there is no driver, no device, or one older than 8.0.
  static llvm::Expected<std::unique_ptr<GPURunner>> create();

  /// The kernel of `module`, which is at the problem level, from the cache if
  /// it was asked for before. `options.target` is auto, for what suits the
  /// device best, or a processor. Of tensors that are not aligned it is one
  /// with narrower copies. Fails if the GPU road refuses the problem or the
  /// device cannot run the kernel on it.
  llvm::Expected<GPUKernel *> getKernel(ModuleOp module,
                                        const AttentionProblem &problem,
                                        const RunOptions &options,
                                        const fart::ExtraValues &extras);

  llvm::Expected<GPUReport> run(GPUKernel &kernel,
                                const AttentionProblem &problem,
                                KernelArguments &arguments, AttentionFunc &func,
                                const RunOptions &options);

  /// Whether the device still works: a kernel that accessed a wrong address, or
  /// that did not end, takes the whole process with it.
  bool isAlive() const;

private:
  explicit GPURunner(fart::cuda::Context context)
      : context(std::move(context)) {}

  /// What a kernel is compiled for: addresses and strides that are multiples of
  /// `align` bytes (0: those of contiguous tensors), and at most `maxKeys` keys
  /// (0: any number).
  struct KernelRange {
    int64_t align, maxKeys;
  };
  llvm::Expected<GPUKernel *> getKernel(ModuleOp module, StringRef chip,
                                        KernelRange range,
                                        const FlagValues &tiles);
  llvm::Expected<std::unique_ptr<GPUKernel>> compile(ModuleOp module,
                                                     StringRef chip,
                                                     KernelRange range,
                                                     const FlagValues &tiles);

  fart::cuda::Context context; // Outlives the kernels.
  llvm::StringMap<std::unique_ptr<GPUKernel>> kernels;
};

/// Writes the IR of every level of the GPU road to `options.dumpDir`, as
/// <number>-<level>.mlir, for a kernel of that alignment (GPUKernel::align).
llvm::Error dumpGPULevels(ModuleOp module, StringRef chip, int64_t align,
                          const AttentionProblem &problem,
                          const RunOptions &options);

/// Writes the PTX of `kernel` beside the levels.
llvm::Error dumpPTX(const GPUKernel &kernel, const RunOptions &options);

} // namespace mlir::fa

#endif // FA_TOOLS_FARUN_GPURUNNER_H
