//===- Problem.cpp - An attention problem from flags ----------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Support/Problem.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// MaskSpec
//===----------------------------------------------------------------------===//

llvm::Expected<MaskSpec> MaskSpec::parse(StringRef text) {
  MaskSpec mask;
  if (text == "none")
    return mask;
  if (text == "causal" || text == "causal-top-left") {
    mask.kind = MaskKind::Causal;
    if (text == "causal-top-left")
      mask.align = MaskAlign::TopLeft;
    return mask;
  }
  StringRef window = text;
  if (window.consume_front("window:")) {
    auto [left, right] = window.split(',');
    mask.kind = MaskKind::Window;
    if (!left.getAsInteger(10, mask.left) &&
        !right.getAsInteger(10, mask.right) && mask.left >= 0 &&
        mask.right >= 0)
      return mask;
    return llvm::createStringError("--mask: expected window:L,R with integers "
                                   "L and R from 0 up but got '" +
                                   text + "'");
  }
  return llvm::createStringError("--mask: expected none, causal, "
                                 "causal-top-left or window:L,R but got '" +
                                 text + "'");
}

MaskSpec MaskSpec::get(MaskAttr attr) {
  return {attr.getKind(), attr.getLeft(), attr.getRight(), attr.getAlign()};
}

MaskAttr MaskSpec::getAttr(MLIRContext *context) const {
  return MaskAttr::get(context, kind, left, right, align);
}

fart::Band MaskSpec::getBand() const {
  fart::Band band;
  band.topLeft = align == MaskAlign::TopLeft;
  if (kind == MaskKind::Causal)
    band.right = 0;
  if (kind == MaskKind::Window) {
    band.left = left;
    band.right = right;
  }
  return band;
}

std::string MaskSpec::str() const {
  std::string text = stringifyMaskKind(kind).str();
  if (kind == MaskKind::Window)
    text += ":" + std::to_string(left) + "," + std::to_string(right);
  if (align == MaskAlign::TopLeft)
    text += "-top-left";
  return text;
}

//===----------------------------------------------------------------------===//
// AttentionProblem
//===----------------------------------------------------------------------===//

std::vector<int64_t> AttentionProblem::getQueryShape() const {
  return {batch, heads, seqQ, headDim};
}
std::vector<int64_t> AttentionProblem::getKeyShape() const {
  return {batch, kvHeads, seqKV, headDim};
}
std::vector<int64_t> AttentionProblem::getValueShape() const {
  return {batch, kvHeads, seqKV, headDimV};
}
std::vector<int64_t> AttentionProblem::getOutputShape() const {
  return {batch, heads, seqQ, headDimV};
}
std::vector<int64_t> AttentionProblem::getLseShape() const {
  return {batch, heads, seqQ};
}

llvm::Error AttentionProblem::validate() const {
  const int64_t values[] = {batch, heads,   kvHeads, seqQ,
                            seqKV, headDim, headDimV};
  for (size_t i = 0; i < numSizes; ++i)
    if (values[i] <= 0)
      return llvm::createStringError("--" + getProblemFlags()[i].name +
                                     ": expected a positive integer but got " +
                                     Twine(values[i]));
  if (heads % kvHeads != 0)
    return llvm::createStringError(
        "expected the number of query heads to be a multiple of the " +
        Twine(kvHeads) + " key/value heads but got " + Twine(heads));
  for (const std::vector<int64_t> &shape :
       {getQueryShape(), getKeyShape(), getValueShape(), getOutputShape()}) {
    int64_t bytes = sizeof(float);
    for (int64_t extent : shape)
      if (llvm::MulOverflow(bytes, extent, bytes))
        return llvm::createStringError("the size of a tensor of shape " +
                                       Twine(fart::formatShape(shape)) +
                                       " overflows 64 bits");
  }
  return llvm::Error::success();
}

float AttentionProblem::getScaleOrDefault() const {
  return scale ? *scale : 1.0f / std::sqrt(static_cast<float>(headDim));
}

