//===- Differentiate.cpp - Derivatives of scalar code ---------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward mode: beside each value y of a block its tangent dy/dx, op by op, by
// the rule of the op. A tangent that is known to be 0 is a null value, so that
// code that does not depend on x costs nothing.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/Differentiate.h"

#include "fa/IR/FA.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numbers>
#include <optional>

using namespace mlir;
using namespace mlir::fa;

namespace {

class Differentiator {
public:
  Differentiator(OpBuilder &builder, Value variable) : b(builder) {
    tangents[variable] = constant(variable, 1.0);
  }

  /// dy/dx, or null for 0.
  Value getTangent(Value value) const { return tangents.lookup(value); }

  /// Builds the tangent of what `op` defines. Fails if no rule is known.
  LogicalResult visit(Operation &op);

  /// A constant of the type of `like`.
  Value constant(Value like, double value) {
    return arith::ConstantOp::create(b, loc,
                                     b.getFloatAttr(like.getType(), value));
  }

private:
  // Arithmetic on floats; folded where that is possible at once.
  template <typename Op>
  Value create(Value lhs, Value rhs) {
    return b.createOrFold<Op>(loc, lhs, rhs);
  }
  template <typename Op>
  Value create(Value x) {
    return b.createOrFold<Op>(loc, x);
  }
  Value mul(Value lhs, Value rhs) { return create<arith::MulFOp>(lhs, rhs); }
  Value div(Value lhs, Value rhs) { return create<arith::DivFOp>(lhs, rhs); }
  Value neg(Value x) { return create<arith::NegFOp>(x); }
  Value square(Value x) { return mul(x, x); }
  /// a + x and a - x.
  Value plus(double a, Value x) {
    return create<arith::AddFOp>(constant(x, a), x);
  }
  Value minus(double a, Value x) {
    return create<arith::SubFOp>(constant(x, a), x);
  }
  Value scaled(double a, Value x) { return mul(constant(x, a), x); }
  Value root(Value x) { return create<math::SqrtOp>(x); }
  Value compare(arith::CmpFPredicate predicate, Value lhs, Value rhs) {
    return b.createOrFold<arith::CmpFOp>(loc, predicate, lhs, rhs);
  }
  /// |x| = sign(x) * x, with the sign of a zero.
  Value sign(Value x) { return create<math::CopySignOp>(constant(x, 1.0), x); }

  // Arithmetic on tangents, any of which may be 0, that is, null.
  Value times(Value tangent, Value factor) {
    return tangent ? mul(tangent, factor) : Value();
  }
  Value over(Value tangent, Value divisor) {
    return tangent ? div(tangent, divisor) : Value();
  }
  Value sum(Value lhs, Value rhs) {
    return !lhs ? rhs : !rhs ? lhs : create<arith::AddFOp>(lhs, rhs);
  }
  Value difference(Value lhs, Value rhs) {
    if (!rhs)
      return lhs;
    return lhs ? create<arith::SubFOp>(lhs, rhs) : neg(rhs);
  }
  Value select(Value condition, Value lhs, Value rhs) {
    if (!lhs && !rhs)
      return {};
    Value zero = constant(lhs ? lhs : rhs, 0.0);
    return b.createOrFold<arith::SelectOp>(loc, condition, lhs ? lhs : zero,
                                           rhs ? rhs : zero);
  }

  // The rules. An empty optional is an op that is not known; a null value in
  // it is the tangent 0.
  std::optional<Value> visitArith(Operation &op);
  std::optional<Value> visitUnaryMath(Operation &op);
  std::optional<Value> visitOtherMath(Operation &op);
  /// f'(x), where `y` = f(x), of a function of one variable.
  Value getSlope(Operation &op, Value x, Value y);

  OpBuilder &b;
  Location loc = b.getUnknownLoc();
  llvm::DenseMap<Value, Value> tangents;
};

} // namespace

LogicalResult Differentiator::visit(Operation &op) {
  if (llvm::none_of(op.getOperands(),
                    [&](Value operand) { return getTangent(operand); }))
    return success();
  loc = op.getLoc();
  b.setInsertionPointAfter(&op);
  for (auto rule :
       {&Differentiator::visitArith, &Differentiator::visitUnaryMath,
        &Differentiator::visitOtherMath})
    if (std::optional<Value> tangent = (this->*rule)(op)) {
      tangents[op.getResult(0)] = *tangent;
      return success();
    }
  return failure();
}

