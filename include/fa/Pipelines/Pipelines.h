//===- Pipelines.h - From attention to machine code -------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One builder a level, used by fa-opt, fa-translate, fa-run and the tests.
// docs/Levels.md shows the IR at each level.
//
//===----------------------------------------------------------------------===//

#ifndef FA_PIPELINES_PIPELINES_H
#define FA_PIPELINES_PIPELINES_H

#include "fa/Transforms/Passes.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;

namespace fa {

/// The levels in order. `naive` is a branch of its own; from `fused` on the
/// road of a CPU is vector, loops, llvm and that of a GPU promoted, scheduled,
/// warp, nvvm.
enum class Level {
  Problem,
  Naive,
  Nest,
  Fused,
  Vector,
  Loops,
  LLVM,
  Promoted,
  Scheduled,
  Warp,
  NVVM
};

struct CPUPipelineOptions : public PassPipelineOptions<CPUPipelineOptions> {
  Option<Level> level{
      *this, "level", llvm::cl::desc("The algorithm that the code executes"),
      llvm::cl::init(Level::Fused),
      llvm::cl::values(
          clEnumValN(Level::Naive, "naive", "whole matrices S and P in memory"),
          clEnumValN(Level::Nest, "nest", "tiles, two passes over the keys"),
          clEnumValN(Level::Fused, "fused",
                     "tiles, one pass with the online softmax"))};
  Option<Level> stopAfter{
      *this, "stop-after",
      llvm::cl::desc("The level at which the lowering ends; naive, nest and "
                     "fused also choose the algorithm"),
      llvm::cl::init(Level::LLVM),
      llvm::cl::values(
          clEnumValN(Level::Problem, "problem", "fa.attention"),
          clEnumValN(Level::Naive, "naive", "three steps on whole matrices"),
          clEnumValN(Level::Nest, "nest", "the loop nest, two passes"),
          clEnumValN(Level::Fused, "fused", "the loop nest, online softmax"),
          clEnumValN(Level::Vector, "vector", "softmax as vector code"),
          clEnumValN(Level::Loops, "loops", "row loops and blocked products"),
          clEnumValN(Level::LLVM, "llvm", "the LLVM dialect"))};

  Option<bool> keysOutside{
      *this, "keys-outside",
      llvm::cl::desc("The loop order of the first paper: keys outside, and the "
                     "state of the queries in memory"),
      llvm::cl::init(false)};

  // What fa-select-schedule takes; 0 lets it choose.
  Option<int64_t> br{*this, "br", llvm::cl::desc("Rows of a query tile (B_r)"),
                     llvm::cl::init(0)};
  Option<int64_t> bc{*this, "bc", llvm::cl::desc("Rows of a key tile (B_c)"),
                     llvm::cl::init(0)};
  Option<int64_t> mr{*this, "mr", llvm::cl::desc("Rows of a register tile"),
                     llvm::cl::init(0)};
  Option<int64_t> nr{*this, "nr", llvm::cl::desc("Columns of a register tile"),
                     llvm::cl::init(0)};
  Option<int64_t> sram{
      *this, "sram",
      llvm::cl::desc(
          "Bytes of fast memory for the tiles of one block (0: 1 MiB)"),
      llvm::cl::init(0)};
  Option<int64_t> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("Width of a SIMD register: 128, 256 or 512"),
      llvm::cl::init(256)};
  Option<std::string> backward{
      *this, "backward",
      llvm::cl::desc("Design of gradients: two_pass or one_pass")};
  Option<int64_t> splits{
      *this, "splits",
      llvm::cl::desc("Blocks that share the key tiles of a head with one_pass"),
      llvm::cl::init(0)};
};

