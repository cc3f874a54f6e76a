//===- AttentionOp.cpp - Builders and effects of the problems -------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/IR/FA.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fa;

#include "fa/IR/FAInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// Builders and accessors
//===----------------------------------------------------------------------===//

/// The types of the results that follow from `destinations`: none on memrefs.
static SmallVector<Type> getResultTypes(ValueRange destinations) {
  SmallVector<Type> types;
  for (Type type : destinations.getTypes())
    if (isa<RankedTensorType>(type))
      types.push_back(type);
  return types;
}

static FloatAttr getScaleAttr(OpBuilder &builder, std::optional<float> scale) {
  return scale ? builder.getF32FloatAttr(*scale) : FloatAttr();
}

void AttentionOp::build(OpBuilder &builder, OperationState &state, Value query,
                        Value key, Value value, Value output, Value lse,
                        MaskAttr mask, std::optional<float> scale) {
  SmallVector<Value> destinations = {output};
  if (lse)
    destinations.push_back(lse);
  build(builder, state, ::getResultTypes(destinations), query, key, value,
        output, lse, mask, ::getScaleAttr(builder, scale),
        /*schedule=*/ScheduleAttr(), /*target=*/TargetAttr());
}

void AttentionBackwardOp::build(OpBuilder &builder, OperationState &state,
                                Value query, Value key, Value value,
                                Value output, Value outputGrad, Value lse,
                                Value lseGrad, Value queryGrad, Value keyGrad,
                                Value valueGrad, MaskAttr mask,
                                std::optional<float> scale) {
  build(builder, state, ::getResultTypes({queryGrad, keyGrad, valueGrad}),
        query, key, value, output, outputGrad, lse, lseGrad, queryGrad, keyGrad,
        valueGrad, mask, ::getScaleAttr(builder, scale),
        /*schedule=*/ScheduleAttr(), /*target=*/TargetAttr());
}

float fa::detail::getScaleOrDefault(FloatAttr scale, int64_t headDim) {
  if (scale)
    return scale.getValue().convertToFloat();
  return 1.0f / std::sqrt(static_cast<float>(headDim));
}

MaskAttr fa::detail::getMaskOrDefault(MLIRContext *context, MaskAttr mask) {
  if (mask)
    return mask;
  return MaskAttr::get(context, MaskKind::None, /*left=*/-1, /*right=*/-1,
                       MaskAlign::BottomRight);
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

/// A problem reads its inputs and then writes its destinations, where they are
/// memory: a tensor is a value, and reading it is no effect. The regions may
/// read tables from outside.
static void getProblemEffects(
    DestinationStyleOpInterface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isInit = op.isDpsInit(&operand);
    MemoryEffects::Effect *effect = MemoryEffects::Read::get();
    if (isInit)
      effect = MemoryEffects::Write::get();
    effects.emplace_back(effect, &operand, /*stage=*/isInit,
                         /*effectOnFullRegion=*/true,
                         SideEffects::DefaultResource::get());
  }
  for (Region &region : op->getRegions())
    region.walk([&](memref::LoadOp load) {
      effects.emplace_back(MemoryEffects::Read::get(), &load.getMemrefMutable(),
                           SideEffects::DefaultResource::get());
    });
}

void AttentionOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  getProblemEffects(*this, effects);
}

void AttentionBackwardOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  getProblemEffects(*this, effects);
}
