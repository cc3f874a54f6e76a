//===- Extras.cpp - Tables and numbers that regions read ------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/Extras.h"
#include "fa/Runtime/Npy.h"
#include "fa/Runtime/Package.h"

#include <charconv>
#include <limits>

using namespace fart;

template <typename T>
static bool parse(const std::string &text, T &value) {
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && !text.empty();
}

Result<int64_t> fart::parseExtraNumber(const std::string &flag,
                                       const std::string &text, DType dtype) {
  int64_t bits = 0;
  if (isFloat(dtype)) {
    if (double value = 0; parse(text, value)) {
      store(dtype, value, &bits);
      return bits;
    }
  } else if (parse(text, bits) &&
             (dtype != DType::I32 ||
              (bits >= std::numeric_limits<int32_t>::min() &&
               bits <= std::numeric_limits<int32_t>::max()))) {
    return bits;
  }
  return Error{flag + ": expected a number of type " +
               std::string(getName(dtype)) + " but got '" + text + "'"};
}

Status ExtraInputs::readOne(const std::string &flag, const std::string &text,
                            const ExtraArgument &argument) {
  if (!argument.shape) {
    Result<int64_t> bits = parseExtraNumber(flag, text, argument.dtype);
    if (!bits)
      return bits.error();
    values[argument.number] = {nullptr, *bits};
    return Success{};
  }
  Result<HostTensor> table = readNpy(text, argument.dtype);
  if (!table)
    return table.error();
  const std::vector<int64_t> &shape = table->getShape();
  bool fits = shape.size() == argument.shape->size();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = (*argument.shape)[d] < 0 || (*argument.shape)[d] == shape[d];
  if (!fits)
    return Error{flag + ": expected an array that fits " + argument.describe() +
                 ", but the shape is " + formatShape(shape)};
  tables.push_back(std::make_unique<HostTensor>(std::move(*table)));
  values[argument.number] = {tables.back().get(), 0};
  return Success{};
}

Status ExtraInputs::read(const std::vector<std::string> &flags,
                         const std::vector<ExtraArgument> &arguments) {
  for (const std::string &flag : flags) {
    size_t colon = flag.find(':');
    int64_t number = 0;
    if (colon == std::string::npos || colon + 1 == flag.size() ||
        !parse(flag.substr(0, colon), number))
      return Error{"--arg: expected N:FILE.npy or N:NUMBER but got '" + flag +
                   "'"};
    std::string name = "--arg=" + std::to_string(number);
    const ExtraArgument *argument = nullptr;
    for (const ExtraArgument &candidate : arguments)
      if (candidate.number == number)
        argument = &candidate;
    if (!argument)
      return Error{name + ": expected the number of an argument of the package "
                          "besides Q, K, V, O and LSE"};
    if (values.count(number))
      return Error{name + ": given more than once"};
    if (Status status = readOne(name, flag.substr(colon + 1), *argument);
        !status)
      return status;
  }
  for (const ExtraArgument &argument : arguments)
    if (!values.count(argument.number))
      return Error{argument.describe() + ", has no value; expected --arg=" +
                   std::to_string(argument.number) + ":VALUE"};
  return Success{};
}
