//===- CopiesToNVVM.cpp - Copies and barriers ---------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "PTX.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <array>

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

/// A unit of the swizzle.
constexpr int64_t kUnitBytes = 16;

/// Columns of 16-byte units [first, first + units) of a tile, a power of two
/// that the threads of the block take side by side.
namespace {
struct UnitColumns {
  int64_t first, units;
};
} // namespace

/// Powers of two whose sum is `unitsPerRow`. So a thread stays in one column of
/// units, and goes on by a constant number of rows from copy to copy.
static SmallVector<UnitColumns> splitColumns(int64_t unitsPerRow,
                                             int64_t threads) {
  SmallVector<UnitColumns> parts;
  for (int64_t first = 0; first < unitsPerRow;) {
    int64_t units =
        std::min<int64_t>(llvm::bit_floor<uint64_t>(unitsPerRow - first),
                          llvm::bit_floor<uint64_t>(threads));
    parts.push_back({first, units});
    first += units;
  }
  return parts;
}

/// The threads of the block take the 16-byte units of the tile in turn. Rows
/// past the end, and columns up to the next multiple of 32 bytes (a step of the
/// product), are filled with zeros by a smaller source size.
LogicalResult NVVMLowering::lowerCopyAsync(fagpu::CopyAsyncOp op) {
  FailureOr<TileAddress> tile = getWideTile(op, op.getTarget());
  if (failed(tile))
    return failure();
  MemRefType targetType = op.getTarget().getType();
  int64_t rows = targetType.getDimSize(0);
  int64_t elementBytes = targetType.getElementTypeBitWidth() / 8;
  int64_t columnBytes = targetType.getDimSize(1) * elementBytes;
  int64_t unitsPerRow = llvm::alignTo(columnBytes, 2 * kUnitBytes) / kUnitBytes;
  int64_t threads = 32 * schedule.getWarps() * schedule.getGroups();

  // The address of the first element, and the bytes from a row to the next.
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, op.getSource());
  Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(
      builder, loc, op.getSource());
  Type i64 = builder.getI64Type();
  auto toI64 = [&](Value index) -> Value {
    return arith::IndexCastOp::create(builder, loc, i64, index);
  };
  auto i64Constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  };
  auto addI64 = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, loc, a, b);
  };
  auto mulI64 = [&](Value a, Value b) -> Value {
    return arith::MulIOp::create(builder, loc, a, b);
  };
  auto extend = [&](Value value) -> Value {
    return arith::ExtUIOp::create(builder, loc, i64, value);
  };
  Value element = i64Constant(elementBytes);
  Value base =
      addI64(toI64(pointer), mulI64(toI64(metadata.getOffset()), element));
  Value rowBytes = mulI64(toI64(metadata.getStrides()[0]), element);
  bool isWhole = op.getSource().getType().getDimSize(0) == rows;
  Value rowCount = toI32(metadata.getSizes()[0]);

  Value thread = threadId();
  for (UnitColumns part : splitColumns(unitsPerRow, threads)) {
    Value row0 = div(thread, part.units);
    Value inRow = add(rem(thread, part.units), part.first);
    Value first = addI64(base, addI64(mulI64(extend(row0), rowBytes),
                                      extend(mul(inRow, kUnitBytes))));
    Value column = add(tile->base, mul(div(inRow, 8), tile->chunkBytes));
    // Bytes of a unit that exist in a row: all of them but in the last units.
    Value unitBytes = i32(kUnitBytes), partRows = rowCount;
    bool isPartial = (part.first + part.units) * kUnitBytes > columnBytes;
    if (isPartial && !isWhole && columnBytes % kUnitBytes == 0) {
      // A unit past the last has no rows.
      Value exists =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, inRow,
                                i32(columnBytes / kUnitBytes));
      partRows =
          arith::SelectOp::create(builder, loc, exists, rowCount, i32(0));
    } else if (isPartial) {
      Value left = arith::SubIOp::create(builder, loc, i32(columnBytes),
                                         mul(inRow, kUnitBytes));
      left = arith::MaxSIOp::create(builder, loc, left, i32(0));
      unitBytes = arith::MinSIOp::create(builder, loc, left, unitBytes);
    }
    int64_t rowsAtOnce = threads / part.units;
    // Eight rows further down the swizzle is the same, and the address a
    // constant more: an immediate of the copy, not a register.
    std::array<Value, 8> targets;
    auto getTarget = [&](int64_t down) {
      Value &target = targets[down % 8];
      if (!target) {
        Value row = add(row0, down % 8);
        Value swizzled = bitXor(rem(inRow, 8), rem(row, 8));
        target = add(column, add(mul(row, 128), mul(swizzled, kUnitBytes)));
      }
      return add(target, down / 8 * 8 * 128);
    };
    for (int64_t down = 0; down < rows; down += rowsAtOnce) {
      OpBuilder::InsertionGuard guard(builder);
      Value target = getTarget(down);
      if (down + rowsAtOnce > rows) {
        Value exists = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ult, row0, i32(rows - down));
        auto guarded = scf::IfOp::create(builder, loc, exists);
        builder.setInsertionPointToStart(guarded.thenBlock());
      }
      Value bytes = unitBytes;
      if (!isWhole) {
        Value inRows =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, row0,
                                  add(partRows, -down));
        bytes = arith::SelectOp::create(builder, loc, inRows, bytes, i32(0));
      }
      Value source = addI64(first, mulI64(i64Constant(down), rowBytes));
      buildCopyUnit(target, source, op.getAlign(), bytes, base,
                    /*isWhole=*/isWhole && !isPartial);
    }
  }
  return success();
}

