//===- PersistentGrid.cpp - Blocks that take query tiles in turn ----------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The producer finds out which block of work comes next and where positions of
// rings go on, and tells the row groups: what they keep from block to block is
// the number of the turn alone, since registers are what they have least of.
//
//===----------------------------------------------------------------------===//

#include "CloneSlice.h"
#include "fa/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAPERSISTENTGRIDPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Makes the roles of one kernel loops over blocks of work.
class Persistence {
public:
  Persistence(fagpu::SpecializeOp split, gpu::BlockIdOp block)
      : split(split), block(block), builder(split), loc(split.getLoc()) {}

  LogicalResult build(Value total);

private:
  /// What depends on the number of the block, before the split.
  LogicalResult findDependents();
  /// Positions of each ring that a block fills: one more than the last.
  LogicalResult countPositions();
  void buildProducer(Value total);
  LogicalResult buildRowGroups();
  /// Moves the program of `role` to the end of `body`, where `mapping` holds
  /// what depends on the block, and rings go on from `firstPositions`.
  void moveProgram(ArrayRef<Operation *> program, Block *body,
                   const IRMapping &mapping, ValueRange firstPositions);
  Value toI32(Value value) {
    return arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                      value);
  }
  Value toIndex(Value value) {
    return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                        value);
  }
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  }

  fagpu::SpecializeOp split;
  gpu::BlockIdOp block;
  OpBuilder builder;
  Location loc;
  /// Batch, head and query tile, and the ops that they come from, in order; what
  /// is made of them.
  SmallVector<Value> coordinates;
  SmallVector<Operation *> ofGrid, ofCoordinates;
  /// How many positions of each ring the producer fills; rings with the same
  /// count go on in step.
  llvm::MapVector<Value, unsigned> countOfRing;
  SmallVector<Value> counts;
};
} // namespace

/// `value` before casts between index and i32.
static Value stripCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

LogicalResult Persistence::findDependents() {
  llvm::SmallPtrSet<Operation *, 16> dependent = {block};
  for (Operation &op : *split->getBlock()) {
    if (&op == split)
      break;
    if (llvm::none_of(op.getOperands(), [&](Value operand) {
          return dependent.contains(operand.getDefiningOp());
        }))
      continue;
    dependent.insert(&op);
    bool isCoordinate = op.hasAttr(fagpu::kCoordinateAttrName);
    if (isCoordinate) {
      op.removeAttr(fagpu::kCoordinateAttrName);
      coordinates.push_back(op.getResult(0));
    }
    // The arithmetic of the grid comes first.
    if (isCoordinate || coordinates.size() < 3)
      ofGrid.push_back(&op);
    else
      ofCoordinates.push_back(&op);
  }
  if (coordinates.size() != 3)
    return block.emitOpError("expected three values that are marked ")
           << fagpu::kCoordinateAttrName << " to depend on it but got "
           << coordinates.size();
  return success();
}

LogicalResult Persistence::countPositions() {
  Block &producer = split.getProducer().front();
  llvm::MapVector<Value, fagpu::LoadOp> lastLoads;
  split.getProducer().walk(
      [&](fagpu::LoadOp load) { lastLoads[load.getRing()] = load; });
  builder.setInsertionPointToEnd(&producer);
  for (auto [ring, load] : lastLoads) {
    Value position = stripCasts(load.getPosition()), count;
    // In a loop that counts positions: its bound.
    auto argument = dyn_cast<BlockArgument>(position);
    auto loop = argument
                    ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                    : nullptr;
    if (loop && loop.getInductionVar() == argument &&
        loop->getBlock() == &producer) {
      count = stripCasts(loop.getUpperBound());
    } else if (load->getBlock() == &producer) {
      auto difference = position.getDefiningOp<arith::SubIOp>();
      if (difference && matchPattern(difference.getRhs(), m_One()))
        count = stripCasts(difference.getLhs());
      else
        count = arith::AddIOp::create(
            builder, loc, load.getPosition(),
            arith::ConstantIndexOp::create(builder, loc, 1));
    } else {
      return load.emitOpError("expected the last load of a ring at a position "
                              "that a loop of the producer counts");
    }
    auto known = llvm::find(counts, count);
    countOfRing[ring] = known - counts.begin();
    if (known == counts.end())
      counts.push_back(count);
  }
  if (coordinates.size() + counts.size() > fagpu::kMaxPostedValues)
    return split.emitOpError("expected at most ")
           << fagpu::kMaxPostedValues - coordinates.size()
           << " different numbers of positions but got " << counts.size();
  return success();
}

