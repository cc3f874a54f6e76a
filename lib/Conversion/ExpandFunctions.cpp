//===- ExpandFunctions.cpp - Functions that upstream leaves to libm -------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With a = |x|, and the sign of x where a function is odd:
//
//   sinh(x)  = e - 1 / (4 e), e = exp2(a log2(e) - 1); its series below 1
//   cosh(x)  = e + 1 / (4 e)
//   tan(x)   = tan(r) or -1 / tan(r), r = x - k pi/2 with k the nearest
//   integer;
//              tan(r) = r + r^3 P(r^2) with P through the Chebyshev nodes
//   asinh(x) = log1p(a + a^2 / (1 + sqrt(a^2 + 1)));  log(a) + log(2) from 2^30
//   acosh(x) = log1p(t + sqrt(t (t + 2))), t = x - 1; log(x) + log(2) from 2^30
//   atanh(x) = log1p(2 a / (1 - a)) / 2
//   log10(x) = log2(x) log10(2)
//   x^y      = exp2(y log2(a)), negative for x < 0 and an odd y
//
//===----------------------------------------------------------------------===//

#include "ExpandFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Arithmetic on one type, a scalar or a vector.
class Arith {
public:
  Arith(PatternRewriter &rewriter, Location loc, Type type)
      : b(rewriter), loc(loc), type(type) {}

  Value constant(double value) {
    return constant(type, b.getFloatAttr(getElementTypeOrSelf(type), value));
  }
  Value integer(Type of, int64_t value) {
    return constant(of, b.getIntegerAttr(getElementTypeOrSelf(of), value));
  }
  Value add(Value x, Value y) { return make<arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return make<arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return make<arith::MulFOp>(x, y); }
  Value div(Value x, Value y) { return make<arith::DivFOp>(x, y); }
  Value fma(Value x, Value y, Value z) { return make<math::FmaOp>(x, y, z); }
  Value abs(Value x) { return make<math::AbsFOp>(x); }
  Value sqrt(Value x) { return make<math::SqrtOp>(x); }
  Value log(Value x) { return make<math::LogOp>(x); }
  Value log1p(Value x) { return make<math::Log1pOp>(x); }
  Value exp2(Value x) { return make<math::Exp2Op>(x); }
  Value withSignOf(Value magnitude, Value sign) {
    return make<math::CopySignOp>(magnitude, sign);
  }
  Value select(Value condition, Value x, Value y) {
    return make<arith::SelectOp>(condition, x, y);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return make<arith::CmpFOp>(predicate, x, y);
  }
  template <typename Op, typename... Args>
  Value make(Args... args) {
    return Op::create(b, loc, args...);
  }

private:
  Value constant(Type of, Attribute value) {
    if (auto shaped = dyn_cast<ShapedType>(of))
      value = DenseElementsAttr::get(shaped, value);
    return arith::ConstantOp::create(b, loc, cast<TypedAttr>(value));
  }

  PatternRewriter &b;
  Location loc;
  Type type;
};

using P = arith::CmpFPredicate;
constexpr double kLog2E = 1.44269504088896340736;
constexpr double kLn2 = 0.69314718055994530942;
constexpr double kLarge = 0x1p30; // Here 1 is lost beside the square.

Value expandSinh(Arith a, Value x) {
  Value magnitude = a.abs(x), square = a.mul(magnitude, magnitude);
  // 1/3!, 1/5!, ...
  Value series = a.constant(1.0 / 39916800);
  for (double coefficient : {1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6})
    series = a.fma(series, square, a.constant(coefficient));
  Value small = a.fma(a.mul(magnitude, square), series, magnitude);
  Value e = a.exp2(a.fma(magnitude, a.constant(kLog2E), a.constant(-1.0)));
  Value large = a.sub(e, a.div(a.constant(0.25), e));
  Value isSmall = a.compare(P::OLT, magnitude, a.constant(1));
  return a.withSignOf(a.select(isSmall, small, large), x);
}

Value expandCosh(Arith a, Value x) {
  Value e = a.exp2(a.fma(a.abs(x), a.constant(kLog2E), a.constant(-1.0)));
  return a.add(e, a.div(a.constant(0.25), e));
}

