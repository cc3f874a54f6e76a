//===- ReferenceBackward.cpp - What the gradient means, in double ---------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each query i and each key j that it sees, with x = scale * q_i k_j and
// s = score(x):
//
//   P      = exp(s - LSE_i)
//   dS     = P (dO_i v_j - delta_i) score'(x),  delta_i = dO_i O_i - dLSE_i
//   dQ_i  += scale dS k_j
//   dK_j  += scale dS q_i
//   dV_j  += P dO_i
//
// A score of -inf, and a row whose LSE is -inf, add nothing.
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/ReferenceBackward.h"

#include "ReferenceSupport.h"

#include <type_traits>

using namespace fart;

namespace {

/// A program for the gradient: by definition with `Real` = double, and in the
/// types of the kernel with float. There P and dS are rounded before they are
/// multiplied with a matrix, and sums begin at `shift` times their length and
/// wrap around.
template <typename Real>
class Program {
public:
  Program(const AttentionGradient &gradient, double shift)
      : gradient(gradient), attention(gradient.attention), shift(shift) {}

  /// dQ of some rows, [rows, headDim].
  std::vector<double> computeQueryGrad(const std::vector<Row> &rows,
                                       ThreadPool &pool) const;

  /// dK and dV of some rows, [rows, headDim] and [rows, headDimV].
  struct KeyValueGrad {
    std::vector<double> key, value;
  };
  KeyValueGrad computeKeyValueGrad(const std::vector<Row> &rows,
                                   ThreadPool &pool) const;

private:
  static constexpr bool isPlain = std::is_same_v<Real, float>;

  /// The rows of a query head, and the statistics of each.
  struct QueryHead {
    Head<Real> query, outputGrad;
    std::vector<Real> lse, delta;
    int64_t first; ///< The query that row 0 belongs to.
  };
  QueryHead readQueryHead(int64_t b, int64_t h, int64_t begin,
                          int64_t end) const;

  Real dot(const Real *lhs, const Real *rhs, int64_t length) const {
    Real sum = 0;
    for (int64_t i = 0; i < length; ++i) {
      int64_t c = isPlain ? rotate(i, length, shift) : i;
      sum += lhs[c] * rhs[c];
    }
    return sum;
  }

  /// P and dS at one position; zeros where nothing is added.
  struct Weights {
    Real prob = 0, scoreGrad = 0;
  };
  Weights computeWeights(const QueryHead &head, const Position &at,
                         const Real *key, const Real *value) const;

  /// What is stored in the type of the tensors.
  Real roundPlain(Real value) const {
    if constexpr (isPlain)
      return static_cast<Real>(
          roundTo(attention.value.getDType(), static_cast<double>(value)));
    return value;
  }

