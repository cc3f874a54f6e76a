//===- Levels.h - IR at a level, by its name --------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_TOOLS_COMMON_LEVELS_H
#define FA_TOOLS_COMMON_LEVELS_H

#include "ProblemFlags.h"
#include "fa/Support/ErrorCollector.h"
#include "fa/Target/CPU/CPUKernel.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

namespace mlir::fa {

/// The levels of the CPU road in order; `naive` is a branch of its own.
inline constexpr StringRef levelNames[] = {"problem", "naive", "nest", "fused",
                                           "vector",  "loops", "llvm"};

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
  return std::move(module);
}

/// A copy of `module` (at the problem level) that is lowered to `level`.
inline llvm::Expected<OwningOpRef<ModuleOp>>
lowerToLevel(ModuleOp module, StringRef level, const FlagValues &tiles) {
  OwningOpRef<ModuleOp> lowered(module.clone());
  if (level == "problem")
    return std::move(lowered);
  CPUPipelineOptions options;
  if (level == "naive")
    options.level = level.str();
  options.stopAfter = level.str();
  if (llvm::Error error = setTiles(options, tiles))
    return error;
  if (llvm::Error error = lowerForCPU(*lowered, options))
    return error;
  return std::move(lowered);
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
