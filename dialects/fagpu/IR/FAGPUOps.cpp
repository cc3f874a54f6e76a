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
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fagpu;

#define GET_OP_CLASSES
#include "fagpu/IR/FAGPUOps.cpp.inc"

Value fagpu::getTileRoot(Value tile) {
  while (Operation *op = tile.getDefiningOp()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      tile = view.getViewSource();
    else if (auto acquire = dyn_cast<AcquireOp>(op))
      tile = acquire.getRing();
    else if (auto slot = dyn_cast<SlotOp>(op))
      tile = slot.getRing();
    else
      break;
  }
  return tile;
}

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
  // alloc_c3
  auto ring = dyn_cast<RingType>(getType());
  if (std::optional<int64_t> readers = getReaders()) {
    if (!ring)
      return emitOpError("expected readers of a ring but got ") << getType();
    if (*readers <= 0)
      return emitOpError("expected at least one reader but got ") << *readers;
  }
  // alloc_c2
  auto tile = ring ? ring.getTile() : cast<MemRefType>(getType());
  if (cast<SramAttr>(tile.getMemorySpace()).getTail() == 0)
    return success();
  ChunkRun last = getChunkRuns(tile).back();
  int64_t rest = tile.getDimSize(1) - last.firstColumn;
  if (last.firstColumn == 0 || rest == 0 || rest > last.columns)
    return emitOpError("expected whole chunks, and 1 to ")
           << last.columns << " columns after them for the tail, but got "
           << last.firstColumn << " and " << rest << " columns in " << tile;
  return success();
}

int64_t AllocOp::getByteSize() {
  if (auto ring = dyn_cast<RingType>(getType()))
    return ring.getStages() * getStageBytes(ring.getTile());
  return fagpu::getTileBytes(cast<MemRefType>(getType()));
}

LogicalResult PostBlockOp::verify() {
  // post_block_c1
  if (getValues().size() > fagpu::kMaxPostedValues)
    return emitOpError("expected at most ")
           << fagpu::kMaxPostedValues << " values but got "
           << getValues().size();
  return success();
}

LogicalResult ReadBlockOp::verify() {
  // read_block_c1
  if (getIndex() >= fagpu::kMaxPostedValues)
    return emitOpError("expected an index from 0 to ")
           << fagpu::kMaxPostedValues - 1 << " but got "
           << static_cast<int64_t>(getIndex());
  return success();
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
  if (!source.isDynamicDim(0) && source.getDimSize(0) > target.getDimSize(0))
    return op->emitOpError("expected a source of at most ")
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
  // copy_async_c1
  MemRefType target = getTarget().getType();
  if (failed(verifyCopy(*this, getSource().getType(), target)))
    return failure();
  // copy_async_c2
  int64_t align = getAlign(), bytes = target.getElementTypeBitWidth() / 8;
  if (!llvm::is_contained({2, 4, 8, 16}, align) || align < bytes)
    return emitOpError("expected an align of 2, 4, 8 or 16 bytes that is at "
                       "least the size of an element but got ")
           << align;
  return success();
}

LogicalResult FillOp::verify() {
  // fill_c1
  return verifyCopy(*this, getSource().getType(),
                    getRing().getType().getTile());
}

//===----------------------------------------------------------------------===//
// Producer and row groups
//===----------------------------------------------------------------------===//

