//===- RowLoops.cpp - A run of row-wise ops to one loop -------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the loop over the rows r, a tile vector<RxCxT> is its row, vector<CxT>; a
// row statistic vector<RxT> is the scalar of the row. So
//
//   max of the columns      vector.multi_reduction [1]  ->  vector.reduction
//   across the columns      shape_cast to Rx1, broadcast -> broadcast
//   column numbers          broadcast of vector<CxT>     -> that vector itself
//
// and an op that works element by element is the same op on other types.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"

#include "fa/Analysis/RowWise.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fa;

static int64_t getTileRank(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getRank() : 0;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {
/// Makes row `row` of tile values, at the insertion point of `builder`.
class RowSlicer {
public:
  RowSlicer(OpBuilder &builder, Value row,
            const DenseMap<Value, Value> &buffers)
      : builder(builder), row(row), buffers(buffers) {}

  /// Row `row` of `value`; a value that is no tile stands for itself.
  FailureOr<Value> get(Value value);
  /// Makes the rows of the results of a row-wise op.
  LogicalResult slice(Operation *op);
  /// Stores row `row` of `value` to `buffer`.
  LogicalResult store(Value value, Value buffer);

private:
  /// vector<RxCxT> -> vector<CxT>, vector<RxT> -> T.
  static Type getSliceType(Type type) {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector)
      return type;
    if (vector.getRank() == 1)
      return vector.getElementType();
    return VectorType::get(vector.getShape().drop_front(),
                           vector.getElementType());
  }
  Value load(Value buffer, Type tileType);
  void sliceBroadcast(vector::BroadcastOp op, Value source);
  void sliceLoad(vector::TransferReadOp op);
  void sliceStore(vector::TransferWriteOp op, Value slice);

  OpBuilder &builder;
  Value row;
  const DenseMap<Value, Value> &buffers;
  DenseMap<Value, Value> slices;
};
} // namespace

Value RowSlicer::load(Value buffer, Type tileType) {
  Location loc = buffer.getLoc();
  Type sliceType = getSliceType(tileType);
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Value slice;
  if (auto vector = dyn_cast<VectorType>(sliceType)) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    slice = vector::LoadOp::create(builder, loc, vector.clone(element), buffer,
                                   ValueRange{row, zero});
  } else {
    slice = memref::LoadOp::create(builder, loc, buffer, row);
  }
  // Exact: what is in the buffer came from the narrower type.
  if (slice.getType() != sliceType)
    slice = arith::TruncFOp::create(builder, loc, sliceType, slice);
  return slice;
}

FailureOr<Value> RowSlicer::get(Value value) {
  if (!isTileType(value.getType()))
    return value;
  if (Value slice = slices.lookup(value))
    return slice;
  if (Value buffer = buffers.lookup(value)) {
    Value slice = load(buffer, value.getType());
    slices[value] = slice;
    return slice;
  }
  Operation *op = value.getDefiningOp();
  if (op && isRematerializable(*op)) {
    if (failed(slice(op)))
      return failure();
    return slices.lookup(value);
  }
  return emitError(value.getLoc(),
                   "expected a tile that is made in this loop nest but got ")
         << value.getType();
}

LogicalResult RowSlicer::store(Value value, Value buffer) {
  FailureOr<Value> slice = get(value);
  if (failed(slice))
    return failure();
  Location loc = value.getLoc();
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Value stored = *slice;
  if (getElementTypeOrSelf(stored.getType()) != element) {
    Type wide = element;
    if (auto vector = dyn_cast<VectorType>(stored.getType()))
      wide = vector.clone(element);
    stored = arith::ExtFOp::create(builder, loc, wide, stored);
  }
  if (isa<VectorType>(stored.getType())) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    vector::StoreOp::create(builder, loc, stored, buffer,
                            ValueRange{row, zero});
  } else {
    memref::StoreOp::create(builder, loc, stored, buffer, row);
  }
  return success();
}

/// `source` is the slice of the op's source, or the source itself where it is a
/// vector over the columns.
void RowSlicer::sliceBroadcast(vector::BroadcastOp op, Value source) {
  Location loc = op.getLoc();
  Type type = getSliceType(op.getResultVectorType());
  if (auto vector = dyn_cast<VectorType>(source.getType());
      vector && vector != type) // [R, 1]: one element a row
    source = vector::ExtractOp::create(builder, loc, source, 0);
  if (source.getType() != type)
    source = vector::BroadcastOp::create(builder, loc, type, source);
  slices[op.getVector()] = source;
}

