//===- Decompose.cpp - fa.attention to steps over whole matrices ----------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of `fa.attention` as a loop over every score, step by step:
//
//   S[b,h,i,j] = sum_c Q[b,h,i,c] K[b,hk,j,c]
//   S          = score(scale * S), -inf where masked
//   m[b,h,i]   = max_j S
//   P          = exp(S - m),  l[b,h,i] = sum_j P
//   A[b,h,i,c] = sum_j P[b,h,i,j] V[b,hk,j,c]
//   O          = A / l, or 0 where l = 0
//   LSE        = m + log l
//
// S and P are whole matrices in memory: this is what FlashAttention avoids.
//
//===----------------------------------------------------------------------===//

#include "MatrixSteps.h"

#include "fa/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FADECOMPOSEPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
class Decomposer : public MatrixSteps {
public:
  Decomposer(RewriterBase &rewriter, AttentionOp op)
      : MatrixSteps(rewriter, op), attention(op) {}

  void run();

private:
  // The steps, in order.
  Value finishScores(Value scores);
  Value computeMax(Value scores);
  std::pair<Value, Value> computeProbs(Value scores, Value max);
  Value computeOutput(Value probs, Value sum);
  Value computeLse(Value max, Value sum);

  AttentionOp attention;
};
} // namespace

/// S = score(scale * S), -inf where masked
Value Decomposer::finishScores(Value scores) {
  prepareMask();
  auto results = emitStep(
      /*numLoops=*/4, /*ins=*/{}, Operand{scores, {B, H, I, J}},
      [&](OpBuilder &builder, ValueRange arguments) {
        return SmallVector<Value>{finishScore(builder, arguments.front())};
      });
  return results.front();
}

/// m = max_j S
Value Decomposer::computeMax(Value scores) {
  Value max = makeFilled("m", {batch, heads, seqQ}, -infinity);
  auto results = emitStep(
      /*numLoops=*/4, Operand{scores, {B, H, I, J}}, Operand{max, {B, H, I}},
      [&](OpBuilder &builder, ValueRange arguments) {
        return SmallVector<Value>{arith::MaximumFOp::create(
            builder, loc, arguments[1], arguments[0])};
      });
  return results.front();
}

/// P = exp(S - m), rounded to V's type; l = sum_j P before rounding
std::pair<Value, Value> Decomposer::computeProbs(Value scores, Value max) {
  Type elementType = op.getElementType();
  Value probs = makeMatrix("P", {batch, heads, seqQ, seqKV}, elementType);
  Value sum = makeFilled("l", {batch, heads, seqQ}, 0.0f);
  auto results = emitStep(
      /*numLoops=*/4, {{scores, {B, H, I, J}}, {max, {B, H, I}}},
      {{probs, {B, H, I, J}}, {sum, {B, H, I}}},
      [&](OpBuilder &builder, ValueRange arguments) {
        // Where no key is visible, exp(-inf - 0) = 0 and not exp(-inf + inf).
        Value isMasked = arith::CmpFOp::create(
            builder, loc, arith::CmpFPredicate::OEQ, arguments[1],
            f32Constant(builder, -infinity));
        Value subtrahend = arith::SelectOp::create(
            builder, loc, isMasked, f32Constant(builder, 0.0f), arguments[1]);
        Value prob = math::ExpOp::create(
            builder, loc,
            arith::SubFOp::create(builder, loc, arguments[0], subtrahend));
        Value newSum =
            arith::AddFOp::create(builder, loc, arguments[3], prob, kSumFlags);
        return SmallVector<Value>{fromF32(builder, prob, elementType), newSum};
      });
  return {results[0], results[1]};
}

/// O = (P V) / l, or 0 where l = 0
Value Decomposer::computeOutput(Value probs, Value sum) {
  OpFoldResult headDimV = rewriter.getIndexAttr(op.getHeadDimV());
  Value accumulator = makeFilled("P V", {batch, heads, seqQ, headDimV}, 0.0f);
  accumulator = accumulateProduct(
      {probs, {B, H, I, J}}, {op.getValue(), {B, H, J, C}, /*sharedHead=*/true},
      {accumulator, {B, H, I, C}});
  constexpr unsigned c = C - 1; // There is no loop over keys.
  auto results = emitStep(
      /*numLoops=*/4, {{accumulator, {B, H, I, c}}, {sum, {B, H, I}}},
      Operand{attention.getOutput(), {B, H, I, c}},
      [&](OpBuilder &builder, ValueRange arguments) {
        Value zero = f32Constant(builder, 0.0f);
        Value isMasked = arith::CmpFOp::create(
            builder, loc, arith::CmpFPredicate::OEQ, arguments[1], zero);
        Value quotient =
            arith::DivFOp::create(builder, loc, arguments[0], arguments[1]);
        Value output =
            arith::SelectOp::create(builder, loc, isMasked, zero, quotient);
        return SmallVector<Value>{
            fromF32(builder, output, op.getElementType())};
      });
  return results.front();
}

/// LSE = m + log l, which is -inf where no key is visible
Value Decomposer::computeLse(Value max, Value sum) {
  auto results =
      emitStep(/*numLoops=*/3, {{max, {B, H, I}}, {sum, {B, H, I}}},
               Operand{attention.getLse(), {B, H, I}},
               [&](OpBuilder &builder, ValueRange arguments) {
                 Value log = math::LogOp::create(builder, loc, arguments[1]);
                 return SmallVector<Value>{
                     arith::AddFOp::create(builder, loc, arguments[0], log)};
               });
  return results.front();
}

void Decomposer::run() {
  Value scores = finishScores(computeScores());
  Value max = computeMax(scores);
  auto [probs, sum] = computeProbs(scores, max);
  Value output = computeOutput(probs, sum);
  SmallVector<Value> results = {output};
  if (attention.getLse())
    results.push_back(computeLse(max, sum));
  finish(results);
}

void fa::decompose(RewriterBase &rewriter, AttentionOp op) {
  Decomposer(rewriter, op).run();
}

namespace {
struct DecomposePass : public fa::impl::FADecomposePassBase<DecomposePass> {
  void runOnOperation() override {
    SmallVector<AttentionOpInterface> ops;
    getOperation().walk([&](AttentionOpInterface op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (AttentionOpInterface op : ops) {
      if (auto attention = dyn_cast<AttentionOp>(op.getOperation())) {
        decompose(rewriter, attention);
        continue;
      }
      auto backward = cast<AttentionBackwardOp>(op.getOperation());
      if (backward.hasScoreRegion() && !backward.hasDerivativeRegion()) {
        backward.emitOpError("expected a derivative region beside the score "
                             "region; run fa-differentiate-score first");
        return signalPassFailure();
      }
      decompose(rewriter, backward);
    }
  }
};
} // namespace
