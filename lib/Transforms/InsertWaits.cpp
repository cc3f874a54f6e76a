//===- InsertWaits.cpp - Waits for asynchronous products ------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fagpu.dot of sm_90a is only issued where it stands. It must be waited for
//
//   before its result is used;
//   before a stage of a ring that it reads is released, or a tile that it reads
//   is
//     written;
//   before a branch: what is in flight then makes ptxas serialise (C7518).
//
// Products complete in the order of their issue, and a wait names how many of
// the last ones may still be in flight. So the analysis keeps, for each product
// that has not been waited for, the number of products issued after it: the
// least of all ways that lead there, around a loop as well as into it. A value
// that a loop carries may be in flight from one iteration to the next.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/Passes.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAINSERTWAITSPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// A product in flight.
struct InFlight {
  SmallVector<Value> names; // its result, as it is called here
  SmallVector<Value> reads; // tiles and rings
  int64_t after;            // products issued after it, at least

  bool isCalled(Value value) const { return llvm::is_contained(names, value); }
};
using State = SmallVector<InFlight>;

class WaitInserter {
public:
  /// Analyses `block`, beginning and ending with `state`, and inserts waits if
  /// `insert` is set.
  void visit(Block &block, State &state, bool insert);

private:
  void visitLoop(scf::ForOp loop, State &state, bool insert);
  /// Waits, before `op`, for the products for which `isNeeded` holds.
  void waitFor(Operation *op, State &state, bool insert,
               function_ref<bool(const InFlight &)> isNeeded);
};
} // namespace

/// Adds the products of `from`; true if that changed `state`.
static bool join(State &state, const State &from) {
  bool changed = false;
  for (const InFlight &product : from) {
    auto *known = llvm::find_if(state, [&](const InFlight &other) {
      return other.names == product.names && other.reads == product.reads;
    });
    if (known == state.end()) {
      state.push_back(product);
      changed = true;
    } else if (product.after < known->after) {
      known->after = product.after;
      changed = true;
    }
  }
  return changed;
}

/// The products of `state` under the names that their values have elsewhere:
/// inside a loop, in its next iteration, or after it.
static State rename(const State &state, ValueRange from, ValueRange to) {
  State renamed;
  for (InFlight product : state) {
    SmallVector<Value> names;
    for (auto [old, name] : llvm::zip_equal(from, to))
      if (product.isCalled(old))
        names.push_back(name);
    product.names = names;
    renamed.push_back(product);
  }
  return renamed;
}

void WaitInserter::waitFor(Operation *op, State &state, bool insert,
                           function_ref<bool(const InFlight &)> isNeeded) {
  State rest;
  for (InFlight &product : state) {
    if (!isNeeded(product)) {
      rest.push_back(product);
      continue;
    }
    // What comes after uses the result of the wait, and so cannot move ahead.
    // Two names were one value on one way only: each is waited for.
    for (Value name : product.names) {
      if (!insert)
        break;
      OpBuilder builder(op);
      auto wait =
          fagpu::WaitDotOp::create(builder, op->getLoc(), name, product.after);
      name.replaceUsesWithIf(wait.getResult(), [&](OpOperand &use) {
        Operation *user =
            op->getBlock()->findAncestorOpInBlock(*use.getOwner());
        return user && wait->isBeforeInBlock(user);
      });
    }
  }
  state = rest;
}

