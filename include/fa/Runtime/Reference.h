//===- Reference.h - What attention means, in double ------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The yardstick. `computeReference` is the definition of attention, in double,
// as slow and as plain as it can be; `computePlain` is what a straightforward
// program in the types of the kernel gets. A kernel is right if its error
// against the first is at most twice the error of the second, plus one rounding
// step of the output type.
//
//===----------------------------------------------------------------------===//

#ifndef FA_RUNTIME_REFERENCE_H
#define FA_RUNTIME_REFERENCE_H

#include "fa/Runtime/HostTensor.h"
#include "fa/Runtime/ThreadPool.h"

#include <functional>
#include <optional>
#include <vector>

namespace fart {

/// A band of visible keys around the diagonal: query i sees key j if
///   i + shift - left <= j <= i + shift + right,
/// with shift = seqKV - seqQ, which puts the diagonal through the bottom right
/// corner of the scores, or 0 if `topLeft`. A side that is not set is open:
/// causal is right = 0, and no mask at all is the default.
struct Band {
  std::optional<int64_t> left;
  std::optional<int64_t> right;
  bool topLeft = false;

  bool contains(int64_t i, int64_t j, int64_t seqQ, int64_t seqKV) const;
};

/// Batch, query head, query and key of one score.
struct Position {
  int64_t b, h, i, j;
};

/// One attention problem: the inputs as the kernel gets them, already rounded.
struct Attention {
  const HostTensor &query; ///< [batch, heads, seqQ, headDim]
  const HostTensor &key;   ///< [batch, kvHeads, seqKV, headDim]
  const HostTensor &value; ///< [batch, kvHeads, seqKV, headDimV]
  double scale = 1;
  Band mask = {};
  /// Whether a plain program rounds the operands of products to tf32.
  bool isTF32 = false;
  /// Changes a scaled score. Empty: leaves it.
  std::function<double(double, const Position &)> score = {};
  /// `score` as a plain program has it: every step rounded to its own type.
  /// Empty: `score`, with the result rounded to f32.
  std::function<double(double, const Position &)> plainScore = {};
  /// Whether a key that the band contains is visible. Empty: it is.
  std::function<bool(const Position &)> visible = {};

  int64_t getHeads() const { return query.getShape()[1]; }
  int64_t getSeqQ() const { return query.getShape()[2]; }
  int64_t getSeqKV() const { return key.getShape()[2]; }
  int64_t getHeadDim() const { return query.getShape()[3]; }
  int64_t getHeadDimV() const { return value.getShape()[3]; }
  /// Consecutive query heads share a key/value head.
  int64_t getKVHead(int64_t h) const {
    return h / (getHeads() / key.getShape()[1]);
  }
};

/// One row of a tensor: batch, head, and position.
struct Row {
  int64_t b, h, i;
};

/// At most `maxRows` rows of a rank-4 tensor in order: all of them, or else an
/// even sample with the first and the last row.
std::vector<Row> selectRows(const HostTensor &tensor, int64_t maxRows);

/// Output and log-sum-exp of some rows.
struct RowResults {
  std::vector<double> output; ///< [rows, headDimV]
  std::vector<double> lse;    ///< [rows]
};

/// O and LSE of `rows` by definition, in double.
RowResults computeReference(const Attention &attention,
                            const std::vector<Row> &rows, ThreadPool &pool);

/// O and LSE of `rows` in the types of the kernel: f32 scores and softmax, P
/// rounded to the type of V, f32 sums, O rounded to its type. A sum in f32
/// depends on its order; `order` out of `numOrders` says where sums begin.
RowResults computePlain(const Attention &attention,
                        const std::vector<Row> &rows, ThreadPool &pool,
                        int64_t order = 0, int64_t numOrders = 1);

/// The largest error of a kernel, the bound for it, and where it is.
struct Accuracy {
  double error = 0;
  double plainError = 0;
  double tolerance = 0;
  Row worst = {0, 0, 0};

  bool passed() const { return error <= tolerance; } // False for NaN.
};

struct CheckResult {
  Accuracy output;
  std::optional<Accuracy> lse; ///< Of a kernel that writes it.
  int64_t rowsChecked = 0;
  int64_t rowsTotal = 0;

  bool passed() const { return output.passed() && (!lse || lse->passed()); }
};

/// Compares `output` and `lse` of a kernel (null: it writes none) with the
/// reference in at most `maxRows` rows.
CheckResult checkAttention(const Attention &attention, const HostTensor &output,
                           const HostTensor *lse, int64_t maxRows,
                           ThreadPool &pool);

} // namespace fart

#endif // FA_RUNTIME_REFERENCE_H
