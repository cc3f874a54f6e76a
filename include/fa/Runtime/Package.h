//===- Package.h - A compiled kernel and how to launch it -------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A package is PTX text and a manifest in JSON that says which problem it
// solves, and for each kernel in it what it takes and how it is launched.
// docs/Packages.md has the format.
//
//===----------------------------------------------------------------------===//

#ifndef FA_RUNTIME_PACKAGE_H
#define FA_RUNTIME_PACKAGE_H

#include "fa/Runtime/Formula.h"
#include "fa/Runtime/Problem.h"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace fart {

/// A dimension of a tensor whose extent or stride is known at launch.
enum class TensorDim { Batch, Heads, Rows };

/// A number, or that of a dimension of the tensor.
using Extent = std::variant<int64_t, TensorDim>;

/// How the tensor map of one tensor is made; dimensions from the innermost.
struct TensorMapRecipe {
  struct Dim {
    Extent size;
    Extent stride; ///< In bytes; of the first dimension that of one element.
  };

  TensorName tensor;
  int64_t swizzle = 0; ///< 0, 32, 64 or 128 bytes.
  std::vector<int64_t> box;
  std::vector<Dim> dims;
};

/// A tensor as MLIR's expanded memref descriptor: allocated pointer, aligned
/// pointer, offset, sizes, strides (in elements).
struct MemRefArgument {
  TensorName tensor;
};

/// A table or number that a score function or mask reads, by the number of the
/// argument in the source.
struct ExtraArgument {
  int64_t number = 0;
  DType dtype = DType::F32;
  /// Extents of a table, -1 where a call decides; nothing of a number.
  std::optional<std::vector<int64_t>> shape;

  /// "argument 5, a table of f32 of shape 8x?", for messages.
  std::string describe() const;
};

/// The address of 4 bytes that are 0 before a launch, and after it again.
struct CounterArgument {};

/// What one or more parameters of a kernel are made from.
using PackageArgument = std::variant<MemRefArgument, TensorMapRecipe,
                                     ExtraArgument, CounterArgument>;

/// What has to hold of Q, K, V and O for a kernel to be right (alignment, in
/// bytes), or to be the one that is meant (keys).
struct Guards {
  int64_t pointerAlignment = 1;
  int64_t strideAlignment = 1;
  std::optional<int64_t> maxSeqKV;
};

/// Bytes of HBM that a launch moves, in batch, heads, kv_heads, seq_q and
/// seq_kv, as the compiler counted them.
struct HbmBytes {
  Formula read, written;
};

/// The sizes of `problem` by the names that formulas use.
SizeValues getSizes(const Problem &problem);

struct PackageKernel {
  std::string entry;
  std::string target; ///< sm_80, sm_90a, ...
  std::string ptx;    ///< A file beside the manifest.
  Guards guards;
  std::vector<PackageArgument> arguments;
  int64_t block = 0;     ///< Threads.
  int64_t queryTile = 0; ///< Rows of Q that one block computes.
  /// Blocks of a multiprocessor that take query tiles in turn; 0 where there is
  /// a block for each.
  int64_t residentBlocks = 0;
  int64_t sramBytes = 0; ///< Dynamic shared memory.
  std::optional<int64_t> registers;
  std::string schedule;
  std::optional<HbmBytes> hbmBytes;
  /// The entry of the kernel that is launched after this one, with the same
  /// tensors; empty for the last.
  std::string next;

  /// Whether `tensor` is an argument.
  bool uses(TensorName tensor) const;
  /// The arguments besides the tensors of the problem.
  std::vector<ExtraArgument> getExtras() const;
};

/// What every kernel of a package computes. A size that is set is the only one
/// that the kernels take.
struct PackageProblem {
  DType dtype = DType::F32;
  int64_t headDim = 0;
  int64_t headDimV = 0;
  Band mask;
  double scale = 1;
  /// Regions are compiled in; the reference does not know them.
  bool hasScoreRegion = false;
  bool hasMaskRegion = false;
  /// Products round their operands to tf32.
  bool isTF32 = false;
  std::optional<int64_t> batch, heads, kvHeads, seqQ, seqKV;
};

struct Package {
  std::string name;
  PackageProblem problem;
  std::vector<PackageKernel> kernels; ///< In order of preference.
  std::string path; ///< Of the manifest; the PTX lies beside it.
  /// PTX by file name, for a package that was not read from files.
  std::map<std::string, std::string> texts;

  /// Reads a manifest. The error begins with `path` and names the field.
  static Result<Package> parse(const std::string &text,
                               const std::string &path);
  /// Reads the file at `path`.
  static Result<Package> read(const std::string &path);

  /// The kernels that a launch of kernel `number` runs, in order, by number.
  std::vector<size_t> getSteps(size_t number) const;
  /// Whether another kernel has kernel `number` as `next`.
  bool isContinuation(size_t number) const;
  /// Whether a kernel has `tensor` as an argument.
  bool uses(TensorName tensor) const;
  /// S, P or l, if a kernel has it as an argument.
  std::vector<TensorName> getWorkspaces() const;
  /// What all steps of kernel `number` move, if it is known of each.
  std::optional<HbmBytes> getHbmBytes(size_t number) const;

  /// The PTX of `kernel`, from `texts` or else from its file.
  Result<std::string> readPTX(const PackageKernel &kernel) const;
};

/// The whole file as text; fails with one message that names the path.
Result<std::string> readTextFile(const std::string &path);

} // namespace fart

#endif // FA_RUNTIME_PACKAGE_H
