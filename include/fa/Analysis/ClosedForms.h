//===- ClosedForms.h - Bytes of HBM, from the papers ------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each algorithm reads from HBM and writes to it, tensor by tensor, as
// formulas in
//
//   batch  heads  kv_heads  seq_q  seq_kv  head_dim  head_dim_v
//   br  bc         rows of a query tile and of a key tile
//   bytes          of an element of Q, K, V, O and of what is made of them
//
// docs/IO.md derives them.
//
//===----------------------------------------------------------------------===//

#ifndef FA_ANALYSIS_CLOSEDFORMS_H
#define FA_ANALYSIS_CLOSEDFORMS_H

#include "fa/Runtime/Formula.h"
#include "fa/Runtime/Reference.h"
#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::fa {

/// The bytes of one tensor that cross the border of HBM.
struct TensorTraffic {
  std::string tensor;
  fart::Formula read, written;
};

/// An algorithm by what it moves.
struct ClosedForm {
  std::string name;  ///< For flags and JSON: naive, fa1, ...
  std::string title; ///< For people.
  std::vector<TensorTraffic> tensors;

  fart::Formula getRead() const;
  fart::Formula getWritten() const;
  fart::Formula getBytes() const { return getRead() + getWritten(); }
};

/// Forward, under the given mask:
///
///     naive     three steps over whole matrices: S and P are written and read
///     fa1       tiles, the loop over queries outside (as FlashAttention-2 and
///               this compiler): Q once, K and V once a query tile
///     fa1_keys  tiles, the loop over keys outside (Algorithm 1 of
///               FlashAttention): K and V once; Q, O, m and l once a key tile
///     minimum   each input read once, each output written once
///
/// The tiled forms leave out tiles that the mask hides whole.
std::vector<ClosedForm> getForwardForms(const fart::Band &mask);

/// Backward, from LSE: P is computed again as exp(S - LSE).
///
///     naive     whole matrices: S, P, dP and dS are written and read
///     keys      the loop over keys outside (Algorithm 4 of FlashAttention):
///               dQ is read and written, in f32, once a key tile
///     two       two kernels, and no sum in memory: one with the loop over keys
///               outside for dK and dV, one with queries outside for dQ
///     minimum   as above
std::vector<ClosedForm> getBackwardForms(const fart::Band &mask);

/// The three kernels of fa-spill-scores, forward without FlashAttention on a
/// GPU: scores, softmax and output. S and l are f32 and P as V; the softmax
/// reads S twice, once for m and once for P. Rows of S and P end with the last
/// tile. With `tiled`, K and V count once a query tile, as multiprocessors get
/// them; without, once, as HBM gives them to L2.
std::vector<ClosedForm> getStepForms(const fart::Band &mask, bool tiled);

/// N^2 d^2 / M (Theorem 2 of FlashAttention), in bytes, with `sram` bytes for M
/// elements: what grows like the best that any tile size can reach. No
/// constant: with B_r = M / (4 d) the constant of `fa1` is about 8.
fart::Formula getBound(int64_t sram);

/// Elements of SRAM that a block takes according to the paper: tiles of Q, K
/// and V, of S, and of O. With one head dim (br + 2 bc) d + br bc + br d.
fart::Formula getTextbookSram();

} // namespace mlir::fa

#endif // FA_ANALYSIS_CLOSEDFORMS_H
