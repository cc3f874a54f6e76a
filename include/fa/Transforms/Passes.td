//===- Passes.td - Passes on the fa dialect ----------------*- tablegen -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the order in which the pipelines run them. Before and after of each are
// in docs/Levels.md, taken from test/Pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TRANSFORMS_PASSES_TD
#define FA_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FABufferizePass : Pass<"fa-bufferize", "::mlir::ModuleOp"> {
  let summary = "tensors to memrefs, with fa's calling convention";
  let description = [{
    Runs upstream's one-shot bufferisation over the whole module. Function
    arguments of a tensor type become memrefs with any strides but a contiguous
    last dimension (`strided<[?, ..., 1], offset: ?>`), each its own, which is
    what a caller with a transposed or sliced view needs. A function that
    returns its destinations returns nothing afterwards.

    Tables that the score and mask regions read by `tensor.extract` are then
    read by `memref.load`. A destination that is also read, as an input or by a
    region, is not overwritten: the op gets an allocated one.

    Preconditions: functions in destination style, their destinations being
    arguments. A destination that has to be copied or allocated is allowed, but
    then it stays where upstream puts it, and is returned. Fails if an operand
    of `fa.attention` is a slice with a step in its last dimension.

    Before:

    ```mlir
    func.func @f(%Q: tensor<?x?x?x64xf32>, ..., %O: tensor<?x?x?x64xf32>, %LSE: tensor<?x?x?xf32>)
        -> (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>) {
      %r:2 = fa.attention ins(%Q, %K, %V : ...) outs(%O, %LSE : ...) -> ...
      return %r#0, %r#1 : ...
    }
    ```

    After:

    ```mlir
    func.func @f(%Q: memref<?x?x?x64xf32, strided<[?, ?, ?, 1], offset: ?>>, ...) {
      fa.attention ins(%Q, %K, %V : ...) outs(%O, %LSE : ...)
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"
  ];
}

def FADifferentiateScorePass
    : Pass<"fa-differentiate-score", "::mlir::func::FuncOp"> {
  let summary = "the derivative region of fa.attention_backward";
  let description = [{
    Gives each `fa.attention_backward` with a `score` region, and without a
    `derivative` region, the latter: the derivative of the new score with
    respect to the score. Forward-mode differentiation of the region's `arith`
    and `math` ops; the positions, values and tables from outside, and what is
    computed from them alone, are constant, and so is what passes through an
    integer or a comparison. Where a function has a corner (`math.absf` at 0,
    `arith.maximumf` of equal operands) the derivative is that of one side.

        score  { %t = math.tanh %s;  yield %t }
        derivative { %t = math.tanh %s;  %d = 1 - %t * %t;  yield %d }

    A derivative region that is there already is kept: that is how one gives a
    derivative that is unknown here, or another than the true one.

    Fails if the derivative of an op is not known (`arith.bitcast` of a score,
    for example).

    Preconditions: none.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def FADecomposePass : Pass<"fa-decompose", "::mlir::func::FuncOp"> {
  let summary = "fa.attention to three steps over whole matrices";
  let description = [{
    The meaning of `fa.attention`, and the baseline that FlashAttention is
    measured against: scores, softmax and weighted sum, each over whole
    matrices, with S and P of shape [B, Hq, Sq, Sk] in memory.

     1. S = score(scale * Q K^T), -inf where masked
     2. m = rowmax(S), P = exp(S - m), l = rowsum(P), LSE = m + log(l)
     3. O = (P V) / l, with P rounded to V's type

    Each step is a few `linalg.generic` ops. It does not share code with the
    tiled road, so that the two check each other. On tensors S and P are
    `tensor.empty`, on memrefs they are allocated and freed.

    A head of K and V that several query heads share is read through the map
    `h floordiv group` where both numbers of heads are static, and otherwise in
    the body of the product, at h * Hkv / Hq: no affine map divides by a number
    that is only known at run time.

    Sums carry `reassoc` and `contract`, so that they can be vectorised; nothing
    else is relaxed, -inf and NaN are values. Without any visible key m is -inf;
    it counts as 0 in S - m, which leaves P = 0 and l = 0.

    Preconditions: none. Whatever the verifier of `fa.attention` accepts is
    decomposed, so the pass has no diagnostic.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FASelectSchedulePass : Pass<"fa-select-schedule", "::mlir::func::FuncOp"> {
  let summary = "choose the tile sizes of each fa.attention";
  let description = [{
    The one place that chooses. Attaches a `#fa.schedule` and a `#fa.target` to
    each `fa.attention` and `fa.attention_backward`; later passes only read them.
    A schedule that is there already is kept and checked. An option that is given
    overrides one field.

    On the CPU the register tile is mr x nr such that its accumulators fill half
    of the SIMD registers; B_c and B_r are 64, halved (B_c first) until the
    tiles of Q, K, V, S and O, in f32, fit in `sram`. On a GPU the rows are
    split among row groups of warps, and B_c is the largest for which registers
    and SRAM suffice. On sm_90a products overlap, row groups take turns and O is
    rescaled lazily, except where a region needs the registers, or the head dim
    is too small to gain; a head dim above 64 that fills at most half of its last
    chunk of 64 columns has narrow chunks. Where products overlap blocks take
    query tiles in turn, if the registers suffice for that, too, and have a second
    tile of Q in SRAM, if it fits. Where another schedule was measured to be
    faster (`lib/Transforms/Schedules.def`), and no field is asked for, that one
    is taken; with `max-keys` it may be one for short sequences alone. A remark of
    category `schedule` says what was chosen, by the model or by the table, and
    why.

    For a gradient it also chooses the design: on the CPU one pass with a few
    splits.

    Fails if no tile, or not the tile asked for, fits, and if a schedule is not
    one for its target: mr and nr are the CPU's, groups, warps and stages the
    GPU's, overlap, pingpong, lazy, narrow and persistent those of sm_90a, tf32
    that of f32 on a GPU.

    Preconditions: none.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"cpu\"",
           "What to compile for: cpu, sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100 "
           "or sm_120.">,
    Option<"sram", "sram", "int64_t", /*default=*/"0",
           "Bytes of fast memory that the tiles of one block may take (0: what "
           "the chip has).">,
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"256",
           "Width of a CPU's SIMD register: 128, 256 or 512.">,
    Option<"maxKeys", "max-keys", "int64_t", /*default=*/"0",
           "The largest number of keys that the code is for, on a GPU (0: any "
           "number).">,
    Option<"table", "table", "bool", /*default=*/"true",
           "Whether schedules that were measured go before those of the model.">,
    Option<"br", "br", "int64_t", /*default=*/"0",
           "Rows of a query tile, B_r (0: chosen).">,
    Option<"bc", "bc", "int64_t", /*default=*/"0",
           "Rows of a key tile, B_c (0: chosen).">,
    Option<"mr", "mr", "int64_t", /*default=*/"0",
           "Rows of the CPU's register tile (0: chosen).">,
    Option<"nr", "nr", "int64_t", /*default=*/"0",
           "Columns of the CPU's register tile (0: chosen).">,
    Option<"groups", "groups", "int64_t", /*default=*/"0",
           "Row groups of a GPU block (0: chosen).">,
    Option<"warps", "warps", "int64_t", /*default=*/"0",
           "Warps of a row group (0: chosen).">,
    Option<"stages", "stages", "int64_t", /*default=*/"0",
           "Key tiles that are in SRAM at a time (0: chosen).">,
    Option<"blocks", "blocks", "int64_t", /*default=*/"0",
           "Blocks that share a multiprocessor, which bounds the registers of a "
           "thread (0: chosen).">,
    Option<"overlap", "overlap", "int64_t", /*default=*/"-1",
           "Q K^T of a key tile together with P V of the one before, on sm_90a "
           "(0 or 1; -1: chosen).">,
    Option<"pingpong", "pingpong", "int64_t", /*default=*/"-1",
           "Row groups take turns to issue products, on sm_90a (0 or 1; -1: "
           "chosen).">,
    Option<"lazy", "lazy", "int64_t", /*default=*/"-1",
           "O is rescaled where the maximum has grown much, on sm_90a (0 or 1; "
           "-1: chosen).">,
    Option<"narrow", "narrow", "int64_t", /*default=*/"-1",
           "Chunks of tiles in SRAM narrower than 128 bytes where columns do not "
           "fill them, on sm_90a (0 or 1; -1: chosen).">,
    Option<"persistent", "persistent", "int64_t", /*default=*/"-1",
           "Blocks take query tiles in turn and have so many of them in SRAM, on "
           "sm_90a (1 or 2; 0: a block a tile; -1: chosen).">,
    Option<"tf32", "tf32", "bool", /*default=*/"false",
           "Products of f32 on tensor cores, with operands of 10 bits of "
           "fraction.">,
    Option<"backward", "backward", "std::string", /*default=*/"",
           "Design of gradients: two_pass or one_pass (empty: chosen).">,
    Option<"splits", "splits", "int64_t", /*default=*/"0",
           "Blocks that share the key tiles of a head with one_pass (0: "
           "chosen).">,
    Option<"align", "align", "int64_t", /*default=*/"0",
           "Bytes that addresses and strides are multiples of on a GPU: 2, 4, 8 "
           "or 16 (0: what contiguous tensors have).">
  ];
  let dependentDialects = ["::mlir::fa::FADialect"];
}

