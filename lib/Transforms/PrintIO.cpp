//===- PrintIO.cpp - Bytes of HBM as remarks ------------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Analysis/Traffic.h"
#include "fa/Transforms/Passes.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAPRINTIOPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
struct PrintIO : public fa::impl::FAPrintIOPassBase<PrintIO> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isDeclaration())
      return;
    FailureOr<Traffic> traffic =
        countTraffic(func, [](Operation *op, const Twine &message) {
          op->emitError(message);
        });
    if (failed(traffic))
      return signalPassFailure();
    for (const OpTraffic &op : traffic->ops)
      op.op->emitRemark(op.isWrite ? "writes " : "reads ")
          << op.tensor << ": " << op.bytes.str();
    func.emitRemark("reads ") << traffic->getRead().str();
    func.emitRemark("writes ") << traffic->getWritten().str();
  }
};
} // namespace
