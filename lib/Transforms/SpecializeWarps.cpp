//===- SpecializeWarps.cpp - A producer warp and row groups ---------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For sm_90a. The nest of a block
//
//   copy Q; forall g: for t in [lo, hi): K = fill ringK[t], V = ...; compute
//
// is split in two programs that run side by side:
//
//   producer      load Q; for t in [lo, hi): load ringK[t]; load ringV[t]
//   row group g   acquire Q
//                 for t in [lo, hi): K = acquire ringK[t]; S = Q K^T;
//                                    release ringK[t]; ...
//
// The producer runs ahead as far as the stages of the rings allow; what it
// waits for are the releases, what the groups wait for are the loads.
//
//===----------------------------------------------------------------------===//

#include "BodyComparison.h"
#include "CloneSlice.h"
#include "fa/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <utility>

namespace mlir::fa {
#define GEN_PASS_DEF_FASPECIALIZEWARPSPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Splits the nest of one block.
class Specializer {
public:
  Specializer(scf::ForallOp nest, ScheduleAttr schedule)
      : nest(nest), schedule(schedule), builder(nest) {}

  LogicalResult specialize();

private:
  /// The Q tile becomes a ring of a stage for each row group.
  LogicalResult specializeQuery(fagpu::CopyOp copy);
  /// Whether `view` is the rows of this group in the query tile of the block.
  bool isRowsOfGroup(memref::SubViewOp view);
  /// The loads of key tiles in `program`, of a row group, in the order of their
  /// fills.
  LogicalResult buildProducer(Block &program);
  /// Those of a fill outside of loops: one over a single tile is taken apart
  /// where the number of keys is static.
  LogicalResult buildProducerFill(fagpu::FillOp fill);
  /// Those of loops over key tiles, in loops of their own in the producer
  /// region, and of some that go on in one another, in one.
  LogicalResult buildProducerLoops(ArrayRef<scf::ForOp> loops, bool isFirst);
  LogicalResult buildProducerLoop(ArrayRef<scf::ForOp> loops, bool isFirst);
  /// Loads the view `source` of a function argument, from its row `firstRow`
  /// on.
  LogicalResult buildLoad(Value ring, Value position, Value source,
                          int64_t firstRow, IRMapping &mapping);
  /// Acquires instead of fills in `block`, and releases after the last use.
  void specializeFills(Block *block);
  /// Before `loop`: a row group that skips visits lets their stages go.
  void buildSkippingLoop(scf::ForOp loop);
  /// Whether `value` depends on the number of the row group.
  bool dependsOnGroup(Value value);
  /// Stores O by way of the SRAM of Q, which is not needed any more.
  void specializeStore(vector::TransferWriteOp store);

  scf::ForallOp nest;
  ScheduleAttr schedule;
  OpBuilder builder;
  fagpu::SpecializeOp split;
  Value groupId;   // of this row group
  Value queryRing; // a stage for each row group
  Value queryTile; // its rows of Q
};
} // namespace

LogicalResult Specializer::buildLoad(Value ring, Value position, Value source,
                                     int64_t firstRow, IRMapping &mapping) {
  auto view = source.getDefiningOp<memref::SubViewOp>();
  if (!view || view.getSourceType().getRank() != 4)
    return emitError(source.getLoc(),
                     "expected a view of an argument of rank 4 to be loaded");
  SmallVector<Value> coordinates;
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
  for (OpFoldResult offset : ArrayRef(offsets).take_front(3)) {
    Value value;
    if (auto constant = getConstantIntValue(offset))
      value = arith::ConstantIndexOp::create(builder, view.getLoc(), *constant);
    else {
      FailureOr<Value> cloned = cloneSlice(builder, cast<Value>(offset),
                                           split.getConsumer(), mapping);
      if (failed(cloned))
        return failure();
      value = *cloned;
    }
    coordinates.push_back(value);
  }
  if (firstRow)
    coordinates[2] = arith::AddIOp::create(
        builder, view.getLoc(), coordinates[2],
        arith::ConstantIndexOp::create(builder, view.getLoc(), firstRow));
  fagpu::LoadOp::create(builder, view.getLoc(), ring, position,
                        view.getSource(), coordinates[0], coordinates[1],
                        coordinates[2]);
  return success();
}

