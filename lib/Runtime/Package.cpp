//===- Package.cpp - Reads the manifest of a kernel package ---------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/Package.h"
#include "JsonReader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

using namespace fart;

static constexpr int64_t maxInteger = std::numeric_limits<int64_t>::max();
/// Limits of tensor maps, from the driver's documentation.
static constexpr size_t maxMapRank = 5;
static constexpr int64_t maxBox = 256;
/// Of ours: more than enough.
static constexpr size_t maxTableRank = 8;
static constexpr int64_t maxArgument = 1000;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static TensorName readTensorName(const JsonReader &json) {
  if (json.isString())
    if (std::optional<TensorName> tensor = parseTensorName(json.readString()))
      return *tensor;
  json.fail("Q, K, V, O, LSE, S, P or l");
  return TensorName::Q;
}

/// A number from `min` up, or batch, heads or rows.
static Extent readExtent(const JsonReader &json, int64_t min) {
  if (!json.isString())
    return json.readInteger(min, maxInteger);
  std::string name = json.readString();
  if (name == "batch")
    return TensorDim::Batch;
  if (name == "heads")
    return TensorDim::Heads;
  if (name == "rows")
    return TensorDim::Rows;
  json.fail("an integer, batch, heads or rows");
  return min;
}

static TensorMapRecipe readTensorMap(const JsonReader &json, DType dtype) {
  json.checkKeys({"kind", "tensor", "swizzle", "box", "dims"});
  TensorMapRecipe map;
  map.tensor = readTensorName(json.get("tensor"));
  if (map.tensor > TensorName::O)
    json.get("tensor").fail("Q, K, V or O for a tensor map");
  JsonReader swizzle = json.get("swizzle");
  map.swizzle = swizzle.readInteger(0, 128);
  if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 &&
      map.swizzle != 128)
    swizzle.fail("0, 32, 64 or 128");

  for (const JsonReader &dim : json.get("dims").readArray()) {
    dim.checkKeys({"size", "stride"});
    map.dims.push_back({readExtent(dim.get("size"), 1), getByteWidth(dtype)});
    if (map.dims.size() > 1 || dim.get("stride").isPresent())
      map.dims.back().stride = readExtent(dim.get("stride"), 1);
  }
  if (map.dims.size() > maxMapRank)
    json.get("dims").fail("at most 5 dimensions");
  else if (!map.dims.empty() &&
           map.dims[0].stride != Extent(getByteWidth(dtype)))
    json.get("dims").fail("the stride of the first dimension to be " +
                          std::to_string(getByteWidth(dtype)) +
                          ", the size of an element,");
  for (const JsonReader &extent : json.get("box").readArray())
    map.box.push_back(extent.readInteger(1, maxBox));
  if (map.box.size() != map.dims.size())
    json.get("box").fail("one extent for each of the " +
                         std::to_string(map.dims.size()) + " dimensions");
  else if (!map.box.empty()) {
    int64_t bytes = map.box[0] * getByteWidth(dtype);
    if (bytes % 16 != 0 || (map.swizzle && bytes > map.swizzle))
      json.get("box").fail(
          "the first extent to be a multiple of 16 bytes that is no wider than "
          "the swizzle");
  }
  return map;
}

static ExtraArgument readExtra(const JsonReader &json, bool isTable) {
  ExtraArgument extra;
  extra.number = json.get("argument").readInteger(0, maxArgument);
  JsonReader dtype = json.get("dtype");
  std::optional<DType> parsed;
  if (dtype.isString())
    parsed = parseDType(dtype.readString());
  if (!parsed || (!isTable && *parsed == DType::I1))
    dtype.fail(isTable ? "f32, f16, bf16, i1, i32 or i64"
                       : "f32, f16, bf16, i32 or i64");
  else
    extra.dtype = *parsed;
  if (!isTable) {
    json.checkKeys({"kind", "argument", "dtype"});
    return extra;
  }
  json.checkKeys({"kind", "argument", "dtype", "shape"});
  extra.shape.emplace();
  JsonReader shape = json.get("shape");
  for (const JsonReader &extent : shape.readArray(/*mayBeEmpty=*/true))
    extra.shape->push_back(
        extent.isPresent() ? extent.readInteger(0, maxInteger) : -1);
  if (extra.shape->size() > maxTableRank)
    shape.fail("at most 8 dimensions");
  return extra;
}

static PackageArgument readArgument(const JsonReader &json, DType dtype) {
  JsonReader kind = json.get("kind");
  std::string name = kind.isString() ? kind.readString() : "";
  if (name == "tensor_map")
    return readTensorMap(json, dtype);
  if (name == "table" || name == "number")
    return readExtra(json, name == "table");
  if (name == "counter") {
    json.checkKeys({"kind"});
    return CounterArgument{};
  }
  if (name != "memref")
    kind.fail("memref, tensor_map, table, number or counter");
  json.checkKeys({"kind", "tensor"});
  return MemRefArgument{readTensorName(json.get("tensor"))};
}

//===----------------------------------------------------------------------===//
// Problem and kernels
//===----------------------------------------------------------------------===//

