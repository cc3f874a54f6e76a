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
  int64_t steps = llvm::divideCeil(op.getK(), 16);
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
  SmallVector<Value> pairs;
  TileAddress ofWarp;
  if (isa<VectorType>(op.getA().getType())) {
    pairs = packPairs(op.getA());
  } else {
    FailureOr<TileAddress> tile = getWideTile(op, op.getA());
    if (failed(tile))
      return failure();
    Value warp = rem(div(threadId(), 32), op.getWarps());
    ofWarp = {add(tile->base, mul(warp, rowBlocks * 16 * 128)),
              tile->chunkBytes};
  }
  auto loadA = [&](int64_t rowBlock, int64_t step) -> SmallVector<Value> {
    if (!pairs.empty())
      return SmallVector<Value>(
          ArrayRef(pairs).slice(4 * (rowBlock * steps + step), 4));
    return buildLdMatrix(builder, loc,
                         address(ofWarp, rowsFirst, 16 * rowBlock, 2 * step), 4,
                         /*transpose=*/false);
  };

  SmallVector<Value> acc = unpackVector(op.getAcc());
  auto multiply = [&](ArrayRef<Value> a, int64_t rowBlock, int64_t block,
                      Value b0, Value b1) {
    auto operand = [&](Value value) -> Value {
      if (isBF16)
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
    NVVM::MMATypes element =
        isBF16 ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
    Value result = NVVM::MmaOp::create(
        builder, loc, type, aOperands, bOperands, ValueRange(d),
        ArrayRef<int64_t>{16, 8, 16}, /*b1Op=*/std::nullopt,
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
      Value where = overRows
                        ? address(*b, rowsFirst, 16 * step, 2 * (block / 2))
                        : address(*b, unitsFirst, 8 * block, 2 * step);
      SmallVector<Value> registers =
          buildLdMatrix(builder, loc, where, isPair ? 4 : 2, overRows);
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