LogicalResult Specializer::specializeQuery(fagpu::CopyOp copy) {
  Location loc = copy.getLoc();
  auto alloc = copy.getTarget().getDefiningOp<fagpu::AllocOp>();
  if (!alloc)
    return copy.emitOpError("expected the target to be a tile of fagpu.alloc "
                            "but got ")
           << copy.getTarget().getType();
  // A stage a group, so that none waits for the rows of another.
  MemRefType blockType = copy.getTarget().getType();
  int64_t groups = schedule.getGroups(), rows = schedule.getGroupRows();
  MemRefType tileType =
      MemRefType::Builder(blockType).setShape({rows, blockType.getDimSize(1)});
  builder.setInsertionPoint(alloc);
  auto ringType = fagpu::RingType::get(
      builder.getContext(), groups * schedule.getQueryTiles(), tileType);
  queryRing = fagpu::AllocOp::create(builder, loc, ringType, /*offset=*/nullptr,
                                     /*readers=*/builder.getI64IntegerAttr(1));
  IRMapping mapping;
  for (int64_t group = 0; group < groups; ++group) {
    builder.setInsertionPointToEnd(&split.getProducer().front());
    Value position = arith::ConstantIndexOp::create(builder, loc, group);
    if (failed(buildLoad(queryRing, position, copy.getSource(), group * rows,
                         mapping)))
      return failure();
  }

  builder.setInsertionPointAfter(groupId.getDefiningOp());
  queryTile =
      fagpu::AcquireOp::create(builder, loc, tileType, queryRing, groupId);
  copy.erase();
  for (Operation *user : llvm::make_early_inc_range(alloc->getUsers())) {
    auto view = dyn_cast<memref::SubViewOp>(user);
    if (groups == 1 && !view)
      continue;
    if (!view || !isRowsOfGroup(view))
      return user->emitOpError("expected the rows of the row group, from "
                               "group * ")
             << rows << " on, where the query tile of the block is used";
    view.replaceAllUsesWith(queryTile);
    view.erase();
  }
  alloc.replaceAllUsesWith(queryTile);
  alloc.erase();
  return success();
}

bool Specializer::isRowsOfGroup(memref::SubViewOp view) {
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
  auto offset = dyn_cast<Value>(offsets[0]);
  auto product = offset ? offset.getDefiningOp<arith::MulIOp>() : nullptr;
  return product && product.getLhs() == groupId &&
         getConstantIntValue(product.getRhs()) == schedule.getGroupRows() &&
         view.getType().getShape() ==
             cast<MemRefType>(queryTile.getType()).getShape() &&
         getConstantIntValue(offsets[1]) == 0 && view.hasUnitStride();
}

bool Specializer::dependsOnGroup(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !split.getConsumer().isAncestor(op->getParentRegion()))
    return false;
  return isa<fagpu::GroupIdOp>(op) ||
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return dependsOnGroup(operand); });
}

/// Whether the fills of both loops take the same tiles at the same counter.
static bool haveSameFills(scf::ForOp a, scf::ForOp b) {
  BodyComparison comparison(a.getBody(), b.getBody());
  SmallVector<fagpu::FillOp> fillsA(a.getBody()->getOps<fagpu::FillOp>()),
      fillsB(b.getBody()->getOps<fagpu::FillOp>());
  if (fillsA.size() != fillsB.size())
    return false;
  return llvm::all_of(llvm::zip_equal(fillsA, fillsB), [&](auto fills) {
    auto [fillA, fillB] = fills;
    auto viewA = fillA.getSource().template getDefiningOp<memref::SubViewOp>();
    auto viewB = fillB.getSource().template getDefiningOp<memref::SubViewOp>();
    // What no row group reads is not loaded.
    if (fillA.getStage().use_empty() != fillB.getStage().use_empty() ||
        fillA.getRing() != fillB.getRing() || !viewA || !viewB ||
        viewA.getSource() != viewB.getSource())
      return false;
    return llvm::all_of(
        llvm::zip_equal(viewA.getMixedOffsets(), viewB.getMixedOffsets()),
        [&](auto offsets) {
          auto [offsetA, offsetB] = offsets;
          auto valueA = dyn_cast<Value>(offsetA),
               valueB = dyn_cast<Value>(offsetB);
          return valueA && valueB ? comparison.isSame(valueA, valueB)
                                  : offsetA == offsetB;
        });
  });
}

