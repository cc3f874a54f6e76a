//===- ExpandMathGPU.cpp - Math functions to PTX instructions ------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// exp2, exp, log2 and log are one instruction each on a GPU (and a factor),
// tanh is two and a polynomial, conversions to 16 bits are done in pairs. The
// rest is made of these, or upstream's polynomials: no libdevice is needed.
//
//===----------------------------------------------------------------------===//

#include "ExpandFunctions.h"
#include "FAGPUToNVVM/PTX.h"
#include "fa/Conversion/Passes.h"
#include "fa/IR/FA.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAEXPANDMATHGPUPASS
#include "fa/Conversion/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Applies `scalar` to a value of f32, or to each element of a vector.
static Value mapElements(OpBuilder &builder, Location loc, Value value,
                         function_ref<Value(Value)> scalar) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return scalar(value);
  SmallVector<Value> elements;
  for (int64_t i = 0, e = type.getDimSize(0); i < e; ++i)
    elements.push_back(
        scalar(vector::ExtractOp::create(builder, loc, value, i)));
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

/// True for f32 and 1-D vectors of it.
static bool isF32OrVector(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return getElementTypeOrSelf(type).isF32() &&
         (!vector || (vector.getRank() == 1 && !vector.isScalable()));
}

static Value callIntrinsic(OpBuilder &builder, Location loc, StringRef name,
                           Value argument) {
  return LLVM::CallIntrinsicOp::create(builder, loc, builder.getF32Type(),
                                       builder.getStringAttr(name), argument)
      .getResult(0);
}

static Value f32Constant(OpBuilder &builder, Location loc, float value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF32FloatAttr(value));
}

namespace {
/// ex2.approx.ftz.f32: at most 2 ulp (PTX ISA 9.7.3.21); 0 below 2^-126.
struct Exp2ToPTX : public OpRewritePattern<math::Exp2Op> {
  using Base::Base;
  LogicalResult matchAndRewrite(math::Exp2Op op,
                                PatternRewriter &rewriter) const override {
    if (!isF32OrVector(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected f32");
    rewriter.replaceOp(
        op, mapElements(rewriter, op.getLoc(), op.getOperand(), [&](Value x) {
          return callIntrinsic(rewriter, op.getLoc(),
                               "llvm.nvvm.ex2.approx.ftz.f32", x);
        }));
    return success();
  }
};

/// exp(x) = ex2.approx.ftz.f32(x * log2(e)): at most 2 + 1.5 |x| ulp.
struct ExpToPTX : public OpRewritePattern<math::ExpOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!isF32OrVector(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected f32");
    Location loc = op.getLoc();
    Value log2e = f32Constant(rewriter, loc, 1.44269502f);
    rewriter.replaceOp(
        op, mapElements(rewriter, loc, op.getOperand(), [&](Value x) -> Value {
          Value scaled = arith::MulFOp::create(rewriter, loc, x, log2e);
          return callIntrinsic(rewriter, loc, "llvm.nvvm.ex2.approx.ftz.f32",
                               scaled);
        }));
    return success();
  }
};

/// log2(x) = lg2.approx.ftz.f32(x), of which the error is below 2^-22, absolute
/// for x in (1/2, 2), relative elsewhere (PTX ISA 9.7.3.20); log(x) = log2(x) *
/// ln(2).
template <typename LogOp>
struct LogToPTX : public OpRewritePattern<LogOp> {
  using OpRewritePattern<LogOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(LogOp op,
                                PatternRewriter &rewriter) const override {
    if (!isF32OrVector(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected f32");
    Location loc = op.getLoc();
    rewriter.replaceOp(
        op, mapElements(rewriter, loc, op.getOperand(), [&](Value x) -> Value {
          Value lg2 =
              callIntrinsic(rewriter, loc, "llvm.nvvm.lg2.approx.ftz.f", x);
          if (std::is_same_v<LogOp, math::Log2Op>)
            return lg2;
          return arith::MulFOp::create(
              rewriter, loc, lg2, f32Constant(rewriter, loc, 0.693147182f));
        }));
    return success();
  }
};

/// 1 / x where a fast reciprocal may stand for it: rcp.approx.ftz.f32, at most
/// 1 ulp (PTX ISA 9.7.3.13).
struct ReciprocalToPTX : public OpRewritePattern<arith::DivFOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isF32OrVector(op.getType()) ||
        !matchPattern(op.getLhs(), m_OneFloat()) ||
        !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::arcp))
      return rewriter.notifyMatchFailure(op, "expected a fast reciprocal");
    rewriter.replaceOp(
        op, mapElements(rewriter, op.getLoc(), op.getRhs(), [&](Value x) {
          return callIntrinsic(rewriter, op.getLoc(),
                               "llvm.nvvm.rcp.approx.ftz.f", x);
        }));
    return success();
  }
};