Value expandTan(Arith a, Value x) {
  // pi/2 in two parts: what the first leaves over counts up to k = 2^10 or so.
  Value k = a.make<math::RoundEvenOp>(a.mul(x, a.constant(2 / M_PI)));
  Value r = a.fma(k, a.constant(-1.5707963705062866), x);
  r = a.fma(k, a.constant(4.371138828673793e-8), r);
  Value square = a.mul(r, r);
  Value p = a.constant(3.8514784537e-3);
  for (double coefficient : {1.1712546693e-3, 9.9709611386e-3, 2.1618612110e-2,
                             5.3994785994e-2, 1.3333229721e-1, 3.3333334327e-1})
    p = a.fma(p, square, a.constant(coefficient));
  Value tan = a.fma(a.mul(r, square), p, r);
  // k is odd if its half is no integer.
  Value half = a.mul(k, a.constant(0.5));
  Value isOdd = a.compare(P::ONE, half, a.make<math::FloorOp>(half));
  return a.select(isOdd, a.div(a.constant(-1), tan), tan);
}

Value expandAsinh(Arith a, Value x) {
  Value magnitude = a.abs(x), one = a.constant(1);
  Value square = a.mul(magnitude, magnitude);
  Value root = a.sqrt(a.add(square, one));
  Value small = a.log1p(a.add(magnitude, a.div(square, a.add(one, root))));
  Value large = a.add(a.log(magnitude), a.constant(kLn2));
  Value isLarge = a.compare(P::OGT, magnitude, a.constant(kLarge));
  return a.withSignOf(a.select(isLarge, large, small), x);
}

Value expandAcosh(Arith a, Value x) {
  Value t = a.sub(x, a.constant(1));
  Value root = a.sqrt(a.mul(t, a.add(t, a.constant(2))));
  Value small = a.log1p(a.add(t, root));
  Value large = a.add(a.log(x), a.constant(kLn2));
  return a.select(a.compare(P::OGT, x, a.constant(kLarge)), large, small);
}

Value expandAtanh(Arith a, Value x) {
  Value magnitude = a.abs(x);
  Value ratio =
      a.div(a.add(magnitude, magnitude), a.sub(a.constant(1), magnitude));
  return a.withSignOf(a.mul(a.constant(0.5), a.log1p(ratio)), x);
}

Value expandLog10(Arith a, Value x) {
  return a.mul(a.make<math::Log2Op>(x), a.constant(0.30102999566398119521));
}

/// A base of 0 or an infinity gives what the logarithm's infinity does; the
/// exponent 0 gives 1, whatever the base.
Value expandPow(Arith a, Value x, Value y) {
  Value zero = a.constant(0), one = a.constant(1), half = a.constant(0.5);
  Value magnitude = a.abs(x);
  Value power = a.exp2(a.mul(y, a.make<math::Log2Op>(magnitude)));
  // y is an integer, and an odd one if its half is not.
  Value isInteger = a.compare(P::OEQ, y, a.make<math::FloorOp>(y));
  Value halved = a.mul(y, half);
  Value isOdd = a.make<arith::AndIOp>(
      isInteger, a.compare(P::ONE, halved, a.make<math::FloorOp>(halved)));
  Value nan = a.constant(std::numeric_limits<double>::quiet_NaN());
  Value minusPower = a.make<arith::NegFOp>(power);
  Value ofNegative =
      a.select(isInteger, a.select(isOdd, minusPower, power), nan);
  Value result = a.select(a.compare(P::OLT, x, zero), ofNegative, power);
  Value isOne = a.make<arith::OrIOp>(a.compare(P::OEQ, y, zero),
                                     a.compare(P::OEQ, x, one));
  return a.select(isOne, one, result);
}

/// Replaces `Op` on f32 by `expand` of its operands, and `Op` on f16 and bf16
/// by `Op` on f32.
template <typename Op, auto expand>
struct ExpandFunction : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    SmallVector<Value, 2> operands(op->getOperands());
    if (element.isF32()) {
      Arith arith(rewriter, op.getLoc(), type);
      if constexpr (Op::template hasTrait<OpTrait::OneOperand>())
        rewriter.replaceOp(op, expand(arith, operands[0]));
      else
        rewriter.replaceOp(op, expand(arith, operands[0], operands[1]));
      return success();
    }
    if (!element.isF16() && !element.isBF16())
      return rewriter.notifyMatchFailure(op, "expected f32, f16 or bf16");
    Type wide = rewriter.getF32Type();
    if (auto shaped = dyn_cast<ShapedType>(type))
      wide = shaped.clone(wide);
    for (Value &operand : operands)
      operand = arith::ExtFOp::create(rewriter, op.getLoc(), wide, operand);
    Operation *inF32 = rewriter.create(
        op.getLoc(), op->getName().getIdentifier(), operands, wide);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, inF32->getResult(0));
    return success();
  }
};

