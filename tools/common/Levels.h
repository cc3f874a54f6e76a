//===- Levels.h - IR at a level, by its name --------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_TOOLS_COMMON_LEVELS_H
#define FA_TOOLS_COMMON_LEVELS_H

#include "fa/Pipelines/Pipelines.h"
#include "fa/Support/ErrorCollector.h"
#include "fa/Target/CPU/CPUKernel.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

#include <optional>
#include <utility>

namespace mlir::fa {

/// The levels of the CPU road by name, in order.
inline constexpr std::pair<StringRef, Level> levels[] = {
    {"problem", Level::Problem}, {"naive", Level::Naive},
    {"nest", Level::Nest},       {"fused", Level::Fused},
    {"vector", Level::Vector},   {"loops", Level::Loops},
    {"llvm", Level::LLVM}};

/// The levels of the GPU road that are IR; ptx and package follow.
inline constexpr std::pair<StringRef, Level> gpuLevels[] = {
    {"problem", Level::Problem},
    {"nest", Level::Nest},
    {"fused", Level::Fused},
    {"promoted", Level::Promoted},
    {"scheduled", Level::Scheduled},
    {"warp", Level::Warp},
    {"nvvm", Level::NVVM}};

/// The level called `name` of a road, if there is one.
inline std::optional<Level>
parseLevel(StringRef name,
           ArrayRef<std::pair<StringRef, Level>> road = levels) {
  for (const auto &[known, level] : road)
    if (known == name)
      return level;
  return std::nullopt;
}

/// Reads a .mlir file; "-" is the standard input. Syntax and verifier errors
/// end up in the error, with their locations.
inline llvm::Expected<OwningOpRef<ModuleOp>>
parseProblem(StringRef path, MLIRContext &context) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file)
    return llvm::createStringError(message);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  ErrorCollector errors(&context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return errors.take("cannot parse '" + path + "'");
  return module;
}

/// A copy of `module` (at the problem level) after the pipeline with `options`.
inline llvm::Expected<OwningOpRef<ModuleOp>>
lowerCopy(ModuleOp module, const CPUPipelineOptions &options) {
  OwningOpRef<ModuleOp> lowered(module.clone());
  if (llvm::Error error = lowerForCPU(*lowered, options))
    return error;
  return lowered;
}

/// The same on the GPU road.
inline llvm::Expected<OwningOpRef<ModuleOp>>
lowerCopy(ModuleOp module, const GPUPipelineOptions &options) {
  OwningOpRef<ModuleOp> lowered(module.clone());
  PassManager pm(module.getContext());
  ErrorCollector errors(module.getContext());
  buildGPUPipeline(pm, options);
  if (failed(pm.run(*lowered)))
    return errors.take("lowering for " + options.chip.getValue() + " failed");
  return lowered;
}

/// Prints `module` to `path`, which appears whole or not at all; "-" is the
/// standard output.
inline llvm::Error printModule(ModuleOp module, StringRef path) {
  return llvm::writeToOutput(path, [&](raw_ostream &os) {
    module.print(os);
    os << '\n';
    return llvm::Error::success();
  });
}

} // namespace mlir::fa

#endif // FA_TOOLS_COMMON_LEVELS_H