void WaitInserter::visitLoop(scf::ForOp loop, State &state, bool insert) {
  // Into the loop, and out of an iteration, go products that it carries. Others
  // would lose their name; they are waited for while they have it.
  auto isCarriedBy = [](const InFlight &product, ValueRange values) {
    return llvm::all_of(product.names, [&](Value name) {
      return llvm::is_contained(values, name);
    });
  };
  waitFor(loop, state, insert, [&](const InFlight &product) {
    bool isUsedAfter = llvm::any_of(product.names, [&](Value name) {
      return llvm::any_of(name.getUsers(), [&](Operation *user) {
        Operation *ancestor = loop->getBlock()->findAncestorOpInBlock(*user);
        return ancestor && loop->isBeforeInBlock(ancestor);
      });
    });
    return isUsedAfter || !isCarriedBy(product, loop.getInitArgs());
  });
  auto visitBody = [&](State &end, bool insertInBody) {
    visit(*loop.getBody(), end, insertInBody);
    waitFor(loop.getBody()->getTerminator(), end, insertInBody,
            [&](const InFlight &product) {
              return !isCarriedBy(product, loop.getYieldedValues());
            });
  };

  State entry = rename(state, loop.getInitArgs(), loop.getRegionIterArgs());
  while (true) {
    State end = entry;
    visitBody(end, /*insertInBody=*/false);
    if (!join(entry,
              rename(end, loop.getYieldedValues(), loop.getRegionIterArgs())))
      break;
  }
  State end = entry;
  visitBody(end, insert);
  // Waits may have put other values in the place of those that were yielded.
  State after = rename(state, loop.getInitArgs(), loop.getResults());
  join(after, rename(end, loop.getYieldedValues(), loop.getResults()));
  state = after;
}

void WaitInserter::visit(Block &block, State &state, bool insert) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    // Not as an initial value of a loop: there the value only gets a new name.
    auto isUsed = [&](const InFlight &product) {
      bool used = false;
      op.walk([&](Operation *nested) {
        for (OpOperand &operand : nested->getOpOperands()) {
          bool isInit = nested == &op && isa<scf::ForOp>(op) &&
                        operand.getOperandNumber() >= 3;
          used |= !isInit && product.isCalled(operand.get());
        }
      });
      return used;
    };
    if (auto release = dyn_cast<fagpu::ReleaseOp>(op)) {
      waitFor(&op, state, insert, [&](const InFlight &product) {
        return llvm::is_contained(product.reads, release.getRing());
      });
      continue;
    }
    if (auto store = dyn_cast<fagpu::StoreFragmentOp>(op))
      waitFor(&op, state, insert, [&](const InFlight &product) {
        return llvm::is_contained(product.reads,
                                  fagpu::getTileRoot(store.getTile()));
      });
    if (isa<scf::IfOp>(op)) {
      waitFor(&op, state, insert, [](const InFlight &) { return true; });
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          visit(nested, state, insert);
      continue;
    }
    waitFor(&op, state, insert, isUsed);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visitLoop(loop, state, insert);
    } else if (auto dot = dyn_cast<fagpu::DotOp>(op)) {
      for (InFlight &product : state)
        ++product.after;
      InFlight product{{dot.getResult()}, {fagpu::getTileRoot(dot.getB())}, 0};
      if (isa<MemRefType>(dot.getA().getType()))
        product.reads.push_back(fagpu::getTileRoot(dot.getA()));
      state.push_back(product);
    }
  }
}

/// P of the next visit takes the registers of P of this one, which a product in
/// flight still reads: it is made after the wait for that product (else ptxas
/// serialises, C7513).
static void delayNextOperand(scf::ForOp loop) {
  for (auto [carried, yielded] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    // What else reads it may stand before the wait.
    Operation *maker = yielded.getDefiningOp();
    if (!maker || maker->getBlock() != loop.getBody() || !yielded.hasOneUse())
      continue;
    for (Operation *user : carried.getUsers()) {
      auto dot = dyn_cast<fagpu::DotOp>(user);
      if (!dot || dot.getA() != carried || dot->getBlock() != maker->getBlock())
        continue;
      for (Operation *waiter : dot.getResult().getUsers())
        if (isa<fagpu::WaitDotOp>(waiter) &&
            waiter->getBlock() == maker->getBlock() &&
            maker->isBeforeInBlock(waiter))
          maker->moveAfter(waiter);
    }
  }
}

namespace {
struct InsertWaits : public fa::impl::FAInsertWaitsPassBase<InsertWaits> {
  void runOnOperation() override {
    getOperation().walk([](fagpu::SpecializeOp split) {
      State state;
      WaitInserter().visit(split.getConsumer().front(), state,
                           /*insert=*/true);
      split.getConsumer().walk(delayNextOperand);
    });
  }
};
} // namespace
