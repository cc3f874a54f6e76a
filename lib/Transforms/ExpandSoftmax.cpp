//===- ExpandSoftmax.cpp - Row-wise ops to vector code --------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fa.softmax, fa.online_softmax and fa.finish become arith, math and vector
// ops on tiles, the same for every target.
//
//===----------------------------------------------------------------------===//

#include "fa/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#include <cmath>
#include <limits>

namespace mlir::fa {
#define GEN_PASS_DEF_FAEXPANDSOFTMAXPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Short names for the ops on rows (1-D) and tiles (2-D) of f32.
class RowBuilder {
public:
  RowBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value splat(Type type, float value) {
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(cast<VectorType>(type), value));
  }
  Value add(Value a, Value b) {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubFOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value exp2(Value a) { return math::Exp2Op::create(builder, loc, a); }
  Value fma(Value a, Value b, Value c) {
    return math::FmaOp::create(builder, loc, a, b, c);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Value exceeds(Value a, float value) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, a,
                                 splat(a.getType(), value));
  }
  Value equals(Value a, float value) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a,
                                 splat(a.getType(), value));
  }

  /// The value of each row in every column of a tile.
  Value acrossColumns(Value row, VectorType tile) {
    auto columnType =
        VectorType::get({tile.getDimSize(0), 1}, builder.getF32Type());
    Value column = vector::ShapeCastOp::create(builder, loc, columnType, row);
    return vector::BroadcastOp::create(
        builder, loc, tile.clone(builder.getF32Type()), column);
  }
  /// `acc` and the columns of `tile` reduced by `kind`.
  Value reduceColumns(vector::CombiningKind kind, Value tile, Value acc) {
    return vector::MultiDimReductionOp::create(
        builder, loc, tile, acc, SmallVector<bool>{false, true}, kind);
  }
  /// `tile` rounded to the element type of `type`.
  Value roundTo(VectorType type, Value tile) {
    if (type.getElementType().isF32())
      return tile;
    return arith::TruncFOp::create(builder, loc, type, tile);
  }

  OpBuilder &builder;
  Location loc;
};

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr double kLog2E = 1.44269504088896340736;

/// What is subtracted in the exponent: m, or 0 where m is -inf, so that
/// exp(-inf - m) is exp(-inf) = 0 there and not exp(NaN).
Value buildFiniteMax(RowBuilder &b, Value max) {
  return b.select(b.equals(max, -kInf), b.splat(max.getType(), 0.0f), max);
}

/// The exponents of base 2 of what is left of a maximum: (x - m) * c with
/// c = scale * log2(e).
///
/// Where the scale is part of c, as x * c - m * c, which is one FMA an element.
/// Without a scale x may be what a user's function gave, -1e30 say to hide a
/// key: there the rounding of m * c alone would be more than what exp2 takes,
/// and the difference comes first, which is exact where x is near m.
class Exponents {
public:
  Exponents(RowBuilder &b, const APFloat &scale, Value finiteMax)
      : b(b), factor(static_cast<float>(scale.convertToFloat() * kLog2E)),
        isExact(scale.isExactlyValue(1.0)), max(finiteMax) {
    if (!isExact)
      offset = b.mul(max, b.splat(max.getType(), -factor));
  }

  Value ofRow(Value row) {
    Value c = b.splat(row.getType(), factor);
    // The product rounded as it is in the exponent of P: the terms of all tiles
    // have the same error in the end.
    return isExact ? b.mul(b.sub(row, max), c) : b.add(b.mul(row, c), offset);
  }
  Value ofTile(Value scores) {
    auto tile = cast<VectorType>(scores.getType());
    Value c = b.splat(tile, factor);
    return isExact ? b.mul(b.sub(scores, b.acrossColumns(max, tile)), c)
                   : b.fma(scores, c, b.acrossColumns(offset, tile));
  }

  /// By how much the exponents of a row are larger than they would be without
  /// rounding: m c - round(m c), which one FMA has exactly. Null where it is 0.
  Value getExcess() {
    return isExact ? Value()
                   : b.fma(max, b.splat(max.getType(), factor), offset);
  }

private:
  RowBuilder &b;
  float factor;
  bool isExact;
  Value max, offset;
};

