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

/// The one function of a module that holds the one problem, `fa.attention` or
/// `fa.attention_backward`, and which of its arguments play which part.
struct AttentionFunc {
  func::FuncOp func;
  AttentionOpInterface attention;
  /// The same op if it is an `fa.attention_backward`, else null.
  AttentionBackwardOp backward;

  /// Argument numbers of Q, K, V and O, and of LSE, which a forward problem may
  /// do without.
  unsigned query, key, value, output;
  std::optional<unsigned> lse;
  /// Of a backward problem: argument numbers of dO, dQ, dK and dV, and of dLSE
  /// where it has that.
  unsigned outputGrad, queryGrad, keyGrad, valueGrad;
  std::optional<unsigned> lseGrad;
  /// Argument numbers of the rest: scalars and tables that the regions read.
  SmallVector<unsigned> extras;

  /// Finds it. Fails if there is no problem or more than one, or if an operand
  /// of it is not an argument of the function.
  static llvm::Expected<AttentionFunc> find(ModuleOp module);

  /// States in `spec` what the types and attributes say about the problem;
  /// `source` names the file.
  llvm::Error describe(ProblemSpec &spec, StringRef source);
};

/// The gradient of the one `fa.attention` of `module`: its function with the
/// arguments dO, dQ, dK and dV appended. Fails as `AttentionFunc::find` does,
/// and without LSE; a module that holds an `fa.attention_backward` is copied.
llvm::Expected<OwningOpRef<ModuleOp>> buildBackward(ModuleOp module);

/// The `fa.attention` that belongs to the one `fa.attention_backward` of
/// `module`, in a function of the same name and arguments. It writes O and LSE.
llvm::Expected<OwningOpRef<ModuleOp>> buildForward(ModuleOp module);

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
