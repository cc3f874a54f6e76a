//===- KernelArguments.h - The arguments of a kernel, read or made --*- C++
//-*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_TOOLS_FARUN_KERNELARGUMENTS_H
#define FA_TOOLS_FARUN_KERNELARGUMENTS_H

#include "Runner.h"
#include "fa/Runtime/Extras.h"
#include "fa/Support/AttentionFunc.h"
#include "fa/Support/RegionEvaluator.h"

#include <map>

namespace mlir::fa {

/// Fails if the tensors of `problem` do not fit in the memory of the machine,
/// rather than be killed half way.
llvm::Error checkMemory(const RunOptions &options,
                        const AttentionProblem &problem);

/// The arguments of one call, in the order of the function. Owns the tensors.
class KernelArguments {
public:
  /// Reads Q, K, V, dO and dLSE where `options` names a file, and states their
  /// shapes in `spec`.
  llvm::Error readInputs(const RunOptions &options, ProblemSpec &spec);

  /// Reads what `options` says about the arguments that are no operands.
  llvm::Error readExtras(const RunOptions &options, AttentionFunc &func);

  /// Makes the inputs that were not read at random, and the outputs full of
  /// NaN, so that an element that the kernel does not write fails the check.
  llvm::Error allocate(const RunOptions &options,
                       const AttentionProblem &problem);

  /// Everything in the order of `func`'s arguments.
  SmallVector<KernelArgument> getArguments(AttentionFunc &func);

  /// Values of the arguments besides Q, K, V, O and LSE, for the runtime.
  fart::ExtraValues getExtraValues(AttentionFunc &func);

  /// Values of the inputs, for the evaluation of regions.
  llvm::DenseMap<Value, RegionEvaluator::Binding>
  getBindings(AttentionFunc &func);

  fart::HostTensor &getQuery() { return *query; }
  fart::HostTensor &getKey() { return *key; }
  fart::HostTensor &getValue() { return *value; }
  fart::HostTensor &getOutput() { return *output; }
  /// Null if the problem has none.
  fart::HostTensor *getLse() { return lse ? &*lse : nullptr; }
  fart::HostTensor &getOutputGrad() { return *outputGrad; }
  /// Null without a gradient of LSE.
  fart::HostTensor *getLseGrad() { return lseGrad ? &*lseGrad : nullptr; }
  fart::HostTensor &getQueryGrad() { return *queryGrad; }
  fart::HostTensor &getKeyGrad() { return *keyGrad; }
  fart::HostTensor &getValueGrad() { return *valueGrad; }

private:
  using Tensor = std::optional<fart::HostTensor>;
  Tensor query, key, value, output, lse;
  Tensor outputGrad, lseGrad, queryGrad, keyGrad, valueGrad;
  /// By number of the argument. A table lives in `tables`.
  std::map<unsigned, KernelArgument> extras;
  std::vector<std::unique_ptr<fart::HostTensor>> tables;
};

} // namespace mlir::fa

#endif // FA_TOOLS_FARUN_KERNELARGUMENTS_H
