//===- Suite.cpp - Many problems in one file ------------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/Suite.h"
#include "JsonReader.h"
#include "fa/Runtime/Package.h"

using namespace fart;

Result<std::vector<SuiteCase>> fart::readSuite(const std::string &path) {
  Result<std::string> text = readTextFile(path);
  if (!text)
    return text.error();
  JsonDocument document(path);
  JsonReader root = document.parse(*text);
  if (document.getError())
    return *document.getError();

  std::vector<SuiteCase> suite;
  for (const JsonReader &element : root.readArray()) {
    SuiteCase entry{"case " + std::to_string(suite.size()), {}};
    for (const auto &[key, value] : element.readMembers()) {
      std::vector<JsonReader> values = {value};
      if (value.isArray())
        values = value.readArray();
      for (const JsonReader &scalar : values)
        if (key == "name")
          entry.name = scalar.readString();
        else
          entry.flags.emplace_back(key, scalar.readScalarText());
    }
    suite.push_back(std::move(entry));
  }
  if (document.getError())
    return *document.getError();
  return suite;
}
