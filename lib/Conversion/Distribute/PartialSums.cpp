//===- PartialSums.cpp - Sums that are still spread over lanes -----------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartialSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fa;

PartialSums::PartialSums(Block &block) {
  while (update(block)) {
  }
}

bool PartialSums::update(Block &block) {
  bool changed = false;
  auto add = [&](Value value) { changed |= partial.insert(value).second; };
  block.walk([&](Operation *op) {
    if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
      if (reduction.getKind() == vector::CombiningKind::ADD)
        add(reduction.getResult());
    } else if (auto mul = dyn_cast<arith::MulFOp>(op)) {
      if (contains(mul.getLhs()) != contains(mul.getRhs()))
        add(mul.getResult());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [argument, init, result, next] :
           llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs(),
                           loop.getResults(), loop.getYieldedValues()))
        if (contains(next) || contains(init)) {
          add(argument);
          add(result);
        }
    }
  });
  return changed;
}
