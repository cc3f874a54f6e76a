//===- DotFMA.cpp - fagpu.dot of f32 with FMAs --------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensor cores round f32 operands to 10 bits of fraction (tf32), so that
// f32 is multiplied by FMAs, each thread for the elements that it holds: with
// lane l, rows l / 4 + 8 i of each block of 16 rows of its warp and columns 8 j
// + 2 (l mod 4) + k.
//
// Summed over columns, A and B are read 4 of them at a time (one unit of 16
// bytes): lanes of a quad read 4 rows of B, different quads different rows of
// A. Summed over rows, B is read two columns at a time; what A has in registers
// is in the quad's lanes, and comes by a shuffle. In a swizzled tile unit u of
// row r stands at unit u xor (r mod 8): all reads are free of bank conflicts.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fa;

/// Columns of a unit of 16 bytes, and of a chunk of 128 bytes.
constexpr int64_t kUnit = 4, kChunk = 32;

/// `count` neighbouring f32 at an i32 address in SRAM.
static SmallVector<Value> buildLoad(OpBuilder &builder, Location loc,
                                    Value address, int64_t count) {
  auto pointerType = LLVM::LLVMPointerType::get(builder.getContext(), 3);
  Value pointer = LLVM::IntToPtrOp::create(builder, loc, pointerType, address);
  auto type = VectorType::get({count}, builder.getF32Type());
  Value loaded = LLVM::LoadOp::create(builder, loc, type, pointer,
                                      /*alignment=*/4 * count);
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(LLVM::ExtractElementOp::create(
        builder, loc, loaded,
        arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(i))));
  return values;
}

namespace {
/// The rows of A that a thread multiplies, from SRAM or from the registers of
/// its quad.
struct OperandA {
  SmallVector<Value> fragment;     // in registers
  SmallVector<TileAddress> ofRows; // in SRAM: row l / 4 + 8 i of each block
};
} // namespace

