//===- DecomposeBackward.cpp - The gradient over whole matrices -----------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of `fa.attention_backward` as a loop over every score, step by
// step:
//
//   X[b,h,i,j]   = sum_c Q[b,h,i,c] K[b,hk,j,c]
//   S            = score(scale * X), -inf where masked
//   P            = exp(S - LSE), 0 where LSE = -inf
//   delta[b,h,i] = sum_c dO[b,h,i,c] O[b,h,i,c] - dLSE[b,h,i]
//   dP[b,h,i,j]  = sum_c dO[b,h,i,c] V[b,hk,j,c]
//   dS           = P (dP - delta) score'(scale * X), 0 where S = -inf
//   dQ[b,h,i,c]  = scale * sum_j dS[b,h,i,j] K[b,hk,j,c]
//   dK[b,hk,j,c] = scale * sum_h sum_i dS[b,h,i,j] Q[b,h,i,c]
//   dV[b,hk,j,c] = sum_h sum_i P[b,h,i,j] dO[b,h,i,c]
//
// S, P, dP and dS are whole matrices in memory. dK and dV are first made for
// each query head, and then summed over those of a key/value head.
//
//===----------------------------------------------------------------------===//

#include "MatrixSteps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
class BackwardDecomposer : public MatrixSteps {
public:
  BackwardDecomposer(RewriterBase &rewriter, AttentionBackwardOp op)
      : MatrixSteps(rewriter, op), backward(op) {}

  void run();

private:
  // The steps, in order.
  std::pair<Value, Value> finishScores(Value products);
  std::pair<Value, Value> computeProbs(Value scores);
  Value computeDelta();
  Value computeProbGrad();
  Value computeScoreGrad(Value scores, Value slopes, Value probs,
                         Value probGrad, Value delta);
  Value computeQueryGrad(Value scoreGrad);
  /// target[b,hk,j,c] = scale * sum_h sum_i weights[b,h,i,j] matrix[b,h,i,c],
  /// where `matrix` is Q or dO; the gradient is called `name`.
  Value computeSharedGrad(StringRef name, Value weights, Value matrix,
                          Value target, float scale);
  /// target[b,hk,j,c] += sum_h source[b,h,j,c] over the query heads of hk.
  Value sumHeads(Value source, Value target);
  /// Query heads of a key/value head.
  OpFoldResult getGroup();
  /// target = scale * source, rounded.
  Value scaleAndRound(Value source, Value target, float scale);

  AttentionBackwardOp backward;
};
} // namespace

/// S = score(scale * X), -inf where masked, in place of X; and score'(scale *
/// X), or null without a score region
std::pair<Value, Value> BackwardDecomposer::finishScores(Value products) {
  prepareMask();
  SmallVector<Operand> outs = {{products, {B, H, I, J}}};
  if (backward.hasScoreRegion())
    outs.push_back({makeMatrix("score'", {batch, heads, seqQ, seqKV},
                               rewriter.getF32Type()),
                    {B, H, I, J}});
  auto results = emitStep(
      /*numLoops=*/4, /*ins=*/{}, outs,
      [&](OpBuilder &builder, ValueRange arguments) {
        SmallVector<Value> yielded = {finishScore(builder, arguments[0])};
        if (backward.hasScoreRegion()) {
          SmallVector<Value> inputs = {arith::MulFOp::create(
              builder, loc, arguments[0],
              f32Constant(builder, backward.getScaleOrDefault()))};
          llvm::append_range(inputs, getPosition(builder));
          yielded.push_back(
              inlineRegion(builder, backward.getDerivativeRegion(), inputs));
        }
        return yielded;
      });
  return {results[0], backward.hasScoreRegion() ? results[1] : Value()};
}

