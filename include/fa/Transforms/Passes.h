//===- Passes.h - Passes on the fa dialect ----------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations generated from Passes.td, where each pass is described.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TRANSFORMS_PASSES_H
#define FA_TRANSFORMS_PASSES_H

#include "fa/IR/FA.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fa {

#define GEN_PASS_DECL
#include "fa/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fa/Transforms/Passes.h.inc"

/// Numbers of keys, ascending, up to which another schedule than the one for
/// any number was measured to be faster for an attention of `module`, with
/// options of fa-select-schedule: each is worth a kernel, with it as
/// `max-keys`.
SmallVector<int64_t> getKeyBounds(ModuleOp module,
                                  const FASelectSchedulePassOptions &options);

} // namespace mlir::fa

#endif // FA_TRANSFORMS_PASSES_H
