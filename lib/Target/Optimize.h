//===- Optimize.h - LLVM's standard pipeline --------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Target.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TARGET_OPTIMIZE_H
#define FA_LIB_TARGET_OPTIMIZE_H

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::fa {

/// Runs LLVM's standard pipeline of `level` for the target of `machine`.
inline void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     llvm::OptimizationLevel level) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(level).run(module, modules);
}

} // namespace mlir::fa

#endif // FA_LIB_TARGET_OPTIMIZE_H
