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

#include "fa/Transforms/Passes.h"

#include "fa/IR/FA.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

#include <limits>

namespace mlir::fa {
#define GEN_PASS_DEF_FADECOMPOSEPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {

/// The loops that every step is over, or over some of: batch, query head,
/// query, key, head dim.
enum Loop : unsigned { B, H, I, J, C };

/// A matrix and the loops that index it, one a dimension.
struct Operand {
  Value matrix;
  SmallVector<unsigned> loops;
};

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A sum may be taken in any order, and as FMAs. Nothing else is relaxed; in
/// particular -inf and NaN are values.
constexpr arith::FastMathFlags kSumFlags =
    arith::FastMathFlags::reassoc | arith::FastMathFlags::contract;

/// Decomposes one `fa.attention`. The same code serves tensors and memrefs: a
/// step returns what its destination holds afterwards, which is a new value on
/// tensors and the destination itself on memrefs.
class Decomposer {
public:
  Decomposer(RewriterBase &rewriter, AttentionOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()) {
    rewriter.setInsertionPoint(op);
    batch = getDim(op.getQuery(), 0);
    heads = getDim(op.getQuery(), 1);
    seqQ = getDim(op.getQuery(), 2);
    seqKV = getDim(op.getKey(), 2);
  }

  void run();

private:
  // The steps, in order.
  Value computeScores();
  Value finishScores(Value scores);
  Value computeMax(Value scores);
  std::pair<Value, Value> computeProbs(Value scores, Value max);
  Value computeOutput(Value probs, Value sum);
  Value computeLse(Value max, Value sum);

  /// out[...] += lhs[...] * rhs[b, hk, j, c], where `rhs` is K or V. Loops that
  /// do not index `out` are summed over.
  Value accumulateProduct(Operand lhs, Value rhs, Operand out);
  /// How many query heads share a key/value head, if that is known.
  std::optional<int64_t> getStaticGroup();
  /// Reads K or V in the body of a product, at the head that is shared.
  Value readSharedHead(OpBuilder &builder, Value matrix, Value numHeads,
                       Value numKVHeads);

  /// -inf where the query at `position` does not see the key.
  Value maskScore(OpBuilder &builder, Value score, ArrayRef<Value> position,
                  Value shift);
  /// The value that `region` yields for `arguments`.
  Value inlineRegion(OpBuilder &builder, Region &region, ValueRange arguments);

  // Matrices.
  using Body = function_ref<SmallVector<Value>(OpBuilder &, ValueRange)>;
  SmallVector<Value> emitStep(unsigned numLoops, ArrayRef<Operand> ins,
                              ArrayRef<Operand> outs, Body body);
  SmallVector<Value> emitStep(ArrayRef<Value> ins, ArrayRef<AffineMap> maps,
                              ArrayRef<Operand> outs, Body body);
  AffineMap getMap(unsigned numLoops, ArrayRef<unsigned> loops);
  /// A buffer is called `name` in its location, for who reads the IR.
  Value makeMatrix(StringRef name, ArrayRef<OpFoldResult> shape,
                   Type elementType);
  Value makeFilled(StringRef name, ArrayRef<OpFoldResult> shape, float value);
  Value fill(Value matrix, float value);
  OpFoldResult getDim(Value matrix, int64_t dim);
  Value toValue(OpFoldResult size);

  // Scalars.
  Value f32Constant(OpBuilder &builder, float value);
  Value toF32(OpBuilder &builder, Value value);
  Value fromF32(OpBuilder &builder, Value value, Type type);

  RewriterBase &rewriter;
  AttentionOp op;
  Location loc;
  OpFoldResult batch, heads, seqQ, seqKV;
  SmallVector<Value> allocated;
};

} // namespace

//===----------------------------------------------------------------------===//
// Scalars and matrices
//===----------------------------------------------------------------------===//

Value Decomposer::f32Constant(OpBuilder &builder, float value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF32FloatAttr(value));
}

Value Decomposer::toF32(OpBuilder &builder, Value value) {
  if (value.getType().isF32())
    return value;
  return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
}

Value Decomposer::fromF32(OpBuilder &builder, Value value, Type type) {
  if (type.isF32())
    return value;
  return arith::TruncFOp::create(builder, loc, type, value);
}

OpFoldResult Decomposer::getDim(Value matrix, int64_t dim) {
  auto type = cast<ShapedType>(matrix.getType());
  if (!type.isDynamicDim(dim))
    return rewriter.getIndexAttr(type.getDimSize(dim));
  return linalg::createOrFoldDimOp(rewriter, loc, matrix, dim);
}

Value Decomposer::toValue(OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(rewriter, loc, size);
}

Value Decomposer::makeMatrix(StringRef name, ArrayRef<OpFoldResult> shape,
                             Type elementType) {
  if (op.isOnTensors())
    return tensor::EmptyOp::create(rewriter, loc, shape, elementType);
  SmallVector<int64_t> staticShape;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(shape, dynamicSizes, staticShape);
  auto type = MemRefType::get(staticShape, elementType);
  return allocated.emplace_back(memref::AllocOp::create(
      rewriter, NameLoc::get(rewriter.getStringAttr(name), loc), type,
      dynamicSizes));
}

