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
#include "fa/Analysis/Sizes.h"
#include "fa/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
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
  /// Numbers of before the split that the row groups use.
  void findSizes();
  void buildProducer(Value total);
  LogicalResult buildRowGroups();
  /// The last group passes the first turn: before `loop`, not in it.
  LogicalResult hoistFirstTurn(SmallVector<Operation *> &program,
                               Operation *loop);
  /// The bounds of the loops over key tiles of row groups, in `body`.
  void makeBoundsUniform(Block *body);
  /// What comes after the loops over key tiles computes what it needs again
  /// instead of keeping it in registers.
  LogicalResult recomputeAfterLoops(scf::WhileOp loop, ValueRange values);
  /// Moves the program of `role` to the end of `body`, where `mapping` holds
  /// what depends on the block, and rings go on from `firstPositions`.
  void moveProgram(ArrayRef<Operation *> program, Block *body,
                   const IRMapping &mapping, Value turn,
                   ValueRange firstPositions);
  Value toI32(Value value) {
    return arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                      value);
  }
  Value toIndex(Value value) {
    return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                        value);
  }
  /// The value that all threads of a warp have, in a uniform register: ptxas
  /// does not see that it is the same.
  Value buildUniform(Value value) {
    return NVVM::ReduxOp::create(
        builder, loc, value.getType(), value, NVVM::ReduxKind::MAX,
        arith::ConstantIntOp::create(builder, loc, -1, 32));
  }
  Value widenAs(Value value, Type type) {
    return type == value.getType()
               ? value
               : arith::IndexCastOp::create(builder, loc, type, value);
  }
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  }

  fagpu::SpecializeOp split;
  gpu::BlockIdOp block;
  OpBuilder builder;
  Location loc;
  /// Batch, head and query tile, and the ops that they come from, in order;
  /// what is made of them.
  SmallVector<Value> coordinates;
  /// Other numbers that row groups use.
  SmallVector<Value> sizes, narrowSizes;
  SmallVector<Operation *> ofGrid, ofCoordinates;
  /// How many positions of each ring the producer fills for a block. Where that
  /// is a constant, the turn says where a ring goes on; else the sum is
  /// carried, one for rings with the same count.
  llvm::MapVector<Value, Value> countOfRing;
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
      if (auto constant = getConstantIntValue(position))
        count = arith::ConstantIndexOp::create(builder, loc, *constant + 1);
      else if (difference && matchPattern(difference.getRhs(), m_One()))
        count = stripCasts(difference.getLhs());
      else
        count = arith::AddIOp::create(
            builder, loc, load.getPosition(),
            arith::ConstantIndexOp::create(builder, loc, 1));
    } else {
      return load.emitOpError("expected the last load of a ring at a position "
                              "that a loop of the producer counts");
    }
    countOfRing[ring] = count;
    if (!matchPattern(count, m_Constant()) &&
        !llvm::is_contained(counts, count))
      counts.push_back(count);
  }
  // One more is the 0 that is added to the number of the group.
  size_t most = fagpu::kMaxPostedValues - coordinates.size() - 1;
  if (counts.size() > most)
    return split.emitOpError("expected at most ")
           << most << " different numbers of positions but got "
           << counts.size();
  return success();
}

void Persistence::findSizes() {
  size_t room =
      fagpu::kMaxPostedValues - coordinates.size() - counts.size() - 1;
  llvm::SetVector<Value> used;
  llvm::SmallPtrSet<Operation *, 16> visited;
  auto collect = [&](Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (maker && maker->getBlock() == split->getBlock() &&
          (operand.getType().isIndex() || operand.getType().isInteger(32)) &&
          isOfSizes(operand) &&
          !matchPattern(stripCasts(operand), m_Constant()) &&
          !llvm::is_contained(ofCoordinates, maker) &&
          !llvm::is_contained(coordinates, operand))
        used.insert(operand);
    }
  };
  split.getConsumer().walk(collect);
  // What row groups do not use is not cloned for them in the end.
  for (Operation *op : llvm::reverse(ofCoordinates))
    if (llvm::any_of(op->getUsers(), [&](Operation *user) {
          return split.getConsumer().isAncestor(user->getParentRegion()) ||
                 visited.contains(user);
        })) {
      visited.insert(op);
      collect(op);
    }
  builder.setInsertionPoint(split);
  for (Value value : used)
    if (sizes.size() < room) {
      sizes.push_back(value);
      // By trunci: casts of index there and back fold, and the producer would
      // keep 64 bits.
      if (value.getType().isIndex()) {
        Value wide = arith::IndexCastOp::create(builder, loc,
                                                builder.getI64Type(), value);
        value =
            arith::TruncIOp::create(builder, loc, builder.getI32Type(), wide);
      }
      narrowSizes.push_back(value);
    }
}