float getExponentFactor(const APFloat &scale) {
  return static_cast<float>(scale.convertToFloat() * kLog2E);
}

struct ExpandSoftmaxOp : public OpRewritePattern<SoftmaxOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    RowBuilder b(rewriter, op.getLoc());
    Exponents exponents(b, op.getScale(), buildFiniteMax(b, op.getMax()));
    Value probs = b.exp2(exponents.ofTile(op.getScores()));
    Value sum = b.reduceColumns(vector::CombiningKind::ADD, probs, op.getSum());
    rewriter.replaceOp(op, {b.roundTo(op.getProbs().getType(), probs), sum});
    return success();
  }
};

struct ExpandOnlineSoftmaxOp : public OpRewritePattern<OnlineSoftmaxOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(OnlineSoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    RowBuilder b(rewriter, op.getLoc());
    float c = getExponentFactor(op.getScale());
    Value newMax = b.reduceColumns(vector::CombiningKind::MAXNUMF,
                                   op.getScores(), op.getMax());
    // A row that has grown by no more than the bound keeps its maximum. From
    // -inf any growth is more; without any key it is NaN, and not more.
    Value grew;
    if (std::optional<APFloat> lazy = op.getLazy()) {
      Value growth =
          b.mul(b.sub(newMax, op.getMax()), b.splat(newMax.getType(), c));
      grew = b.exceeds(growth, lazy->convertToFloat());
      newMax = b.select(grew, newMax, op.getMax());
    }
    Exponents exponents(b, op.getScale(), buildFiniteMax(b, newMax));
    // alpha = exp2((m - m_new) * c), 0 while m is -inf.
    Value alpha = b.exp2(exponents.ofRow(op.getMax()));
    if (grew)
      alpha = b.select(grew, alpha, b.splat(newMax.getType(), 1.0f));
    Value probs = b.exp2(exponents.ofTile(op.getScores()));
    Value sum = b.reduceColumns(vector::CombiningKind::ADD, probs,
                                b.mul(op.getSum(), alpha));
    rewriter.replaceOp(
        op, {b.roundTo(op.getProbs().getType(), probs), newMax, sum, alpha});
    return success();
  }
};

struct ExpandFinishOp : public OpRewritePattern<FinishOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(FinishOp op,
                                PatternRewriter &rewriter) const override {
    RowBuilder b(rewriter, op.getLoc());
    Type rowType = op.getSum().getType();
    Value isEmpty = b.equals(op.getSum(), 0.0f);
    // An empty row has O = 0 already; any divisor but 0 keeps it.
    Value divisor = b.select(isEmpty, b.splat(rowType, 1.0f), op.getSum());
    // One reciprocal a row, which may be a fast one (arcp).
    Value inverse =
        arith::DivFOp::create(rewriter, op.getLoc(), b.splat(rowType, 1.0f),
                              divisor, arith::FastMathFlags::arcp);
    Value output =
        b.mul(op.getAcc(), b.acrossColumns(inverse, op.getAcc().getType()));
    // l is the sum of exp2(x c - round(m c)): its logarithm goes with the
    // rounded product, not with m.
    Value log = math::LogOp::create(rewriter, op.getLoc(), divisor);
    Exponents exponents(b, op.getScale(), buildFiniteMax(b, op.getMax()));
    if (Value excess = exponents.getExcess())
      log =
          b.fma(excess, b.splat(rowType, static_cast<float>(-1 / kLog2E)), log);
    // m of an empty row is -inf, and so is scale * m + log(1).
    Value lse = b.fma(op.getMax(),
                      b.splat(rowType, op.getScale().convertToFloat()), log);
    rewriter.replaceOp(op, {output, lse});
    return success();
  }
};

struct ExpandSoftmax : public fa::impl::FAExpandSoftmaxPassBase<ExpandSoftmax> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandSoftmaxOp, ExpandOnlineSoftmaxOp, ExpandFinishOp>(
        &getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
