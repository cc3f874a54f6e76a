//===- KernelArguments.cpp - The arguments of a kernel, read or made ------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelArguments.h"
#include "fa/Runtime/Npy.h"
#include "fa/Runtime/Random.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <limits>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fa;

static llvm::Error makeError(const fart::Error &error) {
  return llvm::createStringError(error.message);
}

llvm::Error KernelArguments::readInputs(const RunOptions &options,
                                        ProblemSpec &spec) {
  using Input =
      std::tuple<const std::string &, ArrayRef<Size>, fart::DType, Tensor &>;
  constexpr fart::DType f32 = fart::DType::F32;
  fart::DType dtype = spec.getDType().value_or(f32);
  for (auto [path, dims, type, tensor] :
       {Input{options.query, queryDims, dtype, query},
        Input{options.key, keyDims, dtype, key},
        Input{options.value, valueDims, dtype, value},
        Input{options.outputGrad, outputDims, dtype, outputGrad},
        Input{options.lseGrad, lseDims, f32, lseGrad}}) {
    if (path.empty())
      continue;
    fart::Result<fart::HostTensor> read = fart::readNpy(path, type);
    if (!read)
      return makeError(read.error());
    tensor = std::move(*read);
    if (llvm::Error error =
            spec.setShape(tensor->getShape(), dims, "'" + path + "'"))
      return error;
  }
  return llvm::Error::success();
}

/// Reads the number `text` for an argument of the scalar type `type`.
static llvm::Expected<KernelArgument> parseScalar(StringRef text, Type type,
                                                  const Twine &flag) {
  KernelArgument argument;
  bool isFloat = isa<FloatType>(type);
  if (isFloat ? text.getAsDouble(argument.real)
              : text.getAsInteger(10, argument.integer))
    return llvm::createStringError(flag + ": expected a number of type " +
                                   debugString(type) + " but got '" + text +
                                   "'");
  return argument;
}

llvm::Error KernelArguments::readExtras(const RunOptions &options,
                                        AttentionFunc &func) {
  for (StringRef flag : options.extras) {
    auto [numberText, text] = flag.split(':');
    unsigned number;
    if (numberText.getAsInteger(10, number) || text.empty())
      return llvm::createStringError(
          "--arg: expected N:FILE.npy or N:NUMBER but got '" + flag + "'");
    std::string name = "--arg=" + numberText.str();
    if (!llvm::is_contained(func.extras, number))
      return llvm::createStringError(
          name + ": expected the number of an argument of @" +
          func.func.getSymName() + " that is no operand of " +
          func.attention->getName().getStringRef());
    if (extras.count(number))
      return llvm::createStringError(name + ": given more than once");

    Type type = func.func.getArgumentTypes()[number];
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped) {
      llvm::Expected<KernelArgument> scalar = parseScalar(text, type, name);
      if (!scalar)
        return scalar.takeError();
      extras[number] = *scalar;
      continue;
    }
    std::optional<fart::DType> dtype = getTableDType(shaped.getElementType());
    if (!dtype)
      return llvm::createStringError(
          name +
          ": expected a table of f32, f16, bf16, i1, i32, i64 or index but "
          "its type is " +
          debugString(type));
    fart::Result<fart::HostTensor> read = fart::readNpy(text.str(), *dtype);
    if (!read)
      return makeError(read.error());
    bool fits = static_cast<int64_t>(shaped.getRank()) == read->getRank();
    for (int64_t d = 0; fits && d < shaped.getRank(); ++d)
      fits =
          shaped.isDynamicDim(d) || shaped.getDimSize(d) == read->getShape()[d];
    if (!fits)
      return llvm::createStringError(name + ": expected an array that fits " +
                                     debugString(type) + " but the shape is " +
                                     fart::formatShape(read->getShape()));
    tables.push_back(std::make_unique<fart::HostTensor>(std::move(*read)));
    extras[number].tensor = tables.back().get();
  }

  for (unsigned number : func.extras)
    if (!extras.count(number))
      return llvm::createStringError(
          "argument " + Twine(number) + " of @" + func.func.getSymName() +
          ", of type " + debugString(func.func.getArgumentTypes()[number]) +
          ", has no value; expected --arg=" + Twine(number) + ":VALUE");
  return llvm::Error::success();
}

llvm::Error fa::checkMemory(const RunOptions &options,
                            const AttentionProblem &problem) {
  auto count = [](const std::vector<int64_t> &shape) {
    double elements = 1;
    for (int64_t extent : shape)
      elements *= static_cast<double>(extent);
    return elements;
  };
  auto width = static_cast<double>(fart::getByteWidth(problem.dtype));
  double bytes =
      width *
          (count(problem.getQueryShape()) + count(problem.getKeyShape()) +
           count(problem.getValueShape()) + count(problem.getOutputShape())) +
      4 * count(problem.getLseShape());
  if (problem.backward)
    bytes *= 2;
  if (options.level == "naive") // S, and in backward P, dP and dS.
    bytes += (problem.backward ? 16 : 4) * count(problem.getLseShape()) *
             static_cast<double>(problem.seqKV);
  double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                  static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes <= memory)
    return llvm::Error::success();
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("the problem takes %.1f GB of memory but the machine has "
                      "%.1f GB",
                      bytes * 1e-9, memory * 1e-9);
  return llvm::createStringError(text);
}

