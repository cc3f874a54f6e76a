//===- BufferizableOpInterfaceImpl.cpp - fa ops and buffers ---------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How `fa.attention` and its gradient turn from tensors to memrefs under
// one-shot bufferisation: they read their inputs, overwrite their destinations,
// and each result is the buffer of its destination. The regions move to the new
// op as they are; the `tensor.extract` ops in them are bufferised by their own
// interface.
//
//===----------------------------------------------------------------------===//

#include "fa/Transforms/BufferizableOpInterfaceImpl.h"

#include "fa/IR/FA.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::fa;

namespace {

template <typename Problem>
struct ProblemInterface
    : public DstBufferizableOpInterfaceExternalModel<ProblemInterface<Problem>,
                                                     Problem> {
  /// What the destinations hold before is not read.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &state) const {
    return !cast<Problem>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    if (!cast<Problem>(op).isOnTensors())
      return success();

    SmallVector<Value> buffers;
    for (OpOperand &operand : op->getOpOperands()) {
      FailureOr<Value> buffer =
          getBuffer(rewriter, operand.get(), options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }

    // Attributes and regions stay, only operands and results change.
    OperationState newState(op->getLoc(), op->getName(), buffers,
                            /*types=*/TypeRange(), op->getAttrs());
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      newState.addRegion();
    Operation *newOp = rewriter.create(newState);
    for (auto [region, newRegion] :
         llvm::zip_equal(op->getRegions(), newOp->getRegions()))
      rewriter.inlineRegionBefore(region, newRegion, newRegion.begin());
    replaceOpWithBufferizedValues(rewriter, op,
                                  cast<Problem>(newOp).getDpsInits());
    return success();
  }
};

} // namespace

void mlir::fa::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, FADialect *dialect) {
    AttentionOp::attachInterface<ProblemInterface<AttentionOp>>(*context);
    AttentionBackwardOp::attachInterface<ProblemInterface<AttentionBackwardOp>>(
        *context);
  });
}