Value Decomposer::fill(Value matrix, float value) {
  Value constant = f32Constant(rewriter, value);
  auto fillOp = linalg::FillOp::create(rewriter, loc, constant, matrix);
  return op.isOnTensors() ? fillOp.getResult(0) : matrix;
}

Value Decomposer::makeFilled(StringRef name, ArrayRef<OpFoldResult> shape,
                             float value) {
  return fill(makeMatrix(name, shape, rewriter.getF32Type()), value);
}

AffineMap Decomposer::getMap(unsigned numLoops, ArrayRef<unsigned> loops) {
  return AffineMap::getMultiDimMapWithTargets(numLoops, loops,
                                              rewriter.getContext());
}

/// A `linalg.generic` over matrices that the loops index directly.
SmallVector<Value> Decomposer::emitStep(unsigned numLoops,
                                        ArrayRef<Operand> ins,
                                        ArrayRef<Operand> outs, Body body) {
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  for (const Operand &in : ins) {
    values.push_back(in.matrix);
    maps.push_back(getMap(numLoops, in.loops));
  }
  for (const Operand &out : outs)
    maps.push_back(getMap(numLoops, out.loops));
  return emitStep(values, maps, outs, body);
}

/// A `linalg.generic`; a loop is parallel if it indexes every one of `outs`.
SmallVector<Value> Decomposer::emitStep(ArrayRef<Value> ins,
                                        ArrayRef<AffineMap> maps,
                                        ArrayRef<Operand> outs, Body body) {
  SmallVector<utils::IteratorType> iterators;
  for (unsigned loop = 0; loop < maps.front().getNumDims(); ++loop)
    iterators.push_back(llvm::all_of(outs,
                                     [&](const Operand &out) {
                                       return llvm::is_contained(out.loops,
                                                                 loop);
                                     })
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  SmallVector<Value> outValues =
      llvm::map_to_vector(outs, [](const Operand &out) { return out.matrix; });
  auto generic = linalg::GenericOp::create(
      rewriter, loc,
      op.isOnTensors() ? TypeRange(ValueRange(outValues)) : TypeRange(), ins,
      outValues, maps, iterators,
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        linalg::YieldOp::create(builder, loc, body(builder, arguments));
      });
  if (op.isOnTensors())
    return llvm::to_vector_of<Value>(generic.getResults());
  return outValues;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

std::optional<int64_t> Decomposer::getStaticGroup() {
  std::optional<int64_t> numHeads = getConstantIntValue(heads);
  int64_t numKVHeads = op.getKey().getType().getDimSize(1);
  if (!numHeads || *numHeads == 0 || ShapedType::isDynamic(numKVHeads))
    return std::nullopt;
  return *numHeads / numKVHeads;
}

Value Decomposer::readSharedHead(OpBuilder &builder, Value matrix,
                                 Value numHeads, Value numKVHeads) {
  // hk = h / (Hq / Hkv) = h * Hkv / Hq: no division by zero without heads.
  Value head = linalg::IndexOp::create(builder, loc, H);
  Value scaled = arith::MulIOp::create(builder, loc, head, numKVHeads);
  Value kvHead = arith::DivUIOp::create(builder, loc, scaled, numHeads);
  Value indices[] = {linalg::IndexOp::create(builder, loc, B), kvHead,
                     linalg::IndexOp::create(builder, loc, J),
                     linalg::IndexOp::create(builder, loc, C)};
  if (op.isOnTensors())
    return tensor::ExtractOp::create(builder, loc, matrix, indices);
  return memref::LoadOp::create(builder, loc, matrix, indices);
}

Value Decomposer::accumulateProduct(Operand lhs, Value rhs, Operand out) {
  constexpr unsigned numLoops = 5;
  SmallVector<Value> ins = {lhs.matrix};
  SmallVector<AffineMap> maps = {getMap(numLoops, lhs.loops)};
  // K and V are operands where an affine map can name the shared head, and no
  // map divides by a number that is only known at run time.
  std::optional<int64_t> group = getStaticGroup();
  Value numHeads, numKVHeads;
  if (group) {
    AffineExpr dims[numLoops];
    bindDimsList(rewriter.getContext(), MutableArrayRef(dims));
    ins.push_back(rhs);
    maps.push_back(
        AffineMap::get(numLoops, /*symbolCount=*/0,
                       {dims[B], dims[H].floorDiv(*group), dims[J], dims[C]},
                       rewriter.getContext()));
  } else {
    numHeads = toValue(heads);
    numKVHeads = toValue(getDim(rhs, 1));
  }
  maps.push_back(getMap(numLoops, out.loops));
  auto results =
      emitStep(ins, maps, out, [&](OpBuilder &builder, ValueRange arguments) {
        Value l = toF32(builder, arguments[0]);
        Value r = group ? arguments[1]
                        : readSharedHead(builder, rhs, numHeads, numKVHeads);
        r = toF32(builder, r);
        Value product = arith::MulFOp::create(builder, loc, l, r, kSumFlags);
        Value sum = arith::AddFOp::create(builder, loc, arguments.back(),
                                          product, kSumFlags);
        return SmallVector<Value>{sum};
      });
  return results.front();
}

//===----------------------------------------------------------------------===//
// Mask and regions
//===----------------------------------------------------------------------===//

Value Decomposer::inlineRegion(OpBuilder &builder, Region &region,
                               ValueRange arguments) {
  Block &block = region.front();
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &nested : block.without_terminator())
    builder.clone(nested, mapping);
  return mapping.lookupOrDefault(
      cast<YieldOp>(block.getTerminator()).getValue());
}

