//===- LazyRescale.cpp - Rescale O where the maximum has grown much ------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// l and O are sums of terms with the factor exp(-m), whatever m is: it only has
// to be large enough that no term overflows. So m may stay behind the maximum
// by a bound, and O has to be rescaled only when the bound is passed, which is
// in the first few tiles of a row as a rule.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FALAZYRESCALEPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// P is at most 2^8: far from where f16 ends, and rarely passed.
constexpr float kLazyBound = 8.0f;

namespace {
struct LazyRescale : public fa::impl::FALazyRescalePassBase<LazyRescale> {
  void runOnOperation() override {
    getOperation().walk([](scf::ForallOp nest) {
      auto schedule =
          nest->getAttrOfType<ScheduleAttr>(FADialect::getScheduleAttrName());
      if (!schedule || !schedule.getLazy())
        return;
      Builder builder(nest.getContext());
      nest.walk([&](OnlineSoftmaxOp op) {
        op.setLazyAttr(builder.getF32FloatAttr(kLazyBound));
      });
      nest.walk([](RescaleOp op) { op.setRarely(true); });
    });
  }
};
} // namespace
