//===- AttentionOp.cpp - Builders and verifier of fa.attention ------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/IR/FA.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// Builder and accessors
//===----------------------------------------------------------------------===//

void AttentionOp::build(OpBuilder &builder, OperationState &state, Value query,
                        Value key, Value value, Value output, Value lse,
                        MaskAttr mask, std::optional<float> scale) {
  SmallVector<Type> results;
  if (isa<RankedTensorType>(output.getType()))
    results = {output.getType(), lse.getType()};
  FloatAttr scaleAttr = scale ? builder.getF32FloatAttr(*scale) : FloatAttr();
  build(builder, state, results, query, key, value, output, lse, mask,
        scaleAttr, /*schedule=*/ScheduleAttr(), /*target=*/TargetAttr());
}

bool AttentionOp::isOnTensors() {
  return isa<RankedTensorType>(getOutput().getType());
}

float AttentionOp::getScaleOrDefault() {
  if (std::optional<APFloat> scale = getScale())
    return scale->convertToFloat();
  return 1.0f / std::sqrt(static_cast<float>(getHeadDim()));
}

MaskAttr AttentionOp::getMaskOrDefault() {
  if (MaskAttr mask = getMaskAttr())
    return mask;
  return MaskAttr::get(getContext(), MaskKind::None, /*left=*/-1,
                       /*right=*/-1, MaskAlign::BottomRight);
}

void AttentionOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  // A tensor is a value: reading it is no effect.
  if (!isOnTensors()) {
    for (OpOperand *input : getDpsInputOperands())
      effects.emplace_back(MemoryEffects::Read::get(), input, /*stage=*/0,
                           /*effectOnFullRegion=*/true,
                           SideEffects::DefaultResource::get());
    for (OpOperand &init : getDpsInitsMutable())
      effects.emplace_back(MemoryEffects::Write::get(), &init, /*stage=*/1,
                           /*effectOnFullRegion=*/true,
                           SideEffects::DefaultResource::get());
  }
  // The regions may read tables from outside.
  for (Region &region : getOperation()->getRegions())
    region.walk([&](memref::LoadOp load) {
      effects.emplace_back(MemoryEffects::Read::get(), &load.getMemrefMutable(),
                           SideEffects::DefaultResource::get());
    });
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

namespace {
/// A named dimension of an operand, for messages that print both sides.
struct Dim {
  StringRef operand;
  ShapedType type;
  unsigned index;

  int64_t size() const { return type.getDimSize(index); }
};
} // namespace

/// Fails if both dimensions are static and differ. `what` names them both.
static LogicalResult verifySameDim(AttentionOp op, StringRef what, Dim expected,
                                   Dim actual) {
  if (ShapedType::isDynamic(expected.size()) ||
      ShapedType::isDynamic(actual.size()) || expected.size() == actual.size())
    return success();
  return op.emitOpError("expected ")
         << what << " of " << actual.operand << " to be that of "
         << expected.operand << ", " << expected.size() << ", but got "
         << actual.size();
}

/// attention_c3 to attention_c13: relations between the shapes.
static LogicalResult verifyShapes(AttentionOp op) {
  ShapedType q = op.getQuery().getType(), k = op.getKey().getType(),
             v = op.getValue().getType(), o = op.getOutput().getType(),
             lse = op.getLse().getType();
  Dim named[] = {{"query", q, 0},
                 {"key", k, 0},
                 {"value", v, 0},
                 {"output", o, 0},
                 {"lse", lse, 0}};
  auto at = [&](unsigned operand, unsigned index) {
    return Dim{named[operand].operand, named[operand].type, index};
  };
  enum { Q, K, V, O, LSE };

  // attention_c3
  for (const Dim &dim : named)
    if (isa<MemRefType>(dim.type) != isa<MemRefType>(q))
      return op.emitOpError(
                 "expected operands that are all tensors or all memrefs but "
                 "query is ")
             << q << " and " << dim.operand << " is " << dim.type;
  // attention_c4
  for (const Dim &dim : ArrayRef(named).drop_back())
    if (dim.type.getElementType() != q.getElementType())
      return op.emitOpError("expected the element type of ")
             << dim.operand << " to be that of query, " << q.getElementType()
             << ", but got " << dim.type.getElementType();
  // attention_c5
  for (const Dim &dim : ArrayRef(named).drop_back())
    if (dim.type.isDynamicDim(3) || dim.type.getDimSize(3) <= 0)
      return op.emitOpError("expected a static, positive head dim (last "
                            "dimension) of ")
             << dim.operand << " but got " << dim.type;

  auto same = [&](StringRef what, unsigned index, unsigned expected,
                  ArrayRef<unsigned> others) -> LogicalResult {
    for (unsigned other : others)
      if (failed(
              verifySameDim(op, what, at(expected, index), at(other, index))))
        return failure();
    return success();
  };
  // attention_c6, attention_c7
  if (failed(same("the head dim", 3, Q, {K})) ||
      failed(same("the head dim", 3, V, {O})))
    return failure();
  // attention_c8
  if (failed(same("the batch size", 0, Q, {K, V, O, LSE})))
    return failure();
  // attention_c9, attention_c10
  if (failed(same("the number of heads", 1, K, {V})) ||
      failed(same("the number of heads", 1, Q, {O, LSE})))
    return failure();
  // attention_c11
  int64_t heads = q.getDimSize(1), kvHeads = k.getDimSize(1);
  if (ShapedType::isStatic(heads) && ShapedType::isStatic(kvHeads) &&
      (kvHeads == 0 ? heads != 0 : heads % kvHeads != 0))
    return op.emitOpError("expected the number of heads of query to be a "
                          "multiple of that of key, ")
           << kvHeads << ", but got " << heads;
  // attention_c12, attention_c13
  if (failed(same("the sequence length", 2, K, {V})) ||
      failed(same("the sequence length", 2, Q, {O, LSE})))
    return failure();
  // attention_c14
  for (const Dim &dim : named)
    if (auto memref = dyn_cast<MemRefType>(dim.type))
      if (!memref.isLastDimUnitStride())
        return op.emitOpError("expected a contiguous last dimension (stride "
                              "1) of ")
               << dim.operand << " but got " << memref;
  return success();
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyShapes(*this)))
    return failure();
  // attention_c15
  if (std::optional<APFloat> scale = getScale())
    if (!scale->isFinite())
      return emitOpError("expected a finite scale but got ") << getScaleAttr();
  // attention_c19
  size_t expected = isOnTensors() ? 2 : 0;
  if (getNumResults() != expected)
    return emitOpError("expected ")
           << expected << " results on " << (expected ? "tensors" : "memrefs")
           << " but got " << getNumResults();
  return success();
}