/// Rows past the end are read as the last one: nothing of them is stored.
void RowSlicer::sliceLoad(vector::TransferReadOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> indices(op.getIndices());
  indices[0] = arith::AddIOp::create(builder, loc, indices[0], row);
  if (!op.isDimInBounds(0)) {
    Value end = memref::DimOp::create(builder, loc, op.getBase(), 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value last = arith::SubIOp::create(builder, loc, end, one);
    indices[0] = arith::MinSIOp::create(builder, loc, indices[0], last);
  }
  Type type = getSliceType(op.getVectorType());
  if (auto vector = dyn_cast<VectorType>(type))
    slices[op.getVector()] =
        vector::LoadOp::create(builder, loc, vector, op.getBase(), indices);
  else
    slices[op.getVector()] =
        memref::LoadOp::create(builder, loc, op.getBase(), indices);
}

void RowSlicer::sliceStore(vector::TransferWriteOp op, Value slice) {
  Location loc = op.getLoc();
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> indices(op.getIndices());
  indices[0] = arith::AddIOp::create(builder, loc, indices[0], row);
  if (!op.isDimInBounds(0)) {
    Value end = memref::DimOp::create(builder, loc, op.getBase(), 0);
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, indices[0], end);
    auto guarded = scf::IfOp::create(builder, loc, inside);
    builder.setInsertionPointToStart(guarded.thenBlock());
  }
  if (isa<VectorType>(slice.getType()))
    vector::StoreOp::create(builder, loc, slice, op.getBase(), indices);
  else
    memref::StoreOp::create(builder, loc, slice, op.getBase(), indices);
}

LogicalResult RowSlicer::slice(Operation *op) {
  Location loc = op->getLoc();
  if (isa<vector::StepOp>(op)) {
    slices[op->getResult(0)] = row;
    return success();
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    Type type = getSliceType(constant.getType());
    TypedAttr value = splat.getSplatValue<TypedAttr>();
    if (auto vector = dyn_cast<VectorType>(type))
      value = DenseElementsAttr::get(vector, Attribute(value));
    slices[constant] = arith::ConstantOp::create(builder, loc, value);
    return success();
  }
  if (auto load = dyn_cast<vector::TransferReadOp>(op)) {
    sliceLoad(load);
    return success();
  }
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op);
      broadcast && getTileRank(broadcast.getSourceType()) == 1) {
    sliceBroadcast(broadcast, broadcast.getSource());
    return success();
  }

  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> slice = get(operand);
    if (failed(slice))
      return failure();
    operands.push_back(*slice);
  }
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    sliceBroadcast(broadcast, operands[0]);
    return success();
  }
  if (auto cast = dyn_cast<vector::ShapeCastOp>(op)) {
    slices[cast] =
        isa<VectorType>(operands[0].getType())
            ? vector::ExtractOp::create(builder, loc, operands[0], 0)
                  .getResult()
            : vector::BroadcastOp::create(
                  builder, loc, getSliceType(cast.getType()), operands[0])
                  .getResult();
    return success();
  }
  if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
    slices[reduction] = vector::ReductionOp::create(
        builder, loc, reduction.getKind(), operands[0], operands[1]);
    return success();
  }
  if (auto write = dyn_cast<vector::TransferWriteOp>(op)) {
    sliceStore(write, operands[0]);
    return success();
  }
  // Element by element, or a gather: the same op on the rows.
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(getSliceType(type));
  OperationState state(loc, op->getName(), operands, types,
                       op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Operation *onRow = builder.create(state);
  for (auto [result, slice] :
       llvm::zip_equal(op->getResults(), onRow->getResults()))
    slices[result] = slice;
  return success();
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

LogicalResult TileLowering::lowerRun(Location loc, ArrayRef<Operation *> run,
                                     Copies copies) {
  // A tile that is used after the run needs a buffer. It becomes visible only
  // now: within the run its old content may be read as something else.
  SmallVector<std::pair<Value, Value>> stores(copies.begin(), copies.end());
  for (Operation *op : run)
    for (Value result : op->getResults()) {
      bool isUsedLater = llvm::any_of(result.getUsers(), [&](Operation *user) {
        return !llvm::is_contained(run, user);
      });
      if (!isTileType(result.getType()) || !isUsedLater)
        continue;
      Value buffer = findCarriedBuffer(result, run);
      if (!buffer) {
        auto type = cast<VectorType>(result.getType());
        buffer = allocate(loc, type.getShape(), getBufferElement(type));
      }
      stores.emplace_back(result, buffer);
    }

  OpBuilder::InsertionGuard guard(builder);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value end = arith::ConstantIndexOp::create(builder, loc, schedule.getBr());
  auto loop = scf::ForOp::create(builder, loc, zero, end, one);
  builder.setInsertionPointToStart(loop.getBody());
  RowSlicer slicer(builder, loop.getInductionVar(), buffers);
  for (Operation *op : run)
    if (failed(slicer.slice(op)))
      return failure();
  // All reads of the row come before all writes.
  for (auto [tile, buffer] : stores)
    if (failed(slicer.get(tile)))
      return failure();
  for (auto [tile, buffer] : stores)
    if (failed(slicer.store(tile, buffer)))
      return failure();
  for (auto [tile, buffer] : ArrayRef(stores).drop_front(copies.size()))
    buffers[tile] = buffer;
  return success();
}
