//===- consumer.cpp - Uses fa as an outside project does ------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/IR/FA.h"
#include "fa/InitAllDialects.h"
#include "fa/InitAllPasses.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassRegistry.h"

int main() {
  mlir::DialectRegistry registry;
  mlir::fa::registerAllDialects(registry);
  mlir::fa::registerAllPasses();
  mlir::MLIRContext context(registry);
  bool hasPipeline = mlir::PassPipelineInfo::lookup("fa-lower-to-cpu");
  llvm::outs()
      << "dialect "
      << context.getOrLoadDialect<mlir::fa::FADialect>()->getNamespace()
      << ", fa-lower-to-cpu " << (hasPipeline ? "found" : "missing") << "\n";
  return hasPipeline ? 0 : 1;
}
