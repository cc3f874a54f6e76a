//===- FormulaParser.cpp - Reads a formula --------------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   sum      ::= product (('+' | '-') product)*
//   product  ::= factor ('*' factor)*
//   factor   ::= '-' factor | number | name | '(' sum ')'
//              | ('min' | 'max' | 'floordiv' | 'ceildiv') '(' sum ',' sum ')'
//              | 'if' '(' sum '<' sum ',' sum ',' sum ')'
//              | 'sum' '(' name '<' sum ',' sum ')'
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/Formula.h"

#include <charconv>
#include <optional>

using namespace fart;

namespace {
/// By recursive descent. After an error every method returns 0 at once.
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  Result<Formula> parse() {
    Formula formula = parseSum();
    if (error.empty() && peek() != '\0')
      fail("an operator or the end");
    if (!error.empty())
      return Error{error};
    return formula;
  }

private:
  /// The next character that is no blank; 0 at the end or after an error.
  char peek() {
    while (position < text.size() && text[position] == ' ')
      ++position;
    return error.empty() && position < text.size() ? text[position] : '\0';
  }
  bool accept(char wanted) {
    if (peek() != wanted)
      return false;
    ++position;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted))
      fail(std::string("'") + wanted + "'");
  }
  Formula fail(const std::string &expected) {
    if (error.empty())
      error = "expected " + expected + " at character " +
              std::to_string(position + 1) + " of the formula '" +
              std::string(text) + "'";
    return 0;
  }

  Formula parseSum();
  Formula parseProduct();
  Formula parseFactor();
  Formula parseNumber();
  Formula parseCall(const std::string &name);
  std::string parseName();

  /// Deeper than any that the compiler writes, and shallow for the stack.
  static constexpr int maxDepth = 100;

  std::string_view text;
  size_t position = 0;
  int depth = 0;
  std::string error;
};
} // namespace

static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

Formula Parser::parseSum() {
  Formula sum = parseProduct();
  while (true) {
    if (accept('+'))
      sum = sum + parseProduct();
    else if (accept('-'))
      sum = sum - parseProduct();
    else
      return sum;
  }
}

Formula Parser::parseProduct() {
  Formula product = parseFactor();
  while (accept('*'))
    product = product * parseFactor();
  return product;
}

Formula Parser::parseNumber() {
  int64_t value = 0;
  const char *end = text.data() + text.size();
  auto [next, status] = std::from_chars(text.data() + position, end, value);
  if (status != std::errc())
    return fail("a number of at most 63 bits");
  position = static_cast<size_t>(next - text.data());
  return value;
}

std::string Parser::parseName() {
  if (!isLetter(peek())) {
    fail("a name");
    return "";
  }
  size_t begin = position;
  while (position < text.size() &&
         (isLetter(text[position]) || isDigit(text[position])))
    ++position;
  return std::string(text.substr(begin, position - begin));
}

Formula Parser::parseCall(const std::string &name) {
  if (name == "sum") {
    std::string variable = parseName();
    expect('<');
    Formula count = parseSum();
    expect(',');
    Formula body = parseSum();
    expect(')');
    return Formula::makeSum(variable, count, body);
  }
  bool isIf = name == "if";
  Formula a = parseSum();
  expect(isIf ? '<' : ',');
  Formula b = parseSum();
  if (isIf) {
    expect(',');
    Formula then = parseSum();
    expect(',');
    Formula otherwise = parseSum();
    expect(')');
    return Formula::makeIf(a, b, then, otherwise);
  }
  expect(')');
  return name == "min"        ? Formula::min(a, b)
         : name == "max"      ? Formula::max(a, b)
         : name == "floordiv" ? Formula::floorDiv(a, b)
                              : Formula::ceilDiv(a, b);
}

Formula Parser::parseFactor() {
  if (depth == maxDepth)
    return fail("at most 100 parentheses in each other");
  ++depth;
  Formula factor;
  if (accept('-')) {
    factor = Formula(-1) * parseFactor();
  } else if (accept('(')) {
    factor = parseSum();
    expect(')');
  } else if (isDigit(peek())) {
    factor = parseNumber();
  } else if (isLetter(peek())) {
    size_t begin = position;
    std::string name = parseName();
    bool isFunction = name == "sum" || name == "if" || name == "min" ||
                      name == "max" || name == "floordiv" || name == "ceildiv";
    if (!accept('(')) {
      factor = Formula::symbol(name);
    } else if (isFunction) {
      factor = parseCall(name);
    } else {
      position = begin;
      fail("min, max, floordiv, ceildiv, if or sum before a parenthesis");
    }
  } else {
    fail("a number, a name or a parenthesis");
  }
  --depth;
  return factor;
}

Result<Formula> Formula::parse(std::string_view text) {
  return Parser(text).parse();
}
