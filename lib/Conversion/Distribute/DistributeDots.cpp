//===- DistributeDots.cpp - Products of a row group -----------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Distributor.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::fa;

LogicalResult Distributor::distributeScores(ScoresOp op) {
  Location loc = op.getLoc();
  FailureOr<Type> type = getThreadType(op, op.getScores().getType());
  FailureOr<Value> query = get(op.getQuery());
  if (failed(type) || failed(query))
    return failure();
  if (!fagpu::isSramTile(op.getKey().getType()))
    return op.emitOpError("expected key to be in SRAM; run fa-promote-to-sram "
                          "first");
  FailureOr<Value> start;
  if (op.getStart())
    start = getWhole(op.getStart());
  else
    start = Value(
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(*type)));
  if (failed(start))
    return failure();
  Value scores = fagpu::DotOp::create(builder, loc, *type, *query, op.getKey(),
                                      *start, fagpu::Contract::Columns, warps);
  if (!op.getScale().isExactlyValue(1.0)) {
    Value scale = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(cast<ShapedType>(*type), op.getScale()));
    scores = arith::MulFOp::create(builder, loc, scores, scale);
  }
  values[op.getScores()] = scores;
  return success();
}

LogicalResult Distributor::distributeAccumulate(AccumulateOp op) {
  Location loc = op.getLoc();
  if (op.getTransposed())
    return op.emitOpError("expected probs that are not transposed on a GPU");
  FailureOr<Value> probs = getWhole(op.getProbs());
  FailureOr<Value> acc = getWhole(op.getAcc());
  if (failed(probs) || failed(acc))
    return failure();
  if (!fagpu::isSramTile(op.getValue().getType()))
    return op.emitOpError("expected value to be in SRAM; run "
                          "fa-promote-to-sram first");
  if (op.getAlpha()) {
    FailureOr<Value> alpha = getWhole(op.getAlpha());
    if (failed(alpha))
      return failure();
    int64_t elements = cast<VectorType>(acc->getType()).getDimSize(0);
    acc = Value(arith::MulFOp::create(builder, loc, *acc,
                                      *acrossColumns(loc, *alpha, elements)));
  }
  values[op.getResult()] =
      fagpu::DotOp::create(builder, loc, acc->getType(), *probs, op.getValue(),
                           *acc, fagpu::Contract::Rows, warps);
  return success();
}

LogicalResult Distributor::distributeRescale(RescaleOp op) {
  Location loc = op.getLoc();
  FailureOr<Value> acc = getWhole(op.getAcc());
  FailureOr<Value> alpha = getWhole(op.getAlpha());
  if (failed(acc) || failed(alpha))
    return failure();
  int64_t elements = cast<VectorType>(acc->getType()).getDimSize(0);
  auto scale = [&]() -> Value {
    return arith::MulFOp::create(builder, loc, *acc,
                                 *acrossColumns(loc, *alpha, elements));
  };
  if (!op.getRarely()) {
    values[op.getResult()] = scale();
    return success();
  }
  // A branch that all lanes of a warp take, if one of them has to.
  Value one = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(cast<ShapedType>(alpha->getType()), 1.0f));
  Value factors = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                        *alpha, one);
  Value differs;
  for (int64_t i = 0; i < 2 * rowBlocks; ++i) {
    Value factor = vector::ExtractOp::create(builder, loc, factors, i);
    differs =
        differs
            ? arith::OrIOp::create(builder, loc, differs, factor).getResult()
            : factor;
  }
  Value all =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(-1));
  differs = NVVM::VoteSyncOp::create(builder, loc, builder.getI1Type(), all,
                                     differs, NVVM::VoteSyncKind::any);
  auto branch = scf::IfOp::create(builder, loc, acc->getType(), differs,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, scale());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, *acc);
  values[op.getResult()] = branch.getResult(0);
  return success();
}
