//===- AttentionVerifier.cpp - Verifiers of the problems ------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fa.attention and fa.attention_backward are verified by the same code: each
// says of its operands which sizes their dimensions are, and of its regions
// what they take and yield.
//
//===----------------------------------------------------------------------===//

#include "fa/IR/FA.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

namespace {
/// The sizes of a problem, in the order in which they are compared.
enum class Size { HeadDim, HeadDimV, Batch, KVHeads, Heads, SeqKV, SeqQ };

/// An operand of a problem, and which size each of its dimensions is.
struct Operand {
  StringRef name;
  ShapedType type;
  ArrayRef<Size> dims;
};
} // namespace

constexpr Size queryDims[] = {Size::Batch, Size::Heads, Size::SeqQ,
                              Size::HeadDim};
constexpr Size keyDims[] = {Size::Batch, Size::KVHeads, Size::SeqKV,
                            Size::HeadDim};
constexpr Size valueDims[] = {Size::Batch, Size::KVHeads, Size::SeqKV,
                              Size::HeadDimV};
constexpr Size outputDims[] = {Size::Batch, Size::Heads, Size::SeqQ,
                               Size::HeadDimV};
constexpr Size lseDims[] = {Size::Batch, Size::Heads, Size::SeqQ};

/// What a message calls a size.
static StringRef getName(Size size) {
  switch (size) {
  case Size::HeadDim:
  case Size::HeadDimV:
    return "the head dim";
  case Size::Batch:
    return "the batch size";
  case Size::KVHeads:
  case Size::Heads:
    return "the number of heads";
  case Size::SeqKV:
  case Size::SeqQ:
    return "the sequence length";
  }
  llvm_unreachable("covered switch");
}

/// Fails unless `size` is the same in all operands that have it, as far as it
/// is static there.
static LogicalResult verifySize(Operation *op, ArrayRef<Operand> operands,
                                Size size) {
  const Operand *first = nullptr;
  int64_t expected = ShapedType::kDynamic;
  for (const Operand &operand : operands) {
    const auto *dim = llvm::find(operand.dims, size);
    if (dim == operand.dims.end())
      continue;
    int64_t actual = operand.type.getDimSize(dim - operand.dims.begin());
    if (!first) {
      first = &operand;
      expected = actual;
    } else if (ShapedType::isStatic(expected) && ShapedType::isStatic(actual) &&
               actual != expected) {
      return op->emitOpError("expected ")
             << getName(size) << " of " << operand.name << " to be that of "
             << first->name << ", " << expected << ", but got " << actual;
    }
  }
  return success();
}

/// The relations between the operands; the first two are Q and K.
static LogicalResult verifyShapes(Operation *op, ArrayRef<Operand> operands) {
  ShapedType q = operands[0].type, k = operands[1].type;
  // attention_c3, attention_backward_c3
  for (const Operand &operand : operands)
    if (isa<MemRefType>(operand.type) != isa<MemRefType>(q))
      return op->emitOpError(
                 "expected operands that are all tensors or all memrefs but "
                 "query is ")
             << q << " and " << operand.name << " is " << operand.type;
  auto matrices = llvm::make_filter_range(operands, [](const Operand &operand) {
    return operand.dims.size() == 4;
  });
  // attention_c4, attention_backward_c4
  for (const Operand &operand : matrices)
    if (operand.type.getElementType() != q.getElementType())
      return op->emitOpError("expected the element type of ")
             << operand.name << " to be that of query, " << q.getElementType()
             << ", but got " << operand.type.getElementType();
  // attention_c5, attention_backward_c5
  for (const Operand &operand : matrices)
    if (operand.type.isDynamicDim(3) || operand.type.getDimSize(3) <= 0)
      return op->emitOpError("expected a static, positive head dim (last "
                             "dimension) of ")
             << operand.name << " but got " << operand.type;
  // attention_c6, attention_c7, attention_c8, attention_c9, attention_c10,
  // attention_backward_c6, attention_backward_c7, attention_backward_c8,
  // attention_backward_c9, attention_backward_c10
  for (Size size :
       {Size::HeadDim, Size::HeadDimV, Size::Batch, Size::KVHeads, Size::Heads})
    if (failed(verifySize(op, operands, size)))
      return failure();
  // attention_c11, attention_backward_c11
  int64_t heads = q.getDimSize(1), kvHeads = k.getDimSize(1);
  if (ShapedType::isStatic(heads) && ShapedType::isStatic(kvHeads) &&
      (kvHeads == 0 ? heads != 0 : heads % kvHeads != 0))
    return op->emitOpError("expected the number of heads of query to be a "
                           "multiple of that of key, ")
           << kvHeads << ", but got " << heads;
  // attention_c12, attention_c13, attention_backward_c12,
  // attention_backward_c13
  for (Size size : {Size::SeqKV, Size::SeqQ})
    if (failed(verifySize(op, operands, size)))
      return failure();
  // attention_c14, attention_backward_c14
  for (const Operand &operand : operands)
    if (auto memref = dyn_cast<MemRefType>(operand.type))
      if (!memref.isLastDimUnitStride())
        return op->emitOpError("expected a contiguous last dimension (stride "
                               "1) of ")
               << operand.name << " but got " << memref;
  return success();
}

