//===- Pipelines.cpp - From attention to machine code, level by level -----===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Pipelines/Pipelines.h"

#include "fa/Conversion/Passes.h"
#include "fa/Transforms/Passes.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::fa;

/// What each level ends with.
static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void fa::buildNaive(OpPassManager &pm) {
  // Buffers first: S and P are then allocated and freed where one can see it.
  pm.addPass(createFABufferizePass());
  pm.addNestedPass<func::FuncOp>(createFADecomposePass());
  addCleanup(pm);
}

void fa::buildNest(OpPassManager &pm, const CPUPipelineOptions &options) {
  pm.addPass(createFABufferizePass());
  {
    FASelectSchedulePassOptions schedule;
    schedule.br = options.br;
    schedule.bc = options.bc;
    schedule.mr = options.mr;
    schedule.nr = options.nr;
    schedule.sram = options.sram;
    schedule.vectorBits = options.vectorBits;
    pm.addNestedPass<func::FuncOp>(createFASelectSchedulePass(schedule));
  }
  pm.addNestedPass<func::FuncOp>(createFATilePass());
  addCleanup(pm);
}

void fa::buildFused(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createFAFuseOnlineSoftmaxPass());
  addCleanup(pm);
}

void fa::buildVector(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createFAExpandSoftmaxPass());
  addCleanup(pm);
}

void fa::buildLoops(OpPassManager &pm) {
  // The tiles of the nest, or the whole matrices of the naive level.
  pm.addNestedPass<func::FuncOp>(createFATilesToLoopsPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  // Blocks, and what is left of parallel loops in functions that are more than
  // one nest.
  pm.addPass(createFAOutlineBlocksPass());
  pm.addNestedPass<func::FuncOp>(createForallToForLoopPass());
  addCleanup(pm);
}

void fa::buildLLVM(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createFAExpandMathPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  {
    ConvertVectorToLLVMPassOptions vector;
    // The sum of a row in any order, but always the same one.
    vector.reassociateFPReductions = true;
    pm.addPass(createConvertVectorToLLVMPass(vector));
  }
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  addCleanup(pm);
}

void fa::buildCPUPipeline(OpPassManager &pm,
                          const CPUPipelineOptions &options) {
  Level stop = options.stopAfter;
  // Naive, nest and fused are also algorithms: to end at one is to choose it.
  Level algorithm = stop == Level::Naive || stop == Level::Nest ||
                            stop == Level::Fused
                        ? stop
                        : Level(options.level);
  if (stop == Level::Problem)
    return;
  if (algorithm == Level::Naive) {
    buildNaive(pm);
  } else {
    buildNest(pm, options);
    if (algorithm == Level::Fused)
      buildFused(pm);
  }
  if (stop == algorithm)
    return;
  if (algorithm != Level::Naive)
    buildVector(pm);
  if (stop == Level::Vector)
    return;
  buildLoops(pm);
  if (stop == Level::Loops)
    return;
  buildLLVM(pm);
}

void fa::registerFAPipelines() {
  PassPipelineRegistration<CPUPipelineOptions>(
      "fa-lower-to-cpu",
      "Lower fa.attention to the LLVM dialect for the host, or to the level "
      "named by stop-after",
      buildCPUPipeline);
}
