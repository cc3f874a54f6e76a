//===- LaunchPlan.h - What a launch of a kernel passes ----------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the manifest's recipes and the tensors of one call to numbers: grid,
// descriptors, tensor maps. No driver is needed to make a plan, so that
// selection and geometry are tested on any machine.
//
//===----------------------------------------------------------------------===//

#ifndef FA_RUNTIME_LAUNCHPLAN_H
#define FA_RUNTIME_LAUNCHPLAN_H

#include "fa/Runtime/Package.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <variant>
#include <vector>

namespace fart {

/// A tensor in device memory. Strides are in elements.
struct TensorView {
  uint64_t address = 0;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
};

/// A value of an `ExtraArgument`: a table, or the bits of a number.
struct ExtraView {
  std::optional<TensorView> table;
  int64_t bits = 0;
};

/// The tensors of one call, by TensorName, and what else it passes, by number.
struct TensorViews {
  std::array<TensorView, numTensors> views;
  std::map<int64_t, ExtraView> extras;

  TensorView &operator[](TensorName tensor) {
    return views[static_cast<size_t>(tensor)];
  }
  const TensorView &operator[](TensorName tensor) const {
    return views[static_cast<size_t>(tensor)];
  }
};

/// A tensor map before the driver encodes it. `strides` (in bytes) begin with
/// that of the second dimension.
struct TensorMapSpec {
  TensorName tensor;
  uint64_t address = 0;
  DType dtype = DType::F32;
  int64_t swizzle = 0;
  std::vector<uint64_t> sizes;
  std::vector<uint64_t> strides;
  std::vector<uint32_t> box;
};

/// The words of a memref descriptor, each a parameter.
struct DescriptorWords {
  TensorName tensor;
  std::vector<int64_t> words;
};

/// The words of a table's descriptor, or that of a number; each a parameter, of
/// which a number takes the low bytes.
struct ExtraWords {
  ExtraArgument argument;
  std::vector<int64_t> words;
};

using LaunchArgument =
    std::variant<DescriptorWords, TensorMapSpec, ExtraWords, CounterArgument>;

struct LaunchPlan {
  int64_t grid = 0; ///< Blocks, in x.
  /// If not 0, no more blocks are launched than so many a multiprocessor.
  int64_t residentBlocks = 0;
  int64_t block = 0;
  int64_t sramBytes = 0;
  std::vector<LaunchArgument> arguments;
};

/// The compute capability of a device, as 10 * major + minor.
using ComputeCapability = int64_t;

/// Why a device cannot run code for `target`, or nothing if it can: sm_80 runs
/// on 8.0 and later, sm_90a on 9.0 alone, sm_100f on 10.0 and later of 10.
std::optional<std::string> whyNotDevice(const std::string &target,
                                        ComputeCapability capability);

/// The launch of `kernel` on `tensors`. Fails if a guard of the kernel does not
/// hold, or if a size passes a limit of the hardware.
Result<LaunchPlan> planLaunch(const PackageKernel &kernel,
                              const TensorViews &tensors);

/// The number of the first kernel of `package` that can run on the device (any
/// device, if not given) and has a plan, and that plan. The error says of each
/// kernel why it cannot run.
Result<std::pair<size_t, LaunchPlan>>
selectKernel(const Package &package, const TensorViews &tensors,
             std::optional<ComputeCapability> capability);

/// The problem of `package` with the sizes of `problem`, which are those that
/// the package was compiled for, if it was. Fails if they make no valid
/// problem.
Result<Problem> specialize(const Package &package, Problem problem);

} // namespace fart

#endif // FA_RUNTIME_LAUNCHPLAN_H
