//===- Result.h - A value or an error message -------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime neither links LLVM nor throws: a function that can fail returns a
// Result, which holds either the value or one message fit for the user.
//
//===----------------------------------------------------------------------===//

#ifndef FA_RUNTIME_RESULT_H
#define FA_RUNTIME_RESULT_H

#include <string>
#include <utility>
#include <variant>

namespace fart {

/// One line for the user: names what was given and what was expected.
struct Error {
  std::string message;
};

/// The value of a successful operation that yields nothing.
struct Success {};

/// Either a `T` or an Error. Test it before taking the value:
///   Result<int> r = f();
///   if (!r)
///     return r.error();
///   use(*r);
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }

  T &operator*() { return *std::get_if<0>(&state); }
  const T &operator*() const { return *std::get_if<0>(&state); }
  T *operator->() { return std::get_if<0>(&state); }
  const T *operator->() const { return std::get_if<0>(&state); }

  const Error &error() const { return *std::get_if<1>(&state); }

private:
  std::variant<T, Error> state;
};

/// The outcome of an operation that yields nothing.
using Status = Result<Success>;

} // namespace fart

#endif // FA_RUNTIME_RESULT_H
