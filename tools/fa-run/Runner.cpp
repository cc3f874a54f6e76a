//===- Runner.cpp - Compiles, runs, checks and times one problem ----------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runner.h"
#include "../common/Levels.h"
#include "Check.h"
#include "GPURunner.h"
#include "KernelArguments.h"
#include "fa/InitAllDialects.h"
#include "fa/Runtime/Npy.h"
#include "fa/Runtime/PeakMemory.h"
#include "fa/Support/AttentionFunc.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <chrono>

using namespace mlir;
using namespace mlir::fa;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

Runner::Runner(unsigned threads)
    : context(makeRegistry(), MLIRContext::Threading::DISABLED), pool(threads) {
  context.printOpOnDiagnostic(false);
}

Runner::~Runner() = default;

bool Runner::isAlive() const { return !gpu || gpu->isAlive(); }

/// Reads the .mlir file and states in `spec` what it says, or does nothing.
llvm::Expected<OwningOpRef<ModuleOp>>
Runner::getModule(const RunOptions &options, ProblemSpec &spec) {
  if (options.input.empty())
    return OwningOpRef<ModuleOp>();
  llvm::Expected<OwningOpRef<ModuleOp>> module =
      parseProblem(options.input, context);
  if (!module)
    return module;
  auto fail = [&](llvm::Error error) {
    return llvm::createStringError("'" + options.input +
                                   "': " + llvm::toString(std::move(error)));
  };
  if (options.backward) {
    module = buildBackward(**module);
    if (!module)
      return fail(module.takeError());
  }
  llvm::Expected<AttentionFunc> func = AttentionFunc::find(**module);
  if (!func)
    return fail(func.takeError());
  if (llvm::Error error = func->describe(spec, "'" + options.input + "'"))
    return error;
  return module;
}

/// The pipeline that `options` ask for, with vectors as wide as the host's.
static llvm::Error setPipeline(CPUPipelineOptions &pipeline,
                               const RunOptions &options) {
  pipeline.level = *parseLevel(options.level);
  pipeline.keysOutside = options.keysOutside;
  pipeline.vectorBits = getHostVectorBits();
  return setTiles(pipeline, options.tiles);
}

llvm::Expected<const CPUKernel *>
Runner::getKernel(ModuleOp module, StringRef name, const RunOptions &options) {
  std::string id = options.level + (options.keysOutside ? " keys" : "");
  for (const auto &[flag, value] : options.tiles)
    id += " " + flag + "=" + value;
  llvm::raw_string_ostream(id) << '\n' << module;
  std::unique_ptr<CPUKernel> &kernel = kernels[id];
  if (kernel)
    return kernel.get();

  CPUPipelineOptions pipeline;
  if (llvm::Error error = setPipeline(pipeline, options))
    return error;
  llvm::Expected<std::unique_ptr<CPUKernel>> compiled =
      CPUKernel::compile(module, name, pipeline);
  if (!compiled)
    return compiled.takeError();
  kernel = std::move(*compiled);
  return kernel.get();
}

