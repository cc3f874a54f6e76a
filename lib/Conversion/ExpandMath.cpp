//===- ExpandMath.cpp - Math functions to arithmetic ----------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// exp2 is where the softmax spends its time, so it has an expansion of its own;
// the rest is upstream's.
//
//===----------------------------------------------------------------------===//

#include "ExpandFunctions.h"
#include "fa/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAEXPANDMATHPASS
#include "fa/Conversion/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// 2^x = 2^n * 2^f with n the nearest integer and f = x - n in [-1/2, 1/2].
/// 2^f is a polynomial, 2^n is made from its bits. On a scalar or a vector of
/// f32.
struct ExpandExp2 : public OpRewritePattern<math::Exp2Op> {
  using Base::Base;

  LogicalResult matchAndRewrite(math::Exp2Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "expected f32");
    Location loc = op.getLoc();
    Type intType = rewriter.getI32Type();
    if (auto shaped = dyn_cast<ShapedType>(type))
      intType = shaped.clone(intType);

    auto constant = [&](Type of, Attribute value) -> Value {
      if (auto shaped = dyn_cast<ShapedType>(of))
        value = DenseElementsAttr::get(shaped, value);
      return arith::ConstantOp::create(rewriter, loc, cast<TypedAttr>(value));
    };
    auto f32 = [&](float value) {
      return constant(type, rewriter.getF32FloatAttr(value));
    };
    auto i32 = [&](int32_t value) {
      return constant(intType, rewriter.getI32IntegerAttr(value));
    };
    // `a` where the comparison holds, `b` where it does not or x is NaN.
    auto selectIf = [&](arith::CmpFPredicate predicate, Value x, Value bound,
                        Value a, Value b) -> Value {
      Value test = arith::CmpFOp::create(rewriter, loc, predicate, x, bound);
      return arith::SelectOp::create(rewriter, loc, test, a, b);
    };
    using arith::CmpFPredicate;

    // Below `low` the result is 0, from `high` on it is infinity. Between them
    // 2^(n - 1) is a normal number, and 2 * 2^f * 2^(n - 1) does not overflow
    // on the way where 2^x does not.
    Value x = op.getOperand();
    Value low = f32(-125.0f), high = f32(128.0f);
    Value clamped = selectIf(CmpFPredicate::OGT, x, low, x, low);
    clamped = selectIf(CmpFPredicate::OLT, clamped, high, clamped, high);
    Value n = math::RoundEvenOp::create(rewriter, loc, clamped);
    Value f = arith::SubFOp::create(rewriter, loc, x, n);

    // Interpolation at the Chebyshev nodes of [-1/2, 1/2]; with the rounding of
    // f32 the relative error is below 7.6e-8.
    constexpr float kCoefficients[] = {1.54614447e-4f,
                                       1.34004280e-3f,
                                       9.61805694e-3f,
                                       5.55032715e-2f,
                                       2.40226507e-1f,
                                       6.93147182e-1f,
                                       1.0f};
    Value p = f32(kCoefficients[0]);
    for (float coefficient : ArrayRef(kCoefficients).drop_front())
      p = math::FmaOp::create(rewriter, loc, p, f, f32(coefficient));

    // The bits of 2^(n - 1) are (n - 1 + 127) << 23.
    Value exponent = arith::FPToSIOp::create(rewriter, loc, intType, n);
    exponent = arith::AddIOp::create(rewriter, loc, exponent, i32(126));
    Value bits = arith::ShLIOp::create(rewriter, loc, exponent, i32(23));
    Value power = arith::BitcastOp::create(rewriter, loc, type, bits);
    Value twice = arith::AddFOp::create(rewriter, loc, p, p);
    Value result = arith::MulFOp::create(rewriter, loc, twice, power);

    result = selectIf(CmpFPredicate::OLT, x, low, f32(0.0f), result);
    Value infinity = f32(std::numeric_limits<float>::infinity());
    result = selectIf(CmpFPredicate::OGE, x, high, infinity, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// The integer power of indices as that of i64, which upstream knows.
struct IPowIOfIndex : public OpRewritePattern<math::IPowIOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isIndex())
      return rewriter.notifyMatchFailure(op, "expected index");
    Type i64 = rewriter.getI64Type();
    if (auto shaped = dyn_cast<ShapedType>(type))
      i64 = shaped.clone(i64);
    auto cast = [&](Type to, Value value) -> Value {
      return arith::IndexCastOp::create(rewriter, op.getLoc(), to, value);
    };
    Value power = math::IPowIOp::create(
        rewriter, op.getLoc(), cast(i64, op.getLhs()), cast(i64, op.getRhs()));
    rewriter.replaceOp(op, cast(type, power));
    return success();
  }
};

struct ExpandMath : public fa::impl::FAExpandMathPassBase<ExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExp2>(&getContext(), /*benefit=*/2);
    patterns.add<IPowIOfIndex>(&getContext());
    populateFunctionExpansions(patterns);
    populateMathPolynomialApproximationPatterns(patterns);
    arith::populateExpandBFloat16Patterns(patterns);
    // Fails where it stops before a fixed point; what is left then is lowered
    // as what has no expansion.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
