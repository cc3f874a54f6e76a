//===- Options.cpp - What fa-launch is asked to do ------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <charconv>
#include <limits>

using namespace fart;

static constexpr int64_t maxInteger = std::numeric_limits<int64_t>::max();

const std::vector<FlagInfo> &fart::getLaunchFlags() {
  // The sizes first, in the order of Sizes::Name.
  static const std::vector<FlagInfo> flags = {
      {"batch", "N", "Batch size (default 1)"},
      {"heads", "N", "Number of query heads (default 8)"},
      {"kv-heads", "N", "Number of key/value heads (default: as --heads)"},
      {"seq-q", "N", "Number of queries (default 512)"},
      {"seq-kv", "N", "Number of keys (default: as --seq-q)"},
      {"q", "file.npy", "Read Q from a file (default: random)"},
      {"k", "file.npy", "Read K from a file (default: random)"},
      {"v", "file.npy", "Read V from a file (default: random)"},
      {"arg", "N:VALUE",
       "Value of another argument, by its number: a .npy file or a number",
       /*mayRepeat=*/true},
      {"out", "file.npy", "Write O to a file"},
      {"lse", "file.npy", "Write LSE to a file"},
      {"seed", "N", "Seed of random input (default 0)"},
      {"layout", "order", "Order in memory: bhsd (default) or bshd"},
      {"pad-strides", "N",
       "Let Q, K, V and O be views of buffers with N, 2N, 3N and 4N more "
       "columns"},
      {"offset", "N", "Let tensors begin N elements into their buffers"},
      {"repeat", "N", "Run N times; all results must be equal bit by bit"},
      {"check-rows", "N",
       "Compare at most N rows with the reference (default: about a second)"},
      {"timeout", "N", "Give a kernel up after N seconds (default 60)"}};
  return flags;
}

Result<int64_t> fart::parseInteger(const std::string &name,
                                   const std::string &value, int64_t min,
                                   int64_t max) {
  int64_t number = 0;
  auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() ||
      number < min || number > max)
    return Error{"--" + name + ": expected an integer from " +
                 std::to_string(min) + " to " + std::to_string(max) +
                 " but got '" + value + "'"};
  return number;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static constexpr const char *sizeNames[] = {
    "batch", "heads", "kv-heads", "seq-q", "seq-kv", "head-dim", "head-dim-v"};

std::optional<Sizes::Name> Sizes::find(std::string_view name) {
  for (Name size : {Batch, Heads, KVHeads, SeqQ, SeqKV})
    if (name == sizeNames[size])
      return size;
  return std::nullopt;
}

void Sizes::set(Name size, int64_t value, const std::string &source) {
  sizes[size] = Stated{value, source};
}

Status Sizes::state(Name size, int64_t value, const std::string &source) {
  std::optional<Stated> &slot = sizes[size];
  if (slot && slot->value != value)
    return Error{std::string(sizeNames[size]) + " is " +
                 std::to_string(slot->value) + " according to " + slot->source +
                 " but " + std::to_string(value) + " according to " + source};
  if (!slot)
    slot = Stated{value, source};
  return Success{};
}

Status Sizes::stateAll(const std::vector<int64_t> &values,
                       const std::vector<Name> &names,
                       const std::string &source) {
  if (values.size() != names.size())
    return Error{"expected " + source + " to have " +
                 std::to_string(names.size()) + " dimensions but it has " +
                 std::to_string(values.size())};
  for (size_t i = 0; i < values.size(); ++i)
    if (Status status = state(names[i], values[i], source); !status)
      return status;
  return Success{};
}

Result<Problem> Sizes::resolve(const Package &package) const {
  Sizes all = *this;
  std::string source = "'" + package.path + "'";
  const PackageProblem &compiled = package.problem;
  const std::pair<Name, std::optional<int64_t>> fixed[] = {
      {Batch, compiled.batch},      {Heads, compiled.heads},
      {KVHeads, compiled.kvHeads},  {SeqQ, compiled.seqQ},
      {SeqKV, compiled.seqKV},      {HeadDim, compiled.headDim},
      {HeadDimV, compiled.headDimV}};
  for (const auto &[size, value] : fixed)
    if (value)
      if (Status status = all.state(size, *value, source); !status)
        return status.error();

  auto get = [&](Name size, int64_t defaultValue) {
    return all.sizes[size] ? all.sizes[size]->value : defaultValue;
  };
  Problem problem;
  problem.batch = get(Batch, problem.batch);
  problem.heads = get(Heads, problem.heads);
  problem.kvHeads = get(KVHeads, problem.heads);
  problem.seqQ = get(SeqQ, problem.seqQ);
  problem.seqKV = get(SeqKV, problem.seqQ);
  return specialize(package, problem);
}

//===----------------------------------------------------------------------===//
// LaunchOptions
//===----------------------------------------------------------------------===//

static Result<bool> parseBool(const std::string &name,
                              const std::string &value) {
  if (value != "true" && value != "false")
    return Error{"--" + name + ": expected true or false but got '" + value +
                 "'"};
  return value == "true";
}

Status LaunchOptions::set(const std::string &name, const std::string &text) {
  auto setInteger = [&](int64_t &target, int64_t min, int64_t max) -> Status {
    Result<int64_t> number = parseInteger(name, text, min, max);
    if (!number)
      return number.error();
    target = *number;
    return Success{};
  };
  auto setBool = [&](bool &target) -> Status {
    Result<bool> flag = parseBool(name, text);
    if (!flag)
      return flag.error();
    target = *flag;
    return Success{};
  };

  if (std::optional<Sizes::Name> size = Sizes::find(name)) {
    int64_t number = 0;
    if (Status status = setInteger(number, 1, maxInteger); !status)
      return status;
    sizes.set(*size, number, "--" + name);
    return Success{};
  }
  const std::pair<const char *, std::string &> paths[] = {{"q", query},
                                                          {"k", key},
                                                          {"v", this->value},
                                                          {"out", output},
                                                          {"lse", lse}};
  for (const auto &[flag, path] : paths)
    if (name == flag) {
      path = text;
      return Success{};
    }
  if (name == "arg") {
    extras.push_back(text);
    return Success{};
  }
  if (name == "seed") {
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc() || end != text.data() + text.size())
      return Error{"--seed: expected an integer from 0 to 2^64 - 1 but got '" +
                   text + "'"};
    return Success{};
  }
  if (name == "layout") {
    if (text != "bhsd" && text != "bshd")
      return Error{"--layout: expected bhsd or bshd but got '" + text + "'"};
    run.order = text == "bhsd" ? MemoryOrder::BHSD : MemoryOrder::BSHD;
    return Success{};
  }
  if (name == "pad-strides")
    return setInteger(run.padStrides, 0, int64_t(1) << 40);
  if (name == "offset")
    return setInteger(run.offset, 0, 1 << 20);
  if (name == "repeat")
    return setInteger(run.repeat, 1, 1'000'000);
  if (name == "check-rows") {
    checkRows = 0;
    return setInteger(*checkRows, 1, maxInteger);
  }
  if (name == "timeout") {
    int64_t seconds = 0;
    if (Status status = setInteger(seconds, 1, 1'000'000); !status)
      return status;
    run.timeout = static_cast<double>(seconds);
    return Success{};
  }
  if (name == "check")
    return setBool(check);
  if (name == "bench")
    return setBool(run.bench);
  return Error{"unknown key '" + name + "'"};
}
