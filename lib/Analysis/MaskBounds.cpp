//===- MaskBounds.cpp - Which keys a where region can let through ---------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A comparison is brought to the form  j div c  <predicate>  G(i), with c = 1
// if j is not divided, and solved:
//
//   j div c <= G   iff   j < c (G + 1)        j div c <  G   iff   j < c G
//   j div c >= G   iff   j >= c G             j div c >  G   iff   j >= c (G +
//   1)
//
// G has to be known not to fall as i grows. Intervals are then combined by the
// logic of the region:
//
//   and   [max lo, min hi)    exact if both are
//   or    [min lo, max hi)    exact if both are, and both begin before all keys
//                             or both end past them, or one has all or no keys
//   not   the other side of an interval that is exact and has one end
//
//===----------------------------------------------------------------------===//

#include "fa/Analysis/MaskBounds.h"

#include "fa/IR/FA.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fa;

/// What stands for infinity: no sum with lengths overflows.
static constexpr int64_t kLimit = int64_t(1) << 60;
/// Longer conditions are given up.
static constexpr int kMaxTerms = 64;
static constexpr unsigned kMaxSize = 32;

//===----------------------------------------------------------------------===//
// KeyBound
//===----------------------------------------------------------------------===//

KeyBound KeyBound::getSum(ArrayRef<Term> terms, int64_t constant,
                          int64_t factor) {
  KeyBound bound(Kind::Sum);
  bound.terms.assign(terms.begin(), terms.end());
  bound.constant = std::clamp(constant, -kLimit, kLimit);
  bound.factor = factor;
  return bound;
}

KeyBound KeyBound::getNode(Kind kind, const KeyBound &a, const KeyBound &b) {
  KeyBound bound(kind);
  bound.first = std::make_shared<const KeyBound>(a);
  bound.second = std::make_shared<const KeyBound>(b);
  bound.size = 1 + a.size + b.size;
  return bound;
}

KeyBound KeyBound::getMin(const KeyBound &a, const KeyBound &b) {
  if (a.isMinusInf() || b.isPlusInf())
    return a;
  if (b.isMinusInf() || a.isPlusInf())
    return b;
  return getNode(Kind::Min, a, b);
}

KeyBound KeyBound::getMax(const KeyBound &a, const KeyBound &b) {
  if (a.isPlusInf() || b.isMinusInf())
    return a;
  if (b.isPlusInf() || a.isMinusInf())
    return b;
  return getNode(Kind::Max, a, b);
}

KeyBound KeyBound::getSelect(Value condition, const KeyBound &a,
                             const KeyBound &b) {
  if ((a.isMinusInf() && b.isMinusInf()) || (a.isPlusInf() && b.isPlusInf()))
    return a;
  KeyBound bound = getNode(Kind::Select, a, b);
  bound.condition = condition;
  return bound;
}

/// Clones what computes `value` in `region`, unless `mapping` has it.
static Value cloneScalar(OpBuilder &builder, Value value, Region &region,
                         IRMapping &mapping) {
  llvm::SmallDenseSet<Operation *> slice;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (op && op->getParentRegion() == &region && !mapping.contains(next) &&
        slice.insert(op).second)
      llvm::append_range(worklist, op->getOperands());
  }
  for (Operation &op : region.front())
    if (slice.contains(&op))
      builder.clone(op, mapping);
  return mapping.lookupOrDefault(value);
}

static Value buildClamp(OpBuilder &builder, Location loc, Value value,
                        int64_t limit) {
  Value high = arith::ConstantIndexOp::create(builder, loc, limit);
  Value low = arith::ConstantIndexOp::create(builder, loc, -limit);
  value = arith::MinSIOp::create(builder, loc, value, high);
  return arith::MaxSIOp::create(builder, loc, value, low);
}

