//===- FADialect.cpp - Registration of the fa dialect ---------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/IR/FA.h"

using namespace mlir;
using namespace mlir::fa;

#include "fa/IR/FADialect.cpp.inc"

void FADialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "fa/IR/FAOps.cpp.inc"
      >();
}

/// These attributes may stand on any op: `fa-tile` leaves schedule, target and
/// problem on the loop nest for the passes after it.
LogicalResult FADialect::verifyOperationAttribute(Operation *op,
                                                  NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == getScheduleAttrName()) {
    if (!isa<ScheduleAttr>(value))
      return op->emitError("expected attribute '")
             << name << "' to be a #fa.schedule but got " << value;
    return success();
  }
  if (name == getTargetAttrName()) {
    if (!isa<TargetAttr>(value))
      return op->emitError("expected attribute '")
             << name << "' to be a #fa.target but got " << value;
    return success();
  }
  if (name == getKernelAttrName() || name == getProblemAttrName()) {
    if (!isa<DictionaryAttr>(value))
      return op->emitError("expected attribute '")
             << name << "' to be a dictionary but got " << value;
    return success();
  }
  return op->emitError("unknown attribute '")
         << name << "' of the fa dialect, expected '" << getScheduleAttrName()
         << "', '" << getTargetAttrName() << "', '" << getKernelAttrName()
         << "' or '" << getProblemAttrName() << "'";
}
