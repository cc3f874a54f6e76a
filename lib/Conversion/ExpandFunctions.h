//===- ExpandFunctions.h - Functions that upstream leaves to libm -*- C++
//-*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_EXPANDFUNCTIONS_H
#define FA_LIB_CONVERSION_EXPANDFUNCTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::fa {

/// Functions on f32 as functions that `math-polynomial-approximation` or a
/// target knows, for both roads: acosh, asinh, atanh, cosh, log10, powf, sinh,
/// tan, clampf, sincos. Narrower floats are computed in f32, powers with an
/// integer exponent too. Errors are in docs/Spec.md.
void populateFunctionExpansions(RewritePatternSet &patterns);

/// Powers with integer exponents as multiplications, one for each bit of the
/// exponent, without a loop: for a GPU, where there is no function to call.
void populateIntegerPowerExpansions(RewritePatternSet &patterns);

} // namespace mlir::fa

#endif // FA_LIB_CONVERSION_EXPANDFUNCTIONS_H
