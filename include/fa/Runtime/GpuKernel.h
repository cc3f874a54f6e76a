//===- GpuKernel.h - A package loaded on a GPU ------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_RUNTIME_GPUKERNEL_H
#define FA_RUNTIME_GPUKERNEL_H

#include "fa/Runtime/CudaDriver.h"
#include "fa/Runtime/LaunchPlan.h"

#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fart {

/// A kernel on the device.
struct LoadedKernel {
  cuda::Function function;
  std::string log; ///< Of the driver's compiler.
  double loadSeconds = 0;
};

/// Everything that one call passes, to one kernel or to several in order. It
/// holds the addresses of the tensors, not the tensors. What it says of a
/// kernel it says of the first. A call at a time: kernels may have a counter in
/// device memory, which is that of the GpuLaunch.
class GpuLaunch {
public:
  size_t getKernelNumber() const { return steps.front().kernelNumber; }
  const LoadedKernel &getKernel() const { return *steps.front().kernel; }
  const LaunchPlan &getPlan() const { return steps.front().plan; }

  /// Puts the call into the stream.
  Status launch(const cuda::Stream &stream);

private:
  friend class GpuProgram;

  struct Step {
    size_t kernelNumber = 0;
    const LoadedKernel *kernel = nullptr;
    LaunchPlan plan;
    std::vector<cuda::TensorMap> maps;
    std::optional<cuda::DeviceBuffer> counter;
    uint64_t counterAddress = 0;
    std::vector<void *> parameters; ///< Into `plan`, `maps` and the address.
  };
  std::list<Step> steps;
};

/// The kernels of a package, each compiled by the driver when it is first used.
class GpuProgram {
public:
  /// `context` must outlive the program.
  GpuProgram(const cuda::Context &context, Package package)
      : context(context), package(std::move(package)) {}

  const Package &getPackage() const { return package; }

  /// Takes the first kernel that can run on this device with these tensors. The
  /// launch must not outlive the program.
  Result<GpuLaunch> prepare(const TensorViews &tensors);

private:
  Result<const LoadedKernel *> load(size_t number);
  /// Loads the kernel of `step`, and makes its parameters from its plan.
  Status prepareStep(GpuLaunch::Step &step);

  const cuda::Context &context;
  Package package;
  std::map<std::string, cuda::Module> modules; ///< By file of the PTX.
  std::map<size_t, LoadedKernel> kernels;      ///< By number in the package.
};

} // namespace fart

#endif // FA_RUNTIME_GPUKERNEL_H