  const AttentionGradient &gradient;
  const Attention &attention;
  double shift;
};

template <typename Real>
typename Program<Real>::QueryHead
Program<Real>::readQueryHead(int64_t b, int64_t h, int64_t begin,
                             int64_t end) const {
  QueryHead head{Head<Real>(attention.query, b, h, begin, end),
                 Head<Real>(gradient.outputGrad, b, h, begin, end),
                 {},
                 {},
                 begin};
  Head<Real> output(gradient.output, b, h, begin, end);
  int64_t headDimV = attention.getHeadDimV();
  for (int64_t i = begin; i < end; ++i) {
    head.lse.push_back(
        static_cast<Real>(gradient.lse.get(gradient.lse.rowIndex(b, h, i))));
    // From the last to the first: nothing makes a plain program sum dO O as it
    // sums dO V, and where the two are equal in theory it does not get 0.
    Real delta = 0;
    for (int64_t c = headDimV - 1; c >= 0; --c)
      delta += head.outputGrad.row(i - begin)[c] * output.row(i - begin)[c];
    if (const HostTensor *lseGrad = gradient.lseGrad)
      delta -= static_cast<Real>(lseGrad->get(lseGrad->rowIndex(b, h, i)));
    head.delta.push_back(delta);
  }
  return head;
}

template <typename Real>
typename Program<Real>::Weights
Program<Real>::computeWeights(const QueryHead &head, const Position &at,
                              const Real *key, const Real *value) const {
  int64_t row = at.i - head.first;
  Real lse = head.lse[row];
  if (lse == -std::numeric_limits<Real>::infinity() ||
      !attention.mask.contains(at.i, at.j, attention.getSeqQ(),
                               attention.getSeqKV()) ||
      (attention.visible && !attention.visible(at)))
    return {};
  Real x = static_cast<Real>(attention.scale) *
           dot(head.query.row(row), key, attention.getHeadDim());
  const auto &score =
      isPlain && attention.plainScore ? attention.plainScore : attention.score;
  Real s = score ? static_cast<Real>(score(x, at)) : x;
  if (s == -std::numeric_limits<Real>::infinity())
    return {};
  Weights weights;
  weights.prob = std::exp(s - lse);
  Real probGrad = dot(head.outputGrad.row(row), value, attention.getHeadDimV());
  weights.scoreGrad = weights.prob * (probGrad - head.delta[row]);
  const auto &derivative = isPlain && gradient.plainDerivative
                               ? gradient.plainDerivative
                               : gradient.derivative;
  if (derivative)
    weights.scoreGrad *= static_cast<Real>(derivative(x, at));
  weights.prob = roundPlain(weights.prob);
  weights.scoreGrad = roundPlain(weights.scoreGrad);
  return weights;
}

/// Rows of a parallel range. Few rows are spread over all threads; each range
/// converts the matrices of its head anew.
int64_t getGrain(size_t numRows, const ThreadPool &pool) {
  return std::clamp<int64_t>(static_cast<int64_t>(numRows) /
                                 (4 * int64_t(pool.getNumThreads())),
                             4, 32);
}

template <typename Real>
std::vector<double>
Program<Real>::computeQueryGrad(const std::vector<Row> &rows,
                                ThreadPool &pool) const {
  int64_t headDim = attention.getHeadDim(), seqKV = attention.getSeqKV();
  std::vector<double> grads(rows.size() * headDim);
  pool.parallelFor(
      static_cast<int64_t>(rows.size()), getGrain(rows.size(), pool),
      [&](int64_t begin, int64_t end) {
        SeenHead<Real> seen;
        for (int64_t r = begin; r < end; ++r) {
          Row row = rows[r];
          seen.moveTo(attention, row);
          QueryHead head = readQueryHead(row.b, row.h, row.i, row.i + 1);
          std::vector<Real> sum(headDim, 0);
          for (int64_t n = 0; n < seqKV; ++n) {
            int64_t j = isPlain ? rotate(n, seqKV, shift) : n;
            Weights weights =
                computeWeights(head, {row.b, row.h, row.i, j}, seen.keys.row(j),
                               seen.values.row(j));
            for (int64_t c = 0; c < headDim; ++c)
              sum[c] += weights.scoreGrad * seen.keys.row(j)[c];
          }
          for (int64_t c = 0; c < headDim; ++c)
            grads[r * headDim + c] =
                roundPlain(static_cast<Real>(attention.scale) * sum[c]);
        }
      });
  return grads;
}

template <typename Real>
typename Program<Real>::KeyValueGrad
Program<Real>::computeKeyValueGrad(const std::vector<Row> &rows,
                                   ThreadPool &pool) const {
  int64_t headDim = attention.getHeadDim(), seqQ = attention.getSeqQ();
  int64_t headDimV = attention.getHeadDimV();
  int64_t group = attention.getHeads() / attention.key.getShape()[1];
  KeyValueGrad grads;
  grads.key.resize(rows.size() * headDim);
  grads.value.resize(rows.size() * headDimV);
  pool.parallelFor(
      static_cast<int64_t>(rows.size()), getGrain(rows.size(), pool),
      [&](int64_t begin, int64_t end) {
        std::vector<QueryHead> heads;
        for (int64_t r = begin; r < end; ++r) {
          Row row = rows[r]; // Of K: its head is a key/value head.
          if (r == begin || row.b != rows[r - 1].b || row.h != rows[r - 1].h) {
            heads.clear();
            for (int64_t g = 0; g < group; ++g)
              heads.push_back(readQueryHead(row.b, row.h * group + g, 0, seqQ));
          }
          Head<Real> key(attention.key, row.b, row.h, row.i, row.i + 1);
          Head<Real> value(attention.value, row.b, row.h, row.i, row.i + 1);
          std::vector<Real> keySum(headDim, 0), valueSum(headDimV, 0);
          for (int64_t g = 0; g < group; ++g) {
            const QueryHead &head = heads[g];
            for (int64_t n = 0; n < seqQ; ++n) {
              int64_t i = isPlain ? rotate(n, seqQ, shift) : n;
              Weights weights =
                  computeWeights(head, {row.b, row.h * group + g, i, row.i},
                                 key.row(0), value.row(0));
              for (int64_t c = 0; c < headDim; ++c)
                keySum[c] += weights.scoreGrad * head.query.row(i)[c];
              for (int64_t c = 0; c < headDimV; ++c)
                valueSum[c] += weights.prob * head.outputGrad.row(i)[c];
            }
          }
          for (int64_t c = 0; c < headDim; ++c)
            grads.key[r * headDim + c] =
                roundPlain(static_cast<Real>(attention.scale) * keySum[c]);
          for (int64_t c = 0; c < headDimV; ++c)
            grads.value[r * headDimV + c] = roundPlain(valueSum[c]);
        }
      });
  return grads;
}

/// Adds the errors of a plain program's rows.
void addPlain(AccuracyBuilder &errors, const std::vector<double> &plain,
              const std::vector<double> &expected) {
  for (size_t i = 0; i < plain.size(); ++i)
    errors.addPlain(plain[i], expected[i]);
}

/// Adds the errors of the kernel's rows.
void addRows(AccuracyBuilder &errors, const HostTensor &tensor,
             const std::vector<Row> &rows,
             const std::vector<double> &expected) {
  int64_t width = tensor.getShape()[3];
  for (size_t r = 0; r < rows.size(); ++r) {
    const Row &row = rows[r];
    int64_t first = tensor.rowIndex(row.b, row.h, row.i);
    for (int64_t c = 0; c < width; ++c)
      errors.add(row, tensor.get(first + c),
                 expected[static_cast<int64_t>(r) * width + c]);
  }
}

int64_t countRows(const HostTensor &tensor) {
  const std::vector<int64_t> &shape = tensor.getShape();
  return shape[0] * shape[1] * shape[2];
}

} // namespace