LogicalResult SpecializeOp::verify() {
  int64_t groups = getGroups(), producer = getProducerRegisters(),
          consumer = getConsumerRegisters();
  // specialize_c1
  if (groups <= 0)
    return emitOpError("expected at least one row group but got ") << groups;
  // specialize_c2
  for (int64_t registers : {producer, consumer})
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
  if (result.wasInterrupted())
    return failure();
  // specialize_c4
  constexpr int64_t kWarpgroup = 128, kRegisters = 65536;
  int64_t threadRegisters = kRegisters / kWarpgroup;
  if (groups > threadRegisters ||
      producer + groups * consumer > threadRegisters)
    return emitOpError("expected at most ")
           << kRegisters << " registers in all but a producer with " << producer
           << " and " << groups << " row groups with " << consumer
           << " registers a thread take more";
  return success();
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
  if (!argument ||
      !isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    return emitOpError("expected the source to be an argument of the function");
  // load_c3
  if (!source.isLastDimUnitStride())
    return emitOpError("expected a source with a contiguous last dimension but "
                       "got ")
           << source;
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// store_tile_c2: `target`, an argument, has the columns and type of `tile`.
static LogicalResult verifyStoreTarget(Operation *op, MemRefType tile,
                                       Value target) {
  auto type = cast<MemRefType>(target.getType());
  if (type.getDimSize(3) != tile.getDimSize(1) ||
      type.getElementType() != tile.getElementType())
    return op->emitOpError("expected a target with the columns and element "
                           "type of the tile, ")
           << tile << ", but got " << type;
  auto argument = dyn_cast<BlockArgument>(target);
  if (!argument ||
      !isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    return op->emitOpError(
        "expected the target to be an argument of the function");
  return success();
}

LogicalResult StoreTileOp::verify() {
  MemRefType buffer = getBuffer().getType();
  VectorType value = getValue().getType();
  // store_tile_c1
  if (value.getShape() != buffer.getShape() ||
      value.getElementType() != buffer.getElementType())
    return emitOpError("expected a value with the shape and element type of "
                       "the buffer, ")
           << buffer << ", but got " << value;
  // store_tile_c2
  return verifyStoreTarget(*this, buffer, getTarget());
}

LogicalResult StoreFragmentOp::verify() {
  MemRefType tile = getTile().getType();
  VectorType fragment = getFragment().getType();
  // store_fragment_c1
  if (tile.getDimSize(0) != 16 * static_cast<int64_t>(getWarps()) ||
      tile.getDimSize(1) % 8 != 0 ||
      tile.getDimSize(1) != 2 * fragment.getDimSize(0) ||
      tile.getElementType() != fragment.getElementType())
    return emitOpError("expected a tile of ")
           << 16 * getWarps() << " x " << 2 * fragment.getDimSize(0) << " "
           << fragment.getElementType() << " but got " << tile;
  return success();
}

LogicalResult StoreOp::verify() {
  // store_c1
  return verifyStoreTarget(*this, getTile().getType(), getTarget());
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

int64_t DotOp::getK() {
  return getBType().getDimSize(getContract() == Contract::Rows ? 0 : 1);
}

int64_t DotOp::getN() {
  if (getContract() == Contract::Columns)
    return getBType().getDimSize(0);
  return llvm::alignTo(getBType().getDimSize(1), 8);
}

LogicalResult DotOp::verify() {
  Type element = getElementTypeOrSelf(getA().getType());
  int64_t warps = getWarps();
  // dot_c5
  if (warps <= 0)
    return emitOpError("expected at least one warp but got ") << warps;
  // dot_c1
  if (element != getBType().getElementType())
    return emitOpError("expected the element type of A to be that of B, ")
           << getBType().getElementType() << ", but got " << element;
  // dot_c4
  bool wholeSteps =
      getContract() == Contract::Rows || isa<VectorType>(getA().getType());
  if ((wholeSteps && getK() % 16 != 0) || getN() % 8 != 0)
    return emitOpError("expected a K that is summed over rows or in registers "
                       "to be a multiple of 16 and N a multiple of 8 but got "
                       "K = ")
           << getK() << ", N = " << getN();
  // dot_c6
  if (getContract() == Contract::Rows && getChunkRuns(getBType()).size() > 1)
    return emitOpError("expected a B that is summed over its rows to have "
                       "chunks of one width but got ")
           << getBType();
  // dot_c3
  int64_t elements = getAcc().getType().getDimSize(0);
  if (elements == 0 || elements % (getN() / 2) != 0)
    return emitOpError("expected an accumulator of a multiple of ")
           << getN() / 2 << " elements but got " << getAcc().getType();
  // dot_c2
  int64_t rows = 16 * warps * getRowBlocks();
  if (auto tile = dyn_cast<MemRefType>(getA().getType())) {
    if (tile.getDimSize(0) != rows || tile.getDimSize(1) != getK())
      return emitOpError("expected A to be ")
             << rows << " x " << getK() << " but got " << tile;
  } else {
    auto fragment = cast<VectorType>(getA().getType());
    int64_t expected = getRowBlocks() * getK() / 2;
    if (fragment.getDimSize(0) != expected)
      return emitOpError("expected A to have ")
             << expected << " elements but got " << fragment;
  }
  return success();
}

LogicalResult WaitDotOp::verify() {
  // wait_dot_c1
  int64_t pending = getPending();
  if (pending < 0 || pending > 7)
    return emitOpError("expected pending from 0 to 7 but got ") << pending;
  return success();
}
