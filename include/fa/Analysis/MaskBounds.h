//===- MaskBounds.h - Which keys a where region can let through -*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A where region yields whether query i sees key j. If it is made of
// comparisons between the two (causal, windows, prefixes, chunks), the keys of
// a query lie in an interval
//
//   lo(i) <= j < hi(i)
//
// whose ends never fall as i grows. So the keys that a tile of queries sees lie
// between lo of the first and hi of the last query, and those that all of them
// see between lo of the last and hi of the first.
//
//===----------------------------------------------------------------------===//

#ifndef FA_ANALYSIS_MASKBOUNDS_H
#define FA_ANALYSIS_MASKBOUNDS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Region.h"

#include <memory>

namespace mlir::fa {

/// An end of the interval, as an expression of batch, head and query that never
/// falls as the query grows.
class KeyBound {
public:
  /// Before all keys, or past all of them.
  static KeyBound getMinusInf() { return KeyBound(Kind::MinusInf); }
  static KeyBound getPlusInf() { return KeyBound(Kind::PlusInf); }

  /// A value of the region or from outside of it, added or subtracted.
  struct Term {
    Value value;
    bool isNegative;
  };
  /// factor * (sum of the terms + constant), with a positive factor.
  static KeyBound getSum(ArrayRef<Term> terms, int64_t constant,
                         int64_t factor);
  static KeyBound getMin(const KeyBound &a, const KeyBound &b);
  static KeyBound getMax(const KeyBound &a, const KeyBound &b);
  /// `a` where the i1 `condition`, which is the same for all queries and keys,
  /// holds, else `b`.
  static KeyBound getSelect(Value condition, const KeyBound &a,
                            const KeyBound &b);

  bool isMinusInf() const { return kind == Kind::MinusInf; }
  bool isPlusInf() const { return kind == Kind::PlusInf; }

  /// Emits the bound for the query that `mapping` gives to the argument of
  /// `region`, as an index. What the bound needs of the region is cloned.
  Value build(OpBuilder &builder, Location loc, Region &region,
              IRMapping &mapping) const;

  /// How many sums, minima and so on it has.
  unsigned getSize() const { return size; }

  /// Prints it with i, b and h for the arguments of the region.
  void print(raw_ostream &os) const;

private:
  enum class Kind { MinusInf, PlusInf, Sum, Min, Max, Select };
  explicit KeyBound(Kind kind) : kind(kind) {}

  static KeyBound getNode(Kind kind, const KeyBound &a, const KeyBound &b);
  Value buildSum(OpBuilder &builder, Location loc, Region &region,
                 IRMapping &mapping) const;

  Kind kind;
  unsigned size = 1;
  SmallVector<Term> terms; // Sum
  int64_t constant = 0, factor = 1;
  Value condition; // Select
  std::shared_ptr<const KeyBound> first, second;
};

/// The keys [lo, hi) of a query.
struct KeyInterval {
  KeyBound lo = KeyBound::getMinusInf();
  KeyBound hi = KeyBound::getPlusInf();
  /// Whether the query sees all of these; if not, it sees some of them.
  bool isExact = false;

  bool isBounded() const { return !lo.isMinusInf() || !hi.isPlusInf(); }
  void print(raw_ostream &os) const;
};

/// The interval of a where region (b, h, i, j) -> i1. Looks through
/// `arith.andi`, `ori`, `xori` and `select` at comparisons of indices and i64
/// that can be solved for j; what it does not know may let any key through.
/// Sums, differences and products of indices are taken not to overflow.
KeyInterval analyzeMask(Region &region);

} // namespace mlir::fa

#endif // FA_ANALYSIS_MASKBOUNDS_H
