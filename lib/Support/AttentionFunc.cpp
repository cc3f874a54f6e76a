//===- AttentionFunc.cpp - A function that holds an attention -------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Support/AttentionFunc.h"

using namespace mlir;
using namespace mlir::fa;

llvm::Expected<AttentionFunc> AttentionFunc::find(ModuleOp module) {
  SmallVector<AttentionOp> found;
  module.walk([&](AttentionOp op) { found.push_back(op); });
  if (found.size() != 1)
    return llvm::createStringError("expected one fa.attention but found " +
                                   Twine(found.size()));

  AttentionFunc result;
  result.attention = found.front();
  result.func = dyn_cast<func::FuncOp>(result.attention->getParentOp());
  if (!result.func)
    return llvm::createStringError(
        "expected fa.attention to stand directly in a func.func but it stands "
        "in '" +
        result.attention->getParentOp()->getName().getStringRef() + "'");

  llvm::SmallDenseSet<unsigned> taken;
  auto getArgument = [&](Value operand,
                         StringRef name) -> llvm::Expected<unsigned> {
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument || argument.getOwner() != &result.func.front())
      return llvm::createStringError("expected the " + name +
                                     " of fa.attention to be an argument of @" +
                                     result.func.getName());
    if (!taken.insert(argument.getArgNumber()).second)
      return llvm::createStringError(
          "expected five different arguments for the operands of fa.attention "
          "but argument " +
          Twine(argument.getArgNumber()) + " is also the " + name);
    return argument.getArgNumber();
  };
  const std::tuple<Value, StringRef, unsigned *> operands[] = {
      {result.attention.getQuery(), "query", &result.query},
      {result.attention.getKey(), "key", &result.key},
      {result.attention.getValue(), "value", &result.value},
      {result.attention.getOutput(), "output", &result.output},
      {result.attention.getLse(), "lse", &result.lse}};
  for (const auto &[operand, name, number] : operands) {
    llvm::Expected<unsigned> argument = getArgument(operand, name);
    if (!argument)
      return argument.takeError();
    *number = *argument;
  }
  for (unsigned i = 0; i < result.func.getNumArguments(); ++i)
    if (!taken.contains(i))
      result.extras.push_back(i);
  return result;
}

llvm::Error AttentionFunc::describe(ProblemSpec &spec, StringRef source) {
  const std::pair<ShapedType, ArrayRef<Size>> shapes[] = {
      {attention.getQuery().getType(), queryDims},
      {attention.getKey().getType(), keyDims},
      {attention.getValue().getType(), valueDims},
      {attention.getOutput().getType(), outputDims},
      {attention.getLse().getType(), lseDims}};
  for (const auto &[type, dims] : shapes) {
    // A dynamic extent is negative, which says nothing.
    if (llvm::Error error = spec.setShape(type.getShape(), dims, source))
      return error;
  }
  if (llvm::Error error =
          spec.setDType(*getDType(attention.getElementType()), source))
    return error;
  if (llvm::Error error =
          spec.setMask(MaskSpec::get(attention.getMaskOrDefault()), source))
    return error;
  return spec.setScale(attention.getScaleOrDefault(), source);
}
