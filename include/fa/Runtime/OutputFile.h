//===- OutputFile.h - A file that appears whole or not at all ---*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_RUNTIME_OUTPUTFILE_H
#define FA_RUNTIME_OUTPUTFILE_H

#include "fa/Runtime/Result.h"

#include <cstddef>
#include <cstdio>
#include <string>

namespace fart {

/// Writes go to a temporary file beside the target, which `commit` renames over
/// it. Destroyed without a commit, it leaves no trace. So a program can open
/// all of its outputs first, fail early, and never leave a partial file.
class OutputFile {
public:
  /// Fails if the directory of `path` is missing or not writable, or if `path`
  /// is a directory. A device such as /dev/null is written in place.
  static Result<OutputFile> open(const std::string &path);

  OutputFile(OutputFile &&other) noexcept;
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  Status write(const void *data, size_t size);

  /// Flushes, closes and puts the file in its place.
  Status commit();

  const std::string &getPath() const { return path; }

private:
  OutputFile() = default;

  std::string path;     // As the user gave it.
  std::string target;   // With symbolic links followed.
  std::string tempPath; // Empty if written in place.
  std::FILE *stream = nullptr;
};

} // namespace fart

#endif // FA_RUNTIME_OUTPUTFILE_H
