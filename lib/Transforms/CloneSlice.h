//===- CloneSlice.h - Copy a value's computation ----------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Transforms: copies of a tile need the address computation of
// another place in the program.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TRANSFORMS_CLONESLICE_H
#define FA_LIB_TRANSFORMS_CLONESLICE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::fa {

/// Clones what computes `value` and does not yet dominate the insertion point
/// of `builder`: ops in `region`, as far as they have no effects. Values in
/// `mapping` are replaced. Fails, with a diagnostic, on a block argument of
/// `region` that is not in `mapping`, or on an op with effects.
FailureOr<Value> cloneSlice(OpBuilder &builder, Value value, Region &region,
                            IRMapping &mapping);

} // namespace mlir::fa

#endif // FA_LIB_TRANSFORMS_CLONESLICE_H
