//===- Formula.h - A count as a function of sizes ---------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes depend on sizes that are known at launch, and with a mask not as a
// polynomial. A formula says how, in text that people read and programs
// evaluate:
//
//   batch * heads * sum(i < ceildiv(seq_q, 64), 256 * min(64, seq_q - 64 * i))
//
// The compiler counts in formulas, a kernel package carries them, and fa-launch
// evaluates them for the sizes of a call.
//
//===----------------------------------------------------------------------===//

#ifndef FA_RUNTIME_FORMULA_H
#define FA_RUNTIME_FORMULA_H

#include "fa/Runtime/Result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fart {

/// Numbers by name.
using SizeValues = std::map<std::string, int64_t, std::less<>>;

/// An immutable expression over 64-bit integers:
///
///     3   seq_q   a + b   a - b   a * b   min(a, b)   max(a, b)
///     floordiv(a, b)   ceildiv(a, b)         rounded down, rounded up
///     if(a < b, x, y)                        x where a < b, else y
///     sum(i < n, x)                          of x over i = 0, ..., n - 1
///
/// A name that no sum binds is a size. No size is negative, and neither is the
/// number of an iteration. Building folds constants, collects like terms, and
/// knows the sum of tiles.
class Formula {
public:
  enum class Kind {
    Constant,
    Symbol,
    Add,      ///< Of two or more.
    Multiply, ///< Of two or more, a constant first.
    FloorDiv,
    CeilDiv,
    Min,
    Max,
    If, ///< operands[0] < operands[1] ? operands[2] : operands[3].
    Sum ///< Over name < operands[0] of operands[1].
  };

  Formula(int64_t value = 0);
  /// A size, or the number of an iteration, which `makeSum` binds.
  static Formula symbol(std::string name);
  static Formula makeSum(const std::string &variable, const Formula &count,
                         const Formula &body);
  static Formula makeIf(const Formula &a, const Formula &b, const Formula &then,
                        const Formula &otherwise);
  static Formula floorDiv(const Formula &a, const Formula &b);
  static Formula ceilDiv(const Formula &a, const Formula &b);
  static Formula min(const Formula &a, const Formula &b);
  static Formula max(const Formula &a, const Formula &b);

  friend Formula operator+(const Formula &a, const Formula &b);
  friend Formula operator-(const Formula &a, const Formula &b);
  friend Formula operator*(const Formula &a, const Formula &b);
  Formula &operator+=(const Formula &other) { return *this = *this + other; }

  /// Reads what `str` writes. The error says at which character it stopped.
  static Result<Formula> parse(std::string_view text);
  std::string str() const;

  /// The value for `sizes`. Fails if a size is missing or negative, on a
  /// division by a number that is not positive, if a number overflows, and if
  /// it takes too many steps.
  Result<int64_t> evaluate(const SizeValues &sizes) const;

  Kind getKind() const;
  /// The value of a constant.
  int64_t getConstant() const;
  bool isConstant(int64_t value) const {
    return getKind() == Kind::Constant && getConstant() == value;
  }
  /// Whether the value depends on the size or loop variable `name`.
  bool uses(std::string_view name) const;
  /// Whether no sizes make it negative, as far as its form tells.
  bool isNonNegative() const;

private:
  struct Node;
  class Evaluator;
  explicit Formula(std::shared_ptr<const Node> node) : node(std::move(node)) {}
  static Formula make(Kind kind, std::vector<Formula> operands,
                      std::string name = "");
  static Formula add(std::vector<Formula> terms);
  static Formula multiply(std::vector<Formula> factors);
  static Formula makeExtremum(Kind kind, Formula a, Formula b);
  static std::optional<Formula> sumTiles(const std::string &variable,
                                         const Formula &count,
                                         const Formula &rows);
  const std::vector<Formula> &operands() const;
  /// This as coefficient * rest.
  std::pair<int64_t, Formula> splitCoefficient() const;

  std::shared_ptr<const Node> node;
};

Formula operator+(const Formula &a, const Formula &b);
Formula operator-(const Formula &a, const Formula &b);
Formula operator*(const Formula &a, const Formula &b);

} // namespace fart

#endif // FA_RUNTIME_FORMULA_H