void Persistence::moveProgram(ArrayRef<Operation *> program, Block *body,
                              const IRMapping &mapping, Value turn,
                              ValueRange firstPositions) {
  llvm::SmallPtrSet<Operation *, 32> moved(program.begin(), program.end());
  for (Operation *op : program)
    op->moveBefore(body, body->end());
  for (auto [original, copy] : mapping.getValueMap())
    original.replaceUsesWithIf(copy, [&](OpOperand &use) {
      return moved.contains(body->findAncestorOpInBlock(*use.getOwner()));
    });
  auto shift = [&](Operation *op, Value ring, OpOperand &position) {
    auto count = countOfRing.find(ring);
    if (count == countOfRing.end())
      return;
    builder.setInsertionPoint(op);
    auto carried = llvm::find(counts, count->second);
    APInt each;
    Value first = matchPattern(count->second, m_ConstantInt(&each))
                      ? arith::MulIOp::create(builder, loc, turn,
                                              constant(each.getSExtValue()))
                            .getResult()
                      : firstPositions[carried - counts.begin()];
    position.set(
        arith::AddIOp::create(builder, loc, toIndex(first), position.get()));
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
  llvm::append_range(posted, narrowSizes);
  posted.push_back(constant(0));
  fagpu::PostBlockOp::create(builder, loc, posted, carried[1]);
  for (auto [size, narrow] : llvm::zip_equal(sizes, narrowSizes))
    mapping.map(size, widenAs(narrow, size.getType()));
  for (Operation *op : ofCoordinates)
    builder.clone(*op, mapping);
  moveProgram(program, body, mapping, carried[1], first);

  SmallVector<Value> next = {
      fagpu::DrawBlockOp::create(builder, loc, total),
      arith::AddIOp::create(builder, loc, carried[1], constant(1))};
  for (auto [position, count] : llvm::zip_equal(first, counts)) {
    // Of this block: what comes from before the split has a copy here.
    Value ofBlock = mapping.lookupOrDefault(count);
    next.push_back(arith::AddIOp::create(
        builder, loc, position,
        ofBlock.getType().isIndex() ? toI32(ofBlock) : ofBlock));
  }
  scf::YieldOp::create(builder, loc, next);
  builder.setInsertionPointAfter(loop);
  fagpu::PostBlockOp::create(builder, loc, ValueRange(), loop.getResult(1));
}

LogicalResult Persistence::hoistFirstTurn(SmallVector<Operation *> &program,
                                          Operation *loop) {
  auto passes = llvm::find_if(program, [](Operation *op) {
    auto branch = dyn_cast<scf::IfOp>(op);
    return branch && isa<fagpu::PassTurnOp>(branch.thenBlock()->front());
  });
  if (passes == program.end())
    return success();
  auto branch = cast<scf::IfOp>(*passes);
  program.erase(passes);
  branch->moveBefore(loop);
  builder.setInsertionPoint(branch);
  IRMapping mapping;
  FailureOr<Value> condition =
      cloneSlice(builder, branch.getCondition(), split.getConsumer(), mapping);
  if (failed(condition))
    return failure();
  branch.getConditionMutable().assign(*condition);
  return success();
}

/// Whether `value`, of a block in `body`, can be computed again from what was
/// posted and from numbers of threads and groups.
static bool isRecomputable(Value value, Block *body) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != body)
    return !op || !body->getParent()->isAncestor(op->getParentRegion());
  if (isa<fagpu::ReadBlockOp, NVVM::ReduxOp>(op))
    return true;
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isRecomputable(operand, body);
         });
}

LogicalResult Persistence::recomputeAfterLoops(scf::WhileOp loop,
                                               ValueRange values) {
  Block *body = loop.getAfterBody();
  scf::ForOp last;
  for (auto nested : body->getOps<scf::ForOp>())
    last = nested;
  if (!last)
    return success();
  SmallVector<OpOperand *> late;
  for (Operation *op = last->getNextNode(); op; op = op->getNextNode())
    op->walk([&](Operation *nested) {
      for (OpOperand &operand : nested->getOpOperands()) {
        Operation *maker = operand.get().getDefiningOp();
        if (maker && maker->getBlock() == body &&
            maker->isBeforeInBlock(last) &&
            operand.get().getType().isIntOrIndex() &&
            isRecomputable(operand.get(), body))
          late.push_back(&operand);
      }
    });
  builder.setInsertionPointAfter(last);
  IRMapping mapping;
  Value turn = body->getArgument(0);
  mapping.map(turn, turn);
  for (auto [index, value] : llvm::enumerate(values))
    mapping.map(value, fagpu::ReadBlockOp::create(
                           builder, loc, builder.getI32Type(), index, turn)
                           .getResult());
  for (auto redux : body->getOps<NVVM::ReduxOp>())
    mapping.map(redux.getResult(), redux.getResult());
  for (OpOperand *operand : late) {
    FailureOr<Value> again =
        cloneSlice(builder, operand->get(), loop.getAfter(), mapping);
    if (failed(again))
      return failure();
    operand->set(*again);
  }
  return success();
}

