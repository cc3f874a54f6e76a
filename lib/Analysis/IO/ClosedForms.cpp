//===- ClosedForms.cpp - Bytes of HBM, from the papers --------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Analysis/ClosedForms.h"

#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace mlir::fa;
using fart::Formula;

/// The formulas of this file are constants: they are right, or it is a bug.
static Formula parse(StringRef text) {
  fart::Result<Formula> formula = Formula::parse(text);
  if (!formula)
    llvm_unreachable(formula.error().message.c_str());
  return *formula;
}

Formula ClosedForm::getRead() const {
  Formula sum;
  for (const TensorTraffic &traffic : tensors)
    sum += traffic.read;
  return sum;
}

Formula ClosedForm::getWritten() const {
  Formula sum;
  for (const TensorTraffic &traffic : tensors)
    sum += traffic.written;
  return sum;
}

namespace {
/// What all forms are made of.
struct Parts {
  explicit Parts(const fart::Band &mask);

  Formula heads = parse("batch * heads"), kvHeads = parse("batch * kv_heads");
  // Matrices of one head.
  Formula q = parse("seq_q * head_dim * bytes");
  Formula k = parse("seq_kv * head_dim * bytes");
  Formula v = parse("seq_kv * head_dim_v * bytes");
  Formula o = parse("seq_q * head_dim_v * bytes");
  Formula scores = parse("seq_q * seq_kv * bytes");
  Formula rowStatistic = parse("4 * seq_q"); // f32

  /// Rows of K, and so of V, that all query tiles of a head read.
  Formula keysOfQueryTiles;
  /// Elements of S in the tiles of a head.
  Formula scoresOfTiles;
  /// Rows of Q that are read for all key tiles of a head.
  Formula queriesOfKeyTiles;
};
} // namespace

/// `end` up to the next multiple of `tile`, but not past `limit`.
static Formula roundUp(const Formula &end, const Formula &tile,
                       const Formula &limit) {
  return Formula::min(limit, tile * Formula::ceilDiv(end, tile));
}

/// The ends of the band in terms of i and j: row i sees the keys from
/// i + shift - left to i + shift + right.
Parts::Parts(const fart::Band &mask) {
  Formula seqQ = Formula::symbol("seq_q"), seqKV = Formula::symbol("seq_kv");
  Formula br = Formula::symbol("br"), bc = Formula::symbol("bc");
  Formula i = Formula::symbol("i"), j = Formula::symbol("j");
  Formula shift = mask.topLeft ? Formula(0) : seqKV - seqQ;

  // Of query tile i: key tiles from that of the first key its first row sees
  // to that of the last key its last row sees.
  Formula firstKey = 0, endKey = seqKV;
  if (mask.left)
    firstKey = Formula::max(0, br * i + shift - *mask.left);
  if (mask.right) {
    Formula endRow = Formula::min(br * i + br, seqQ);
    Formula seen = Formula::max(0, endRow + shift + *mask.right);
    endKey = roundUp(Formula::min(seqKV, seen), bc, seqKV);
  }
  Formula keys = Formula::max(0, endKey - bc * Formula::floorDiv(firstKey, bc));
  if (mask.left)
    keys = Formula::makeIf(firstKey, seqKV, keys, 0);
  keysOfQueryTiles = Formula::makeSum("i", Formula::ceilDiv(seqQ, br), keys);
  Formula columns = bc * Formula::ceilDiv(keys, bc);
  scoresOfTiles = Formula::makeSum("i", Formula::ceilDiv(seqQ, br),
                                   Formula::min(br, seqQ - br * i) * columns);

  // Of key tile j likewise: a row sees key j from row j - shift - right on, and
  // up to row j - shift + left.
  Formula firstRow = 0, endRow = seqQ;
  if (mask.right)
    firstRow = Formula::max(0, bc * j - shift - *mask.right);
  if (mask.left) {
    Formula endOfTile = Formula::min(bc * j + bc, seqKV);
    Formula seen = Formula::max(0, endOfTile - shift + *mask.left);
    endRow = roundUp(Formula::min(seqQ, seen), br, seqQ);
  }
  Formula rows = Formula::max(0, endRow - br * Formula::floorDiv(firstRow, br));
  if (mask.right)
    rows = Formula::makeIf(firstRow, seqQ, rows, 0);
  queriesOfKeyTiles = Formula::makeSum("j", Formula::ceilDiv(seqKV, bc), rows);
}

std::vector<ClosedForm> fa::getForwardForms(const fart::Band &mask) {
  Parts part(mask);
  const Formula &heads = part.heads;
  Formula headDim = Formula::symbol("head_dim"),
          headDimV = Formula::symbol("head_dim_v"),
          bytes = Formula::symbol("bytes");
  Formula keys = heads * part.keysOfQueryTiles;
  Formula queries = heads * part.queriesOfKeyTiles;
  return {
      {"naive",
       "whole matrices",
       {{"Q", heads * part.q, 0},
        {"K", heads * part.k, 0},
        {"V", heads * part.v, 0},
        {"S", heads * part.scores, heads * part.scores},
        {"P", heads * part.scores, heads * part.scores},
        {"O", 0, heads * part.o}}},
      {"fa1",
       "tiles, queries outside",
       {{"Q", heads * part.q, 0},
        {"K", keys * headDim * bytes, 0},
        {"V", keys * headDimV * bytes, 0},
        {"O", 0, heads * part.o},
        {"LSE", 0, heads * part.rowStatistic}}},
      {"fa1_keys",
       "tiles, keys outside",
       {{"Q", queries * headDim * bytes, 0},
        {"K", heads * part.k, 0},
        {"V", heads * part.v, 0},
        {"O", queries * headDimV * bytes, queries * headDimV * bytes},
        {"m", 4 * queries, 4 * queries},
        {"l", 4 * queries, 4 * queries}}},
      {"minimum",
       "each tensor once",
       {{"Q", heads * part.q, 0},
        {"K", part.kvHeads * part.k, 0},
        {"V", part.kvHeads * part.v, 0},
        {"O", 0, heads * part.o},
        {"LSE", 0, heads * part.rowStatistic}}},
  };
}

