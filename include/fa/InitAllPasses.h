//===- InitAllPasses.h - Register passes and pipelines ----------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FA_INITALLPASSES_H
#define FA_INITALLPASSES_H

namespace mlir::fa {

/// Registers every pass and pipeline of fa, and the upstream passes that are of
/// use beside them.
void registerAllPasses();

} // namespace mlir::fa

#endif // FA_INITALLPASSES_H