def FATilePass : Pass<"fa-tile", "::mlir::func::FuncOp"> {
  let summary = "fa.attention to the loop nest of FlashAttention";
  let description = [{
    Rewrites each `fa.attention` on memrefs as parallel loops over batch, query
    head and query tile, and in them two loops over key tiles, in the manner of
    the two-pass softmax: the first finds the row maximum m, the second sums
    P = exp(S - m) and P V.

        forall b, h, i:
          for j: S = Q_i K_j^T;                m = max(m, rowmax(S))
          for j: S = Q_i K_j^T; P = exp(S - m); l += rowsum(P); O += P V_j
          O_i = O / l; LSE_i = m + log(l)

    Each loop over key tiles is split in two: edge tiles, in which a key may be
    hidden by the mask or lie past the end (they are masked with -inf), and
    full tiles, without any test. Tiles that the mask hides whole are not
    visited. The edge tiles come first, from the last one down, and then the full
    ones, likewise. With row groups each group begins with the first visit of
    which its rows see a key. The edge tiles are those of the group, if none of
    the block lie before the full tiles, so that the order is the same for all;
    else those of the block. Where the schedule has `overlap` there is an edge
    tile always, be it one that is not masked or, without any key, one that is
    masked whole.

    Score and mask regions are applied to every tile with vector ops; a read of a
    table is a gather, for which the last query or key stands for positions past
    the end. A mask region that lets an interval of keys through, from lo(i) to
    hi(i), narrows the loops like the mask attribute, and is then applied to edge
    tiles only; what was found is the remark `MaskBounds`.

    The loop nest carries the schedule and target as `fa.schedule` and
    `fa.target`. Its loops are mapped to blocks (`#gpu.block`), on the CPU too, by
    which they stay loops where they run once.

    With `keys-outside` the nest is that of the first FlashAttention paper:

        forall b, h:
          for i: O_i = 0, l_i = 0, m_i = -inf
          for j: for i: O_i, l_i, m_i = step(Q_i, K_j, V_j, O_i, l_i, m_i)
          for i: O_i = O_i / l_i; LSE_i = m_i + log(l_i)

    with O (in f32), l and m of all queries in memory, and the online softmax.
    It moves more bytes (docs/IO.md) and is here for comparison: on the CPU, and
    without regions.

    Preconditions: memrefs (`fa-bufferize`), a schedule and a target
    (`fa-select-schedule`).
  }];
  let options = [
    Option<"keysOutside", "keys-outside", "bool", /*default=*/"false",
           "The loop over keys outside, and the state of the queries in memory.">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::fa::FADialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def FATileBackwardPass : Pass<"fa-tile-backward", "::mlir::func::FuncOp"> {
  let summary = "fa.attention_backward to loop nests over tiles";
  let description = [{
    Rewrites each `fa.attention_backward` on memrefs as a sequence of steps, each
    a nest of parallel loops with its name as `fa.step`:

        delta:  forall b, h, i:   delta_i = rowsum(dO_i * O_i) - dLSE_i

    With the design `two_pass` of the schedule each gradient has one owner, and S
    and dP are computed twice (seven products):

        dq:     forall b, h, i:   for j: dQ += dS_ij K_j
        dkv:    forall b, hk, j:  for h of hk, i: dV += P_ij^T dO_i; dK += dS_ij^T Q_i

    With `one_pass` dQ is accumulated in f32 (five products):

        dkv:    forall b, hk, g:  acc[g] = 0; for j = g, g + splits, ...: for h, i:
                                    the same, and acc[g]_i += dS_ij K_j
        dq:     forall b, h, i:   dQ_i = scale * sum_g acc[g]_i

    delta and acc are allocated before the nests and freed after them. In `dkv`
    the rows of tiles are keys (S^T, P^T, dP^T, dS^T), so that LSE and delta are
    vectors over the columns and dV and dK are `fa.accumulate`. The products of
    dP start from -delta.

    Which query tiles a key tile visits, and which of them are edge tiles, follows
    from the mask as in `fa-tile`. The last key tile is an edge tile for all
    queries if keys are missing in it. dS is 0 where P is, whatever dP and the
    derivative of the score region are there.

    Preconditions: memrefs (`fa-bufferize`), a schedule and a target
    (`fa-select-schedule`), a derivative beside a score region
    (`fa-differentiate-score`).
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::fa::FADialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def FAFuseOnlineSoftmaxPass
    : Pass<"fa-fuse-online-softmax", "::mlir::func::FuncOp"> {
  let summary = "two passes over the keys to one, with the online softmax";
  let description = [{
    Merges the loops that find the row maximum m into the loops that use it.
    The maximum becomes a loop-carried value of the latter, `fa.softmax` becomes
    `fa.online_softmax`, and every value that was accumulated with the old
    maximum (the sum l, and O by way of `fa.accumulate`) is rescaled by alpha.
    It is legal because both are sums of terms with the factor exp(-m).

    A loop that ran once, and was taken apart by the canonicaliser, is fused like
    a loop.

    Preconditions, each a diagnostic:
     - the maximum that `fa.softmax` uses comes from loops over the same tiles,
       in the same order, as the loops that use it;
     - those loops do nothing but reduce the same scores to their maximum, and
       start from -inf;
     - P has no use other than `fa.accumulate`; the sum and the accumulated
       values start from 0 and are carried from loop to loop, without another
       use;
     - m has no use other than one `fa.softmax` a loop, and `fa.finish` after
       them;
     - nothing writes memory meanwhile.
  }];
  let dependentDialects = ["::mlir::fa::FADialect", "::mlir::scf::SCFDialect"];
}

def FAExpandSoftmaxPass : Pass<"fa-expand-softmax", "::mlir::func::FuncOp"> {
  let summary = "fa.softmax, fa.online_softmax and fa.finish to vector code";
  let description = [{
    Rewrites the row-wise ops as `arith`, `math` and `vector` ops on tiles.
    Only the two products stay. exp is exp2 with scale * log2(e) folded into
    one FMA:

        exp(scale * (s - m)) = exp2(s * c - m * c),   c = scale * log2(e)

    With a scale of 1, as it is after a score function, the difference comes
    first, exp2((s - m) * c), which is exact near the maximum for scores of any
    size.

    A maximum of -inf (no key seen yet) is replaced by 0 in the exponent, so
    that masked scores give exp2(-inf) = 0 and not NaN.

    Preconditions: none.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def FAPrintIOPass : Pass<"fa-print-io", "::mlir::func::FuncOp"> {
  let summary = "what each op reads from HBM and writes to it, as remarks";
  let description = [{
    A remark for each op that moves bytes, with their number as a formula in the
    dynamic sizes of the function, and two for the whole function. Formulas and
    rules are in docs/IO.md.

    HBM is every memref without a memory space. A tile that a product reads
    counts once, where its view is taken; a step over whole matrices reads each
    operand once; anything else counts where it stands, in the loops around it
    with the bounds that they have. What is not visited is not counted.

    Changes nothing. Fails, with an error at the op, where there is no formula.

    Preconditions: a level from naive to scheduled.
  }];
}

//===----------------------------------------------------------------------===//
// GPU
//===----------------------------------------------------------------------===//

def FASpillScoresPass : Pass<"fa-spill-scores", "::mlir::ModuleOp"> {
  let summary = "S and P in memory: attention as three kernels (GPU)";
  let description = [{
    Takes the nest of two passes over the keys apart to what attention is
    without FlashAttention. For each function three:

        f_scores   for j: S = Q_i K_j^T; write S_ij
        f_softmax  for j: read S_ij; m = max(m, rowmax(S))
                   for j: read S_ij; P = exp(S - m); l += rowsum(P); write P_ij
                   write l_i; LSE_i = m + log(l)
        f_output   for j: read P_ij; O += P V_j
                   read l_i; O_i = O / l

    Each has the arguments of f and S, P and l, which the caller brings, and
    names the kernel that runs after it (`next` in `fa.problem`). Rows of S and
    P have as many elements as there are keys, up to a multiple of 64. S is after
    the score region and the mask; tiles that the mask hides whole are left out
    by all three.

    Preconditions: the nest of `fa-tile` for a GPU without row groups, with a bc
    that divides 64.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::fa::FADialect",
    "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"
  ];
}

def FAPromoteToSRAMPass : Pass<"fa-promote-to-sram", "::mlir::func::FuncOp"> {
  let summary = "tiles of Q, K and V to workgroup memory (GPU)";
  let description = [{
    Makes the memory operands of `fa.scores` and `fa.accumulate` tiles in SRAM:
    one tile for the query rows of the block (`fagpu.alloc`, `fagpu.copy`), and a
    ring of `stages` tiles each for keys and values, filled in the loops over key
    tiles (`fagpu.fill`). The position in the ring is the counter of the loop,
    which goes on from one loop to the next.

    The layout of a tile (`#fagpu.sram`) is chosen here. Chunks are 128 bytes
    wide. Where the schedule has `narrow`, and at least half of the last chunk
    would be empty, Q and K have the narrowest tail that holds the rest, and V
    the widest narrower chunks that its columns fill, if they fill any:

    | columns of 16 bits | Q, K        | V     |
    |--------------------|-------------|-------|
    | 72                 | 64 + 16     | 64    |
    | 80                 | 64 + 16     | 16    |
    | 96                 | 64 + 32     | 32    |
    | 112                | 64          | 64    |
    | 160                | 64, 64 + 32 | 32    |

    The program means what it would if every copy were done at once; the
    scheduling passes move the copies ahead of their use.

    Preconditions: a nest of `fa-tile` for a GPU; f16 or bf16.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::fa::FADialect",
    "::mlir::fagpu::FAGPUDialect", "::mlir::memref::MemRefDialect"
  ];
}

def FACountIOPass : Pass<"fa-count-io", "::mlir::func::FuncOp"> {
  let summary = "bytes of HBM of a loop nest, for its caller (GPU)";
  let description = [{
    Counts as `fa-print-io` does and leaves the sums on each loop nest as
    `fagpu.hbm_bytes`, a dictionary of `read` and `written`, two formulas in
    batch, heads, kv_heads, seq_q and seq_kv. A nest that cannot be counted is
    left without it.

    Preconditions: none; it is run on the level promoted, where the copies from
    HBM are ops of their own.
  }];
}

def FAPipelineCopiesPass
    : Pass<"fa-pipeline-copies", "::mlir::func::FuncOp"> {
  let summary = "copies ahead of their use, with cp.async (sm_80)";
  let description = [{
    Software pipelining of the ring's copies: while tile t is computed with, the
    copies of tile t + stages - 1 are on their way. All threads of the block copy.
    Waits (`nvvm.cp.async.wait.group`) are placed at the start of each iteration;
    barriers are left to `fa-insert-barriers`.

    Preconditions: `fa-promote-to-sram`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::fagpu::FAGPUDialect",
    "::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def FASpecializeWarpsPass
    : Pass<"fa-specialize-warps", "::mlir::func::FuncOp"> {
  let summary = "a producer warp and row groups (sm_90a)";
  let description = [{
    Splits the block into a producer, which fills the rings by tensor maps, and
    row groups, which compute (`fagpu.specialize`). Fills become `fagpu.load` in
    the one and `fagpu.acquire` and `fagpu.release` in the other. A group that begins
    later than others, since the first tiles are masked for its rows, waits for
    their stages and releases them unread. The tile of Q becomes a ring with a
    stage for each group, of the group's rows, at the position of its number; O is
    stored by way of that stage. (FlashAttention-3, section 3.1, warp
    specialisation.)

    Loops of a group that go on in one another with the same tiles may meet where
    the group says: the producer has one loop for them.

    Preconditions: `fa-promote-to-sram`; a loop over row groups in the nest, in
    which the start of the first loop over key tiles may depend on the group, and
    where loops over the same tiles meet, but nothing else of what is visited; each
    group reads its own rows of Q alone; Q, K and V are arguments of the function.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::fagpu::FAGPUDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def FAOverlapProductsPass
    : Pass<"fa-overlap-products", "::mlir::func::FuncOp"> {
  let summary = "Q K^T of a key tile with P V of the one before (sm_90a)";
  let description = [{
    Where the schedule has `overlap`: delays P V by one visit, so that it is
    issued right after the Q K^T of the next key tile, and runs while the softmax
    of that tile is computed. P is carried from visit to visit. The first visit
    has no product to go with and stands before the loops, the last P V after
    them. (FlashAttention-3, section 3.2, Algorithm 2.)

    Preconditions, each a diagnostic: `fa-specialize-warps`; loops over key tiles
    with one `fa.scores`, `fa.online_softmax` and `fa.accumulate`, each going on
    where the one before ended, with O from 0 on; a first loop that runs at least
    once (`fa-tile` sees to it where the schedule has `overlap`).
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::fa::FADialect",
    "::mlir::fagpu::FAGPUDialect", "::mlir::scf::SCFDialect"
  ];
}

def FAPingPongPass : Pass<"fa-ping-pong", "::mlir::func::FuncOp"> {
  let summary = "row groups take turns to issue products (sm_90a)";
  let description = [{
    Where the schedule has `pingpong`: a row group awaits its turn before the
    first product of a visit and passes it after the last, so that the tensor
    cores work for one group while the others compute their softmax. A visit that
    a group skips takes a turn too. (FlashAttention-3, section 3.2.)

    Preconditions: `fa-specialize-warps`, and `fa-overlap-products` before it
    where both are wanted.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::fagpu::FAGPUDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def FALazyRescalePass : Pass<"fa-lazy-rescale", "::mlir::func::FuncOp"> {
  let summary = "rescale O where the row maximum has grown much (sm_90a)";
  let description = [{
    Where the schedule has `lazy`: `fa.online_softmax` keeps the maximum of a row
    as long as the scores exceed it by no more than a factor of 2^8 in P, and
    `fa.rescale` is marked as rarely needed. After the final normalisation the
    result is the same: the lag is a common factor of O and l.
    (FlashAttention-4, conditional rescaling.)

    Preconditions: `fa-overlap-products`, which makes `fa.rescale`; an
    `fa.accumulate` that rescales by itself is left alone.
  }];
  let dependentDialects = ["::mlir::fa::FADialect"];
}

def FAInsertBarriersPass : Pass<"fa-insert-barriers", "::mlir::func::FuncOp"> {
  let summary = "barriers of the block, from effects on SRAM (GPU)";
  let description = [{
    Inserts `gpu.barrier` between a read of a tile or ring in SRAM and a copy to
    it, and between a wait for copies and a read, in loops around the back-edge
    too; nowhere else. What an op reads and writes is known from its memory
    effects on operands in `#fagpu.sram`. A region of `fagpu.specialize` is left
    alone: there the rings have barriers of their own.

    Preconditions: `fa-pipeline-copies`.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def FAInsertWaitsPass : Pass<"fa-insert-waits", "::mlir::func::FuncOp"> {
  let summary = "waits for asynchronous products (sm_90a)";
  let description = [{
    Inserts `fagpu.wait_dot` before the first use of the result of a `fagpu.dot`,
    before the release of a stage that it reads or a write to a tile that it
    reads, and before a branch; with as many products pending as have been issued
    since on every way that leads there, loops included.

    Preconditions: `fa-distribute`; only the consumer regions of
    `fagpu.specialize` are looked at, since products of other targets are done
    where they stand.
  }];
  let dependentDialects = ["::mlir::fagpu::FAGPUDialect"];
}

def FAPlanSRAMPass : Pass<"fa-plan-sram", "::mlir::func::FuncOp"> {
  let summary = "offsets of the tiles in workgroup memory (GPU)";
  let description = [{
    Gives each `fagpu.alloc` its `offset` and leaves the sum, with the barriers
    of the rings, on the nest as `fagpu.sram_bytes`. Fails with the numbers if
    that is more than the target has.
  }];
}

def FAPersistentGridPass : Pass<"fa-persistent-grid", "::mlir::func::FuncOp"> {
  let summary = "blocks that take query tiles in turn (sm_90a)";
  let description = [{
    Where the schedule has `persistent`, only as many blocks of threads are
    launched as run at a time. Producer and row groups become loops over the blocks
    of the grid,

        producer                                row group
          n = block_id; turn = 0; first = 0       turn = 0
          while n < total:                        while acquire_block at turn:
            post_block where n is, first at turn    read_block ... at turn
            ... what it did for n ...               ... what it did for that ...
            n = draw_block of total                 release_block at turn
            first += visits of n; turn += 1         turn += 1
          post_block at turn

    with positions of rings from `first` on, so that K, V and Q of the next query
    tile are loaded while the row groups are busy with the last tiles and the store
    of the one before it, and no block is launched in between. Which one is next is
    not fixed: it is drawn from a counter in device memory when the loads of the
    one before are done, so that the load stays balanced as with blocks that the
    hardware starts. What a row group needs after its last loop is read, and
    computed, again there: it has no registers to keep it in.

    Preconditions: a kernel of `fa-outline-kernel` with one `fagpu.specialize`, in
    which the producer fills each ring from position 0 on without a gap.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::fagpu::FAGPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect"
  ];
}

#endif // FA_TRANSFORMS_PASSES_TD
