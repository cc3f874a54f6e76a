//===- BodyComparison.h - Do two bodies compute the same -*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TRANSFORMS_BODYCOMPARISON_H
#define FA_LIB_TRANSFORMS_BODYCOMPARISON_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::fa {

/// Compares what two bodies compute. Where both are bodies of loops, it is in
/// the iterations of the same number.
class BodyComparison {
public:
  BodyComparison(Block *a, Block *b) : bodyA(a), bodyB(b) {}

  /// Whether `a` of the first body and `b` of the second are made by the same
  /// ops from the same values.
  bool isSame(Value a, Value b);

private:
  /// The counters of the two loops.
  bool areSameArguments(Value a, Value b);
  bool areSameResults(Value a, Value b);

  Block *bodyA, *bodyB;
  DenseMap<std::pair<Value, Value>, bool> seen;
};

} // namespace mlir::fa

#endif // FA_LIB_TRANSFORMS_BODYCOMPARISON_H
