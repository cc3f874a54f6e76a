//===- CloneSlice.cpp - Copy a value's computation -----------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CloneSlice.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fa;

FailureOr<Value> fa::cloneSlice(OpBuilder &builder, Value value, Region &region,
                                IRMapping &mapping) {
  if (Value mapped = mapping.lookupOrNull(value))
    return mapped;
  if (!region.isAncestor(value.getParentRegion()))
    return value;
  Operation *op = value.getDefiningOp();
  if (!op || !isMemoryEffectFree(op) || op->getNumRegions() != 0)
    return emitError(value.getLoc(), "expected the address of a tile to depend "
                                     "on loop counters only");
  for (Value operand : op->getOperands())
    if (failed(cloneSlice(builder, operand, region, mapping)))
      return failure();
  Operation *clone = builder.clone(*op, mapping);
  return clone->getResult(cast<OpResult>(value).getResultNumber());
}