/// P = exp(S - LSE); and P rounded
std::pair<Value, Value> BackwardDecomposer::computeProbs(Value scores) {
  SmallVector<OpFoldResult> shape = {batch, heads, seqQ, seqKV};
  SmallVector<Operand> outs = {
      {makeMatrix("P", shape, rewriter.getF32Type()), {B, H, I, J}}};
  bool isRounded = !backward.getElementType().isF32();
  if (isRounded)
    outs.push_back({makeMatrix("P, rounded", shape, backward.getElementType()),
                    {B, H, I, J}});
  auto results = emitStep(
      /*numLoops=*/4, {{scores, {B, H, I, J}}, {backward.getLse(), {B, H, I}}},
      outs, [&](OpBuilder &builder, ValueRange arguments) {
        // Where no key is visible, exp(-inf - 0) = 0 and not exp(-inf + inf).
        Value isMasked = arith::CmpFOp::create(
            builder, loc, arith::CmpFPredicate::OEQ, arguments[1],
            f32Constant(builder, -infinity));
        Value subtrahend = arith::SelectOp::create(
            builder, loc, isMasked, f32Constant(builder, 0.0f), arguments[1]);
        Value prob = math::ExpOp::create(
            builder, loc,
            arith::SubFOp::create(builder, loc, arguments[0], subtrahend));
        SmallVector<Value> yielded = {prob};
        if (isRounded)
          yielded.push_back(fromF32(builder, prob, backward.getElementType()));
        return yielded;
      });
  return {results.front(), results.back()};
}

/// delta = sum_c dO O - dLSE
Value BackwardDecomposer::computeDelta() {
  Value delta = makeFilled("delta", {batch, heads, seqQ}, 0.0f);
  constexpr unsigned c = C - 1; // There is no loop over keys.
  delta = emitStep(/*numLoops=*/4,
                   {{backward.getOutputGrad(), {B, H, I, c}},
                    {backward.getOutput(), {B, H, I, c}}},
                   Operand{delta, {B, H, I}},
                   [&](OpBuilder &builder, ValueRange arguments) {
                     Value product = arith::MulFOp::create(
                         builder, loc, toF32(builder, arguments[0]),
                         toF32(builder, arguments[1]), kSumFlags);
                     return SmallVector<Value>{arith::AddFOp::create(
                         builder, loc, arguments[2], product, kSumFlags)};
                   })
              .front();
  if (!backward.getLseGrad())
    return delta;
  return emitStep(/*numLoops=*/3, Operand{backward.getLseGrad(), {B, H, I}},
                  Operand{delta, {B, H, I}},
                  [&](OpBuilder &builder, ValueRange arguments) {
                    return SmallVector<Value>{arith::SubFOp::create(
                        builder, loc, arguments[1], arguments[0])};
                  })
      .front();
}

/// dP = dO V^T
Value BackwardDecomposer::computeProbGrad() {
  Value probGrad = makeFilled("dP", {batch, heads, seqQ, seqKV}, 0.0f);
  return accumulateProduct({backward.getOutputGrad(), {B, H, I, C}},
                           {backward.getValue(),
                            {B, H, J, C},
                            /*sharedHead=*/true},
                           {probGrad, {B, H, I, J}});
}

/// dS = P (dP - delta) score', 0 where S = -inf, rounded
Value BackwardDecomposer::computeScoreGrad(Value scores, Value slopes,
                                           Value probs, Value probGrad,
                                           Value delta) {
  SmallVector<Operand> ins = {{scores, {B, H, I, J}},
                              {probs, {B, H, I, J}},
                              {probGrad, {B, H, I, J}},
                              {delta, {B, H, I}}};
  if (slopes)
    ins.push_back({slopes, {B, H, I, J}});
  Value target =
      makeMatrix("dS", {batch, heads, seqQ, seqKV}, backward.getElementType());
  auto results = emitStep(
      /*numLoops=*/4, ins, Operand{target, {B, H, I, J}},
      [&](OpBuilder &builder, ValueRange arguments) {
        Value grad = arith::MulFOp::create(
            builder, loc, arguments[1],
            arith::SubFOp::create(builder, loc, arguments[2], arguments[3]));
        if (slopes)
          grad = arith::MulFOp::create(builder, loc, grad, arguments[4]);
        // The other factors of P = 0 may be infinite.
        Value isHidden = arith::CmpFOp::create(
            builder, loc, arith::CmpFPredicate::OEQ, arguments[0],
            f32Constant(builder, -infinity));
        grad = arith::SelectOp::create(builder, loc, isHidden,
                                       f32Constant(builder, 0.0f), grad);
        return SmallVector<Value>{
            fromF32(builder, grad, backward.getElementType())};
      });
  return results.front();
}

