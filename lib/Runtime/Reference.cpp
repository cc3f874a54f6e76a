//===- Reference.cpp - What attention means, in double --------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each batch b, query head h and query i, over the keys j that i sees:
//
//   s_j  = score(scale * sum_c Q[b,h,i,c] K[b,hk,j,c])
//   LSE  = log sum_j exp(s_j)
//   O_c  = sum_j exp(s_j - LSE) V[b,hk,j,c]
//
// A query that sees no key has O = 0 and LSE = -inf.
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/Reference.h"

#include "ReferenceSupport.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace fart;

bool Band::contains(int64_t i, int64_t j, int64_t seqQ, int64_t seqKV) const {
  int64_t distance = j - i - (topLeft ? 0 : seqKV - seqQ);
  return (!left || distance >= -*left) && (!right || distance <= *right);
}

namespace {

/// Everything that one row of the output is computed from.
template <typename Real>
struct RowInput {
  const Attention &attention;
  Row row;
  const Real *query;
  const Head<Real> &keys;
  const Head<Real> &values;

  /// Does this query see key `j`?
  bool sees(int64_t j) const {
    if (!attention.mask.contains(row.i, j, attention.getSeqQ(),
                                 attention.getSeqKV()))
      return false;
    return !attention.visible || attention.visible({row.b, row.h, row.i, j});
  }
};

/// The definition.
double computeReferenceRow(const RowInput<double> &input, double *output) {
  const Attention &attention = input.attention;
  int64_t seqKV = attention.getSeqKV();
  int64_t headDim = attention.getHeadDim(), headDimV = attention.getHeadDimV();
  std::fill_n(output, headDimV, 0.0);

  // The scores, with -inf for a key that is not visible, and their maximum.
  std::vector<double> scores(seqKV, -infinity);
  double max = -infinity;
  for (int64_t j = 0; j < seqKV; ++j) {
    if (!input.sees(j))
      continue;
    double dot = 0;
    for (int64_t c = 0; c < headDim; ++c)
      dot += input.query[c] * input.keys.row(j)[c];
    scores[j] = attention.scale * dot;
    if (attention.score)
      scores[j] = attention.score(scores[j],
                                  {input.row.b, input.row.h, input.row.i, j});
    if (scores[j] > max || std::isnan(scores[j]))
      max = scores[j];
  }
  if (max == -infinity)
    return -infinity;

  // The maximum is taken out only to keep exp in range: it cancels.
  double sum = 0;
  for (double score : scores)
    sum += std::exp(score - max);
  for (int64_t j = 0; j < seqKV; ++j) {
    if (scores[j] == -infinity)
      continue;
    double weight = std::exp(scores[j] - max) / sum;
    for (int64_t c = 0; c < headDimV; ++c)
      output[c] += weight * input.values.row(j)[c];
  }
  return max + std::log(sum);
}

/// The same three steps in f32, with P and O rounded. Sums begin at `shift`
/// times their length and wrap around.
double computePlainRow(const RowInput<float> &input, double shift,
                       double *output) {
  const Attention &attention = input.attention;
  DType dtype = attention.value.getDType();
  int64_t seqKV = attention.getSeqKV();
  int64_t headDim = attention.getHeadDim(), headDimV = attention.getHeadDimV();
  std::fill_n(output, headDimV, 0.0);
  auto round = [&](float value) {
    return attention.isTF32 ? roundToTF32(value) : value;
  };

  std::vector<float> scores(seqKV, -std::numeric_limits<float>::infinity());
  for (int64_t j = 0; j < seqKV; ++j) {
    if (!input.sees(j))
      continue;
    float dot = 0;
    for (int64_t i = 0; i < headDim; ++i) {
      int64_t c = rotate(i, headDim, shift);
      dot += round(input.query[c]) * round(input.keys.row(j)[c]);
    }
    scores[j] = static_cast<float>(attention.scale) * dot;
    const auto &score =
        attention.plainScore ? attention.plainScore : attention.score;
    if (score)
      scores[j] = static_cast<float>(
          score(scores[j], {input.row.b, input.row.h, input.row.i, j}));
  }
  float max = *std::max_element(scores.begin(), scores.end());
  if (max == -std::numeric_limits<float>::infinity())
    return -infinity;

  float sum = 0;
  for (int64_t i = 0; i < seqKV; ++i)
    sum += std::exp(scores[rotate(i, seqKV, shift)] - max);
  std::vector<float> accumulator(headDimV, 0);
  for (int64_t i = 0; i < seqKV; ++i) {
    int64_t j = rotate(i, seqKV, shift);
    if (std::isinf(scores[j]) && scores[j] < 0)
      continue;
    auto weight =
        static_cast<float>(roundTo(dtype, std::exp(scores[j] - max) / sum));
    for (int64_t c = 0; c < headDimV; ++c)
      accumulator[c] += round(weight) * round(input.values.row(j)[c]);
  }
  for (int64_t c = 0; c < headDimV; ++c)
    output[c] = roundTo(dtype, accumulator[c]);
  return max + std::log(sum);
}

/// Calls `compute(input, output)`, which returns LSE, for every one of `rows`.
template <typename Real, typename Fn>
RowResults forEachRow(const Attention &attention, const std::vector<Row> &rows,
                      ThreadPool &pool, Fn compute) {
  auto numRows = static_cast<int64_t>(rows.size());
  int64_t headDimV = attention.getHeadDimV();
  RowResults results;
  results.output.resize(numRows * headDimV);
  results.lse.resize(numRows);
  // Few rows are spread over all threads; each range converts its keys anew.
  int64_t grain =
      std::clamp<int64_t>(numRows / (4 * int64_t(pool.getNumThreads())), 4, 32);
  pool.parallelFor(numRows, grain, [&](int64_t begin, int64_t end) {
    SeenHead<Real> seen;
    for (int64_t r = begin; r < end; ++r) {
      Row row = rows[r];
      seen.moveTo(attention, row);
      Head<Real> query(attention.query, row.b, row.h, row.i, row.i + 1);
      RowInput<Real> input{attention, row, query.row(0), seen.keys,
                           seen.values};
      results.lse[r] = compute(input, results.output.data() + r * headDimV);
    }
  });
  return results;
}

} // namespace

