//===- RowWise.cpp - Row-wise ops on tiles --------------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Analysis/RowWise.h"

#include "fa/IR/FA.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fa;

bool fa::isTileType(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && (vector.getRank() == 1 || vector.getRank() == 2);
}

bool fa::touchesTiles(Operation &op) {
  return llvm::any_of(op.getOperandTypes(), isTileType) ||
         llvm::any_of(op.getResultTypes(), isTileType) ||
         isa<ScoresOp, AccumulateOp>(op);
}

static int64_t getTileRank(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getRank() : 0;
}

/// [R] to [R, 1] or back.
static bool isRowCast(vector::ShapeCastOp op) {
  VectorType source = op.getSourceVectorType(),
             result = op.getResultVectorType();
  auto isColumn = [](VectorType type, int64_t rows) {
    return type.getRank() == 2 && type.getDimSize(0) == rows &&
           type.getDimSize(1) == 1;
  };
  return (source.getRank() == 1 && isColumn(result, source.getDimSize(0))) ||
         (result.getRank() == 1 && isColumn(source, result.getDimSize(0)));
}

/// Loads or stores the tile from (i, j) on, rows past the end of the memref
/// padded or left out.
template <typename TransferOp>
static bool isRowTransfer(TransferOp op) {
  auto memref = dyn_cast<MemRefType>(op.getBase().getType());
  int64_t rank = op.getVectorType().getRank();
  return memref && memref.getRank() == rank && !op.getMask() &&
         op.getPermutationMap().isIdentity() &&
         (rank == 1 || (op.isDimInBounds(1) && memref.isLastDimUnitStride()));
}

bool fa::isRowWise(Operation &op) {
  if (op.getNumRegions() != 0)
    return false;
  if (OpTrait::hasElementwiseMappableTraits(&op))
    return true;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (auto cast = dyn_cast<vector::ShapeCastOp>(op))
    return isRowCast(cast);
  if (auto store = dyn_cast<vector::TransferWriteOp>(op))
    return isRowTransfer(store);
  if (auto load = dyn_cast<vector::TransferReadOp>(op))
    return isRowTransfer(load);
  if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op))
    return reduction.getSourceVectorType().getRank() == 2 &&
           reduction.isReducedDim(1) && !reduction.isReducedDim(0);
  if (auto gather = dyn_cast<vector::GatherOp>(op))
    return isa<MemRefType>(gather.getBase().getType()) &&
           gather.getVectorType().getRank() == 2;
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    // A vector over the columns must be a value as it stands.
    if (getTileRank(broadcast.getSourceType()) != 1)
      return true;
    Operation *source = broadcast.getSource().getDefiningOp();
    return source && isRematerializable(*source);
  }
  return isa<vector::StepOp>(op);
}

/// `known` holds the answers for the ops that were looked at: values may have
/// many uses, and the number of paths to them grows without bound.
static bool isRematerializable(Operation &op,
                               DenseMap<Operation *, bool> &known) {
  if (auto it = known.find(&op); it != known.end())
    return it->second;
  bool result = isRowWise(op) && isMemoryEffectFree(&op) &&
                !isa<vector::MultiDimReductionOp, vector::GatherOp>(op) &&
                llvm::all_of(op.getOperands(), [&](Value operand) {
                  if (!isTileType(operand.getType()))
                    return true;
                  Operation *source = operand.getDefiningOp();
                  return source && isRematerializable(*source, known);
                });
  return known[&op] = result;
}

bool fa::isRematerializable(Operation &op) {
  DenseMap<Operation *, bool> known;
  return ::isRematerializable(op, known);
}

bool fa::isColumnBroadcast(Operation &op) {
  auto broadcast = dyn_cast<vector::BroadcastOp>(op);
  if (!broadcast || getTileRank(broadcast.getSourceType()) != 1 ||
      broadcast.getResultVectorType().getRank() != 2)
    return false;
  Operation *source = broadcast.getSource().getDefiningOp();
  return source && !isRematerializable(*source);
}