/// One unit from an address that is a multiple of `align`, of which `bytes`
/// exist; `valid` is any address in the tensor.
void NVVMLowering::buildCopyUnit(Value target, Value source, int64_t align,
                                 Value bytes, Value valid, bool isWhole) {
  if (align < 4)
    return ptx::buildCopyByHalves(builder, loc, target, source, bytes);
  for (int64_t offset = 0; offset < kUnitBytes; offset += align) {
    Value piece = i32(align), from = source;
    if (offset != 0)
      from = arith::AddIOp::create(
          builder, loc, source,
          arith::ConstantOp::create(builder, loc,
                                    builder.getI64IntegerAttr(offset)));
    if (!isWhole) {
      if (align == kUnitBytes) {
        piece = bytes;
      } else {
        Value left = arith::MaxSIOp::create(builder, loc,
                                            add(bytes, i32(-offset)), i32(0));
        piece = arith::MinSIOp::create(builder, loc, left, piece);
      }
      // An address that is not read must be valid all the same.
      Value isRead = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ugt, piece, i32(0));
      from = arith::SelectOp::create(builder, loc, isRead, from, valid);
    }
    ptx::buildCopyAsync(builder, loc, add(target, offset), from, align, piece);
  }
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

std::pair<Value, Value> NVVMLowering::getBarrier(Value barriers, int64_t stages,
                                                 Value position) {
  Value number = toI32(position);
  Value stage = rem(number, stages), use = div(number, stages);
  return {add(barriers, mul(stage, 8)), rem(use, 2)};
}

/// One thread initialises the barriers of all rings, first of all: full with
/// one arrival (the producer's, with the bytes to come), empty with one a warp
/// that reads. Returns its branch.
scf::IfOp NVVMLowering::initBarriers() {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> addresses = llvm::map_to_vector(
      ringOrder, [&](Value ring) { return rings.lookup(ring).empty; });
  if (mailWords)
    addresses.push_back(mailWords);
  Operation *last = nullptr; // of the addresses of the barriers
  for (Value address : addresses) {
    Operation *op = address.getDefiningOp();
    if (!last || last->isBeforeInBlock(op))
      last = op;
  }
  builder.setInsertionPointAfter(last);
  auto one = scf::IfOp::create(builder, loc, isEqual(threadId(), 0));
  builder.setInsertionPointToStart(one.thenBlock());
  for (Value value : ringOrder) {
    RingAddress ring = rings.lookup(value);
    for (int64_t stage = 0; stage < ring.type.getStages(); ++stage) {
      ptx::buildMbarrierInit(builder, loc, add(ring.full, 8 * stage), 1);
      ptx::buildMbarrierInit(builder, loc, add(ring.empty, 8 * stage),
                             ring.readers * schedule.getWarps());
    }
  }
  if (mailWords) {
    for (int64_t place = 0; place < kMailboxPlaces; ++place) {
      ptx::buildMbarrierInit(builder, loc, add(mailFull, 8 * place), 1);
      ptx::buildMbarrierInit(builder, loc, add(mailEmpty, 8 * place),
                             schedule.getGroups() * schedule.getWarps());
    }
  }
  ptx::buildFenceMbarrierInit(builder, loc);
  return one;
}