std::optional<Value> Differentiator::visitArith(Operation &op) {
  using Result = std::optional<Value>;
  using P = arith::CmpFPredicate;
  auto d = [&](unsigned index) { return getTangent(op.getOperand(index)); };
  return TypeSwitch<Operation *, Result>(&op)
      .Case([&](arith::AddFOp) { return sum(d(0), d(1)); })
      .Case([&](arith::SubFOp) { return difference(d(0), d(1)); })
      .Case([&](arith::NegFOp) { return neg(d(0)); })
      .Case([&](arith::MulFOp mul) {
        return sum(times(d(0), mul.getRhs()), times(d(1), mul.getLhs()));
      })
      // (a / b)' = (a' - (a / b) b') / b
      .Case([&](arith::DivFOp div) {
        return over(difference(d(0), times(d(1), div.getResult())),
                    div.getRhs());
      })
      // a - b trunc(a / b), whose last factor is constant but for its steps
      .Case([&](arith::RemFOp rem) {
        Value b = d(1);
        if (b)
          b = mul(b, create<math::TruncOp>(div(rem.getLhs(), rem.getRhs())));
        return difference(d(0), b);
      })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>([&](auto max) {
        return select(compare(P::OGE, max.getLhs(), max.getRhs()), d(0), d(1));
      })
      .Case<arith::MinimumFOp, arith::MinNumFOp>([&](auto min) {
        return select(compare(P::OLE, min.getLhs(), min.getRhs()), d(0), d(1));
      })
      .Case([&](arith::SelectOp op) {
        return select(op.getCondition(), d(1), d(2));
      })
      .Case([&](arith::ExtFOp op) {
        return b.createOrFold<arith::ExtFOp>(loc, op.getType(), d(0));
      })
      .Case([&](arith::TruncFOp op) {
        return b.createOrFold<arith::TruncFOp>(loc, op.getType(), d(0));
      })
      // Steps.
      .Case<arith::CmpFOp, arith::FPToSIOp, arith::FPToUIOp>(
          [](auto) { return Value(); })
      .Default([](Operation *) { return Result(); });
}

Value Differentiator::getSlope(Operation &op, Value x, Value y) {
  constexpr double ln2 = std::numbers::ln2, ln10 = std::numbers::ln10;
  constexpr double twoOverRootPi = 2 * std::numbers::inv_sqrtpi;
  auto gauss = [&] { return create<math::ExpOp>(neg(square(x))); };
  auto inverse = [&](Value value) { return div(constant(value, 1.0), value); };
  return TypeSwitch<Operation *, Value>(&op)
      .Case([&](math::AbsFOp) { return sign(x); })
      .Case([&](math::AcosOp) {
        return neg(inverse(root(minus(1.0, square(x)))));
      })
      .Case([&](math::AcoshOp) { return inverse(root(plus(-1.0, square(x)))); })
      .Case([&](math::AsinOp) { return inverse(root(minus(1.0, square(x)))); })
      .Case([&](math::AsinhOp) { return inverse(root(plus(1.0, square(x)))); })
      .Case([&](math::AtanOp) { return inverse(plus(1.0, square(x))); })
      .Case([&](math::AtanhOp) { return inverse(minus(1.0, square(x))); })
      .Case([&](math::CbrtOp) { return inverse(scaled(3.0, square(y))); })
      .Case([&](math::CosOp) { return neg(create<math::SinOp>(x)); })
      .Case([&](math::CoshOp) { return create<math::SinhOp>(x); })
      .Case([&](math::ErfOp) { return scaled(twoOverRootPi, gauss()); })
      .Case([&](math::ErfcOp) { return scaled(-twoOverRootPi, gauss()); })
      .Case([&](math::ExpOp) { return y; })
      .Case([&](math::Exp2Op) { return scaled(ln2, y); })
      .Case([&](math::ExpM1Op) { return plus(1.0, y); })
      .Case([&](math::LogOp) { return inverse(x); })
      .Case([&](math::Log10Op) { return inverse(scaled(ln10, x)); })
      .Case([&](math::Log1pOp) { return inverse(plus(1.0, x)); })
      .Case([&](math::Log2Op) { return inverse(scaled(ln2, x)); })
      .Case([&](math::RsqrtOp) { return div(scaled(-0.5, y), x); })
      .Case([&](math::SinOp) { return create<math::CosOp>(x); })
      .Case([&](math::SinhOp) { return create<math::CoshOp>(x); })
      .Case([&](math::SqrtOp) { return inverse(scaled(2.0, y)); })
      .Case([&](math::TanOp) { return plus(1.0, square(y)); })
      .Case([&](math::TanhOp) { return minus(1.0, square(y)); })
      .Default([](Operation *) { return Value(); });
}

std::optional<Value> Differentiator::visitUnaryMath(Operation &op) {
  // Steps.
  if (isa<math::CeilOp, math::FloorOp, math::RoundOp, math::RoundEvenOp,
          math::TruncOp, math::IsFiniteOp, math::IsInfOp, math::IsNaNOp,
          math::IsNormalOp>(op))
    return Value();
  if (op.getNumOperands() != 1 || op.getNumResults() != 1)
    return std::nullopt;
  Value slope = getSlope(op, op.getOperand(0), op.getResult(0));
  if (!slope)
    return std::nullopt;
  return mul(getTangent(op.getOperand(0)), slope);
}

