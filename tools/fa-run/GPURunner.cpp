//===- GPURunner.cpp - Compiles and runs attention on a GPU ---------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPURunner.h"
#include "../common/Levels.h"
#include "KernelArguments.h"
#include "fa/Target/Package.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace mlir;
using namespace mlir::fa;

static llvm::Error makeError(const fart::Error &error) {
  return llvm::createStringError(error.message);
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

/// What kernels for a device are best compiled for.
static StringRef getChip(fart::ComputeCapability capability) {
  switch (capability) {
  case 86:
    return "sm_86";
  case 89:
    return "sm_89";
  case 90:
    return "sm_90a";
  }
  if (capability / 10 == 10)
    return "sm_100";
  if (capability / 10 == 12)
    return "sm_120";
  return "sm_80"; // Runs on everything later, too.
}

llvm::Expected<std::unique_ptr<GPURunner>> GPURunner::create() {
  fart::Result<fart::cuda::Context> context = fart::cuda::Context::create();
  if (!context)
    return makeError(context.error());
  const fart::cuda::DeviceInfo &device = context->getDevice();
  if (device.capability < 80)
    return llvm::createStringError(
        "expected a GPU of compute capability 8.0 or later but " + device.name +
        " has " + Twine(device.capability / 10) + "." +
        Twine(device.capability % 10));
  return std::unique_ptr<GPURunner>(new GPURunner(std::move(*context)));
}

bool GPURunner::isAlive() const {
  return !fart::cuda::wasAbandoned() &&
         static_cast<bool>(context.getFreeMemory());
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// The pipeline that `tiles` ask for.
static llvm::Error setPipeline(GPUPipelineOptions &pipeline, StringRef chip,
                               const FlagValues &tiles) {
  pipeline.chip = chip.str();
  return setTiles(pipeline, tiles);
}

/// What of the user's `tiles` a kernel of `align` keeps: one for tensors that
/// are not aligned has the model's schedule, as in a package (fa-translate).
static FlagValues getTilesFor(FlagValues tiles, int64_t align) {
  if (align != 0)
    llvm::erase_if(tiles,
                   [](const auto &flag) { return flag.first != "tf32"; });
  return tiles;
}

/// Of kernels for different numbers of keys, the bound of the narrowest one
/// that takes those of `problem`; 0: that for any number.
static int64_t getMaxKeys(ModuleOp module, StringRef chip,
                          const AttentionProblem &problem,
                          const FlagValues &tiles) {
  GPUPipelineOptions pipeline;
  if (llvm::Error error = setPipeline(pipeline, chip, tiles)) {
    consumeError(std::move(error)); // Of the flags, which compilation says.
    return 0;
  }
  for (int64_t bound : getKeyBounds(module, pipeline.getSchedule()))
    if (problem.seqKV <= bound)
      return bound;
  return 0;
}

llvm::Expected<std::unique_ptr<GPUKernel>>
GPURunner::compile(ModuleOp module, StringRef chip, KernelRange range,
                   const FlagValues &tiles) {
  using Clock = std::chrono::steady_clock;
  GPUPipelineOptions pipeline;
  pipeline.align = range.align;
  pipeline.maxKeys = range.maxKeys;
  if (llvm::Error error = setPipeline(pipeline, chip, tiles))
    return error;
  Clock::time_point start = Clock::now();
  llvm::Expected<OwningOpRef<ModuleOp>> lowered = lowerCopy(module, pipeline);
  if (!lowered)
    return lowered.takeError();
  Clock::time_point passesDone = Clock::now();
  llvm::Expected<KernelPackage> built = buildPackage(**lowered);
  if (!built)
    return built.takeError();
  llvm::Expected<fart::Package> package = loadPackage(*built);
  if (!package)
    return package.takeError();
  std::chrono::duration<double> passes = passesDone - start;
  std::chrono::duration<double> ptx = Clock::now() - passesDone;
  return std::unique_ptr<GPUKernel>(
      new GPUKernel{chip.str(), range.align, passes.count(), ptx.count(),
                    fart::GpuProgram(context, std::move(*package))});
}

/// How the runtime is asked to run.
static fart::GpuRunOptions getRunOptions(const RunOptions &options) {
  fart::GpuRunOptions run = options.gpu;
  if (options.layout == "bshd")
    run.order = fart::MemoryOrder::BSHD;
  run.bench = options.bench;
  return run;
}

/// `problem` in the words of the runtime.
static fart::Result<fart::Problem> convert(const AttentionProblem &problem,
                                           const fart::Package &package) {
  fart::Problem sizes;
  sizes.batch = problem.batch;
  sizes.heads = problem.heads;
  sizes.kvHeads = problem.kvHeads;
  sizes.seqQ = problem.seqQ;
  sizes.seqKV = problem.seqKV;
  return fart::specialize(package, sizes);
}

llvm::Expected<GPUKernel *> GPURunner::getKernel(ModuleOp module,
                                                 StringRef chip,
                                                 KernelRange range,
                                                 const FlagValues &tiles) {
  std::string id =
      (chip + " " + Twine(range.align) + " " + Twine(range.maxKeys)).str();
  for (const auto &[flag, value] : tiles)
    id += " " + flag + "=" + value;
  llvm::raw_string_ostream(id) << '\n' << module;
  std::unique_ptr<GPUKernel> &kernel = kernels[id];
  if (!kernel) {
    llvm::Expected<std::unique_ptr<GPUKernel>> compiled =
        compile(module, chip, range, tiles);
    if (!compiled)
      return compiled.takeError();
    kernel = std::move(*compiled);
  }
  return kernel.get();
}

llvm::Expected<GPUKernel *>
GPURunner::getKernel(ModuleOp module, const AttentionProblem &problem,
                     const RunOptions &options,
                     const fart::ExtraValues &extras) {
  fart::ComputeCapability capability = context.getDevice().capability;
  std::string chip =
      options.target == "auto" ? getChip(capability).str() : options.target;
  if (std::optional<std::string> reason = fart::whyNotDevice(chip, capability))
    return llvm::createStringError("--target=" + chip + ": " + *reason);

  // Sizes beyond a limit of the hardware are found before anything runs. What
  // the kernel for aligned tensors does not take is for one of narrower copies.
  std::string reason;
  for (int64_t align : {0, 4, 2}) {
    FlagValues tiles = getTilesFor(options.tiles, align);
    KernelRange range{
        align, align == 0 ? getMaxKeys(module, chip, problem, tiles) : 0};
    llvm::Expected<GPUKernel *> kernel = getKernel(module, chip, range, tiles);
    if (!kernel)
      return kernel;
    const fart::Package &package = (*kernel)->program.getPackage();
    fart::Result<fart::Problem> converted = convert(problem, package);
    if (!converted)
      return makeError(converted.error());
    fart::Result<fart::TensorViews> views =
        fart::makeViews(*converted, getRunOptions(options), extras);
    if (!views)
      return makeError(views.error());
    auto plan = fart::selectKernel(package, *views, capability);
    if (plan)
      return kernel;
    if (align == 0)
      reason = plan.error().message;
    int64_t next = align == 0 ? 4 : 2;
    if (align == 2 || next < fart::getByteWidth(converted->dtype))
      break;
  }
  return llvm::createStringError(reason);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

llvm::Expected<GPUReport> GPURunner::run(GPUKernel &kernel,
                                         const AttentionProblem &problem,
                                         KernelArguments &arguments,
                                         AttentionFunc &func,
                                         const RunOptions &options) {
  const fart::Package &package = kernel.program.getPackage();
  fart::Result<fart::Problem> converted = convert(problem, package);
  if (!converted)
    return makeError(converted.error());
  fart::HostTensors tensors{
      arguments.getQuery(), arguments.getKey(),
      arguments.getValue(), arguments.getOutput(),
      arguments.getLse(),   arguments.getExtraValues(func)};
  fart::Result<fart::GpuRun> run = fart::runOnGpu(
      context, kernel.program, *converted, tensors, getRunOptions(options));
  if (!run)
    return makeError(run.error());
  GPUReport report;
  report.device = context.getDevice();
  report.kernel = package.kernels[run->kernelNumber];
  report.pipelineSeconds = kernel.pipelineSeconds;
  report.ptxSeconds = kernel.ptxSeconds;
  report.repeat = options.gpu.repeat;
  report.isTF32 = package.problem.isTF32;
  report.run = std::move(*run);
  return report;
}

//===----------------------------------------------------------------------===//
// Levels as files
//===----------------------------------------------------------------------===//

/// `options.dumpDir`/<number>-<name>.
static SmallString<128> getDumpPath(const RunOptions &options, size_t number,
                                    const Twine &name) {
  SmallString<128> path(options.dumpDir);
  llvm::sys::path::append(path, Twine(number) + "-" + name);
  return path;
}

llvm::Error fa::dumpGPULevels(ModuleOp module, StringRef chip, int64_t align,
                              const AttentionProblem &problem,
                              const RunOptions &options) {
  if (std::error_code ec = llvm::sys::fs::create_directories(options.dumpDir))
    return llvm::createStringError(
        "--dump-levels: cannot make the directory '" + options.dumpDir +
        "': " + ec.message());
  FlagValues tiles = getTilesFor(options.tiles, align);
  for (auto [number, entry] : llvm::enumerate(gpuLevels)) {
    GPUPipelineOptions pipeline;
    if (llvm::Error error = setPipeline(pipeline, chip, tiles))
      return error;
    pipeline.align = align;
    if (align == 0)
      pipeline.maxKeys = getMaxKeys(module, chip, problem, tiles);
    pipeline.stopAfter = entry.second;
    llvm::Expected<OwningOpRef<ModuleOp>> lowered = lowerCopy(module, pipeline);
    if (!lowered)
      return lowered.takeError();
    if (llvm::Error error = printModule(
            **lowered, getDumpPath(options, number, entry.first + ".mlir")))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error fa::dumpPTX(const GPUKernel &kernel, const RunOptions &options) {
  const fart::Package &package = kernel.program.getPackage();
  for (const auto &[name, text] : package.texts)
    if (llvm::Error error = llvm::writeToOutput(
            getDumpPath(options, std::size(gpuLevels), name),
            [&](raw_ostream &os) {
              os << text;
              return llvm::Error::success();
            }))
      return error;
  return llvm::Error::success();
}