LogicalResult NVVMLowering::lowerDotFMA(fagpu::DotOp op) {
  FailureOr<TileAddress> b = getWideTile(op, op.getB());
  if (failed(b))
    return failure();
  int64_t statistics = 2 * op.getRowBlocks();
  int64_t blocks = op.getN() / 8, depth = op.getK();
  Value lane = rem(threadId(), 32);
  Value inQuad = rem(lane, 4), quad = div(lane, 4);

  OperandA a;
  if (isa<VectorType>(op.getA().getType())) {
    a.fragment = unpackVector(op.getA());
  } else {
    FailureOr<TileAddress> tile = getWideTile(op, op.getA());
    if (failed(tile))
      return failure();
    Value warp = rem(div(threadId(), 32), op.getWarps());
    Value row = add(mul(warp, 8 * statistics), quad);
    Value ofLane = add(tile->base, add(mul(row, 128), mul(rem(row, 8), 16)));
    for (int64_t i = 0; i < statistics; ++i)
      a.ofRows.push_back({add(ofLane, 8 * i * 128), tile->chunkBytes});
  }
  // Unit `unit` of a row whose own unit 0 is at `row`: a tile begins at a
  // multiple of 1024 bytes, so that the swizzle may be changed in the address.
  auto ofUnit = [&](const TileAddress &row, int64_t unit) {
    return add(bitXor(row.base, i32(unit % 8 * 16)), unit / 8 * row.chunkBytes);
  };

  // acc[i][j][k]: statistic i, column 8 j + 2 (l mod 4) + k.
  SmallVector<Value> acc = unpackVector(op.getAcc());
  auto multiply = [&](MutableArrayRef<Value> acc, int64_t i, int64_t j,
                      int64_t k, Value aValue, Value bValue) {
    int64_t index = i / 2 * 4 * blocks + 4 * j + 2 * (i % 2) + k;
    acc[index] = LLVM::FMAOp::create(builder, loc, aValue, bValue, acc[index]);
  };
  // Column `column` of A in registers lies in lane (column mod 8) / 2 of the
  // quad.
  auto shuffleA = [&](int64_t i, int64_t column) -> Value {
    int64_t index =
        i / 2 * depth / 2 + 4 * (column / 8) + 2 * (i % 2) + column % 2;
    Value from = add(mul(quad, 4), i32(column % 8 / 2));
    return NVVM::ShflOp::create(builder, loc, builder.getF32Type(), i32(-1),
                                a.fragment[index], from, i32(31),
                                NVVM::ShflKind::idx, UnitAttr());
  };
  /// Columns [4 unit, 4 unit + count) of the rows of A, shifted by `shift`
  /// bytes.
  auto readA = [&](int64_t unit, int64_t count, Value shift) {
    SmallVector<SmallVector<Value>> values(statistics);
    for (int64_t i = 0; i < statistics; ++i) {
      if (a.fragment.empty()) {
        TileAddress row = a.ofRows[i];
        if (shift)
          row.base = add(row.base, shift);
        values[i] = buildLoad(builder, loc, ofUnit(row, unit), kUnit);
        continue;
      }
      for (int64_t c = 0; c < count; ++c)
        values[i].push_back(shuffleA(i, kUnit * unit + c));
    }
    return values;
  };

  if (op.getContract() == fagpu::Contract::Rows) {
    // B by rows: two columns of a unit for each lane.
    Value ofLane =
        add(b->base, add(mul(div(inQuad, 2), 16), mul(rem(inQuad, 2), 8)));
    for (int64_t unit = 0; unit < depth / kUnit; ++unit) {
      SmallVector<SmallVector<Value>> aValues = readA(unit, kUnit, Value());
      for (int64_t c = 0; c < kUnit; ++c) {
        int64_t row = kUnit * unit + c;
        for (int64_t j = 0; j < blocks; ++j) {
          Value swizzled = bitXor(ofLane, i32(((2 * j % 8) ^ (row % 8)) * 16));
          SmallVector<Value> pair =
              buildLoad(builder, loc,
                        add(swizzled, row * 128 + j / 4 * b->chunkBytes), 2);
          for (int64_t i = 0; i < statistics; ++i)
            for (int64_t k = 0; k < 2; ++k)
              multiply(acc, i, j, k, aValues[i][c], pair[k]);
        }
      }
    }
    op.getResult().replaceAllUsesWith(packVector(acc, op.getType()));
    return success();
  }

  // B by columns: rows 8 j + 2 (l mod 4) + k.
  SmallVector<TileAddress> bRows;
  for (int64_t k = 0; k < 2; ++k) {
    Value row = add(mul(inQuad, 2), k);
    bRows.push_back(
        {add(b->base, add(mul(row, 128), mul(row, 16))), b->chunkBytes});
  }
  auto multiplyUnits = [&](MutableArrayRef<Value> acc, int64_t first,
                           int64_t columns, Value aShift, Value bShift) {
    for (int64_t unit = 0; kUnit * unit < columns; ++unit) {
      int64_t count = std::min(kUnit, columns - kUnit * unit);
      SmallVector<SmallVector<Value>> aValues =
          readA(first + unit, count, aShift);
      for (int64_t j = 0; j < blocks; ++j)
        for (int64_t k = 0; k < 2; ++k) {
          TileAddress row = bRows[k];
          if (bShift)
            row.base = add(row.base, bShift);
          SmallVector<Value> bValues = buildLoad(
              builder, loc, add(ofUnit(row, first + unit), 8 * j * 128), kUnit);
          for (int64_t c = 0; c < count; ++c)
            for (int64_t i = 0; i < statistics; ++i)
              multiply(acc, i, j, k, aValues[i][c], bValues[c]);
        }
    }
  };
  // Chunks that are full are a loop; A in registers is not indexed by one.
  int64_t chunks = a.fragment.empty() ? depth / kChunk : 0;
  if (chunks > 1) {
    auto loop =
        scf::ForOp::create(builder, loc, i32(0), i32(chunks), i32(1), acc);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      SmallVector<Value> sums(loop.getRegionIterArgs());
      Value chunk = loop.getInductionVar();
      int64_t aBytes = a.ofRows.front().chunkBytes;
      multiplyUnits(sums, 0, kChunk, mul(chunk, aBytes),
                    mul(chunk, b->chunkBytes));
      scf::YieldOp::create(builder, loc, sums);
    }
    acc.assign(loop.getResults().begin(), loop.getResults().end());
  } else {
    chunks = 0;
  }
  multiplyUnits(acc, chunks * kChunk / kUnit, depth - chunks * kChunk, Value(),
                Value());
  op.getResult().replaceAllUsesWith(packVector(acc, op.getType()));
  return success();
}
