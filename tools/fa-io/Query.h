//===- Query.h - What fa-io is asked, and the numbers -----------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_TOOLS_FA_IO_QUERY_H
#define FA_TOOLS_FA_IO_QUERY_H

#include "fa/Analysis/ClosedForms.h"
#include "fa/Analysis/Machines.h"
#include "fa/Support/Problem.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::fa {

/// Every combination of lengths, head dims and tiles, and what they share.
struct Query {
  std::vector<int64_t> seqQ, headDim, br, bc;
  bool hasTiles = false; ///< Whether the user chose br and bc.
  std::optional<int64_t> seqKV, headDimV, kvHeads; ///< Else as the others.
  int64_t batch = 1, heads = 1;
  int64_t elementBytes = 2;
  MaskSpec mask;
  bool isBackward = false;
  const Machine *machine = nullptr;

  /// The values of all names in formulas, for one combination.
  fart::SizeValues getSizes(int64_t seqQ, int64_t headDim, int64_t br,
                            int64_t bc) const;

  /// The problem of one head dim, with dynamic lengths.
  AttentionProblem getProblem(int64_t headDim) const;

  std::vector<ClosedForm> getForms() const {
    return isBackward ? getBackwardForms(mask.getBand())
                      : getForwardForms(mask.getBand());
  }
};

/// One combination.
struct Row {
  fart::SizeValues sizes;     ///< By the names that formulas use.
  std::vector<int64_t> bytes; ///< Of each form.
  std::vector<int64_t> read;  ///< The part of `bytes` that is read.
  int64_t bound = 0;          ///< N^2 d^2 / M, where the machine is known.
  int64_t textbookSram = 0;   ///< Bytes of a block.
  double flops = 0;
};

/// The value of `formula`; the error says what was computed.
llvm::Expected<int64_t> evaluate(const fart::Formula &formula,
                                 const fart::SizeValues &sizes, StringRef what);

/// The row of one combination. Fails if a number overflows, and if the tiles do
/// not fit in the SRAM of the machine.
llvm::Expected<Row> computeRow(const Query &query, ArrayRef<ClosedForm> forms,
                               int64_t seqQ, int64_t headDim, int64_t br,
                               int64_t bc);

/// All rows, lengths running fastest.
llvm::Expected<std::vector<Row>> computeRows(const Query &query);

/// FLOP of one problem: two products over the visible scores, five backward.
double getFlops(const Query &query, const fart::SizeValues &sizes);

// Tables.cpp
void printTables(const Query &query, ArrayRef<Row> rows, raw_ostream &os);
void printCSV(const Query &query, ArrayRef<Row> rows, raw_ostream &os);
void printJSON(const Query &query, ArrayRef<Row> rows, raw_ostream &os);
/// The formulas of the forms, tensor by tensor.
void printFormulas(const Query &query, raw_ostream &os);

/// Columns aligned to the right; the first row is the heading.
void printAligned(ArrayRef<std::vector<std::string>> rows, raw_ostream &os);

// Plot.cpp
/// Bytes against length, and against the tile size, as SVG.
llvm::Expected<std::string> plot(const Query &query, ArrayRef<Row> rows);

// Count.cpp
/// The bytes counted from the IR of each level beside its closed form, and
/// tensor by tensor where they differ.
llvm::Error printCounts(const Query &query, ArrayRef<std::string> levelNames,
                        raw_ostream &os);

// Compare.cpp
/// What scripts/measure-io wrote to `path`, beside the predictions.
llvm::Error printComparison(StringRef path, raw_ostream &os);

// Sram.cpp
/// What the schedule that the compiler chooses takes, for each head dim.
llvm::Error printSram(const Query &query, StringRef target, raw_ostream &os);

} // namespace mlir::fa

#endif // FA_TOOLS_FA_IO_QUERY_H