static PackageProblem readProblem(const JsonReader &json) {
  PackageProblem problem;
  JsonReader dtype = json.get("dtype");
  std::optional<DType> parsed;
  if (dtype.isString())
    parsed = parseDType(dtype.readString());
  if (parsed && isFloat(*parsed))
    problem.dtype = *parsed;
  else
    dtype.fail("f32, f16 or bf16");
  problem.headDim = json.get("head_dim").readInteger(1, maxInteger);
  problem.headDimV = problem.headDim;
  if (JsonReader headDimV = json.get("head_dim_v"); headDimV.isPresent())
    problem.headDimV = headDimV.readInteger(1, maxInteger);

  JsonReader mask = json.get("mask");
  std::optional<Band> band;
  if (mask.isString())
    band = parseBand(mask.readString());
  if (band)
    problem.mask = *band;
  else
    mask.fail("none, causal, causal-top-left or window:L,R");
  problem.scale = json.get("scale").readNumber();
  if (JsonReader region = json.get("score_region"); region.isPresent())
    problem.hasScoreRegion = region.readBool();
  if (JsonReader region = json.get("mask_region"); region.isPresent())
    problem.hasMaskRegion = region.readBool();
  if (JsonReader tf32 = json.get("tf32"); tf32.isPresent())
    problem.isTF32 = tf32.readBool();

  std::pair<const char *, std::optional<int64_t> &> sizes[] = {
      {"batch", problem.batch},
      {"heads", problem.heads},
      {"kv_heads", problem.kvHeads},
      {"seq_q", problem.seqQ},
      {"seq_kv", problem.seqKV}};
  for (auto &[name, size] : sizes)
    if (JsonReader value = json.get(name); value.isPresent())
      size = value.readInteger(1, maxInteger);
  return problem;
}

SizeValues fart::getSizes(const Problem &problem) {
  return {{"batch", problem.batch},
          {"heads", problem.heads},
          {"kv_heads", problem.kvHeads},
          {"seq_q", problem.seqQ},
          {"seq_kv", problem.seqKV}};
}

static Formula readFormula(const JsonReader &json) {
  if (!json.isString()) {
    json.fail("a formula");
    return 0;
  }
  Result<Formula> formula = Formula::parse(json.readString());
  if (!formula) {
    json.fail("a formula (" + formula.error().message + ")");
    return 0;
  }
  // Whether it uses other sizes shows at any.
  if (Result<int64_t> value = formula->evaluate(getSizes(Problem())); !value)
    json.fail("a formula of batch, heads, kv_heads, seq_q and seq_kv (" +
              value.error().message + ")");
  return *formula;
}

static HbmBytes readHbmBytes(const JsonReader &json) {
  json.checkKeys({"read", "written"});
  return {readFormula(json.get("read")), readFormula(json.get("written"))};
}

/// Whether `target` is sm_<number>, then maybe `a` or `f`.
static bool isTarget(const std::string &target) {
  if (!target.starts_with("sm_"))
    return false;
  size_t end = target.find_first_not_of("0123456789", 3);
  size_t digits = std::min(end, target.size()) - 3;
  if (digits < 2 || digits > 4)
    return false;
  return end == std::string::npos ||
         (end + 1 == target.size() &&
          (target[end] == 'a' || target[end] == 'f'));
}

/// Without a counter nobody takes the blocks that are not launched.
static int64_t
readResidentBlocks(const JsonReader &json,
                   const std::vector<PackageArgument> &arguments) {
  int64_t blocks = json.readInteger(1, 32);
  if (std::none_of(arguments.begin(), arguments.end(),
                   [](const PackageArgument &argument) {
                     return std::holds_alternative<CounterArgument>(argument);
                   }))
    json.fail("a kernel with a counter among its arguments");
  return blocks;
}

static PackageKernel readKernel(const JsonReader &json, DType dtype) {
  PackageKernel kernel;
  kernel.entry = json.get("entry").readString();
  JsonReader target = json.get("target");
  if (target.isString())
    kernel.target = target.readString();
  if (!isTarget(kernel.target))
    target.fail("a processor such as sm_80 or sm_90a");
  kernel.ptx = json.get("ptx").readString();

  if (JsonReader guards = json.get("guards"); guards.isPresent()) {
    // A guard that is not understood cannot be said to hold.
    guards.checkKeys({"pointer_alignment", "stride_alignment", "max_seq_kv"});
    if (JsonReader value = guards.get("pointer_alignment"); value.isPresent())
      kernel.guards.pointerAlignment = value.readInteger(1, 4096);
    if (JsonReader value = guards.get("stride_alignment"); value.isPresent())
      kernel.guards.strideAlignment = value.readInteger(1, 4096);
    if (JsonReader value = guards.get("max_seq_kv"); value.isPresent())
      kernel.guards.maxSeqKV = value.readInteger(1, maxInteger);
  }
  for (const JsonReader &argument : json.get("arguments").readArray())
    kernel.arguments.push_back(readArgument(argument, dtype));

  kernel.block = json.get("block").readInteger(1, 1024);
  kernel.queryTile = json.get("query_tile").readInteger(1, 1 << 20);
  if (JsonReader blocks = json.get("resident_blocks"); blocks.isPresent())
    kernel.residentBlocks = readResidentBlocks(blocks, kernel.arguments);
  kernel.sramBytes = json.get("sram_bytes").readInteger(0, 1 << 24);
  if (JsonReader registers = json.get("registers"); registers.isPresent())
    kernel.registers = registers.readInteger(1, 255);
  if (JsonReader schedule = json.get("schedule"); schedule.isPresent())
    kernel.schedule = schedule.readString();
  if (JsonReader bytes = json.get("hbm_bytes"); bytes.isPresent())
    kernel.hbmBytes = readHbmBytes(bytes);
  if (JsonReader next = json.get("next"); next.isPresent())
    kernel.next = next.readString();
  return kernel;
}

