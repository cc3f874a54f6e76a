//===- OutputFile.cpp - A file that appears whole or not at all -----------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/OutputFile.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unistd.h>

using namespace fart;
namespace fs = std::filesystem;

static Error makeError(const std::string &path, const std::string &reason) {
  return Error{"cannot write '" + path + "': " + reason};
}

Result<OutputFile> OutputFile::open(const std::string &path) {
  OutputFile file;
  file.path = path;
  if (path.empty())
    return makeError(path, "the path is empty"); // untested: means no output

  std::error_code ec;
  fs::file_status status = fs::status(path, ec);
  if (fs::is_directory(status))
    return makeError(path, "it is a directory");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    // Renaming a file over a device or a pipe would destroy it.
    file.target = path;
    file.stream = std::fopen(path.c_str(), "wb");
    if (!file.stream)
      return makeError(path, std::strerror(errno));
    return file;
  }

  fs::path target = path;
  if (fs::exists(status)) {
    // Keep a symbolic link, and replace the file that it leads to.
    target = fs::canonical(path, ec);
    if (ec)
      return makeError(path, ec.message());
    if (access(target.c_str(), W_OK) != 0)
      return makeError(path, std::strerror(errno));
  }
  file.target = target.string();
  // "x": two runs that chose the same temporary name do not share it.
  file.tempPath = file.target + ".tmp" + std::to_string(getpid());
  file.stream = std::fopen(file.tempPath.c_str(), "wbx");
  if (!file.stream) {
    file.tempPath.clear();
    return makeError(path, std::strerror(errno));
  }
  return file;
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : path(std::move(other.path)), target(std::move(other.target)),
      tempPath(std::move(other.tempPath)), stream(other.stream) {
  other.stream = nullptr;
  other.tempPath.clear();
}

OutputFile::~OutputFile() {
  if (stream)
    std::fclose(stream);
  if (!tempPath.empty())
    std::remove(tempPath.c_str());
}

Status OutputFile::write(const void *data, size_t size) {
  if (size != 0 && std::fwrite(data, 1, size, stream) != size)
    return makeError(path, std::strerror(errno));
  return Success{};
}

Status OutputFile::commit() {
  std::FILE *closing = stream;
  stream = nullptr;
  if (std::fclose(closing) != 0)
    return makeError(path, std::strerror(errno));
  if (tempPath.empty())
    return Success{};
  std::error_code ec;
  fs::rename(tempPath, target, ec);
  if (ec)
    return makeError(path, ec.message());
  tempPath.clear();
  return Success{};
}
