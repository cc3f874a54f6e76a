//===- Products.cpp - fa.scores and fa.accumulate on the CPU --------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both products are C = A B with A row by row and B in rows of vectors:
//
//   fa.scores       A = Q_i  [B_r, D]     B = K_j^T [D, B_c]    C = S
//   fa.accumulate   A = P_ij [B_r, B_c]   B = V_j   [B_c, D_v]  C = O
//
// where A may also be the transpose of what is in memory: it is read element by
// element, and the elements for mr rows are neighbours then.
//
//   for n in 0 .. N step nr:               a panel of B, which stays in L1
//     for i in 0 .. B_r step mr:
//       acc[mr] = 0 or C[i .. i + mr, n .. n + nr]
//       for k in 0 .. K: acc[r] += A[i + r, k] * B[k, n .. n + nr]
//       C[i .. i + mr, n .. n + nr] = acc
//
// with one narrower panel for the columns that are left. The accumulators are
// mr vectors of nr elements, carried by the loop over k: its body is one load
// of B, and mr broadcasts and FMAs, whatever the tile sizes. That keeps the
// code, and the time to compile it, small.
//
// Q_i is converted to f32 once a query tile; K_j is transposed and V_j
// converted once a key tile. V_j is used as it is if it is f32 and complete,
// and where it is the left operand of another product, too, so is the copy of
// that.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Emits loops and element conversions.
class LoopBuilder {
public:
  LoopBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }

  /// for i = begin to end step `step`: body(i). A loop of one iteration is no
  /// loop.
  void loop(Value begin, Value end, int64_t step,
            function_ref<void(Value)> body) {
    auto first = getConstantIntValue(begin), last = getConstantIntValue(end);
    if (first && last && *first + step >= *last) {
      if (*first < *last)
        body(begin);
      return;
    }
    auto loop = scf::ForOp::create(builder, loc, begin, end, index(step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  /// body(n, width) for the columns [n, n + width) of [0, size): panels of
  /// `step` columns, and one narrower panel if some are left.
  void panels(int64_t size, int64_t step,
              function_ref<void(Value, int64_t)> body) {
    int64_t whole = size / step * step;
    loop(index(0), index(whole), step, [&](Value n) { body(n, step); });
    if (whole != size)
      body(index(whole), size - whole);
  }

  /// `width` elements of a row, as f32.
  Value loadRow(Value memref, Value row, Value column, int64_t width) {
    Type element = cast<MemRefType>(memref.getType()).getElementType();
    Value loaded =
        vector::LoadOp::create(builder, loc, VectorType::get({width}, element),
                               memref, ValueRange{row, column});
    if (element.isF32())
      return loaded;
    return arith::ExtFOp::create(
        builder, loc, VectorType::get({width}, builder.getF32Type()), loaded);
  }
  void storeRow(Value vector, Value memref, Value row, Value column) {
    vector::StoreOp::create(builder, loc, vector, memref,
                            ValueRange{row, column});
  }
  /// One element, as f32.
  Value loadElement(Value memref, Value row, Value column) {
    Value loaded =
        memref::LoadOp::create(builder, loc, memref, ValueRange{row, column});
    if (loaded.getType().isF32())
      return loaded;
    return arith::ExtFOp::create(builder, loc, builder.getF32Type(), loaded);
  }
  Value zeros(int64_t width) {
    auto type = VectorType::get({width}, builder.getF32Type());
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  }
  Value splat(Value scalar, int64_t width) {
    return vector::BroadcastOp::create(
        builder, loc, VectorType::get({width}, scalar.getType()), scalar);
  }

  /// Copies the rows of `source` to `target`, of f32, and fills the rows of
  /// `target` that `source` does not have with zeros.
  void copyRows(Value source, Value target, int64_t width) {
    auto type = cast<MemRefType>(target.getType());
    int64_t columns = type.getDimSize(1);
    Value rows = rowCount(source);
    loop(index(0), rows, 1, [&](Value row) {
      panels(columns, width, [&](Value column, int64_t panel) {
        storeRow(loadRow(source, row, column, panel), target, row, column);
      });
    });
    loop(rows, index(type.getDimSize(0)), 1, [&](Value row) {
      panels(columns, width, [&](Value column, int64_t panel) {
        storeRow(zeros(panel), target, row, column);
      });
    });
  }

  /// The same with the transpose of `source`.
  void transposeRows(Value source, Value target, int64_t width) {
    auto type = cast<MemRefType>(target.getType());
    int64_t depth = type.getDimSize(0), columns = type.getDimSize(1);
    Value rows = rowCount(source);
    if (cast<MemRefType>(source.getType()).isDynamicDim(0))
      loop(index(0), index(depth), 1, [&](Value k) {
        panels(columns, width, [&](Value column, int64_t panel) {
          storeRow(zeros(panel), target, k, column);
        });
      });
    // Blocks of 16 x 16 are transposed in registers, the rest one by one.
    constexpr int64_t kBlock = 16;
    Value wholeRows = arith::MulIOp::create(
        builder, loc, arith::DivUIOp::create(builder, loc, rows, index(kBlock)),
        index(kBlock));
    if (!cast<MemRefType>(source.getType()).isDynamicDim(0))
      wholeRows = index(cast<MemRefType>(source.getType()).getDimSize(0) /
                        kBlock * kBlock);
    int64_t wholeDepth = depth / kBlock * kBlock;
    loop(index(0), wholeRows, kBlock, [&](Value row) {
      loop(index(0), index(wholeDepth), kBlock,
           [&](Value k) { transposeBlock(source, target, row, k, kBlock); });
      transposeElements(source, target, row, add(row, index(kBlock)),
                        wholeDepth, depth);
    });
    transposeElements(source, target, wholeRows, rows, 0, depth);
  }

private:
  Value rowCount(Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    if (!type.isDynamicDim(0))
      return index(type.getDimSize(0));
    return memref::DimOp::create(builder, loc, memref, 0);
  }

  void transposeElements(Value source, Value target, Value begin, Value end,
                         int64_t firstK, int64_t endK) {
    if (firstK == endK)
      return;
    loop(begin, end, 1, [&](Value row) {
      loop(index(firstK), index(endK), 1, [&](Value k) {
        memref::StoreOp::create(builder, loc, loadElement(source, row, k),
                                target, ValueRange{k, row});
      });
    });
  }

  void transposeBlock(Value source, Value target, Value row, Value k,
                      int64_t size) {
    auto type = VectorType::get({size, size}, builder.getF32Type());
    Value block =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    for (int64_t i = 0; i < size; ++i)
      block = vector::InsertOp::create(
          builder, loc, loadRow(source, add(row, index(i)), k, size), block, i);
    block = vector::TransposeOp::create(builder, loc, block,
                                        ArrayRef<int64_t>{1, 0});
    for (int64_t i = 0; i < size; ++i)
      storeRow(vector::ExtractOp::create(builder, loc, block, i), target,
               add(k, index(i)), row);
  }

  OpBuilder &builder;
  Location loc;
};

/// C = scale * (C0 + A B), or C = diag(alpha) C0 + A B.
struct Product {
  Value a, b, c;
  bool isTransposed = false; // A is the transpose of `a`
  Value start; // C0, or one row that stands for each of C0, or null for 0
  Value alpha; // a buffer of one factor a row, or null for 1
  float scale = 1.0f;
};
} // namespace

/// The largest divisor of `size` that is at most `limit`.
static int64_t getDivisorAtMost(int64_t size, int64_t limit) {
  int64_t divisor = std::min(size, limit);
  while (size % divisor != 0)
    --divisor;
  return divisor;
}

/// What the accumulators of `width` columns from `n` on of a row start from.
static Value buildStart(OpBuilder &builder, Location loc, LoopBuilder &loops,
                        const Product &product, Value row, Value n,
                        int64_t width) {
  if (!product.start)
    return loops.zeros(width);
  if (cast<MemRefType>(product.start.getType()).getRank() == 1)
    return vector::LoadOp::create(
        builder, loc, VectorType::get({width}, builder.getF32Type()),
        product.start, n);
  Value start = loops.loadRow(product.start, row, n, width);
  if (!product.alpha)
    return start;
  Value alpha = memref::LoadOp::create(builder, loc, product.alpha, row);
  return arith::MulFOp::create(builder, loc, start, loops.splat(alpha, width));
}

static void buildProduct(OpBuilder &builder, Location loc,
                         const Product &product, ScheduleAttr schedule) {
  LoopBuilder loops(builder, loc);
  int64_t depth = cast<MemRefType>(product.b.getType()).getDimSize(0);
  auto type = cast<MemRefType>(product.c.getType());
  int64_t mr = getDivisorAtMost(type.getDimSize(0), schedule.getMr());
  loops.panels(
      type.getDimSize(1), schedule.getNr(), [&](Value n, int64_t width) {
        loops.loop(
            loops.index(0), loops.index(type.getDimSize(0)), mr, [&](Value i) {
              SmallVector<Value> rows, acc;
              for (int64_t r = 0; r < mr; ++r) {
                rows.push_back(loops.add(i, loops.index(r)));
                acc.push_back(buildStart(builder, loc, loops, product, rows[r],
                                         n, width));
              }
              auto contraction = scf::ForOp::create(
                  builder, loc, loops.index(0), loops.index(depth),
                  loops.index(1), acc,
                  [&](OpBuilder &, Location, Value k, ValueRange carried) {
                    Value b = loops.loadRow(product.b, k, n, width);
                    SmallVector<Value> next;
                    for (int64_t r = 0; r < mr; ++r) {
                      Value a = product.isTransposed
                                    ? loops.loadElement(product.a, k, rows[r])
                                    : loops.loadElement(product.a, rows[r], k);
                      next.push_back(vector::FMAOp::create(
                          builder, loc, loops.splat(a, width), b, carried[r]));
                    }
                    scf::YieldOp::create(builder, loc, next);
                  });
              for (int64_t r = 0; r < mr; ++r) {
                Value result = contraction.getResult(r);
                if (product.scale != 1.0f) {
                  Value scale = arith::ConstantOp::create(
                      builder, loc, builder.getF32FloatAttr(product.scale));
                  result = arith::MulFOp::create(builder, loc, result,
                                                 loops.splat(scale, width));
                }
                loops.storeRow(result, product.c, rows[r], n);
              }
            });
      });
}

/// Fails unless the right operand of a product is memory.
static LogicalResult verifyIsMemory(Operation *op, StringRef name, Type type) {
  if (isa<MemRefType>(type))
    return success();
  return op->emitOpError("expected ")
         << name << " to be a memref on the CPU but got " << type;
}

FailureOr<Value> TileLowering::packQuery(Value query, int64_t rows) {
  if (isa<VectorType>(query.getType()))
    return getOperandBuffer(query);
  Value &copy = packed[{query, rows}];
  if (copy)
    return copy;
  Location loc = query.getLoc();
  OpBuilder::InsertionGuard guard(builder);
  if (entry->getParent()->isAncestor(query.getParentRegion()))
    builder.setInsertionPointAfterValue(query);
  else
    builder.setInsertionPointToStart(entry);
  int64_t columns = cast<MemRefType>(query.getType()).getDimSize(1);
  copy = allocate(loc, {rows, columns}, builder.getF32Type());
  LoopBuilder(builder, loc).copyRows(query, copy, schedule.getNr());
  return copy;
}

Value TileLowering::packValue(Location loc, Value value, int64_t rows) {
  auto type = cast<MemRefType>(value.getType());
  if (type.getElementType().isF32() && !type.isDynamicDim(0))
    return value;
  if (Value copy = packed.lookup({value, rows}))
    return copy;
  Value copy = allocate(loc, {rows, type.getDimSize(1)}, builder.getF32Type());
  LoopBuilder(builder, loc).copyRows(value, copy, schedule.getNr());
  return copy;
}

LogicalResult TileLowering::lowerScores(ScoresOp op) {
  if (failed(verifyIsMemory(op, "key", op.getKey().getType())))
    return failure();
  Location loc = op.getLoc();
  VectorType type = op.getScores().getType();
  FailureOr<Value> query = packQuery(op.getQuery(), type.getDimSize(0));
  if (failed(query))
    return failure();
  Product product;
  if (Value start = op.getStart()) {
    // A vector over the columns is one row for all.
    Operation *broadcast = start.getDefiningOp();
    if (broadcast && isColumnBroadcast(*broadcast) &&
        buffers.contains(broadcast->getOperand(0))) {
      product.start = buffers.lookup(broadcast->getOperand(0));
    } else {
      FailureOr<Value> buffer = getOperandBuffer(start);
      if (failed(buffer))
        return failure();
      product.start = *buffer;
    }
  }
  Value keyTransposed =
      allocate(loc, {op.getKey().getType().getDimSize(1), type.getDimSize(1)},
               builder.getF32Type());
  LoopBuilder(builder, loc)
      .transposeRows(op.getKey(), keyTransposed, schedule.getNr());

  product.a = *query;
  product.b = keyTransposed;
  product.c = getOrAllocateBuffer(op.getScores());
  product.scale = op.getScale().convertToFloat();
  buildProduct(builder, loc, product, schedule);
  return success();
}

LogicalResult TileLowering::lowerAccumulate(AccumulateOp op) {
  if (failed(verifyIsMemory(op, "value", op.getValue().getType())))
    return failure();
  Location loc = op.getLoc();
  Product product;
  FailureOr<Value> probs = getOperandBuffer(op.getProbs());
  FailureOr<Value> start = getOperandBuffer(op.getAcc());
  if (failed(probs) || failed(start))
    return failure();
  product.a = *probs;
  product.isTransposed = op.getTransposed();
  product.start = *start;
  if (op.getAlpha()) {
    FailureOr<Value> alpha = getOperandBuffer(op.getAlpha());
    if (failed(alpha))
      return failure();
    product.alpha = *alpha;
  }
  product.b = packValue(
      loc, op.getValue(),
      op.getProbs().getType().getDimSize(product.isTransposed ? 0 : 1));

  // In place if nothing else needs the old accumulator.
  if (!buffers.contains(op.getAcc()) || isLastUse(op.getAcc(), op))
    buffers[op.getResult()] = product.start;
  product.c = getOrAllocateBuffer(op.getResult());
  buildProduct(builder, loc, product, schedule);
  return success();
}