Result<Package> Package::parse(const std::string &text,
                               const std::string &path) {
  JsonDocument document(path);
  JsonReader root = document.parse(text);
  if (document.getError())
    return *document.getError();

  Package package;
  package.path = path;
  JsonReader format = root.get("format");
  if (format.readInteger(0, maxInteger) != 1)
    format.fail("1, the only format that this program knows,");
  package.name = root.get("name").readString();
  package.problem = readProblem(root.get("problem"));
  std::vector<JsonReader> kernels = root.get("kernels").readArray();
  for (const JsonReader &kernel : kernels)
    package.kernels.push_back(readKernel(kernel, package.problem.dtype));
  // Only later ones, so that no launch comes to itself again.
  for (size_t i = 0; i < package.kernels.size(); ++i)
    if (!package.kernels[i].next.empty() && package.getSteps(i).size() == 1)
      kernels[i].get("next").fail("the entry of a later kernel");
  if (document.getError())
    return *document.getError();
  return package;
}

std::string ExtraArgument::describe() const {
  std::string text = "argument " + std::to_string(number) + ", a " +
                     (shape ? "table" : "number") + " of " +
                     std::string(getName(dtype));
  if (!shape)
    return text;
  std::string extents;
  for (int64_t extent : *shape)
    extents += (extents.empty() ? "" : "x") +
               (extent < 0 ? "?" : std::to_string(extent));
  return text + " of shape " + (extents.empty() ? "()" : extents);
}

std::vector<ExtraArgument> PackageKernel::getExtras() const {
  std::vector<ExtraArgument> extras;
  for (const PackageArgument &argument : arguments)
    if (const auto *extra = std::get_if<ExtraArgument>(&argument))
      extras.push_back(*extra);
  return extras;
}

std::vector<size_t> Package::getSteps(size_t number) const {
  std::vector<size_t> steps = {number};
  for (size_t i = number + 1; i < kernels.size(); ++i)
    if (kernels[i].entry == kernels[steps.back()].next)
      steps.push_back(i);
  return steps;
}

bool Package::isContinuation(size_t number) const {
  return std::any_of(kernels.begin(), kernels.end(),
                     [&](const PackageKernel &kernel) {
                       return kernel.next == kernels[number].entry;
                     });
}

bool PackageKernel::uses(TensorName tensor) const {
  return std::any_of(
      arguments.begin(), arguments.end(), [&](const PackageArgument &argument) {
        if (const auto *map = std::get_if<TensorMapRecipe>(&argument))
          return map->tensor == tensor;
        const auto *memref = std::get_if<MemRefArgument>(&argument);
        return memref && memref->tensor == tensor;
      });
}

bool Package::uses(TensorName tensor) const {
  return std::any_of(
      kernels.begin(), kernels.end(),
      [&](const PackageKernel &kernel) { return kernel.uses(tensor); });
}

std::vector<TensorName> Package::getWorkspaces() const {
  std::vector<TensorName> workspaces;
  for (TensorName tensor : allWorkspaces)
    if (uses(tensor))
      workspaces.push_back(tensor);
  return workspaces;
}

std::optional<HbmBytes> Package::getHbmBytes(size_t number) const {
  HbmBytes sum;
  for (size_t step : getSteps(number)) {
    const std::optional<HbmBytes> &bytes = kernels[step].hbmBytes;
    if (!bytes)
      return std::nullopt;
    sum.read += bytes->read;
    sum.written += bytes->written;
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

Result<std::string> fart::readTextFile(const std::string &path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  // An empty file sets the fail bit of `text`, a folder the bad bit of `file`.
  if (!file || (file.peek() != std::ifstream::traits_type::eof() &&
                !(text << file.rdbuf())))
    return Error{"cannot read '" + path +
                 "': " + std::strerror(errno ? errno : EIO)};
  if (errno == EISDIR)
    return Error{"cannot read '" + path + "': " + std::strerror(errno)};
  return text.str();
}

Result<Package> Package::read(const std::string &path) {
  Result<std::string> text = readTextFile(path);
  if (!text)
    return text.error();
  return parse(*text, path);
}

Result<std::string> Package::readPTX(const PackageKernel &kernel) const {
  if (auto text = texts.find(kernel.ptx); text != texts.end())
    return text->second;
  return readTextFile(
      (std::filesystem::path(path).parent_path() / kernel.ptx).string());
}
