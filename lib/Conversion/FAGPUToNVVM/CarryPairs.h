//===- CarryPairs.h - Loop-carried f16 as registers of two ------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_FAGPUTONVVM_CARRYPAIRS_H
#define FA_LIB_CONVERSION_FAGPUTONVVM_CARRYPAIRS_H

#include "mlir/IR/Operation.h"

namespace mlir::fa {

/// Makes the loops in `root` carry vectors of 16-bit elements as vectors of
/// half as many i32.
void carryPairs(Operation *root);

} // namespace mlir::fa

#endif // FA_LIB_CONVERSION_FAGPUTONVVM_CARRYPAIRS_H
