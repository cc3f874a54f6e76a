//===- DifferentiateScore.cpp - The derivative of the score region --------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/Passes.h"

#include "fa/IR/FA.h"
#include "fa/Transforms/Differentiate.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FADIFFERENTIATESCOREPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
struct DifferentiateScore
    : public fa::impl::FADifferentiateScorePassBase<DifferentiateScore> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](AttentionBackwardOp op) {
      return failed(addDerivativeRegion(op)) ? WalkResult::interrupt()
                                             : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
