//===- ColumnTests.cpp - Tests of column numbers against constants --------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnTests.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace {
struct ColumnTest : public OpRewritePattern<arith::CmpIOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    auto sum = op.getLhs().getDefiningOp<arith::AddIOp>();
    auto first =
        sum ? sum.getLhs().getDefiningOp<vector::BroadcastOp>() : nullptr;
    if (!first || isa<VectorType>(first.getSourceType()) ||
        !matchPattern(sum.getRhs(), m_Constant()))
      return failure();
    Location loc = op.getLoc();
    Value limit;
    if (auto rows = op.getRhs().getDefiningOp<vector::ShuffleOp>()) {
      // A limit of each row of this thread.
      if (rows.getV1() != rows.getV2())
        return failure();
      Value shift = vector::BroadcastOp::create(
          rewriter, loc, rows.getV1().getType(), first.getSource());
      Value shifted = arith::SubIOp::create(rewriter, loc, rows.getV1(), shift);
      limit = vector::ShuffleOp::create(rewriter, loc, shifted, shifted,
                                        rows.getMask());
    } else if (auto all = op.getRhs().getDefiningOp<vector::BroadcastOp>()) {
      if (isa<VectorType>(all.getSourceType()))
        return failure();
      Value shifted = arith::SubIOp::create(rewriter, loc, all.getSource(),
                                            first.getSource());
      limit =
          vector::BroadcastOp::create(rewriter, loc, all.getType(), shifted);
    } else {
      return failure();
    }
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, op.getPredicate(),
                                               sum.getRhs(), limit);
    return success();
  }
};
} // namespace

void fa::simplifyColumnTests(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns.add<ColumnTest>(root->getContext());
  walkAndApplyPatterns(root, std::move(patterns));
}
