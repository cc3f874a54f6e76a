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

#include "CloneSlice.h"
#include "fa/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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
  /// The Q tile becomes a ring of one stage, loaded at position 0.
  LogicalResult specializeQuery(fagpu::CopyOp copy);
  /// The loads of `loop`, in a loop of their own in the producer region.
  LogicalResult buildProducerLoop(scf::ForOp loop);
  /// Loads the view `source` of a function argument.
  LogicalResult buildLoad(Value ring, Value position, Value source,
                          Region &region, IRMapping &mapping);
  /// Acquires instead of fills, and releases after the last use.
  void specializeConsumerLoop(scf::ForOp loop);
  /// Before `loop`: a row group that skips visits lets their stages go.
  void buildSkippingLoop(scf::ForOp loop, ArrayRef<fagpu::FillOp> fills);
  /// Whether `value` depends on the number of the row group.
  bool dependsOnGroup(Value value);
  /// Stores O by way of the SRAM of Q, which is not needed any more.
  void specializeStore(vector::TransferWriteOp store);

  scf::ForallOp nest;
  ScheduleAttr schedule;
  OpBuilder builder;
  fagpu::SpecializeOp split;
  Value queryTile; // of the whole block, as acquired by a row group
};
} // namespace

LogicalResult Specializer::buildLoad(Value ring, Value position, Value source,
                                     Region &region, IRMapping &mapping) {
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
      FailureOr<Value> cloned =
          cloneSlice(builder, cast<Value>(offset), region, mapping);
      if (failed(cloned))
        return failure();
      value = *cloned;
    }
    coordinates.push_back(value);
  }
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
  builder.setInsertionPoint(alloc);
  auto ringType = fagpu::RingType::get(builder.getContext(), /*stages=*/1,
                                       copy.getTarget().getType());
  Value ring = fagpu::AllocOp::create(builder, loc, ringType,
                                      /*offset=*/nullptr);
  builder.setInsertionPointToEnd(&split.getProducer().front());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  IRMapping mapping;
  if (failed(buildLoad(ring, zero, copy.getSource(), split.getConsumer(),
                       mapping)))
    return failure();
  builder.setInsertionPointToStart(&split.getConsumer().front());
  zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value tile = fagpu::AcquireOp::create(builder, loc,
                                        copy.getTarget().getType(), ring, zero);
  queryTile = tile;
  copy.erase();
  alloc.replaceAllUsesWith(tile);
  alloc.erase();
  return success();
}

bool Specializer::dependsOnGroup(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !split.getConsumer().isAncestor(op->getParentRegion()))
    return false;
  return isa<fagpu::GroupIdOp>(op) ||
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return dependsOnGroup(operand); });
}

LogicalResult Specializer::buildProducerLoop(scf::ForOp loop) {
  Location loc = loop.getLoc();
  // What one group skips others may need: a ring is filled from position 0 on.
  bool isFirst = loop == *split.getConsumer().getOps<scf::ForOp>().begin();
  bool skips = dependsOnGroup(loop.getLowerBound());
  if ((skips && !isFirst) || dependsOnGroup(loop.getUpperBound()) ||
      dependsOnGroup(loop.getStep()))
    return loop.emitOpError("expected only the start of the first loop over "
                            "key tiles to depend on the row group");
  builder.setInsertionPointToEnd(&split.getProducer().front());
  IRMapping outer;
  SmallVector<Value> bounds;
  for (Value bound :
       {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}) {
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
                         fill.getSource(), split.getConsumer(), mapping)))
      return failure();
  return success();
}

void Specializer::buildSkippingLoop(scf::ForOp loop,
                                    ArrayRef<fagpu::FillOp> fills) {
  builder.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  auto skipping = scf::ForOp::create(builder, loc, zero, loop.getLowerBound(),
                                     loop.getStep());
  builder.setInsertionPointToStart(skipping.getBody());
  // Waited for first: else arrivals for this use could complete the one before.
  for (fagpu::FillOp fill : fills) {
    if (fill.getStage().use_empty())
      continue;
    fagpu::AcquireOp::create(builder, loc, fill.getStage().getType(),
                             fill.getRing(), skipping.getInductionVar());
    fagpu::ReleaseOp::create(builder, loc, fill.getRing(),
                             skipping.getInductionVar());
  }
}

void Specializer::specializeConsumerLoop(scf::ForOp loop) {
  SmallVector<fagpu::FillOp> fills(loop.getBody()->getOps<fagpu::FillOp>());
  if (dependsOnGroup(loop.getLowerBound()))
    buildSkippingLoop(loop, fills);
  for (fagpu::FillOp fill : fills) {
    // Waited for where the tile is first read, released where it is last read.
    Operation *first = nullptr, *last = nullptr;
    for (Operation *user : fill.getStage().getUsers()) {
      Operation *op = loop.getBody()->findAncestorOpInBlock(*user);
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
  int64_t rows = type.getDimSize(0);
  Value first = arith::MulIOp::create(
      builder, loc, fagpu::GroupIdOp::create(builder, loc),
      arith::ConstantIndexOp::create(builder, loc, rows));
  OpFoldResult one = builder.getIndexAttr(1), zero = builder.getIndexAttr(0);
  Value buffer = memref::SubViewOp::create(
      builder, loc, queryTile, ArrayRef<OpFoldResult>{first, zero},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(rows),
                             builder.getIndexAttr(type.getDimSize(1))},
      ArrayRef<OpFoldResult>{one, one});
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
  fagpu::StoreTileOp::create(builder, loc, store.getVector(), buffer,
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
      ScheduleAttr::getProducerRegisters(schedule.getGroups()),
      ScheduleAttr::getGroupRegisters(schedule.getGroups()));
  split.getProducer().emplaceBlock();
  Block &consumer = split.getConsumer().emplaceBlock();

  // The body of the parallel loop is the program of a row group.
  builder.setInsertionPointToStart(&consumer);
  Value groupId = fagpu::GroupIdOp::create(builder, loc);
  group.getInductionVar(0).replaceAllUsesWith(groupId);
  group.getBody()->getTerminator()->erase();
  consumer.getOperations().splice(consumer.end(),
                                  group.getBody()->getOperations());
  group.erase();

  SmallVector<fagpu::CopyOp> copies(nest.getBody()->getOps<fagpu::CopyOp>());
  for (fagpu::CopyOp copy : copies)
    if (failed(specializeQuery(copy)))
      return failure();
  SmallVector<scf::ForOp> loops(consumer.getOps<scf::ForOp>());
  for (scf::ForOp loop : loops) {
    if (failed(buildProducerLoop(loop)))
      return failure();
    specializeConsumerLoop(loop);
  }
  SmallVector<vector::TransferWriteOp> stores(
      consumer.getOps<vector::TransferWriteOp>());
  for (vector::TransferWriteOp store : stores)
    specializeStore(store);
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
