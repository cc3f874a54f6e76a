//===- fa-translate.cpp - IR of an attention at a level -------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a .mlir file or from shape flags to the IR of any level, to PTX or to a
// kernel package. A file may also hold kernels in the LLVM and NVVM dialects.
//
//===----------------------------------------------------------------------===//

#include "../common/Levels.h"
#include "../common/ProblemFlags.h"
#include "../common/ToolMain.h"
#include "fa/InitAllDialects.h"
#include "fa/Support/AttentionFunc.h"
#include "fa/Target/Package.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::fa;
namespace cl = llvm::cl;

namespace {
struct Flags {
  cl::OptionCategory category{"fa-translate options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("[file.mlir]"),
                             cl::cat(category)};
  cl::opt<std::string> emit{
      "emit",
      cl::desc("Level to print: problem, naive, nest, fused (default); for a "
               "CPU vector, loops, llvm; for a GPU promoted, scheduled, warp, "
               "nvvm, ptx, package"),
      cl::value_desc("level"), cl::init("fused"), cl::cat(category)};
  cl::opt<std::string> output{
      "o",
      cl::desc("Where to print (default: the standard output); the folder of a "
               "package"),
      cl::value_desc("path"), cl::init("-"), cl::cat(category)};
  cl::opt<std::string> name{
      "name", cl::desc("Name of a package (default: that of its first kernel)"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> schedule{
      "schedule",
      cl::desc("Fields of a GPU schedule that are not to be chosen"),
      cl::value_desc("br=N bc=N groups=N warps=N stages=N blocks=N align=N "
                     "max-keys=N table=false"),
      cl::cat(category)};
  cl::opt<std::string> level{
      "level",
      cl::desc("Algorithm of a GPU's code: fused (default), or naive, which is "
               "three kernels with S and P in memory"),
      cl::value_desc("level"), cl::init("fused"), cl::cat(category)};
  cl::opt<std::string> ptxVersion{
      "ptx-version", cl::desc("Version of PTX (default: the lowest possible)"),
      cl::value_desc("8.0"), cl::cat(category)};
  cl::opt<unsigned> optLevel{
      "llvm-opt",
      cl::desc("Level of LLVM's optimiser before PTX is made, 0 to 3 (default: "
               "1, but 0 for sm_90a)"),
      cl::value_desc("N"), cl::cat(category)};
  cl::opt<bool> machineSink{
      "machine-sink",
      cl::desc("Let LLVM sink machine instructions into later blocks (default "
               "true)"),
      cl::init(true), cl::cat(category)};
  ProblemFlags problem{category};
};
} // namespace

/// The module at the problem level, from the file or from the flags.
static llvm::Expected<OwningOpRef<ModuleOp>> getModule(const Flags &flags,
                                                       MLIRContext &context) {
  if (flags.input.empty()) {
    ProblemSpec spec;
    if (llvm::Error error = addShape(spec, flags.problem.getShape()))
      return error;
    if (flags.problem.isBackward())
      spec.setBackward();
    if (flags.problem.hasNoLse())
      spec.setNoLse();
    llvm::Expected<AttentionProblem> problem = spec.resolve();
    if (!problem)
      return problem.takeError();
    return buildProblem(&context, *problem);
  }
  if (FlagValues shape = flags.problem.getShape(); !shape.empty())
    return llvm::createStringError("--" + shape.front().first +
                                   ": expected no shape flag beside a .mlir "
                                   "file, which has its own shape");
  if (flags.problem.hasNoLse())
    return llvm::createStringError(
        "--no-lse: expected no .mlir file beside it, "
        "which says itself whether it has LSE");
  llvm::Expected<OwningOpRef<ModuleOp>> module =
      parseProblem(flags.input, context);
  if (!module || !flags.problem.isBackward())
    return module;
  return buildBackward(**module);
}

/// Whether --target names an NVIDIA processor.
static bool isGPU(const Flags &flags) {
  return StringRef(flags.problem.getTarget()).starts_with("sm_");
}

/// Reads "8.0" as 80; an empty flag as 0.
static llvm::Expected<unsigned> parsePTXVersion(StringRef text) {
  auto [major, minor] = text.split('.');
  unsigned majorNumber = 0, minorNumber = 0;
  if (text.empty())
    return 0;
  if (major.getAsInteger(10, majorNumber) ||
      minor.getAsInteger(10, minorNumber) || majorNumber > 99 ||
      minorNumber > 9)
    return llvm::createStringError(
        "--ptx-version: expected a version such as 8.0 but got '" + text + "'");
  return 10 * majorNumber + minorNumber;
}

/// Writes the kernels of `module`, which is in the LLVM dialect, as PTX or as a
/// package. `lowered`: by the GPU road, for --target.
static llvm::Error emitKernels(const Flags &flags, ModuleOp module,
                               bool lowered) {
  PackageOptions options;
  options.name = flags.name;
  if (flags.optLevel.getNumOccurrences() > 0)
    options.ptx.optLevel = flags.optLevel;
  options.ptx.machineSink = flags.machineSink;
  // Kernels that were lowered here know their processor.
  if (isGPU(flags) && !lowered)
    options.chip = flags.problem.getTarget();
  llvm::Expected<unsigned> version = parsePTXVersion(flags.ptxVersion);
  if (!version)
    return version.takeError();
  options.ptxVersion = *version;

  if (flags.emit == "ptx") {
    std::string chip =
        options.chip.empty() ? findKernelTarget(module) : options.chip;
    if (chip.empty())
      return llvm::createStringError(
          "--target: expected a processor such as sm_90a, since no kernel of "
          "the module has the attribute fa.kernel");
    llvm::Expected<std::string> ptx =
        translateToPTX(module, chip, options.ptxVersion, options.ptx);
    if (!ptx)
      return ptx.takeError();
    return llvm::writeToOutput(flags.output, [&](raw_ostream &os) {
      os << *ptx;
      return llvm::Error::success();
    });
  }
  if (flags.output == "-")
    return llvm::createStringError(
        "--emit=package: expected -o with the folder of the package");
  llvm::Expected<KernelPackage> package = buildPackage(module, options);
  if (!package)
    return package.takeError();
  return writePackage(*package, flags.output);
}

/// Sets what the flags say about the GPU road.
static llvm::Error setOptions(GPUPipelineOptions &options, const Flags &flags,
                              Level level) {
  std::string errors;
  llvm::raw_string_ostream os(errors);
  if (failed(options.parseFromString(flags.schedule, os)))
    return llvm::createStringError(
        "--schedule: expected fields such as 'br=128 stages=2': " +
        StringRef(errors).trim());
  options.chip = flags.problem.getTarget();
  options.stopAfter = level;
  if (flags.level == "naive")
    options.level = Level::Naive;
  return setTiles(options, flags.problem.getTiles());
}

/// `module` after the GPU road, up to the level that is asked for.
static llvm::Expected<OwningOpRef<ModuleOp>>
lowerForGPU(const Flags &flags, ModuleOp module, Level level) {
  GPUPipelineOptions options;
  if (llvm::Error error = setOptions(options, flags, level))
    return error;
  llvm::Expected<OwningOpRef<ModuleOp>> lowered = lowerCopy(module, options);
  if (!lowered || flags.emit != "package" || options.level == Level::Naive)
    return lowered;

  // Kernels for short sequences come first, where these have a schedule of
  // their own.
  SmallVector<OwningOpRef<ModuleOp>> modules;
  for (int64_t bound : getKeyBounds(module, options.getSchedule())) {
    GPUPipelineOptions shorter;
    if (llvm::Error error = setOptions(shorter, flags, level))
      return error;
    shorter.maxKeys = bound;
    llvm::Expected<OwningOpRef<ModuleOp>> next = lowerCopy(module, shorter);
    if (!next)
      return next.takeError();
    modules.push_back(std::move(*next));
  }
  if (modules.empty() && options.align != 0)
    return lowered;

  // Kernels for tensors that are aligned to less follow, down to an element: of
  // the schedule that the model chooses for them.
  KernelAlignment first = findKernelAlignment(**lowered);
  modules.push_back(std::move(*lowered));
  for (int64_t align : {4, 2}) {
    if (options.align != 0)
      break;
    if (align >= first.align || align < first.elementBytes)
      continue;
    GPUPipelineOptions narrow;
    narrow.chip = options.chip.getValue();
    narrow.align = align;
    narrow.maxKeys = options.maxKeys.getValue();
    narrow.tf32 = options.tf32.getValue();
    llvm::Expected<OwningOpRef<ModuleOp>> next = lowerCopy(module, narrow);
    if (!next)
      return next.takeError();
    modules.push_back(std::move(*next));
  }
  return joinModules(modules);
}

static llvm::Expected<OwningOpRef<ModuleOp>>
lowerForHost(const Flags &flags, ModuleOp module, Level level) {
  CPUPipelineOptions options;
  options.stopAfter = level;
  if (llvm::Error error = setTiles(options, flags.problem.getTiles()))
    return error;
  return lowerCopy(module, options);
}

/// Fails unless the level and the target exist and fit each other. Nothing for
/// ptx and package.
static llvm::Expected<std::optional<Level>> checkLevel(const Flags &flags) {
  StringRef target = flags.problem.getTarget();
  if (target != "auto" && target != "cpu" && !isGPU(flags))
    return llvm::createStringError("--target: expected auto, cpu or a "
                                   "processor such as sm_90a but got '" +
                                   target + "'");
  if (flags.level != "fused" && (flags.level != "naive" || !isGPU(flags)))
    return llvm::createStringError("--level: expected fused, or naive beside a "
                                   "--target such as sm_80, but got '" +
                                   flags.level + "'");
  if (flags.emit == "ptx" || flags.emit == "package") {
    if (target == "cpu")
      return llvm::createStringError("--emit=" + flags.emit +
                                     ": expected a --target such as sm_90a but "
                                     "got 'cpu'");
    return std::nullopt;
  }
  std::optional<Level> level = parseLevel(flags.emit);
  std::optional<Level> gpuLevel = parseLevel(flags.emit, gpuLevels);
  if (!level && !gpuLevel)
    return llvm::createStringError(
        "--emit: expected " + llvm::join(llvm::make_first_range(levels), ", ") +
        ", promoted, scheduled, warp, nvvm, ptx or package but got '" +
        flags.emit + "'");
  // S and P in memory are a branch of its own: before it there is the nest, and
  // nothing is fused.
  if (flags.level == "naive") {
    gpuLevel = parseLevel(flags.emit, gpuLevels);
    if (flags.emit == "naive")
      gpuLevel = Level::Naive;
    else if (flags.emit == "fused")
      gpuLevel = std::nullopt;
  }
  if (!(isGPU(flags) ? gpuLevel : level))
    return llvm::createStringError(
        "--emit=" + flags.emit +
        (isGPU(flags) ? ": expected a level of the GPU road beside --target="
                      : ": expected a --target such as sm_90a but got '") +
        target + (isGPU(flags) ? "" : "'"));
  return isGPU(flags) ? gpuLevel : level;
}

static llvm::Error run(const Flags &flags) {
  llvm::Expected<std::optional<Level>> level = checkLevel(flags);
  if (!level)
    return level.takeError();

  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::Expected<OwningOpRef<ModuleOp>> module = getModule(flags, context);
  if (!module)
    return module.takeError();
  // A module that holds kernels is translated as it is.
  bool isKernel = !*level && hasKernels(**module);
  if (isKernel)
    return emitKernels(flags, **module, /*lowered=*/false);
  if (!*level && !isGPU(flags))
    return llvm::createStringError("--emit=" + flags.emit +
                                   ": expected a --target such as sm_90a");
  llvm::Expected<OwningOpRef<ModuleOp>> lowered =
      isGPU(flags) ? lowerForGPU(flags, **module, level->value_or(Level::NVVM))
                   : lowerForHost(flags, **module, **level);
  if (!lowered)
    return lowered.takeError();
  return *level ? printModule(**lowered, flags.output)
                : emitKernels(flags, **lowered, /*lowered=*/true);
}

int main(int argc, char **argv) {
  return runTool<Flags>(
      argc, argv, "fa-translate",
      "prints attention at any level, from a .mlir file or from shape flags\n",
      run);
}