std::optional<Value> Differentiator::visitOtherMath(Operation &op) {
  using Result = std::optional<Value>;
  using P = arith::CmpFPredicate;
  auto d = [&](unsigned index) { return getTangent(op.getOperand(index)); };
  return TypeSwitch<Operation *, Result>(&op)
      .Case([&](math::FmaOp fma) {
        return sum(sum(times(d(0), fma.getB()), times(d(1), fma.getA())), d(2));
      })
      // atan(a / b)' = (a' b - a b') / (a^2 + b^2)
      .Case([&](math::Atan2Op atan) {
        Value a = atan.getLhs(), c = atan.getRhs();
        Value norm = create<arith::AddFOp>(square(a), square(c));
        return over(difference(times(d(0), c), times(d(1), a)), norm);
      })
      // |a| sign(b), where the sign is constant
      .Case([&](math::CopySignOp copy) {
        return d(0) ? times(d(0), mul(sign(copy.getLhs()), sign(copy.getRhs())))
                    : Value();
      })
      .Case([&](math::ClampFOp clamp) {
        Value inside = select(compare(P::OGT, clamp.getValue(), clamp.getMax()),
                              d(2), d(0));
        return select(compare(P::OLT, clamp.getValue(), clamp.getMin()), d(1),
                      inside);
      })
      // (a^b)' = b a^(b - 1) a' + a^b log(a) b'
      .Case([&](math::PowFOp pow) {
        Value a = pow.getLhs(), exponent = pow.getRhs(), da, db;
        if (d(0))
          da = mul(d(0), mul(exponent,
                             create<math::PowFOp>(a, plus(-1.0, exponent))));
        if (d(1))
          db = mul(d(1), mul(pow.getResult(), create<math::LogOp>(a)));
        return sum(da, db);
      })
      // (a^n)' = n a^(n - 1) a', and 0 for n = 0, also at a = 0
      .Case([&](math::FPowIOp pow) {
        Value n = pow.getRhs();
        Value one =
            arith::ConstantOp::create(b, loc, b.getIntegerAttr(n.getType(), 1));
        Value zero =
            arith::ConstantOp::create(b, loc, b.getIntegerAttr(n.getType(), 0));
        Value lower = math::FPowIOp::create(b, loc, pow.getLhs(),
                                            create<arith::SubIOp>(n, one));
        Value factor = b.createOrFold<arith::SIToFPOp>(loc, pow.getType(), n);
        Value isConstant = b.createOrFold<arith::CmpIOp>(
            loc, arith::CmpIPredicate::eq, n, zero);
        return select(isConstant, Value(), mul(d(0), mul(factor, lower)));
      })
      .Default([](Operation *) { return Result(); });
}

FailureOr<Value> fa::buildDerivative(Block &block, Value variable, Value result,
                                     function_ref<void(Operation &)> unknown) {
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  Differentiator differentiator(builder, variable);
  // The tangents are built among the ops, after that which they belong to.
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : ops)
    if (failed(differentiator.visit(*op))) {
      unknown(*op);
      return failure();
    }
  if (Value derivative = differentiator.getTangent(result))
    return derivative;
  builder.setInsertionPoint(block.getTerminator());
  return differentiator.constant(result, 0.0);
}

LogicalResult fa::addDerivativeRegion(AttentionBackwardOp op) {
  if (!op.hasScoreRegion() || op.hasDerivativeRegion())
    return success();
  // An op that the result does not depend on needs no rule, nor does it belong
  // into the derivative.
  auto eraseUnused = [](Block &block) {
    SmallVector<Operation *> ops;
    for (Operation &nested : block.without_terminator())
      ops.push_back(&nested);
    for (Operation *nested : llvm::reverse(ops))
      if (isOpTriviallyDead(nested))
        nested->erase();
  };
  IRMapping mapping;
  op.getScoreRegion().cloneInto(&op.getDerivativeRegion(), mapping);
  Block &block = op.getDerivativeRegion().front();
  auto yield = cast<YieldOp>(block.getTerminator());
  eraseUnused(block);
  FailureOr<Value> slope = buildDerivative(
      block, block.getArgument(0), yield.getValue(), [&](Operation &unknown) {
        InFlightDiagnostic diag = op.emitOpError(
            "expected ops whose derivative is known in the score region but "
            "got '");
        diag << unknown.getName() << "'; a derivative region can be given";
        diag.attachNote(unknown.getLoc()) << "see the op here";
      });
  if (failed(slope)) {
    block.dropAllReferences();
    block.erase();
    return failure();
  }
  yield.getValueMutable().assign(*slope);
  eraseUnused(block);
  return success();
}
