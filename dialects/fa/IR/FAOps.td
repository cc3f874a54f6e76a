//===- FAOps.td - Operations of the fa dialect -------------*- tablegen -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Labels such as attention_c1 name one constraint. The same label stands in
// the description here, beside the check in the C++ verifier, and is the name
// of the function that violates it in test/Dialect/FA/invalid-*.mlir.
// Constraints that ODS checks by type alone have their label at the operand.
//
//===----------------------------------------------------------------------===//

#ifndef FA_IR_FAOPS_TD
#define FA_IR_FAOPS_TD

include "fa/IR/FAAttrs.td"
include "fa/IR/FAInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class FA_Op<string mnemonic, list<Trait> traits = []>
    : Op<FA_Dialect, mnemonic, traits>;

/// f16, bf16 or f32: the element types of Q, K, V and O.
def FA_InputFloat : AnyTypeOf<[F16, BF16, F32], "f16, bf16 or f32">;

/// A tensor or memref of the given rank.
class FA_Tensor<Type element, int rank> : AnyTypeOf<[
    TensorRankOf<[element], [rank]>, MemRefRankOf<[element], [rank]>
  ], "rank-" # rank # " tensor or memref of " # element.summary # " values",
  "::mlir::ShapedType">;

/// The matrix operand of a product: registers, or memory that is read there.
def FA_Tile : AnyTypeOf<[
    FixedVectorOfRankAndType<[2], [FA_InputFloat]>,
    MemRefRankOf<[FA_InputFloat], [2]>
  ], "2-D vector or memref of f16, bf16 or f32 values", "::mlir::ShapedType">;

def FA_ScoreTile : FixedVectorOfRankAndType<[2], [F32]>;
def FA_ProbTile : FixedVectorOfRankAndType<[2], [FA_InputFloat]>;
def FA_RowVector : FixedVectorOfRankAndType<[1], [F32]>;

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

