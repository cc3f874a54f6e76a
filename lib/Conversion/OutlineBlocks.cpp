//===- OutlineBlocks.cpp - Parallel loops to a range of blocks ------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/Passes.h"
#include "fa/IR/FA.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAOUTLINEBLOCKSPASS
#include "fa/Conversion/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// The loop nest of a function that is nothing but one, after ops without
/// effects (dimensions, constants); null otherwise.
static scf::ForallOp getOnlyNest(func::FuncOp func) {
  scf::ForallOp nest;
  for (Operation &op : func.front().without_terminator()) {
    if (auto forall = dyn_cast<scf::ForallOp>(op)) {
      if (nest || !forall.isNormalized() || forall.getNumResults() != 0)
        return {};
      nest = forall;
    } else if (nest || !isMemoryEffectFree(&op)) {
      return {};
    }
  }
  return nest;
}

/// Gives `func` the attribute that makes it callable from C.
static void addCInterface(func::FuncOp func) {
  func->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                UnitAttr::get(func.getContext()));
}

/// The number of blocks, from the values that the bounds have in `func`.
static Value buildBlockCount(OpBuilder &builder, Location loc,
                             scf::ForallOp nest, const IRMapping &mapping) {
  Value count = arith::ConstantIndexOp::create(builder, loc, 1);
  if (!nest)
    return count;
  for (OpFoldResult bound : nest.getMixedUpperBound()) {
    Value size;
    if (auto constant = getConstantIntValue(bound))
      size = arith::ConstantIndexOp::create(builder, loc, *constant);
    else
      size = mapping.lookupOrDefault(cast<Value>(bound));
    count = arith::MulIOp::create(builder, loc, count, size);
  }
  return count;
}

/// @f_blocks: the ops before the nest, and the product of its bounds.
static func::FuncOp buildBlocksFunction(OpBuilder &builder, func::FuncOp func,
                                        scf::ForallOp nest) {
  Location loc = func.getLoc();
  builder.setInsertionPoint(func);
  auto blocks = func::FuncOp::create(
      builder, loc, (func.getName() + "_blocks").str(),
      builder.getFunctionType(func.getArgumentTypes(), builder.getI64Type()));
  addCInterface(blocks);
  Block *entry = blocks.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  IRMapping mapping;
  mapping.map(func.getArguments(), entry->getArguments());
  if (nest)
    for (Operation &op : func.front()) {
      if (&op == nest)
        break;
      builder.clone(op, mapping);
    }
  Value count = buildBlockCount(builder, loc, nest, mapping);
  count = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), count);
  func::ReturnOp::create(builder, loc, count);
  return blocks;
}

/// Moves the body of `nest` into `loop`, with its indices taken from the number
/// of the block: the last dimension is the fastest.
static void moveNestIntoLoop(OpBuilder &builder, scf::ForallOp nest,
                             scf::ForOp loop) {
  Location loc = nest.getLoc();
  builder.setInsertionPointToStart(loop.getBody());
  Value rest = loop.getInductionVar();
  SmallVector<Value> sizes;
  for (OpFoldResult bound : nest.getMixedUpperBound()) {
    if (auto constant = getConstantIntValue(bound))
      sizes.push_back(arith::ConstantIndexOp::create(builder, loc, *constant));
    else
      sizes.push_back(cast<Value>(bound));
  }
  SmallVector<Value> indices(sizes.size());
  for (int64_t dim = sizes.size() - 1; dim > 0; --dim) {
    indices[dim] = arith::RemUIOp::create(builder, loc, rest, sizes[dim]);
    rest = arith::DivUIOp::create(builder, loc, rest, sizes[dim]);
  }
  indices[0] = rest;
  for (auto [argument, index] :
       llvm::zip_equal(nest.getInductionVars(), indices))
    argument.replaceAllUsesWith(index);
  nest.getBody()->getTerminator()->erase();
  loop.getBody()->getOperations().splice(
      loop.getBody()->getTerminator()->getIterator(),
      nest.getBody()->getOperations());
  loop->setDiscardableAttrs(nest->getDiscardableAttrDictionary());
  nest.erase();
}

/// Appends `begin` and `end`, and runs the blocks between them.
static void buildRangeFunction(OpBuilder &builder, func::FuncOp func,
                               scf::ForallOp nest) {
  Location loc = func.getLoc();
  Block &body = func.front();
  Type i64 = builder.getI64Type();
  SmallVector<Type> types(func.getArgumentTypes());
  types.append({i64, i64});
  Value begin = body.addArgument(i64, loc), end = body.addArgument(i64, loc);
  func.setFunctionType(builder.getFunctionType(types, {}));
  if (ArrayAttr attrs = func.getArgAttrsAttr()) {
    SmallVector<Attribute> extended(attrs.getValue());
    extended.append(2, builder.getDictionaryAttr({}));
    func.setArgAttrsAttr(builder.getArrayAttr(extended));
  }
  addCInterface(func);

  Operation *first = nest ? nest.getOperation() : &body.front();
  builder.setInsertionPoint(first);
  Type index = builder.getIndexType();
  begin = arith::IndexCastOp::create(builder, loc, index, begin);
  end = arith::IndexCastOp::create(builder, loc, index, end);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ForOp::create(builder, loc, begin, end, one);
  if (nest) {
    moveNestIntoLoop(builder, nest, loop);
  } else {
    loop.getBody()->getOperations().splice(
        loop.getBody()->getTerminator()->getIterator(), body.getOperations(),
        first->getIterator(), body.getTerminator()->getIterator());
  }
  // The stack is used over again by each block.
  loop.walk([&](memref::AllocaOp buffer) {
    if (buffer->getNumOperands() == 0)
      buffer->moveBefore(&body, body.begin());
  });
}

namespace {
struct OutlineBlocks : public fa::impl::FAOutlineBlocksPassBase<OutlineBlocks> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> kernels;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal() || func.isPrivate() ||
          func->hasAttr(FADialect::getStepsAttrName()))
        continue;
      if (func.getNumResults() != 0) {
        func.emitError("expected a function in destination style, without "
                       "results, but it returns ")
            << func.getResultTypes();
        return signalPassFailure();
      }
      if (!func.getBody().hasOneBlock()) {
        func.emitError("expected a function of one block");
        return signalPassFailure();
      }
      if (!SymbolTable::symbolKnownUseEmpty(func, getOperation())) {
        func.emitError(
            "expected a kernel that is not used in its module, since "
            "its arguments change");
        return signalPassFailure();
      }
      if (symbols.lookup((func.getName() + "_blocks").str())) {
        func.emitError("expected no other function named '")
            << func.getName() << "_blocks'";
        return signalPassFailure();
      }
      kernels.push_back(func);
    }
    OpBuilder builder(&getContext());
    for (func::FuncOp func : kernels) {
      scf::ForallOp nest = getOnlyNest(func);
      buildBlocksFunction(builder, func, nest);
      buildRangeFunction(builder, func, nest);
    }
  }
};
} // namespace
