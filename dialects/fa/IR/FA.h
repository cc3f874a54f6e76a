//===- FA.h - The fa dialect ------------------------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one public header of the IR: dialect, attributes, interface and ops.
//
//===----------------------------------------------------------------------===//

#ifndef FA_IR_FA_H
#define FA_IR_FA_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

#include "fa/IR/FADialect.h.inc"
#include "fa/IR/FAEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "fa/IR/FAAttrs.h.inc"

namespace mlir::fa::detail {
/// Behind the methods of AttentionOpInterface.
float getScaleOrDefault(FloatAttr scale, int64_t headDim);
MaskAttr getMaskOrDefault(MLIRContext *context, MaskAttr mask);
} // namespace mlir::fa::detail

#include "fa/IR/FAInterfaces.h.inc"

#define GET_OP_CLASSES
#include "fa/IR/FAOps.h.inc"

#endif // FA_IR_FA_H
