//===- FAGPUDialect.cpp - Registration, attributes and types -------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fagpu/IR/FAGPU.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fagpu;

/// The period of the widest swizzle, 8 rows of 128 bytes.
constexpr int64_t kTileAlignment = 1024;

#include "fagpu/IR/FAGPUDialect.cpp.inc"
#include "fagpu/IR/FAGPUEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "fagpu/IR/FAGPUAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "fagpu/IR/FAGPUTypes.cpp.inc"

void FAGPUDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fagpu/IR/FAGPUAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "fagpu/IR/FAGPUTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "fagpu/IR/FAGPUOps.cpp.inc"
      >();
}

bool fagpu::isSramTile(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getRank() == 2 && memref.hasStaticShape() &&
         !llvm::is_contained(memref.getShape(), 0) &&
         isa_and_present<SramAttr>(memref.getMemorySpace()) &&
         (memref.getElementType().isF16() || memref.getElementType().isBF16() ||
          memref.getElementType().isF32());
}

static SmallVector<ChunkRun, 2> getChunkRuns(int64_t columns,
                                             int64_t elementBits,
                                             int64_t swizzle, int64_t tail) {
  int64_t wide = swizzle * 8 / elementBits;
  if (tail == 0)
    return {{0, wide, llvm::divideCeilSigned(columns, wide), swizzle}};
  int64_t count = columns / wide;
  return {{0, wide, count, swizzle},
          {count * wide, tail * 8 / elementBits, 1, tail}};
}

static int64_t getTileBytes(int64_t rows, ArrayRef<ChunkRun> runs) {
  int64_t rowBytes = 0;
  for (const ChunkRun &run : runs)
    rowBytes += run.count * run.swizzle;
  return rows * rowBytes;
}

SmallVector<ChunkRun, 2> fagpu::getChunkRuns(MemRefType tile) {
  auto layout = cast<SramAttr>(tile.getMemorySpace());
  return ::getChunkRuns(tile.getDimSize(1), tile.getElementTypeBitWidth(),
                        layout.getSwizzle(), layout.getTail());
}

int64_t fagpu::getTileBytes(MemRefType tile) {
  return ::getTileBytes(tile.getDimSize(0), fagpu::getChunkRuns(tile));
}

int64_t fagpu::getStageBytes(MemRefType tile) {
  return llvm::alignTo(fagpu::getTileBytes(tile), kTileAlignment);
}

int64_t fagpu::getStageBytes(int64_t rows, int64_t columns, int64_t elementBits,
                             int64_t swizzle, int64_t tail) {
  return llvm::alignTo(
      ::getTileBytes(rows, ::getChunkRuns(columns, elementBits, swizzle, tail)),
      kTileAlignment);
}

LogicalResult SramAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t swizzle, int64_t tail) {
  // sram_c1
  if (!llvm::is_contained({32, 64, 128}, swizzle))
    return emitError() << "expected a swizzle of 32, 64 or 128 bytes but got "
                       << swizzle;
  // sram_c2
  if (tail != 0 && (!llvm::is_contained({32, 64}, tail) || tail >= swizzle))
    return emitError() << "expected a tail of 32 or 64 bytes that is narrower "
                          "than the swizzle, "
                       << swizzle << ", but got " << tail;
  return success();
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t stages, MemRefType tile) {
  // ring_c1
  if (stages <= 0)
    return emitError() << "expected a positive number of stages but got "
                       << stages;
  // ring_c2
  if (!isSramTile(tile))
    return emitError()
           << "expected a 2-D tile with static shape, not empty, of "
              "f16, bf16 or f32 in #fagpu.sram, but got "
           << tile;
  return success();
}
