//===- ProblemSpec.cpp - Flags, functions and arrays agree ----------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Support/Problem.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fa;

ArrayRef<ProblemFlag> fa::getProblemFlags() {
  // The sizes first, in the order of the enum Size.
  static constexpr ProblemFlag flags[] = {
      {"batch", "N", "Batch size (default 1)"},
      {"heads", "N", "Number of query heads (default 8)"},
      {"kv-heads", "N", "Number of key/value heads (default: as --heads)"},
      {"seq-q", "N", "Number of queries (default 512)"},
      {"seq-kv", "N", "Number of keys (default: as --seq-q)"},
      {"head-dim", "N", "Head dim of Q and K (default 64)"},
      {"head-dim-v", "N", "Head dim of V and O (default: as --head-dim)"},
      {"dtype", "type", "Element type: f32 (default), f16 or bf16"},
      {"mask", "mask",
       "none (default), causal, causal-top-left or window:L,R (inclusive)"},
      {"scale", "x", "Factor of the scores (default 1/sqrt(head dim))"},
  };
  return flags;
}

llvm::Expected<int64_t> fa::parsePositive(StringRef name, StringRef text) {
  int64_t value;
  if (!text.empty() && llvm::all_of(text, llvm::isDigit)) {
    if (text.getAsInteger(10, value))
      return llvm::createStringError("--" + name + ": expected at most " +
                                     Twine(INT64_MAX) + " but got " + text);
    if (value > 0)
      return value;
  }
  return llvm::createStringError(
      "--" + name + ": expected a positive integer but got '" + text + "'");
}

template <typename T, typename PrintFn>
llvm::Error ProblemSpec::state(std::optional<Stated<T>> &slot, T value,
                               StringRef what, StringRef source,
                               PrintFn print) {
  if (!slot)
    slot = Stated<T>{value, source.str()};
  else if (!(slot->value == value))
    return llvm::createStringError(what + " is " + print(slot->value) +
                                   " according to " + slot->source + " but " +
                                   print(value) + " according to " + source);
  return llvm::Error::success();
}

llvm::Error ProblemSpec::setFlag(StringRef name, StringRef value) {
  std::string source = ("--" + name).str();
  for (size_t i = 0; i < numSizes; ++i)
    if (getProblemFlags()[i].name == name) {
      llvm::Expected<int64_t> size = parsePositive(name, value);
      if (!size)
        return size.takeError();
      return setSize(static_cast<Size>(i), *size, source);
    }
  if (name == "dtype") {
    std::optional<fart::DType> parsed = fart::parseDType(value);
    if (!parsed || !fart::isFloat(*parsed))
      return llvm::createStringError(
          "--dtype: expected f32, f16 or bf16 but got '" + value + "'");
    return setDType(*parsed, source);
  }
  if (name == "mask") {
    llvm::Expected<MaskSpec> parsed = MaskSpec::parse(value);
    if (!parsed)
      return parsed.takeError();
    return setMask(*parsed, source);
  }
  if (name == "scale") {
    double parsed;
    if (value.getAsDouble(parsed) || !std::isfinite(static_cast<float>(parsed)))
      return llvm::createStringError(
          "--scale: expected a finite number but got '" + value + "'");
    return setScale(static_cast<float>(parsed), source);
  }
  return llvm::createStringError(
      // untested: the tools register just the flags above
      "unknown flag --" + name);
}

llvm::Error ProblemSpec::setSize(Size size, int64_t value, StringRef source) {
  auto index = static_cast<size_t>(size);
  return state(sizes[index], value, getProblemFlags()[index].name, source,
               [](int64_t value) { return std::to_string(value); });
}

llvm::Error ProblemSpec::setDType(fart::DType value, StringRef source) {
  return state(dtype, value, "the element type", source,
               [](fart::DType value) { return fart::getName(value).data(); });
}

llvm::Error ProblemSpec::setMask(const MaskSpec &value, StringRef source) {
  return state(mask, value, "the mask", source,
               [](const MaskSpec &value) { return value.str(); });
}

llvm::Error ProblemSpec::setScale(float value, StringRef source) {
  return state(scale, value, "the scale", source,
               [](float value) { return std::to_string(value); });
}

llvm::Error ProblemSpec::setShape(ArrayRef<int64_t> shape, ArrayRef<Size> names,
                                  StringRef source) {
  if (shape.size() != names.size())
    return llvm::createStringError(
        "expected " + source + " to have " + Twine(names.size()) +
        " dimensions but it has " + Twine(shape.size()));
  for (auto [extent, size] : llvm::zip_equal(shape, names)) {
    if (extent < 0)
      continue;
    if (llvm::Error error = setSize(size, extent, source))
      return error;
  }
  return llvm::Error::success();
}

std::optional<fart::DType> ProblemSpec::getDType() const {
  return dtype ? std::optional(dtype->value) : std::nullopt;
}

llvm::Expected<AttentionProblem> ProblemSpec::resolve() const {
  auto get = [&](Size size, int64_t defaultValue) {
    const auto &slot = sizes[static_cast<size_t>(size)];
    return slot ? slot->value : defaultValue;
  };
  AttentionProblem problem;
  problem.batch = get(Size::Batch, problem.batch);
  problem.heads = get(Size::Heads, problem.heads);
  problem.kvHeads = get(Size::KVHeads, problem.heads);
  problem.seqQ = get(Size::SeqQ, problem.seqQ);
  problem.seqKV = get(Size::SeqKV, problem.seqQ);
  problem.headDim = get(Size::HeadDim, problem.headDim);
  problem.headDimV = get(Size::HeadDimV, problem.headDim);
  if (dtype)
    problem.dtype = dtype->value;
  if (mask)
    problem.mask = mask->value;
  if (scale)
    problem.scale = scale->value;
  problem.backward = backward;
  problem.lseGrad = lseGrad;
  problem.lse = lse;
  if (backward && !lse)
    return llvm::createStringError(
        "--no-lse: expected no --backward beside it, "
        "since gradients are computed from LSE");
  if (llvm::Error error = problem.validate())
    return error;
  return problem;
}
