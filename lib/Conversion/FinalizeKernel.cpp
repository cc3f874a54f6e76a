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
        finalize(func, info);
  }

private:
  static void finalize(LLVM::LLVMFuncOp func, DictionaryAttr info);
};
} // namespace

/// The entry, its number of threads (ptxas fits registers to it, and ignores
/// setmaxnreg without it), and the tensor maps: 128 bytes passed by value, whose
/// address in the parameter space is what the copies take.
void FinalizeKernel::finalize(LLVM::LLVMFuncOp func, DictionaryAttr info) {
  Builder b(func.getContext());
  func->removeAttr(FADialect::getScheduleAttrName());
  func->removeAttr(FADialect::getTargetAttrName());
  func->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  int32_t threads = info.getAs<IntegerAttr>("block").getInt();
  func->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                b.getDenseI32ArrayAttr({threads}));
  int64_t maps = llvm::count_if(info.getAs<ArrayAttr>("arguments"),
                                [](Attribute argument) {
                                  return cast<DictionaryAttr>(argument)
                                             .getAs<StringAttr>("kind")
                                             .getValue() == "tensor_map";
                                });
  auto mapType = LLVM::LLVMArrayType::get(b.getI8Type(), 128);
  unsigned count = func.getNumArguments();
  for (unsigned index = count - maps; index < count; ++index) {
    func.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(),
                    TypeAttr::get(mapType));
    func.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                    b.getI64IntegerAttr(64));
    func.setArgAttr(index, NVVM::NVVMDialect::getGridConstantAttrName(),
                    b.getUnitAttr());
  }
}
