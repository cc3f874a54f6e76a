//===- GpuAttention.h - Runs and times attention on a GPU -------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call of a kernel from host memory to host memory, with what is needed to
// trust it: poisoned outputs, padded buffers, repeats, and times that no cache
// flatters.
//
//===----------------------------------------------------------------------===//

#ifndef FA_RUNTIME_GPUATTENTION_H
#define FA_RUNTIME_GPUATTENTION_H

#include "fa/Runtime/DeviceTensor.h"
#include "fa/Runtime/Extras.h"
#include "fa/Runtime/GpuKernel.h"

#include <optional>

namespace fart {

struct GpuRunOptions {
  MemoryOrder order = MemoryOrder::BHSD;
  /// Q, K, V and O are views of buffers with N, 2 N, 3 N and 4 N more columns,
  /// and with more rows. 0: dense.
  int64_t padStrides = 0;
  /// Elements before each tensor in its buffer.
  int64_t offset = 0;
  /// One K and one V for all batches and heads, by strides of 0. The host
  /// tensors have copies of it.
  bool sharedKeys = false;
  /// How often the kernel runs; all results must be equal bit by bit.
  int64_t repeat = 1;
  bool bench = false;
  /// Seconds after which a kernel is given up.
  double timeout = 60;

  DeviceLayout getLayout(TensorName tensor) const;
};

/// Times of launches over buffers that together are larger than the L2 cache.
struct GpuTimes {
  double medianSeconds = 0; ///< Of single launches, between events.
  double minSeconds = 0;
  double backToBackSeconds = 0; ///< Of many launches, divided by their number.
  int64_t numRuns = 0;
  int64_t numCopies = 0; ///< Of all tensors.
};

struct GpuRun {
  size_t kernelNumber = 0; ///< In the package.
  int64_t grid = 0;
  int64_t registers = 0;
  int64_t localBytes = 0;
  double loadSeconds = 0;
  std::string log; ///< Of the driver's compiler.
  std::optional<GpuTimes> times;
  /// What was wrong besides the numbers: results that differ from run to run,
  /// or writes outside of a tensor. Empty if nothing was.
  std::string failure;
};

/// Host tensors of one call.
struct HostTensors {
  const HostTensor &query;
  const HostTensor &key;
  const HostTensor &value;
  HostTensor &output;
  HostTensor *lse; ///< Null for a package that writes none.
  /// Of the arguments besides these.
  ExtraValues extras = {};
};

/// Runs `program` on the tensors of `problem` and fills the outputs.
Result<GpuRun> runOnGpu(const cuda::Context &context, GpuProgram &program,
                        const Problem &problem, const HostTensors &tensors,
                        const GpuRunOptions &options);

/// The views that `runOnGpu` would make, at address 0 plus the offset; for
/// plans without a device.
Result<TensorViews> makeViews(const Problem &problem,
                              const GpuRunOptions &options,
                              const ExtraValues &extras);

} // namespace fart

#endif // FA_RUNTIME_GPUATTENTION_H