/// The descriptors are on their way while the block finds out what to load.
void NVVMLowering::prefetchTensorMaps(scf::IfOp setUp) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(setUp.thenBlock());
  unsigned first = kernel.getNumArguments() - tensorMaps.size();
  for (unsigned index = first; index < kernel.getNumArguments(); ++index)
    ptx::buildTensorMapPrefetch(builder, loc, kernel.getArgument(index));
}

void NVVMLowering::lowerAcquire(fagpu::AcquireOp op) {
  RingAddress ring = rings.lookup(op.getRing());
  auto [barrier, parity] =
      getBarrier(ring.full, ring.type.getStages(), op.getPosition());
  ptx::buildMbarrierWait(builder, loc, barrier, parity);
  tiles[op.getStage()] = getStage(op.getRing(), op.getPosition());
}

void NVVMLowering::lowerRelease(fagpu::ReleaseOp op) {
  RingAddress ring = rings.lookup(op.getRing());
  auto [barrier, parity] =
      getBarrier(ring.empty, ring.type.getStages(), op.getPosition());
  OpBuilder::InsertionGuard guard(builder);
  auto one = scf::IfOp::create(builder, loc, isEqual(rem(threadId(), 32), 0));
  builder.setInsertionPointToStart(one.thenBlock());
  ptx::buildMbarrierArrive(builder, loc, barrier);
}

//===----------------------------------------------------------------------===//
// The next block
//===----------------------------------------------------------------------===//

void NVVMLowering::allocMailbox() {
  mailFull = add(sramBase, barrierOffset);
  mailEmpty = add(mailFull, 8 * kMailboxPlaces);
  mailWords = add(mailEmpty, 8 * kMailboxPlaces);
  barrierOffset += fagpu::kMailboxBytes;
  unsigned index = kernel.getNumArguments();
  (void)kernel.insertArgument(
      index, LLVM::LLVMPointerType::get(builder.getContext(), /*global=*/1),
      builder.getDictionaryAttr({}), loc);
  counter = kernel.getArgument(index);
}

/// All draws of a launch together are `total`, one for each block of work: the
/// last one sets the counter back.
Value NVVMLowering::lowerDrawBlock(fagpu::DrawBlockOp op) {
  Value one = i32(1);
  Value drawn = LLVM::AtomicRMWOp::create(
      builder, loc, LLVM::AtomicBinOp::add, counter, one,
      LLVM::AtomicOrdering::monotonic, /*syncscope=*/"device");
  Value isLast = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, drawn,
      arith::SubIOp::create(builder, loc, op.getTotal(), one));
  auto reset = scf::IfOp::create(builder, loc, isLast);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(reset.thenBlock());
    LLVM::StoreOp::create(builder, loc, i32(0), counter);
  }
  Value launched = NVVM::GridDimXOp::create(builder, loc, builder.getI32Type());
  return arith::AddIOp::create(builder, loc, launched, drawn);
}

Value NVVMLowering::getPosted(Value turn, int64_t index) {
  auto type = LLVM::LLVMPointerType::get(builder.getContext(), 3);
  Value place = add(mailWords, mul(rem(turn, 2), fagpu::kPostedBytes));
  return LLVM::IntToPtrOp::create(builder, loc, type, add(place, 4 * index));
}

void NVVMLowering::lowerPostBlock(fagpu::PostBlockOp op) {
  auto [empty, parity] = getBarrier(mailEmpty, kMailboxPlaces, op.getTurn());
  ptx::buildMbarrierWait(builder, loc, empty, bitXor(parity, i32(1)));
  LLVM::StoreOp::create(builder, loc, i32(op.getValues().empty() ? 0 : 1),
                        getPosted(op.getTurn(), 0));
  for (auto [index, value] : llvm::enumerate(op.getValues()))
    LLVM::StoreOp::create(builder, loc, value,
                          getPosted(op.getTurn(), 1 + index));
  ptx::buildMbarrierArrive(
      builder, loc, getBarrier(mailFull, kMailboxPlaces, op.getTurn()).first);
}