/// Whether `op` is one that can be applied to a tile element by
/// element.
static bool isScalarOp(Operation &op) {
  auto isScalar = [](Type type) {
    if (auto integer = dyn_cast<IntegerType>(type))
      return integer.isSignless() && integer.getWidth() <= 64;
    return isa<IndexType, Float16Type, BFloat16Type, Float32Type, Float64Type>(
        type);
  };
  if (!llvm::all_of(op.getResultTypes(), isScalar))
    return false;
  if (isa<tensor::ExtractOp, memref::LoadOp>(op))
    return true;
  return isa_and_present<arith::ArithDialect, math::MathDialect>(
             op.getDialect()) &&
         isMemoryEffectFree(&op) && op.getNumRegions() == 0;
}

/// Whether `op` divides integers by what depends on the position
/// of the score. Positions past the end are computed with the others and then
/// dropped, and there the divisor could be 0.
static bool dividesByPosition(Operation &op, Region &region) {
  if (!isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::DivSIOp,
           arith::DivUIOp, arith::FloorDivSIOp, arith::RemSIOp, arith::RemUIOp>(
          op))
    return false;
  Value divisor = op.getOperand(1);
  APInt constant;
  if (matchPattern(divisor, m_ConstantInt(&constant)))
    return constant.isZero();
  return region.isAncestor(divisor.getParentRegion());
}

/// Fails unless the region takes `argumentTypes`, yields `resultType`, and
/// holds only ops that can be applied to a tile element by element.
static LogicalResult verifyScalarRegion(AttentionOp op, Region &region,
                                        StringRef name,
                                        ArrayRef<Type> argumentTypes,
                                        Type resultType) {
  Block &block = region.front();
  // attention_c16, attention_c17
  if (!llvm::equal(block.getArgumentTypes(), argumentTypes))
    return op.emitOpError("expected the ")
           << name << " region to take (" << argumentTypes << ") but it takes ("
           << block.getArgumentTypes() << ")";
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValue().getType() != resultType) {
    InFlightDiagnostic diag = op.emitOpError("expected the ")
                              << name << " region to yield " << resultType;
    if (yield)
      diag << " but it yields " << yield.getValue().getType();
    return diag;
  }
  for (Operation &nested : block.without_terminator()) {
    // attention_c18
    if (!isScalarOp(nested)) {
      InFlightDiagnostic diag = op.emitOpError(
          "expected only scalar arith and math ops, tensor.extract and "
          "memref.load in the ");
      diag << name << " region but got '" << nested.getName() << "'";
      diag.attachNote(nested.getLoc()) << "see the op here";
      return diag;
    }
    // attention_c21
    if (auto load = dyn_cast<memref::LoadOp>(nested);
        load && !load.getMemRefType().isStrided()) {
      InFlightDiagnostic diag = op.emitOpError("expected the memref that the ");
      diag << name << " region reads to have strides but got "
           << load.getMemRefType();
      diag.attachNote(load.getLoc()) << "see the read here";
      return diag;
    }
    // attention_c20
    if (dividesByPosition(nested, region)) {
      InFlightDiagnostic diag = op.emitOpError("expected the divisor of '");
      diag << nested.getName() << "' in the " << name
           << " region to be a constant other than 0 or to come from outside "
              "of the region";
      diag.attachNote(nested.getLoc()) << "see the division here";
      return diag;
    }
  }
  return success();
}

LogicalResult AttentionOp::verifyRegions() {
  Type f32 = Float32Type::get(getContext());
  Type i1 = IntegerType::get(getContext(), 1);
  Type index = IndexType::get(getContext());
  if (hasScoreRegion() &&
      failed(verifyScalarRegion(*this, getScoreRegion(), "score",
                                {f32, index, index, index, index}, f32)))
    return failure();
  if (hasMaskRegion() &&
      failed(verifyScalarRegion(*this, getMaskRegion(), "where",
                                {index, index, index, index}, i1)))
    return failure();
  return success();
}
