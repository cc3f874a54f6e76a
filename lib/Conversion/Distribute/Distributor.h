//===- Distributor.h - The values of one thread -----------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to fa-distribute.
//
// The program of a row group, on tiles of 16 * warps * B rows, becomes that of
// one of its threads. With lane l of warp w, which has B blocks of 16 rows, a
// thread holds
//
//   of a tile [R, N]        vector<B*N/2>, at index (N/2) b + 4 j + 2 i + k the
//                           element in row 16 (B w + b) + l/4 + 8 i, column
//                           8 j + 2 (l mod 4) + k
//   of a row statistic [R]  vector<2*B>, at index 2 b + i that of the row
//                           16 (B w + b) + l/4 + 8 i
//
// which for each b is the fragment order of mma.sync and wgmma accumulators,
// and of their A operand. Columns are counted up to a multiple of 8: what is
// past the end of O, where its head dim is none, is 0 and is not stored. So an
// op that works element by element stays as it is, and the four lanes 4 n .. 4
// n + 3 (a quad) hold one row between them: a reduction along the columns is a
// local one and two exchanges within the quad.
//
//   Distribute.cpp       the walk; types and values of a thread
//   DistributeRows.cpp   row-wise ops: broadcasts, element-wise, reductions
//   DistributeMemory.cpp loads and stores
//   DistributeDots.cpp   products, and the rescaling of O
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_DISTRIBUTE_DISTRIBUTOR_H
#define FA_LIB_CONVERSION_DISTRIBUTE_DISTRIBUTOR_H

#include "PartialSums.h"
#include "fa/IR/FA.h"
#include "fagpu/IR/FAGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fa {

/// Rewrites the program of a row group, or of the whole block.
class Distributor {
public:
  Distributor(OpBuilder &builder, Block &program, ScheduleAttr schedule,
              TargetAttr target)
      : builder(builder), program(program), warps(schedule.getWarps()),
        rowBlocks(schedule.getRowBlocks()),
        align(target ? target.getAlign() : 16), partial(program) {}

  /// Fails, with a diagnostic, at an op that has no form for a thread.
  LogicalResult distribute();

private:
  // Distribute.cpp: blocks and loops, types and values.
  LogicalResult distributeBlock(Block &block);
  LogicalResult distributeLoop(scf::ForOp loop);
  LogicalResult distributeOp(Operation *op);
  FailureOr<Type> getThreadType(Operation *op, Type type);
  FailureOr<Value> get(Value value);
  FailureOr<Value> getWhole(Value value);
  FailureOr<Value> getColumns(Value value, int64_t columns);
  std::pair<Value, Value> getColumnNumbers(Location loc, VectorType type);
  FailureOr<Value> acrossColumns(Location loc, Value rows, int64_t elements);

  // DistributeRows.cpp
  LogicalResult distributeBroadcast(vector::BroadcastOp op);
  LogicalResult distributeElementwise(Operation *op);
  LogicalResult distributeReduction(vector::MultiDimReductionOp op);
  Value reduceQuad(Location loc, Value rows, vector::CombiningKind kind);
  Value inFirstLane(Location loc, Value rows);
  Value combine(Location loc, ArrayRef<Value> elements,
                vector::CombiningKind kind);

  // DistributeDots.cpp
  LogicalResult distributeScores(ScoresOp op);
  LogicalResult distributeAccumulate(AccumulateOp op);
  LogicalResult distributeRescale(RescaleOp op);

  // DistributeMemory.cpp
  LogicalResult distributeLoad(vector::TransferReadOp op);
  LogicalResult distributeStore(vector::TransferWriteOp op);
  void storePairs(vector::TransferWriteOp op, Value value, int64_t i,
                  Value row);
  LogicalResult distributeStoreTile(fagpu::StoreTileOp op);

  /// Elements that a thread has of a tile with `columns` columns.
  int64_t getSize(int64_t columns) {
    return rowBlocks * static_cast<int64_t>(llvm::alignTo(columns, 8)) / 2;
  }
  /// The statistic of the row of element `e` of a fragment of `elements`.
  int64_t getStatistic(int64_t e, int64_t elements) {
    return 2 * (e / (elements / rowBlocks)) + (e / 2) % 2;
  }
  Value index(Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  OpBuilder &builder;
  Block &program;
  int64_t warps, rowBlocks;
  int64_t align; // of the rows of O, in bytes
  PartialSums partial;
  Value row, column; // 16 B w + l/4 and 2 (l mod 4), of type index
  Value isFirstInQuad;
  DenseMap<Value, Value> values;
  DenseMap<std::pair<Value, Block *>, Value> wholes; // of sums in parts
  SmallVector<Operation *> distributed;              // in program order
};

} // namespace mlir::fa

#endif // FA_LIB_CONVERSION_DISTRIBUTE_DISTRIBUTOR_H
