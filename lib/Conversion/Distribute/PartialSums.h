//===- PartialSums.h - Sums that are still spread over lanes ----*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_DISTRIBUTE_PARTIALSUMS_H
#define FA_LIB_CONVERSION_DISTRIBUTE_PARTIALSUMS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::fa {

/// Row statistics of which each of the four lanes of a row holds a part, the
/// statistic being the sum of the parts. The sum over the columns of a tile is
/// one (each lane has its own columns); so is its product with a factor that
/// all lanes have in common, and what a loop carries of it. In this form the
/// running sum l of the online softmax needs no exchange between lanes until it
/// is used for something else, after the last tile.
class PartialSums {
public:
  /// Analyses `block` and all blocks in it.
  explicit PartialSums(Block &block);

  bool contains(Value value) const { return partial.contains(value); }

private:
  /// Adds what follows from the values known so far; true if any was added.
  bool update(Block &block);

  llvm::DenseSet<Value> partial;
};

} // namespace mlir::fa

#endif // FA_LIB_CONVERSION_DISTRIBUTE_PARTIALSUMS_H
