//===- Count.cpp - The closed forms beside what the IR moves --------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/Levels.h"
#include "Query.h"
#include "fa/Analysis/Traffic.h"
#include "fa/InitAllDialects.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
/// What one tensor's ops move, and which they are.
struct CountedTensor {
  TensorTraffic traffic;
  llvm::MapVector<StringRef, int64_t> ops; ///< How many of each kind.

  std::string describeOps() const {
    std::vector<std::string> texts;
    for (auto [name, number] : ops)
      texts.push_back(std::to_string(number) + " " + name.str());
    return llvm::join(texts, ", ");
  }
};

/// A problem at a level: what it moves, and the tiles it has.
struct CountedLevel {
  StringRef level;
  int64_t headDim = 0;
  int64_t br = 0, bc = 0;
  SmallVector<CountedTensor> tensors;
  ClosedForm form;
};
} // namespace

namespace {
/// What --count takes: a level, or an algorithm that has none of its own.
struct Countable {
  StringRef name;
  Level level;
  bool isOnGPU = false;
  bool keysOutside = false;
  StringRef form = "fa1";
};
} // namespace

static constexpr Countable countables[] = {
    {"naive", Level::Naive, /*isOnGPU=*/false, /*keysOutside=*/false, "naive"},
    {"kernels", Level::Naive, /*isOnGPU=*/true},
    {"keys-outside", Level::Fused, /*isOnGPU=*/false, /*keysOutside=*/true,
     "fa1_keys"},
    {"nest", Level::Nest, /*isOnGPU=*/false, /*keysOutside=*/false, "nest"},
    {"fused", Level::Fused},
    {"promoted", Level::Promoted, /*isOnGPU=*/true},
    {"scheduled", Level::Scheduled, /*isOnGPU=*/true}};

/// The closed form of the algorithm in the function called `func`.
static ClosedForm getForm(const Countable &what, StringRef func,
                          const fart::Band &mask) {
  for (const ClosedForm &step : getStepForms(mask, /*tiled=*/true))
    if (func.ends_with("_" + step.name))
      return step;
  std::vector<ClosedForm> forms = getForwardForms(mask);
  if (what.form == "nest") {
    // Two passes over the keys, and K is read in both.
    ClosedForm form = forms[1];
    form.name = "nest";
    for (TensorTraffic &traffic : form.tensors)
      if (traffic.tensor == "K")
        traffic.read = 2 * traffic.read;
    return form;
  }
  return *llvm::find_if(
      forms, [&](const ClosedForm &form) { return form.name == what.form; });
}

/// The module of one head dim, lowered as far as `what` says.
static llvm::Expected<OwningOpRef<ModuleOp>> lower(const Query &query,
                                                   const Countable &what,
                                                   int64_t headDim,
                                                   MLIRContext &context) {
  OwningOpRef<ModuleOp> module =
      buildProblem(&context, query.getProblem(headDim));
  auto lowerWith = [&](auto &options) {
    options.stopAfter = what.level;
    if (query.hasTiles) {
      options.br = query.br.front();
      options.bc = query.bc.front();
    }
    return lowerCopy(*module, options);
  };
  if (!what.isOnGPU) {
    CPUPipelineOptions options;
    options.keysOutside = what.keysOutside;
    return lowerWith(options);
  }
  if (!query.machine)
    return llvm::createStringError("--count=" + what.name +
                                   ": expected a --gpu but got 'none'");
  GPUPipelineOptions options;
  // The three kernels are for targets without row groups, and run on all.
  options.chip =
      what.level == Level::Naive ? "sm_80" : query.machine->chip.str();
  return lowerWith(options);
}

/// What the function moves, by tensor.
static llvm::Expected<CountedLevel> count(const Query &query,
                                          const Countable &what,
                                          int64_t headDim, func::FuncOp func) {
  CountedLevel counted;
  counted.level = what.name;
  counted.headDim = headDim;
  counted.form = getForm(what, func.getName(), query.mask.getBand());
  func.walk([&](scf::ForallOp nest) {
    if (auto schedule = nest->getAttrOfType<ScheduleAttr>(
            FADialect::getScheduleAttrName())) {
      counted.br = schedule.getBr();
      counted.bc = schedule.getBc();
    }
  });
  ErrorCollector errors(func.getContext());
  FailureOr<Traffic> traffic =
      countTraffic(func, [](Operation *op, const Twine &message) {
        op->emitError(message);
      });
  if (failed(traffic))
    return errors.take("cannot count the bytes of " + what.name);
  for (const OpTraffic &op : traffic->ops) {
    auto *known = llvm::find_if(counted.tensors, [&](const auto &tensor) {
      return tensor.traffic.tensor == op.tensor;
    });
    if (known == counted.tensors.end()) {
      counted.tensors.push_back({{op.tensor, 0, 0}, {}});
      known = &counted.tensors.back();
    }
    (op.isWrite ? known->traffic.written : known->traffic.read) += op.bytes;
    ++known->ops[op.op->getName().getStringRef()];
  }
  return counted;
}

/// Read and written bytes of `traffic`.
static llvm::Expected<std::pair<int64_t, int64_t>>
evaluate(const TensorTraffic &traffic, const fart::SizeValues &sizes) {
  llvm::Expected<int64_t> read =
      evaluate(traffic.read, sizes, "the bytes of " + traffic.tensor);
  if (!read)
    return read.takeError();
  llvm::Expected<int64_t> written =
      evaluate(traffic.written, sizes, "the bytes of " + traffic.tensor);
  if (!written)
    return written.takeError();
  return std::pair(*read, *written);
}