LogicalResult Specializer::buildProducerLoop(ArrayRef<scf::ForOp> loops,
                                             bool isFirst) {
  scf::ForOp loop = loops.front(), last = loops.back();
  Location loc = loop.getLoc();
  // What one group skips others may need: a ring is filled from position 0 on.
  bool skips = dependsOnGroup(loop.getLowerBound());
  if ((skips && !isFirst) || dependsOnGroup(last.getUpperBound()) ||
      dependsOnGroup(loop.getStep()))
    return loop.emitOpError("expected row groups to visit the same key tiles, "
                            "but for those that they skip at the start");
  builder.setInsertionPointToEnd(&split.getProducer().front());
  IRMapping outer;
  SmallVector<Value> bounds;
  for (Value bound :
       {loop.getLowerBound(), last.getUpperBound(), loop.getStep()}) {
    if (skips && bounds.empty()) {
      bounds.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
      continue;
    }
    FailureOr<Value> cloned =
        cloneSlice(builder, bound, split.getConsumer(), outer);
    if (failed(cloned))
      return failure();
    bounds.push_back(*cloned);
  }
  auto loads =
      scf::ForOp::create(builder, loc, bounds[0], bounds[1], bounds[2]);
  builder.setInsertionPointToStart(loads.getBody());
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), loads.getInductionVar());
  for (auto fill : loop.getBody()->getOps<fagpu::FillOp>())
    // What no row group waits for, none would release.
    if (!fill.getStage().use_empty() &&
        failed(buildLoad(fill.getRing(), loads.getInductionVar(),
                         fill.getSource(), /*firstRow=*/0, mapping)))
      return failure();
  return success();
}

LogicalResult Specializer::buildProducerFill(fagpu::FillOp fill) {
  if (fill.getStage().use_empty())
    return success();
  if (dependsOnGroup(fill.getPosition()))
    return fill.emitOpError("expected row groups to visit the same key tiles, "
                            "but for those that they skip at the start");
  builder.setInsertionPointToEnd(&split.getProducer().front());
  IRMapping mapping;
  FailureOr<Value> position =
      cloneSlice(builder, fill.getPosition(), split.getConsumer(), mapping);
  if (failed(position))
    return failure();
  return buildLoad(fill.getRing(), *position, fill.getSource(), /*firstRow=*/0,
                   mapping);
}

LogicalResult Specializer::buildProducer(Block &program) {
  SmallVector<scf::ForOp> loops;
  bool isFirst = true;
  auto buildLoops = [&] {
    bool begins = isFirst;
    isFirst &= loops.empty();
    return buildProducerLoops(std::exchange(loops, {}), begins);
  };
  for (Operation &op : program) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      loops.push_back(loop);
    } else if (auto fill = dyn_cast<fagpu::FillOp>(op)) {
      if (failed(buildLoops()) || failed(buildProducerFill(fill)))
        return failure();
      isFirst = false;
    }
  }
  return buildLoops();
}

LogicalResult Specializer::buildProducerLoops(ArrayRef<scf::ForOp> loops,
                                              bool isFirst) {
  for (size_t begin = 0, end = 0; begin < loops.size(); begin = end) {
    // Where a loop ends only says which tiles a group masks, if the next one
    // goes on with the same: one loop for both.
    end = begin + 1;
    while (end < loops.size()) {
      scf::ForOp loop = loops[end - 1], next = loops[end];
      if (next.getLowerBound() != loop.getUpperBound() ||
          next.getStep() != loop.getStep() || !haveSameFills(loop, next))
        break;
      ++end;
    }
    if (failed(buildProducerLoop(loops.slice(begin, end - begin),
                                 isFirst && begin == 0)))
      return failure();
  }
  return success();
}

void Specializer::buildSkippingLoop(scf::ForOp loop) {
  builder.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  auto skipping = scf::ForOp::create(builder, loc, zero, loop.getLowerBound(),
                                     loop.getStep());
  builder.setInsertionPointToStart(skipping.getBody());
  // Waited for first: else arrivals for this use could complete the one before.
  for (auto fill : loop.getBody()->getOps<fagpu::FillOp>()) {
    if (fill.getStage().use_empty())
      continue;
    fagpu::AcquireOp::create(builder, loc, fill.getStage().getType(),
                             fill.getRing(), skipping.getInductionVar());
    fagpu::ReleaseOp::create(builder, loc, fill.getRing(),
                             skipping.getInductionVar());
  }
}

void Specializer::specializeFills(Block *block) {
  SmallVector<fagpu::FillOp> fills(block->getOps<fagpu::FillOp>());
  for (fagpu::FillOp fill : fills) {
    // Waited for where the tile is first read, released where it is last read.
    Operation *first = nullptr, *last = nullptr;
    for (Operation *user : fill.getStage().getUsers()) {
      Operation *op = block->findAncestorOpInBlock(*user);
      if (!first || op->isBeforeInBlock(first))
        first = op;
      if (!last || last->isBeforeInBlock(op))
        last = op;
    }
    if (first) {
      builder.setInsertionPoint(first);
      Value stage = fagpu::AcquireOp::create(
          builder, fill.getLoc(), fill.getStage().getType(), fill.getRing(),
          fill.getPosition());
      fill.replaceAllUsesWith(stage);
      builder.setInsertionPointAfter(last);
      fagpu::ReleaseOp::create(builder, fill.getLoc(), fill.getRing(),
                               fill.getPosition());
    }
    fill.erase();
  }
}

