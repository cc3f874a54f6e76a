//===- PromoteToSRAM.cpp - Tiles of Q, K and V to workgroup memory --------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In each loop nest of a GPU the memory operands of the products become tiles
// in SRAM:
//
//   Q_i   one tile of B_r rows for the block, copied before the loops;
//   K_j   a ring of `stages` tiles, filled where the view of K_j was taken;
//   V_j   likewise.
//
// The program still means the same if every copy is done at once. The passes
// after this one move the copies ahead.
//
//===----------------------------------------------------------------------===//

#include "TileLayout.h"
#include "fa/IR/FA.h"
#include "fa/Transforms/Passes.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAPROMOTETOSRAMPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Promotes the operands of the products of one loop nest.
class Promoter {
public:
  Promoter(scf::ForallOp nest, ScheduleAttr schedule)
      : nest(nest), schedule(schedule), builder(nest) {}

  LogicalResult promote();

private:
  LogicalResult promoteQuery(ScoresOp scores);
  /// A ring of K or V, and its position after the visits before, where those
  /// are not in a loop.
  struct Ring {
    Value ring, next;
  };
  /// Fills `ring`, which is made for the first operand, from the view
  /// `operand`.
  LogicalResult promoteToRing(Operation *product, OpOperand &operand,
                              TileUse use, Ring &ring);
  MemRefType getTileType(int64_t rows, MemRefType view, TileUse use) {
    int64_t columns = view.getDimSize(1);
    TileLayout layout = chooseTileLayout(
        use, columns, view.getElementTypeBitWidth() / 8, schedule.getNarrow());
    auto space =
        fagpu::SramAttr::get(view.getContext(), layout.swizzle, layout.tail);
    return MemRefType::get({rows, columns}, view.getElementType(),
                           MemRefLayoutAttrInterface(), space);
  }

  scf::ForallOp nest;
  ScheduleAttr schedule;
  OpBuilder builder;
  DenseMap<Value, Value> queryTiles; // view of the block's rows -> tile
  Ring keyRing, valueRing;
};
} // namespace

/// The view of memory that `operand` is; fails if it is none.
static FailureOr<memref::SubViewOp> getView(Operation *product, Value operand) {
  // Of static lengths a view may have static rows, which the product forgets.
  if (auto cast = operand.getDefiningOp<memref::CastOp>())
    operand = cast.getSource();
  auto view = operand.getDefiningOp<memref::SubViewOp>();
  if (!view)
    return product->emitOpError("expected a view of memory as operand but got ")
           << operand.getType();
  return view;
}

LogicalResult Promoter::promoteQuery(ScoresOp scores) {
  FailureOr<memref::SubViewOp> view = getView(scores, scores.getQuery());
  if (failed(view))
    return failure();
  // The rows of the group are a view of those of the block.
  memref::SubViewOp blockView = *view;
  auto outer = view->getSource().getDefiningOp<memref::SubViewOp>();
  if (outer && outer.getType().getRank() == 2)
    blockView = outer;

  Value &tile = queryTiles[blockView];
  if (!tile) {
    builder.setInsertionPointAfter(blockView);
    tile = fagpu::AllocOp::create(
        builder, blockView.getLoc(),
        getTileType(schedule.getBr(), blockView.getType(), TileUse::QueryOrKey),
        /*offset=*/nullptr, /*readers=*/nullptr);
    fagpu::CopyOp::create(builder, blockView.getLoc(), blockView, tile);
  }
  // One group has all rows.
  Value rows = tile;
  if (blockView != *view && schedule.getGroups() > 1) {
    builder.setInsertionPoint(scores);
    OpFoldResult one = builder.getIndexAttr(1);
    SmallVector<OpFoldResult> sizes{
        builder.getIndexAttr(schedule.getGroupRows()),
        builder.getIndexAttr(view->getType().getDimSize(1))};
    rows = memref::SubViewOp::create(builder, view->getLoc(), tile,
                                     view->getMixedOffsets(), sizes,
                                     ArrayRef<OpFoldResult>{one, one});
  }
  scores.getQueryMutable().assign(rows);
  return success();
}

LogicalResult Promoter::promoteToRing(Operation *product, OpOperand &operand,
                                      TileUse use, Ring &ring) {
  FailureOr<memref::SubViewOp> view = getView(product, operand.get());
  if (failed(view))
    return failure();
  if ((*view)->getBlock() != product->getBlock() ||
      !isa<scf::ForOp, scf::ForallOp>(product->getParentOp()))
    return product->emitOpError("expected the view of its operand beside it "
                                "in the block or in a loop over key tiles");
  if (!ring.ring) {
    builder.setInsertionPointToStart(nest.getBody());
    auto type = fagpu::RingType::get(
        builder.getContext(), schedule.getStages(),
        getTileType(schedule.getBc(), view->getType(), use));
    ring.ring = fagpu::AllocOp::create(builder, view->getLoc(), type,
                                       /*offset=*/nullptr, /*readers=*/nullptr);
  }
  // Loops over key tiles count the visits. A visit that is in none, since there
  // is one of a static length, goes on from the loop or visit before it.
  Value position;
  builder.setInsertionPointAfter(*view);
  if (auto loop = dyn_cast<scf::ForOp>(product->getParentOp())) {
    position = loop.getInductionVar();
    ring.next = loop.getUpperBound();
  } else {
    Value one = arith::ConstantIndexOp::create(builder, view->getLoc(), 1);
    position = ring.next
                   ? ring.next
                   : arith::ConstantIndexOp::create(builder, view->getLoc(), 0);
    ring.next = arith::AddIOp::create(builder, view->getLoc(), position, one);
  }
  Value stage = fagpu::FillOp::create(
      builder, view->getLoc(),
      cast<fagpu::RingType>(ring.ring.getType()).getTile(), ring.ring, position,
      *view);
  operand.set(stage);
  return success();
}

LogicalResult Promoter::promote() {
  WalkResult result = nest.walk([&](Operation *op) {
    LogicalResult status = success();
    if (auto scores = dyn_cast<ScoresOp>(op)) {
      status = promoteQuery(scores);
      if (succeeded(status))
        status = promoteToRing(scores, scores.getKeyMutable(),
                               TileUse::QueryOrKey, keyRing);
    } else if (auto accumulate = dyn_cast<AccumulateOp>(op)) {
      status = promoteToRing(accumulate, accumulate.getValueMutable(),
                             TileUse::Value, valueRing);
    }
    return failed(status) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct PromoteToSRAM : public fa::impl::FAPromoteToSRAMPassBase<PromoteToSRAM> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](scf::ForallOp nest) {
      auto schedule =
          nest->getAttrOfType<ScheduleAttr>(FADialect::getScheduleAttrName());
      auto target =
          nest->getAttrOfType<TargetAttr>(FADialect::getTargetAttrName());
      if (!schedule)
        return WalkResult::advance();
      if (!target || target.isCPU()) {
        nest.emitOpError("expected a loop nest for a GPU");
        return WalkResult::interrupt();
      }
      return failed(Promoter(nest, schedule).promote())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
