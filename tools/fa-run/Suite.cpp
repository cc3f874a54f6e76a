//===- Suite.cpp - Many problems in one process ---------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <limits>

using namespace mlir;
using namespace mlir::fa;

/// What a kernel can be compiled for.
static constexpr StringRef gpuTargets[] = {"sm_80",  "sm_86",  "sm_89",
                                           "sm_90a", "sm_100", "sm_120"};

/// Sets `name` to `value`, in place of an earlier value.
static void setValue(FlagValues &values, StringRef name, StringRef value) {
  llvm::erase_if(values,
                 [&](const auto &entry) { return entry.first == name; });
  values.emplace_back(name.str(), value.str());
}

/// Sets `number` to `value`, an integer from `min` to `max`.
static llvm::Error setInteger(int64_t &number, StringRef name, StringRef value,
                              int64_t min, int64_t max) {
  if (!value.getAsInteger(10, number) && number >= min && number <= max)
    return llvm::Error::success();
  return llvm::createStringError("--" + name + ": expected an integer from " +
                                 Twine(min) + " to " + Twine(max) +
                                 " but got '" + value + "'");
}

static llvm::Error setBool(bool &flag, StringRef name, StringRef value) {
  if (value != "true" && value != "false")
    return llvm::createStringError(
        "--" + name + ": expected true or false but got '" + value + "'");
  flag = value == "true";
  return llvm::Error::success();
}

/// The flags of a run on a GPU, as those of fa-launch. Yields whether `name` is
/// one.
static llvm::Expected<bool> setGPUOption(RunOptions &options, StringRef name,
                                         StringRef value) {
  fart::GpuRunOptions &gpu = options.gpu;
  if (name == "shared-keys") {
    if (llvm::Error error = setBool(gpu.sharedKeys, name, value))
      return error;
    if (gpu.sharedKeys)
      options.gpuFlags.push_back(name.str());
    return true;
  }
  int64_t seconds = 0;
  struct Flag {
    StringRef name;
    int64_t &number;
    int64_t min, max;
  } flags[] = {{"pad-strides", gpu.padStrides, 0, int64_t(1) << 40},
               {"offset", gpu.offset, 0, 1 << 20},
               {"repeat", gpu.repeat, 1, 1'000'000},
               {"timeout", seconds, 1, 1'000'000}};
  for (const Flag &flag : flags) {
    if (flag.name != name)
      continue;
    if (llvm::Error error =
            setInteger(flag.number, name, value, flag.min, flag.max))
      return error;
    if (seconds != 0)
      gpu.timeout = static_cast<double>(seconds);
    options.gpuFlags.push_back(name.str());
    return true;
  }
  return false;
}

llvm::Error fa::setOption(RunOptions &options, StringRef name,
                          StringRef value) {
  if (llvm::any_of(getProblemFlags(), [&](const ProblemFlag &flag) {
        return flag.name == name;
      })) {
    setValue(options.shape, name, value);
    return llvm::Error::success();
  }
  if (isTileFlag(name)) {
    setValue(options.tiles, name, value);
    return llvm::Error::success();
  }
  if (name == "target") {
    if (value != "auto" && value != "cpu" &&
        !llvm::is_contained(gpuTargets, value))
      return llvm::createStringError("--target: expected auto, cpu, " +
                                     llvm::join(ArrayRef(gpuTargets), ", ") +
                                     " but got '" + value + "'");
    options.target = value.str();
    return llvm::Error::success();
  }
  if (name == "level") {
    if (value != "naive" && value != "nest" && value != "fused")
      return llvm::createStringError(
          "--level: expected naive, nest or fused but got '" + value + "'");
    options.level = value.str();
    return llvm::Error::success();
  }
  if (name == "layout") {
    if (value != "bhsd" && value != "bshd")
      return llvm::createStringError(
          "--layout: expected bhsd or bshd but got '" + value + "'");
    options.layout = value.str();
    return llvm::Error::success();
  }
  if (name == "check-rows") {
    options.checkRows = 0;
    return setInteger(*options.checkRows, name, value, 1,
                      std::numeric_limits<int64_t>::max());
  }
  if (name == "seed") {
    if (value.getAsInteger(10, options.seed))
      return llvm::createStringError(
          "--seed: expected an integer from 0 to 2^64 - 1 but got '" + value +
          "'");
    return llvm::Error::success();
  }
  if (name == "backward")
    return setBool(options.backward, name, value);
  if (name == "no-lse")
    return setBool(options.noLse, name, value);
  llvm::Expected<bool> isOfGPU = setGPUOption(options, name, value);
  if (!isOfGPU || *isOfGPU)
    return isOfGPU.takeError();
  if (name == "arg") {
    options.extras.push_back(value.str());
    return llvm::Error::success();
  }
  std::string *path = llvm::StringSwitch<std::string *>(name)
                          .Case("input", &options.input)
                          .Case("q", &options.query)
                          .Case("k", &options.key)
                          .Case("v", &options.value)
                          .Case("do", &options.outputGrad)
                          .Case("dlse", &options.lseGrad)
                          .Case("dq", &options.queryGrad)
                          .Case("dk", &options.keyGrad)
                          .Case("dv", &options.valueGrad)
                          .Case("out", &options.output)
                          .Case("lse", &options.lse)
                          .Default(nullptr);
  if (!path)
    return llvm::createStringError("unknown key '" + name + "'");
  *path = value.str();
  return llvm::Error::success();
}

/// Reads one member of a case; an array sets the option once an element.
static llvm::Error readMember(SuiteCase &entry, StringRef key,
                              const llvm::json::Value &value,
                              StringRef directory) {
  if (const llvm::json::Array *array = value.getAsArray()) {
    for (const llvm::json::Value &element : *array)
      if (llvm::Error error = readMember(entry, key, element, directory))
        return error;
    return llvm::Error::success();
  }
  std::string text;
  if (std::optional<StringRef> string = value.getAsString())
    text = string->str();
  else if (value.kind() == llvm::json::Value::Number ||
           value.kind() == llvm::json::Value::Boolean)
    llvm::raw_string_ostream(text) << value;
  else
    return llvm::createStringError(
        "key '" + key + "': expected a string, a number, true or false");
  if (key == "name") {
    entry.name = text;
    return llvm::Error::success();
  }
  if (key == "input" && llvm::sys::path::is_relative(text)) {
    SmallString<128> path(directory);
    llvm::sys::path::append(path, text);
    text = path.str().str();
  }
  return setOption(entry.options, key, text);
}

llvm::Expected<std::vector<SuiteCase>>
fa::readSuite(StringRef path, const RunOptions &defaults) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file)
    return llvm::createStringError(message);
  auto fail = [&](const Twine &reason) {
    return llvm::createStringError("'" + path + "': " + reason);
  };
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(file->getBuffer());
  if (!json)
    return fail(llvm::toString(json.takeError()));
  const llvm::json::Array *array = json->getAsArray();
  if (!array)
    return fail("expected an array of cases");

  std::vector<SuiteCase> suite;
  for (auto [i, element] : llvm::enumerate(*array)) {
    const llvm::json::Object *object = element.getAsObject();
    if (!object)
      return fail("case " + Twine(i) + ": expected an object");
    SuiteCase entry{"case " + std::to_string(i), defaults};
    for (const auto &[key, value] : *object)
      if (llvm::Error error =
              readMember(entry, key, value, llvm::sys::path::parent_path(path)))
        return fail("case " + Twine(i) + ": " +
                    llvm::toString(std::move(error)));
    suite.push_back(std::move(entry));
  }
  return suite;
}
