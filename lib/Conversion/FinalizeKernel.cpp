//===- FinalizeKernel.cpp - Attributes of a kernel in LLVM IR ------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAFINALIZEKERNELPASS
#include "fa/Conversion/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

namespace {
struct FinalizeKernel
    : public fa::impl::FAFinalizeKernelPassBase<FinalizeKernel> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (auto info = func->getAttrOfType<DictionaryAttr>(
              FADialect::getKernelAttrName()))
        if (failed(finalize(func, info)))
          return signalPassFailure();
  }

private:
  static LogicalResult finalize(LLVM::LLVMFuncOp func, DictionaryAttr info);
};
} // namespace

/// The entry, its number of threads (ptxas fits registers to it, and ignores
/// setmaxnreg without it), and the tensor maps: 128 bytes passed by value,
/// whose address in the parameter space is what the copies take.
LogicalResult FinalizeKernel::finalize(LLVM::LLVMFuncOp func,
                                       DictionaryAttr info) {
  auto block = info.getAs<IntegerAttr>("block");
  auto arguments = info.getAs<ArrayAttr>("arguments");
  if (!block || !arguments)
    return func.emitError("expected the block and arguments of "
                          "convert-fagpu-to-nvvm in fa.kernel but got ")
           << info;
  Builder b(func.getContext());
  // Without a number of blocks ptxas may not know the registers at the entry,
  // and then ignores setmaxnreg (C7508).
  if (auto schedule =
          func->getAttrOfType<ScheduleAttr>(FADialect::getScheduleAttrName()))
    func->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                  b.getI32IntegerAttr(schedule.getBlocks()));
  func->removeAttr(FADialect::getScheduleAttrName());
  func->removeAttr(FADialect::getTargetAttrName());
  func->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  int32_t threads = block.getInt();
  func->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                b.getDenseI32ArrayAttr({threads}));
  int64_t maps = llvm::count_if(arguments, [](Attribute argument) {
    auto fields = dyn_cast<DictionaryAttr>(argument);
    auto kind = fields ? fields.getAs<StringAttr>("kind") : StringAttr();
    return kind && kind.getValue() == "tensor_map";
  });
  auto mapType = LLVM::LLVMArrayType::get(b.getI8Type(), 128);
  int64_t count = func.getNumArguments();
  for (int64_t index = std::max<int64_t>(count - maps, 0); index < count;
       ++index) {
    func.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(),
                    TypeAttr::get(mapType));
    func.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                    b.getI64IntegerAttr(64));
    func.setArgAttr(index, NVVM::NVVMDialect::getGridConstantAttrName(),
                    b.getUnitAttr());
  }
  return success();
}
