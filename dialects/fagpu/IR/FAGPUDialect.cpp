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

int64_t fagpu::getChunkColumns(MemRefType tile) {
  return cast<SramAttr>(tile.getMemorySpace()).getSwizzle() * 8 /
         tile.getElementTypeBitWidth();
}

int64_t fagpu::getTileBytes(MemRefType tile) {
  int64_t chunks = llvm::divideCeil(tile.getDimSize(1), getChunkColumns(tile));
  return chunks * tile.getDimSize(0) *
         cast<SramAttr>(tile.getMemorySpace()).getSwizzle();
}

LogicalResult SramAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t swizzle) {
  // sram_c1
  if (swizzle != 128)
    return emitError() << "expected a swizzle of 128 bytes but got " << swizzle;
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
