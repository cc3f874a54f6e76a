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
#include "mlir/Conversion/MathToFuncs/MathToFuncs.h"
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
  pm.addNestedPass<func::FuncOp>(createFADifferentiateScorePass());
  // Buffers first: S and P are then allocated and freed where one can see it.
  pm.addPass(createFABufferizePass());
  pm.addNestedPass<func::FuncOp>(createFADecomposePass());
  addCleanup(pm);
}

void fa::buildNest(OpPassManager &pm,
                   const FASelectSchedulePassOptions &schedule,
                   const FATilePassOptions &tile) {
  pm.addNestedPass<func::FuncOp>(createFADifferentiateScorePass());
  pm.addPass(createFABufferizePass());
  pm.addNestedPass<func::FuncOp>(createFASelectSchedulePass(schedule));
  pm.addNestedPass<func::FuncOp>(createFATilePass(tile));
  pm.addNestedPass<func::FuncOp>(createFATileBackwardPass());
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
  // Steps and blocks, and what is left of parallel loops in other functions.
  pm.addPass(createFAOutlineStepsPass());
  pm.addPass(createFAOutlineBlocksPass());
  pm.addNestedPass<func::FuncOp>(createForallToForLoopPass());
  addCleanup(pm);
}

void fa::buildLLVM(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createFAExpandMathPass());
  {
    // Math functions that were not expanded: integer powers are loops, others
    // LLVM's intrinsics, or else calls of the C library.
    ConvertMathToFuncsOptions powers;
    powers.minWidthOfFPowIExponent = 1;
    pm.addPass(createConvertMathToFuncs(powers));
    pm.addPass(createConvertMathToLLVMPass());
    pm.addPass(createConvertMathToLibmPass());
  }
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
  Level algorithm =
      stop == Level::Naive || stop == Level::Nest || stop == Level::Fused
          ? stop
          : Level(options.level);
  if (stop == Level::Problem)
    return;
  if (algorithm == Level::Naive) {
    buildNaive(pm);
  } else {
    FASelectSchedulePassOptions schedule;
    schedule.br = options.br;
    schedule.bc = options.bc;
    schedule.mr = options.mr;
    schedule.nr = options.nr;
    schedule.sram = options.sram;
    schedule.vectorBits = options.vectorBits;
    schedule.backward = options.backward;
    schedule.splits = options.splits;
    buildNest(pm, schedule, FATilePassOptions{options.keysOutside});
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

//===----------------------------------------------------------------------===//
// GPU
//===----------------------------------------------------------------------===//

void fa::buildSpilled(OpPassManager &pm) {
  pm.addPass(createFASpillScoresPass());
  addCleanup(pm);
}

void fa::buildPromoted(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createFAPromoteToSRAMPass());
  addCleanup(pm);
  pm.addNestedPass<func::FuncOp>(createFACountIOPass());
}

void fa::buildScheduled(OpPassManager &pm, StringRef chip) {
  // Copies by a tensor memory accelerator, where there is one and a problem can
  // be copied by it; each pass looks at the target of a nest.
  if (chip == "sm_90a") {
    pm.addNestedPass<func::FuncOp>(createFASpecializeWarpsPass());
    addCleanup(pm);
    pm.addNestedPass<func::FuncOp>(createFAOverlapProductsPass());
    pm.addNestedPass<func::FuncOp>(createFAPingPongPass());
    pm.addNestedPass<func::FuncOp>(createFALazyRescalePass());
  }
  pm.addNestedPass<func::FuncOp>(createFAPipelineCopiesPass());
  pm.addNestedPass<func::FuncOp>(createFAInsertBarriersPass());
  pm.addNestedPass<func::FuncOp>(createFAPlanSRAMPass());
  addCleanup(pm);
}

void fa::buildWarp(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createFAExpandSoftmaxPass());
  pm.addNestedPass<func::FuncOp>(createFADistributePass());
  pm.addNestedPass<func::FuncOp>(createFAInsertWaitsPass());
  pm.addNestedPass<func::FuncOp>(createFAOutlineKernelPass());
  pm.addNestedPass<func::FuncOp>(createFAPersistentGridPass());
  addCleanup(pm);
}

void fa::buildNVVM(OpPassManager &pm) {
  pm.addPass(createConvertFAGPUToNVVMPass());
  // Before what a function expands to: its temporaries are then those of one
  // element, too.
  pm.addNestedPass<func::FuncOp>(createFAUnrollElementwisePass());
  pm.addNestedPass<func::FuncOp>(createFAExpandMathGPUPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  addCleanup(pm);
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createFAFinalizeKernelPass());
  addCleanup(pm);
}

FASelectSchedulePassOptions GPUPipelineOptions::getSchedule() const {
  FASelectSchedulePassOptions schedule;
  schedule.chip = chip;
  schedule.table = table;
  schedule.br = br;
  schedule.bc = bc;
  schedule.groups = groups;
  schedule.warps = warps;
  schedule.stages = stages;
  schedule.blocks = blocks;
  schedule.overlap = overlap;
  schedule.pingpong = pingpong;
  schedule.lazy = lazy;
  schedule.narrow = narrow;
  schedule.persistent = persistent;
  schedule.tf32 = tf32;
  schedule.align = align;
  schedule.maxKeys = maxKeys;
  return schedule;
}

void fa::buildGPUPipeline(OpPassManager &pm,
                          const GPUPipelineOptions &options) {
  Level stop = options.stopAfter;
  if (stop == Level::Problem)
    return;
  bool isNaive = options.level == Level::Naive || stop == Level::Naive;
  FASelectSchedulePassOptions schedule = options.getSchedule();
  // S and P are read back in tiles of 64 keys, of which B_c is a divisor.
  if (isNaive && schedule.bc == 0)
    schedule.bc = 64;
  buildNest(pm, schedule);
  if (stop == Level::Nest)
    return;
  if (isNaive)
    buildSpilled(pm);
  else
    buildFused(pm);
  if (stop == Level::Naive || stop == Level::Fused)
    return;
  buildPromoted(pm);
  if (stop == Level::Promoted)
    return;
  buildScheduled(pm, StringRef(options.chip));
  if (stop == Level::Scheduled)
    return;
  buildWarp(pm);
  if (stop == Level::Warp)
    return;
  buildNVVM(pm);
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

void fa::registerFAPipelines() {
  PassPipelineRegistration<GPUPipelineOptions>(
      "fa-lower-to-nvvm",
      "Lower fa.attention to the LLVM and NVVM dialects for a GPU, or to the "
      "level named by stop-after",
      buildGPUPipeline);
  PassPipelineRegistration<CPUPipelineOptions>(
      "fa-lower-to-cpu",
      "Lower fa.attention to the LLVM dialect for the host, or to the level "
      "named by stop-after",
      buildCPUPipeline);
}
