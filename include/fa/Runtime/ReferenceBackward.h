//===- ReferenceBackward.h - What the gradient means, in double -*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The yardstick of fa.attention_backward, as Reference.h is that of
// fa.attention: the gradients of Q, K and V as a function of all inputs of the
// op, so of O and LSE as the kernel gets them. The same rule says whether a
// kernel is right.
//
//===----------------------------------------------------------------------===//

#ifndef FA_RUNTIME_REFERENCEBACKWARD_H
#define FA_RUNTIME_REFERENCEBACKWARD_H

#include "fa/Runtime/Reference.h"

namespace fart {

/// One backward problem.
struct AttentionGradient {
  const Attention &attention;
  const HostTensor &output;            ///< [batch, heads, seqQ, headDimV]
  const HostTensor &outputGrad;        ///< [batch, heads, seqQ, headDimV]
  const HostTensor &lse;               ///< [batch, heads, seqQ]
  const HostTensor *lseGrad = nullptr; ///< [batch, heads, seqQ], or 0
  /// The derivative of `attention.score`, and as a plain program has it. Empty:
  /// 1.
  std::function<double(double, const Position &)> derivative = {};
  std::function<double(double, const Position &)> plainDerivative = {};
};

struct GradientCheck {
  Accuracy query;
  Accuracy key;
  Accuracy value;
  int64_t rowsChecked = 0; ///< Of Q, K and V together.
  int64_t rowsTotal = 0;

  bool passed() const {
    return query.passed() && key.passed() && value.passed();
  }
};

/// Compares the gradients of a kernel with the reference in at most `maxRows`
/// rows of each.
GradientCheck checkGradient(const AttentionGradient &gradient,
                            const HostTensor &queryGrad,
                            const HostTensor &keyGrad,
                            const HostTensor &valueGrad, int64_t maxRows,
                            ThreadPool &pool);

} // namespace fart

#endif // FA_RUNTIME_REFERENCEBACKWARD_H