/// The problems share their verifiers, and by the interface all that asks for
/// the meaning of a score.
class FA_ProblemOp<string mnemonic> : FA_Op<mnemonic, [
    DestinationStyleOpInterface, AttentionOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>
  ]> {
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def FA_AttentionOp : FA_ProblemOp<"attention"> {
  let summary = "softmax(scale * Q K^T) V with mask, and its log-sum-exp";
  let description = [{
    For each batch b, query head h and query i, with the key/value head
    hk = h / (Hq / Hkv) and j over the keys:

        s_j   = score(scale * sum_c Q[b,h,i,c] K[b,hk,j,c], b, h, i, j)
        s_j   = -inf where the mask attribute or the mask region hides j
        LSE[b,h,i]  = log sum_j exp(s_j)
        O[b,h,i,c]  = sum_j exp(s_j - LSE[b,h,i]) V[b,hk,j,c]

    A row without a visible key has O = 0 and LSE = -inf. Scores, softmax and
    sums are f32; exp(s_j - m) is rounded to the type of V before the sum over
    j. LSE is a natural logarithm.

    | operand         | shape          | element                |
    |-----------------|----------------|------------------------|
    | `query`         | [B, Hq, Sq, D] | f16, bf16 or f32       |
    | `key`           | [B, Hkv, Sk, D]| as `query`             |
    | `value`         | [B, Hkv, Sk, Dv]| as `query`            |
    | `output`        | [B, Hq, Sq, Dv]| as `query`             |
    | `lse`           | [B, Hq, Sq]    | f32                    |

    `output` and `lse` are destinations: on tensors the op has a result for
    each, on memrefs it has none. Without `lse`, which only gradients and
    merges of partial results need, LSE is not computed. `scale` defaults to 1/sqrt(D). `mask` is a
    band (`#fa.mask`). The `score` region gets the scaled score and the indices
    (score, b, h, i, j) and yields the new score; the `where` region gets
    (b, h, i, j) and yields whether query i sees key j. Both hold pure scalar
    `arith` and `math` ops, may use scalars from outside, and may read tensors
    from outside by index.

    `schedule` and `target` are attached by `fa-select-schedule`.

    Example:

    ```mlir
    %r:2 = fa.attention ins(%Q, %K, %V : tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>)
        outs(%O, %LSE : tensor<?x8x?x64xf16>, tensor<?x8x?xf32>)
        mask = #fa.mask<causal> scale = 0.125
        score {
        ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
          %t = math.tanh %s : f32
          fa.yield %t : f32
        }
        -> tensor<?x8x?x64xf16>, tensor<?x8x?xf32>
    ```

    Constraints:
     - attention_c1: `query`, `key`, `value` and `output` have rank 4 and f16,
       bf16 or f32 elements.
     - attention_c2: `lse` has rank 3 and f32 elements.
     - attention_c3: the operands are all tensors or all memrefs.
     - attention_c4: `query`, `key`, `value` and `output` have one element type.
     - attention_c5: the head dims (last dimensions) are static and positive.
     - attention_c6: `key` has the head dim of `query`.
     - attention_c7: `output` has the head dim of `value`.
     - attention_c8: batch is the same everywhere.
     - attention_c9: `key` and `value` have the same number of heads.
     - attention_c10: `output` and `lse` have as many heads as `query`.
     - attention_c11: the number of query heads is a multiple of the number of
       key/value heads.
     - attention_c12: `key` and `value` have the same length.
     - attention_c13: `output` and `lse` have the length of `query`.
     - attention_c14: memrefs have a contiguous last dimension (stride 1).
     - attention_c15: `scale` is finite.
     - attention_c16: the `score` region takes (f32, index, index, index, index)
       and yields f32.
     - attention_c17: the `where` region takes (index, index, index, index) and
       yields i1.
     - attention_c18: the regions hold only `arith` and `math` ops without
       effects, `tensor.extract` and `memref.load`, whose results are indices,
       signless integers of at most 64 bits, f16, bf16, f32 or f64.
     - attention_c19: the results have the types of `output` and `lse` on
       tensors; there are none on memrefs.
     - attention_c20: in the regions, the divisor of an integer division is a
       constant other than 0 or comes from outside.
     - attention_c21: a memref that a region reads has strides.

    A static dimension that equals nothing it is compared with because the other
    side is dynamic is accepted; it is checked when the kernel is called.
  }];
  let arguments = (ins
    FA_Tensor<FA_InputFloat, 4>:$query,   // attention_c1
    FA_Tensor<FA_InputFloat, 4>:$key,     // attention_c1
    FA_Tensor<FA_InputFloat, 4>:$value,   // attention_c1
    FA_Tensor<FA_InputFloat, 4>:$output,  // attention_c1
    Optional<FA_Tensor<F32, 3>>:$lse,     // attention_c2
    OptionalAttr<FA_MaskAttr>:$mask,
    OptionalAttr<F32Attr>:$scale,
    OptionalAttr<FA_ScheduleAttr>:$schedule,
    OptionalAttr<FA_TargetAttr>:$target
  );
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region
    MaxSizedRegion<1>:$scoreRegion, MaxSizedRegion<1>:$maskRegion
  );
  let assemblyFormat = [{
    `ins` `(` $query `,` $key `,` $value `:`
              type($query) `,` type($key) `,` type($value) `)`
    `outs` `(` $output (`,` $lse^)? `:`
               type($output) (`,` type($lse)^)? `)`
    (`mask` `=` $mask^)? (`scale` `=` $scale^)?
    (`score` custom<Function>($scoreRegion)^)?
    (`where` custom<Function>($maskRegion)^)?
    attr-dict (`->` type($results)^)?
  }];
  let builders = [
    /// Without regions; `lse` may be null; the results follow from the
    /// destinations.
    OpBuilder<(ins "::mlir::Value":$query, "::mlir::Value":$key,
      "::mlir::Value":$value, "::mlir::Value":$output, "::mlir::Value":$lse,
      CArg<"::mlir::fa::MaskAttr", "{}">:$mask,
      CArg<"std::optional<float>", "std::nullopt">:$scale)>
  ];
  let extraClassDeclaration = [{
    MutableOperandRange getDpsInitsMutable() {
      return MutableOperandRange(*this, /*start=*/3,
                                 /*length=*/getLse() ? 2 : 1);
    }
  }];
}