void Specializer::specializeStore(vector::TransferWriteOp store) {
  // Only where O has the columns of Q does it fit exactly; the rest is stored
  // from registers.
  auto view = store.getBase().getDefiningOp<memref::SubViewOp>();
  VectorType type = store.getVectorType();
  if (!queryTile || !view || view.getSourceType().getRank() != 4 ||
      !isa<BlockArgument>(view.getSource()) || type.getRank() != 2)
    return;
  auto tileType = cast<MemRefType>(queryTile.getType());
  if (type.getDimSize(1) != tileType.getDimSize(1) ||
      type.getElementType() != tileType.getElementType())
    return;

  Location loc = store.getLoc();
  builder.setInsertionPoint(store);
  auto toValue = [&](OpFoldResult index) -> Value {
    if (auto constant = getConstantIntValue(index))
      return arith::ConstantIndexOp::create(builder, loc, *constant);
    return cast<Value>(index);
  };
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
  fagpu::StoreTileOp::create(builder, loc, store.getVector(), queryTile,
                             view.getSource(), toValue(offsets[0]),
                             toValue(offsets[1]), toValue(offsets[2]));
  store.erase();
}

LogicalResult Specializer::specialize() {
  SmallVector<scf::ForallOp> groups(nest.getBody()->getOps<scf::ForallOp>());
  if (groups.size() != 1)
    return nest.emitOpError("expected one parallel loop over row groups in the "
                            "block but got ")
           << groups.size();
  scf::ForallOp group = groups.front();
  Location loc = group.getLoc();

  builder.setInsertionPoint(group);
  split = fagpu::SpecializeOp::create(
      builder, loc, schedule.getGroups(),
      ScheduleAttr::getProducerRegisters(schedule.getGroups(),
                                         schedule.getPersistent()),
      ScheduleAttr::getGroupRegisters(schedule.getGroups(),
                                      schedule.getPersistent()));
  split.getProducer().emplaceBlock();
  Block &consumer = split.getConsumer().emplaceBlock();

  // The body of the parallel loop is the program of a row group.
  builder.setInsertionPointToStart(&consumer);
  groupId = fagpu::GroupIdOp::create(builder, loc);
  group.getInductionVar(0).replaceAllUsesWith(groupId);
  group.getBody()->getTerminator()->erase();
  consumer.getOperations().splice(consumer.end(),
                                  group.getBody()->getOperations());
  group.erase();

  SmallVector<fagpu::CopyOp> copies(nest.getBody()->getOps<fagpu::CopyOp>());
  for (fagpu::CopyOp copy : copies)
    if (failed(specializeQuery(copy)))
      return failure();
  if (failed(buildProducer(consumer)))
    return failure();
  SmallVector<scf::ForOp> loops(consumer.getOps<scf::ForOp>());
  if (!loops.empty() && dependsOnGroup(loops.front().getLowerBound()))
    buildSkippingLoop(loops.front());
  for (scf::ForOp loop : loops)
    specializeFills(loop.getBody());
  specializeFills(&consumer);
  SmallVector<vector::TransferWriteOp> stores(
      consumer.getOps<vector::TransferWriteOp>());
  for (vector::TransferWriteOp store : stores)
    specializeStore(store);
  // The next tile of Q may take the place of this one, or of O.
  if (schedule.getPersistent() && queryRing) {
    builder.setInsertionPointToEnd(&consumer);
    fagpu::ReleaseOp::create(builder, loc, queryRing, groupId);
  }
  return success();
}

namespace {
struct SpecializeWarps
    : public fa::impl::FASpecializeWarpsPassBase<SpecializeWarps> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk<WalkOrder::PreOrder>(
        [&](scf::ForallOp nest) -> WalkResult {
          auto schedule = nest->getAttrOfType<ScheduleAttr>(
              FADialect::getScheduleAttrName());
          auto target =
              nest->getAttrOfType<TargetAttr>(FADialect::getTargetAttrName());
          if (!schedule || (target && !target.isHopper()))
            return WalkResult::advance();
          if (failed(Specializer(nest, schedule).specialize()))
            return WalkResult::interrupt();
          return WalkResult::skip();
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
