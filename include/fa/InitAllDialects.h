//===- InitAllDialects.h - Register the dialects that fa uses ---*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FA_INITALLDIALECTS_H
#define FA_INITALLDIALECTS_H

namespace mlir {
class DialectRegistry;

namespace fa {

/// Registers the fa dialect, the upstream dialects that its pipelines read or
/// write, and the interface implementations which live outside of dialects
/// (bufferisation, inlining, tiling, value bounds, conversion to LLVM).
void registerAllDialects(DialectRegistry &registry);

} // namespace fa
} // namespace mlir

#endif // FA_INITALLDIALECTS_H
