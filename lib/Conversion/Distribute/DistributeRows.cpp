//===- DistributeRows.cpp - Row-wise ops on the values of a thread --------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Distributor.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fa;

LogicalResult Distributor::distributeBroadcast(vector::BroadcastOp op) {
  Location loc = op.getLoc();
  FailureOr<Type> type = getThreadType(op, op.getType());
  if (failed(type))
    return failure();
  auto source = dyn_cast<VectorType>(op.getSourceType());
  if (!source) {
    values[op] =
        vector::BroadcastOp::create(builder, loc, *type, op.getSource());
    return success();
  }
  FailureOr<Value> result =
      source.getRank() == 1 ? getColumns(op.getSource(), source.getDimSize(0))
                            : getWhole(op.getSource());
  if (failed(result))
    return failure();
  int64_t elements = cast<VectorType>(*type).getDimSize(0);
  if (source.getRank() == 2)
    result = acrossColumns(loc, *result, elements);
  values[op] = *result;
  return success();
}

LogicalResult Distributor::distributeElementwise(Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    // A product with a common factor leaves a sum spread over the quad.
    bool keepsParts =
        isa<arith::MulFOp>(op) && partial.contains(op->getResult(0));
    FailureOr<Value> value = keepsParts ? get(operand) : getWhole(operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  SmallVector<Type> types;
  for (Type type : op->getResultTypes()) {
    FailureOr<Type> threadType = getThreadType(op, type);
    if (failed(threadType))
      return failure();
    types.push_back(*threadType);
  }
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Operation *onThread = builder.create(state);
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), onThread->getResults()))
    values[result] = value;
  return success();
}

/// `rows` of the quad's lanes combined, in every lane.
Value Distributor::reduceQuad(Location loc, Value rows,
                              vector::CombiningKind kind) {
  Type f32 = builder.getF32Type();
  auto i32Constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  };
  Value all = i32Constant(-1), clamp = i32Constant(31);
  SmallVector<Value> results;
  for (int64_t i = 0; i < 2 * rowBlocks; ++i) {
    Value value = vector::ExtractOp::create(builder, loc, rows, i);
    for (int32_t distance : {1, 2}) {
      Value other = NVVM::ShflOp::create(
          builder, loc, f32, all, value, i32Constant(distance), clamp,
          NVVM::ShflKind::bfly, /*return_value_and_is_valid=*/UnitAttr());
      value = vector::makeArithReduction(builder, loc, kind, value, other);
    }
    results.push_back(value);
  }
  return vector::FromElementsOp::create(builder, loc, rows.getType(), results);
}

/// A statistic that all lanes of the quad have, as a part of a sum over them:
/// one lane brings it, the others 0.
Value Distributor::inFirstLane(Location loc, Value rows) {
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(rows.getType()));
  return arith::SelectOp::create(builder, loc, isFirstInQuad, rows, zero);
}

/// All of `elements`. As a rule pairs, then pairs of pairs: short chains of
/// dependent ops. A row group of sm_90a, which shares the multiprocessor with
/// others, has two chains instead: two values beside the elements, where a tree
/// would need as many as it has leaves.
Value Distributor::combine(Location loc, ArrayRef<Value> elements,
                           vector::CombiningKind kind) {
  auto reduce = [&](Value a, Value b) -> Value {
    return vector::makeArithReduction(builder, loc, kind, a, b);
  };
  if (isa<fagpu::SpecializeOp>(program.getParentOp())) {
    Value chains[] = {elements[0], elements[1]};
    for (size_t n = 2; n < elements.size(); ++n)
      chains[n % 2] = reduce(chains[n % 2], elements[n]);
    return reduce(chains[0], chains[1]);
  }
  SmallVector<Value> level(elements);
  while (level.size() > 1) {
    SmallVector<Value> next;
    for (size_t n = 0; n + 1 < level.size(); n += 2)
      next.push_back(reduce(level[n], level[n + 1]));
    if (level.size() % 2 != 0)
      next.push_back(level.back());
    level = std::move(next);
  }
  return level.front();
}

LogicalResult Distributor::distributeReduction(vector::MultiDimReductionOp op) {
  Location loc = op.getLoc();
  vector::CombiningKind kind = op.getKind();
  bool isSum = kind == vector::CombiningKind::ADD;
  VectorType tile = op.getSourceVectorType();
  if (!tile.getElementType().isF32() || tile.getDimSize(1) % 8 != 0)
    return op.emitError("expected a reduction of f32 over a multiple of 8 "
                        "columns but got ")
           << tile;
  FailureOr<Value> source = getWhole(op.getSource());
  FailureOr<Value> acc = isSum ? get(op.getAcc()) : getWhole(op.getAcc());
  if (failed(source) || failed(acc))
    return failure();
  if (isSum && !partial.contains(op.getAcc()) &&
      !matchPattern(op.getAcc(), m_AnyZeroFloat()))
    acc = inFirstLane(loc, *acc);
  int64_t elements = cast<VectorType>(source->getType()).getDimSize(0);
  SmallVector<Value> rows;
  for (int64_t i = 0; i < 2 * rowBlocks; ++i) {
    SmallVector<Value> ofRow;
    for (int64_t e = 0; e < elements; ++e)
      if (getStatistic(e, elements) == i)
        ofRow.push_back(vector::ExtractOp::create(builder, loc, *source, e));
    rows.push_back(combine(loc, ofRow, kind));
  }
  Value local =
      vector::FromElementsOp::create(builder, loc, acc->getType(), rows);
  if (!isSum)
    local = reduceQuad(loc, local, kind);
  values[op] = vector::makeArithReduction(builder, loc, kind, local, *acc);
  return success();
}
