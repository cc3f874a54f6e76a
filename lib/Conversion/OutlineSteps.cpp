//===- OutlineSteps.cpp - A function of several nests to one for each -----===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks of one nest are independent of each other, but a nest needs what
// the nests before it wrote. Each becomes a function, and the caller runs all
// blocks of one before the first of the next. What nests hand on in memory that
// the function allocated becomes a part of one buffer, which the caller
// provides.
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
#define GEN_PASS_DEF_FAOUTLINESTEPSPASS
#include "fa/Conversion/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
/// The parts of a function that is a sequence of steps.
struct StepFunction {
  SmallVector<Operation *> shared; // ops without effects, and allocations
  SmallVector<scf::ForallOp> nests;
};
} // namespace

static StringAttr getStepName(Operation *op) {
  return op->getAttrOfType<StringAttr>(FADialect::getStepAttrName());
}

/// The steps of a function that is nothing but these; without a nest otherwise.
static StepFunction getSteps(func::FuncOp func) {
  StepFunction steps;
  for (Operation &op : func.front().without_terminator()) {
    if (auto nest = dyn_cast<scf::ForallOp>(op); nest && getStepName(nest))
      steps.nests.push_back(nest);
    else if (isa<memref::AllocOp>(op) || isMemoryEffectFree(&op))
      steps.shared.push_back(&op);
    else if (!isa<memref::DeallocOp>(op))
      return {};
  }
  return steps;
}

/// The bytes of `alloc`, rounded up to whole cache lines.
static Value buildBytes(OpBuilder &builder, memref::AllocOp alloc,
                        const IRMapping &mapping) {
  Location loc = alloc.getLoc();
  MemRefType type = alloc.getType();
  Value bytes = arith::ConstantIndexOp::create(
      builder, loc, llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  unsigned dynamic = 0;
  for (int64_t size : type.getShape()) {
    Value factor =
        ShapedType::isDynamic(size)
            ? mapping.lookupOrDefault(alloc.getDynamicSizes()[dynamic++])
            : arith::ConstantIndexOp::create(builder, loc, size).getResult();
    bytes = arith::MulIOp::create(builder, loc, bytes, factor);
  }
  Value line = arith::ConstantIndexOp::create(builder, loc, 64);
  Value lines = arith::CeilDivUIOp::create(builder, loc, bytes, line);
  return arith::MulIOp::create(builder, loc, lines, line);
}

/// Clones what stands before `end` (all of it if that is null). An allocation
/// becomes a part of `scratch`, where that is not null. Returns the bytes that
/// the allocations take.
static Value cloneShared(OpBuilder &builder, Location loc,
                         const StepFunction &steps, Operation *end,
                         Value scratch, IRMapping &mapping) {
  Value offset = arith::ConstantIndexOp::create(builder, loc, 0);
  for (Operation *op : steps.shared) {
    if (end && !op->isBeforeInBlock(end))
      break;
    auto alloc = dyn_cast<memref::AllocOp>(op);
    if (!alloc) {
      builder.clone(*op, mapping);
      continue;
    }
    if (scratch) {
      SmallVector<Value> sizes;
      for (Value size : alloc.getDynamicSizes())
        sizes.push_back(mapping.lookupOrDefault(size));
      mapping.map(alloc.getResult(),
                  memref::ViewOp::create(builder, loc, alloc.getType(), scratch,
                                         offset, sizes)
                      .getResult());
    }
    Value bytes = buildBytes(builder, alloc, mapping);
    offset = arith::AddIOp::create(builder, loc, offset, bytes);
  }
  return offset;
}

/// A function before `func` with its arguments, and `extra` ones; the body is
/// the insertion point then.
static func::FuncOp buildFunction(OpBuilder &builder, func::FuncOp func,
                                  StringRef suffix, TypeRange extra,
                                  TypeRange results, IRMapping &mapping) {
  builder.setInsertionPoint(func);
  SmallVector<Type> types(func.getArgumentTypes());
  llvm::append_range(types, extra);
  auto function = func::FuncOp::create(builder, func.getLoc(),
                                       (func.getName() + suffix).str(),
                                       builder.getFunctionType(types, results));
  Block *entry = function.addEntryBlock();
  mapping.map(func.getArguments(),
              entry->getArguments().take_front(func.getNumArguments()));
  builder.setInsertionPointToStart(entry);
  return function;
}

/// Fails if two functions would have one name.
static LogicalResult verifyNames(func::FuncOp func, StepFunction &steps,
                                 SymbolTable &symbols) {
  llvm::SmallDenseSet<StringAttr> stepNames{
      StringAttr::get(func.getContext(), "scratch")};
  SmallVector<std::string> names{(func.getName() + "_scratch").str()};
  for (scf::ForallOp nest : steps.nests) {
    StringAttr name = getStepName(nest);
    if (!stepNames.insert(name).second)
      return func.emitError("expected steps of different names but got '")
             << name.getValue() << "' twice";
    names.push_back((func.getName() + "_" + name.getValue()).str());
  }
  for (const std::string &name : names)
    if (symbols.lookup(name))
      return func.emitError("expected no other function named '")
             << name << "'";
  return success();
}

static void outline(OpBuilder &builder, func::FuncOp func,
                    const StepFunction &steps) {
  Location loc = func.getLoc();
  SmallVector<Attribute> names;
  Type bytes = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
  for (scf::ForallOp nest : steps.nests) {
    IRMapping mapping;
    func::FuncOp function =
        buildFunction(builder, func, ("_" + getStepName(nest).getValue()).str(),
                      bytes, {}, mapping);
    cloneShared(builder, loc, steps, nest, function.getArguments().back(),
                mapping);
    builder.clone(*nest, mapping);
    func::ReturnOp::create(builder, loc);
    names.push_back(builder.getStringAttr(function.getName()));
  }
  IRMapping mapping;
  func::FuncOp function = buildFunction(builder, func, "_scratch", {},
                                        builder.getI64Type(), mapping);
  function->setAttr(FADialect::getStepsAttrName(), builder.getArrayAttr(names));
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    builder.getUnitAttr());
  Value size = cloneShared(builder, loc, steps, nullptr, Value(), mapping);
  size = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), size);
  func::ReturnOp::create(builder, loc, size);
  func.erase();
}

namespace {
struct OutlineSteps : public fa::impl::FAOutlineStepsPassBase<OutlineSteps> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    OpBuilder builder(&getContext());
    for (func::FuncOp func : functions) {
      if (func.isExternal() || !func.getBody().hasOneBlock() ||
          func.getNumResults() != 0 ||
          !SymbolTable::symbolKnownUseEmpty(func, getOperation()))
        continue;
      StepFunction steps = getSteps(func);
      if (steps.nests.empty())
        continue;
      if (failed(verifyNames(func, steps, symbols)))
        return signalPassFailure();
      outline(builder, func, steps);
    }
  }
};
} // namespace
