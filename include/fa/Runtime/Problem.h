//===- Problem.h - The sizes of one attention problem -----------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes, type, mask and scale of a problem that a compiled kernel is run on,
// and the shapes and floating-point operations that follow from them.
//
//===----------------------------------------------------------------------===//

#ifndef FA_RUNTIME_PROBLEM_H
#define FA_RUNTIME_PROBLEM_H

#include "fa/Runtime/Reference.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace fart {

/// The operands of forward attention by name, and the matrices that kernels
/// without FlashAttention hand to each other: S, P and the row sums l.
enum class TensorName { Q, K, V, O, LSE, S, P, L };
inline constexpr std::array allTensors = {TensorName::Q, TensorName::K,
                                          TensorName::V, TensorName::O,
                                          TensorName::LSE};
inline constexpr std::array allWorkspaces = {TensorName::S, TensorName::P,
                                             TensorName::L};
inline constexpr size_t numTensors = allTensors.size() + allWorkspaces.size();

/// "Q", "K", "V", "O", "LSE", "S", "P" or "l", and back.
std::string_view getName(TensorName tensor);
std::optional<TensorName> parseTensorName(std::string_view name);

/// Reads none, causal, causal-top-left, window:L,R or window:L,R-top-left.
std::optional<Band> parseBand(std::string_view text);
/// The inverse of parseBand.
std::string formatBand(const Band &band);

struct Problem {
  int64_t batch = 1;
  int64_t heads = 8;
  int64_t kvHeads = 8;
  int64_t seqQ = 512;
  int64_t seqKV = 512;
  int64_t headDim = 64;
  int64_t headDimV = 64;
  DType dtype = DType::F32;
  Band mask;
  double scale = 1;

  /// Fails with one message if a size is not positive, if the query heads are
  /// no multiple of the key/value heads, or if a tensor does not fit in 63
  /// bits.
  Status validate() const;

  /// [batch, heads, rows, head dim], without the last for LSE and l. Rows of S
  /// and P have as many elements as there are keys, up to a multiple of 64.
  std::vector<int64_t> getShape(TensorName tensor) const;
  /// The type of the problem, f32 for LSE, S and l.
  DType getDType(TensorName tensor) const;

  /// Floating-point operations of the two products over visible keys.
  double getFlops() const;

  /// "batch 1, heads 8 on 2, 512 queries on 512 keys, head dim 64, f32, mask
  /// causal".
  std::string describe() const;
};

/// Rows to compare with the reference so that it takes about `budget`
/// multiplications: all of a small problem, a sample of a large one.
int64_t getRowsToCheck(const Problem &problem, double budget);

} // namespace fart

#endif // FA_RUNTIME_PROBLEM_H