def FA_AttentionBackwardOp : FA_ProblemOp<"attention_backward"> {
  let summary = "the gradients of Q, K and V";
  let description = [{
    Given what `fa.attention` read and returned, and the gradient of a loss with
    respect to its results, dO and optionally dLSE, the gradient with respect to
    Q, K and V. With hk = h / (Hq / Hkv), x the scaled product of a query and a
    key, and s its score:

        x_ij    = scale * sum_c Q[b,h,i,c] K[b,hk,j,c]
        s_ij    = score(x_ij, b, h, i, j), or -inf where the key is hidden
        P_ij    = exp(s_ij - LSE_i)
        delta_i = sum_c dO[b,h,i,c] O[b,h,i,c] - dLSE_i
        dP_ij   = sum_c dO[b,h,i,c] V[b,hk,j,c]
        dS_ij   = P_ij * (dP_ij - delta_i) * score'(x_ij, b, h, i, j)

        dQ[b,h,i,c]  = scale * sum_j dS_ij K[b,hk,j,c]
        dK[b,hk,j,c] = scale * sum_h sum_i dS_ij Q[b,h,i,c]
        dV[b,hk,j,c] = sum_h sum_i P_ij dO[b,h,i,c]

    where the sums over h are over the query heads of a key/value head. S and P
    are computed again, tile by tile, from Q, K and LSE (FlashAttention, section
    3.1 and Algorithm 4).

    Where s_ij = -inf, P_ij and dS_ij are 0, whatever dP_ij and score' are. A
    row with LSE = -inf, which sees no key, has dQ = 0 and adds nothing to dK
    and dV. Scores, P, delta, dP, dS and sums are f32; P and dS are rounded to
    the type of Q before they are multiplied with a matrix.

    | operand      | shape           | element          |
    |--------------|-----------------|------------------|
    | `query`      | [B, Hq, Sq, D]  | f16, bf16 or f32 |
    | `key`        | [B, Hkv, Sk, D] | as `query`       |
    | `value`      | [B, Hkv, Sk, Dv]| as `query`       |
    | `output`     | [B, Hq, Sq, Dv] | as `query`       |
    | `outputGrad` | [B, Hq, Sq, Dv] | as `query`       |
    | `lse`        | [B, Hq, Sq]     | f32              |
    | `lseGrad`    | [B, Hq, Sq]     | f32              |
    | `queryGrad`  | [B, Hq, Sq, D]  | as `query`       |
    | `keyGrad`    | [B, Hkv, Sk, D] | as `query`       |
    | `valueGrad`  | [B, Hkv, Sk, Dv]| as `query`       |

    `queryGrad`, `keyGrad` and `valueGrad` are destinations. Without `lseGrad`
    dLSE is 0. `mask`, `scale` and the `score` and `where` regions are those of
    the `fa.attention`. The `derivative` region gets what `score` gets and yields
    score', the derivative of the new score with respect to the score;
    `fa-differentiate-score` makes it from the `score` region. Gradients of what
    the regions read from outside are not computed.

    The five products are 2 B Hq Sq Sk (3 D + 2 Dv) FLOPs without a mask; two
    more, 2 B Hq Sq Sk (D + Dv), where dQ and dK are made in loops of their own.
    Each operand has to be moved once: with e bytes an element,
    e B (Hq Sq (2 D + 2 Dv) + Hkv Sk (2 D + 2 Dv)) + 4 B Hq Sq bytes.

    Example:

    ```mlir
    %r:3 = fa.attention_backward
        ins(%Q, %K, %V, %O, %dO, %LSE : tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>,
            tensor<?x8x?x64xf16>, tensor<?x8x?x64xf16>, tensor<?x8x?xf32>)
        outs(%dQ, %dK, %dV : tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>)
        mask = #fa.mask<causal> scale = 0.125
        score {
        ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
          %t = math.tanh %s : f32
          fa.yield %t : f32
        }
        -> tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>
    ```

    Constraints:
     - attention_backward_c1: `query`, `key`, `value`, `output`, `outputGrad`,
       `queryGrad`, `keyGrad` and `valueGrad` have rank 4 and f16, bf16 or f32
       elements.
     - attention_backward_c2: `lse` and `lseGrad` have rank 3 and f32 elements.
     - attention_backward_c3: the operands are all tensors or all memrefs.
     - attention_backward_c4: the operands of rank 4 have one element type.
     - attention_backward_c5: the head dims are static and positive.
     - attention_backward_c6: `key`, `queryGrad` and `keyGrad` have the head dim
       of `query`.
     - attention_backward_c7: `output`, `outputGrad` and `valueGrad` have the
       head dim of `value`.
     - attention_backward_c8: batch is the same everywhere.
     - attention_backward_c9: `value`, `keyGrad` and `valueGrad` have as many
       heads as `key`.
     - attention_backward_c10: `output`, `outputGrad`, `lse`, `lseGrad` and
       `queryGrad` have as many heads as `query`.
     - attention_backward_c11: the number of query heads is a multiple of the
       number of key/value heads.
     - attention_backward_c12: `value`, `keyGrad` and `valueGrad` have the length
       of `key`.
     - attention_backward_c13: `output`, `outputGrad`, `lse`, `lseGrad` and
       `queryGrad` have the length of `query`.
     - attention_backward_c14: memrefs have a contiguous last dimension.
     - attention_backward_c15: `scale` is finite.
     - attention_backward_c16: the `score` region takes (f32, index, index,
       index, index) and yields f32.
     - attention_backward_c17: the `where` region takes (index, index, index,
       index) and yields i1.
     - attention_backward_c18: the regions hold only what attention_c18 allows.
     - attention_backward_c19: the results have the types of the destinations on
       tensors; there are none on memrefs.
     - attention_backward_c20: divisors in the regions are as attention_c20 asks.
     - attention_backward_c21: a memref that a region reads has strides.
     - attention_backward_c22: the `derivative` region takes and yields what the
       `score` region does.
     - attention_backward_c23: a `derivative` region stands beside a `score`
       region.
  }];
  let arguments = (ins
    FA_Tensor<FA_InputFloat, 4>:$query,       // attention_backward_c1
    FA_Tensor<FA_InputFloat, 4>:$key,         // attention_backward_c1
    FA_Tensor<FA_InputFloat, 4>:$value,       // attention_backward_c1
    FA_Tensor<FA_InputFloat, 4>:$output,      // attention_backward_c1
    FA_Tensor<FA_InputFloat, 4>:$outputGrad,  // attention_backward_c1
    FA_Tensor<F32, 3>:$lse,                   // attention_backward_c2
    Optional<FA_Tensor<F32, 3>>:$lseGrad,     // attention_backward_c2
    FA_Tensor<FA_InputFloat, 4>:$queryGrad,   // attention_backward_c1
    FA_Tensor<FA_InputFloat, 4>:$keyGrad,     // attention_backward_c1
    FA_Tensor<FA_InputFloat, 4>:$valueGrad,   // attention_backward_c1
    OptionalAttr<FA_MaskAttr>:$mask,
    OptionalAttr<F32Attr>:$scale,
    OptionalAttr<FA_ScheduleAttr>:$schedule,
    OptionalAttr<FA_TargetAttr>:$target
  );
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region
    MaxSizedRegion<1>:$scoreRegion, MaxSizedRegion<1>:$maskRegion,
    MaxSizedRegion<1>:$derivativeRegion
  );
  let assemblyFormat = [{
    `ins` `(` $query `,` $key `,` $value `,` $output `,` $outputGrad `,` $lse
              (`,` $lseGrad^)? `:`
              type($query) `,` type($key) `,` type($value) `,` type($output) `,`
              type($outputGrad) `,` type($lse) (`,` type($lseGrad)^)? `)`
    `outs` `(` $queryGrad `,` $keyGrad `,` $valueGrad `:`
               type($queryGrad) `,` type($keyGrad) `,` type($valueGrad) `)`
    (`mask` `=` $mask^)? (`scale` `=` $scale^)?
    (`score` custom<Function>($scoreRegion)^)?
    (`derivative` custom<Function>($derivativeRegion)^)?
    (`where` custom<Function>($maskRegion)^)?
    attr-dict (`->` type($results)^)?
  }];
  let builders = [
    /// Without regions; `lseGrad` may be null; the results follow from the
    /// destinations.
    OpBuilder<(ins "::mlir::Value":$query, "::mlir::Value":$key,
      "::mlir::Value":$value, "::mlir::Value":$output,
      "::mlir::Value":$outputGrad, "::mlir::Value":$lse,
      "::mlir::Value":$lseGrad, "::mlir::Value":$queryGrad,
      "::mlir::Value":$keyGrad, "::mlir::Value":$valueGrad,
      CArg<"::mlir::fa::MaskAttr", "{}">:$mask,
      CArg<"std::optional<float>", "std::nullopt">:$scale)>
  ];
  let extraClassDeclaration = [{
    MutableOperandRange getDpsInitsMutable() {
      return MutableOperandRange(*this, /*start=*/getNumOperands() - 3,
                                 /*length=*/3);
    }
    bool hasDerivativeRegion() { return !getDerivativeRegion().empty(); }
  }];
}

