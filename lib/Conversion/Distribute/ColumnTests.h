//===- ColumnTests.h - Tests of column numbers against constants -*- C++ -*-==//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_DISTRIBUTE_COLUMNTESTS_H
#define FA_LIB_CONVERSION_DISTRIBUTE_COLUMNTESTS_H

#include "mlir/IR/Operation.h"

namespace mlir::fa {

/// A thread compares the numbers of its columns, first + c for constants c,
/// with a limit of each of its two rows:
///
///     first + c < limit   to   c < limit - first
///
/// so that two values are computed instead of one an element. Numbers and
/// limits are at most 2^30 in size (fa-tile), and do not overflow.
void simplifyColumnTests(Operation *root);

} // namespace mlir::fa

#endif // FA_LIB_CONVERSION_DISTRIBUTE_COLUMNTESTS_H
