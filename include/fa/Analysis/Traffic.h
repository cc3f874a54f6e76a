//===- Traffic.h - Bytes of HBM, counted from IR ----------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the ops of a function read from HBM and write to it, as formulas in its
// dynamic sizes: the bytes of each op, summed over the loops around it with the
// bounds that those have in the IR, so that tiles which a mask hides are not
// counted since they are not visited.
//
//===----------------------------------------------------------------------===//

#ifndef FA_ANALYSIS_TRAFFIC_H
#define FA_ANALYSIS_TRAFFIC_H

#include "fa/Runtime/Formula.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir::fa {

/// What one op moves.
struct OpTraffic {
  Operation *op;
  std::string tensor; ///< Q, K, V, O, LSE, or the name of what was allocated.
  bool isWrite;
  fart::Formula bytes;
};

/// What a function moves, in program order.
struct Traffic {
  SmallVector<OpTraffic> ops;

  fart::Formula getRead() const;
  fart::Formula getWritten() const;
};

/// Counts the bytes of `func`, at a level from naive to scheduled.
///
/// HBM is every memref without a memory space. A tile that a product reads is
/// read once, where its view is taken, as fa-promote-to-sram does it; other
/// reads and writes count where they stand. A step over whole matrices reads
/// each of its operands once. What the row groups of a block share, they read
/// once.
///
/// The arguments are Q, K, V, O and LSE in this order, of rank 4 and 3, or else
/// what `fa.problem` says. Their dynamic sizes are batch, heads, kv_heads,
/// seq_q and seq_kv; those of other arguments are arg<n>_dim<d>.
///
/// Fails, with a call of `report`, at an op whose bytes or whose loop has no
/// formula.
FailureOr<Traffic>
countTraffic(FunctionOpInterface func,
             function_ref<void(Operation *op, const Twine &message)> report);

} // namespace mlir::fa

#endif // FA_ANALYSIS_TRAFFIC_H
