//===- PingPong.cpp - Row groups take turns to issue products -------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In each loop of a row group over key tiles
//
//   await_turn; first product .. last product; pass_turn
//
// and once, at the start, the last group passes the turn to group 0. A loop
// over skipped visits, without products, takes its turns too: all groups have
// to await and pass equally often, or one would be held for ever.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/Passes.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAPINGPONGPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// One turn in each iteration of `loop`, if it goes over key tiles.
static void insertTurn(scf::ForOp loop) {
  Operation *first = nullptr, *last = nullptr;
  for (Operation &op : *loop.getBody())
    if (isa<ScoresOp, AccumulateOp>(op)) {
      if (!first)
        first = &op;
      last = &op;
    }
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  if (first) {
    builder.setInsertionPoint(first);
    fagpu::AwaitTurnOp::create(builder, loc);
    builder.setInsertionPointAfter(last);
    fagpu::PassTurnOp::create(builder, loc);
  } else if (!loop.getBody()->getOps<fagpu::AcquireOp>().empty()) {
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    fagpu::AwaitTurnOp::create(builder, loc);
    fagpu::PassTurnOp::create(builder, loc);
  }
}

static void insertTurns(fagpu::SpecializeOp split) {
  Block &program = split.getConsumer().front();
  for (auto loop : program.getOps<scf::ForOp>())
    insertTurn(loop);
  OpBuilder builder = OpBuilder::atBlockBegin(&program);
  Location loc = split.getLoc();
  Value last =
      arith::ConstantIndexOp::create(builder, loc, split.getGroups() - 1);
  Value isLast =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                            fagpu::GroupIdOp::create(builder, loc), last);
  auto branch = scf::IfOp::create(builder, loc, isLast);
  builder.setInsertionPointToStart(branch.thenBlock());
  fagpu::PassTurnOp::create(builder, loc);
}

namespace {
struct PingPong : public fa::impl::FAPingPongPassBase<PingPong> {
  void runOnOperation() override {
    getOperation().walk([](fagpu::SpecializeOp split) {
      auto nest = split->getParentOfType<scf::ForallOp>();
      auto schedule = nest ? nest->getAttrOfType<ScheduleAttr>(
                                 FADialect::getScheduleAttrName())
                           : ScheduleAttr();
      if (schedule && schedule.getPingpong())
        insertTurns(split);
    });
  }
};
} // namespace