struct GPUPipelineOptions : public PassPipelineOptions<GPUPipelineOptions> {
  Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("What to compile for: sm_80, sm_86, sm_89, sm_90, sm_90a, "
                     "sm_100 or sm_120"),
      llvm::cl::init("sm_80")};
  Option<Level> level{
      *this, "level", llvm::cl::desc("The algorithm that the code executes"),
      llvm::cl::init(Level::Fused),
      llvm::cl::values(
          clEnumValN(Level::Naive, "naive",
                     "three kernels, whole matrices S and P in memory"),
          clEnumValN(Level::Fused, "fused",
                     "tiles, one pass with the online softmax"))};
  Option<Level> stopAfter{
      *this, "stop-after",
      llvm::cl::desc("The level at which the lowering ends"),
      llvm::cl::init(Level::NVVM),
      llvm::cl::values(
          clEnumValN(Level::Problem, "problem", "fa.attention"),
          clEnumValN(Level::Naive, "naive",
                     "three loop nests, S and P in memory"),
          clEnumValN(Level::Nest, "nest", "the loop nest, two passes"),
          clEnumValN(Level::Fused, "fused", "the loop nest, online softmax"),
          clEnumValN(Level::Promoted, "promoted", "tiles in SRAM"),
          clEnumValN(Level::Scheduled, "scheduled",
                     "copies ahead of their use"),
          clEnumValN(Level::Warp, "warp", "the values of one thread"),
          clEnumValN(Level::NVVM, "nvvm", "the LLVM and NVVM dialects"))};

  Option<bool> table{
      *this, "table",
      llvm::cl::desc("Whether schedules that were measured go before those of "
                     "the model"),
      llvm::cl::init(true)};

  // What fa-select-schedule takes; 0 lets it choose.
  Option<int64_t> br{*this, "br", llvm::cl::desc("Rows of a query tile (B_r)"),
                     llvm::cl::init(0)};
  Option<int64_t> bc{*this, "bc", llvm::cl::desc("Rows of a key tile (B_c)"),
                     llvm::cl::init(0)};
  Option<int64_t> groups{*this, "groups",
                         llvm::cl::desc("Row groups of a block"),
                         llvm::cl::init(0)};
  Option<int64_t> warps{*this, "warps", llvm::cl::desc("Warps of a row group"),
                        llvm::cl::init(0)};
  Option<int64_t> stages{*this, "stages",
                         llvm::cl::desc("Key tiles in SRAM at a time"),
                         llvm::cl::init(0)};
  Option<int64_t> blocks{*this, "blocks",
                         llvm::cl::desc("Blocks that share a multiprocessor"),
                         llvm::cl::init(0)};
  // 0 or 1; -1 lets it choose.
  Option<int64_t> overlap{
      *this, "overlap",
      llvm::cl::desc("Q K^T of a key tile with P V of the one before"),
      llvm::cl::init(-1)};
  Option<int64_t> pingpong{
      *this, "pingpong",
      llvm::cl::desc("Row groups take turns to issue products"),
      llvm::cl::init(-1)};
  Option<int64_t> lazy{
      *this, "lazy",
      llvm::cl::desc("O is rescaled where the maximum has grown much"),
      llvm::cl::init(-1)};
  Option<int64_t> narrow{
      *this, "narrow",
      llvm::cl::desc("Narrow chunks of tiles where columns do not fill wide "
                     "ones"),
      llvm::cl::init(-1)};
  Option<int64_t> persistent{
      *this, "persistent",
      llvm::cl::desc("Query tiles in SRAM of blocks that take them in turn"),
      llvm::cl::init(-1)};
  Option<bool> tf32{
      *this, "tf32",
      llvm::cl::desc(
          "Products of f32 on tensor cores, with operands of 10 bits "
          "of fraction"),
      llvm::cl::init(false)};
  Option<int64_t> align{
      *this, "align",
      llvm::cl::desc("Bytes that addresses and strides are multiples of: 2, 4, "
                     "8 or 16"),
      llvm::cl::init(0)};
  Option<int64_t> maxKeys{
      *this, "max-keys",
      llvm::cl::desc("The largest number of keys that the kernel is for (0: "
                     "any)"),
      llvm::cl::init(0)};

  /// What of these fa-select-schedule takes.
  FASelectSchedulePassOptions getSchedule() const;
};

/// problem -> naive: memrefs, three steps over whole matrices.
void buildNaive(OpPassManager &pm);
/// problem -> nest: memrefs, a schedule, the tiled loop nest.
void buildNest(OpPassManager &pm, const FASelectSchedulePassOptions &schedule,
               const FATilePassOptions &tile = {});
/// nest -> fused: one pass over the keys.
void buildFused(OpPassManager &pm);
/// nest or fused -> vector: only the products are ops of fa.
void buildVector(OpPassManager &pm);
/// vector or naive -> loops: no tiles, a range of blocks.
void buildLoops(OpPassManager &pm);
/// loops -> llvm: the LLVM dialect, ready to be translated.
void buildLLVM(OpPassManager &pm);

/// The whole CPU road, up to `options.stopAfter`.
void buildCPUPipeline(OpPassManager &pm,
                      const CPUPipelineOptions &options = {});

/// nest -> naive on a GPU: three kernels, S and P in memory.
void buildSpilled(OpPassManager &pm);
/// fused -> promoted: tiles of Q, K and V in SRAM.
void buildPromoted(OpPassManager &pm);
/// promoted -> scheduled: pipelined copies, or a producer and row groups.
void buildScheduled(OpPassManager &pm, StringRef chip);
/// scheduled -> warp: the program of one thread.
void buildWarp(OpPassManager &pm);
/// warp -> nvvm: the LLVM and NVVM dialects, ready to be translated to PTX.
void buildNVVM(OpPassManager &pm);

/// The whole GPU road, up to `options.stopAfter`.
void buildGPUPipeline(OpPassManager &pm,
                      const GPUPipelineOptions &options = {});

/// Registers `fa-lower-to-cpu` and `fa-lower-to-nvvm`.
void registerFAPipelines();

} // namespace fa
} // namespace mlir

#endif // FA_PIPELINES_PIPELINES_H
