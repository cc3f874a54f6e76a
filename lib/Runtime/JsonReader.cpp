//===- JsonReader.cpp - Reading JSON with errors that name the field ------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonReader.h"

#include <algorithm>
#include <cmath>

using namespace fart;
using nlohmann::json;

namespace {

/// Accepts everything and keeps the text of the syntax error, which the parser
/// would otherwise throw.
struct SyntaxChecker : public nlohmann::json_sax<json> {
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t &) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string &,
                   const nlohmann::detail::exception &exception) override {
    message = exception.what();
    // "[json.exception.parse_error.101] parse error at line 1, ...: ..."
    if (size_t end = message.find("] "); end != std::string::npos)
      message.erase(0, end + 2);
    return false;
  }

  std::string message;
};

} // namespace

void JsonDocument::report(const std::string &message) {
  if (!error)
    error = Error{"'" + name + "': " + message}; // untested: made up elsewhere.
}

JsonReader JsonDocument::parse(const std::string &text) {
  SyntaxChecker checker;
  if (!json::sax_parse(text, &checker)) {
    report(checker.message);
    return {*this, nullptr, ""};
  }
  root = json::parse(text, /*cb=*/nullptr, /*allow_exceptions=*/false);
  return {*this, &root, ""};
}

void JsonReader::fail(const std::string &expected) const {
  std::string got = "there is no such field";
  if (value) {
    got = value->dump(-1, ' ', false, json::error_handler_t::replace);
    if (got.size() > 60)
      got = got.substr(0, 60) + "...";
    got = "got " + got;
  }
  document.report((path.empty() ? "" : path + ": ") + "expected " + expected +
                  " but " + got);
}

JsonReader JsonReader::get(const std::string &key) const {
  std::string child = path.empty() ? key : path + "." + key;
  if (!value || !value->is_object()) {
    fail("an object");
    return {document, nullptr, std::move(child)};
  }
  auto member = value->find(key);
  return {document, member == value->end() ? nullptr : &*member,
          std::move(child)};
}

std::vector<JsonReader> JsonReader::readArray(bool mayBeEmpty) const {
  std::vector<JsonReader> elements;
  if (!value || !value->is_array() || (value->empty() && !mayBeEmpty)) {
    fail(mayBeEmpty ? "an array" : "an array with at least one element");
    return elements;
  }
  for (size_t i = 0; i < value->size(); ++i)
    elements.emplace_back(document, &(*value)[i],
                          path + "[" + std::to_string(i) + "]");
  return elements;
}

std::vector<std::pair<std::string, JsonReader>>
JsonReader::readMembers() const {
  std::vector<std::pair<std::string, JsonReader>> members;
  if (!value || !value->is_object()) {
    fail("an object");
    return members;
  }
  for (const auto &[key, member] : value->items())
    members.emplace_back(
        key, JsonReader(document, &member,
                        path.empty() ? std::string(key) : path + "." + key));
  return members;
}

void JsonReader::checkKeys(std::initializer_list<std::string_view> keys) const {
  if (!value || !value->is_object())
    return;
  for (const auto &[key, member] : value->items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      std::string known;
      for (std::string_view name : keys)
        known += (known.empty() ? "" : ", ") + std::string(name);
      document.report(path + ": unknown field '" + key + "'; expected " +
                      known);
    }
}

int64_t JsonReader::readInteger(int64_t min, int64_t max) const {
  auto isInteger = [&] {
    if (!value || !value->is_number_integer())
      return false;
    if (value->is_number_unsigned() &&
        value->get<uint64_t>() > static_cast<uint64_t>(max))
      return false;
    auto number = value->get<int64_t>();
    return min <= number && number <= max;
  };
  if (isInteger())
    return value->get<int64_t>();
  fail("an integer from " + std::to_string(min) + " to " + std::to_string(max));
  return min;
}

double JsonReader::readNumber() const {
  if (value && value->is_number() && std::isfinite(value->get<double>()))
    return value->get<double>();
  fail("a finite number");
  return 0;
}

bool JsonReader::readBool() const {
  if (value && value->is_boolean())
    return value->get<bool>();
  fail("true or false");
  return false;
}

std::string JsonReader::readString() const {
  if (value && value->is_string() &&
      !value->get_ref<const std::string &>().empty())
    return value->get<std::string>();
  fail("a string that is not empty");
  return "";
}

std::string JsonReader::readScalarText() const {
  if (value && value->is_string())
    return value->get<std::string>();
  if (value && (value->is_number() || value->is_boolean()))
    return value->dump();
  fail("a string, a number, true or false");
  return "";
}
