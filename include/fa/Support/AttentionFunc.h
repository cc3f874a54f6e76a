//===- AttentionFunc.h - A function that holds an attention -----*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_SUPPORT_ATTENTIONFUNC_H
#define FA_SUPPORT_ATTENTIONFUNC_H

#include "fa/Support/Problem.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fa {

/// The one function of a module that holds the one `fa.attention`, and which of
/// its arguments play which part.
struct AttentionFunc {
  func::FuncOp func;
  AttentionOp attention;

  /// Argument numbers of Q, K, V, O and LSE.
  unsigned query, key, value, output, lse;
  /// Argument numbers of the rest: scalars and tables that the regions read.
  SmallVector<unsigned> extras;

  /// Finds it. Fails if there is no `fa.attention` or more than one, or if an
  /// operand of it is not an argument of the function.
  static llvm::Expected<AttentionFunc> find(ModuleOp module);

  /// States in `spec` what the types and attributes say about the problem;
  /// `source` names the file.
  llvm::Error describe(ProblemSpec &spec, StringRef source);
};

/// The sizes along the dimensions of each operand.
inline constexpr Size queryDims[] = {Size::Batch, Size::Heads, Size::SeqQ,
                                     Size::HeadDim};
inline constexpr Size keyDims[] = {Size::Batch, Size::KVHeads, Size::SeqKV,
                                   Size::HeadDim};
inline constexpr Size valueDims[] = {Size::Batch, Size::KVHeads, Size::SeqKV,
                                     Size::HeadDimV};
inline constexpr Size outputDims[] = {Size::Batch, Size::Heads, Size::SeqQ,
                                      Size::HeadDimV};
inline constexpr Size lseDims[] = {Size::Batch, Size::Heads, Size::SeqQ};

} // namespace mlir::fa

#endif // FA_SUPPORT_ATTENTIONFUNC_H
