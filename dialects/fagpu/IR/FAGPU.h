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

/// What a block of a persistent grid is told of its next block of work, in two
/// places of SRAM: at most so many words after one that says whether there is
/// any, and two mbarriers; in all so many bytes.
constexpr uint64_t kMaxPostedValues = 12;
constexpr int64_t kPostedBytes = 4 * (1 + kMaxPostedValues);
constexpr int64_t kMailboxBytes = 2 * (2 * 8 + kPostedBytes);
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
/// Chunks of one width in a tile, side by side.
struct ChunkRun {
  int64_t firstColumn; // of the first chunk
  int64_t columns;     // of a chunk, the last of which may reach past the end
  int64_t count;
  int64_t swizzle; // bytes of a row of a chunk
};
/// The chunks of a tile in order: all of one width, but for a tail.
SmallVector<ChunkRun, 2> getChunkRuns(MemRefType tile);

/// The tile or ring that `tile` is a part of: through views and stages.
Value getTileRoot(Value tile);
/// Bytes of a tile, its last chunk filled up.
int64_t getTileBytes(MemRefType tile);
/// Bytes from a stage of a ring to the next: the tile, up to a multiple of
/// 1024.
int64_t getStageBytes(MemRefType tile);
int64_t getStageBytes(int64_t rows, int64_t columns, int64_t elementBits,
                      int64_t swizzle, int64_t tail);
} // namespace mlir::fagpu

#endif // FAGPU_IR_FAGPU_H
