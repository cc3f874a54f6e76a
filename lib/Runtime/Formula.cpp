//===- Formula.cpp - A count as a function of sizes -----------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Building, printing and evaluating. FormulaParser.cpp reads.
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/Formula.h"

#include <algorithm>
#include <iterator>
#include <optional>

using namespace fart;

struct Formula::Node {
  Kind kind = Kind::Constant;
  int64_t constant = 0;
  std::string name;
  std::vector<Formula> operands;
  std::vector<std::string> free; ///< What the value depends on, sorted.
};

Formula::Kind Formula::getKind() const { return node->kind; }
int64_t Formula::getConstant() const { return node->constant; }
const std::vector<Formula> &Formula::operands() const { return node->operands; }

bool Formula::uses(std::string_view name) const {
  return std::binary_search(node->free.begin(), node->free.end(), name);
}

bool Formula::isNonNegative() const {
  auto areAll = [&](size_t first) {
    return std::all_of(operands().begin() + static_cast<ptrdiff_t>(first),
                       operands().end(),
                       [](const Formula &f) { return f.isNonNegative(); });
  };
  switch (getKind()) {
  case Kind::Constant:
    return getConstant() >= 0;
  case Kind::Symbol:
    return true;
  case Kind::Max:
    return operands()[0].isNonNegative() || operands()[1].isNonNegative();
  case Kind::If:
    return areAll(2);
  case Kind::Sum:
    return operands()[1].isNonNegative();
  default:
    return areAll(0);
  }
}

//===----------------------------------------------------------------------===//
// Arithmetic that notices when 64 bits are too few
//===----------------------------------------------------------------------===//

using Integer = std::optional<int64_t>;

static Integer addIntegers(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result))
    return std::nullopt;
  return result;
}

static Integer multiplyIntegers(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result))
    return std::nullopt;
  return result;
}

/// a / b for b > 0, rounded down.
static int64_t floorDivIntegers(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}

/// a / b for b > 0, rounded up.
static int64_t ceilDivIntegers(int64_t a, int64_t b) {
  return a / b + (a % b > 0);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Formula::Formula(int64_t value) {
  auto constant = std::make_shared<Node>();
  constant->constant = value;
  node = std::move(constant);
}

Formula Formula::make(Kind kind, std::vector<Formula> operands,
                      std::string name) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  for (size_t i = 0; i < operands.size(); ++i) {
    std::vector<std::string> inner = operands[i].node->free, all;
    if (kind == Kind::Sum && i == 1)
      std::erase(inner, name);
    std::set_union(node->free.begin(), node->free.end(), inner.begin(),
                   inner.end(), std::back_inserter(all));
    node->free = std::move(all);
  }
  if (kind == Kind::Symbol)
    node->free.push_back(name);
  node->name = std::move(name);
  node->operands = std::move(operands);
  return Formula(std::move(node));
}

Formula Formula::symbol(std::string name) {
  return make(Kind::Symbol, {}, std::move(name));
}

std::pair<int64_t, Formula> Formula::splitCoefficient() const {
  if (getKind() != Kind::Multiply || operands()[0].getKind() != Kind::Constant)
    return {1, *this};
  if (operands().size() == 2)
    return {operands()[0].getConstant(), operands()[1]};
  return {operands()[0].getConstant(),
          make(Kind::Multiply, {operands().begin() + 1, operands().end()})};
}

