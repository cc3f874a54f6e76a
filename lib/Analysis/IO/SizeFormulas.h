//===- SizeFormulas.h - Index values as formulas ----------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_LIB_ANALYSIS_IO_SIZEFORMULAS_H
#define FA_LIB_ANALYSIS_IO_SIZEFORMULAS_H

#include "fa/Runtime/Formula.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <optional>
#include <string>

namespace mlir::fa {

/// The values of type index in a function, as formulas in its sizes and in the
/// numbers of the iterations around them.
class SizeFormulas {
public:
  explicit SizeFormulas(FunctionOpInterface func);

  /// The formula of a value; nothing if it has none.
  std::optional<fart::Formula> get(Value value);
  std::optional<fart::Formula> get(OpFoldResult size);
  /// Says what a block argument is.
  void bind(Value value, fart::Formula formula) {
    formulas.insert_or_assign(value, std::move(formula));
  }

  /// The extent of dimension `dim` of a memref.
  std::optional<fart::Formula> getDim(Value memref, int64_t dim);
  /// The elements of a memref.
  std::optional<fart::Formula> getNumElements(Value memref);

  /// The name of the tensor that `memref` is a view of.
  std::string getTensor(Value memref);

private:
  std::optional<fart::Formula> compute(Value value);

  llvm::DenseMap<Value, std::optional<fart::Formula>> formulas;
  llvm::DenseMap<Value, std::string> tensors; ///< Of arguments.
};

/// The formula of a condition as `a < b`, and whether it is negated.
struct Condition {
  fart::Formula a, b;
  bool isNegated = false;

  fart::Formula select(const fart::Formula &then,
                       const fart::Formula &otherwise) const {
    return isNegated ? fart::Formula::makeIf(a, b, otherwise, then)
                     : fart::Formula::makeIf(a, b, then, otherwise);
  }
};
std::optional<Condition> getCondition(SizeFormulas &sizes, Value value);

} // namespace mlir::fa

#endif // FA_LIB_ANALYSIS_IO_SIZEFORMULAS_H