double AttentionProblem::getFlops() const {
  // Visible keys of query i: those between the two ends of the band.
  fart::Band band = mask.getBand();
  int64_t shift = band.topLeft ? 0 : seqKV - seqQ;
  double scores = 0;
  for (int64_t i = 0; i < seqQ; ++i) {
    int64_t first =
        band.left ? std::max<int64_t>(i + shift - *band.left, 0) : 0;
    int64_t last =
        band.right ? std::min(i + shift + *band.right, seqKV - 1) : seqKV - 1;
    scores += static_cast<double>(std::max<int64_t>(last - first + 1, 0));
  }
  int64_t width = backward ? 3 * headDim + 2 * headDimV : headDim + headDimV;
  return 2.0 * static_cast<double>(batch) * static_cast<double>(heads) *
         scores * static_cast<double>(width);
}

Type fa::getType(MLIRContext *context, fart::DType dtype) {
  switch (dtype) {
  case fart::DType::F32:
    return Float32Type::get(context);
  case fart::DType::F16:
    return Float16Type::get(context);
  case fart::DType::BF16:
    return BFloat16Type::get(context);
  case fart::DType::I32:
    return IntegerType::get(context, 32);
  case fart::DType::I64:
    return IntegerType::get(context, 64);
  case fart::DType::I1:
    return IntegerType::get(context, 1);
  }
  llvm_unreachable("unknown element type");
}

std::optional<fart::DType> fa::getDType(Type type) {
  if (type.isF32())
    return fart::DType::F32;
  if (type.isF16())
    return fart::DType::F16;
  if (type.isBF16())
    return fart::DType::BF16;
  return std::nullopt;
}

std::optional<fart::DType> fa::getTableDType(Type type) {
  if (type.isSignlessInteger(32))
    return fart::DType::I32;
  if (type.isSignlessInteger(64) || type.isIndex())
    return fart::DType::I64;
  if (type.isSignlessInteger(1))
    return fart::DType::I1;
  return getDType(type);
}

OwningOpRef<ModuleOp> fa::buildProblem(MLIRContext *context,
                                       const AttentionProblem &problem) {
  context->loadDialect<FADialect, func::FuncDialect>();
  OpBuilder builder(context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, loc);
  builder.setInsertionPointToEnd(module->getBody());

  constexpr int64_t dynamic = ShapedType::kDynamic;
  Type element = getType(context, problem.dtype);
  Type qk = RankedTensorType::get({dynamic, dynamic, dynamic, problem.headDim},
                                  element);
  Type vo = RankedTensorType::get({dynamic, dynamic, dynamic, problem.headDimV},
                                  element);
  Type lse =
      RankedTensorType::get({dynamic, dynamic, dynamic}, builder.getF32Type());
  SmallVector<Type> arguments = {qk, qk, vo, vo}, results = {vo};
  if (problem.lse) {
    arguments.push_back(lse);
    results.push_back(lse);
  }
  if (problem.backward) {
    arguments = {qk, qk, vo, vo, vo, lse};
    if (problem.lseGrad)
      arguments.push_back(lse);
    results = {qk, qk, vo};
    arguments.append(results);
  }
  auto func = func::FuncOp::create(
      builder, loc, problem.backward ? "attention_backward" : "attention",
      builder.getFunctionType(arguments, results));

  builder.setInsertionPointToEnd(func.addEntryBlock());
  MaskAttr mask = problem.mask.kind == MaskKind::None
                      ? MaskAttr()
                      : problem.mask.getAttr(context);
  auto arg = [&](unsigned number) -> Value { return func.getArgument(number); };
  Operation *op;
  if (problem.backward) {
    unsigned grads = 6 + problem.lseGrad;
    op = AttentionBackwardOp::create(
        builder, loc, arg(0), arg(1), arg(2), arg(3), arg(4), arg(5),
        problem.lseGrad ? arg(6) : Value(), arg(grads), arg(grads + 1),
        arg(grads + 2), mask, problem.scale);
  } else {
    op = AttentionOp::create(builder, loc, arg(0), arg(1), arg(2), arg(3),
                             problem.lse ? arg(4) : Value(), mask,
                             problem.scale);
  }
  func::ReturnOp::create(builder, loc, op->getResults());
  return module;
}
