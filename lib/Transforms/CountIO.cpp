//===- CountIO.cpp - Bytes of HBM as an attribute -------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Analysis/Traffic.h"
#include "fa/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FACOUNTIOPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
struct CountIO : public fa::impl::FACountIOPassBase<CountIO> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    // The number is for people: without it the kernel is as good.
    FailureOr<Traffic> traffic =
        countTraffic(func, [](Operation *, const Twine &) {});
    if (failed(traffic))
      return;
    Builder builder(&getContext());
    func.walk<WalkOrder::PreOrder>([&](scf::ForallOp nest) {
      if (!nest->hasAttr(FADialect::getScheduleAttrName()))
        return WalkResult::advance();
      Traffic ofNest;
      for (const OpTraffic &op : traffic->ops)
        if (nest->isAncestor(op.op))
          ofNest.ops.push_back(op);
      auto text = [&](const fart::Formula &formula) {
        return builder.getStringAttr(formula.str());
      };
      nest->setAttr(
          "fagpu.hbm_bytes",
          builder.getDictionaryAttr(
              {builder.getNamedAttr("read", text(ofNest.getRead())),
               builder.getNamedAttr("written", text(ofNest.getWritten()))}));
      return WalkResult::skip();
    });
  }
};
} // namespace
