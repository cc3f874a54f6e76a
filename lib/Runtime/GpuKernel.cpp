//===- GpuKernel.cpp - A package loaded on a GPU --------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/GpuKernel.h"

#include <algorithm>
#include <chrono>

using namespace fart;

/// Bytes of each parameter, in order.
static std::vector<size_t> getParameterSizes(const PackageKernel &kernel) {
  std::vector<size_t> sizes;
  for (const PackageArgument &argument : kernel.arguments) {
    if (const auto *memref = std::get_if<MemRefArgument>(&argument)) {
      bool isStatistic =
          memref->tensor == TensorName::LSE || memref->tensor == TensorName::L;
      size_t rank = isStatistic ? 3 : 4;
      sizes.insert(sizes.end(), 3 + 2 * rank, sizeof(int64_t));
    } else if (const auto *extra = std::get_if<ExtraArgument>(&argument)) {
      if (extra->shape)
        sizes.insert(sizes.end(), 3 + 2 * extra->shape->size(),
                     sizeof(int64_t));
      else
        sizes.push_back(getByteWidth(extra->dtype));
    } else if (std::holds_alternative<CounterArgument>(argument)) {
      sizes.push_back(sizeof(uint64_t));
    } else {
      sizes.push_back(sizeof(cuda::TensorMap));
    }
  }
  return sizes;
}

Result<const LoadedKernel *> GpuProgram::load(size_t number) {
  if (auto loaded = kernels.find(number); loaded != kernels.end())
    return &loaded->second;
  const PackageKernel &kernel = package.kernels[number];
  auto start = std::chrono::steady_clock::now();
  auto module = modules.find(kernel.ptx);
  if (module == modules.end()) {
    Result<std::string> ptx = package.readPTX(kernel);
    if (!ptx)
      return ptx.error();
    Result<cuda::Module> loaded = cuda::Module::load(context, *ptx, kernel.ptx);
    if (!loaded)
      return loaded.error();
    module = modules.emplace(kernel.ptx, std::move(*loaded)).first;
  }
  Result<cuda::Function> function = module->second.getFunction(kernel.entry);
  if (!function)
    return function.error();
  if (Status status = function->checkParameters(getParameterSizes(kernel));
      !status)
    return status.error();
  if (Status status = function->setSharedBytes(context, kernel.sramBytes);
      !status)
    return status.error();
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  LoadedKernel loaded{*function, module->second.getLog(), seconds.count()};
  return &kernels.emplace(number, std::move(loaded)).first->second;
}

Status GpuProgram::prepareStep(GpuLaunch::Step &step) {
  Result<const LoadedKernel *> kernel = load(step.kernelNumber);
  if (!kernel)
    return kernel.error();
  step.kernel = *kernel;

  // The maps first: their vector must not grow under the addresses.
  for (const LaunchArgument &argument : step.plan.arguments)
    if (const auto *spec = std::get_if<TensorMapSpec>(&argument)) {
      Result<cuda::TensorMap> map = cuda::TensorMap::encode(*spec);
      if (!map)
        return map.error();
      step.maps.push_back(*map);
    } else if (std::holds_alternative<CounterArgument>(argument)) {
      Result<cuda::DeviceBuffer> counter =
          cuda::DeviceBuffer::allocate(context, sizeof(uint32_t));
      if (!counter)
        return counter.error();
      if (Status status = counter->fill(0); !status)
        return status.error();
      // Read back: the caller's stream need not wait for the default stream,
      // which fills it.
      uint32_t word;
      if (Status status = counter->download(0, &word, sizeof(word)); !status)
        return status.error();
      step.counterAddress = counter->getAddress();
      step.counter = std::move(*counter);
    }
  size_t nextMap = 0;
  for (LaunchArgument &argument : step.plan.arguments) {
    if (auto *descriptor = std::get_if<DescriptorWords>(&argument))
      for (int64_t &word : descriptor->words)
        step.parameters.push_back(&word);
    else if (auto *extra = std::get_if<ExtraWords>(&argument))
      for (int64_t &word : extra->words)
        step.parameters.push_back(&word);
    else if (std::holds_alternative<CounterArgument>(argument))
      step.parameters.push_back(&step.counterAddress);
    else
      step.parameters.push_back(&step.maps[nextMap++]);
  }
  return Success{};
}

Result<GpuLaunch> GpuProgram::prepare(const TensorViews &tensors) {
  auto selected =
      selectKernel(package, tensors, context.getDevice().capability);
  if (!selected)
    return selected.error();
  GpuLaunch launch;
  for (size_t number : package.getSteps(selected->first)) {
    // A step does not move any more: parameters are addresses in it.
    GpuLaunch::Step &step = launch.steps.emplace_back();
    step.kernelNumber = number;
    Result<LaunchPlan> plan = planLaunch(package.kernels[number], tensors);
    if (!plan)
      return plan.error();
    step.plan = std::move(*plan);
    if (int64_t blocks = step.plan.residentBlocks)
      step.plan.grid = std::min(step.plan.grid,
                                blocks * context.getDevice().multiprocessors);
    if (Status status = prepareStep(step); !status)
      return status.error();
  }
  return launch;
}

Status GpuLaunch::launch(const cuda::Stream &stream) {
  for (Step &step : steps)
    if (Status status = step.kernel->function.launch(
            stream, step.plan.grid, step.plan.block, step.plan.sramBytes,
            step.parameters.data());
        !status)
      return status;
  return Success{};
}