std::vector<ClosedForm> fa::getStepForms(const fart::Band &mask, bool tiled) {
  Parts part(mask);
  const Formula &heads = part.heads;
  Formula bytes = Formula::symbol("bytes");
  Formula keys = heads * part.keysOfQueryTiles * bytes;
  Formula k = tiled ? keys * Formula::symbol("head_dim")
                    : part.kvHeads * part.k,
          v = tiled ? keys * Formula::symbol("head_dim_v")
                    : part.kvHeads * part.v;
  Formula scores = heads * part.scoresOfTiles;
  Formula statistic = heads * part.rowStatistic;
  return {
      {"scores",
       "S = Q K^T",
       {{"Q", heads * part.q, 0}, {"K", k, 0}, {"S", 0, 4 * scores}}},
      {"softmax",
       "m, l, P and LSE of rows of S",
       {{"S", 8 * scores, 0},
        {"P", 0, scores * bytes},
        {"l", 0, statistic},
        {"LSE", 0, statistic}}},
      {"output",
       "O = P V / l",
       {{"P", scores * bytes, 0},
        {"V", v, 0},
        {"l", statistic, 0},
        {"O", 0, heads * part.o}}},
  };
}

std::vector<ClosedForm> fa::getBackwardForms(const fart::Band &mask) {
  Parts part(mask);
  const Formula &heads = part.heads;
  Formula headDim = Formula::symbol("head_dim"),
          headDimV = Formula::symbol("head_dim_v"),
          bytes = Formula::symbol("bytes");
  Formula keys = heads * part.keysOfQueryTiles;
  Formula queries = heads * part.queriesOfKeyTiles;
  Formula q = heads * part.q, k = heads * part.k, v = heads * part.v,
          o = heads * part.o, matrix = heads * part.scores,
          statistic = heads * part.rowStatistic;
  // Before either tiled form: delta = rowsum(dO * O).
  return {
      // S = Q K^T, P = exp(S - LSE), dV = P^T dO, dP = dO V^T,
      // dS = P * (dP - delta), dQ = dS K, dK = dS^T Q.
      {"naive",
       "whole matrices",
       {{"Q", 2 * q, 0},
        {"K", 2 * k, 0},
        {"V", v, 0},
        {"O", o, 0},
        {"dO", 3 * o, 0},
        {"LSE", statistic, 0},
        {"delta", statistic, statistic},
        {"S", matrix, matrix},
        {"P", 2 * matrix, matrix},
        {"dP", matrix, matrix},
        {"dS", 2 * matrix, matrix},
        {"dQ", 0, q},
        {"dK", 0, k},
        {"dV", 0, v}}},
      {"keys",
       "tiles, keys outside",
       {{"Q", queries * headDim * bytes, 0},
        {"K", k, 0},
        {"V", v, 0},
        {"O", o, 0},
        {"dO", o + queries * headDimV * bytes, 0},
        {"LSE", 4 * queries, 0},
        {"delta", 4 * queries, statistic},
        {"dQ", 4 * queries * headDim, 4 * queries * headDim},
        {"dK", 0, k},
        {"dV", 0, v}}},
      {"two",
       "tiles, one kernel for dK and dV, one for dQ",
       {{"Q", q + queries * headDim * bytes, 0},
        {"K", k + keys * headDim * bytes, 0},
        {"V", v + keys * headDimV * bytes, 0},
        {"O", o, 0},
        {"dO", 2 * o + queries * headDimV * bytes, 0},
        {"LSE", statistic + 4 * queries, 0},
        {"delta", statistic + 4 * queries, statistic},
        {"dQ", 0, q},
        {"dK", 0, k},
        {"dV", 0, v}}},
      {"minimum",
       "each tensor once",
       {{"Q", q, 0},
        {"K", part.kvHeads * part.k, 0},
        {"V", part.kvHeads * part.v, 0},
        {"O", o, 0},
        {"dO", o, 0},
        {"LSE", statistic, 0},
        {"dQ", 0, q},
        {"dK", 0, part.kvHeads * part.k},
        {"dV", 0, part.kvHeads * part.v}}},
  };
}

Formula fa::getBound(int64_t sram) {
  // N^2 d^2 / M elements with M = sram / bytes, each of `bytes`.
  return parse("batch * heads") *
         Formula::ceilDiv(
             parse("seq_q * seq_kv * head_dim * head_dim_v * bytes * bytes"),
             sram);
}

Formula fa::getTextbookSram() {
  return parse("br * head_dim + bc * (head_dim + head_dim_v) + br * bc + "
               "br * head_dim_v");
}
