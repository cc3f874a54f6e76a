//===- TileLowering.h - Tile values as buffers ------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to fa-tiles-to-loops: where each tile value of one loop nest lives,
// and the three ways to lower what is done to it.
//
//   TilesToLoops.cpp   walks the blocks; loops and the buffers they carry
//   RowLoops.cpp       a run of row-wise ops: one loop over the rows
//   Products.cpp       fa.scores and fa.accumulate: packing, register tiles
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_TILESTOLOOPS_TILELOWERING_H
#define FA_LIB_CONVERSION_TILESTOLOOPS_TILELOWERING_H

#include "fa/Analysis/RowWise.h"
#include "fa/IR/FA.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::fa {

/// The element type of the buffer of a tile.
inline Type getBufferElement(VectorType tile) {
  Type element = tile.getElementType();
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32
             ? Float32Type::get(tile.getContext())
             : element;
}

/// The rows of the tiles that a row-wise op works on.
inline int64_t getRows(Operation &op) {
  for (Type type : op.getResultTypes())
    if (isTileType(type))
      return cast<VectorType>(type).getDimSize(0);
  for (Type type : op.getOperandTypes())
    if (isTileType(type))
      return cast<VectorType>(type).getDimSize(0);
  llvm_unreachable("expected an op on tiles");
}

/// The buffers of one loop nest. A buffer has the shape of the tile and the
/// type that its elements are computed in: f32 for floats (f16 and bf16 fit in
/// it), the type itself for others.
class TileLowering {
public:
  TileLowering(OpBuilder &builder, Block *entry, ScheduleAttr schedule)
      : builder(builder), entry(entry), schedule(schedule) {}

  /// Lowers what `block` does to tiles. Its terminator is left alone.
  LogicalResult lowerBlock(Block &block);

  /// Erases what has been lowered, except for the first `from` ops.
  void eraseLowered(size_t from = 0);

private:
  // TilesToLoops.cpp
  LogicalResult lowerLoop(scf::ForOp loop);
  LogicalResult lowerColumnBroadcast(vector::BroadcastOp op);
  Value allocate(Location loc, ArrayRef<int64_t> shape, Type element);
  Value getOrAllocateBuffer(Value tile);
  /// The buffer of an operand of a product; a constant gets one here.
  FailureOr<Value> getOperandBuffer(Value tile);
  /// Whether the buffer of `tile` may be overwritten by `user`, which uses it.
  static bool isLastUse(Value tile, Operation *user);
  /// A buffer that `tile` may be written to, where it is made by `run`, because
  /// it is there that a loop carries it; null if there is none.
  Value findCarriedBuffer(Value tile, ArrayRef<Operation *> run);

  // RowLoops.cpp
  /// One loop over the rows for the ops of `run`, whose tiles all have as many.
  LogicalResult lowerRun(Location loc, ArrayRef<Operation *> run);
  /// Stores the tiles `copies[i].first` to the buffers `copies[i].second`, in
  /// one loop over the rows for tiles with equally many.
  using Copies = ArrayRef<std::pair<Value, Value>>;
  LogicalResult lowerCopies(Location loc, Copies copies);
  LogicalResult lowerRowLoop(Location loc, int64_t rows,
                             ArrayRef<Operation *> run, Copies copies);

  // Products.cpp
  LogicalResult lowerScores(ScoresOp op);
  LogicalResult lowerAccumulate(AccumulateOp op);
  /// The left operand of scores, `rows` rows, as f32: the buffer of a vector,
  /// or a copy of a memref made where the memref is defined, and so once for
  /// all key tiles.
  FailureOr<Value> packQuery(Value query, int64_t rows);
  /// The right operand of accumulate, `rows` rows, as f32: itself, if it is
  /// that already, or a copy.
  Value packValue(Location loc, Value value, int64_t rows);

  OpBuilder &builder;
  Block *entry; // stack buffers are allocated at its start
  ScheduleAttr schedule;
  DenseMap<Value, Value> buffers;                    // tile -> memref
  DenseMap<std::pair<Value, int64_t>, Value> packed; // memref, rows -> its copy
  SmallVector<Operation *> lowered;                  // in program order
};

} // namespace mlir::fa

#endif // FA_LIB_CONVERSION_TILESTOLOOPS_TILELOWERING_H
