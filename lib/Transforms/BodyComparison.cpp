//===- BodyComparison.cpp - Do two bodies compute the same ---------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyComparison.h"

using namespace mlir;
using namespace mlir::fa;

bool BodyComparison::isSame(Value a, Value b) {
  if (a == b)
    return true;
  // Values have many uses: each pair is looked at once.
  auto [known, isNew] = seen.try_emplace({a, b}, false);
  if (!isNew)
    return known->second;
  bool result = areSameArguments(a, b) || areSameResults(a, b);
  return seen[{a, b}] = result;
}

bool BodyComparison::areSameArguments(Value a, Value b) {
  auto argumentA = dyn_cast<BlockArgument>(a);
  auto argumentB = dyn_cast<BlockArgument>(b);
  return argumentA && argumentB && argumentA.getOwner() == bodyA &&
         argumentB.getOwner() == bodyB && argumentA.getArgNumber() == 0 &&
         argumentB.getArgNumber() == 0;
}

bool BodyComparison::areSameResults(Value a, Value b) {
  Operation *opA = a.getDefiningOp(), *opB = b.getDefiningOp();
  if (!opA || !opB || opA->getBlock() != bodyA || opB->getBlock() != bodyB ||
      opA->getName() != opB->getName() ||
      opA->getNumOperands() != opB->getNumOperands() ||
      opA->getNumRegions() != 0 || opB->getNumRegions() != 0 ||
      opA->getAttrDictionary() != opB->getAttrDictionary() ||
      opA->getResultTypes() != opB->getResultTypes() ||
      cast<OpResult>(a).getResultNumber() !=
          cast<OpResult>(b).getResultNumber())
    return false;
  return llvm::all_of(llvm::zip_equal(opA->getOperands(), opB->getOperands()),
                      [&](auto operands) {
                        return isSame(std::get<0>(operands),
                                      std::get<1>(operands));
                      });
}
