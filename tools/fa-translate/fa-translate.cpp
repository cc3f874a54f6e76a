//===- fa-translate.cpp - IR of an attention at a level -------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a .mlir file or from shape flags to the IR of any level of the road, on
// the standard output or in a file.
//
//===----------------------------------------------------------------------===//

#include "../common/Levels.h"
#include "../common/ProblemFlags.h"
#include "fa/InitAllDialects.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

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
      cl::desc("Level to print: problem, naive, nest, fused (default), "
               "vector, loops or llvm"),
      cl::value_desc("level"), cl::init("fused"), cl::cat(category)};
  cl::opt<std::string> output{
      "o", cl::desc("Where to print (default: the standard output)"),
      cl::value_desc("path"), cl::init("-"), cl::cat(category)};
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
    llvm::Expected<AttentionProblem> problem = spec.resolve();
    if (!problem)
      return problem.takeError();
    return buildProblem(&context, *problem);
  }
  if (FlagValues shape = flags.problem.getShape(); !shape.empty())
    return llvm::createStringError("--" + shape.front().first +
                                   ": expected no shape flag beside a .mlir "
                                   "file, which has its own shape");
  return parseProblem(flags.input, context);
}

static llvm::Error run(const Flags &flags) {
  if (llvm::Error error = flags.problem.checkTarget())
    return error;
  std::optional<Level> level = parseLevel(flags.emit);
  if (!level)
    return llvm::createStringError(
        "--emit: expected " + llvm::join(llvm::make_first_range(levels), ", ") +
        " but got '" + flags.emit + "'");

  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::Expected<OwningOpRef<ModuleOp>> module = getModule(flags, context);
  if (!module)
    return module.takeError();
  CPUPipelineOptions options;
  options.stopAfter = *level;
  if (llvm::Error error = setTiles(options, flags.problem.getTiles()))
    return error;
  llvm::Expected<OwningOpRef<ModuleOp>> lowered = lowerCopy(**module, options);
  if (!lowered)
    return lowered.takeError();
  return printModule(**lowered, flags.output);
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  // Forget the options of LLVM's own libraries: they are not for our users, and
  // their names (--threads, for one) are then free.
  cl::ResetCommandLineParser();
  Flags flags;
  cl::ParseCommandLineOptions(
      argc, argv,
      "prints attention at any level, from a .mlir file or from shape flags\n");
  if (llvm::Error error = run(flags)) {
    llvm::WithColor::error(llvm::errs(), "fa-translate")
        << llvm::toString(std::move(error)) << '\n';
    return 1;
  }
  return 0;
}
