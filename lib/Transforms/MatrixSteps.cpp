//===- MatrixSteps.cpp - Problems as steps over whole matrices ------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixSteps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fa;

MatrixSteps::MatrixSteps(RewriterBase &rewriter, AttentionOpInterface op)
    : rewriter(rewriter), op(op), loc(op.getLoc()) {
  rewriter.setInsertionPoint(op);
  batch = getDim(op.getQuery(), 0);
  heads = getDim(op.getQuery(), 1);
  seqQ = getDim(op.getQuery(), 2);
  seqKV = getDim(op.getKey(), 2);
}

void MatrixSteps::finish(ValueRange results) {
  for (Value matrix : allocated)
    memref::DeallocOp::create(rewriter, loc, matrix);
  if (op.isOnTensors())
    rewriter.replaceOp(op, results);
  else
    rewriter.eraseOp(op);
}

//===----------------------------------------------------------------------===//
// Scalars and matrices
//===----------------------------------------------------------------------===//

Value MatrixSteps::f32Constant(OpBuilder &builder, float value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF32FloatAttr(value));
}

Value MatrixSteps::toF32(OpBuilder &builder, Value value) {
  if (value.getType().isF32())
    return value;
  return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
}

Value MatrixSteps::fromF32(OpBuilder &builder, Value value, Type type) {
  if (type.isF32())
    return value;
  return arith::TruncFOp::create(builder, loc, type, value);
}

OpFoldResult MatrixSteps::getDim(Value matrix, int64_t dim) {
  auto type = cast<ShapedType>(matrix.getType());
  if (!type.isDynamicDim(dim))
    return rewriter.getIndexAttr(type.getDimSize(dim));
  return linalg::createOrFoldDimOp(rewriter, loc, matrix, dim);
}

Value MatrixSteps::toValue(OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(rewriter, loc, size);
}