void Persistence::moveProgram(ArrayRef<Operation *> program, Block *body,
                              const IRMapping &mapping,
                              ValueRange firstPositions) {
  Region *region = body->getParent();
  for (Operation *op : program)
    op->moveBefore(body, body->end());
  for (auto [original, copy] : mapping.getValueMap())
    original.replaceUsesWithIf(copy, [&](OpOperand &use) {
      return region->isAncestor(use.getOwner()->getParentRegion());
    });
  auto shift = [&](Operation *op, Value ring, OpOperand &position) {
    auto count = countOfRing.find(ring);
    if (count == countOfRing.end())
      return;
    builder.setInsertionPoint(op);
    position.set(arith::AddIOp::create(
        builder, loc, toIndex(firstPositions[count->second]), position.get()));
  };
  for (Operation *op : program)
    op->walk([&](Operation *nested) {
      llvm::TypeSwitch<Operation *>(nested)
          .Case<fagpu::LoadOp, fagpu::AcquireOp, fagpu::ReleaseOp>(
              [&](auto op) {
                shift(op, op.getRing(), op.getPositionMutable());
              });
    });
  builder.setInsertionPointToEnd(body);
}

void Persistence::buildProducer(Value total) {
  Block &role = split.getProducer().front();
  SmallVector<Operation *> program =
      llvm::map_to_vector(role, [](Operation &op) { return &op; });
  builder.setInsertionPointToStart(&role);
  // Block, turn, positions.
  SmallVector<Value> inits = {toI32(block), constant(0)};
  inits.append(counts.size(), constant(0));
  auto loop = scf::WhileOp::create(
      builder, loc, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &b, Location loc, ValueRange carried) {
        Value isLeft = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                             carried[0], total);
        scf::ConditionOp::create(b, loc, isLeft, carried);
      },
      [&](OpBuilder &, Location, ValueRange) {});
  Block *body = loop.getAfterBody();
  ValueRange carried = body->getArguments(), first = carried.drop_front(2);
  builder.setInsertionPointToStart(body);
  IRMapping mapping;
  mapping.map(block.getResult(), toIndex(carried[0]));
  for (Operation *op : ofGrid)
    builder.clone(*op, mapping);
  SmallVector<Value> posted = llvm::map_to_vector(
      coordinates, [&](Value value) { return toI32(mapping.lookup(value)); });
  posted.append(first.begin(), first.end());
  fagpu::PostBlockOp::create(builder, loc, posted, carried[1]);
  for (Operation *op : ofCoordinates)
    builder.clone(*op, mapping);
  moveProgram(program, body, mapping, first);

  SmallVector<Value> next = {
      fagpu::DrawBlockOp::create(builder, loc, total),
      arith::AddIOp::create(builder, loc, carried[1], constant(1))};
  for (auto [position, count] : llvm::zip_equal(first, counts))
    next.push_back(arith::AddIOp::create(
        builder, loc, position,
        count.getType().isIndex() ? toI32(count) : count));
  scf::YieldOp::create(builder, loc, next);
  builder.setInsertionPointAfter(loop);
  fagpu::PostBlockOp::create(builder, loc, ValueRange(), loop.getResult(1));
}

