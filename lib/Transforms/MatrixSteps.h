//===- MatrixSteps.h - Problems as steps over whole matrices ----*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Transforms: what the decompositions of fa.attention and of its
// gradient are made of. It shares nothing with the tiled road.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TRANSFORMS_MATRIXSTEPS_H
#define FA_LIB_TRANSFORMS_MATRIXSTEPS_H

#include "fa/IR/FA.h"
#include "mlir/IR/PatternMatch.h"

#include <limits>

namespace mlir::fa {

/// The loops that every step is over, or over some of: batch, query head,
/// query, key, head dim.
enum Loop : unsigned { B, H, I, J, C };

/// A matrix and the loops that index it, one a dimension.
struct Operand {
  Value matrix;
  SmallVector<unsigned> loops;
  /// The matrix is K or V, whose head is that which the query head H shares.
  bool sharedHead = false;
};

/// A sum may be taken in any order, and as FMAs. Nothing else is relaxed; in
/// particular -inf and NaN are values.
constexpr arith::FastMathFlags kSumFlags =
    arith::FastMathFlags::reassoc | arith::FastMathFlags::contract;

/// Builds steps in place of one problem. The same code serves tensors and
/// memrefs: a step returns what its destination holds afterwards, which is a
/// new value on tensors and the destination itself on memrefs.
class MatrixSteps {
public:
  MatrixSteps(RewriterBase &rewriter, AttentionOpInterface op);

protected:
  static constexpr float infinity = std::numeric_limits<float>::infinity();

  /// out[...] += lhs[...] * rhs[...] over the loops of all three. Loops that do
  /// not index `out` are summed over.
  Value accumulateProduct(Operand lhs, Operand rhs, Operand out);

  /// The unscaled scores, S = Q K^T, [B, Hq, Sq, Sk].
  Value computeScores();
  /// score(scale * `product`) as the score region has it, and -inf where the
  /// key at the position of the current step is hidden.
  Value finishScore(OpBuilder &builder, Value product);
  /// Before the first step with `finishScore`: what it needs from outside.
  void prepareMask();

  /// The indices b, h, i, j of the current step.
  SmallVector<Value> getPosition(OpBuilder &builder);
  /// The value that `region` yields for `arguments`.
  Value inlineRegion(OpBuilder &builder, Region &region, ValueRange arguments);

  // Matrices.
  using Body = function_ref<SmallVector<Value>(OpBuilder &, ValueRange)>;
  /// A `linalg.generic` over matrices that the loops index directly; a loop is
  /// parallel if it indexes every one of `outs`.
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
  /// An element, in the body of a step.
  Value readElement(OpBuilder &builder, Value matrix, ValueRange indices);
  /// How many query heads share a key/value head, if that is known.
  std::optional<int64_t> getStaticGroup();
  /// Frees what was allocated, and replaces the problem by `results`.
  void finish(ValueRange results);

  // Scalars.
  Value f32Constant(OpBuilder &builder, float value);
  Value toF32(OpBuilder &builder, Value value);
  Value fromF32(OpBuilder &builder, Value value, Type type);

  RewriterBase &rewriter;
  AttentionOpInterface op;
  Location loc;
  OpFoldResult batch, heads, seqQ, seqKV;

private:
  /// Reads K or V in the body of a product, at the head that is shared.
  Value readSharedHead(OpBuilder &builder, Value matrix, Value numHeads,
                       Value numKVHeads);
  /// -inf where the query at `position` does not see the key.
  Value maskScore(OpBuilder &builder, Value score, ArrayRef<Value> position);
  bool hasMask();

  Value shift; // Of the diagonal, where that is not 0.
  SmallVector<Value> allocated;
};

/// Replaces one problem by steps over whole matrices.
void decompose(RewriterBase &rewriter, AttentionOp op);
void decompose(RewriterBase &rewriter, AttentionBackwardOp op);

} // namespace mlir::fa

#endif // FA_LIB_TRANSFORMS_MATRIXSTEPS_H