Formula Formula::add(std::vector<Formula> terms) {
  // Like terms, in the order in which they first come. What would overflow is
  // left as it is, for `evaluate` to notice.
  struct Like {
    std::string text;
    int64_t coefficient;
    Formula rest;
  };
  std::vector<Like> likes;
  int64_t constant = 0;
  auto collect = [&](const Formula &term) {
    if (term.getKind() == Kind::Constant) {
      Integer sum = addIntegers(constant, term.getConstant());
      constant = sum.value_or(0);
      return sum.has_value();
    }
    auto [coefficient, rest] = term.splitCoefficient();
    std::string text = rest.str();
    for (Like &like : likes)
      if (like.text == text) {
        Integer sum = addIntegers(like.coefficient, coefficient);
        like.coefficient = sum.value_or(0);
        return sum.has_value();
      }
    likes.push_back({text, coefficient, rest});
    return true;
  };
  for (const Formula &term : terms) {
    bool fits = true;
    if (term.getKind() == Kind::Add)
      for (const Formula &inner : term.operands())
        fits = fits && collect(inner);
    else
      fits = collect(term);
    if (!fits)
      return make(Kind::Add, std::move(terms));
  }
  std::vector<Formula> sum;
  for (const Like &like : likes)
    if (like.coefficient != 0)
      sum.push_back(Formula(like.coefficient) * like.rest);
  if (constant != 0 || sum.empty())
    sum.push_back(constant);
  return sum.size() == 1 ? sum.front() : make(Kind::Add, std::move(sum));
}

Formula Formula::multiply(std::vector<Formula> factors) {
  int64_t coefficient = 1;
  std::vector<Formula> product;
  for (const Formula &factor : factors) {
    const bool isProduct = factor.getKind() == Kind::Multiply;
    for (const Formula &inner :
         isProduct ? factor.operands() : std::vector<Formula>{factor}) {
      if (inner.getKind() != Kind::Constant) {
        product.push_back(inner);
        continue;
      }
      Integer next = multiplyIntegers(coefficient, inner.getConstant());
      if (!next)
        return make(Kind::Multiply, std::move(factors));
      coefficient = *next;
    }
  }
  if (coefficient == 0 || product.empty())
    return coefficient;
  // c (a + b) is c a + c b, so that terms meet their likes.
  if (coefficient != 1 && product.size() == 1 &&
      product.front().getKind() == Kind::Add) {
    std::vector<Formula> terms;
    for (const Formula &term : product.front().operands())
      terms.push_back(multiply({coefficient, term}));
    return add(std::move(terms));
  }
  if (coefficient != 1)
    product.insert(product.begin(), coefficient);
  return product.size() == 1 ? product.front()
                             : make(Kind::Multiply, std::move(product));
}

Formula fart::operator+(const Formula &a, const Formula &b) {
  return Formula::add({a, b});
}
Formula fart::operator-(const Formula &a, const Formula &b) {
  return Formula::add({a, Formula(-1) * b});
}
Formula fart::operator*(const Formula &a, const Formula &b) {
  return Formula::multiply({a, b});
}

Formula Formula::floorDiv(const Formula &a, const Formula &b) {
  if (b.isConstant(1))
    return a;
  if (a.getKind() == Kind::Constant && b.getKind() == Kind::Constant &&
      b.getConstant() > 0)
    return floorDivIntegers(a.getConstant(), b.getConstant());
  return make(Kind::FloorDiv, {a, b});
}

Formula Formula::ceilDiv(const Formula &a, const Formula &b) {
  if (b.isConstant(1))
    return a;
  if (a.getKind() == Kind::Constant && b.getKind() == Kind::Constant &&
      b.getConstant() > 0)
    return ceilDivIntegers(a.getConstant(), b.getConstant());
  return make(Kind::CeilDiv, {a, b});
}

/// The least or the largest of two: constants are the second operand, and of
/// constants in each other one is left.
Formula Formula::makeExtremum(Kind kind, Formula a, Formula b) {
  if (a.getKind() == Kind::Constant)
    std::swap(a, b);
  auto pick = [&](int64_t x, int64_t y) {
    return kind == Kind::Min ? std::min(x, y) : std::max(x, y);
  };
  if (b.getKind() == Kind::Constant) {
    if (a.getKind() == Kind::Constant)
      return pick(a.getConstant(), b.getConstant());
    if (a.getKind() == kind && a.operands()[1].getKind() == Kind::Constant)
      return makeExtremum(kind, a.operands()[0],
                          pick(a.operands()[1].getConstant(), b.getConstant()));
    if (b.isConstant(0) && a.isNonNegative())
      return kind == Kind::Min ? b : a;
  }
  return a.str() == b.str() ? a : make(kind, {a, b});
}

