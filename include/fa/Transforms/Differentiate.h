//===- Differentiate.h - Derivatives of scalar code -------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_TRANSFORMS_DIFFERENTIATE_H
#define FA_TRANSFORMS_DIFFERENTIATE_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::fa {
class AttentionBackwardOp;

/// Builds, before the terminator of `block`, the derivative of `result` with
/// respect to `variable`, both values of the block: forward-mode
/// differentiation of its `arith` and `math` ops. What does not depend on
/// `variable` by floating-point ops, such as an index, a table or a value from
/// outside, is constant. Where a function has a corner, the derivative is that
/// of one side.
///
/// Fails if no derivative is known of an op that depends on `variable`, after a
/// call of `unknown` with it.
FailureOr<Value> buildDerivative(Block &block, Value variable, Value result,
                                 function_ref<void(Operation &)> unknown);

/// Gives `op` the derivative region of its score region, if it has the latter
/// and lacks the former. Fails, with a diagnostic, as buildDerivative does.
LogicalResult addDerivativeRegion(AttentionBackwardOp op);

} // namespace mlir::fa

#endif // FA_TRANSFORMS_DIFFERENTIATE_H
