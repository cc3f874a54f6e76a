//===- CarryPairs.cpp - Loop-carried f16 as registers of two -------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that carries vector<2 n x bf16> is made to carry vector<n x i32>:
// LLVM keeps each element of a vector that crosses blocks in a register of its
// own, and would take pairs apart and put them together in every iteration.
//
//===----------------------------------------------------------------------===//

#include "CarryPairs.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

/// The type in which a value of `type` is carried; `type` itself if it is none
/// of pairs of 16 bits.
static Type getCarriedType(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getRank() != 1 || vector.isScalable() ||
      !vector.getElementType().isIntOrFloat() ||
      vector.getElementTypeBitWidth() != 16 || vector.getDimSize(0) % 2 != 0)
    return type;
  return VectorType::get({vector.getDimSize(0) / 2},
                         IntegerType::get(type.getContext(), 32));
}

static SmallVector<Value> castValues(OpBuilder &builder, Location loc,
                                     ValueRange values, TypeRange types) {
  SmallVector<Value> results;
  for (auto [value, type] : llvm::zip_equal(values, types))
    results.push_back(
        value.getType() == type
            ? value
            : vector::BitCastOp::create(builder, loc, type, value).getResult());
  return results;
}

static void carryPairs(RewriterBase &rewriter, scf::ForOp loop) {
  SmallVector<Type> types =
      llvm::map_to_vector(loop.getInitArgs().getTypes(),
                          [](Type type) { return getCarriedType(type); });
  if (TypeRange(types) == loop.getInitArgs().getTypes())
    return;
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  auto packed = scf::ForOp::create(
      rewriter, loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
      castValues(rewriter, loc, loop.getInitArgs(), types));
  packed->setDiscardableAttrs(loop->getDiscardableAttrDictionary());

  rewriter.setInsertionPointToStart(packed.getBody());
  SmallVector<Value> arguments{packed.getInductionVar()};
  llvm::append_range(arguments,
                     castValues(rewriter, loc, packed.getRegionIterArgs(),
                                loop.getInitArgs().getTypes()));
  rewriter.mergeBlocks(loop.getBody(), packed.getBody(), arguments);
  Operation *yield = packed.getBody()->getTerminator();
  rewriter.setInsertionPoint(yield);
  SmallVector<Value> next =
      castValues(rewriter, loc, yield->getOperands(), types);
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(next); });

  rewriter.setInsertionPointAfter(packed);
  rewriter.replaceOp(loop, castValues(rewriter, loc, packed.getResults(),
                                      loop.getResultTypes()));
}

void fa::carryPairs(Operation *root) {
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  IRRewriter rewriter(root->getContext());
  for (scf::ForOp loop : loops)
    ::carryPairs(rewriter, loop);
}
