//===- BufferizableOpInterfaceImpl.h - fa ops and buffers -------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FA_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define FA_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;

namespace fa {
/// Attaches upstream's bufferisation interface to `fa.attention`.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);
} // namespace fa
} // namespace mlir

#endif // FA_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