std::vector<Row> fart::selectRows(const HostTensor &tensor, int64_t maxRows) {
  int64_t heads = tensor.getShape()[1], length = tensor.getShape()[2];
  int64_t total = tensor.getShape()[0] * heads * length;
  int64_t count = std::min(total, std::max<int64_t>(maxRows, 2));
  std::vector<Row> rows;
  rows.reserve(count);
  for (int64_t n = 0; n < count; ++n) {
    // From 0 to total - 1; in long double since the product can pass 64 bits.
    auto row = static_cast<int64_t>(
        count == total ? n
                       : std::floor(static_cast<long double>(n) * (total - 1) /
                                    (count - 1)));
    rows.push_back(
        {row / (heads * length), row / length % heads, row % length});
  }
  return rows;
}

RowResults fart::computeReference(const Attention &attention,
                                  const std::vector<Row> &rows,
                                  ThreadPool &pool) {
  return forEachRow<double>(attention, rows, pool, computeReferenceRow);
}

RowResults fart::computePlain(const Attention &attention,
                              const std::vector<Row> &rows, ThreadPool &pool,
                              int64_t order, int64_t numOrders) {
  double shift = static_cast<double>(order) / static_cast<double>(numOrders);
  return forEachRow<float>(attention, rows, pool,
                           [shift](const RowInput<float> &input, double *out) {
                             return computePlainRow(input, shift, out);
                           });
}

CheckResult fart::checkAttention(const Attention &attention,
                                 const HostTensor &output,
                                 const HostTensor *lse, int64_t maxRows,
                                 ThreadPool &pool) {
  std::vector<Row> rows = selectRows(attention.query, maxRows);
  auto numRows = static_cast<int64_t>(rows.size());
  int64_t headDimV = attention.getHeadDimV();
  RowResults expected = computeReference(attention, rows, pool);
  AccuracyBuilder outputErrors, lseErrors;

  // The largest error of few rows is a matter of luck. So they are summed in
  // several orders, and the plain error is the largest of all. Rows that see no
  // key have none.
  auto numSeeing = static_cast<int64_t>(
      std::count_if(expected.lse.begin(), expected.lse.end(),
                    [](double value) { return std::isfinite(value); }));
  int64_t numOrders =
      std::clamp<int64_t>(4096 / std::max<int64_t>(numSeeing, 1), 1, 16);
  for (int64_t order = 0; order < numOrders; ++order) {
    RowResults plain = computePlain(attention, rows, pool, order, numOrders);
    for (size_t i = 0; i < plain.output.size(); ++i)
      outputErrors.addPlain(plain.output[i], expected.output[i]);
    for (size_t r = 0; r < plain.lse.size(); ++r)
      lseErrors.addPlain(plain.lse[r], expected.lse[r]);
  }

  for (int64_t r = 0; r < numRows; ++r) {
    const Row &row = rows[r];
    int64_t first = output.rowIndex(row.b, row.h, row.i);
    for (int64_t c = 0; c < headDimV; ++c)
      outputErrors.add(row, output.get(first + c),
                       expected.output[r * headDimV + c]);
    if (lse)
      lseErrors.add(row, lse->get(lse->rowIndex(row.b, row.h, row.i)),
                    expected.lse[r]);
  }

  CheckResult result;
  result.output = outputErrors.finish(output.getDType());
  if (lse)
    result.lse = lseErrors.finish(lse->getDType());
  result.rowsChecked = numRows;
  result.rowsTotal = attention.query.getShape()[0] * attention.getHeads() *
                     attention.getSeqQ();
  return result;
}
