//===- Check.cpp - Results of a kernel against the reference --------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "KernelArguments.h"
#include "fa/Support/RegionEvaluator.h"
#include "fa/Transforms/Differentiate.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::fa;

/// A region of a score and its position as a function for the reference.
static llvm::Expected<std::function<double(double, const fart::Position &)>>
makeFunction(Region &region,
             const llvm::DenseMap<Value, RegionEvaluator::Binding> &bindings,
             RegionEvaluator::Precision precision) {
  using Slot = RegionEvaluator::Slot;
  llvm::Expected<RegionEvaluator> evaluator =
      RegionEvaluator::create(region, bindings, precision);
  if (!evaluator)
    return evaluator.takeError();
  return [evaluator = std::move(*evaluator)](double value,
                                             const fart::Position &at) {
    return evaluator
        .evaluate({Slot{value, 0}, {0, at.b}, {0, at.h}, {0, at.i}, {0, at.j}})
        .real;
  };
}

/// The same in double and with every step in its own type; nothing for an empty
/// region.
static llvm::Error
makeFunctions(Region &region,
              const llvm::DenseMap<Value, RegionEvaluator::Binding> &bindings,
              std::function<double(double, const fart::Position &)> &exact,
              std::function<double(double, const fart::Position &)> &plain) {
  using Precision = RegionEvaluator::Precision;
  if (region.empty())
    return llvm::Error::success();
  for (auto [function, precision] :
       {std::pair{&exact, Precision::Double}, {&plain, Precision::Typed}}) {
    auto made = makeFunction(region, bindings, precision);
    if (!made)
      return made.takeError();
    *function = std::move(*made);
  }
  return llvm::Error::success();
}

/// The regions of the problem as functions for the reference.
static llvm::Error
addRegions(AttentionOpInterface op,
           const llvm::DenseMap<Value, RegionEvaluator::Binding> &bindings,
           fart::Attention &attention) {
  using Slot = RegionEvaluator::Slot;
  if (llvm::Error error = makeFunctions(op.getScoreRegion(), bindings,
                                        attention.score, attention.plainScore))
    return error;
  if (op.hasMaskRegion()) {
    llvm::Expected<RegionEvaluator> evaluator = RegionEvaluator::create(
        op.getMaskRegion(), bindings, RegionEvaluator::Precision::Double);
    if (!evaluator)
      return evaluator.takeError();
    attention.visible = [evaluator =
                             std::move(*evaluator)](const fart::Position &at) {
      return evaluator
                 .evaluate({Slot{0, at.b}, {0, at.h}, {0, at.i}, {0, at.j}})
                 .integer != 0;
    };
  }
  return llvm::Error::success();
}

llvm::Error fa::checkResults(const AttentionProblem &problem,
                             AttentionFunc &func, KernelArguments &arguments,
                             std::optional<int64_t> maxRows,
                             fart::ThreadPool &pool, RunReport &report) {
  fart::Attention attention{arguments.getQuery(), arguments.getKey(),
                            arguments.getValue()};
  attention.scale = problem.getScaleOrDefault();
  attention.mask = problem.mask.getBand();
  attention.isTF32 = report.gpu && report.gpu->isTF32;
  llvm::DenseMap<Value, RegionEvaluator::Binding> bindings =
      arguments.getBindings(func);
  if (llvm::Error error = addRegions(func.attention, bindings, attention))
    return error;
  // About a second of reference; longer problems are checked by sample.
  double budget = attention.score || attention.visible ? 0x1p25 : 0x1p28;
  auto width = static_cast<double>(problem.headDim + problem.headDimV);
  auto getMaxRows = [&](int64_t length) {
    if (maxRows)
      return *maxRows;
    double rowCost = static_cast<double>(length) * width;
    return static_cast<int64_t>(std::max(64.0, budget / rowCost));
  };
  if (!func.backward) {
    report.check = fart::checkAttention(attention, arguments.getOutput(),
                                        arguments.getLse(),
                                        getMaxRows(problem.seqKV), pool);
    return llvm::Error::success();
  }

  fart::AttentionGradient gradient{attention, arguments.getOutput(),
                                   arguments.getOutputGrad(),
                                   *arguments.getLse(), arguments.getLseGrad()};
  // What the kernel was compiled with is a copy of the module.
  if (failed(addDerivativeRegion(func.backward)))
    return llvm::createStringError(
        // untested: the kernel was not compiled then
        "the score region has no derivative");
  if (llvm::Error error =
          makeFunctions(func.backward.getDerivativeRegion(), bindings,
                        gradient.derivative, gradient.plainDerivative))
    return error;
  // Each row of K meets the queries of a whole group of heads, and a score
  // takes four products where the forward has two.
  int64_t length =
      std::max(problem.seqKV, problem.heads / problem.kvHeads * problem.seqQ);
  report.gradientCheck = fart::checkGradient(
      gradient, arguments.getQueryGrad(), arguments.getKeyGrad(),
      arguments.getValueGrad(), getMaxRows(2 * length), pool);
  return llvm::Error::success();
}
