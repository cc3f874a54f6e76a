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
  SmallVector<AttentionOpInterface> found;
  module.walk([&](AttentionOpInterface op) { found.push_back(op); });
  if (found.size() != 1)
    return llvm::createStringError(
        "expected one fa.attention or fa.attention_backward but found " +
        Twine(found.size()));

  AttentionFunc result;
  result.attention = found.front();
  result.backward = dyn_cast<AttentionBackwardOp>(found.front().getOperation());
  StringRef opName = result.attention->getName().getStringRef();
  result.func = dyn_cast<func::FuncOp>(result.attention->getParentOp());
  if (!result.func)
    return llvm::createStringError(
        "expected " + opName +
        " to stand directly in a func.func but it stands in '" +
        result.attention->getParentOp()->getName().getStringRef() + "'");

  using Part = std::tuple<Value, StringRef, unsigned *>;
  SmallVector<Part> parts = {
      {result.attention.getQuery(), "query", &result.query},
      {result.attention.getKey(), "key", &result.key},
      {result.attention.getValue(), "value", &result.value}};
  if (AttentionBackwardOp op = result.backward) {
    parts.append({{op.getOutput(), "output", &result.output},
                  {op.getLse(), "lse", &result.lse.emplace(0)},
                  {op.getOutputGrad(), "outputGrad", &result.outputGrad},
                  {op.getQueryGrad(), "queryGrad", &result.queryGrad},
                  {op.getKeyGrad(), "keyGrad", &result.keyGrad},
                  {op.getValueGrad(), "valueGrad", &result.valueGrad}});
    if (op.getLseGrad())
      parts.push_back({op.getLseGrad(), "lseGrad", &result.lseGrad.emplace(0)});
  } else {
    auto forward = cast<AttentionOp>(result.attention.getOperation());
    parts.push_back({forward.getOutput(), "output", &result.output});
    if (forward.getLse())
      parts.push_back({forward.getLse(), "lse", &result.lse.emplace(0)});
  }

  llvm::SmallDenseSet<unsigned> taken;
  for (const auto &[operand, name, number] : parts) {
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument || argument.getOwner() != &result.func.front())
      return llvm::createStringError("expected the " + name + " of " + opName +
                                     " to be an argument of @" +
                                     result.func.getName());
    if (!taken.insert(argument.getArgNumber()).second)
      return llvm::createStringError(
          "expected different arguments for the operands of " + opName +
          " but argument " + Twine(argument.getArgNumber()) + " is also the " +
          name);
    *number = argument.getArgNumber();
  }
  for (unsigned i = 0; i < result.func.getNumArguments(); ++i)
    if (!taken.contains(i))
      result.extras.push_back(i);
  return result;
}

llvm::Error AttentionFunc::describe(ProblemSpec &spec, StringRef source) {
  SmallVector<std::pair<unsigned, ArrayRef<Size>>> shapes = {
      {query, queryDims},
      {key, keyDims},
      {value, valueDims},
      {output, outputDims}};
  if (lse)
    shapes.push_back({*lse, lseDims});
  else
    spec.setNoLse();
  if (backward) {
    spec.setBackward();
    shapes.append({{outputGrad, outputDims},
                   {queryGrad, queryDims},
                   {keyGrad, keyDims},
                   {valueGrad, valueDims}});
    if (lseGrad) {
      spec.setLseGrad();
      shapes.push_back({*lseGrad, lseDims});
    }
  }
  for (const auto &[number, dims] : shapes) {
    // A dynamic extent is negative, which says nothing.
    auto type = cast<ShapedType>(func.getArgumentTypes()[number]);
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

/// A copy of `module` whose problem is replaced: what follows it is dropped,
/// and the function returns the results of the new one, made by `build`.
static llvm::Expected<OwningOpRef<ModuleOp>>
replaceProblem(ModuleOp module,
               function_ref<Operation *(OpBuilder &, AttentionFunc &)> build) {
  OwningOpRef<ModuleOp> copy(module.clone());
  llvm::Expected<AttentionFunc> func = AttentionFunc::find(*copy);
  if (!func)
    return func.takeError();
  Block &body = func->func.front();
  while (&body.back() != func->attention)
    body.back().erase();
  OpBuilder builder(func->attention);
  Operation *replacement = build(builder, *func);
  func->attention->erase();
  builder.setInsertionPointToEnd(&body);
  func::ReturnOp::create(builder, func->func.getLoc(),
                         replacement->getResults());
  func->func.setFunctionType(builder.getFunctionType(
      body.getArgumentTypes(), replacement->getResultTypes()));
  func->func.removeResAttrsAttr();
  return copy;
}

/// Score and mask, without schedule and target.
static void copyMeaning(AttentionOpInterface from, AttentionOpInterface to) {
  to.setMaskAttr(from.getMaskAttr());
  to.getScoreRegion().takeBody(from.getScoreRegion());
  to.getMaskRegion().takeBody(from.getMaskRegion());
}

static std::optional<float> getScale(AttentionOpInterface op) {
  FloatAttr scale = op.getScaleAttr();
  return scale ? std::optional(scale.getValue().convertToFloat())
               : std::nullopt;
}

llvm::Expected<OwningOpRef<ModuleOp>> fa::buildBackward(ModuleOp module) {
  llvm::Expected<AttentionFunc> found = AttentionFunc::find(module);
  if (!found)
    return found.takeError();
  if (found->backward)
    return OwningOpRef<ModuleOp>(module.clone());
  if (!found->lse)
    return llvm::createStringError(
        "expected an fa.attention with lse, from which gradients are computed");
  return replaceProblem(module, [](OpBuilder &builder, AttentionFunc &func) {
    auto forward = cast<AttentionOp>(func.attention.getOperation());
    Block &body = func.func.front();
    Location loc = forward.getLoc();
    auto append = [&](Value like) -> Value {
      return body.addArgument(like.getType(), loc);
    };
    Value outputGrad = append(forward.getOutput());
    Value grads[] = {append(forward.getQuery()), append(forward.getKey()),
                     append(forward.getValue())};
    // The attributes of the other arguments stay theirs.
    if (ArrayAttr attrs = func.func.getArgAttrsAttr()) {
      SmallVector<Attribute> extended(attrs.getValue());
      extended.append(4, builder.getDictionaryAttr({}));
      func.func.setArgAttrsAttr(builder.getArrayAttr(extended));
    }
    auto backward = AttentionBackwardOp::create(
        builder, loc, forward.getQuery(), forward.getKey(), forward.getValue(),
        forward.getOutput(), outputGrad, forward.getLse(),
        /*lseGrad=*/Value(), grads[0], grads[1], grads[2], MaskAttr(),
        getScale(forward));
    copyMeaning(forward, backward);
    return backward.getOperation();
  });
}

llvm::Expected<OwningOpRef<ModuleOp>> fa::buildForward(ModuleOp module) {
  return replaceProblem(module, [](OpBuilder &builder, AttentionFunc &func) {
    AttentionBackwardOp backward = func.backward;
    auto forward = AttentionOp::create(
        builder, backward.getLoc(), backward.getQuery(), backward.getKey(),
        backward.getValue(), backward.getOutput(), backward.getLse(),
        MaskAttr(), getScale(backward));
    copyMeaning(backward, forward);
    return forward.getOperation();
  });
}
