//===- TileOps.cpp - Verifiers and effects of the tile ops ----------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/IR/FA.h"

using namespace mlir;
using namespace mlir::fa;

/// Whether an op outside of `region` uses what is defined in it. Ops before it
/// may, as far as the parser knows.
static bool isUsedOutside(Region &region) {
  // Regions that are being parsed belong to no op yet, which
  // Region::isAncestor does not expect.
  auto isOutside = [&](Operation *user) {
    while (user && user->getParentRegion() != &region)
      user = user->getParentRegion() ? user->getParentOp() : nullptr;
    return !user;
  };
  auto escapes = [&](Value value) {
    return llvm::any_of(value.getUsers(), isOutside);
  };
  for (Block &block : region) {
    if (llvm::any_of(block.getArguments(), escapes))
      return true;
    for (Operation &op : block)
      if (llvm::any_of(op.getResults(), escapes))
        return true;
  }
  return false;
}

/// A function of the user's. The parser frees the region if it, or what
/// follows, is malformed: by then nothing outside may use its values.
static ParseResult parseFunction(OpAsmParser &parser, Region &region) {
  SMLoc loc = parser.getCurrentLocation();
  ParseResult result = parser.parseRegion(region);
  if (succeeded(result) && isUsedOutside(region))
    result =
        parser.emitError(loc, "expected what the region defines to be used "
                              "in it alone");
  if (failed(result))
    for (Block &block : region)
      block.dropAllDefinedValueUses();
  return result;
}

static void printFunction(OpAsmPrinter &printer, Operation *, Region &region) {
  printer.printRegion(region);
}

#define GET_OP_CLASSES
#include "fa/IR/FAOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

/// Fails if a memref operand can't be read row by row.
static LogicalResult verifyContiguousRows(Operation *op, StringRef name,
                                          Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || memref.isLastDimUnitStride())
    return success();
  return op->emitOpError("expected a contiguous last dimension (stride 1) of ")
         << name << " but got " << memref;
}

/// Fails if the static number `actual` is not `expected`.
static LogicalResult verifySize(Operation *op, StringRef what, int64_t expected,
                                int64_t actual) {
  if (ShapedType::isDynamic(actual) || actual == expected)
    return success();
  return op->emitOpError("expected ")
         << what << " to be " << expected << " but got " << actual;
}

/// Fails unless `scale` is positive and finite, so that exp(scale * (s - m))
/// is at most 1 for every s <= m.
static LogicalResult verifyPositiveScale(Operation *op, FloatAttr attribute) {
  APFloat scale = attribute.getValue();
  if (scale.isFinite() && !scale.isNegative() && !scale.isZero())
    return success();
  return op->emitOpError("expected a positive, finite scale but got ")
         << attribute;
}

/// The product reads `operand` where it stands if that is memory.
static void addReadOfMemory(
    OpOperand &operand,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (isa<MemRefType>(operand.get().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &operand,
                         SideEffects::DefaultResource::get());
}

//===----------------------------------------------------------------------===//
// ScoresOp
//===----------------------------------------------------------------------===//

LogicalResult ScoresOp::verify() {
  ShapedType q = getQuery().getType(), k = getKey().getType();
  // scores_c1
  if (q.isDynamicDim(1) || q.getDimSize(1) != k.getDimSize(1))
    return emitOpError("expected query and key with the same static number of "
                       "columns but got ")
           << q << " and " << k;
  // scores_c2
  if (q.getElementType() != k.getElementType())
    return emitOpError("expected the element type of key to be that of query, ")
           << q.getElementType() << ", but got " << k.getElementType();
  // scores_c3
  VectorType scores = getScores().getType();
  if (failed(verifySize(*this, "the rows of query", scores.getDimSize(0),
                        q.getDimSize(0))) ||
      failed(verifySize(*this, "the rows of key", scores.getDimSize(1),
                        k.getDimSize(0))))
    return failure();
  // scores_c4
  if (failed(verifyContiguousRows(*this, "query", q)) ||
      failed(verifyContiguousRows(*this, "key", k)))
    return failure();
  // scores_c5
  if (!getScale().isFinite())
    return emitOpError("expected a finite scale but got ") << getScaleAttr();
  return success();
}

void ScoresOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addReadOfMemory(getQueryMutable(), effects);
  addReadOfMemory(getKeyMutable(), effects);
}

//===----------------------------------------------------------------------===//
// SoftmaxOp, OnlineSoftmaxOp
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::verify() {
  // softmax_c3
  if (failed(verifySize(*this, "the size of max",
                        getScores().getType().getDimSize(0),
                        getMax().getType().getDimSize(0))))
    return failure();
  // softmax_c4
  return verifyPositiveScale(*this, getScaleAttr());
}

LogicalResult OnlineSoftmaxOp::verify() {
  // online_softmax_c3
  if (failed(verifySize(*this, "the size of max",
                        getScores().getType().getDimSize(0),
                        getMax().getType().getDimSize(0))))
    return failure();
  // online_softmax_c4
  if (failed(verifyPositiveScale(*this, getScaleAttr())))
    return failure();
  // online_softmax_c5
  if (std::optional<APFloat> lazy = getLazy()) {
    float bound = lazy->convertToFloat();
    if (!(bound >= 0.0f && bound <= 15.0f))
      return emitOpError("expected lazy to be from 0 to 15 but got ")
             << getLazyAttr();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// RescaleOp
//===----------------------------------------------------------------------===//

LogicalResult RescaleOp::verify() {
  // rescale_c2
  return verifySize(*this, "the size of alpha",
                    getAcc().getType().getDimSize(0),
                    getAlpha().getType().getDimSize(0));
}

//===----------------------------------------------------------------------===//
// AccumulateOp
//===----------------------------------------------------------------------===//

LogicalResult AccumulateOp::verify() {
  VectorType probs = getProbs().getType(), acc = getAcc().getType();
  ShapedType value = getValue().getType();
  // accumulate_c1
  if (probs.getElementType() != value.getElementType())
    return emitOpError("expected the element type of probs to be that of "
                       "value, ")
           << value.getElementType() << ", but got " << probs.getElementType();
  // accumulate_c2
  unsigned rowDim = getTransposed() ? 1 : 0;
  if (failed(verifySize(*this, "the rows of value",
                        probs.getDimSize(1 - rowDim), value.getDimSize(0))))
    return failure();
  // accumulate_c3
  if (acc.getDimSize(0) != probs.getDimSize(rowDim) ||
      acc.getDimSize(1) != value.getDimSize(1))
    return emitOpError("expected acc with the rows of ")
           << (getTransposed() ? "the transpose of " : "")
           << "probs and the columns of value but got " << acc << " for "
           << probs << " and " << value;
  // accumulate_c4
  if (Value alpha = getAlpha())
    if (failed(verifySize(*this, "the size of alpha", acc.getDimSize(0),
                          cast<VectorType>(alpha.getType()).getDimSize(0))))
      return failure();
  // accumulate_c5
  return verifyContiguousRows(*this, "value", value);
}

void AccumulateOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addReadOfMemory(getValueMutable(), effects);
}

//===----------------------------------------------------------------------===//
// FinishOp
//===----------------------------------------------------------------------===//

LogicalResult FinishOp::verify() {
  // finish_c3
  if (failed(verifySize(*this, "the size of max",
                        getAcc().getType().getDimSize(0),
                        getMax().getType().getDimSize(0))))
    return failure();
  // finish_c4
  return verifyPositiveScale(*this, getScaleAttr());
}
