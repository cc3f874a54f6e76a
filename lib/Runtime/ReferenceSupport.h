//===- ReferenceSupport.h - What the references have in common --*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_RUNTIME_REFERENCESUPPORT_H
#define FA_LIB_RUNTIME_REFERENCESUPPORT_H

#include "fa/Runtime/Reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace fart {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Rows of one head of a tensor as `Real`, so that each element is converted
/// once and not once a use.
template <typename Real>
struct Head {
  std::vector<Real> elements;
  int64_t width = 0;

  Head() = default;
  Head(const HostTensor &tensor, int64_t b, int64_t h, int64_t begin,
       int64_t end)
      : width(tensor.getShape()[3]) {
    elements.reserve((end - begin) * width);
    for (int64_t i = begin; i < end; ++i)
      for (int64_t c = 0, first = tensor.rowIndex(b, h, i); c < width; ++c)
        elements.push_back(static_cast<Real>(tensor.get(first + c)));
  }
  Head(const HostTensor &tensor, int64_t b, int64_t h)
      : Head(tensor, b, h, 0, tensor.getShape()[2]) {}

  const Real *row(int64_t i) const { return elements.data() + i * width; }
};

/// K and V that a row sees, converted where the row before saw others.
template <typename Real>
class SeenHead {
public:
  Head<Real> keys, values;

  void moveTo(const Attention &attention, const Row &row) {
    int64_t kvHead = attention.getKVHead(row.h);
    if (row.b == batch && kvHead == head)
      return;
    batch = row.b;
    head = kvHead;
    keys = Head<Real>(attention.key, batch, head);
    values = Head<Real>(attention.value, batch, head);
  }

private:
  int64_t batch = -1, head = -1;
};

/// The index of term `i` of a sum of `length` terms that begins at `shift`
/// times its length and wraps around.
inline int64_t rotate(int64_t i, int64_t length, double shift) {
  return (i + static_cast<int64_t>(shift * static_cast<double>(length))) %
         length;
}

/// |value - expected|, where equal infinities and two NaN agree, and a NaN that
/// is not expected is infinitely wrong.
inline double getError(double value, double expected) {
  if (value == expected || (std::isnan(value) && std::isnan(expected)))
    return 0;
  double error = std::fabs(value - expected);
  return std::isnan(error) ? infinity : error;
}

/// Collects the errors of one of the outputs.
class AccuracyBuilder {
public:
  void addPlain(double value, double expected) {
    // What a plain program gets wrong altogether (overflow, say) excuses
    // nothing.
    if (double error = getError(value, expected); std::isfinite(error))
      accuracy.plainError = std::max(accuracy.plainError, error);
  }
  void add(const Row &row, double value, double expected) {
    if (std::isfinite(expected))
      magnitude = std::max(magnitude, std::fabs(expected));
    double error = getError(value, expected);
    if (error > accuracy.error) {
      accuracy.error = error;
      accuracy.worst = row;
    }
  }
  Accuracy finish(DType dtype) {
    accuracy.tolerance =
        2 * accuracy.plainError + getRoundingStep(dtype, magnitude);
    return accuracy;
  }

private:
  Accuracy accuracy;
  double magnitude = 0;
};

} // namespace fart

#endif // FA_LIB_RUNTIME_REFERENCESUPPORT_H
