//===- Launcher.cpp - Runs, checks and times a package --------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"
#include "fa/Runtime/Npy.h"
#include "fa/Runtime/Random.h"

using namespace fart;

/// Multiplications that the reference may take: about a second of a few cores.
static constexpr double checkBudget = 0x1p29;

Result<std::unique_ptr<Launcher>> Launcher::create(Package package,
                                                   int64_t device) {
  Result<cuda::Context> context =
      cuda::Context::create(static_cast<int>(device));
  if (!context)
    return context.error();
  return std::unique_ptr<Launcher>(
      new Launcher(std::move(*context), std::move(package)));
}

bool Launcher::isAlive() const {
  return !cuda::wasAbandoned() && static_cast<bool>(context.getFreeMemory());
}

Status Inputs::read(LaunchOptions &options, const Package &package) {
  using Dims = std::vector<Sizes::Name>;
  const std::tuple<const std::string &, std::optional<HostTensor> &, Dims>
      inputs[] = {
          {options.query,
           query,
           {Sizes::Batch, Sizes::Heads, Sizes::SeqQ, Sizes::HeadDim}},
          {options.key,
           key,
           {Sizes::Batch, Sizes::KVHeads, Sizes::SeqKV, Sizes::HeadDim}},
          {options.value,
           value,
           {Sizes::Batch, Sizes::KVHeads, Sizes::SeqKV, Sizes::HeadDimV}}};
  for (const auto &[path, tensor, dims] : inputs) {
    if (path.empty())
      continue;
    Result<HostTensor> read = readNpy(path, package.problem.dtype);
    if (!read)
      return read.error();
    tensor = std::move(*read);
    if (Status status =
            options.sizes.stateAll(tensor->getShape(), dims, "'" + path + "'");
        !status)
      return status;
  }
  // All kernels of a package compute the same from the same.
  return extras.read(options.extras, package.kernels.front().getExtras());
}

/// Opens the file, if there is a path.
static Status openOutput(const std::string &path,
                         std::optional<OutputFile> &file) {
  if (path.empty())
    return Success{};
  Result<OutputFile> opened = OutputFile::open(path);
  if (!opened)
    return opened.error();
  file.emplace(std::move(*opened));
  return Success{};
}

/// The inputs that were not read at random, in the order of `options`.
static Status makeInputs(Inputs &inputs, const Problem &problem,
                         const LaunchOptions &options,
                         const std::vector<int64_t> &order, ThreadPool &pool) {
  uint64_t stream = 0;
  for (auto [name, tensor] : {std::pair{TensorName::Q, &inputs.query},
                              {TensorName::K, &inputs.key},
                              {TensorName::V, &inputs.value}}) {
    ++stream;
    if (*tensor)
      continue;
    Result<HostTensor> made =
        HostTensor::create(problem.dtype, problem.getShape(name), order);
    if (!made)
      return made.error();
    *tensor = std::move(*made);
    fillNormal(**tensor, options.seed, stream, &pool);
  }
  return Success{};
}

Result<LaunchReport> Launcher::run(const LaunchOptions &given) {
  const Package &package = getPackage();
  LaunchOptions options = given;
  if (options.check &&
      (package.problem.hasScoreRegion || package.problem.hasMaskRegion))
    return Error{"--check: the reference does not know the score or mask "
                 "region that '" +
                 package.path + "' was compiled with"};
  Inputs inputs;
  if (Status status = inputs.read(options, package); !status)
    return status.error();
  Result<Problem> problem = options.sizes.resolve(package);
  if (!problem)
    return problem.error();

  if (!options.lse.empty() && !package.uses(TensorName::LSE))
    return Error{"--lse: expected a package whose kernels write LSE but those "
                 "of '" +
                 package.path + "' write O alone"};
  // Outputs are opened before the work, so that a bad path fails at once.
  std::optional<OutputFile> outputFile, lseFile;
  if (Status status = openOutput(options.output, outputFile); !status)
    return status.error();
  if (Status status = openOutput(options.lse, lseFile); !status)
    return status.error();
  std::vector<int64_t> order = {0, 1, 2, 3};
  if (options.run.order == MemoryOrder::BSHD)
    order = {0, 2, 1, 3};
  if (Status status = makeInputs(inputs, *problem, options, order, pool);
      !status)
    return status.error();
  Result<HostTensor> output = HostTensor::create(
      problem->dtype, problem->getShape(TensorName::O), order);
  if (!output)
    return output.error();
  std::optional<HostTensor> lse;
  if (package.uses(TensorName::LSE)) {
    Result<HostTensor> made =
        HostTensor::create(DType::F32, problem->getShape(TensorName::LSE));
    if (!made)
      return made.error();
    lse = std::move(*made);
  }

  Result<GpuRun> run =
      runOnGpu(context, program, *problem,
               {*inputs.query, *inputs.key, *inputs.value, *output,
                lse ? &*lse : nullptr, inputs.extras.getValues()},
               options.run);
  if (!run)
    return run.error();
  LaunchReport report;
  report.problem = *problem;
  report.kernel = &package.kernels[run->kernelNumber];
  report.hbmBytes = package.getHbmBytes(run->kernelNumber);
  report.repeat = options.run.repeat;
  report.run = std::move(*run);

  if (options.check) {
    Attention attention{*inputs.query, *inputs.key, *inputs.value};
    attention.scale = problem->scale;
    attention.mask = problem->mask;
    attention.isTF32 = package.problem.isTF32;
    report.check = checkAttention(
        attention, *output, lse ? &*lse : nullptr,
        options.checkRows.value_or(getRowsToCheck(*problem, checkBudget)),
        pool);
  }
  if (outputFile)
    if (Status status = writeNpy(*output, *outputFile); !status)
      return status.error();
  if (lseFile)
    if (Status status = writeNpy(*lse, *lseFile); !status)
      return status.error();
  for (std::optional<OutputFile> *file : {&outputFile, &lseFile})
    if (*file)
      if (Status status = (*file)->commit(); !status)
        return status.error();
  return report;
}
