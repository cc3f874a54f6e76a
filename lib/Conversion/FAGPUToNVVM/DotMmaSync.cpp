//===- DotMmaSync.cpp - fagpu.dot with ldmatrix and mma.sync ------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma.m16n8k16 (PTX ISA 9.7.14.5.8). A warp has 16 rows of A and D. A step of
// 16 of K takes 4 registers of A, and for each 8 columns of D 2 registers of B.
//
// ldmatrix.x4 reads four 8 x 8 matrices whose rows are 16-byte units; lane l
// gives the address of row l mod 8 of matrix l / 8, and gets two neighbours of
// row l / 4 of each. In a swizzled tile unit u of row r stands at unit
// u xor (r mod 8); all rows here are multiples of 8 plus l mod 8.
//
// tf32 is mma.m16n8k8 (9.7.14.5.7): a step is 8 of K, as many bytes as 16 of
// f16, so that the same ldmatrix reads one f32 for each two neighbours. Over
// rows, where A is in registers, lane l has columns 2 t and 2 t + 1 of eight, t
// = l mod 4, and the instruction wants t and t + 4: the sum is over all eight
// in any order, and B is read by rows 2 t and 2 t + 1 as well.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Where lane l reads its row: matrix l / 8 of the four lies `rowBlock` blocks
/// of 8 rows and `unitBlock` units from the first.
struct LaneMap {
  Value row;  // rows from the first, 8 * rowBlock + l mod 8
  Value unit; // unitBlock xor (l mod 8), to be combined with an even unit
};
} // namespace

/// An f32, or its bits, as tf32.
static Value buildTF32(OpBuilder &builder, Location loc, Value value) {
  if (!value.getType().isF32())
    value = LLVM::BitcastOp::create(builder, loc, builder.getF32Type(), value);
  return NVVM::ConvertFloatToTF32Op::create(
      builder, loc, builder.getI32Type(), value, NVVM::FPRoundingMode::RNA,
      NVVM::SaturationMode::NONE, /*relu=*/false);
}

/// ldmatrix of `count` matrices at an i32 address.
static SmallVector<Value> buildLdMatrix(OpBuilder &builder, Location loc,
                                        Value address, int64_t count,
                                        bool transpose) {
  MLIRContext *context = builder.getContext();
  auto pointerType = LLVM::LLVMPointerType::get(context, 3);
  Value pointer = LLVM::IntToPtrOp::create(builder, loc, pointerType, address);
  Type i32 = builder.getI32Type();
  Type type = i32;
  if (count > 1)
    type = LLVM::LLVMStructType::getLiteral(context,
                                            SmallVector<Type>(count, i32));
  auto shape = NVVM::LdStMatrixShapeAttr::get(context, 8, 8);
  Value loaded = NVVM::LdMatrixOp::create(builder, loc, type, pointer, count,
                                          transpose ? NVVM::MMALayout::col
                                                    : NVVM::MMALayout::row,
                                          shape, NVVM::LdStMatrixEltType::B16);
  if (count == 1)
    return {loaded};
  SmallVector<Value> registers;
  for (int64_t i = 0; i < count; ++i)
    registers.push_back(LLVM::ExtractValueOp::create(builder, loc, loaded, i));
  return registers;
}