def FA_YieldOp : FA_Op<"yield", [
    Pure, Terminator,
    ParentOneOf<["AttentionOp", "AttentionBackwardOp"]>  // yield_c1
  ]> {
  let summary = "the result of a region of a problem";
  let description = [{
    Ends the `score` region with the new score (f32), the `derivative` region
    with its derivative (f32) or the `where` region with the visibility of the
    key (i1).

    Constraints:
     - yield_c1: stands in an `fa.attention` or `fa.attention_backward`.
  }];
  let arguments = (ins AnyTypeOf<[F32, I1]>:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Algorithm 1, one tile at a time
//===----------------------------------------------------------------------===//

/// A product that reads its matrix operands where it stands.
class FA_ProductOp<string mnemonic, list<Trait> traits = []>
    : FA_Op<mnemonic, traits # [
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>
      ]>;

def FA_ScoresOp : FA_ProductOp<"scores", [
    OptionalTypesMatchWith<"start has the type of the result",  // scores_c6
                           "scores", "start", "$_self">
  ]> {
  let summary = "S_ij = scale * Q_i K_j^T, and other products of rows with rows";
  let description = [{
        S[r, c] = scale * (start[r, c] + sum_k Q[r, k] K[c, k])   (f32 accumulation)

    `query` is [B_r, D] and `key` is [B_c, D], each a vector or a memref. A
    memref may have fewer rows than the tile, with a dynamic size; the missing
    rows count as zeros. `start` is 0 where it is not given: it is what the
    accumulators hold before the first product, and costs nothing.
    2 B_r B_c D FLOPs.

    It is dP_ij = dO_i V_j^T of backward, too, and started from -delta it is
    dP - delta; with the operands exchanged it is S^T, or dP^T.

    Example:

    ```mlir
    %S = fa.scores %Qi, %Kj scale 0.125 : memref<?x64xf16>, memref<32x64xf16> -> vector<16x32xf32>
    %dP = fa.scores %dOi, %Vj start %D : memref<?x64xf16>, memref<32x64xf16> -> vector<16x32xf32>
    ```

    Constraints:
     - scores_c1: `query` and `key` have the same static number of columns.
     - scores_c2: `query` and `key` have the same element type.
     - scores_c3: the static rows of `query` and `key` are the rows and columns
       of the result.
     - scores_c4: a memref has a contiguous last dimension.
     - scores_c5: `scale` is finite.
     - scores_c6: `start` has the type of the result.
  }];
  let arguments = (ins FA_Tile:$query, FA_Tile:$key,
                       DefaultValuedAttr<F32Attr, "1.0">:$scale,
                       Optional<FA_ScoreTile>:$start);
  let results = (outs FA_ScoreTile:$scores);
  let assemblyFormat = [{
    $query `,` $key (`start` $start^)? (`scale` $scale^)? attr-dict
    `:` type($query) `,` type($key) `->` type($scores)
  }];
  let hasVerifier = 1;
}

def FA_SoftmaxOp : FA_Op<"softmax", [
    Pure, AllTypesMatch<["max", "sum", "newSum"]>,  // softmax_c1
    AllShapesMatch<["scores", "probs"]>             // softmax_c2
  ]> {
  let summary = "P and the running sum of a tile whose row maximum is known";
  let description = [{
    The second pass of the two-pass softmax: `max` is the maximum over the
    whole row of S, unscaled.

        P[r, c]   = exp(scale * (S[r, c] - m[r]))
        newSum[r] = l[r] + sum_c P[r, c]

    with P = 0 in a row whose m is -inf. P is rounded to the element type of its
    result, the sum is that of the P before rounding.

    Example:

    ```mlir
    %P, %l1 = fa.softmax %S, %m, %l scale 0.125 : vector<16x32xf32>, vector<16xf32> -> vector<16x32xf16>
    ```

    Constraints:
     - softmax_c1: `max` and `sum` have the same type.
     - softmax_c2: `probs` has the shape of `scores`.
     - softmax_c3: `max` has as many elements as `scores` has rows.
     - softmax_c4: `scale` is positive and finite.
  }];
  let arguments = (ins FA_ScoreTile:$scores, FA_RowVector:$max,
                       FA_RowVector:$sum,
                       DefaultValuedAttr<F32Attr, "1.0">:$scale);
  let results = (outs FA_ProbTile:$probs, FA_RowVector:$newSum);
  let assemblyFormat = [{
    $scores `,` $max `,` $sum (`scale` $scale^)? attr-dict
    `:` type($scores) `,` type($max) `->` type($probs)
  }];
  let hasVerifier = 1;
}

def FA_OnlineSoftmaxOp : FA_Op<"online_softmax", [
    Pure,
    AllTypesMatch<["max", "sum", "newMax", "newSum", "alpha"]>,  // online_softmax_c1
    AllShapesMatch<["scores", "probs"]>                          // online_softmax_c2
  ]> {
  let summary = "one step of the online softmax: P, the new m and l, and alpha";
  let description = [{
    With m and l of the keys seen so far (m = -inf and l = 0 before the first):

        newMax[r] = max(m[r], max_c S[r, c])
        alpha[r]  = exp(scale * (m[r] - newMax[r]))
        P[r, c]   = exp(scale * (S[r, c] - newMax[r]))
        newSum[r] = alpha[r] * l[r] + sum_c P[r, c]

    A row whose newMax is -inf has P = 0. P is rounded to the
    element type of its result, the sum is that of the P before rounding.
    (FlashAttention, Algorithm 1, lines 10 and 11; the factor e^{m_ij - m_i^new}
    of the paper is already in P.)

    What was accumulated with the old maximum is brought up to date by a factor
    of alpha; that is what makes one pass over the keys enough.

    With `lazy b` the maximum of a row may lag behind: newMax[r] is m[r], and
    alpha[r] is 1, where scale * log2(e) * (max_c S[r, c] - m[r]) is at most b. P
    is then up to 2^b, and O and l, which both have the factor 2^b, are as exact
    as before. (FlashAttention-4, conditional rescaling.)

    Example:

    ```mlir
    %P, %m1, %l1, %alpha = fa.online_softmax %S, %m, %l scale 0.125 : vector<16x32xf32>, vector<16xf32> -> vector<16x32xf16>
    ```

    Constraints:
     - online_softmax_c1: `max`, `sum` and the results of their kind have the
       same type.
     - online_softmax_c2: `probs` has the shape of `scores`.
     - online_softmax_c3: `max` has as many elements as `scores` has rows.
     - online_softmax_c4: `scale` is positive and finite.
     - online_softmax_c5: `lazy` is from 0 to 15: P must not overflow in f16.
  }];
  let arguments = (ins FA_ScoreTile:$scores, FA_RowVector:$max,
                       FA_RowVector:$sum,
                       DefaultValuedAttr<F32Attr, "1.0">:$scale,
                       OptionalAttr<F32Attr>:$lazy);
  let results = (outs FA_ProbTile:$probs, FA_RowVector:$newMax,
                      FA_RowVector:$newSum, FA_RowVector:$alpha);
  let assemblyFormat = [{
    $scores `,` $max `,` $sum (`scale` $scale^)? (`lazy` $lazy^)? attr-dict
    `:` type($scores) `,` type($max) `->` type($probs)
  }];
  let hasVerifier = 1;
}

def FA_RescaleOp : FA_Op<"rescale", [
    Pure,
    AllTypesMatch<["acc", "result"]>        // rescale_c1
  ]> {
  let summary = "O_i = diag(alpha) O_i";
  let description = [{
        result[r, c] = alpha[r] * acc[r, c]

    What `fa.accumulate` does with its alpha, where the product stands elsewhere.
    With `rarely` most of the time all rows have alpha = 1, and the code skips
    the product then.

    Example:

    ```mlir
    %O1 = fa.rescale %O by %alpha rarely : vector<16x64xf32>, vector<16xf32>
    ```

    Constraints:
     - rescale_c1: `result` has the type of `acc`.
     - rescale_c2: `alpha` has as many elements as `acc` has rows.
  }];
  let arguments = (ins FA_ScoreTile:$acc, FA_RowVector:$alpha,
                       UnitAttr:$rarely);
  let results = (outs FA_ScoreTile:$result);
  let assemblyFormat = [{
    $acc `by` $alpha (`rarely` $rarely^)? attr-dict
    `:` type($acc) `,` type($alpha)
  }];
  let hasVerifier = 1;
}

def FA_AccumulateOp : FA_ProductOp<"accumulate", [
    AllTypesMatch<["acc", "result"]>
  ]> {
  let summary = "O_i = diag(alpha) O_i + P_ij V_j, and other sums of products";
  let description = [{
        result[r, c] = alpha[r] * acc[r, c] + sum_k P[r, k] V[k, c]

    (f32 accumulation; alpha is 1 where it is not given.) `probs` is [B_r, B_c],
    or with `transposed` it is P^T, [B_c, B_r]; `value` is [B_c, D_v], a vector
    or a memref. A memref may have fewer rows than the tile, with a dynamic size;
    the missing rows count as zeros. 2 B_r B_c D_v FLOPs.

    It is also the sums of backward: dQ_i += dS_ij K_j, and with tiles of which
    the rows are keys dV_j += P^T_ij dO_i and dK_j += dS^T_ij Q_i; from such a
    tile dQ_i is made with `transposed`.

    Example:

    ```mlir
    %O1 = fa.accumulate %P, %Vj, %O rescale %alpha : vector<16x32xf16>, memref<32x64xf16>, vector<16x64xf32>, vector<16xf32>
    %dQ1 = fa.accumulate %dST, %Kj, %dQ transposed : vector<32x16xf16>, memref<32x64xf16>, vector<16x64xf32>
    ```

    Constraints:
     - accumulate_c1: `probs` and `value` have the same element type.
     - accumulate_c2: the static rows of `value` are the columns of P.
     - accumulate_c3: `acc` is [rows of P, columns of `value`].
     - accumulate_c4: `alpha` has as many elements as `acc` has rows.
     - accumulate_c5: a memref has a contiguous last dimension.
  }];
  let arguments = (ins FA_ProbTile:$probs, FA_Tile:$value, FA_ScoreTile:$acc,
                       Optional<FA_RowVector>:$alpha,
                       UnitAttr:$transposed);
  let results = (outs FA_ScoreTile:$result);
  let assemblyFormat = [{
    $probs `,` $value `,` $acc (`rescale` $alpha^)? (`transposed` $transposed^)?
    attr-dict `:` type($probs) `,` type($value) `,` type($acc) (`,` type($alpha)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def FA_FinishOp : FA_Op<"finish", [
    Pure,
    AllTypesMatch<["acc", "output"]>,       // finish_c1
    AllTypesMatch<["max", "sum", "lse"]>    // finish_c2
  ]> {
  let summary = "O_i = diag(l)^{-1} O_i and LSE_i = scale * m + log l";
  let description = [{
        output[r, c] = acc[r, c] / l[r]
        lse[r]       = scale * m[r] + log(l[r])

    A row with l = 0 (no visible key) has output 0 and lse -inf. `scale` is that
    of the `fa.online_softmax` which made m and l.

    Example:

    ```mlir
    %out, %lse = fa.finish %O, %m, %l scale 0.125 : vector<16x64xf32>, vector<16xf32>
    ```

    Constraints:
     - finish_c1: `output` has the type of `acc`.
     - finish_c2: `max`, `sum` and `lse` have the same type.
     - finish_c3: `max` has as many elements as `acc` has rows.
     - finish_c4: `scale` is positive and finite.
  }];
  let arguments = (ins FA_ScoreTile:$acc, FA_RowVector:$max, FA_RowVector:$sum,
                       DefaultValuedAttr<F32Attr, "1.0">:$scale);
  let results = (outs FA_ScoreTile:$output, FA_RowVector:$lse);
  let assemblyFormat = [{
    $acc `,` $max `,` $sum (`scale` $scale^)? attr-dict
    `:` type($acc) `,` type($max)
  }];
  let hasVerifier = 1;
}

#endif // FA_IR_FAOPS_TD
