//===- CPUKernel.h - Attention compiled for the host ------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the CPU pipeline, compiles the LLVM dialect in process for the processor
// it runs on, and calls the result on many threads. What the pipeline leaves of
// a function @f(args...) is
//
//   int64_t _mlir_ciface_f_blocks(args...)
//   void    _mlir_ciface_f(args..., int64_t begin, int64_t end)
//
// where a tensor or memref is a pointer to its descriptor. The first says how
// many independent blocks of work the call has, the second runs some of them.
//
// A function of several steps becomes such a pair for each step, with one more
// tensor of bytes as the last argument, and
//
//   int64_t _mlir_ciface_f_scratch(args...)
//
// which says how many bytes the steps need there. All blocks of a step are run
// before the first of the next.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TARGET_CPU_CPUKERNEL_H
#define FA_TARGET_CPU_CPUKERNEL_H

#include "fa/Runtime/HostTensor.h"
#include "fa/Runtime/ThreadPool.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace mlir::fa {
struct CPUPipelineOptions;

/// Runs the CPU pipeline on `module`, in place. Diagnostics of passes end up in
/// the error instead of on the screen.
llvm::Error lowerForCPU(ModuleOp module, const CPUPipelineOptions &options);

/// Bits of the widest SIMD registers of the processor this runs on: 128, 256 or
/// 512.
int64_t getHostVectorBits();

/// An argument of a kernel: a tensor, or a scalar in the field of its kind.
struct KernelArgument {
  fart::HostTensor *tensor = nullptr;
  double real = 0;
  int64_t integer = 0;
};

/// One attention function as machine code.
class CPUKernel {
public:
  /// Seconds that compilation took: passes of MLIR, then LLVM to machine code.
  struct CompileTime {
    double pipeline = 0;
    double codegen = 0;
  };

  /// Compiles the function `name` of `module`, which is at the problem level
  /// and is left unchanged.
  static llvm::Expected<std::unique_ptr<CPUKernel>>
  compile(ModuleOp module, StringRef name, const CPUPipelineOptions &options);

  ~CPUKernel();

  /// Calls the kernel on the threads of `pool`. Fails if the arguments do not
  /// fit the signature; their sizes must satisfy the constraints of
  /// `fa.attention`, which is not checked here.
  llvm::Error run(ArrayRef<KernelArgument> arguments,
                  fart::ThreadPool &pool) const;

  const CompileTime &getCompileTime() const { return compileTime; }

private:
  CPUKernel() = default;

  /// Takes the addresses of the arguments, and that of the result.
  using PackedFn = void (*)(void **);

  /// Blocks of work that are independent of each other.
  struct Step {
    PackedFn blocksFn, runFn;
  };

  /// From the LLVM dialect to machine code; sets `steps` and `scratchFn`.
  llvm::Error generateCode(ModuleOp lowered, StringRef name);

  std::unique_ptr<llvm::orc::LLJIT> jit;
  SmallVector<Step> steps;
  PackedFn scratchFn = nullptr; // null where no scratch is needed
  SmallVector<Type> argumentTypes;
  CompileTime compileTime;
};

} // namespace mlir::fa

#endif // FA_TARGET_CPU_CPUKERNEL_H