LogicalResult NVVMLowering::lowerDotMmaSync(fagpu::DotOp op) {
  FailureOr<TileAddress> b = getWideTile(op, op.getB());
  if (failed(b))
    return failure();
  bool overRows = op.getContract() == fagpu::Contract::Rows;
  bool isTF32 = op.getBType().getElementType().isF32();
  int64_t depth = isTF32 ? 8 : 16; // of K, in a step
  int64_t steps = llvm::divideCeil(op.getK(), depth);
  int64_t blocks = op.getN() / 8;
  bool isBF16 = op.getBType().getElementType().isBF16();

  Value lane = rem(threadId(), 32);
  Value inEight = rem(lane, 8), half = rem(div(lane, 8), 2),
        upper = div(lane, 16);
  // Matrices 0 and 1 are 8 rows apart and 2 and 3 one unit on (A, and B over
  // rows), or the other way round (B over columns).
  LaneMap rowsFirst{add(mul(half, 8), inEight), bitXor(upper, inEight)};
  LaneMap unitsFirst{add(mul(upper, 8), inEight), bitXor(half, inEight)};
  auto address = [&](const TileAddress &tile, const LaneMap &lanes,
                     int64_t firstRow, int64_t firstUnit) {
    // Even units: firstUnit xor unitBlock is firstUnit + unitBlock. A tile
    // begins at a multiple of 1024 bytes, so that the unit may as well be
    // changed in the address: one register a tile instead of one an even unit.
    Value ofLane =
        add(tile.base, add(mul(lanes.row, 128), mul(lanes.unit, 16)));
    return add(bitXor(ofLane, i32(firstUnit % 8 * 16)),
               firstRow * 128 + firstUnit / 8 * tile.chunkBytes);
  };

  // A of one step and one block of 16 rows of this warp: from registers, or
  // from SRAM. It is loaded with its step, not ahead: 4 registers at a time.
  int64_t rowBlocks = op.getRowBlocks();
  SmallVector<Value> registersOfA;
  TileAddress ofWarp;
  if (isa<VectorType>(op.getA().getType())) {
    registersOfA = isTF32 ? unpackVector(op.getA()) : packPairs(op.getA());
  } else {
    FailureOr<TileAddress> tile = getWideTile(op, op.getA());
    if (failed(tile))
      return failure();
    Value warp = rem(div(threadId(), 32), op.getWarps());
    ofWarp = {add(tile->base, mul(warp, rowBlocks * 16 * 128)),
              tile->chunkBytes};
  }
  auto roundAll = [&](SmallVector<Value> values) {
    if (isTF32)
      for (Value &value : values)
        value = buildTF32(builder, loc, value);
    return values;
  };
  auto loadA = [&](int64_t rowBlock, int64_t step) -> SmallVector<Value> {
    if (registersOfA.empty())
      return roundAll(buildLdMatrix(
          builder, loc, address(ofWarp, rowsFirst, 16 * rowBlock, 2 * step), 4,
          /*transpose=*/false));
    auto own =
        ArrayRef<Value>(registersOfA).slice(4 * (rowBlock * steps + step), 4);
    SmallVector<Value> a(own);
    if (isTF32)
      std::swap(a[1], a[2]); // Rows before columns.
    return roundAll(a);
  };
  // B of one step, and of one or two blocks of columns: 2 registers for each.
  // There is no ldmatrix that transposes f32.
  LaneMap byColumn;
  Value inUnit;
  if (isTF32 && overRows) {
    Value column = div(lane, 4); // of eight, in two units
    byColumn.row = mul(rem(lane, 4), 2);
    byColumn.unit = bitXor(div(column, 4), byColumn.row);
    inUnit = mul(rem(column, 4), 4);
  }
  auto loadB = [&](int64_t step, int64_t block,
                   int64_t count) -> SmallVector<Value> {
    if (!inUnit) {
      Value where = overRows
                        ? address(*b, rowsFirst, 16 * step, 2 * (block / 2))
                        : address(*b, unitsFirst, 8 * block, 2 * step);
      return roundAll(buildLdMatrix(builder, loc, where, 2 * count, overRows));
    }
    auto pointerType = LLVM::LLVMPointerType::get(builder.getContext(), 3);
    SmallVector<Value> values;
    for (int64_t n = block; n < block + count; ++n)
      for (int64_t odd = 0; odd < 2; ++odd) {
        // The next row has the next unit, in which its own bits differ.
        LaneMap lanes = {add(byColumn.row, odd),
                         bitXor(byColumn.unit, i32(odd))};
        Value where = add(address(*b, lanes, 8 * step, 2 * n), inUnit);
        values.push_back(LLVM::LoadOp::create(
            builder, loc, builder.getF32Type(),
            LLVM::IntToPtrOp::create(builder, loc, pointerType, where),
            /*alignment=*/4));
      }
    return roundAll(values);
  };

  SmallVector<Value> acc = unpackVector(op.getAcc());
  auto multiply = [&](ArrayRef<Value> a, int64_t rowBlock, int64_t block,
                      Value b0, Value b1) {
    auto operand = [&](Value value) -> Value {
      if (isBF16 || isTF32)
        return value;
      return LLVM::BitcastOp::create(
          builder, loc, VectorType::get({2}, builder.getF16Type()), value);
    };
    SmallVector<Value> aOperands, bOperands{operand(b0), operand(b1)};
    for (Value value : a)
      aOperands.push_back(operand(value));
    MutableArrayRef<Value> d =
        MutableArrayRef(acc).slice(4 * (rowBlock * blocks + block), 4);
    Type type = LLVM::LLVMStructType::getLiteral(
        builder.getContext(), SmallVector<Type>(4, builder.getF32Type()));
    NVVM::MMATypes element = isTF32   ? NVVM::MMATypes::tf32
                             : isBF16 ? NVVM::MMATypes::bf16
                                      : NVVM::MMATypes::f16;
    Value result = NVVM::MmaOp::create(
        builder, loc, type, aOperands, bOperands, ValueRange(d),
        ArrayRef<int64_t>{16, 8, depth}, /*b1Op=*/std::nullopt,
        /*intOverflow=*/std::nullopt,
        std::array<NVVM::MMATypes, 2>{element, element},
        std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                       NVVM::MMALayout::col});
    for (int64_t i = 0; i < 4; ++i)
      d[i] = LLVM::ExtractValueOp::create(builder, loc, result, i);
  };

  for (int64_t step = 0; step < steps; ++step) {
    SmallVector<SmallVector<Value>> a;
    for (int64_t rowBlock = 0; rowBlock < rowBlocks; ++rowBlock)
      a.push_back(loadA(rowBlock, step));
    for (int64_t block = 0; block < blocks; block += 2) {
      bool isPair = block + 1 < blocks;
      SmallVector<Value> registers = loadB(step, block, isPair ? 2 : 1);
      // What was read of B serves all rows of the warp.
      for (int64_t rowBlock = 0; rowBlock < rowBlocks; ++rowBlock) {
        multiply(a[rowBlock], rowBlock, block, registers[0], registers[1]);
        if (isPair)
          multiply(a[rowBlock], rowBlock, block + 1, registers[2],
                   registers[3]);
      }
    }
  }
  op.getResult().replaceAllUsesWith(packVector(acc, op.getType()));
  return success();
}
