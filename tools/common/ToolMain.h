//===- ToolMain.h - The frame of a tool -------------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FA_TOOLS_COMMON_TOOLMAIN_H
#define FA_TOOLS_COMMON_TOOLMAIN_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

namespace mlir::fa {

/// Prints "name: error: ..." to standard error.
inline void printError(llvm::StringRef name, llvm::Error error) {
  llvm::WithColor::error(llvm::errs(), name)
      << llvm::toString(std::move(error)) << '\n';
}

/// Parses the command line into `flags`, whose constructor declares the flags.
template <typename Flags>
std::unique_ptr<Flags> parseFlags(int argc, char **argv,
                                  llvm::StringRef overview) {
  // Forget the options of LLVM's own libraries: they are not for our users, and
  // their names (--threads, for one) are then free.
  llvm::cl::ResetCommandLineParser();
  auto flags = std::make_unique<Flags>();
  llvm::cl::ParseCommandLineOptions(argc, argv, overview);
  return flags;
}

/// The main function of a tool that ends with 1 after an error of `run`.
template <typename Flags>
int runTool(int argc, char **argv, llvm::StringRef name,
            llvm::StringRef overview, llvm::Error (*run)(const Flags &)) {
  llvm::InitLLVM initLLVM(argc, argv);
  std::unique_ptr<Flags> flags = parseFlags<Flags>(argc, argv, overview);
  if (llvm::Error error = run(*flags)) {
    printError(name, std::move(error));
    return 1;
  }
  return 0;
}

} // namespace mlir::fa

#endif // FA_TOOLS_COMMON_TOOLMAIN_H
