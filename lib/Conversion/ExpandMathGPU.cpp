//===- ExpandMathGPU.cpp - Math functions to PTX instructions ------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// exp2 and log are one instruction each on a GPU (and a factor), conversions to
// 16 bits are done in pairs. The rest is upstream's polynomials: no libdevice
// is needed.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/Passes.h"
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

/// log(x) = lg2.approx.ftz.f32(x) * ln(2): the absolute error of lg2 is below
/// 2^-22 (PTX ISA 9.7.3.20).
struct LogToPTX : public OpRewritePattern<math::LogOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(math::LogOp op,
                                PatternRewriter &rewriter) const override {
    if (!isF32OrVector(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected f32");
    Location loc = op.getLoc();
    Value ln2 = arith::ConstantOp::create(
        rewriter, loc, rewriter.getF32FloatAttr(0.693147182f));
    rewriter.replaceOp(
        op, mapElements(rewriter, loc, op.getOperand(), [&](Value x) -> Value {
          Value lg2 =
              callIntrinsic(rewriter, loc, "llvm.nvvm.lg2.approx.ftz.f", x);
          return arith::MulFOp::create(rewriter, loc, lg2, ln2);
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

/// cvt.rn.bf16x2.f32 and cvt.rn.f16x2.f32: two elements an instruction. The
/// second source is the lower half.
struct TruncToPTX : public OpRewritePattern<arith::TruncFOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 || type.getDimSize(0) % 2 != 0 ||
        !isF32OrVector(op.getOperand().getType()) ||
        (!type.getElementType().isBF16() && !type.getElementType().isF16()))
      return rewriter.notifyMatchFailure(op, "expected pairs of f32");
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    StringRef name = type.getElementType().isBF16() ? "llvm.nvvm.ff2bf16x2.rn"
                                                    : "llvm.nvvm.ff2f16x2.rn";
    auto pairType = VectorType::get({2}, type.getElementType());
    SmallVector<Value> pairs;
    for (int64_t i = 0, e = type.getDimSize(0); i < e; i += 2) {
      Value low = vector::ExtractOp::create(rewriter, loc, op.getOperand(), i);
      Value high =
          vector::ExtractOp::create(rewriter, loc, op.getOperand(), i + 1);
      Value pair = LLVM::CallIntrinsicOp::create(rewriter, loc, pairType,
                                                 rewriter.getStringAttr(name),
                                                 ValueRange{high, low})
                       .getResult(0);
      pairs.push_back(LLVM::BitcastOp::create(rewriter, loc, i32, pair));
    }
    auto packedType =
        VectorType::get({static_cast<int64_t>(pairs.size())}, i32);
    Value packed =
        vector::FromElementsOp::create(rewriter, loc, packedType, pairs);
    rewriter.replaceOpWithNewOp<vector::BitCastOp>(op, type, packed);
    return success();
  }
};

struct ExpandMathGPU : public fa::impl::FAExpandMathGPUPassBase<ExpandMathGPU> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<Exp2ToPTX, LogToPTX, ReciprocalToPTX, TruncToPTX>(
        &getContext(), /*benefit=*/2);
    populateMathPolynomialApproximationPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
