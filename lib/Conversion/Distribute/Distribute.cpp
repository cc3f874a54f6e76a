//===- Distribute.cpp - Tile values to the values of one thread -----------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread holds is in Distributor.h.
//
//===----------------------------------------------------------------------===//

#include "ColumnTests.h"
#include "Distributor.h"
#include "fa/Analysis/RowWise.h"
#include "fa/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FADISTRIBUTEPASS
#include "fa/Conversion/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// Types and values
//===----------------------------------------------------------------------===//

FailureOr<Type> Distributor::getThreadType(Operation *op, Type type) {
  auto tile = dyn_cast<VectorType>(type);
  if (!tile)
    return type;
  int64_t rows = 16 * warps * rowBlocks;
  if (tile.getDimSize(0) != rows)
    return op->emitError("expected tiles of ")
           << rows << " rows for " << warps << " warps but got " << type;
  if (tile.getRank() == 1 || tile.getDimSize(1) == 1)
    return VectorType::get({2 * rowBlocks}, tile.getElementType());
  return VectorType::get({getSize(tile.getDimSize(1))}, tile.getElementType());
}

/// Of a statistic that is spread over the quad, the part of this lane.
FailureOr<Value> Distributor::get(Value value) {
  if (!isTileType(value.getType()))
    return value;
  if (Value mapped = values.lookup(value))
    return mapped;
  Operation *op = value.getDefiningOp();
  if (!op || !isRematerializable(*op))
    return emitError(value.getLoc(),
                     "expected a tile that is made by the row group but got ")
           << value.getType();
  // Made anew at each use: it must not be taken from a loop that does not run.
  FailureOr<Type> type = getThreadType(op, value.getType());
  if (failed(type))
    return failure();
  Location loc = op->getLoc();
  Value result;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    result = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(cast<ShapedType>(*type),
                               splat.getSplatValue<Attribute>()));
  } else if (isa<vector::StepOp>(op)) {
    SmallVector<Value> rows;
    for (int64_t i = 0; i < 2 * rowBlocks; ++i)
      rows.push_back(
          arith::AddIOp::create(builder, loc, row, index(loc, 8 * i)));
    result = vector::FromElementsOp::create(builder, loc, *type, rows);
  } else {
    if (failed(distributeOp(op)))
      return failure();
    result = values.lookup(value);
    values.erase(value);
  }
  return result;
}

/// Of a statistic that is spread over the quad, the sum.
FailureOr<Value> Distributor::getWhole(Value value) {
  FailureOr<Value> part = get(value);
  if (failed(part) || !partial.contains(value))
    return part;
  // Once a block: in program order, what was exchanged before is known after.
  Value &whole = wholes[{value, builder.getInsertionBlock()}];
  if (!whole)
    whole = reduceQuad(value.getLoc(), *part, vector::CombiningKind::ADD);
  return whole;
}

/// Whether `value` is a vector over the columns that holds their numbers.
static bool isColumnNumbers(Value value) {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  return value.getDefiningOp<vector::StepOp>() != nullptr;
}

/// The numbers of a thread's columns as a sum: that of its first column, and
/// constants.
std::pair<Value, Value> Distributor::getColumnNumbers(Location loc,
                                                      VectorType type) {
  Type element = type.getElementType();
  int64_t size = type.getDimSize(0);
  SmallVector<Attribute> offsets;
  for (int64_t e = 0; e < size; ++e)
    offsets.push_back(
        IntegerAttr::get(element, 8 * (e % (size / rowBlocks) / 4) + e % 2));
  Value first = column;
  if (!element.isIndex())
    first = arith::IndexCastOp::create(builder, loc, element, first);
  Value splat = vector::BroadcastOp::create(builder, loc, type, first);
  Value constants = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, offsets));
  return {splat, constants};
}

/// A vector over the columns, as the elements that this thread has of it.
FailureOr<Value> Distributor::getColumns(Value value, int64_t columns) {
  Operation *op = value.getDefiningOp();
  Location loc = op->getLoc();
  Type element = cast<VectorType>(value.getType()).getElementType();
  int64_t size = getSize(columns);
  auto type = VectorType::get({size}, element);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    return Value(arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, splat.getSplatValue<Attribute>())));
  }
  // Column numbers, at once in the type that they are wanted in.
  if (isColumnNumbers(value)) {
    auto [first, offsets] = getColumnNumbers(loc, type);
    return Value(arith::AddIOp::create(builder, loc, first, offsets));
  }
  return op->emitError("expected column numbers or a constant as a vector over "
                       "the columns");
}

FailureOr<Value> Distributor::acrossColumns(Location loc, Value rows,
                                            int64_t elements) {
  SmallVector<int64_t> order;
  for (int64_t e = 0; e < elements; ++e)
    order.push_back(getStatistic(e, elements));
  return Value(vector::ShuffleOp::create(builder, loc, rows, rows, order));
}

//===----------------------------------------------------------------------===//
// Blocks and loops
//===----------------------------------------------------------------------===//

