//===- JsonReader.h - Reading JSON with errors that name the field --------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A JsonReader is one value of a document and the path to it. Each `read`
// checks the value and keeps the first error of the whole document, so that a
// caller reads everything and asks once:
//
//   JsonDocument document(path);
//   JsonReader root = document.parse(text);
//   int64_t block = root.get("block").readInteger(1, 1024);
//   if (document.getError())
//     return *document.getError();
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_RUNTIME_JSONREADER_H
#define FA_LIB_RUNTIME_JSONREADER_H

#include "fa/Runtime/Result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fart {
class JsonDocument;

class JsonReader {
public:
  JsonReader(JsonDocument &document, const nlohmann::json *value,
             std::string path)
      : document(document), value(value), path(std::move(path)) {}

  /// The member `key` of an object. Where there is none, the reader is empty.
  JsonReader get(const std::string &key) const;
  /// The elements of an array, which is not empty unless it may be.
  std::vector<JsonReader> readArray(bool mayBeEmpty = false) const;
  /// The members of an object, by key.
  std::vector<std::pair<std::string, JsonReader>> readMembers() const;
  /// Fails if the object has a member that is not in `keys`.
  void checkKeys(std::initializer_list<std::string_view> keys) const;

  /// Whether there is a value that is not null.
  bool isPresent() const { return value && !value->is_null(); }
  bool isString() const { return value && value->is_string(); }
  bool isArray() const { return value && value->is_array(); }

  int64_t readInteger(int64_t min, int64_t max) const;
  double readNumber() const;
  bool readBool() const;
  std::string readString() const;
  /// A string, number or boolean as it would stand on a command line.
  std::string readScalarText() const;

  /// Reports that something else was `expected` here.
  void fail(const std::string &expected) const;

private:
  friend class JsonDocument;

  JsonDocument &document;
  const nlohmann::json *value; ///< Null if it is not there.
  std::string path;            ///< kernels[0].block
};

class JsonDocument {
public:
  /// `name` begins every error.
  explicit JsonDocument(std::string name) : name(std::move(name)) {}

  /// Parses the whole of `text`. After a syntax error the root is empty.
  JsonReader parse(const std::string &text);

  /// The first error so far.
  const std::optional<Error> &getError() const { return error; }

private:
  friend class JsonReader;
  void report(const std::string &message);

  std::string name;
  nlohmann::json root;
  std::optional<Error> error;
};

} // namespace fart

#endif // FA_LIB_RUNTIME_JSONREADER_H