GradientCheck fart::checkGradient(const AttentionGradient &gradient,
                                  const HostTensor &queryGrad,
                                  const HostTensor &keyGrad,
                                  const HostTensor &valueGrad, int64_t maxRows,
                                  ThreadPool &pool) {
  std::vector<Row> queries = selectRows(queryGrad, maxRows);
  std::vector<Row> keys = selectRows(keyGrad, maxRows);
  Program<double> reference(gradient, /*shift=*/0);
  std::vector<double> query = reference.computeQueryGrad(queries, pool);
  auto [key, value] = reference.computeKeyValueGrad(keys, pool);
  AccuracyBuilder queryErrors, keyErrors, valueErrors;

  // As for O: few rows are summed in several orders.
  auto fewest = static_cast<int64_t>(std::min(queries.size(), keys.size()));
  int64_t numOrders =
      std::clamp<int64_t>(4096 / std::max<int64_t>(fewest, 1), 1, 16);
  for (int64_t order = 0; order < numOrders; ++order) {
    Program<float> plain(gradient, static_cast<double>(order) /
                                       static_cast<double>(numOrders));
    addPlain(queryErrors, plain.computeQueryGrad(queries, pool), query);
    auto [plainKey, plainValue] = plain.computeKeyValueGrad(keys, pool);
    addPlain(keyErrors, plainKey, key);
    addPlain(valueErrors, plainValue, value);
  }
  addRows(queryErrors, queryGrad, queries, query);
  addRows(keyErrors, keyGrad, keys, key);
  addRows(valueErrors, valueGrad, keys, value);

  GradientCheck result;
  result.query = queryErrors.finish(queryGrad.getDType());
  result.key = keyErrors.finish(keyGrad.getDType());
  result.value = valueErrors.finish(valueGrad.getDType());
  result.rowsChecked = static_cast<int64_t>(queries.size() + 2 * keys.size());
  result.rowsTotal = countRows(queryGrad) + 2 * countRows(keyGrad);
  return result;
}