/// Volatile, else the first read would serve for all.
Value NVVMLowering::readPosted(Value turn, int64_t index) {
  return LLVM::LoadOp::create(builder, loc, builder.getI32Type(),
                              getPosted(turn, index), /*alignment=*/4,
                              /*isVolatile=*/true);
}

Value NVVMLowering::lowerAcquireBlock(fagpu::AcquireBlockOp op) {
  auto [full, parity] = getBarrier(mailFull, kMailboxPlaces, op.getTurn());
  ptx::buildMbarrierWait(builder, loc, full, parity);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                               buildUniform(readPosted(op.getTurn(), 0)),
                               i32(0));
}

void NVVMLowering::lowerReleaseBlock(fagpu::ReleaseBlockOp op) {
  Value empty = getBarrier(mailEmpty, kMailboxPlaces, op.getTurn()).first;
  OpBuilder::InsertionGuard guard(builder);
  auto one = scf::IfOp::create(builder, loc, isEqual(rem(threadId(), 32), 0));
  builder.setInsertionPointToStart(one.thenBlock());
  ptx::buildMbarrierArrive(builder, loc, empty);
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// The argument that holds the map `wanted`; it is appended if there is none.
Value NVVMLowering::getTensorMap(const TensorMap &wanted) {
  unsigned firstMap = kernel.getNumArguments() - tensorMaps.size();
  for (auto [index, map] : llvm::enumerate(tensorMaps))
    if (map == wanted)
      return kernel.getArgument(firstMap + index);
  tensorMaps.push_back(wanted);
  unsigned index = kernel.getNumArguments();
  (void)kernel.insertArgument(index,
                              LLVM::LLVMPointerType::get(builder.getContext()),
                              builder.getDictionaryAttr({}), loc);
  return kernel.getArgument(index);
}

/// Columns that fill all chunks of a width are counted by chunks, and one box
/// takes them all; otherwise there is a box a chunk, the last of which reaches
/// past the end of a row. So has each tile that is rows of a larger one, whose
/// chunks are further apart than a box would have them. A tail has a box and a
/// map of its own.
SmallVector<NVVMLowering::TensorBox>
NVVMLowering::getBoxes(BlockArgument tensor, MemRefType type,
                       int64_t chunkBytes) {
  SmallVector<TensorBox> boxes;
  int64_t rows = type.getDimSize(0), offset = 0;
  for (const fagpu::ChunkRun &run : fagpu::getChunkRuns(type)) {
    bool splitColumns =
        run.firstColumn == 0 && run.count * run.columns <= type.getDimSize(1);
    bool oneBox = splitColumns && chunkBytes == rows * run.swizzle;
    Value map = getTensorMap({tensor, rows, run.columns, oneBox ? run.count : 1,
                              run.swizzle, splitColumns});
    for (int64_t chunk = 0; chunk < run.count; ++chunk, offset += chunkBytes) {
      if (chunk > 0 && oneBox)
        continue;
      if (splitColumns)
        boxes.push_back({map, offset, /*column=*/0, chunk});
      else
        boxes.push_back(
            {map, offset, run.firstColumn + chunk * run.columns, /*chunk=*/0});
    }
  }
  return boxes;
}

LogicalResult NVVMLowering::lowerLoad(fagpu::LoadOp op) {
  RingAddress ring = rings.lookup(op.getRing());
  MemRefType tile = ring.type.getTile();
  // The first use of a stage finds it empty: that is the phase before the
  // first.
  auto [empty, parity] =
      getBarrier(ring.empty, ring.type.getStages(), op.getPosition());
  ptx::buildMbarrierWait(builder, loc, empty, bitXor(parity, i32(1)));
  Value full =
      getBarrier(ring.full, ring.type.getStages(), op.getPosition()).first;
  ptx::buildMbarrierExpect(builder, loc, full, fagpu::getTileBytes(tile));

  TileAddress stage = getStage(op.getRing(), op.getPosition());
  for (const TensorBox &box :
       getBoxes(cast<BlockArgument>(op.getSource()), tile, stage.chunkBytes))
    ptx::buildTensorLoad(builder, loc, add(stage.base, box.offset), box.map,
                         {i32(box.column), toI32(op.getRow()), i32(box.chunk),
                          toI32(op.getHead()), toI32(op.getBatch())},
                         full);
  return success();
}

LogicalResult NVVMLowering::lowerStore(fagpu::StoreOp op) {
  FailureOr<TileAddress> tile = getTile(op, op.getTile());
  if (failed(tile))
    return failure();
  SmallVector<TensorBox> boxes =
      getBoxes(cast<BlockArgument>(op.getTarget()), op.getTile().getType(),
               tile->chunkBytes);

  // What the threads of the group wrote is made visible to the accelerator,
  // then one of them stores. Barrier 0 is the block's; group g has barrier 1 +
  // g.
  int64_t threads = 32 * schedule.getWarps();
  ptx::buildFenceProxyAsync(builder, loc);
  ptx::buildNamedBarrier(builder, loc, div(threadId(), threads), threads);
  auto one =
      scf::IfOp::create(builder, loc, isEqual(rem(threadId(), threads), 0));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(one.thenBlock());
  for (const TensorBox &box : boxes)
    ptx::buildTensorStore(builder, loc, add(tile->base, box.offset), box.map,
                          {i32(box.column), toI32(op.getRow()), i32(box.chunk),
                           toI32(op.getHead()), toI32(op.getBatch())});
  NVVM::CpAsyncBulkCommitGroupOp::create(builder, loc);
  NVVM::CpAsyncBulkWaitGroupOp::create(builder, loc,
                                       builder.getI32IntegerAttr(0),
                                       /*read=*/builder.getUnitAttr());
  return success();
}

//===----------------------------------------------------------------------===//
// stmatrix
//===----------------------------------------------------------------------===//

/// stmatrix.x4 for 16 columns: lane l gives the address of row l mod 8 of
/// matrix l / 8; matrices 0 and 1 are 8 rows apart, 2 and 3 one unit further
/// on. That is the order of the pairs in the fragment. The last 8 columns are
/// an .x2.
LogicalResult NVVMLowering::lowerStoreFragment(fagpu::StoreFragmentOp op) {
  FailureOr<TileAddress> tile = getTile(op, op.getTile());
  if (failed(tile))
    return failure();
  Value lane = rem(threadId(), 32);
  Value warp = rem(div(threadId(), 32), op.getWarps());
  Value inEight = rem(lane, 8);
  Value row = add(add(mul(warp, 16), mul(rem(div(lane, 8), 2), 8)), inEight);
  SmallVector<Value> pairs = packPairs(op.getFragment());
  MLIRContext *context = builder.getContext();
  auto pointerType = LLVM::LLVMPointerType::get(context, 3);
  MemRefType type = op.getTile().getType();
  int64_t units = type.getDimSize(1) / 8, firstChunk = 0;
  for (const fagpu::ChunkRun &run : fagpu::getChunkRuns(type)) {
    int64_t width = run.swizzle / kUnitBytes; // units of a row of a chunk
    Value laneUnit = bitXor(div(lane, 16), div(inEight, 8 / width));
    Value ofRow = add(tile->base, mul(row, run.swizzle));
    int64_t firstUnit = run.firstColumn / 8;
    int64_t endUnit = std::min(units, firstUnit + run.count * width);
    for (int64_t unit = firstUnit; unit < endUnit; unit += 2) {
      // An even unit xor the lane's is their sum, swizzled.
      int64_t inRun = unit - firstUnit;
      Value inChunk = bitXor(laneUnit, i32(inRun % width));
      Value address = add(add(ofRow, mul(inChunk, kUnitBytes)),
                          (firstChunk + inRun / width) * tile->chunkBytes);
      Value pointer =
          LLVM::IntToPtrOp::create(builder, loc, pointerType, address);
      int64_t count = unit + 1 < units ? 4 : 2;
      NVVM::StMatrixOp::create(
          builder, loc, pointer, ArrayRef(pairs).slice(2 * unit, count),
          NVVM::MMALayout::row, NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
          NVVM::LdStMatrixEltType::B16);
    }
    firstChunk += run.count;
  }
  return success();
}
