//===- SizeFormulas.cpp - Index values as formulas ------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeFormulas.h"

#include "fa/IR/FA.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fa;
using fart::Formula;

/// Names of the dimensions of a tensor; the head dim is static.
static ArrayRef<StringRef> getDimNames(StringRef tensor) {
  static constexpr StringRef query[] = {"batch", "heads", "seq_q", "head_dim"};
  static constexpr StringRef key[] = {"batch", "kv_heads", "seq_kv",
                                      "head_dim"};
  if (tensor == "Q" || tensor == "O" || tensor == "LSE")
    return query;
  if (tensor == "K" || tensor == "V")
    return key;
  return {};
}

SizeFormulas::SizeFormulas(FunctionOpInterface func) {
  static constexpr StringRef names[] = {"Q", "K", "V", "O", "LSE"};
  static constexpr int64_t ranks[] = {4, 4, 4, 4, 3};
  ValueRange arguments = func.getArguments();
  // What fa-tile says, or else the usual order.
  ArrayAttr stated;
  func.walk([&](scf::ForallOp nest) {
    auto problem =
        nest->getAttrOfType<DictionaryAttr>(FADialect::getProblemAttrName());
    if (problem && !stated)
      stated = problem.getAs<ArrayAttr>("arguments");
  });
  bool isUsual = arguments.size() == std::size(names) &&
                 llvm::all_of(llvm::zip_equal(arguments, ranks), [](auto pair) {
                   auto type =
                       dyn_cast<MemRefType>(std::get<0>(pair).getType());
                   return type && type.getRank() == std::get<1>(pair);
                 });
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    std::string name = "arg" + std::to_string(index);
    if (isUsual)
      name = names[index].str();
    if (stated && stated.size() == arguments.size())
      if (auto text = dyn_cast<StringAttr>(stated[index]);
          text && !text.getValue().empty())
        name = text.str();
    tensors[argument] = name;
  }
}

std::optional<Formula> SizeFormulas::get(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return Formula(*constant);
  return get(cast<Value>(size));
}

std::optional<Formula> SizeFormulas::get(Value value) {
  if (auto known = formulas.find(value); known != formulas.end())
    return known->second;
  std::optional<Formula> formula = compute(value);
  formulas.insert_or_assign(value, formula);
  return formula;
}

std::optional<Condition> fa::getCondition(SizeFormulas &sizes, Value value) {
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  std::optional<Formula> a = sizes.get(compare.getLhs()),
                         b = sizes.get(compare.getRhs());
  if (!a || !b)
    return std::nullopt;
  // Sizes and positions are not negative: no sign is lost.
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return Condition{*a, *b};
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return Condition{*b, *a};
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return Condition{*a, *b, /*isNegated=*/true};
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return Condition{*b, *a, /*isNegated=*/true};
  default:
    return std::nullopt;
  }
}

std::optional<Formula> SizeFormulas::compute(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return Formula(*constant);
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto binary = [&](auto combine) -> std::optional<Formula> {
    std::optional<Formula> a = get(op->getOperand(0)),
                           b = get(op->getOperand(1));
    if (!a || !b)
      return std::nullopt;
    return combine(*a, *b);
  };
  using Result = std::optional<Formula>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::AddIOp>([&](auto) {
        return binary([](const Formula &a, const Formula &b) { return a + b; });
      })
      .Case<arith::SubIOp>([&](auto) {
        return binary([](const Formula &a, const Formula &b) { return a - b; });
      })
      .Case<arith::MulIOp>([&](auto) {
        return binary([](const Formula &a, const Formula &b) { return a * b; });
      })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [&](auto) { return binary(Formula::min); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return binary(Formula::max); })
      .Case<arith::DivUIOp, arith::FloorDivSIOp>(
          [&](auto) { return binary(Formula::floorDiv); })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>(
          [&](auto) { return binary(Formula::ceilDiv); })
      .Case<arith::SelectOp>([&](arith::SelectOp select) -> Result {
        std::optional<Condition> condition =
            getCondition(*this, select.getCondition());
        std::optional<Formula> then = get(select.getTrueValue()),
                               otherwise = get(select.getFalseValue());
        if (!condition || !then || !otherwise)
          return std::nullopt;
        return condition->select(*then, *otherwise);
      })
      .Case<memref::DimOp>([&](memref::DimOp dim) -> Result {
        std::optional<int64_t> index = dim.getConstantIndex();
        return index ? getDim(dim.getSource(), *index) : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Formula> SizeFormulas::getDim(Value memref, int64_t dim) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  if (!type || dim < 0 || dim >= type.getRank())
    return std::nullopt;
  if (!type.isDynamicDim(dim))
    return Formula(type.getDimSize(dim));
  if (auto name = tensors.find(memref); name != tensors.end()) {
    ArrayRef<StringRef> names = getDimNames(name->second);
    if (dim < static_cast<int64_t>(names.size()))
      return Formula::symbol(names[dim].str());
    return Formula::symbol(name->second + "_dim" + std::to_string(dim));
  }
  if (auto cast = memref.getDefiningOp<memref::CastOp>())
    return getDim(cast.getSource(), dim);
  if (auto alloc = memref.getDefiningOp<memref::AllocOp>())
    return get(alloc.getMixedSizes()[dim]);
  if (auto view = memref.getDefiningOp<memref::SubViewOp>()) {
    // The dimension of the view before its unit dimensions were dropped.
    llvm::SmallBitVector dropped = view.getDroppedDims();
    for (auto [source, size] : llvm::enumerate(view.getMixedSizes()))
      if (!dropped.test(source) && dim-- == 0)
        return get(size);
  }
  return std::nullopt;
}

std::optional<Formula> SizeFormulas::getNumElements(Value memref) {
  Formula elements = 1;
  for (int64_t dim = 0; dim < cast<MemRefType>(memref.getType()).getRank();
       ++dim) {
    std::optional<Formula> size = getDim(memref, dim);
    if (!size)
      return std::nullopt;
    elements = elements * *size;
  }
  return elements;
}

std::string SizeFormulas::getTensor(Value memref) {
  while (true) {
    if (auto view = memref.getDefiningOp<memref::SubViewOp>())
      memref = view.getSource();
    else if (auto cast = memref.getDefiningOp<memref::CastOp>())
      memref = cast.getSource();
    else
      break;
  }
  if (auto name = tensors.find(memref); name != tensors.end())
    return name->second;
  // A buffer is called what its maker called it.
  if (auto location = dyn_cast<NameLoc>(memref.getLoc()))
    return location.getName().str();
  return "a buffer";
}
