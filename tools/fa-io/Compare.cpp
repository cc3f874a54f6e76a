//===- Compare.cpp - Counted bytes beside measured ones -------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what scripts/measure-io wrote. Two predictions belong to two places:
// what the compiler counted is what multiprocessors get from L2 and send to it;
// of that DRAM sees each tensor of a kernel once, as long as L2 catches the
// reads of K and V by other query tiles.
//
//===----------------------------------------------------------------------===//

#include "Query.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::fa;
namespace json = llvm::json;

namespace {
struct Bytes {
  std::optional<double> read, written;

  std::optional<double> getSum() const {
    if (!read || !written)
      return std::nullopt;
    return *read + *written;
  }
};

struct MeasuredKernel {
  std::string entry;
  std::optional<std::string> readFormula, writtenFormula;
  int64_t br = 0, bc = 0;
  Bytes l2, dram;
};

struct MeasuredCase {
  std::string package;
  fart::SizeValues sizes;
  MaskSpec mask;
  std::vector<MeasuredKernel> kernels;
};

//===----------------------------------------------------------------------===//
// From JSON
//===----------------------------------------------------------------------===//

bool fromJSON(const json::Value &value, Bytes &bytes, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.mapOptional("read", bytes.read) &&
         map.mapOptional("written", bytes.written);
}

bool fromJSON(const json::Value &value, MeasuredKernel &kernel,
              json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("entry", kernel.entry) || !map.map("l2", kernel.l2) ||
      !map.map("dram", kernel.dram) || !map.map("br", kernel.br) ||
      !map.map("bc", kernel.bc))
    return false;
  if (const json::Object *formulas =
          value.getAsObject()->getObject("hbm_bytes")) {
    if (auto text = formulas->getString("read"))
      kernel.readFormula = text->str();
    if (auto text = formulas->getString("written"))
      kernel.writtenFormula = text->str();
  }
  return true;
}

bool fromJSON(const json::Value &value, MeasuredCase &measured,
              json::Path path) {
  json::ObjectMapper map(value, path);
  std::map<std::string, int64_t> sizes;
  if (!map || !map.map("package", measured.package) ||
      !map.map("sizes", sizes) || !map.map("kernels", measured.kernels))
    return false;
  for (const auto &[name, size] : sizes)
    measured.sizes[name] = size;
  const json::Object *problem = value.getAsObject()->getObject("problem");
  json::Path problemPath = path.field("problem");
  if (!problem) {
    problemPath.report("expected an object");
    return false;
  }
  std::optional<int64_t> headDim = problem->getInteger("head_dim");
  std::optional<StringRef> dtype = problem->getString("dtype"),
                           mask = problem->getString("mask");
  if (!headDim || !dtype || !mask) {
    problemPath.report("expected head_dim, dtype and mask");
    return false;
  }
  measured.sizes["head_dim"] = *headDim;
  measured.sizes["head_dim_v"] =
      problem->getInteger("head_dim_v").value_or(*headDim);
  measured.sizes["bytes"] = *dtype == "f32" ? 4 : 2;
  llvm::Expected<MaskSpec> parsed = MaskSpec::parse(*mask);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    problemPath.field("mask").report("expected a mask");
    return false;
  }
  measured.mask = *parsed;
  return true;
}

} // namespace

//===----------------------------------------------------------------------===//
// Predictions
//===----------------------------------------------------------------------===//

/// What DRAM has to move for a kernel: each of its tensors once.
static ClosedForm getDramForm(const MeasuredKernel &kernel,
                              const fart::Band &mask) {
  for (const ClosedForm &step : getStepForms(mask, /*tiled=*/false))
    if (StringRef(kernel.entry).ends_with("_" + step.name))
      return step;
  return getForwardForms(mask).back();
}

static std::string formatBytes(std::optional<double> bytes) {
  return bytes ? llvm::formatv("{0:F0}", *bytes).str() : "-";
}

static std::string formatRatio(std::optional<double> measured,
                               std::optional<double> predicted) {
  if (!measured || !predicted || *predicted == 0)
    return "-";
  return llvm::formatv("{0:F3}", *measured / *predicted).str();
}

/// The cells of one kernel.
static llvm::Expected<std::vector<std::string>>
compare(const MeasuredCase &measured, const MeasuredKernel &kernel) {
  fart::SizeValues sizes = measured.sizes;
  sizes["br"] = kernel.br;
  sizes["bc"] = kernel.bc;
  std::optional<double> counted;
  if (kernel.readFormula && kernel.writtenFormula) {
    double sum = 0;
    for (const std::string *text :
         {&*kernel.readFormula, &*kernel.writtenFormula}) {
      fart::Result<fart::Formula> formula = fart::Formula::parse(*text);
      if (!formula)
        return llvm::createStringError("--compare: " + formula.error().message);
      llvm::Expected<int64_t> bytes =
          evaluate(*formula, sizes, "the bytes of " + kernel.entry);
      if (!bytes)
        return bytes.takeError();
      sum += static_cast<double>(*bytes);
    }
    counted = sum;
  }
  ClosedForm once = getDramForm(kernel, measured.mask.getBand());
  llvm::Expected<int64_t> dram =
      evaluate(once.getBytes(), sizes, "the bytes of " + kernel.entry);
  if (!dram)
    return dram.takeError();
  auto size = [&](StringRef name) {
    auto found = measured.sizes.find(name);
    return found == measured.sizes.end() ? std::string("-")
                                         : std::to_string(found->second);
  };
  return std::vector<std::string>{
      measured.package,
      kernel.entry,
      size("batch") + "x" + size("heads") + "x" + size("seq_q"),
      formatBytes(counted),
      formatBytes(kernel.l2.getSum()),
      formatRatio(kernel.l2.getSum(), counted),
      std::to_string(*dram),
      formatBytes(kernel.dram.getSum()),
      formatRatio(kernel.dram.getSum(), static_cast<double>(*dram))};
}

llvm::Error fa::printComparison(StringRef path, raw_ostream &os) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return llvm::createStringError("--compare: cannot read '" + path +
                                   "': " + file.getError().message());
  llvm::Expected<json::Value> root = json::parse((*file)->getBuffer());
  if (!root)
    return llvm::createStringError("--compare: '" + path +
                                   "': " + llvm::toString(root.takeError()));
  std::vector<MeasuredCase> cases;
  json::Path::Root pathRoot(path);
  json::ObjectMapper map(*root, pathRoot);
  if (!map || !map.map("cases", cases))
    return llvm::createStringError("--compare: expected what "
                                   "scripts/measure-io writes: " +
                                   llvm::toString(pathRoot.getError()));
  std::vector<std::vector<std::string>> table = {
      {"package", "kernel", "shape", "counted", "L2 side", "of counted", "once",
       "DRAM", "of once"}};
  for (const MeasuredCase &measured : cases)
    for (const MeasuredKernel &kernel : measured.kernels) {
      auto cells = compare(measured, kernel);
      if (!cells)
        return cells.takeError();
      table.push_back(std::move(*cells));
    }
  printAligned(table, os);
  os << "\ncounted  bytes that the compiler counted in the IR; to compare with "
        "what multiprocessors and L2 exchange\n"
        "once     each tensor of the kernel once (S twice in the softmax); to "
        "compare with DRAM, where L2 catches the\n"
        "         reads of K and V by other query tiles\n";
  return llvm::Error::success();
}