/// What is left when the operands are known to fit.
static LogicalResult verifyScaleAndResults(AttentionOpInterface op) {
  // attention_c15, attention_backward_c15
  if (FloatAttr scale = op.getScaleAttr();
      scale && !scale.getValue().isFinite())
    return op->emitOpError("expected a finite scale but got ") << scale;
  // attention_c19, attention_backward_c19
  auto destinations = cast<DestinationStyleOpInterface>(op.getOperation());
  size_t expected = op.isOnTensors() ? destinations.getNumDpsInits() : 0;
  if (op->getNumResults() != expected)
    return op->emitOpError("expected ")
           << expected << (expected == 1 ? " result on " : " results on ")
           << (op.isOnTensors() ? "tensors" : "memrefs") << " but got "
           << op->getNumResults();
  return success();
}

LogicalResult AttentionOp::verify() {
  SmallVector<Operand> operands = {
      {"query", getQuery().getType(), queryDims},
      {"key", getKey().getType(), keyDims},
      {"value", getValue().getType(), valueDims},
      {"output", getOutput().getType(), outputDims}};
  if (Value lse = getLse())
    operands.push_back({"lse", cast<ShapedType>(lse.getType()), lseDims});
  if (failed(verifyShapes(*this, operands)))
    return failure();
  return verifyScaleAndResults(*this);
}

LogicalResult AttentionBackwardOp::verify() {
  SmallVector<Operand> operands = {
      {"query", getQuery().getType(), queryDims},
      {"key", getKey().getType(), keyDims},
      {"value", getValue().getType(), valueDims},
      {"output", getOutput().getType(), outputDims},
      {"outputGrad", getOutputGrad().getType(), outputDims},
      {"lse", getLse().getType(), lseDims},
      {"queryGrad", getQueryGrad().getType(), queryDims},
      {"keyGrad", getKeyGrad().getType(), keyDims},
      {"valueGrad", getValueGrad().getType(), valueDims}};
  if (Value lseGrad = getLseGrad())
    operands.push_back(
        {"lseGrad", cast<ShapedType>(lseGrad.getType()), lseDims});
  if (failed(verifyShapes(*this, operands)))
    return failure();
  return verifyScaleAndResults(*this);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

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
static LogicalResult verifyScalarRegion(Operation *op, Region &region,
                                        StringRef name,
                                        ArrayRef<Type> argumentTypes,
                                        Type resultType) {
  Block &block = region.front();
  // attention_c16, attention_c17, attention_backward_c16,
  // attention_backward_c17, attention_backward_c22
  if (!llvm::equal(block.getArgumentTypes(), argumentTypes))
    return op->emitOpError("expected the ")
           << name << " region to take (" << argumentTypes << ") but it takes ("
           << block.getArgumentTypes() << ")";
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValue().getType() != resultType) {
    InFlightDiagnostic diag = op->emitOpError("expected the ")
                              << name << " region to yield " << resultType;
    if (yield)
      diag << " but it yields " << yield.getValue().getType();
    return diag;
  }
  for (Operation &nested : block.without_terminator()) {
    // attention_c18, attention_backward_c18
    if (!isScalarOp(nested)) {
      InFlightDiagnostic diag = op->emitOpError(
          "expected only scalar arith and math ops, tensor.extract and "
          "memref.load in the ");
      diag << name << " region but got '" << nested.getName() << "'";
      diag.attachNote(nested.getLoc()) << "see the op here";
      return diag;
    }
    // attention_c21, attention_backward_c21
    if (auto load = dyn_cast<memref::LoadOp>(nested);
        load && !load.getMemRefType().isStrided()) {
      InFlightDiagnostic diag =
          op->emitOpError("expected the memref that the ");
      diag << name << " region reads to have strides but got "
           << load.getMemRefType();
      diag.attachNote(load.getLoc()) << "see the read here";
      return diag;
    }
    // attention_c20, attention_backward_c20
    if (dividesByPosition(nested, region)) {
      InFlightDiagnostic diag = op->emitOpError("expected the divisor of '");
      diag << nested.getName() << "' in the " << name
           << " region to be a constant other than 0 or to come from outside "
              "of the region";
      diag.attachNote(nested.getLoc()) << "see the division here";
      return diag;
    }
  }
  return success();
}

/// The regions that every problem has.
static LogicalResult verifyScoreAndMask(AttentionOpInterface op) {
  Builder b(op.getContext());
  Type f32 = b.getF32Type(), index = b.getIndexType();
  if (op.hasScoreRegion() &&
      failed(verifyScalarRegion(op, op.getScoreRegion(), "score",
                                {f32, index, index, index, index}, f32)))
    return failure();
  if (op.hasMaskRegion() &&
      failed(verifyScalarRegion(op, op.getMaskRegion(), "where",
                                {index, index, index, index}, b.getI1Type())))
    return failure();
  return success();
}

LogicalResult AttentionOp::verifyRegions() { return verifyScoreAndMask(*this); }

LogicalResult AttentionBackwardOp::verifyRegions() {
  if (failed(verifyScoreAndMask(*this)))
    return failure();
  if (!hasDerivativeRegion())
    return success();
  // attention_backward_c23
  if (!hasScoreRegion())
    return emitOpError("expected a score region beside the derivative region");
  Builder b(getContext());
  Type f32 = b.getF32Type(), index = b.getIndexType();
  return verifyScalarRegion(*this, getDerivativeRegion(), "derivative",
                            {f32, index, index, index, index}, f32);
}
