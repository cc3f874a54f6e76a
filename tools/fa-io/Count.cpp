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

/// The closed form of an algorithm that a level stands for.
static ClosedForm getLevelForm(Level level, const fart::Band &mask) {
  std::vector<ClosedForm> forms = getForwardForms(mask);
  if (level == Level::Naive)
    return forms[0];
  ClosedForm form = forms[1];
  if (level != Level::Nest)
    return form;
  // Two passes over the keys, and K is read in both.
  form.name = "nest";
  for (TensorTraffic &traffic : form.tensors)
    if (traffic.tensor == "K")
      traffic.read = 2 * traffic.read;
  return form;
}

/// The module of one head dim, lowered to `level`.
static llvm::Expected<OwningOpRef<ModuleOp>> lower(const Query &query,
                                                   StringRef name, Level level,
                                                   int64_t headDim,
                                                   MLIRContext &context) {
  AttentionProblem problem;
  problem.headDim = headDim;
  problem.headDimV = query.headDimV.value_or(headDim);
  problem.dtype =
      query.elementBytes == 2 ? fart::DType::BF16 : fart::DType::F32;
  problem.mask = query.mask;
  OwningOpRef<ModuleOp> module = buildProblem(&context, problem);
  bool isOnGPU = level == Level::Promoted || level == Level::Scheduled;
  if (isOnGPU && !query.machine)
    return llvm::createStringError("--count=" + name +
                                   ": expected a --gpu but got 'none'");
  auto lowerWith = [&](auto &options) {
    options.stopAfter = level;
    if (query.hasTiles) {
      options.br = query.br.front();
      options.bc = query.bc.front();
    }
    return lowerCopy(*module, options);
  };
  if (isOnGPU) {
    GPUPipelineOptions options;
    options.chip = query.machine->chip.str();
    return lowerWith(options);
  }
  CPUPipelineOptions options;
  return lowerWith(options);
}

static llvm::Expected<CountedLevel> count(const Query &query, StringRef name,
                                          Level level, int64_t headDim,
                                          MLIRContext &context) {
  llvm::Expected<OwningOpRef<ModuleOp>> module =
      lower(query, name, level, headDim, context);
  if (!module)
    return module.takeError();
  CountedLevel counted;
  counted.level = name;
  counted.headDim = headDim;
  counted.form = getLevelForm(level, query.mask.getBand());
  func::FuncOp func = *(*module)->getOps<func::FuncOp>().begin();
  func.walk([&](scf::ForallOp nest) {
    if (auto schedule = nest->getAttrOfType<ScheduleAttr>(
            FADialect::getScheduleAttrName())) {
      counted.br = schedule.getBr();
      counted.bc = schedule.getBc();
    }
  });
  ErrorCollector errors(&context);
  FailureOr<Traffic> traffic =
      countTraffic(func, [](Operation *op) { return op->emitError(); });
  if (failed(traffic))
    return errors.take("cannot count the bytes of level " + name);
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

llvm::Error fa::printCounts(const Query &query,
                            ArrayRef<std::string> levelNames, raw_ostream &os) {
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

  std::vector<std::vector<std::string>> table = {
      {"level", "seq_q", "seq_kv", "head_dim", "br", "bc", "form",
       "closed form", "counted", "difference"}};
  std::string explanations;
  llvm::raw_string_ostream explanationStream(explanations);
  int64_t numEqual = 0;
  for (const std::string &name : levelNames) {
    std::optional<Level> level = parseLevel(name);
    if (!level)
      level = parseLevel(name, gpuLevels);
    if (!level || *level == Level::Problem ||
        (*level > Level::Fused && *level != Level::Promoted &&
         *level != Level::Scheduled))
      return llvm::createStringError(
          "--count: expected naive, nest, fused, promoted or scheduled but "
          "got '" +
          name + "'");
    for (int64_t headDim : query.headDim) {
      llvm::Expected<CountedLevel> counted =
          count(query, name, *level, headDim, context);
      if (!counted)
        return counted.takeError();
      bool isExplained = false;
      for (int64_t seqQ : query.seqQ) {
        fart::SizeValues sizes =
            query.getSizes(seqQ, headDim, counted->br, counted->bc);
        int64_t bytes = 0;
        for (const CountedTensor &tensor : counted->tensors) {
          auto moved = ::evaluate(tensor.traffic, sizes);
          if (!moved)
            return moved.takeError();
          bytes += moved->first + moved->second;
        }
        llvm::Expected<int64_t> closed =
            fa::evaluate(counted->form.getBytes(), sizes, "the closed form");
        if (!closed)
          return closed.takeError();
        table.push_back({name, std::to_string(seqQ),
                         std::to_string(sizes.at("seq_kv")),
                         std::to_string(headDim), std::to_string(counted->br),
                         std::to_string(counted->bc), counted->form.name,
                         std::to_string(*closed), std::to_string(bytes),
                         std::to_string(bytes - *closed)});
        numEqual += bytes == *closed;
        if (bytes == *closed || isExplained)
          continue;
        isExplained = true;
        if (llvm::Error error = explain(*counted, sizes, explanationStream))
          return error;
      }
    }
  }
  printAligned(table, os);
  os << '\n' << numEqual << " of " << table.size() - 1 << " rows are equal\n";
  if (!explanations.empty())
    os << "where a level differs from its form, in bytes:\n" << explanations;
  return llvm::Error::success();
}
