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

/// These attributes may stand on any op: the passes that make a loop nest leave
/// schedule, target and problem on it for the passes after them.
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
  if (name == getStepAttrName()) {
    if (!isa<StringAttr>(value))
      return op->emitError("expected attribute '")
             << name << "' to be a string but got " << value;
    return success();
  }
  if (name == getStepsAttrName()) {
    auto steps = dyn_cast<ArrayAttr>(value);
    if (!steps || !llvm::all_of(steps, llvm::IsaPred<StringAttr>))
      return op->emitError("expected attribute '")
             << name << "' to be a list of strings but got " << value;
    return success();
  }
  return op->emitError("unknown attribute '")
         << name << "' of the fa dialect, expected '" << getScheduleAttrName()
         << "', '" << getTargetAttrName() << "', '" << getKernelAttrName()
         << "', '" << getProblemAttrName() << "', '" << getStepAttrName()
         << "' or '" << getStepsAttrName() << "'";
}
