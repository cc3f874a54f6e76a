//===- Bufferize.cpp - Tensors to memrefs ---------------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's one-shot bufferisation with fa's calling convention: arguments
// have strides of their own and a contiguous last dimension, and a function in
// destination style returns nothing.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/Passes.h"

#include "fa/IR/FA.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FABUFFERIZEPASS
#include "fa/Transforms/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::bufferization;

/// The memref of an argument: any strides and offset, but a contiguous last
/// dimension. Tensors of rank 0 have no strides, unranked ones no layout.
static BufferLikeType convertArgumentType(TensorLikeType type,
                                          Attribute memorySpace, func::FuncOp,
                                          const BufferizationOptions &) {
  if (auto unranked = dyn_cast<UnrankedTensorType>(type))
    return cast<BufferLikeType>(
        UnrankedMemRefType::get(unranked.getElementType(), memorySpace));
  auto tensor = cast<RankedTensorType>(type);
  MemRefLayoutAttrInterface layout;
  if (tensor.getRank() > 0) {
    SmallVector<int64_t> strides(tensor.getRank(), ShapedType::kDynamic);
    strides.back() = 1;
    layout = StridedLayoutAttr::get(tensor.getContext(), ShapedType::kDynamic,
                                    strides);
  }
  return cast<BufferLikeType>(MemRefType::get(
      tensor.getShape(), tensor.getElementType(), layout, memorySpace));
}

/// Drops results that are arguments. Upstream leaves public functions alone,
/// since it changes their signature; here that is the calling convention, so
/// they are private for the while.
static LogicalResult dropReturnedArguments(ModuleOp module) {
  SmallVector<func::FuncOp> publicFunctions;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal()) {
      function.setPrivate();
      publicFunctions.push_back(function);
    }
  LogicalResult result = dropEquivalentBufferResults(module);
  for (func::FuncOp function : publicFunctions)
    function.setPublic();
  return result;
}

namespace {
struct BufferizePass : public fa::impl::FABufferizePassBase<BufferizePass> {
  void runOnOperation() override {
    OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.functionArgTypeConverterFn = convertArgumentType;

    ModuleOp module = getOperation();
    BufferizationState state;
    if (failed(runOneShotModuleBufferize(module, options, state)) ||
        failed(dropReturnedArguments(module)))
      return signalPassFailure();
    // The buffer of a slice may have a step in its last dimension, which
    // fa.attention and its gradient refuse (attention_c14), with or without a
    // verifier after this pass.
    WalkResult result = module.walk([](fa::AttentionOpInterface op) {
      return failed(verify(op, /*verifyRecursively=*/false))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