/// The tensors in which a level and its closed form differ.
static llvm::Error explain(const CountedLevel &counted,
                           const fart::SizeValues &sizes, raw_ostream &os) {
  std::vector<std::vector<std::string>> table = {{"tensor", "form reads",
                                                  "form writes", "IR reads",
                                                  "IR writes", "moved by"}};
  auto add = [&](const TensorTraffic &form,
                 const CountedTensor &tensor) -> llvm::Error {
    auto formBytes = ::evaluate(form, sizes);
    if (!formBytes)
      return formBytes.takeError();
    auto bytes = ::evaluate(tensor.traffic, sizes);
    if (!bytes)
      return bytes.takeError();
    if (*formBytes == *bytes)
      return llvm::Error::success();
    table.push_back({form.tensor, std::to_string(formBytes->first),
                     std::to_string(formBytes->second),
                     std::to_string(bytes->first),
                     std::to_string(bytes->second), tensor.describeOps()});
    return llvm::Error::success();
  };
  for (const TensorTraffic &form : counted.form.tensors) {
    const auto *tensor = llvm::find_if(counted.tensors, [&](const auto &t) {
      return t.traffic.tensor == form.tensor;
    });
    CountedTensor none{{form.tensor, 0, 0}, {}};
    if (llvm::Error error =
            add(form, tensor == counted.tensors.end() ? none : *tensor))
      return error;
  }
  for (const CountedTensor &tensor : counted.tensors)
    if (llvm::none_of(counted.form.tensors, [&](const TensorTraffic &form) {
          return form.tensor == tensor.traffic.tensor;
        }))
      if (llvm::Error error = add({tensor.traffic.tensor, 0, 0}, tensor))
        return error;
  os << "\nlevel " << counted.level << ", head dim " << counted.headDim << ", "
     << sizes.at("seq_q") << " queries:\n";
  printAligned(table, os);
  return llvm::Error::success();
}

namespace {
/// The rows of the table, and the explanations of those that differ.
class Comparison {
public:
  explicit Comparison(const Query &query) : query(query) {}

  llvm::Error add(const CountedLevel &counted);
  void print(raw_ostream &os);

private:
  const Query &query;
  std::vector<std::vector<std::string>> table = {
      {"level", "seq_q", "seq_kv", "head_dim", "br", "bc", "form",
       "closed form", "counted", "difference"}};
  std::string explanations;
  int64_t numEqual = 0;
};
} // namespace

llvm::Error Comparison::add(const CountedLevel &counted) {
  bool isExplained = false;
  for (int64_t seqQ : query.seqQ) {
    fart::SizeValues sizes =
        query.getSizes(seqQ, counted.headDim, counted.br, counted.bc);
    int64_t bytes = 0;
    for (const CountedTensor &tensor : counted.tensors) {
      auto moved = ::evaluate(tensor.traffic, sizes);
      if (!moved)
        return moved.takeError();
      bytes += moved->first + moved->second;
    }
    llvm::Expected<int64_t> closed =
        fa::evaluate(counted.form.getBytes(), sizes, "the closed form");
    if (!closed)
      return closed.takeError();
    table.push_back({counted.level.str(), std::to_string(seqQ),
                     std::to_string(sizes.at("seq_kv")),
                     std::to_string(counted.headDim),
                     std::to_string(counted.br), std::to_string(counted.bc),
                     counted.form.name, std::to_string(*closed),
                     std::to_string(bytes), std::to_string(bytes - *closed)});
    numEqual += bytes == *closed;
    if (bytes == *closed || isExplained)
      continue;
    isExplained = true;
    llvm::raw_string_ostream os(explanations);
    if (llvm::Error error = explain(counted, sizes, os))
      return error;
  }
  return llvm::Error::success();
}

void Comparison::print(raw_ostream &os) {
  printAligned(table, os);
  os << '\n' << numEqual << " of " << table.size() - 1 << " rows are equal\n";
  if (!explanations.empty())
    os << "where a level differs from its form, in bytes:\n" << explanations;
}

llvm::Error fa::printCounts(const Query &query, ArrayRef<std::string> names,
                            raw_ostream &os) {
  if (query.isBackward)
    return llvm::createStringError("--count: expected no --backward beside it");
  if (query.elementBytes != 2 && query.elementBytes != 4)
    return llvm::createStringError(
        "--count: expected --bytes to be 2 (bf16) or 4 (f32) but got " +
        Twine(query.elementBytes));
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);

  Comparison comparison(query);
  for (const std::string &name : names) {
    const auto *what = llvm::find_if(
        countables, [&](const Countable &c) { return c.name == name; });
    if (what == std::end(countables))
      return llvm::createStringError(
          "--count: expected naive, kernels, keys-outside, nest, fused, "
          "promoted or scheduled but got '" +
          name + "'");
    for (int64_t headDim : query.headDim) {
      llvm::Expected<OwningOpRef<ModuleOp>> module =
          lower(query, *what, headDim, context);
      if (!module)
        return module.takeError();
      for (auto func : (*module)->getOps<func::FuncOp>()) {
        llvm::Expected<CountedLevel> counted =
            count(query, *what, headDim, func);
        if (!counted)
          return counted.takeError();
        if (llvm::Error error = comparison.add(*counted))
          return error;
      }
    }
  }
  comparison.print(os);
  return llvm::Error::success();
}
