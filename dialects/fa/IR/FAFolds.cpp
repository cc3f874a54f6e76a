//===- FAFolds.cpp - Canonicalisation of fa ops ---------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/IR/FA.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::fa;

/// Removes what changes nothing, so that passes need not know of it:
///  - a mask of kind none;
///  - a score region that yields its score, unless its derivative is given;
///  - a where region that yields true.
static LogicalResult canonicalizeProblem(AttentionOpInterface op,
                                         bool hasDerivativeRegion,
                                         PatternRewriter &rewriter) {
  if (MaskAttr mask = op.getMaskAttr();
      mask && mask.getKind() == MaskKind::None) {
    rewriter.modifyOpInPlace(op, [&] { op.setMaskAttr(MaskAttr()); });
    return success();
  }
  auto yielded = [](Region &region) {
    return cast<YieldOp>(region.front().getTerminator()).getValue();
  };
  auto dropRegion = [&](Region &region) {
    rewriter.modifyOpInPlace(op, [&] { rewriter.eraseBlock(&region.front()); });
    return success();
  };
  if (op.hasScoreRegion() && !hasDerivativeRegion &&
      yielded(op.getScoreRegion()) == op.getScoreRegion().getArgument(0))
    return dropRegion(op.getScoreRegion());
  if (op.hasMaskRegion() && matchPattern(yielded(op.getMaskRegion()), m_One()))
    return dropRegion(op.getMaskRegion());
  return failure();
}

/// An LSE that nothing uses is not computed.
static LogicalResult dropUnusedLse(AttentionOp op, PatternRewriter &rewriter) {
  if (!op.isOnTensors() || !op.getLse() || !op.getResult(1).use_empty())
    return failure();
  auto narrow = AttentionOp::create(
      rewriter, op.getLoc(), op.getResult(0).getType(), op.getQuery(),
      op.getKey(), op.getValue(), op.getOutput(), /*lse=*/Value(),
      op.getMaskAttr(), op.getScaleAttr(), op.getScheduleAttr(),
      op.getTargetAttr());
  for (unsigned region : {0, 1})
    rewriter.inlineRegionBefore(op->getRegion(region),
                                narrow->getRegion(region),
                                narrow->getRegion(region).begin());
  rewriter.replaceAllUsesWith(op.getResult(0), narrow.getResult(0));
  rewriter.eraseOp(op);
  return success();
}

LogicalResult AttentionOp::canonicalize(AttentionOp op,
                                        PatternRewriter &rewriter) {
  if (succeeded(dropUnusedLse(op, rewriter)))
    return success();
  return canonicalizeProblem(op, /*hasDerivativeRegion=*/false, rewriter);
}

LogicalResult AttentionBackwardOp::canonicalize(AttentionBackwardOp op,
                                                PatternRewriter &rewriter) {
  return canonicalizeProblem(op, op.hasDerivativeRegion(), rewriter);
}

/// A rescale by one is no rescale.
LogicalResult AccumulateOp::canonicalize(AccumulateOp op,
                                         PatternRewriter &rewriter) {
  if (!op.getAlpha() || !matchPattern(op.getAlpha(), m_OneFloat()))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getAlphaMutable().clear(); });
  return success();
}
