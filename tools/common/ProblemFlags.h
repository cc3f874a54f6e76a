//===- ProblemFlags.h - The flags that all tools share ----------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shape flags (--batch to --scale), --target, and those of the schedule.
// Their values are strings for the command line and are read by `ProblemSpec`,
// so that every tool gives the same one message for a bad value.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TOOLS_COMMON_PROBLEMFLAGS_H
#define FA_TOOLS_COMMON_PROBLEMFLAGS_H

#include "fa/Pipelines/Pipelines.h"
#include "fa/Support/Problem.h"
#include "llvm/Support/CommandLine.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir::fa {

/// The values of flags, by name without dashes. A flag that was not given is
/// not in the list.
using FlagValues = std::vector<std::pair<std::string, std::string>>;

/// Registers the flags with the command line as long as it lives.
class ProblemFlags {
public:
  explicit ProblemFlags(llvm::cl::OptionCategory &category)
      : target("target",
               llvm::cl::desc("auto (default), cpu, or a GPU: sm_80, sm_90a"),
               llvm::cl::value_desc("target"), llvm::cl::init("auto"),
               llvm::cl::cat(category)),
        br("br", llvm::cl::desc("Rows of a query tile (default: chosen)"),
           llvm::cl::value_desc("N"), llvm::cl::cat(category)),
        bc("bc", llvm::cl::desc("Rows of a key tile (default: chosen)"),
           llvm::cl::value_desc("N"), llvm::cl::cat(category)),
        groups("groups",
               llvm::cl::desc("Row groups of a block of a GPU (default: "
                              "chosen)"),
               llvm::cl::value_desc("N"), llvm::cl::cat(category)),
        warps("warps",
              llvm::cl::desc("Warps of a row group of a GPU (default: chosen)"),
              llvm::cl::value_desc("N"), llvm::cl::cat(category)),
        stages("stages",
               llvm::cl::desc("Key tiles in the SRAM of a GPU at a time "
                              "(default: chosen)"),
               llvm::cl::value_desc("N"), llvm::cl::cat(category)),
        design("design",
               llvm::cl::desc("Design of gradients: two_pass or one_pass "
                              "(default: chosen)"),
               llvm::cl::value_desc("design"), llvm::cl::cat(category)),
        splits(
            "splits",
            llvm::cl::desc("Blocks that share the key tiles of a head in the "
                           "design one_pass (default: chosen)"),
            llvm::cl::value_desc("N"), llvm::cl::cat(category)),
        noLse("no-lse", llvm::cl::desc("Compute O alone, without LSE"),
              llvm::cl::cat(category)),
        tf32(
            "tf32",
            llvm::cl::desc("Products of f32 on the tensor cores of a GPU, with "
                           "operands of 10 bits of fraction"),
            llvm::cl::cat(category)),
        backward("backward",
                 llvm::cl::desc("The gradients of Q, K and V instead of O and "
                                "LSE"),
                 llvm::cl::cat(category)) {
    for (const ProblemFlag &flag : getProblemFlags())
      shape.push_back(std::make_unique<StringFlag>(
          flag.name, llvm::cl::desc(flag.help),
          llvm::cl::value_desc(flag.valueDesc), llvm::cl::cat(category)));
  }

  /// The shape flags that were given.
  FlagValues getShape() const {
    FlagValues values;
    for (const auto &flag : shape)
      if (flag->getNumOccurrences())
        values.emplace_back(flag->ArgStr.str(), flag->getValue());
    return values;
  }

  /// The flags of the schedule that were given.
  FlagValues getTiles() const {
    FlagValues values;
    for (const StringFlag *flag :
         {&br, &bc, &groups, &warps, &stages, &design, &splits})
      if (flag->getNumOccurrences())
        values.emplace_back(flag->ArgStr.str(), flag->getValue());
    if (tf32)
      values.emplace_back("tf32", "true");
    return values;
  }

  const std::string &getTarget() const { return target; }
  bool isBackward() const { return backward; }
  bool hasNoLse() const { return noLse; }

private:
  using StringFlag = llvm::cl::opt<std::string>;

  StringFlag target, br, bc, groups, warps, stages, design, splits;
  llvm::cl::opt<bool> noLse, tf32, backward;
  std::vector<std::unique_ptr<StringFlag>> shape;
};

/// States in `spec` what shape flags say.
inline llvm::Error addShape(ProblemSpec &spec, const FlagValues &values) {
  for (const auto &[name, value] : values)
    if (llvm::Error error = spec.setFlag(name, value))
      return error;
  return llvm::Error::success();
}

/// Whether the flag of the schedule is one for GPUs alone.
inline bool isGPUFlag(StringRef name) {
  return name == "groups" || name == "warps" || name == "stages" ||
         name == "tf32";
}

/// Whether the flag is one of the schedule.
inline bool isTileFlag(StringRef name) {
  return name == "br" || name == "bc" || name == "design" || name == "splits" ||
         isGPUFlag(name);
}

/// Sets what the flags of the schedule say about a pipeline.
inline llvm::Error setTiles(CPUPipelineOptions &options,
                            const FlagValues &values) {
  for (const auto &[name, text] : values) {
    if (isGPUFlag(name))
      return llvm::createStringError("--" + name +
                                     ": expected a GPU as target, since the "
                                     "schedule of a CPU has no " +
                                     name);
    if (name == "design") {
      options.backward = text;
      continue;
    }
    llvm::Expected<int64_t> value = parsePositive(name, text);
    if (!value)
      return value.takeError();
    (name == "br"   ? options.br
     : name == "bc" ? options.bc
                    : options.splits) = *value;
  }
  return llvm::Error::success();
}

inline llvm::Error setTiles(GPUPipelineOptions &options,
                            const FlagValues &values) {
  for (const auto &[name, text] : values) {
    if (name == "design" || name == "splits")
      return llvm::createStringError(
          "--" + name +
          ": expected the CPU as target, since there "
          "are no gradients on a GPU");
    if (name == "tf32") {
      if (text != "true" && text != "false")
        return llvm::createStringError(
            "--tf32: expected true or false but got '" + text + "'");
      options.tf32 = text == "true";
      continue;
    }
    llvm::Expected<int64_t> value = parsePositive(name, text);
    if (!value)
      return value.takeError();
    (name == "br"       ? options.br
     : name == "bc"     ? options.bc
     : name == "groups" ? options.groups
     : name == "warps"  ? options.warps
                        : options.stages) = *value;
  }
  return llvm::Error::success();
}

} // namespace mlir::fa

#endif // FA_TOOLS_COMMON_PROBLEMFLAGS_H
