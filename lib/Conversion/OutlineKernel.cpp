//===- OutlineKernel.cpp - A loop nest to the program of a block ---------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The grid is linear in x, since the number of heads may pass what y and z can
// count. Block n works on query tile i of head h of batch b with
//
//   n = (b * H + h) * T_r + i'
//
// where i' counts from the last tile to the first if the mask hides keys after
// the diagonal: the tiles with the most keys begin first.
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAOUTLINEKERNELPASS
#include "fa/Conversion/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// The loop nest that is all `func` does, or null.
static scf::ForallOp getNest(func::FuncOp func) {
  if (!func.getBody().hasOneBlock() || func.getNumResults() != 0)
    return {};
  scf::ForallOp nest;
  for (Operation &op : func.front().without_terminator()) {
    auto forall = dyn_cast<scf::ForallOp>(op);
    if (forall && forall->hasAttr(FADialect::getScheduleAttrName())) {
      if (nest || forall.getRank() != 3 || !forall.isNormalized())
        return {};
      nest = forall;
    } else if (!isMemoryEffectFree(&op)) {
      return {};
    }
  }
  return nest;
}

/// What the caller must know, as the launch contract has it: arguments, block
/// size, rows of a block, bytes of SRAM.
static DictionaryAttr describeKernel(func::FuncOp func, scf::ForallOp nest,
                                     ScheduleAttr schedule, TargetAttr target) {
  Builder b(func.getContext());
  auto problem =
      nest->getAttrOfType<DictionaryAttr>(FADialect::getProblemAttrName());
  SmallVector<Attribute> arguments;
  for (Attribute tensor : problem.getAs<ArrayAttr>("arguments"))
    arguments.push_back(
        b.getDictionaryAttr({b.getNamedAttr("kind", b.getStringAttr("memref")),
                             b.getNamedAttr("tensor", tensor)}));
  NamedAttrList problemInfo(problem);
  problemInfo.erase("arguments");
  int64_t threads = 32 * schedule.getWarps() * schedule.getGroups() +
                    (target.isHopper() ? 128 : 0);
  auto sixteen = b.getI64IntegerAttr(16);
  std::string scheduleText;
  llvm::raw_string_ostream(scheduleText) << schedule;
  NamedAttrList info;
  info.set("entry", b.getStringAttr(func.getName()));
  info.set("target", b.getStringAttr(target.getChip()));
  info.set("guards",
           b.getDictionaryAttr({b.getNamedAttr("pointer_alignment", sixteen),
                                b.getNamedAttr("stride_alignment", sixteen)}));
  info.set("arguments", b.getArrayAttr(arguments));
  info.set("block", b.getI64IntegerAttr(threads));
  info.set("query_tile", b.getI64IntegerAttr(schedule.getBr()));
  info.set("sram_bytes", nest->getAttr("fagpu.sram_bytes"));
  info.set("schedule", b.getStringAttr(scheduleText));
  info.set("problem", problemInfo.getDictionary(func.getContext()));
  return info.getDictionary(func.getContext());
}

static LogicalResult outline(func::FuncOp func) {
  // What is not here is not compiled.
  if (func.isDeclaration())
    return success();
  scf::ForallOp nest = getNest(func);
  if (!nest)
    return func.emitError("expected a function that is one loop nest to become "
                          "a kernel");
  auto schedule =
      nest->getAttrOfType<ScheduleAttr>(FADialect::getScheduleAttrName());
  auto target = nest->getAttrOfType<TargetAttr>(FADialect::getTargetAttrName());
  auto problem =
      nest->getAttrOfType<DictionaryAttr>(FADialect::getProblemAttrName());
  auto mask = problem ? problem.getAs<StringAttr>("mask") : StringAttr();
  auto tensors = problem ? problem.getAs<ArrayAttr>("arguments") : ArrayAttr();
  if (!target || !mask || !tensors ||
      tensors.size() != func.getNumArguments() ||
      !nest->hasAttr("fagpu.sram_bytes"))
    return func.emitError("expected a loop nest planned for a GPU; run fa-tile "
                          "and fa-plan-sram first");
  static constexpr StringLiteral kTensors[] = {"Q", "K", "V", "O", "LSE"};
  Builder b(func.getContext());
  for (StringRef name : kTensors)
    if (llvm::count(tensors, b.getStringAttr(name)) != 1)
      return func.emitError("expected Q, K, V, O and LSE to be an argument "
                            "each on a GPU but ")
             << name << " is not";
  for (auto [index, tensor] : llvm::enumerate(tensors))
    if (tensor == b.getStringAttr(""))
      return func.emitError("expected a function of Q, K, V, O and LSE only on "
                            "a GPU but argument #")
             << index << " is none of them";

  Location loc = nest.getLoc();
  OpBuilder builder(nest);
  SmallVector<Value> sizes;
  for (OpFoldResult bound : nest.getMixedUpperBound()) {
    if (auto constant = getConstantIntValue(bound))
      sizes.push_back(arith::ConstantIndexOp::create(builder, loc, *constant));
    else
      sizes.push_back(cast<Value>(bound));
  }
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value tile = arith::RemUIOp::create(builder, loc, block, sizes[2]);
  Value rest = arith::DivUIOp::create(builder, loc, block, sizes[2]);
  Value head = arith::RemUIOp::create(builder, loc, rest, sizes[1]);
  Value batch = arith::DivUIOp::create(builder, loc, rest, sizes[1]);
  if (mask.getValue() != "none") {
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value last = arith::SubIOp::create(builder, loc, sizes[2], one);
    tile = arith::SubIOp::create(builder, loc, last, tile);
  }
  func->setAttr(FADialect::getKernelAttrName(),
                describeKernel(func, nest, schedule, target));
  func->setAttr(FADialect::getScheduleAttrName(), schedule);
  func->setAttr(FADialect::getTargetAttrName(), target);

  for (auto [argument, index] :
       llvm::zip_equal(nest.getInductionVars(), ValueRange{batch, head, tile}))
    argument.replaceAllUsesWith(index);
  nest.getBody()->getTerminator()->erase();
  func.front().getOperations().splice(nest->getIterator(),
                                      nest.getBody()->getOperations());
  nest.erase();
  return success();
}

namespace {
struct OutlineKernel : public fa::impl::FAOutlineKernelPassBase<OutlineKernel> {
  void runOnOperation() override {
    if (failed(outline(getOperation())))
      signalPassFailure();
  }
};
} // namespace