/// The value held between min and max, NaN kept. (Upstream's expansion has the
/// two exchanged, and gives max.)
struct ExpandClampF : public OpRewritePattern<math::ClampFOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(math::ClampFOp op,
                                PatternRewriter &rewriter) const override {
    Value atLeast = arith::MaximumFOp::create(rewriter, op.getLoc(),
                                              op.getValue(), op.getMin());
    rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, atLeast, op.getMax());
    return success();
  }
};

/// x^n by multiplication loses more than f16 and bf16 have to lose: in f32.
struct WidenFPowI : public OpRewritePattern<math::FPowIOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    if (element.getIntOrFloatBitWidth() >= 32)
      return rewriter.notifyMatchFailure(op, "expected f16 or bf16");
    Type wide = rewriter.getF32Type();
    if (auto shaped = dyn_cast<ShapedType>(type))
      wide = shaped.clone(wide);
    Location loc = op.getLoc();
    Value base = arith::ExtFOp::create(rewriter, loc, wide, op.getLhs());
    Value power = math::FPowIOp::create(rewriter, loc, base, op.getRhs());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, power);
    return success();
  }
};

/// Both at once is each by itself.
struct SplitSinCos : public OpRewritePattern<math::SincosOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(math::SincosOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    Value sin = math::SinOp::create(rewriter, op.getLoc(), x);
    Value cos = math::CosOp::create(rewriter, op.getLoc(), x);
    rewriter.replaceOp(op, {sin, cos});
    return success();
  }
};

/// base^|n| = product of base^(2^k) over the bits k of |n| that are set; for a
/// negative n its reciprocal, of integers cut to an integer: 1 and -1 to a
/// negative power are what they are to the positive one, all others 0.
template <typename Op>
struct ExpandPower : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    constexpr bool isFloat = std::is_same_v<Op, math::FPowIOp>;
    Type type = op.getType(), exponentType = op.getRhs().getType();
    unsigned width = 64;
    if (Type element = getElementTypeOrSelf(exponentType); !element.isIndex())
      width = element.getIntOrFloatBitWidth();
    if (isFloat && getElementTypeOrSelf(type).getIntOrFloatBitWidth() < 32)
      return rewriter.notifyMatchFailure(op, "expected f32 or f64");
    Arith a(rewriter, op.getLoc(), type);
    auto multiply = [&](Value x, Value y) -> Value {
      return isFloat ? a.mul(x, y) : a.make<arith::MulIOp>(x, y);
    };
    auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
      return a.make<arith::CmpIOp>(predicate, x, y);
    };
    using PI = arith::CmpIPredicate;
    Value one = isFloat ? a.constant(1) : a.integer(type, 1);
    Value zero = a.integer(exponentType, 0);
    Value exponent = op.getRhs(), base = op.getLhs();
    Value isNegative = compare(PI::slt, exponent, zero);
    Value minus = a.make<arith::SubIOp>(zero, exponent);
    Value magnitude = a.make<arith::SelectOp>(isNegative, minus, exponent);
    Value result = one, square = base;
    for (unsigned bit = 0; bit < width; ++bit) {
      if (bit > 0)
        square = multiply(square, square);
      Value at =
          a.integer(exponentType, static_cast<int64_t>(uint64_t(1) << bit));
      Value set = compare(PI::ne, a.make<arith::AndIOp>(magnitude, at), zero);
      result = a.select(set, multiply(result, square), result);
    }
    Value reciprocal;
    if (isFloat) {
      reciprocal = a.div(one, result);
    } else {
      Value minusOne = a.integer(type, -1);
      Value isUnit = a.make<arith::OrIOp>(compare(PI::eq, base, one),
                                          compare(PI::eq, base, minusOne));
      reciprocal = a.select(isUnit, result, a.integer(type, 0));
    }
    rewriter.replaceOp(op, a.select(isNegative, reciprocal, result));
    return success();
  }
};
} // namespace

void fa::populateFunctionExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandFunction<math::AcoshOp, expandAcosh>,
               ExpandFunction<math::AsinhOp, expandAsinh>,
               ExpandFunction<math::AtanhOp, expandAtanh>,
               ExpandFunction<math::CoshOp, expandCosh>,
               ExpandFunction<math::Log10Op, expandLog10>,
               ExpandFunction<math::PowFOp, expandPow>,
               ExpandFunction<math::SinhOp, expandSinh>,
               ExpandFunction<math::TanOp, expandTan>, ExpandClampF,
               SplitSinCos, WidenFPowI>(patterns.getContext());
}

void fa::populateIntegerPowerExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandPower<math::FPowIOp>, ExpandPower<math::IPowIOp>>(
      patterns.getContext());
}