void Persistence::makeBoundsUniform(Block *body) {
  // Where the descriptors of Q's steps fill much of the uniform registers,
  // ptxas leaves counters, and so addresses of stages, in vector registers,
  // unless the bounds of their loops are uniform. With fewer steps it does not,
  // and only schedules worse.
  constexpr int64_t kManyColumns = 128;
  int64_t mostColumns = 0;
  for (auto [ring, count] : countOfRing)
    mostColumns =
        std::max(mostColumns,
                 cast<fagpu::RingType>(ring.getType()).getTile().getDimSize(1));
  if (mostColumns <= kManyColumns)
    return;
  for (auto loop : body->getOps<scf::ForOp>()) {
    builder.setInsertionPoint(loop);
    for (unsigned bound : {0, 1})
      if (!matchPattern(loop->getOperand(bound), m_Constant()))
        loop->setOperand(bound, buildUniform(loop->getOperand(bound)));
  }
  builder.setInsertionPointToEnd(body);
}

LogicalResult Persistence::buildRowGroups() {
  Block &role = split.getConsumer().front();
  SmallVector<Operation *> program =
      llvm::map_to_vector(role, [](Operation &op) { return &op; });
  builder.setInsertionPointToStart(&role);
  auto loop = scf::WhileOp::create(
      builder, loc, builder.getI32Type(), constant(0),
      [&](OpBuilder &b, Location loc, ValueRange carried) {
        Value isLeft = fagpu::AcquireBlockOp::create(b, loc, carried[0]);
        scf::ConditionOp::create(b, loc, isLeft, carried);
      },
      [&](OpBuilder &, Location, ValueRange) {});
  // All groups await and pass equally often in each block: the first turn is
  // passed once, before all of them.
  if (failed(hoistFirstTurn(program, loop)))
    return failure();

  Block *body = loop.getAfterBody();
  Value turn = body->getArgument(0);
  builder.setInsertionPointToStart(body);
  SmallVector<Value> values;
  size_t numValues = coordinates.size() + counts.size() + sizes.size() + 1;
  for (size_t index = 0; index < numValues; ++index)
    values.push_back(fagpu::ReadBlockOp::create(
        builder, loc, builder.getI32Type(), index, turn));
  ArrayRef<Value> posted = values;
  IRMapping mapping;
  for (auto [coordinate, value] : llvm::zip(coordinates, posted))
    mapping.map(coordinate, toIndex(value));
  posted = posted.drop_front(coordinates.size());
  ArrayRef<Value> first = posted.take_front(counts.size());
  posted = posted.drop_front(counts.size());
  for (auto [size, value] : llvm::zip(sizes, posted))
    mapping.map(size, widenAs(value, size.getType()));
  for (Operation *op : ofCoordinates)
    builder.clone(*op, mapping);
  // The number of the group anew for each block, too: it is the same, but ptxas
  // would keep what it computes from it in registers if it knew.
  for (Operation *op : program)
    if (auto group = dyn_cast<fagpu::GroupIdOp>(op)) {
      op->moveBefore(loop);
      mapping.map(group.getResult(),
                  toIndex(buildUniform(arith::AddIOp::create(
                      builder, loc, toI32(group), values.back()))));
    }
  llvm::erase_if(program, llvm::IsaPred<fagpu::GroupIdOp>);
  // The ops that map the number of the group are not in the program: they use
  // what they map.
  moveProgram(program, body, mapping, turn, first);
  makeBoundsUniform(body);
  fagpu::ReleaseBlockOp::create(builder, loc, turn);
  scf::YieldOp::create(
      builder, loc,
      ValueRange(arith::AddIOp::create(builder, loc, turn, constant(1))));
  return recomputeAfterLoops(loop, values);
}

LogicalResult Persistence::build(Value total) {
  if (failed(findDependents()) || failed(countPositions()))
    return failure();
  findSizes();
  if (failed(buildRowGroups()))
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
    Value size = memref::DimOp::create(builder, loc, query, dim);
    // As fa-outline-kernel has them.
    if (dim < 2)
      size = arith::IndexCastUIOp::create(builder, loc, i32, size);
    else
      size = arith::IndexCastOp::create(builder, loc, i32, size);
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
    Value total =
        buildTotal(builder, kernel.getLoc(), kernel, query, schedule.getBr());
    if (failed(Persistence(splits.front(), blocks.front()).build(total)))
      return signalPassFailure();
    NamedAttrList extended(info);
    extended.set("resident_blocks", builder.getI64IntegerAttr(1));
    kernel->setAttr(FADialect::getKernelAttrName(),
                    extended.getDictionary(&getContext()));
  }
};
} // namespace