LogicalResult Distributor::distributeOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<ScoresOp>([&](auto op) { return distributeScores(op); })
      .Case<AccumulateOp>([&](auto op) { return distributeAccumulate(op); })
      .Case<RescaleOp>([&](auto op) { return distributeRescale(op); })
      .Case<scf::ForOp>([&](auto op) { return distributeLoop(op); })
      .Case<vector::BroadcastOp>(
          [&](auto op) { return distributeBroadcast(op); })
      .Case<vector::MultiDimReductionOp>(
          [&](auto op) { return distributeReduction(op); })
      .Case<fagpu::StoreTileOp>(
          [&](auto op) { return distributeStoreTile(op); })
      .Case<vector::TransferReadOp>([&](auto op) { return distributeLoad(op); })
      .Case<vector::TransferWriteOp>(
          [&](auto op) { return distributeStore(op); })
      .Case<vector::ShapeCastOp>([&](vector::ShapeCastOp op) -> LogicalResult {
        FailureOr<Value> rows = getWhole(op.getSource());
        if (failed(rows))
          return failure();
        values[op] = *rows;
        return success();
      })
      // Element by element, or a gather: each lane reads at its own positions.
      .Default([&](Operation *op) { return distributeElementwise(op); });
}

LogicalResult Distributor::distributeBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    if (!touchesTiles(op)) {
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          if (failed(distributeBlock(nested)))
            return failure();
      continue;
    }
    if (!isRematerializable(op)) {
      if (!isRowWise(op) && !isa<ScoresOp, AccumulateOp, RescaleOp, scf::ForOp,
                                 fagpu::StoreTileOp>(op))
        return op.emitError("expected a product, a loop or a row-wise op on "
                            "tiles to distribute but got '")
               << op.getName() << "'";
      builder.setInsertionPoint(&op);
      if (failed(distributeOp(&op)))
        return failure();
    }
    distributed.push_back(&op);
  }
  return success();
}

LogicalResult Distributor::distributeLoop(scf::ForOp loop) {
  Location loc = loop.getLoc();
  SmallVector<Value> inits;
  for (auto [init, argument] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs())) {
    FailureOr<Value> value = get(init);
    if (failed(value))
      return failure();
    if (partial.contains(argument) && !partial.contains(init) &&
        !matchPattern(init, m_AnyZeroFloat()))
      value = inFirstLane(loc, *value);
    inits.push_back(*value);
  }
  auto threadLoop =
      scf::ForOp::create(builder, loc, loop.getLowerBound(),
                         loop.getUpperBound(), loop.getStep(), inits);
  threadLoop->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  loop.getInductionVar().replaceAllUsesWith(threadLoop.getInductionVar());
  auto replace = [&](Value value, Value onThread) {
    if (isTileType(value.getType()))
      values[value] = onThread;
    else
      value.replaceAllUsesWith(onThread);
  };
  for (auto [argument, onThread] : llvm::zip_equal(
           loop.getRegionIterArgs(), threadLoop.getRegionIterArgs()))
    replace(argument, onThread);
  for (auto [result, onThread] :
       llvm::zip_equal(loop.getResults(), threadLoop.getResults()))
    replace(result, onThread);

  Block *body = threadLoop.getBody();
  if (!body->empty())
    body->getTerminator()->erase();
  body->getOperations().splice(body->end(), loop.getBody()->getOperations());
  size_t outer = distributed.size();
  if (failed(distributeBlock(*body)))
    return failure();

  auto yield = cast<scf::YieldOp>(body->getTerminator());
  builder.setInsertionPoint(yield);
  SmallVector<Value> next;
  for (auto [operand, argument] :
       llvm::zip_equal(yield.getOperands(), loop.getRegionIterArgs())) {
    bool isPartial = partial.contains(argument);
    FailureOr<Value> value = isPartial ? get(operand) : getWhole(operand);
    if (failed(value))
      return failure();
    if (isPartial && !partial.contains(operand))
      value = inFirstLane(loc, *value);
    next.push_back(*value);
  }
  yield->setOperands(next);
  while (distributed.size() > outer)
    distributed.pop_back_val()->erase();
  return success();
}

LogicalResult Distributor::distribute() {
  // Who this thread is.
  builder.setInsertionPointToStart(&program);
  Location loc = program.getParentOp()->getLoc();
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value lane = arith::RemUIOp::create(builder, loc, thread, index(loc, 32));
  Value warp = arith::RemUIOp::create(
      builder, loc,
      arith::DivUIOp::create(builder, loc, thread, index(loc, 32)),
      index(loc, warps));
  Value inQuad = arith::RemUIOp::create(builder, loc, lane, index(loc, 4));
  row = arith::AddIOp::create(
      builder, loc,
      arith::MulIOp::create(builder, loc, warp, index(loc, 16 * rowBlocks)),
      arith::DivUIOp::create(builder, loc, lane, index(loc, 4)));
  column = arith::MulIOp::create(builder, loc, inQuad, index(loc, 2));
  isFirstInQuad = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        inQuad, index(loc, 0));

  if (failed(distributeBlock(program)))
    return failure();
  while (!distributed.empty())
    distributed.pop_back_val()->erase();
  return success();
}

namespace {
struct Distribute : public fa::impl::FADistributePassBase<Distribute> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](scf::ForallOp nest) {
      auto schedule =
          nest->getAttrOfType<ScheduleAttr>(FADialect::getScheduleAttrName());
      if (!schedule)
        return WalkResult::advance();
      // The program of a row group, or of the whole block.
      Block *program = nest.getBody();
      nest.walk([&](fagpu::SpecializeOp split) {
        program = &split.getConsumer().front();
      });
      OpBuilder builder(nest);
      auto target =
          nest->getAttrOfType<TargetAttr>(FADialect::getTargetAttrName());
      return failed(
                 Distributor(builder, *program, schedule, target).distribute())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    // On the mma.sync road ptxas needs more registers with it: sm_120 spills.
    getOperation().walk(
        [](fagpu::SpecializeOp split) { simplifyColumnTests(split); });
  }
};
} // namespace
