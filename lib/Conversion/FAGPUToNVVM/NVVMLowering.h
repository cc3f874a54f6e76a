//===- NVVMLowering.h - Addresses of tiles ----------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the conversion: where each tile and barrier lies, and the lowering
// of each family of ops.
//
//   FAGPUToNVVM.cpp   the walk; tiles, rings, views, producer and row groups
//   CopiesToNVVM.cpp  cp.async, tensor maps, mbarriers
//   DotFMA.cpp        fagpu.dot of f32
//   DotMmaSync.cpp    fagpu.dot on sm_80
//   DotWgmma.cpp      fagpu.dot on sm_90a
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_FAGPUTONVVM_NVVMLOWERING_H
#define FA_LIB_CONVERSION_FAGPUTONVVM_NVVMLOWERING_H

#include "fa/IR/FA.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace mlir::fa {

/// A tile, or some rows of one, in SRAM.
struct TileAddress {
  Value base; // i32, of the first row in the first chunk
  // From a chunk to the next: a row of a chunk for each row of the whole tile.
  // A tail follows the chunks before it.
  int64_t chunkBytes;
};

/// The stages of a ring and their barriers, as i32 addresses.
struct RingAddress {
  Value base, full, empty;
  fagpu::RingType type;
  int64_t readers; // row groups that release a stage
};

/// Places for what the producer posts to the row groups.
constexpr int64_t kMailboxPlaces = 2;

class NVVMLowering {
public:
  NVVMLowering(func::FuncOp kernel, ScheduleAttr schedule, TargetAttr target)
      : kernel(kernel), schedule(schedule), target(target), builder(kernel) {}

  LogicalResult lower();

  /// What the caller passes for each tensor map that was appended to the
  /// arguments, in order: the argument it describes and the box.
  struct TensorMap {
    BlockArgument source;
    int64_t boxRows, boxColumns, boxChunks, swizzle;
    bool splitColumns; // dimension 2 counts chunks of boxColumns columns

    bool operator==(const TensorMap &) const = default;
  };
  ArrayRef<TensorMap> getTensorMaps() const { return tensorMaps; }
  /// Whether a pointer to a counter was appended to the arguments, before the
  /// tensor maps.
  bool hasCounter() const { return static_cast<bool>(counter); }

private:
  // FAGPUToNVVM.cpp
  LogicalResult lowerOp(Operation *op);
  void lowerAlloc(fagpu::AllocOp op);
  LogicalResult lowerView(memref::SubViewOp op);
  void lowerSpecialize(fagpu::SpecializeOp op);
  TileAddress getStage(Value ring, Value position);
  FailureOr<TileAddress> getTile(Operation *op, Value tile);
  /// A tile in chunks of 128 bytes, all that the code for sm_80 knows.
  FailureOr<TileAddress> getWideTile(Operation *op, Value tile);

  // CopiesToNVVM.cpp
  LogicalResult lowerCopyAsync(fagpu::CopyAsyncOp op);
  void buildCopyUnit(Value target, Value source, int64_t align, Value bytes,
                     Value valid, bool isWhole);
  LogicalResult lowerLoad(fagpu::LoadOp op);
  void lowerAcquire(fagpu::AcquireOp op);
  void lowerRelease(fagpu::ReleaseOp op);
  void allocMailbox();
  Value lowerDrawBlock(fagpu::DrawBlockOp op);
  /// Word `index` of what was posted at `turn`; word 0 says whether there are
  /// others.
  Value getPosted(Value turn, int64_t index);
  Value readPosted(Value turn, int64_t index);
  void lowerPostBlock(fagpu::PostBlockOp op);
  Value lowerAcquireBlock(fagpu::AcquireBlockOp op);
  void lowerReleaseBlock(fagpu::ReleaseBlockOp op);
  /// The value that all threads of a warp have, in a uniform register.
  Value buildUniform(Value value);
  scf::IfOp initBarriers();
  void prefetchTensorMaps(scf::IfOp setUp);
  LogicalResult lowerStoreFragment(fagpu::StoreFragmentOp op);
  LogicalResult lowerStore(fagpu::StoreOp op);
  Value getTensorMap(const TensorMap &wanted);
  /// One copy between a tensor and a tile: `offset` bytes from the start of the
  /// tile, from `column` or chunk `chunk` of the tensor on.
  struct TensorBox {
    Value map;
    int64_t offset, column, chunk;
  };
  SmallVector<TensorBox> getBoxes(BlockArgument tensor, MemRefType type,
                                  int64_t chunkBytes);
  /// The barrier of the stage at `position`, and the parity of its use.
  std::pair<Value, Value> getBarrier(Value barriers, int64_t stages,
                                     Value position);

  // DotFMA.cpp, DotMmaSync.cpp, DotWgmma.cpp
  LogicalResult lowerDotFMA(fagpu::DotOp op);
  LogicalResult lowerDotMmaSync(fagpu::DotOp op);
  LogicalResult lowerDotWgmma(fagpu::DotOp op);
  LogicalResult lowerWaitDot(fagpu::WaitDotOp op);

  // i32 arithmetic.
  Value i32(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value add(Value a, int64_t b) { return b == 0 ? a : add(a, i32(b)); }
  Value mul(Value a, int64_t b) {
    return arith::MulIOp::create(builder, loc, a, i32(b));
  }
  Value div(Value a, int64_t b) {
    return arith::DivUIOp::create(builder, loc, a, i32(b));
  }
  Value rem(Value a, int64_t b) {
    return arith::RemUIOp::create(builder, loc, a, i32(b));
  }
  Value bitXor(Value a, Value b) {
    return arith::XOrIOp::create(builder, loc, a, b);
  }
  Value isEqual(Value a, int64_t b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a,
                                 i32(b));
  }
  Value toI32(Value index) {
    if (index.getType().isInteger(32))
      return index;
    return arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                      index);
  }
  Value threadId();

  /// The 2-element vectors of `fragment` as i32.
  SmallVector<Value> packPairs(Value fragment);
  /// The elements of a vector, and a vector of elements.
  SmallVector<Value> unpackVector(Value vector);
  Value packVector(ValueRange elements, Type type);

  func::FuncOp kernel;
  ScheduleAttr schedule;
  TargetAttr target;
  OpBuilder builder;
  Location loc = UnknownLoc::get(kernel.getContext());
  Value sramBase; // i32
  // The row group of this thread, and the named barriers of its turn and of the
  // next group's.
  Value groupId, ownTurn, nextTurn;
  // Of a persistent grid: the words that say which block is next, with their
  // barriers, and the counter that the caller provides.
  Value mailFull, mailEmpty, mailWords, counter;
  int64_t barrierOffset = 0;
  DenseMap<Value, TileAddress> tiles;
  DenseMap<Value, RingAddress> rings;
  SmallVector<Value> ringOrder;
  SmallVector<TensorMap> tensorMaps;
  SmallVector<Operation *> lowered;
};

} // namespace mlir::fa

#endif // FA_LIB_CONVERSION_FAGPUTONVVM_NVVMLOWERING_H
