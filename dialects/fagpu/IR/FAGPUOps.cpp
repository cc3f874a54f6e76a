//===- FAGPUOps.cpp - Verifiers of fagpu ops -----------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::fagpu;

#define GET_OP_CLASSES
#include "fagpu/IR/FAGPUOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Alloc, copies
//===----------------------------------------------------------------------===//

LogicalResult AllocOp::verify() {
  // alloc_c1
  if (std::optional<int64_t> offset = getOffset())
    if (*offset < 0 || *offset % 1024 != 0)
      return emitOpError("expected an offset that is a multiple of 1024 bytes "
                         "but got ")
             << *offset;
  return success();
}

int64_t AllocOp::getByteSize() {
  if (auto ring = dyn_cast<RingType>(getType()))
    return ring.getStages() * fagpu::getTileBytes(ring.getTile());
  return fagpu::getTileBytes(cast<MemRefType>(getType()));
}

/// copy_c1 to copy_c3: `source` in global memory fits `target`.
static LogicalResult verifyCopy(Operation *op, MemRefType source,
                                MemRefType target) {
  // copy_c1
  if (source.getDimSize(1) != target.getDimSize(1) ||
      source.getElementType() != target.getElementType())
    return op->emitOpError("expected a source with the columns and element "
                           "type of the target, ")
           << target << ", but got " << source;
  // copy_c2
  if (!source.isDynamicDim(0) && source.getDimSize(0) != target.getDimSize(0))
    return op->emitOpError("expected a source of ")
           << target.getDimSize(0) << " rows but got " << source;
  // copy_c3
  if (isa_and_present<SramAttr>(source.getMemorySpace()) ||
      !source.isLastDimUnitStride())
    return op->emitOpError("expected a source in global memory with a "
                           "contiguous last dimension but got ")
           << source;
  return success();
}

LogicalResult CopyOp::verify() {
  return verifyCopy(*this, getSource().getType(), getTarget().getType());
}

LogicalResult CopyAsyncOp::verify() {
  return verifyCopy(*this, getSource().getType(), getTarget().getType());
}

LogicalResult FillOp::verify() {
  return verifyCopy(*this, getSource().getType(), getRing().getType().getTile());
}

//===----------------------------------------------------------------------===//
// Producer and row groups
//===----------------------------------------------------------------------===//

LogicalResult SpecializeOp::verify() {
  // specialize_c1
  if (getGroups() <= 0)
    return emitOpError("expected at least one row group but got ")
           << getGroups();
  // specialize_c2
  for (uint64_t registers : {getProducerRegisters(), getConsumerRegisters()})
    if (registers < 24 || registers > 240 || registers % 8 != 0)
      return emitOpError("expected register counts that are multiples of 8 "
                         "from 24 to 240 but got ")
             << registers;
  // specialize_c3
  WalkResult result = walk([&](Operation *op) {
    if (!isa<gpu::BarrierOp, NVVM::Barrier0Op>(op))
      return WalkResult::advance();
    InFlightDiagnostic diag =
        emitOpError("expected no barrier of the whole block in its regions");
    diag.attachNote(op->getLoc()) << "see the barrier here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult LoadOp::verify() {
  MemRefType source = getSource().getType();
  MemRefType tile = getRing().getType().getTile();
  // load_c1
  if (source.getDimSize(3) != tile.getDimSize(1) ||
      source.getElementType() != tile.getElementType())
    return emitOpError("expected a source with the columns and element type of "
                       "the ring's tile, ")
           << tile << ", but got " << source;
  // load_c2
  auto argument = dyn_cast<BlockArgument>(getSource());
  if (!argument || !isa<FunctionOpInterface>(
                       argument.getOwner()->getParentOp()))
    return emitOpError("expected the source to be an argument of the function");
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

int64_t DotOp::getK() {
  return getBType().getDimSize(getContract() == Contract::Rows ? 0 : 1);
}

int64_t DotOp::getN() {
  return getBType().getDimSize(getContract() == Contract::Rows ? 1 : 0);
}

LogicalResult DotOp::verify() {
  Type element = getElementTypeOrSelf(getA().getType());
  // dot_c1
  if (element != getBType().getElementType())
    return emitOpError("expected the element type of A to be that of B, ")
           << getBType().getElementType() << ", but got " << element;
  // dot_c2
  int64_t rows = 16 * getWarps();
  if (auto tile = dyn_cast<MemRefType>(getA().getType())) {
    if (tile.getDimSize(0) != rows || tile.getDimSize(1) != getK())
      return emitOpError("expected A to be ")
             << rows << " x " << getK() << " but got " << tile;
  } else {
    auto fragment = cast<VectorType>(getA().getType());
    if (fragment.getDimSize(0) != getK() / 2)
      return emitOpError("expected A to have ")
             << getK() / 2 << " elements but got " << fragment;
  }
  // dot_c3
  if (getAcc().getType().getDimSize(0) != getN() / 2)
    return emitOpError("expected an accumulator of ")
           << getN() / 2 << " elements but got " << getAcc().getType();
  // dot_c4
  if ((getContract() == Contract::Rows && getK() % 16 != 0) || getN() % 8 != 0)
    return emitOpError("expected a sum over a multiple of 16 rows and a "
                       "multiple of 8 columns of the result but got K = ")
           << getK() << ", N = " << getN();
  return success();
}

LogicalResult WaitDotOp::verify() {
  // wait_dot_c1
  if (getPending() > 7)
    return emitOpError("expected pending from 0 to 7 but got ") << getPending();
  return success();
}
