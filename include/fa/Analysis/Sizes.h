//===- Sizes.h - Numbers that fit in 32 bits --------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FA_ANALYSIS_SIZES_H
#define FA_ANALYSIS_SIZES_H

#include "mlir/IR/Value.h"

namespace mlir::fa {

/// Whether `value` of a GPU's kernel fits in 32 bits: it is made of sizes of
/// tensors, numbers of blocks, threads and row groups, counters and constants
/// alone, which are below 2^31 (the limit of the grid and of the coordinates of
/// a tensor map), or it is cut off at such on both sides, or it has 32 bits. A
/// number that a region takes, or makes, may be any.
bool isOfSizes(Value value);

} // namespace mlir::fa

#endif // FA_ANALYSIS_SIZES_H
