//===- LaunchPlan.cpp - What a launch of a kernel passes ------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   grid = batch * heads * ceil(seqQ / queryTile), all of it in x, since y and
//   z end at 65,535. A kernel whose blocks take query tiles in turn is launched
//   with at most as many blocks as the device holds at a time.
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/LaunchPlan.h"

#include <algorithm>
#include <limits>
#include <tuple>

using namespace fart;

// Limits of the hardware, from the driver's documentation.
static constexpr int64_t maxGrid = std::numeric_limits<int32_t>::max();
static constexpr uint64_t maxMapSize = uint64_t(1) << 32;
static constexpr uint64_t maxMapStride = uint64_t(1) << 40;
static constexpr uint64_t mapAlignment = 16;

/// "Q", for messages about the tensor.
static std::string str(TensorName tensor) {
  return std::string(getName(tensor));
}

/// The dimension of a tensor [batch, heads, rows, ...].
static size_t getPosition(TensorDim dim) { return static_cast<size_t>(dim); }

static int64_t getSize(const Extent &extent, const TensorView &view) {
  if (const auto *number = std::get_if<int64_t>(&extent))
    return *number;
  return view.shape[getPosition(std::get<TensorDim>(extent))];
}

static int64_t getByteStride(const Extent &extent, const TensorView &view) {
  if (const auto *number = std::get_if<int64_t>(&extent))
    return *number;
  return view.strides[getPosition(std::get<TensorDim>(extent))] *
         getByteWidth(view.dtype);
}

/// Fails unless the pointers and strides of Q, K, V and O are aligned. The
/// stride of a dimension of one element is never used.
static Status checkGuards(const Guards &guards, const TensorViews &tensors) {
  int64_t numKeys = tensors[TensorName::K].shape[2];
  if (guards.maxSeqKV && numKeys > *guards.maxSeqKV)
    return Error{"expected at most " + std::to_string(*guards.maxSeqKV) +
                 " keys but got " + std::to_string(numKeys)};
  for (TensorName name :
       {TensorName::Q, TensorName::K, TensorName::V, TensorName::O}) {
    const TensorView &view = tensors[name];
    if (view.address % static_cast<uint64_t>(guards.pointerAlignment) != 0)
      return Error{"expected " + str(name) + " to be aligned to " +
                   std::to_string(guards.pointerAlignment) + " bytes"};
    for (size_t d = 0; d + 1 < view.shape.size(); ++d) {
      int64_t bytes = view.strides[d] * getByteWidth(view.dtype);
      if (view.shape[d] > 1 && bytes % guards.strideAlignment != 0)
        return Error{"expected the strides of " + str(name) +
                     " to be multiples of " +
                     std::to_string(guards.strideAlignment) +
                     " bytes but one is " + std::to_string(bytes)};
    }
  }
  return Success{};
}

static std::vector<int64_t> makeDescriptor(const TensorView &view) {
  auto address = static_cast<int64_t>(view.address);
  std::vector<int64_t> words = {address, address, /*offset=*/0};
  words.insert(words.end(), view.shape.begin(), view.shape.end());
  words.insert(words.end(), view.strides.begin(), view.strides.end());
  return words;
}

static Result<ExtraWords> makeExtra(const ExtraArgument &argument,
                                    const TensorViews &tensors) {
  // Values are read for the arguments of the first kernel.
  auto found = tensors.extras.find(argument.number);
  bool fits = found != tensors.extras.end();
  if (fits && argument.shape) {
    const std::optional<TensorView> &table = found->second.table;
    fits = table && table->dtype == argument.dtype &&
           table->shape.size() == argument.shape->size();
    if (fits)
      return ExtraWords{argument, makeDescriptor(*table)};
  }
  if (!fits || found->second.table)
    return Error{"expected the tables and numbers of the first kernel but "
                 "there is " +
                 argument.describe()};
  return ExtraWords{argument, {found->second.bits}};
}

static Result<TensorMapSpec> makeTensorMap(const TensorMapRecipe &recipe,
                                           const TensorView &view) {
  TensorMapSpec map{recipe.tensor,  view.address,
                    view.dtype,     recipe.swizzle,
                    /*sizes=*/{},
                    /*strides=*/{}, {recipe.box.begin(), recipe.box.end()}};
  std::string what = "the tensor map of " + str(recipe.tensor);
  if (view.address % mapAlignment != 0)
    return Error{what + ": expected an address that is a multiple of 16"};
  for (size_t d = 0; d < recipe.dims.size(); ++d) {
    auto size = static_cast<uint64_t>(getSize(recipe.dims[d].size, view));
    if (size == 0 || size > maxMapSize)
      return Error{what + ": expected a size from 1 to 2^32 but got " +
                   std::to_string(size)};
    map.sizes.push_back(size);
    if (d == 0)
      continue;
    auto stride =
        static_cast<uint64_t>(getByteStride(recipe.dims[d].stride, view));
    if (size == 1) // Never used, but the driver wants a legal one.
      stride = mapAlignment;
    if (stride == 0 || stride % mapAlignment != 0 || stride >= maxMapStride)
      return Error{what +
                   ": expected strides that are multiples of 16 bytes from 16 "
                   "to 2^40 but got " +
                   std::to_string(static_cast<int64_t>(stride))};
    map.strides.push_back(stride);
  }
  return map;
}

