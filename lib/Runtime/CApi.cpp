//===- CApi.cpp - Kernel packages for C and what can call it --------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/CApi.h"
#include "fa/Runtime/GpuKernel.h"
#include "fa/Runtime/HostTensor.h"

using namespace fart;

struct FartPackage {
  FartPackage(cuda::Context context, Package package)
      : context(std::move(context)),
        program(this->context, std::move(package)) {}

  cuda::Context context;
  GpuProgram program;
};

struct FartLaunch {
  GpuLaunch launch;
};

static std::string &getErrorText() {
  thread_local std::string text;
  return text;
}

static void setError(const Error &error) { getErrorText() = error.message; }

/// The tensors as views. Fails if their shapes are not those of a problem that
/// `package` solves.
static Result<TensorViews> makeViews(const Package &package,
                                     const FartTensor *tensors) {
  auto get = [&](TensorName name) -> const FartTensor & {
    return tensors[static_cast<size_t>(name)];
  };
  Problem problem;
  problem.batch = get(TensorName::Q).shape[0];
  problem.heads = get(TensorName::Q).shape[1];
  problem.seqQ = get(TensorName::Q).shape[2];
  problem.kvHeads = get(TensorName::K).shape[1];
  problem.seqKV = get(TensorName::K).shape[2];
  Result<Problem> special = specialize(package, problem);
  if (!special)
    return special.error();

  if (!package.getWorkspaces().empty())
    return Error{"expected a package whose kernels need no memory of their own "
                 "but '" +
                 package.path + "' has " +
                 std::string(getName(package.getWorkspaces().front()))};
  TensorViews views;
  for (TensorName name : allTensors) {
    if (name == TensorName::LSE && !package.uses(name))
      continue;
    const FartTensor &tensor = get(name);
    std::vector<int64_t> expected = special->getShape(name);
    auto rank = static_cast<int64_t>(expected.size());
    views[name] = {tensor.address, special->getDType(name),
                   std::vector(tensor.shape, tensor.shape + rank),
                   std::vector(tensor.strides, tensor.strides + rank)};
    if (views[name].shape != expected)
      return Error{std::string(getName(name)) + ": expected the shape " +
                   formatShape(expected) + " but got " +
                   formatShape(views[name].shape)};
    if (name != TensorName::LSE && tensor.strides[rank - 1] != 1)
      return Error{std::string(getName(name)) +
                   ": expected a last stride of 1 but got " +
                   std::to_string(tensor.strides[rank - 1])};
  }
  return views;
}

const char *fartGetError() { return getErrorText().c_str(); }

FartPackage *fartOpenPackage(const char *manifest, int device) {
  Result<Package> package = Package::read(manifest);
  if (!package) {
    setError(package.error());
    return nullptr;
  }
  Result<cuda::Context> context = cuda::Context::create(device);
  if (!context) {
    setError(context.error());
    return nullptr;
  }
  return new FartPackage(std::move(*context), std::move(*package));
}

void fartClosePackage(FartPackage *package) { delete package; }

int fartWritesLse(const FartPackage *package) {
  return package->program.getPackage().uses(TensorName::LSE);
}

FartLaunch *fartPrepare(FartPackage *package, const FartTensor *tensors) {
  Result<TensorViews> views = makeViews(package->program.getPackage(), tensors);
  if (!views) {
    setError(views.error());
    return nullptr;
  }
  Result<GpuLaunch> launch = package->program.prepare(*views);
  if (!launch) {
    setError(launch.error());
    return nullptr;
  }
  return new FartLaunch{std::move(*launch)};
}

void fartGetInfo(const FartLaunch *launch, FartLaunchInfo *info) {
  const LaunchPlan &plan = launch->launch.getPlan();
  const LoadedKernel &kernel = launch->launch.getKernel();
  *info = {static_cast<int64_t>(launch->launch.getKernelNumber()),
           plan.grid,
           plan.block,
           plan.sramBytes,
           kernel.function.getRegisters(),
           kernel.function.getLocalBytes(),
           kernel.loadSeconds};
}

int fartLaunch(FartLaunch *launch, void *stream) {
  Status status = launch->launch.launch(
      cuda::Stream::borrow(static_cast<CUstream_st *>(stream)));
  if (status)
    return 0;
  setError(status.error());
  return -1;
}

void fartCloseLaunch(FartLaunch *launch) { delete launch; }
