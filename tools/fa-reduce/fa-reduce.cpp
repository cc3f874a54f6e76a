//===- fa-reduce.cpp - Shrinks IR that shows a bug ------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's reducer with the dialects and passes of fa. `--reduction-tree` and
// `--opt-reduction-pass` take a script that exits with 1 while the IR it is
// given still shows the bug.
//
//===----------------------------------------------------------------------===//

#include "fa/InitAllDialects.h"
#include "fa/InitAllPasses.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::fa::registerAllDialects(registry);
  mlir::fa::registerAllPasses();
  mlir::MLIRContext context(registry);
  return llvm::failed(mlir::mlirReduceMain(argc, argv, context));
}