Value KeyBound::buildSum(OpBuilder &builder, Location loc, Region &region,
                         IRMapping &mapping) const {
  Value sum;
  for (Term term : terms) {
    Value value = cloneScalar(builder, term.value, region, mapping);
    if (!value.getType().isIndex())
      value = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                         value);
    // A number that a caller gives may be as large as numbers get.
    if (!isa<BlockArgument>(term.value) ||
        term.value.getParentRegion() != &region)
      value = buildClamp(builder, loc, value, kLimit);
    if (!sum && term.isNegative)
      sum = arith::ConstantIndexOp::create(builder, loc, 0);
    if (term.isNegative)
      sum = arith::SubIOp::create(builder, loc, sum, value);
    else
      sum = sum ? arith::AddIOp::create(builder, loc, sum, value).getResult()
                : value;
  }
  // As the bounds of a mask attribute are written: the same code for the same.
  Value offset = arith::ConstantIndexOp::create(
      builder, loc, sum ? std::abs(constant) : constant);
  if (!sum)
    sum = offset;
  else if (constant < 0)
    sum = arith::SubIOp::create(builder, loc, sum, offset);
  else
    sum = arith::AddIOp::create(builder, loc, sum, offset);
  if (factor == 1)
    return sum;
  sum = buildClamp(builder, loc, sum, kLimit / factor);
  Value by = arith::ConstantIndexOp::create(builder, loc, factor);
  return arith::MulIOp::create(builder, loc, sum, by);
}

Value KeyBound::build(OpBuilder &builder, Location loc, Region &region,
                      IRMapping &mapping) const {
  switch (kind) {
  case Kind::MinusInf:
    return arith::ConstantIndexOp::create(builder, loc, -kLimit);
  case Kind::PlusInf:
    return arith::ConstantIndexOp::create(builder, loc, kLimit);
  case Kind::Sum:
    return buildSum(builder, loc, region, mapping);
  case Kind::Min:
  case Kind::Max:
  case Kind::Select:
    break;
  }
  Value a = first->build(builder, loc, region, mapping);
  Value b = second->build(builder, loc, region, mapping);
  if (kind == Kind::Min)
    return arith::MinSIOp::create(builder, loc, a, b);
  if (kind == Kind::Max)
    return arith::MaxSIOp::create(builder, loc, a, b);
  Value holds = cloneScalar(builder, condition, region, mapping);
  return arith::SelectOp::create(builder, loc, holds, a, b);
}

/// A value by what it is: a number, an argument of the region or the function,
/// or an op with its operands, `depth` ops deep.
static void printValue(raw_ostream &os, Value value, int depth = 3) {
  if (APInt constant; matchPattern(value, m_ConstantInt(&constant))) {
    os << constant.getSExtValue();
    return;
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    bool isOurs =
        isa_and_present<AttentionOp>(argument.getOwner()->getParentOp());
    os << (isOurs ? "bhij"[argument.getArgNumber()] : '#');
    if (!isOurs)
      os << argument.getArgNumber();
    return;
  }
  Operation *op = value.getDefiningOp();
  os << op->getName().stripDialect();
  if (depth == 0)
    return;
  os << '(';
  llvm::interleaveComma(op->getOperands(), os, [&](Value operand) {
    printValue(os, operand, depth - 1);
  });
  os << ')';
}

void KeyBound::print(raw_ostream &os) const {
  switch (kind) {
  case Kind::MinusInf:
    os << "-inf";
    return;
  case Kind::PlusInf:
    os << "inf";
    return;
  case Kind::Sum:
    if (factor != 1)
      os << factor << " * (";
    for (auto [index, term] : llvm::enumerate(terms)) {
      if (index > 0 || term.isNegative)
        os << (index == 0 ? "-" : term.isNegative ? " - " : " + ");
      printValue(os, term.value);
    }
    if (terms.empty())
      os << constant;
    else if (constant != 0)
      os << (constant < 0 ? " - " : " + ") << std::abs(constant);
    if (factor != 1)
      os << ')';
    return;
  case Kind::Min:
  case Kind::Max:
  case Kind::Select:
    break;
  }
  os << (kind == Kind::Min ? "min(" : kind == Kind::Max ? "max(" : "select(");
  if (kind == Kind::Select) {
    printValue(os, condition);
    os << ", ";
  }
  first->print(os);
  os << ", ";
  second->print(os);
  os << ')';
}

void KeyInterval::print(raw_ostream &os) const {
  os << (isExact ? "exactly [" : "some of [");
  lo.print(os);
  os << ", ";
  hi.print(os);
  os << ')';
}

//===----------------------------------------------------------------------===//
// Values of the region
//===----------------------------------------------------------------------===//