Formula Formula::min(const Formula &a, const Formula &b) {
  return makeExtremum(Kind::Min, a, b);
}
Formula Formula::max(const Formula &a, const Formula &b) {
  return makeExtremum(Kind::Max, a, b);
}

Formula Formula::makeIf(const Formula &a, const Formula &b, const Formula &then,
                        const Formula &otherwise) {
  if (a.getKind() == Kind::Constant && b.getKind() == Kind::Constant)
    return a.getConstant() < b.getConstant() ? then : otherwise;
  if (b.isConstant(0) && a.isNonNegative())
    return otherwise;
  return then.str() == otherwise.str()
             ? then
             : make(Kind::If, {a, b, then, otherwise});
}

/// The rows that tiles of c rows have together, the last of which may have
/// fewer:
///
///     sum(i < ceildiv(N, c), min(N - c i, c))     = N                for N >=
///     0 sum(g < n, min(max(N - c g, 0), c))         = max(min(N, c n), 0)
std::optional<Formula> Formula::sumTiles(const std::string &variable,
                                         const Formula &count,
                                         const Formula &rows) {
  // What is positive in each iteration is often written with a maximum.
  bool isClamped =
      rows.getKind() == Kind::Max && rows.operands()[1].isConstant(0);
  const Formula &tile = isClamped ? rows.operands()[0] : rows;
  if (tile.getKind() != Kind::Min ||
      tile.operands()[1].getKind() != Kind::Constant)
    return std::nullopt;
  const Formula &c = tile.operands()[1];
  Formula left = tile.operands()[0];
  bool isLeftClamped =
      left.getKind() == Kind::Max && left.operands()[1].isConstant(0);
  if (isLeftClamped)
    left = left.operands()[0];
  Formula total = left + c * symbol(variable);
  if (c.getConstant() <= 0 || total.uses(variable))
    return std::nullopt;
  if (total.isNonNegative() && count.str() == ceilDiv(total, c).str())
    return total;
  if ((isClamped || isLeftClamped) && count.getKind() == Kind::Constant)
    return max(min(total, c * max(count, 0)), 0);
  return std::nullopt;
}