Value Decomposer::maskScore(OpBuilder &builder, Value score,
                            ArrayRef<Value> position, Value shift) {
  Value visible;
  auto require = [&](Value condition) {
    if (visible)
      condition = arith::AndIOp::create(builder, loc, visible, condition);
    visible = condition;
  };
  // -left <= distance <= right, with distance = j - i - shift. Comparing the
  // distance with constants can't overflow, whatever the window.
  MaskAttr mask = op.getMaskOrDefault();
  std::optional<int64_t> left = mask.getLeftBound();
  std::optional<int64_t> right = mask.getRightBound();
  if (left || right) {
    Value distance =
        arith::SubIOp::create(builder, loc, position[J], position[I]);
    if (shift)
      distance = arith::SubIOp::create(builder, loc, distance, shift);
    auto compare = [&](arith::CmpIPredicate predicate, int64_t bound) {
      return arith::CmpIOp::create(
          builder, loc, predicate, distance,
          arith::ConstantIndexOp::create(builder, loc, bound));
    };
    if (left)
      require(compare(arith::CmpIPredicate::sge, -*left));
    if (right)
      require(compare(arith::CmpIPredicate::sle, *right));
  }
  if (op.hasMaskRegion())
    require(inlineRegion(builder, op.getMaskRegion(), position));
  return arith::SelectOp::create(builder, loc, visible, score,
                                 f32Constant(builder, -kInfinity));
}

//===----------------------------------------------------------------------===//
// The steps
//===----------------------------------------------------------------------===//

/// S = Q K^T
Value Decomposer::computeScores() {
  Value scores = makeFilled("S", {batch, heads, seqQ, seqKV}, 0.0f);
  return accumulateProduct({op.getQuery(), {B, H, I, C}}, op.getKey(),
                           {scores, {B, H, I, J}});
}

/// S = score(scale * S), -inf where masked
Value Decomposer::finishScores(Value scores) {
  MaskAttr mask = op.getMaskOrDefault();
  bool hasMask = mask.getKind() != MaskKind::None || op.hasMaskRegion();
  Value shift;
  if (mask.getKind() != MaskKind::None &&
      mask.getAlign() == MaskAlign::BottomRight)
    shift = arith::SubIOp::create(rewriter, loc, toValue(seqKV), toValue(seqQ));

  auto results = emitStep(
      /*numLoops=*/4, /*ins=*/{}, Operand{scores, {B, H, I, J}},
      [&](OpBuilder &builder, ValueRange arguments) {
        Value scale = f32Constant(builder, op.getScaleOrDefault());
        Value score =
            arith::MulFOp::create(builder, loc, arguments.front(), scale);
        SmallVector<Value> position;
        if (op.hasScoreRegion() || hasMask)
          for (unsigned loop : {B, H, I, J})
            position.push_back(linalg::IndexOp::create(builder, loc, loop));
        if (op.hasScoreRegion()) {
          SmallVector<Value> scoreArguments = {score};
          llvm::append_range(scoreArguments, position);
          score = inlineRegion(builder, op.getScoreRegion(), scoreArguments);
        }
        if (hasMask)
          score = maskScore(builder, score, position, shift);
        return SmallVector<Value>{score};
      });
  return results.front();
}

/// m = max_j S
Value Decomposer::computeMax(Value scores) {
  Value max = makeFilled("m", {batch, heads, seqQ}, -kInfinity);
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
            f32Constant(builder, -kInfinity));
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
  accumulator = accumulateProduct({probs, {B, H, I, J}}, op.getValue(),
                                  {accumulator, {B, H, I, C}});
  constexpr unsigned c = C - 1; // There is no loop over keys.
  auto results = emitStep(
      /*numLoops=*/4, {{accumulator, {B, H, I, c}}, {sum, {B, H, I}}},
      Operand{op.getOutput(), {B, H, I, c}},
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
               Operand{op.getLse(), {B, H, I}},
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
  Value lse = computeLse(max, sum);
  for (Value matrix : allocated)
    memref::DeallocOp::create(rewriter, loc, matrix);
  if (op.isOnTensors())
    rewriter.replaceOp(op, {output, lse});
  else
    rewriter.eraseOp(op);
}

namespace {
struct DecomposePass : public fa::impl::FADecomposePassBase<DecomposePass> {
  void runOnOperation() override {
    SmallVector<AttentionOp> ops;
    getOperation().walk([&](AttentionOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (AttentionOp op : ops)
      Decomposer(rewriter, op).run();
  }
};
} // namespace