namespace {
/// What is known of a value that does not depend on the key.
enum class Trend { Constant, Rises, Falls, Unknown };

Trend flip(Trend trend) {
  return trend == Trend::Rises   ? Trend::Falls
         : trend == Trend::Falls ? Trend::Rises
                                 : trend;
}

/// Of the sum, minimum or maximum of two values.
Trend join(Trend a, Trend b) {
  if (a == Trend::Constant)
    return b;
  return b == Trend::Constant || a == b ? a : Trend::Unknown;
}

/// sign * (j div divisor) + terms + constant; sign is 0 without j.
struct Linear {
  int sign = 0;
  int64_t divisor = 1;
  SmallVector<KeyBound::Term> terms;
  int64_t constant = 0;
  int visited = 0; ///< Values on the way.
};

/// What is known of a value.
struct Facts {
  bool onQuery = false, onKey = false; ///< What it depends on.
  bool isNonNegative = false;
  Trend trend = Trend::Constant; ///< With a growing query.
};

class MaskAnalysis {
public:
  explicit MaskAnalysis(Region &region);

  KeyInterval getResult() {
    return getInterval(region.front().getTerminator()->getOperand(0));
  }

private:
  Facts getFacts(Value value);
  Facts computeFacts(Operation &op);
  /// Whether `value` is the same for all queries and keys.
  bool isUniform(Value value) {
    Facts known = getFacts(value);
    return !known.onQuery && !known.onKey;
  }
  bool addTerms(Value value, bool isNegative, Linear &sum);
  KeyInterval getInterval(Value condition);
  KeyInterval computeInterval(Operation &op);
  KeyInterval analyzeComparison(arith::CmpIOp op);

  Region &region;
  Value query, key;
  // Of the values of the region, in their order.
  DenseMap<Value, Facts> facts;
  DenseMap<Value, KeyInterval> intervals;
};
} // namespace

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.trySExtValue();
}

static std::optional<int64_t> getPositive(Value value) {
  std::optional<int64_t> constant = getConstant(value);
  return constant && *constant > 0 && *constant < kLimit ? constant
                                                         : std::nullopt;
}

/// An index or i64: positions do not wrap around in it.
static bool isWide(Type type) {
  return type.isIndex() || type.isSignlessInteger(64);
}

MaskAnalysis::MaskAnalysis(Region &region)
    : region(region), query(region.getArgument(2)), key(region.getArgument(3)) {
  for (Value argument : region.getArguments())
    facts[argument] = {argument == query, argument == key,
                       /*isNonNegative=*/true,
                       argument == query ? Trend::Rises : Trend::Constant};
  for (Operation &op : region.front().without_terminator()) {
    Facts known = computeFacts(op);
    for (Value result : op.getResults()) {
      facts[result] = known;
      if (result.getType().isSignlessInteger(1))
        intervals[result] = computeInterval(op);
    }
  }
}

/// Of a value from outside it is known what it is, if it is a constant.
Facts MaskAnalysis::getFacts(Value value) {
  if (auto known = facts.find(value); known != facts.end())
    return known->second;
  Facts outside;
  outside.isNonNegative = getConstant(value).value_or(-1) >= 0;
  return outside;
}

