//===- FAGPU.h - The fagpu dialect ------------------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FAGPU_IR_FAGPU_H
#define FAGPU_IR_FAGPU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::fagpu {
/// True for a 2-D memref with static shape, of f16, bf16 or f32, in
/// `#fagpu.sram`.
bool isSramTile(Type type);

/// On the ops that say which block of the grid a kernel works on.
constexpr llvm::StringLiteral kCoordinateAttrName = "fagpu.coordinate";

/// What a block of a persistent grid is told of its next block of work: so many
/// words of SRAM, after two mbarriers and the word that says whether there is
/// one, in all so many bytes.
constexpr int64_t kMaxPostedValues = 12;
constexpr int64_t kMailboxBytes = 2 * 8 + 4 * (2 + kMaxPostedValues);
} // namespace mlir::fagpu

#include "fagpu/IR/FAGPUDialect.h.inc"
#include "fagpu/IR/FAGPUEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "fagpu/IR/FAGPUAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "fagpu/IR/FAGPUTypes.h.inc"

#define GET_OP_CLASSES
#include "fagpu/IR/FAGPUOps.h.inc"

namespace mlir::fagpu {
/// Columns of one chunk of a tile: what fits in the swizzle's width.
int64_t getChunkColumns(MemRefType tile);
/// The tile or ring that `tile` is a part of: through views and stages.
Value getTileRoot(Value tile);
/// Bytes of a tile, its last chunk filled up.
int64_t getTileBytes(MemRefType tile);
} // namespace mlir::fagpu

#endif // FAGPU_IR_FAGPU_H
