//===- DistributeMemory.cpp - Loads and stores of a thread ----------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Distributor.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fa;

/// Rows past the end are read as the last one: nothing of them is stored.
LogicalResult Distributor::distributeLoad(vector::TransferReadOp op) {
  Location loc = op.getLoc();
  VectorType tile = op.getVectorType();
  bool isTile = tile.getRank() == 2;
  FailureOr<Type> type = getThreadType(op, tile);
  if (failed(type))
    return failure();
  auto threadType = cast<VectorType>(*type);
  Value end = memref::DimOp::create(builder, loc, op.getBase(), 0);
  Value last = arith::SubIOp::create(builder, loc, end, index(loc, 1));
  Value result =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(threadType));
  auto pairType = VectorType::get({2}, tile.getElementType());
  for (int64_t i = 0; i < 2 * rowBlocks; ++i) {
    Value loadRow = arith::AddIOp::create(builder, loc, row, index(loc, 8 * i));
    loadRow = arith::AddIOp::create(builder, loc, loadRow, op.getIndices()[0]);
    loadRow = arith::MinSIOp::create(builder, loc, loadRow, last);
    if (!isTile) {
      Value scalar =
          memref::LoadOp::create(builder, loc, op.getBase(), loadRow);
      result = vector::InsertOp::create(builder, loc, scalar, result, i);
      continue;
    }
    int64_t blockSize = threadType.getDimSize(0) / rowBlocks;
    int64_t first = i / 2 * blockSize + 2 * (i % 2);
    for (int64_t j = 0; j < blockSize / 4; ++j) {
      Value loadColumn =
          arith::AddIOp::create(builder, loc, column, index(loc, 8 * j));
      loadColumn =
          arith::AddIOp::create(builder, loc, loadColumn, op.getIndices()[1]);
      Value pair = vector::LoadOp::create(
          builder, loc, pairType, op.getBase(), ValueRange{loadRow, loadColumn},
          /*nontemporal=*/false,
          llvm::MaybeAlign(tile.getElementTypeBitWidth() / 4));
      result = vector::InsertStridedSliceOp::create(
          builder, loc, pair, result, ArrayRef<int64_t>{first + 4 * j},
          ArrayRef<int64_t>{1});
    }
  }
  values[op] = result;
  return success();
}

LogicalResult Distributor::distributeStore(vector::TransferWriteOp op) {
  Location loc = op.getLoc();
  FailureOr<Value> value = getWhole(op.getVector());
  if (failed(value))
    return failure();
  bool isTile = op.getVectorType().getRank() == 2;
  if (isTile && op.getVectorType().getDimSize(1) == 1)
    return op.emitError("expected a store of at least 2 columns but got ")
           << op.getVectorType();
  Value end = memref::DimOp::create(builder, loc, op.getBase(), 0);
  for (int64_t i = 0; i < 2 * rowBlocks; ++i) {
    OpBuilder::InsertionGuard guard(builder);
    Value storeRow =
        arith::AddIOp::create(builder, loc, row, index(loc, 8 * i));
    storeRow =
        arith::AddIOp::create(builder, loc, storeRow, op.getIndices()[0]);
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, storeRow, end);
    if (!isTile) // the lanes of a quad have the same statistic
      inside = arith::AndIOp::create(builder, loc, inside, isFirstInQuad);
    auto guarded = scf::IfOp::create(builder, loc, inside);
    builder.setInsertionPointToStart(guarded.thenBlock());
    if (!isTile) {
      Value scalar = vector::ExtractOp::create(builder, loc, *value, i);
      memref::StoreOp::create(builder, loc, scalar, op.getBase(), storeRow);
      continue;
    }
    storePairs(op, *value, i, storeRow);
  }
  return success();
}

/// The elements of statistic `i` at row `row`: by pairs where these are
/// aligned, and what is past the last column not at all.
void Distributor::storePairs(vector::TransferWriteOp op, Value value, int64_t i,
                             Value row) {
  Location loc = op.getLoc();
  auto type = cast<VectorType>(value.getType());
  int64_t columns = op.getVectorType().getDimSize(1);
  int64_t pairBytes = type.getElementTypeBitWidth() / 4;
  int64_t width = columns % 2 == 0 && align >= pairBytes ? 2 : 1;
  int64_t blockSize = type.getDimSize(0) / rowBlocks;
  int64_t first = i / 2 * blockSize + 2 * (i % 2);
  for (int64_t j = 0; j < blockSize / 4; ++j)
    for (int64_t k = 0; k < 2; k += width) {
      OpBuilder::InsertionGuard guard(builder);
      Value inTile =
          arith::AddIOp::create(builder, loc, column, index(loc, 8 * j + k));
      if (8 * (j + 1) > columns) {
        Value exists =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                  inTile, index(loc, columns));
        auto guarded = scf::IfOp::create(builder, loc, exists);
        builder.setInsertionPointToStart(guarded.thenBlock());
      }
      Value storeColumn =
          arith::AddIOp::create(builder, loc, inTile, op.getIndices()[1]);
      int64_t element = first + 4 * j + k;
      if (width == 1) {
        Value scalar = vector::ExtractOp::create(builder, loc, value, element);
        memref::StoreOp::create(builder, loc, scalar, op.getBase(),
                                ValueRange{row, storeColumn});
        continue;
      }
      Value pair = vector::ExtractStridedSliceOp::create(
          builder, loc, value, ArrayRef<int64_t>{element}, ArrayRef<int64_t>{2},
          ArrayRef<int64_t>{1});
      vector::StoreOp::create(
          builder, loc, pair, op.getBase(), ValueRange{row, storeColumn},
          /*nontemporal=*/false, llvm::MaybeAlign(pairBytes));
    }
}

LogicalResult Distributor::distributeStoreTile(fagpu::StoreTileOp op) {
  FailureOr<Value> value = getWhole(op.getValue());
  if (failed(value))
    return failure();
  fagpu::StoreFragmentOp::create(builder, op.getLoc(), *value, op.getBuffer(),
                                 warps);
  fagpu::StoreOp::create(builder, op.getLoc(), op.getBuffer(), op.getTarget(),
                         op.getBatch(), op.getHead(), op.getRow());
  return success();
}