Facts MaskAnalysis::computeFacts(Operation &op) {
  Facts result;
  SmallVector<Facts> operands;
  for (Value operand : op.getOperands()) {
    operands.push_back(getFacts(operand));
    result.onQuery |= operands.back().onQuery;
    result.onKey |= operands.back().onKey;
  }
  if (op.getNumResults() == 1)
    if (std::optional<int64_t> constant = getConstant(op.getResult(0)))
      result.isNonNegative = *constant >= 0;
  if (!result.onQuery && !result.onKey)
    result.trend = Trend::Constant;
  else
    result.trend = Trend::Unknown;
  if (op.getNumResults() != 1 || !isWide(op.getResult(0).getType()))
    return result;

  bool both = operands.size() == 2 && operands[0].isNonNegative &&
              operands[1].isNonNegative;
  std::optional<int64_t> by;
  if (operands.size() == 2)
    by = getPositive(op.getOperand(1));
  if (isa<arith::AddIOp, arith::MinSIOp, arith::MaxSIOp>(op)) {
    result.isNonNegative = both;
    result.trend = join(operands[0].trend, operands[1].trend);
  } else if (isa<arith::SubIOp>(op)) {
    result.trend = join(operands[0].trend, flip(operands[1].trend));
  } else if (isa<arith::IndexCastOp>(op)) {
    // A narrower value may be anything, and is extended with its sign.
    bool isSame = isWide(op.getOperand(0).getType());
    result.isNonNegative = isSame && operands[0].isNonNegative;
    if (isSame)
      result.trend = operands[0].trend;
  } else if (isa<arith::IndexCastUIOp, arith::ExtUIOp>(op)) {
    result.isNonNegative =
        !isWide(op.getOperand(0).getType()) || operands[0].isNonNegative;
  } else if (isa<arith::MulIOp, arith::DivSIOp, arith::FloorDivSIOp,
                 arith::CeilDivSIOp, arith::DivUIOp, arith::CeilDivUIOp>(op)) {
    bool isSigned = !isa<arith::DivUIOp, arith::CeilDivUIOp>(op);
    result.isNonNegative = both;
    if (by && (isSigned || operands[0].isNonNegative))
      result.trend = operands[0].trend;
  } else if (isa<arith::RemUIOp>(op)) {
    result.isNonNegative = both;
  }
  return result;
}

/// Adds `value` to `sum`. Fails if it depends on the key in a way that cannot
/// be solved, or is too long to be worth it.
bool MaskAnalysis::addTerms(Value value, bool isNegative, Linear &sum) {
  if (++sum.visited > kMaxTerms)
    return false;
  if (std::optional<int64_t> constant = getConstant(value)) {
    if (*constant < -kLimit || *constant > kLimit)
      return false;
    sum.constant += isNegative ? -*constant : *constant;
    return std::abs(sum.constant) <= kLimit;
  }
  if (value == query) {
    sum.terms.push_back({value, isNegative});
    return true;
  }
  auto addKey = [&](int64_t divisor) {
    if (sum.sign != 0)
      return false;
    sum.sign = isNegative ? -1 : 1;
    sum.divisor = divisor;
    return true;
  };
  if (value == key)
    return addKey(1);
  Operation *op = value.getDefiningOp();
  if (op && op->getParentRegion() == &region && isWide(value.getType())) {
    if (isa<arith::AddIOp>(op))
      return addTerms(op->getOperand(0), isNegative, sum) &&
             addTerms(op->getOperand(1), isNegative, sum);
    if (isa<arith::SubIOp>(op))
      return addTerms(op->getOperand(0), isNegative, sum) &&
             addTerms(op->getOperand(1), !isNegative, sum);
    if (isa<arith::IndexCastOp>(op) && isWide(op->getOperand(0).getType()))
      return addTerms(op->getOperand(0), isNegative, sum);
    std::optional<int64_t> divisor;
    if (isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op) &&
        op->getOperand(0) == key)
      divisor = getPositive(op->getOperand(1));
    if (divisor)
      return addKey(*divisor);
  }
  if (getFacts(value).onKey)
    return false;
  sum.terms.push_back({value, isNegative});
  return true;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

KeyInterval MaskAnalysis::analyzeComparison(arith::CmpIOp op) {
  using P = arith::CmpIPredicate;
  if (!isWide(op.getLhs().getType()))
    return {};
  P predicate = op.getPredicate();
  bool isUnsigned = predicate == P::ult || predicate == P::ule ||
                    predicate == P::ugt || predicate == P::uge;
  if (isUnsigned) {
    if (!getFacts(op.getLhs()).isNonNegative ||
        !getFacts(op.getRhs()).isNonNegative)
      return {};
    predicate = predicate == P::ult   ? P::slt
                : predicate == P::ule ? P::sle
                : predicate == P::ugt ? P::sgt
                                      : P::sge;
  }
  // lhs - rhs <predicate> 0, and then j div c <predicate> G.
  Linear sum;
  if (!addTerms(op.getLhs(), /*isNegative=*/false, sum) ||
      !addTerms(op.getRhs(), /*isNegative=*/true, sum) || sum.sign == 0)
    return {};
  if (sum.sign > 0) {
    for (KeyBound::Term &term : sum.terms)
      term.isNegative = !term.isNegative;
    sum.constant = -sum.constant;
  } else {
    predicate = predicate == P::slt   ? P::sgt
                : predicate == P::sle ? P::sge
                : predicate == P::sgt ? P::slt
                : predicate == P::sge ? P::sle
                                      : predicate;
  }
  for (const KeyBound::Term &term : sum.terms) {
    Trend trend = getFacts(term.value).trend;
    if (term.isNegative)
      trend = flip(trend);
    if (trend != Trend::Constant && trend != Trend::Rises)
      return {};
  }
  auto at = [&](int64_t plus) {
    return KeyBound::getSum(sum.terms, sum.constant + plus, sum.divisor);
  };
  KeyInterval interval;
  interval.isExact = true;
  switch (predicate) {
  case P::slt:
    interval.hi = at(0);
    return interval;
  case P::sle:
    interval.hi = at(1);
    return interval;
  case P::sgt:
    interval.lo = at(1);
    return interval;
  case P::sge:
    interval.lo = at(0);
    return interval;
  case P::eq:
    interval.lo = at(0);
    interval.hi = at(1);
    return interval;
  default:
    return {};
  }
}

