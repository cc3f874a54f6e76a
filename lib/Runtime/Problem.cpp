//===- Problem.cpp - The sizes of one attention problem -------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/Problem.h"

#include <algorithm>
#include <charconv>

using namespace fart;

std::string_view fart::getName(TensorName tensor) {
  static constexpr std::string_view names[] = {"Q",   "K", "V", "O",
                                               "LSE", "S", "P", "l"};
  return names[static_cast<size_t>(tensor)];
}

std::optional<TensorName> fart::parseTensorName(std::string_view name) {
  for (size_t i = 0; i < numTensors; ++i)
    if (auto tensor = static_cast<TensorName>(i); getName(tensor) == name)
      return tensor;
  return std::nullopt;
}

/// Takes a number from 0 up off the front of `text`.
static std::optional<int64_t> takeNumber(std::string_view &text) {
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0 || text.front() == '-')
    return std::nullopt;
  text.remove_prefix(end - text.data());
  return value;
}

std::optional<Band> fart::parseBand(std::string_view text) {
  Band band;
  if (text == "none")
    return band;
  constexpr std::string_view topLeft = "-top-left";
  if (text.ends_with(topLeft)) {
    band.topLeft = true;
    text.remove_suffix(topLeft.size());
  }
  if (text == "causal") {
    band.right = 0;
    return band;
  }
  constexpr std::string_view window = "window:";
  if (!text.starts_with(window))
    return std::nullopt;
  text.remove_prefix(window.size());
  band.left = takeNumber(text);
  if (!band.left || !text.starts_with(','))
    return std::nullopt;
  text.remove_prefix(1);
  band.right = takeNumber(text);
  if (!band.right || !text.empty())
    return std::nullopt;
  return band;
}

std::string fart::formatBand(const Band &band) {
  if (!band.left && !band.right)
    return "none";
  std::string text = "causal";
  if (band.left)
    text = "window:" + std::to_string(*band.left) + "," +
           std::to_string(*band.right);
  return band.topLeft ? text + "-top-left" : text;
}

Status Problem::validate() const {
  const std::pair<const char *, int64_t> sizes[] = {
      {"batch", batch},        {"heads", heads},  {"kv-heads", kvHeads},
      {"seq-q", seqQ},         {"seq-kv", seqKV}, {"head-dim", headDim},
      {"head-dim-v", headDimV}};
  for (auto [name, value] : sizes)
    if (value <= 0)
      return Error{"--" + std::string(name) +
                   ": expected a positive integer but got " +
                   std::to_string(value)};
  if (heads % kvHeads != 0)
    return Error{"expected the number of query heads to be a multiple of the " +
                 std::to_string(kvHeads) + " key/value heads but got " +
                 std::to_string(heads)};
  for (TensorName tensor : allTensors) {
    int64_t bytes = sizeof(float);
    for (int64_t extent : getShape(tensor))
      if (__builtin_mul_overflow(bytes, extent, &bytes))
        return Error{"the size of a tensor of shape " +
                     formatShape(getShape(tensor)) + " overflows 64 bits"};
  }
  return Success{};
}

std::vector<int64_t> Problem::getShape(TensorName tensor) const {
  switch (tensor) {
  case TensorName::Q:
    return {batch, heads, seqQ, headDim};
  case TensorName::K:
    return {batch, kvHeads, seqKV, headDim};
  case TensorName::V:
    return {batch, kvHeads, seqKV, headDimV};
  case TensorName::O:
    return {batch, heads, seqQ, headDimV};
  case TensorName::S:
  case TensorName::P:
    return {batch, heads, seqQ, (seqKV + 63) / 64 * 64};
  case TensorName::LSE:
  case TensorName::L:
    break;
  }
  return {batch, heads, seqQ};
}

DType Problem::getDType(TensorName tensor) const {
  bool isF32 = tensor == TensorName::LSE || tensor == TensorName::S ||
               tensor == TensorName::L;
  return isF32 ? DType::F32 : dtype;
}

double Problem::getFlops() const {
  // Visible keys of query i: those between the two ends of the band.
  int64_t shift = mask.topLeft ? 0 : seqKV - seqQ;
  double scores = 0;
  for (int64_t i = 0; i < seqQ; ++i) {
    int64_t first =
        mask.left ? std::max<int64_t>(i + shift - *mask.left, 0) : 0;
    int64_t last =
        mask.right ? std::min(i + shift + *mask.right, seqKV - 1) : seqKV - 1;
    scores += static_cast<double>(std::max<int64_t>(last - first + 1, 0));
  }
  return 2.0 * static_cast<double>(batch) * static_cast<double>(heads) *
         scores * static_cast<double>(headDim + headDimV);
}

std::string Problem::describe() const {
  std::string text =
      "batch " + std::to_string(batch) + ", heads " + std::to_string(heads);
  if (kvHeads != heads)
    text += " on " + std::to_string(kvHeads);
  text += ", " + std::to_string(seqQ) + " queries on " + std::to_string(seqKV) +
          " keys, head dim " + std::to_string(headDim);
  if (headDimV != headDim)
    text += " and " + std::to_string(headDimV);
  return text + ", " + std::string(fart::getName(dtype)) + ", mask " +
         formatBand(mask);
}

int64_t fart::getRowsToCheck(const Problem &problem, double budget) {
  double rowCost = static_cast<double>(problem.seqKV) *
                   static_cast<double>(problem.headDim + problem.headDimV);
  return static_cast<int64_t>(std::clamp(budget / rowCost, 64.0, 1e9));
}
