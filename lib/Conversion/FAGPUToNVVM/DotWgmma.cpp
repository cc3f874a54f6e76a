//===- DotWgmma.cpp - fagpu.dot with wgmma ------------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma.mma_async (PTX ISA 9.7.15): a warpgroup has 64 rows of A and D, B is
// read from SRAM through descriptors (9.7.15.5.1.2.2):
//
//   bits 0-13   address / 16
//   bits 16-29  leading offset / 16    bits 32-45  stride offset / 16
//   bits 62-63  1, 2, 3: swizzle of 128, 64, 32 bytes
//
// A tile that is summed over its columns (K-major: Q and K) has 8-row groups
// 8 * swizzle bytes apart (stride offset); a step of 16 columns is 32 bytes on
// within a chunk, and the steps in a tail have its swizzle and stride. One that
// is summed over its rows (MN-major, transposed: V) has chunks as far apart as
// the tile is high (leading offset); a step of 16 rows is 16 * swizzle bytes
// on.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "PTX.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fa;

/// What a descriptor says besides the address.
static uint64_t getLayoutBits(int64_t swizzle, int64_t leadingBytes) {
  uint64_t code = swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
  return code << 62 | uint64_t(8 * swizzle / 16) << 32 |
         uint64_t(leadingBytes / 16 & 0x3FFF) << 16;
}

LogicalResult NVVMLowering::lowerDotWgmma(fagpu::DotOp op) {
  if (op.getWarps() != 4)
    return op.emitOpError("expected row groups of 4 warps for wgmma but got ")
           << op.getWarps();
  if (op.getBType().getElementType().isF32())
    return op.emitOpError("expected f16 or bf16 for wgmma but got f32");
  if (op.getRowBlocks() != 1)
    return op.emitOpError("expected one block of 16 rows a warp for wgmma but "
                          "got ")
           << op.getRowBlocks();
  if (op.getN() > 256)
    return op.emitOpError("expected at most 256 columns of the result for "
                          "wgmma but got ")
           << op.getN();
  FailureOr<TileAddress> b = getTile(op, op.getB());
  if (failed(b))
    return failure();
  bool overRows = op.getContract() == fagpu::Contract::Rows;
  int64_t steps = llvm::divideCeil(op.getK(), 16);

  Type i64 = builder.getI64Type();
  auto i64Constant = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc, IntegerAttr::get(i64, static_cast<int64_t>(value)));
  };
  // The descriptor of a tile, and that of what lies further on.
  auto descriptor = [&](Value address, uint64_t layoutBits) -> Value {
    Value low = arith::AndIOp::create(
        builder, loc, arith::ShRUIOp::create(builder, loc, address, i32(4)),
        i32(0x3FFF));
    return arith::OrIOp::create(builder, loc,
                                arith::ExtUIOp::create(builder, loc, i64, low),
                                i64Constant(layoutBits));
  };
  auto advance = [&](Value desc, uint64_t distance) -> Value {
    if (distance == 0)
      return desc;
    return arith::AddIOp::create(builder, loc, desc, i64Constant(distance));
  };
  // Of a tile that is summed over its columns, where the leading offset is not
  // used: the descriptor of each step. To go on to a tail is to add the
  // difference of the layouts, too.
  auto alongColumns = [&](const TileAddress &tile, MemRefType type) {
    SmallVector<fagpu::ChunkRun, 2> runs = fagpu::getChunkRuns(type);
    auto layoutBits = [](const fagpu::ChunkRun &run) {
      return getLayoutBits(run.swizzle, /*leadingBytes=*/16);
    };
    Value first = descriptor(tile.base, layoutBits(runs.front()));
    SmallVector<Value> descriptors;
    for (int64_t step = 0; step < steps; ++step) {
      bool inTail = 16 * step >= runs.back().firstColumn;
      const fagpu::ChunkRun &run = inTail ? runs.back() : runs.front();
      int64_t inRun = 16 * step - run.firstColumn;
      int64_t chunk =
          run.firstColumn / runs.front().columns + inRun / run.columns;
      int64_t bytes = chunk * tile.chunkBytes + inRun % run.columns * 2;
      descriptors.push_back(advance(first, bytes / 16 + layoutBits(run) -
                                               layoutBits(runs.front())));
    }
    return descriptors;
  };

  ptx::Wgmma wgmma;
  wgmma.elementType = op.getBType().getElementType().isBF16() ? "bf16" : "f16";
  wgmma.n = op.getN();
  wgmma.transposeB = overRows;
  if (overRows) {
    int64_t swizzle = fagpu::getChunkRuns(op.getBType()).front().swizzle;
    Value first = descriptor(b->base, getLayoutBits(swizzle, b->chunkBytes));
    for (int64_t step = 0; step < steps; ++step)
      wgmma.b.push_back(advance(first, step * 16 * swizzle / 16));
  } else {
    wgmma.b = alongColumns(*b, op.getBType());
  }

  wgmma.a.resize(steps);
  if (isa<VectorType>(op.getA().getType())) {
    SmallVector<Value> pairs = packPairs(op.getA());
    for (int64_t step = 0; step < steps; ++step)
      wgmma.a[step].assign(pairs.begin() + 4 * step,
                           pairs.begin() + 4 * step + 4);
  } else {
    FailureOr<TileAddress> a = getTile(op, op.getA());
    if (failed(a))
      return failure();
    auto aType = cast<MemRefType>(op.getA().getType());
    for (auto [operands, descriptor] :
         llvm::zip_equal(wgmma.a, alongColumns(*a, aType)))
      operands = {descriptor};
  }

  // C = 0 is not an operand but a flag of the first step.
  auto constant = op.getAcc().getDefiningOp<arith::ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                        : SplatElementsAttr();
  if (!splat || !splat.getSplatValue<APFloat>().isPosZero())
    wgmma.acc = unpackVector(op.getAcc());
  SmallVector<Value> result = ptx::buildWgmma(builder, loc, wgmma);
  op.getResult().replaceAllUsesWith(packVector(result, op.getType()));
  return success();
}

LogicalResult NVVMLowering::lowerWaitDot(fagpu::WaitDotOp op) {
  if (!target.isHopper()) {
    op.getResult().replaceAllUsesWith(op.getValue());
    return success();
  }
  SmallVector<Value> result = ptx::buildWgmmaWait(
      builder, loc, unpackVector(op.getValue()), op.getPending());
  op.getResult().replaceAllUsesWith(packVector(result, op.getType()));
  return success();
}
