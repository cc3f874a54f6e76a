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
//   bits 62-63  1: 128-byte swizzle
//
// A tile that is summed over its columns (K-major: Q and K) has 8-row groups
// 1024 bytes apart (stride offset); a step of 16 columns is 32 bytes on within
// a chunk of 64. One that is summed over its rows (MN-major, transposed: V) has
// chunks of 64 columns one chunk apart (leading offset); a step of 16 rows is
// 2048 bytes on.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "PTX.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fa;

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
  // The descriptor of a tile, and that of `bytes` further on.
  auto descriptor = [&](Value address, int64_t leading) -> Value {
    Value low = arith::AndIOp::create(
        builder, loc, arith::ShRUIOp::create(builder, loc, address, i32(4)),
        i32(0x3FFF));
    uint64_t high = uint64_t(1) << 62 | uint64_t(1024 / 16) << 32 |
                    uint64_t(leading & 0x3FFF) << 16;
    return arith::OrIOp::create(builder, loc,
                                arith::ExtUIOp::create(builder, loc, i64, low),
                                i64Constant(high));
  };
  auto advance = [&](Value desc, int64_t bytes) -> Value {
    if (bytes == 0)
      return desc;
    return arith::AddIOp::create(builder, loc, desc, i64Constant(bytes / 16));
  };
  auto alongColumns = [&](const TileAddress &tile, Value desc, int64_t step) {
    return advance(desc, step / 4 * tile.chunkBytes + step % 4 * 32);
  };

  ptx::Wgmma wgmma;
  wgmma.elementType = op.getBType().getElementType().isBF16() ? "bf16" : "f16";
  wgmma.n = op.getN();
  wgmma.transposeB = overRows;
  Value bDescriptor = descriptor(b->base, overRows ? b->chunkBytes / 16 : 1);
  for (int64_t step = 0; step < steps; ++step)
    wgmma.b.push_back(overRows ? advance(bDescriptor, step * 16 * 128)
                               : alongColumns(*b, bDescriptor, step));

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
    Value aDescriptor = descriptor(a->base, /*leading=*/1);
    for (int64_t step = 0; step < steps; ++step)
      wgmma.a[step] = {alongColumns(*a, aDescriptor, step)};
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
