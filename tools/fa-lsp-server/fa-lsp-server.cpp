//===- fa-lsp-server.cpp - Language server for MLIR with fa ---------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's language server, for editors, with the dialects that fa uses.
//
//===----------------------------------------------------------------------===//

#include "fa/InitAllDialects.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::fa::registerAllDialects(registry);
  return llvm::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