/// Copies the first head of the first batch to all others.
static void shareHeads(fart::HostTensor &tensor) {
  ArrayRef<int64_t> shape = tensor.getShape();
  auto *data = static_cast<std::byte *>(tensor.data());
  int64_t width = fart::getByteWidth(tensor.getDType());
  for (int64_t b = 0; b < shape[0]; ++b)
    for (int64_t h = 0; h < shape[1]; ++h)
      for (int64_t s = 0; b + h > 0 && s < shape[2]; ++s)
        std::memcpy(data + tensor.rowIndex(b, h, s) * width,
                    data + tensor.rowIndex(0, 0, s) * width, shape[3] * width);
}

llvm::Error KernelArguments::allocate(const RunOptions &options,
                                      const AttentionProblem &problem) {
  if (options.gpu.sharedKeys && (key || value))
    return llvm::createStringError("--shared-keys: expected neither --k nor "
                                   "--v beside it");
  // With bshd the heads of one position are neighbours in memory.
  std::vector<int64_t> order = {0, 1, 2, 3};
  if (options.layout == "bshd")
    order = {0, 2, 1, 3};

  auto make = [&](Tensor &tensor, fart::DType type,
                  const std::vector<int64_t> &shape) -> llvm::Error {
    fart::Result<fart::HostTensor> made = fart::HostTensor::create(
        type, shape, shape.size() == 4 ? order : std::vector<int64_t>());
    if (!made)
      return makeError(made.error());
    tensor = std::move(*made);
    return llvm::Error::success();
  };
  using Entry = std::tuple<Tensor *, fart::DType, std::vector<int64_t>>;
  fart::DType dtype = problem.dtype, f32 = fart::DType::F32;
  std::vector<Entry> inputs = {{&query, dtype, problem.getQueryShape()},
                               {&key, dtype, problem.getKeyShape()},
                               {&value, dtype, problem.getValueShape()}};
  std::vector<Entry> outputs = {{&output, dtype, problem.getOutputShape()}};
  if (problem.lse)
    outputs.push_back({&lse, f32, problem.getLseShape()});
  if (problem.backward) {
    inputs.push_back({&outputGrad, dtype, problem.getOutputShape()});
    if (problem.lseGrad)
      inputs.push_back({&lseGrad, f32, problem.getLseShape()});
    outputs.push_back({&queryGrad, dtype, problem.getQueryShape()});
    outputs.push_back({&keyGrad, dtype, problem.getKeyShape()});
    outputs.push_back({&valueGrad, dtype, problem.getValueShape()});
  }
  uint64_t stream = 0;
  for (const auto &[tensor, type, shape] : inputs) {
    ++stream;
    if (*tensor)
      continue;
    if (llvm::Error error = make(*tensor, type, shape))
      return error;
    fart::fillNormal(**tensor, options.seed, stream);
    if (options.gpu.sharedKeys && tensor != &query)
      shareHeads(**tensor);
  }
  for (const auto &[tensor, type, shape] : outputs) {
    if (llvm::Error error = make(*tensor, type, shape))
      return error;
    (*tensor)->fill(std::numeric_limits<double>::quiet_NaN());
  }
  return llvm::Error::success();
}

SmallVector<KernelArgument> KernelArguments::getArguments(AttentionFunc &func) {
  SmallVector<KernelArgument> arguments(func.func.getNumArguments());
  arguments[func.query].tensor = &*query;
  arguments[func.key].tensor = &*key;
  arguments[func.value].tensor = &*value;
  arguments[func.output].tensor = &*output;
  if (func.lse)
    arguments[*func.lse].tensor = &*lse;
  if (func.backward) {
    arguments[func.outputGrad].tensor = &*outputGrad;
    if (func.lseGrad)
      arguments[*func.lseGrad].tensor = &*lseGrad;
    arguments[func.queryGrad].tensor = &*queryGrad;
    arguments[func.keyGrad].tensor = &*keyGrad;
    arguments[func.valueGrad].tensor = &*valueGrad;
  }
  for (const auto &[number, argument] : extras)
    arguments[number] = argument;
  return arguments;
}

fart::ExtraValues KernelArguments::getExtraValues(AttentionFunc &func) {
  fart::ExtraValues values;
  for (const auto &[number, argument] : extras) {
    fart::ExtraValue &value = values[number];
    value = {argument.tensor, argument.integer};
    std::optional<fart::DType> dtype =
        getDType(func.func.getArgumentTypes()[number]);
    if (dtype)
      fart::store(*dtype, argument.real, &value.bits);
  }
  return values;
}

llvm::DenseMap<Value, RegionEvaluator::Binding>
KernelArguments::getBindings(AttentionFunc &func) {
  llvm::DenseMap<Value, RegionEvaluator::Binding> bindings;
  bindings[func.func.getArgument(func.query)].table = &*query;
  bindings[func.func.getArgument(func.key)].table = &*key;
  bindings[func.func.getArgument(func.value)].table = &*value;
  for (const auto &[number, argument] : extras) {
    Type type = func.func.getArgumentTypes()[number];
    double real = argument.real;
    if (std::optional<fart::DType> dtype = getDType(type))
      real = fart::roundTo(*dtype, real);
    bindings[func.func.getArgument(number)] = {{real, argument.integer},
                                               argument.tensor};
  }
  return bindings;
}
