//===- Sizes.cpp - Numbers that fit in 32 bits ---------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Analysis/Sizes.h"

#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::fa;

/// Whether `value` is at most what fits.
static bool isBoundedAbove(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::MinSIOp>(op))
    return llvm::any_of(op->getOperands(), isBoundedAbove);
  return isOfSizes(value);
}

bool fa::isOfSizes(Value value) {
  if (value.getType().isIntOrFloat() &&
      value.getType().getIntOrFloatBitWidth() <= 32)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return !isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  if (isa<memref::DimOp>(op) || matchPattern(op, m_Constant()) ||
      isa<fagpu::FAGPUDialect, gpu::GPUDialect>(op->getDialect()))
    return true;
  if (!isa<arith::ArithDialect>(op->getDialect()))
    return false;
  if (isa<arith::MinUIOp>(op))
    return llvm::any_of(op->getOperands(), isOfSizes);
  // What is cut off below, too: the other side decides.
  if (isa<arith::MaxSIOp>(op))
    return llvm::all_of(op->getOperands(), isBoundedAbove) &&
           llvm::any_of(op->getOperands(), isOfSizes);
  return llvm::all_of(op->getOperands(), isOfSizes);
}