static KeyInterval intersect(const KeyInterval &a, const KeyInterval &b) {
  return {KeyBound::getMax(a.lo, b.lo), KeyBound::getMin(a.hi, b.hi),
          a.isExact && b.isExact};
}

static KeyInterval unite(const KeyInterval &a, const KeyInterval &b) {
  bool isInterval = (a.lo.isMinusInf() && b.lo.isMinusInf()) ||
                    (a.hi.isPlusInf() && b.hi.isPlusInf());
  return {KeyBound::getMin(a.lo, b.lo), KeyBound::getMax(a.hi, b.hi),
          a.isExact && b.isExact && isInterval};
}

static KeyInterval choose(Value condition, const KeyInterval &a,
                          const KeyInterval &b) {
  if (std::optional<int64_t> constant = getConstant(condition))
    return *constant ? a : b;
  return {KeyBound::getSelect(condition, a.lo, b.lo),
          KeyBound::getSelect(condition, a.hi, b.hi), a.isExact && b.isExact};
}

static KeyInterval getAll() {
  KeyInterval all;
  all.isExact = true;
  return all;
}

static KeyInterval getNone() {
  return {KeyBound::getPlusInf(), KeyBound::getMinusInf(), /*isExact=*/true};
}

static KeyInterval complement(const KeyInterval &a) {
  if (!a.isExact)
    return {};
  if (a.lo.isMinusInf())
    return a.hi.isPlusInf() ? getNone()
                            : KeyInterval{a.hi, KeyBound::getPlusInf(), true};
  if (a.hi.isPlusInf())
    return {KeyBound::getMinusInf(), a.lo, true};
  return a.lo.isPlusInf() ? getAll() : KeyInterval();
}

KeyInterval MaskAnalysis::getInterval(Value condition) {
  if (isUniform(condition))
    return choose(condition, getAll(), getNone());
  return intervals.lookup(condition);
}

KeyInterval MaskAnalysis::computeInterval(Operation &op) {
  KeyInterval interval;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    interval = analyzeComparison(compare);
  } else if (auto both = dyn_cast<arith::AndIOp>(op)) {
    interval =
        intersect(getInterval(both.getLhs()), getInterval(both.getRhs()));
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (isUniform(select.getCondition()))
      interval =
          choose(select.getCondition(), getInterval(select.getTrueValue()),
                 getInterval(select.getFalseValue()));
  } else if (isa<arith::OrIOp, arith::XOrIOp>(op)) {
    // With a condition that is the same for all: all or nothing of the other.
    Value one = op.getOperand(0), other = op.getOperand(1);
    if (!isUniform(one))
      std::swap(one, other);
    KeyInterval rest = getInterval(other);
    if (isa<arith::XOrIOp>(op))
      interval =
          isUniform(one) ? choose(one, complement(rest), rest) : KeyInterval();
    else
      interval = isUniform(one) ? choose(one, getAll(), rest)
                                : unite(getInterval(one), rest);
  }
  // A bound is worth its code only if it is short.
  if (interval.lo.getSize() > kMaxSize || interval.hi.getSize() > kMaxSize)
    return {};
  return interval;
}

KeyInterval fa::analyzeMask(Region &region) {
  return MaskAnalysis(region).getResult();
}