/// Writes the IR of every level to `<dir>/<number>-<level>.mlir`.
static llvm::Error dumpLevels(ModuleOp module, const RunOptions &options) {
  if (std::error_code ec = llvm::sys::fs::create_directories(options.dumpDir))
    return llvm::createStringError(
        "--dump-levels: cannot make the directory '" + options.dumpDir +
        "': " + ec.message());
  for (const auto &[name, level] : levels) {
    CPUPipelineOptions pipeline;
    if (llvm::Error error = setPipeline(pipeline, options))
      return error;
    pipeline.stopAfter = level;
    llvm::Expected<OwningOpRef<ModuleOp>> lowered = lowerCopy(module, pipeline);
    if (!lowered)
      return lowered.takeError();
    SmallString<128> path(options.dumpDir);
    llvm::sys::path::append(path, Twine(static_cast<int>(level)) + "-" + name +
                                      ".mlir");
    if (llvm::Error error = printModule(**lowered, path))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<GPUKernel *>
Runner::getGPUKernel(ModuleOp module, const AttentionProblem &problem,
                     const RunOptions &options, const fart::ExtraValues &extras,
                     std::string &fallback) {
  if (options.target == "cpu") {
    if (!options.gpuFlags.empty())
      return llvm::createStringError("--" + options.gpuFlags.front() +
                                     ": expected a GPU as target");
    return nullptr;
  }
  auto get = [&]() -> llvm::Expected<GPUKernel *> {
    if (problem.backward)
      return llvm::createStringError("--target: expected cpu, since "
                                     "fa.attention_backward has no GPU road, "
                                     "but got '" +
                                     options.target + "'");
    if (options.level != "fused")
      return llvm::createStringError(
          "--level: expected fused, the only algorithm on a GPU, but got '" +
          options.level + "'");
    if (options.keysOutside)
      return llvm::createStringError(
          "--keys-outside: expected the CPU as target");
    if (!gpu) {
      llvm::Expected<std::unique_ptr<GPURunner>> opened = GPURunner::create();
      if (!opened)
        return opened.takeError();
      gpu = std::move(*opened);
    }
    // For a target of the user's the levels come first: they show how far the
    // lowering came, if it fails.
    bool wantsLevels = !options.dumpDir.empty();
    if (wantsLevels && options.target != "auto")
      if (llvm::Error error = dumpGPULevels(module, options.target, /*align=*/0,
                                            problem, options))
        return error;
    return gpu->getKernel(module, problem, options, extras);
  };
  llvm::Expected<GPUKernel *> kernel = get();
  if (!kernel) {
    if (options.target != "auto")
      return kernel;
    // One line: the first error, without its notes.
    std::string reason = llvm::toString(kernel.takeError());
    fallback = StringRef(reason).split('\n').first.str();
    std::vector<std::string> flags = options.gpuFlags;
    for (const auto &[name, value] : options.tiles)
      if (isGPUFlag(name))
        flags.push_back(name);
    if (!flags.empty())
      return llvm::createStringError("--" + flags.front() +
                                     ": expected a GPU to run on but there "
                                     "is only the CPU: " +
                                     fallback);
    return nullptr;
  }
  if (!options.dumpDir.empty()) {
    const GPUKernel &compiled = **kernel;
    if (options.target == "auto" || compiled.align != 0)
      if (llvm::Error error = dumpGPULevels(module, compiled.chip,
                                            compiled.align, problem, options))
        return error;
    if (llvm::Error error = dumpPTX(**kernel, options))
      return error;
  }
  return kernel;
}

/// Runs the kernel once, or with --bench for about a second.
static llvm::Error timeKernel(const CPUKernel &kernel, bool bench,
                              ArrayRef<KernelArgument> arguments,
                              fart::ThreadPool &pool, RunReport &report) {
  using Clock = std::chrono::steady_clock;
  auto seconds = [](Clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
  };
  std::vector<double> times;
  Clock::time_point begin = Clock::now();
  // One run to warm up, then at least five that count.
  while (times.empty() ||
         (bench && (times.size() < 6 || (seconds(Clock::now() - begin) < 1 &&
                                         times.size() < 1000)))) {
    Clock::time_point start = Clock::now();
    if (llvm::Error error = kernel.run(arguments, pool))
      return error;
    times.push_back(seconds(Clock::now() - start));
  }
  if (bench)
    times.erase(times.begin());
  llvm::sort(times);
  report.runSeconds = times[times.size() / 2];
  report.minSeconds = times.front();
  report.numRuns = static_cast<int64_t>(times.size());
  return llvm::Error::success();
}

namespace {
/// The files that results are written to.
class OutputFiles {
public:
  using Get = fart::HostTensor &(*)(KernelArguments &);

  /// Opens the file for `get`'s tensor, if there is a path.
  llvm::Error open(const std::string &path, Get get) {
    if (path.empty())
      return llvm::Error::success();
    fart::Result<fart::OutputFile> opened = fart::OutputFile::open(path);
    if (!opened)
      return llvm::createStringError(opened.error().message);
    files.emplace_back(std::move(*opened), get);
    return llvm::Error::success();
  }

  /// Writes everything before the first file is put in its place.
  llvm::Error write(KernelArguments &arguments) {
    for (auto &[file, get] : files)
      if (fart::Status status = fart::writeNpy(get(arguments), file); !status)
        return llvm::createStringError(status.error().message);
    for (auto &[file, get] : files)
      if (fart::Status status = file.commit(); !status)
        return llvm::createStringError(status.error().message);
    return llvm::Error::success();
  }

private:
  std::vector<std::pair<fart::OutputFile, Get>> files;
};
} // namespace

/// Fails if a flag is given that only another problem has.
static llvm::Error checkOutputFlags(const RunOptions &options,
                                    const AttentionProblem &problem) {
  for (auto [name, path] : {std::pair{"do", &options.outputGrad},
                            {"dlse", &options.lseGrad},
                            {"dq", &options.queryGrad},
                            {"dk", &options.keyGrad},
                            {"dv", &options.valueGrad}})
    if (!path->empty() && !problem.backward)
      return llvm::createStringError("--" + Twine(name) +
                                     ": expected --backward beside it");
  if (!options.lseGrad.empty() && !problem.lseGrad)
    return llvm::createStringError(
        "--dlse: expected the fa.attention_backward of '" + options.input +
        "' to have a gradient of LSE");
  if (!options.lse.empty() && !problem.lse)
    return llvm::createStringError("--lse: expected a problem with LSE");
  return llvm::Error::success();
}

llvm::Expected<const CPUKernel *> Runner::getForwardKernel(ModuleOp module,
                                                           StringRef name) {
  llvm::Expected<OwningOpRef<ModuleOp>> forward = buildForward(module);
  if (!forward)
    return forward.takeError();
  return getKernel(**forward, name, RunOptions());
}

llvm::Error Runner::runOnCPU(ModuleOp module, AttentionFunc &func,
                             KernelArguments &arguments,
                             const RunOptions &options, RunReport &report) {
  if (!options.dumpDir.empty())
    if (llvm::Error error = dumpLevels(module, options))
      return error;
  StringRef name = func.func.getSymName();
  llvm::Expected<const CPUKernel *> kernel = getKernel(module, name, options);
  if (!kernel)
    return kernel.takeError();
  const CPUKernel *forwardKernel = nullptr;
  if (func.backward) {
    llvm::Expected<const CPUKernel *> forward = getForwardKernel(module, name);
    if (!forward)
      return forward.takeError();
    forwardKernel = *forward;
  }

  fart::PeakMemory memory;
  if (llvm::Error error = arguments.allocate(options, report.problem))
    return error;
  SmallVector<KernelArgument> values = arguments.getArguments(func);
  // O and LSE are inputs of a gradient.
  if (forwardKernel)
    if (llvm::Error error = forwardKernel->run(values, pool))
      return error;
  report.compileTime = (*kernel)->getCompileTime();
  if (llvm::Error error =
          timeKernel(**kernel, options.bench, values, pool, report))
    return error;
  report.peakBytes = memory.getBytes();
  return llvm::Error::success();
}

llvm::Expected<RunReport> Runner::run(const RunOptions &options) {
  // The problem: flags, then the file, then the arrays; they must agree.
  ProblemSpec spec;
  KernelArguments arguments;
  if (llvm::Error error = addShape(spec, options.shape))
    return error;
  if (options.backward)
    spec.setBackward();
  if (options.noLse && !options.input.empty())
    return llvm::createStringError(
        "--no-lse: expected no .mlir file beside it, "
        "which says itself whether it has LSE");
  if (options.noLse)
    spec.setNoLse();
  if (options.input.empty() && !options.lseGrad.empty())
    spec.setLseGrad();
  llvm::Expected<OwningOpRef<ModuleOp>> module = getModule(options, spec);
  if (!module)
    return module.takeError();
  if (llvm::Error error = arguments.readInputs(options, spec))
    return error;
  llvm::Expected<AttentionProblem> problem = spec.resolve();
  if (!problem)
    return problem.takeError();
  if (llvm::Error error = checkOutputFlags(options, *problem))
    return error;
  if (!*module)
    *module = buildProblem(&context, *problem);
  llvm::Expected<AttentionFunc> func = AttentionFunc::find(**module);
  if (!func)
    return func.takeError();
  if (llvm::Error error = arguments.readExtras(options, *func))
    return error;

  // Outputs are opened before the work, so that a bad path fails at once.
  OutputFiles files;
  using A = KernelArguments;
  using Tensor = fart::HostTensor;
  using File = std::pair<const std::string *, OutputFiles::Get>;
  for (auto [path, get] :
       {File{&options.output, [](A &a) -> Tensor & { return a.getOutput(); }},
        File{&options.lse, [](A &a) -> Tensor & { return *a.getLse(); }},
        File{&options.queryGrad,
             [](A &a) -> Tensor & { return a.getQueryGrad(); }},
        File{&options.keyGrad, [](A &a) -> Tensor & { return a.getKeyGrad(); }},
        File{&options.valueGrad,
             [](A &a) -> Tensor & { return a.getValueGrad(); }}})
    if (llvm::Error error = files.open(*path, get))
      return error;
  if (llvm::Error error = checkMemory(options, *problem))
    return error;

  RunReport report;
  report.problem = *problem;
  report.level = options.level;
  report.threads = pool.getNumThreads();
  llvm::Expected<GPUKernel *> kernel =
      getGPUKernel(**module, *problem, options, arguments.getExtraValues(*func),
                   report.fallback);
  if (!kernel)
    return kernel.takeError();
  if (*kernel) {
    if (llvm::Error error = arguments.allocate(options, *problem))
      return error;
    llvm::Expected<GPUReport> ran =
        gpu->run(**kernel, *problem, arguments, *func, options);
    if (!ran)
      return ran.takeError();
    report.gpu = std::move(*ran);
  } else if (llvm::Error error =
                 runOnCPU(**module, *func, arguments, options, report)) {
    return error;
  }

  if (options.check)
    if (llvm::Error error = checkResults(*problem, *func, arguments,
                                         options.checkRows, pool, report))
      return error;
  if (llvm::Error error = files.write(arguments))
    return error;
  return report;
}