Formula Formula::makeSum(const std::string &variable, const Formula &count,
                         const Formula &body) {
  if (body.isConstant(0))
    return 0;
  // Of a negative count there is no term.
  if (!body.uses(variable))
    return max(count, 0) * body;
  auto [coefficient, rest] = body.splitCoefficient();
  if (std::optional<Formula> total = sumTiles(variable, count, rest))
    return Formula(coefficient) * *total;
  return make(Kind::Sum, {count, body}, variable);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

std::string Formula::str() const {
  std::string text;
  auto printCall = [&](const char *name) {
    text = name;
    text += "(" + operands()[0].str() + ", " + operands()[1].str() + ")";
  };
  switch (getKind()) {
  case Kind::Constant:
    return std::to_string(getConstant());
  case Kind::Symbol:
    return node->name;
  case Kind::Add:
    for (const Formula &term : operands()) {
      std::string next = term.str();
      bool isNegative = next.front() == '-';
      if (!text.empty()) {
        text += isNegative ? " - " : " + ";
        next.erase(0, isNegative ? 1 : 0);
      }
      // -1 * x, of which the sign is written already.
      if (!text.empty() && isNegative && next.starts_with("1 * "))
        next.erase(0, 4);
      text += next;
    }
    break;
  case Kind::Multiply:
    for (const Formula &factor : operands()) {
      if (!text.empty())
        text += " * ";
      bool isSum = factor.getKind() == Kind::Add;
      text += isSum ? "(" + factor.str() + ")" : factor.str();
    }
    break;
  case Kind::FloorDiv:
    printCall("floordiv");
    break;
  case Kind::CeilDiv:
    printCall("ceildiv");
    break;
  case Kind::Min:
    printCall("min");
    break;
  case Kind::Max:
    printCall("max");
    break;
  case Kind::If:
    text = "if(" + operands()[0].str() + " < " + operands()[1].str() + ", " +
           operands()[2].str() + ", " + operands()[3].str() + ")";
    break;
  case Kind::Sum:
    text = "sum(" + node->name + " < " + operands()[0].str() + ", " +
           operands()[1].str() + ")";
    break;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Evaluating
//===----------------------------------------------------------------------===//

/// Walks a formula with the values of its names.
class Formula::Evaluator {
public:
  explicit Evaluator(const SizeValues &sizes) : sizes(sizes) {}

  /// Nothing after an error.
  Integer evaluate(const Formula &formula);

  std::string error;

private:
  Integer fail(std::string message) {
    error = std::move(message);
    return std::nullopt;
  }
  Integer lookUp(const std::string &name);
  Integer evaluateSum(const Formula &formula);
  Integer combine(Kind kind, int64_t a, int64_t b);

  /// About a second's work.
  static constexpr int64_t maxSteps = int64_t(1) << 25;

  const SizeValues &sizes;
  std::vector<std::pair<std::string_view, int64_t>> loops;
  int64_t numSteps = 0;
};

Integer Formula::Evaluator::lookUp(const std::string &name) {
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
    if (loop->first == name)
      return loop->second;
  auto size = sizes.find(name);
  if (size == sizes.end())
    return fail("expected a value for '" + name + "'");
  if (size->second < 0)
    return fail("expected '" + name + "' to be at least 0 but got " +
                std::to_string(size->second));
  return size->second;
}

Integer Formula::Evaluator::evaluateSum(const Formula &formula) {
  Integer count = evaluate(formula.operands()[0]);
  if (!count)
    return std::nullopt;
  int64_t sum = 0;
  for (int64_t i = 0; i < *count; ++i) {
    loops.emplace_back(formula.node->name, i);
    Integer term = evaluate(formula.operands()[1]);
    loops.pop_back();
    if (!term)
      return std::nullopt;
    Integer next = addIntegers(sum, *term);
    if (!next)
      return fail("the sum over '" + formula.node->name +
                  "' overflows 64 bits");
    sum = *next;
  }
  return sum;
}

Integer Formula::Evaluator::combine(Kind kind, int64_t a, int64_t b) {
  Integer result;
  switch (kind) {
  case Kind::Add:
    result = addIntegers(a, b);
    break;
  case Kind::Multiply:
    result = multiplyIntegers(a, b);
    break;
  case Kind::Min:
    return std::min(a, b);
  case Kind::Max:
    return std::max(a, b);
  default:
    if (b <= 0)
      return fail("expected a positive divisor but got " + std::to_string(b));
    return kind == Kind::FloorDiv ? floorDivIntegers(a, b)
                                  : ceilDivIntegers(a, b);
  }
  return result ? result : fail("the result overflows 64 bits");
}

Integer Formula::Evaluator::evaluate(const Formula &formula) {
  if (++numSteps > maxSteps)
    return fail("the sizes are too large: it takes more than " +
                std::to_string(maxSteps) + " steps");
  const std::vector<Formula> &operands = formula.operands();
  switch (formula.getKind()) {
  case Kind::Constant:
    return formula.getConstant();
  case Kind::Symbol:
    return lookUp(formula.node->name);
  case Kind::Sum:
    return evaluateSum(formula);
  case Kind::If: {
    Integer a = evaluate(operands[0]), b = a ? evaluate(operands[1]) : a;
    if (!b)
      return std::nullopt;
    return evaluate(*a < *b ? operands[2] : operands[3]);
  }
  default:
    break;
  }
  Integer result = evaluate(operands[0]);
  for (size_t i = 1; result && i < operands.size(); ++i) {
    Integer next = evaluate(operands[i]);
    result = next ? combine(formula.getKind(), *result, *next) : std::nullopt;
  }
  return result;
}

Result<int64_t> Formula::evaluate(const SizeValues &sizes) const {
  Evaluator evaluator(sizes);
  if (Integer value = evaluator.evaluate(*this))
    return *value;
  return Error{evaluator.error};
}