LogicalResult Persistence::buildRowGroups() {
  Block &role = split.getConsumer().front();
  SmallVector<Operation *> program =
      llvm::map_to_vector(role, [](Operation &op) { return &op; });
  builder.setInsertionPointToStart(&role);
  Type i32 = builder.getI32Type();
  SmallVector<Type> types(coordinates.size() + counts.size(), i32);
  SmallVector<Type> carriedTypes(1 + types.size(), i32);
  auto loop = scf::WhileOp::create(builder, loc, carriedTypes, constant(0));
  builder.createBlock(&loop.getBefore(), {}, i32, loc);
  Value turn = loop.getBeforeBody()->getArgument(0);
  auto received =
      fagpu::ReceiveBlockOp::create(builder, loc, builder.getI1Type(), types,
                                    turn);
  SmallVector<Value> forwarded = {turn};
  llvm::append_range(forwarded, received.getValues());
  scf::ConditionOp::create(builder, loc, received.getIsLeft(), forwarded);

  Block *body = builder.createBlock(
      &loop.getAfter(), {}, carriedTypes,
      SmallVector<Location>(carriedTypes.size(), loc));
  ValueRange values = body->getArguments().drop_front();
  IRMapping mapping;
  for (auto [index, value] : llvm::enumerate(coordinates))
    mapping.map(value, toIndex(values[index]));
  for (Operation *op : ofCoordinates)
    builder.clone(*op, mapping);
  // The first turn is passed once, before all blocks, which have as many turns
  // to await as to pass.
  auto passes = llvm::find_if(program, [](Operation *op) {
    auto branch = dyn_cast<scf::IfOp>(op);
    return branch && isa<fagpu::PassTurnOp>(branch.thenBlock()->front());
  });
  if (passes != program.end()) {
    auto branch = cast<scf::IfOp>(*passes);
    program.erase(passes);
    branch->moveBefore(loop);
    builder.setInsertionPoint(branch);
    IRMapping outside;
    FailureOr<Value> condition = cloneSlice(builder, branch.getCondition(),
                                            split.getConsumer(), outside);
    if (failed(condition))
      return failure();
    branch.getConditionMutable().assign(*condition);
  }
  moveProgram(program, body, mapping, values.drop_front(coordinates.size()));
  scf::YieldOp::create(
      builder, loc,
      ValueRange(arith::AddIOp::create(builder, loc, body->getArgument(0),
                                       constant(1))));
  return success();
}

LogicalResult Persistence::build(Value total) {
  if (failed(findDependents()) || failed(countPositions()) ||
      failed(buildRowGroups()))
    return failure();
  buildProducer(total);
  return success();
}

/// The number of blocks of the grid of `kernel`: batch * heads * query tiles.
static Value buildTotal(OpBuilder &builder, Location loc, func::FuncOp kernel,
                        Value query, int64_t rows) {
  Type i32 = builder.getI32Type();
  Value total;
  for (int64_t dim = 0; dim < 3; ++dim) {
    Value size = arith::IndexCastUIOp::create(
        builder, loc, i32, memref::DimOp::create(builder, loc, query, dim));
    if (dim == 2)
      size = arith::CeilDivUIOp::create(
          builder, loc, size,
          arith::ConstantIntOp::create(builder, loc, rows, 32));
    total = total ? arith::MulIOp::create(builder, loc, total, size) : size;
  }
  return total;
}

namespace {
struct PersistentGrid
    : public fa::impl::FAPersistentGridPassBase<PersistentGrid> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto schedule =
        kernel->getAttrOfType<ScheduleAttr>(FADialect::getScheduleAttrName());
    auto info =
        kernel->getAttrOfType<DictionaryAttr>(FADialect::getKernelAttrName());
    if (!schedule || !info || !schedule.getPersistent())
      return;
    SmallVector<fagpu::SpecializeOp> splits(
        kernel.front().getOps<fagpu::SpecializeOp>());
    SmallVector<gpu::BlockIdOp> blocks(kernel.front().getOps<gpu::BlockIdOp>());
    Value query;
    for (auto [number, argument] :
         llvm::enumerate(info.getAs<ArrayAttr>("arguments"))) {
      auto tensor = cast<DictionaryAttr>(argument).getAs<StringAttr>("tensor");
      if (tensor && tensor == "Q")
        query = kernel.getArgument(number);
    }
    if (splits.size() != 1 || blocks.size() != 1 || !query) {
      kernel.emitError("expected a kernel with one fagpu.specialize and one "
                       "gpu.block_id to become persistent");
      return signalPassFailure();
    }
    OpBuilder builder(splits.front());
    Value total = buildTotal(builder, kernel.getLoc(), kernel, query,
                             schedule.getBr());
    if (failed(Persistence(splits.front(), blocks.front()).build(total)))
      return signalPassFailure();
    NamedAttrList extended(info);
    extended.set("resident_blocks", builder.getI64IntegerAttr(1));
    kernel->setAttr(FADialect::getKernelAttrName(),
                    extended.getDictionary(&getContext()));
  }
};
} // namespace
