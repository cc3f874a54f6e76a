//===- RegionEvaluator.h - Score and mask regions, one score at a time --*- C++
//-*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the region of an `fa.attention` on the host, so that the reference can
// check a kernel whose score function or mask the user wrote.
//
//===----------------------------------------------------------------------===//

#ifndef FA_SUPPORT_REGIONEVALUATOR_H
#define FA_SUPPORT_REGIONEVALUATOR_H

#include "fa/Runtime/HostTensor.h"
#include "mlir/IR/Region.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <vector>

namespace mlir::fa {

/// A region of pure scalar `arith` and `math` ops (and reads of tables) as a
/// list of steps over numbered slots. Evaluation is const and thread-safe.
class RegionEvaluator {
public:
  /// How float results are kept: in double, or rounded to their type, step by
  /// step, as a plain program has them. (`arith.truncf` rounds in both.)
  enum class Precision { Double, Typed };

  /// A scalar. Floats are in `real`; integers, sign-extended, in `integer`.
  struct Slot {
    double real = 0;
    int64_t integer = 0;
  };

  /// What a block argument outside of the region holds: a scalar or a table.
  struct Binding {
    Slot scalar;
    const fart::HostTensor *table = nullptr;
  };

  /// Translates `region`. Arguments of the enclosing function that it uses must
  /// be in `bindings`; tables must outlive the evaluator. Fails with a message
  /// that names the op if there is one that it does not know.
  static llvm::Expected<RegionEvaluator>
  create(Region &region, const llvm::DenseMap<Value, Binding> &bindings,
         Precision precision);

  /// The operand of the region's terminator, for the given block arguments.
  Slot evaluate(ArrayRef<Slot> arguments) const;

private:
  /// One op: reads slots, writes one.
  struct Step {
    std::function<Slot(ArrayRef<Slot>)> apply;
    SmallVector<unsigned, 3> operands;
    unsigned result;
  };
  class Builder;

  SmallVector<Slot> initial; ///< Arguments first, then constants, then zeros.
  std::vector<Step> steps;
  unsigned numArguments = 0;
  unsigned resultSlot = 0;
};

} // namespace mlir::fa

#endif // FA_SUPPORT_REGIONEVALUATOR_H