Value MatrixSteps::makeMatrix(StringRef name, ArrayRef<OpFoldResult> shape,
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

Value MatrixSteps::fill(Value matrix, float value) {
  Value constant = f32Constant(rewriter, value);
  auto fillOp = linalg::FillOp::create(rewriter, loc, constant, matrix);
  return op.isOnTensors() ? fillOp.getResult(0) : matrix;
}

Value MatrixSteps::makeFilled(StringRef name, ArrayRef<OpFoldResult> shape,
                              float value) {
  return fill(makeMatrix(name, shape, rewriter.getF32Type()), value);
}

AffineMap MatrixSteps::getMap(unsigned numLoops, ArrayRef<unsigned> loops) {
  return AffineMap::getMultiDimMapWithTargets(numLoops, loops,
                                              rewriter.getContext());
}

SmallVector<Value> MatrixSteps::emitStep(unsigned numLoops,
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

SmallVector<Value> MatrixSteps::emitStep(ArrayRef<Value> ins,
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

std::optional<int64_t> MatrixSteps::getStaticGroup() {
  std::optional<int64_t> numHeads = getConstantIntValue(heads);
  int64_t numKVHeads = op.getKey().getType().getDimSize(1);
  if (!numHeads || *numHeads == 0 || ShapedType::isDynamic(numKVHeads))
    return std::nullopt;
  return *numHeads / numKVHeads;
}

Value MatrixSteps::readSharedHead(OpBuilder &builder, Value matrix,
                                  Value numHeads, Value numKVHeads) {
  // hk = h / (Hq / Hkv) = h * Hkv / Hq: no division by zero without heads.
  Value head = linalg::IndexOp::create(builder, loc, H);
  Value scaled = arith::MulIOp::create(builder, loc, head, numKVHeads);
  Value kvHead = arith::DivUIOp::create(builder, loc, scaled, numHeads);
  Value indices[] = {linalg::IndexOp::create(builder, loc, B), kvHead,
                     linalg::IndexOp::create(builder, loc, J),
                     linalg::IndexOp::create(builder, loc, C)};
  return readElement(builder, matrix, indices);
}

Value MatrixSteps::readElement(OpBuilder &builder, Value matrix,
                               ValueRange indices) {
  if (op.isOnTensors())
    return tensor::ExtractOp::create(builder, loc, matrix, indices);
  return memref::LoadOp::create(builder, loc, matrix, indices);
}

Value MatrixSteps::accumulateProduct(Operand lhs, Operand rhs, Operand out) {
  constexpr unsigned numLoops = 5;
  SmallVector<Value> ins = {lhs.matrix};
  SmallVector<AffineMap> maps = {getMap(numLoops, lhs.loops)};
  // K and V are operands where an affine map can name the shared head, and no
  // map divides by a number that is only known at run time.
  std::optional<int64_t> group;
  Value numHeads, numKVHeads;
  if (!rhs.sharedHead) {
    group = 1;
  } else if (!(group = getStaticGroup())) {
    numHeads = toValue(heads);
    numKVHeads = toValue(getDim(rhs.matrix, 1));
  }
  if (group) {
    AffineExpr dims[numLoops];
    bindDimsList(rewriter.getContext(), MutableArrayRef(dims));
    SmallVector<AffineExpr> indices;
    for (unsigned loop : rhs.loops)
      indices.push_back(loop == H ? dims[H].floorDiv(*group) : dims[loop]);
    ins.push_back(rhs.matrix);
    maps.push_back(AffineMap::get(numLoops, /*symbolCount=*/0, indices,
                                  rewriter.getContext()));
  }
  maps.push_back(getMap(numLoops, out.loops));
  auto results =
      emitStep(ins, maps, out, [&](OpBuilder &builder, ValueRange arguments) {
        Value l = toF32(builder, arguments[0]);
        Value r =
            group ? arguments[1]
                  : readSharedHead(builder, rhs.matrix, numHeads, numKVHeads);
        r = toF32(builder, r);
        Value product = arith::MulFOp::create(builder, loc, l, r, kSumFlags);
        Value sum = arith::AddFOp::create(builder, loc, arguments.back(),
                                          product, kSumFlags);
        return SmallVector<Value>{sum};
      });
  return results.front();
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

Value MatrixSteps::inlineRegion(OpBuilder &builder, Region &region,
                                ValueRange arguments) {
  Block &block = region.front();
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &nested : block.without_terminator())
    builder.clone(nested, mapping);
  return mapping.lookupOrDefault(
      cast<YieldOp>(block.getTerminator()).getValue());
}

Value MatrixSteps::maskScore(OpBuilder &builder, Value score,
                             ArrayRef<Value> position) {
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
                                 f32Constant(builder, -infinity));
}

SmallVector<Value> MatrixSteps::getPosition(OpBuilder &builder) {
  SmallVector<Value> position;
  for (unsigned loop : {B, H, I, J})
    position.push_back(linalg::IndexOp::create(builder, loc, loop));
  return position;
}

bool MatrixSteps::hasMask() {
  return op.getMaskOrDefault().getKind() != MaskKind::None ||
         op.hasMaskRegion();
}

void MatrixSteps::prepareMask() {
  MaskAttr mask = op.getMaskOrDefault();
  if (mask.getKind() != MaskKind::None &&
      mask.getAlign() == MaskAlign::BottomRight)
    shift = arith::SubIOp::create(rewriter, loc, toValue(seqKV), toValue(seqQ));
}

Value MatrixSteps::computeScores() {
  Value scores = makeFilled("S", {batch, heads, seqQ, seqKV}, 0.0f);
  return accumulateProduct({op.getQuery(), {B, H, I, C}},
                           {op.getKey(), {B, H, J, C}, /*sharedHead=*/true},
                           {scores, {B, H, I, J}});
}

Value MatrixSteps::finishScore(OpBuilder &builder, Value product) {
  Value scale = f32Constant(builder, op.getScaleOrDefault());
  Value score = arith::MulFOp::create(builder, loc, product, scale);
  SmallVector<Value> position;
  if (op.hasScoreRegion() || hasMask())
    position = getPosition(builder);
  if (op.hasScoreRegion()) {
    SmallVector<Value> scoreArguments = {score};
    llvm::append_range(scoreArguments, position);
    score = inlineRegion(builder, op.getScoreRegion(), scoreArguments);
  }
  if (hasMask())
    score = maskScore(builder, score, position);
  return score;
}