std::optional<std::string> fart::whyNotDevice(const std::string &target,
                                              ComputeCapability capability) {
  // The manifest's reader has checked the form: sm_<number>[a|f].
  int64_t number = std::stoll(target.substr(3));
  char suffix = target.back();
  bool runs = capability >= number;
  if (suffix == 'a')
    runs = capability == number;
  else if (suffix == 'f')
    runs = runs && capability / 10 == number / 10;
  if (runs)
    return std::nullopt;
  return "the device has compute capability " +
         std::to_string(capability / 10) + "." +
         std::to_string(capability % 10);
}

Result<LaunchPlan> fart::planLaunch(const PackageKernel &kernel,
                                    const TensorViews &tensors) {
  if (Status status = checkGuards(kernel.guards, tensors); !status)
    return status.error();

  LaunchPlan plan;
  plan.block = kernel.block;
  plan.sramBytes = kernel.sramBytes;
  plan.residentBlocks = kernel.residentBlocks;
  const std::vector<int64_t> &query = tensors[TensorName::Q].shape;
  // Kernels count rows and tiles in 32 bits.
  int64_t numKeys = tensors[TensorName::K].shape[2];
  if (query[2] > maxGrid || numKeys > maxGrid)
    return Error{"expected at most 2147483647 queries and keys but got " +
                 std::to_string(query[2]) + " and " + std::to_string(numKeys)};
  // The sum does not overflow: the reader limits the tile, and a tensor with as
  // many rows would not fit in 63 bits.
  int64_t tiles = (query[2] + kernel.queryTile - 1) / kernel.queryTile;
  if (__builtin_mul_overflow(query[0], query[1], &plan.grid) ||
      __builtin_mul_overflow(plan.grid, tiles, &plan.grid) ||
      plan.grid > maxGrid)
    return Error{"expected batch * heads * ceil(seq-q / " +
                 std::to_string(kernel.queryTile) +
                 ") to be at most 2147483647 blocks"};

  for (const PackageArgument &argument : kernel.arguments) {
    if (const auto *memref = std::get_if<MemRefArgument>(&argument)) {
      if (tensors[memref->tensor].shape.empty())
        return Error{"expected sizes with which the matrix " +
                     str(memref->tensor) + " fits in 63 bits"};
      plan.arguments.push_back(DescriptorWords{
          memref->tensor, makeDescriptor(tensors[memref->tensor])});
      continue;
    }
    if (const auto *extra = std::get_if<ExtraArgument>(&argument)) {
      Result<ExtraWords> words = makeExtra(*extra, tensors);
      if (!words)
        return words.error();
      plan.arguments.push_back(std::move(*words));
      continue;
    }
    if (const auto *counter = std::get_if<CounterArgument>(&argument)) {
      plan.arguments.push_back(*counter);
      continue;
    }
    const auto &recipe = std::get<TensorMapRecipe>(argument);
    Result<TensorMapSpec> map = makeTensorMap(recipe, tensors[recipe.tensor]);
    if (!map)
      return map.error();
    plan.arguments.push_back(std::move(*map));
  }
  return plan;
}

Result<std::pair<size_t, LaunchPlan>>
fart::selectKernel(const Package &package, const TensorViews &tensors,
                   std::optional<ComputeCapability> capability) {
  std::string reasons;
  for (size_t i = 0; i < package.kernels.size(); ++i) {
    if (package.isContinuation(i))
      continue;
    const PackageKernel &kernel = package.kernels[i];
    std::optional<std::string> reason;
    if (capability)
      reason = whyNotDevice(kernel.target, *capability);
    if (!reason) {
      Result<LaunchPlan> plan = planLaunch(kernel, tensors);
      if (plan)
        return std::pair(i, std::move(*plan));
      reason = plan.error().message;
    }
    reasons += "; " + kernel.entry + " for " + kernel.target + ": " + *reason;
  }
  return Error{"no kernel of '" + package.path + "' can run this" + reasons};
}

Result<Problem> fart::specialize(const Package &package, Problem problem) {
  const PackageProblem &compiled = package.problem;
  const std::tuple<const char *, std::optional<int64_t>, int64_t> sizes[] = {
      {"batch", compiled.batch, problem.batch},
      {"heads", compiled.heads, problem.heads},
      {"kv-heads", compiled.kvHeads, problem.kvHeads},
      {"seq-q", compiled.seqQ, problem.seqQ},
      {"seq-kv", compiled.seqKV, problem.seqKV}};
  for (const auto &[name, expected, size] : sizes)
    if (expected && *expected != size)
      return Error{"expected " + std::string(name) + " to be " +
                   std::to_string(*expected) + ", for which '" + package.path +
                   "' is compiled, but got " + std::to_string(size)};
  problem.dtype = compiled.dtype;
  problem.headDim = compiled.headDim;
  problem.headDimV = compiled.headDimV;
  problem.mask = compiled.mask;
  problem.scale = compiled.scale;
  if (Status status = problem.validate(); !status)
    return status.error();
  return problem;
}