Value BackwardDecomposer::scaleAndRound(Value source, Value target,
                                        float scale) {
  SmallVector<unsigned> loops = {0, 1, 2, 3};
  auto results = emitStep(
      /*numLoops=*/4, Operand{source, loops}, Operand{target, loops},
      [&](OpBuilder &builder, ValueRange arguments) {
        Value value = arguments[0];
        if (scale != 1.0f)
          value = arith::MulFOp::create(builder, loc, value,
                                        f32Constant(builder, scale));
        return SmallVector<Value>{
            fromF32(builder, value, backward.getElementType())};
      });
  return results.front();
}

/// dQ = scale * dS K
Value BackwardDecomposer::computeQueryGrad(Value scoreGrad) {
  OpFoldResult headDim = rewriter.getIndexAttr(backward.getHeadDim());
  Value sum = makeFilled("dQ", {batch, heads, seqQ, headDim}, 0.0f);
  sum =
      accumulateProduct({scoreGrad, {B, H, I, J}},
                        {backward.getKey(), {B, H, J, C}, /*sharedHead=*/true},
                        {sum, {B, H, I, C}});
  return scaleAndRound(sum, backward.getQueryGrad(),
                       backward.getScaleOrDefault());
}

OpFoldResult BackwardDecomposer::getGroup() {
  if (std::optional<int64_t> group = getStaticGroup())
    return rewriter.getIndexAttr(*group);
  // Without any head nothing may be divided by zero.
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value kvHeads = arith::MaxUIOp::create(
      rewriter, loc, toValue(getDim(backward.getKey(), 1)), one);
  return arith::DivUIOp::create(rewriter, loc, toValue(heads), kvHeads)
      .getResult();
}

Value BackwardDecomposer::sumHeads(Value source, Value target) {
  enum : unsigned { KVHead = 1, Member = 2, Key = 3, Column = 4 };
  // Only the length of this matrix counts: that of the loop over members.
  Value members = makeMatrix("members", getGroup(), rewriter.getF32Type());
  Value group = toValue(getDim(members, 0));
  auto results = emitStep(
      /*numLoops=*/5, Operand{members, {Member}},
      Operand{target, {B, KVHead, Key, Column}},
      [&](OpBuilder &builder, ValueRange arguments) {
        auto index = [&](unsigned loop) -> Value {
          return linalg::IndexOp::create(builder, loc, loop);
        };
        Value first = arith::MulIOp::create(builder, loc, index(KVHead), group);
        Value head = arith::AddIOp::create(builder, loc, first, index(Member));
        Value indices[] = {index(B), head, index(Key), index(Column)};
        Value term = readElement(builder, source, indices);
        return SmallVector<Value>{
            arith::AddFOp::create(builder, loc, arguments[1], term, kSumFlags)};
      });
  return results.front();
}

Value BackwardDecomposer::computeSharedGrad(StringRef name, Value weights,
                                            Value matrix, Value target,
                                            float scale) {
  auto targetType = cast<ShapedType>(target.getType());
  OpFoldResult width = rewriter.getIndexAttr(targetType.getDimSize(3));
  Value perHead = makeFilled((name + " of each head").str(),
                             {batch, heads, seqKV, width}, 0.0f);
  perHead = accumulateProduct({weights, {B, H, I, J}}, {matrix, {B, H, I, C}},
                              {perHead, {B, H, J, C}});
  Value sum = makeFilled(
      name, {batch, getDim(backward.getKey(), 1), seqKV, width}, 0.0f);
  sum = sumHeads(perHead, sum);
  return scaleAndRound(sum, target, scale);
}

void BackwardDecomposer::run() {
  auto [scores, slopes] = finishScores(computeScores());
  auto [probs, roundedProbs] = computeProbs(scores);
  Value delta = computeDelta();
  Value probGrad = computeProbGrad();
  Value scoreGrad = computeScoreGrad(scores, slopes, probs, probGrad, delta);
  Value queryGrad = computeQueryGrad(scoreGrad);
  Value keyGrad =
      computeSharedGrad("dK", scoreGrad, backward.getQuery(),
                        backward.getKeyGrad(), backward.getScaleOrDefault());
  Value valueGrad =
      computeSharedGrad("dV", roundedProbs, backward.getOutputGrad(),
                        backward.getValueGrad(), 1.0f);
  finish({queryGrad, keyGrad, valueGrad});
}

void fa::decompose(RewriterBase &rewriter, AttentionBackwardOp op) {
  BackwardDecomposer(rewriter, op).run();
}