/// With a = |x| and e = exp(-2 a): (1 - e) / (1 + e) = 1 - 2 e / (1 + e), with
/// rcp.approx.ftz.f32 (1 ulp); below 0.55, where 1 - e would cancel, a + a^3
/// P(a^2) with P through the Chebyshev nodes. At most 6 ulp.
struct TanhToPTX : public OpRewritePattern<math::TanhOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(math::TanhOp op,
                                PatternRewriter &rewriter) const override {
    if (!isF32OrVector(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected f32");
    Location loc = op.getLoc();
    rewriter.replaceOp(
        op, mapElements(rewriter, loc, op.getOperand(),
                        [&](Value x) { return expand(rewriter, loc, x); }));
    return success();
  }

private:
  static Value expand(OpBuilder &b, Location loc, Value x) {
    auto constant = [&](float value) { return f32Constant(b, loc, value); };
    auto mul = [&](Value a, Value c) -> Value {
      return arith::MulFOp::create(b, loc, a, c);
    };
    auto fma = [&](Value a, Value c, Value d) -> Value {
      return math::FmaOp::create(b, loc, a, c, d);
    };
    Value magnitude = math::AbsFOp::create(b, loc, x);
    Value e = callIntrinsic(b, loc, "llvm.nvvm.ex2.approx.ftz.f32",
                            mul(magnitude, constant(-2.88539004f)));
    Value one = constant(1.0f);
    Value rest = callIntrinsic(b, loc, "llvm.nvvm.rcp.approx.ftz.f",
                               arith::AddFOp::create(b, loc, e, one));
    Value large = fma(mul(e, constant(-2.0f)), rest, one);

    Value square = mul(magnitude, magnitude);
    Value p = constant(-6.61022775e-3f);
    for (float coefficient :
         {2.13093888e-2f, -5.39094284e-2f, 1.33331135e-1f, -3.33333313e-1f})
      p = fma(p, square, constant(coefficient));
    Value small = fma(mul(magnitude, square), p, magnitude);
    // A NaN is not below.
    Value isSmall = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                          magnitude, constant(0.55f));
    Value result = arith::SelectOp::create(b, loc, isSmall, small, large);
    return math::CopySignOp::create(b, loc, result, x);
  }
};

/// Two elements an instruction; with `isPinned` where the op stands.
struct TruncToPTX : public OpRewritePattern<arith::TruncFOp> {
  TruncToPTX(MLIRContext *context, bool isPinned)
      : OpRewritePattern(context, /*benefit=*/2), isPinned(isPinned) {}
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 || type.getDimSize(0) % 2 != 0 ||
        !isF32OrVector(op.getOperand().getType()) ||
        (!type.getElementType().isBF16() && !type.getElementType().isF16()))
      return rewriter.notifyMatchFailure(op, "expected pairs of f32");
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    SmallVector<Value> pairs;
    for (int64_t i = 0, e = type.getDimSize(0); i < e; i += 2) {
      Value low = vector::ExtractOp::create(rewriter, loc, op.getOperand(), i);
      Value high =
          vector::ExtractOp::create(rewriter, loc, op.getOperand(), i + 1);
      pairs.push_back(convert(rewriter, loc, low, high, type.getElementType()));
    }
    auto packedType =
        VectorType::get({static_cast<int64_t>(pairs.size())}, i32);
    Value packed =
        vector::FromElementsOp::create(rewriter, loc, packedType, pairs);
    rewriter.replaceOpWithNewOp<vector::BitCastOp>(op, type, packed);
    return success();
  }

private:
  Value convert(OpBuilder &b, Location loc, Value low, Value high,
                Type elementType) const {
    if (isPinned)
      return ptx::buildConvertPair(b, loc, low, high, elementType);
    // The first source is the upper half.
    StringRef name = elementType.isBF16() ? "llvm.nvvm.ff2bf16x2.rn"
                                          : "llvm.nvvm.ff2f16x2.rn";
    Value pair = LLVM::CallIntrinsicOp::create(
                     b, loc, VectorType::get({2}, elementType),
                     b.getStringAttr(name), ValueRange{high, low})
                     .getResult(0);
    return LLVM::BitcastOp::create(b, loc, b.getI32Type(), pair);
  }

  bool isPinned;
};

struct ExpandMathGPU : public fa::impl::FAExpandMathGPUPassBase<ExpandMathGPU> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpToPTX, Exp2ToPTX, LogToPTX<math::LogOp>,
                 LogToPTX<math::Log2Op>, ReciprocalToPTX, TanhToPTX>(
        &getContext(), /*benefit=*/2);
    auto target = getOperation()->getAttrOfType<TargetAttr>(
        FADialect::getTargetAttrName());
    patterns.add<TruncToPTX>(&getContext(),
                             /*isPinned=*/target && target.isHopper());
    populateFunctionExpansions(patterns);
    populateIntegerPowerExpansions(patterns);
    populateMathPolynomialApproximationPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    // What is left needs a library, unless it is an instruction.
    WalkResult result = getOperation().walk([](Operation *op) {
      if (!isa_and_present<math::MathDialect>(op->getDialect()) ||
          !isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())) ||
          isa<math::AbsFOp, math::CeilOp, math::CopySignOp, math::FloorOp,
              math::FmaOp, math::RoundEvenOp, math::RoundOp, math::RsqrtOp,
              math::SqrtOp, math::TruncOp>(op))
        return WalkResult::advance();
      op->emitError("expected '")
          << op->getName() << "' of f32, f16 or bf16 on a GPU but got "
          << getElementTypeOrSelf(op->getResult(0).getType());
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
