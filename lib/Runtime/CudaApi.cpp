//===- CudaApi.cpp - Opens the CUDA driver --------------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaApi.h"

#include <atomic>
#include <dlfcn.h>

using namespace fart;
using namespace fart::cuda;

/// CUDA 11.1: the first whose driver reads the PTX that fa writes (7.1).
static constexpr int oldestVersion = 11010;
static constexpr const char *libraryName = "libcuda.so.1";

static CudaApi table;
static std::atomic<bool> abandoned = false;

static Result<const CudaApi *> open() {
  void *library = dlopen(libraryName, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Error{"no CUDA driver: expected the library of the NVIDIA driver "
                 "but got: " +
                 std::string(dlerror())};
#define FA_LOAD(name, parameters)                                              \
  table.name = reinterpret_cast<decltype(table.name)>(dlsym(library, #name));
  FA_CUDA_FUNCTIONS(FA_LOAD)
  FA_CUDA_LATER_FUNCTIONS(FA_LOAD)
#undef FA_LOAD

  std::string expected = "the CUDA driver is too old: expected one for CUDA " +
                         formatCudaVersion(oldestVersion) + " or later but ";
  if (table.cuDriverGetVersion &&
      table.cuDriverGetVersion(&table.version) == successResult &&
      table.version < oldestVersion)
    return Error{expected + "it is for CUDA " +
                 formatCudaVersion(table.version)};
#define FA_CHECK(name, parameters)                                             \
  if (!table.name)                                                             \
    return Error{expected + libraryName + " has no function " #name};
  FA_CUDA_FUNCTIONS(FA_CHECK)
#undef FA_CHECK
  return &table;
}

Result<const CudaApi *> CudaApi::get() {
  static Result<const CudaApi *> api = open();
  return api;
}

const CudaApi &CudaApi::loaded() { return table; }

Error cuda::makeCudaError(const std::string &call, CUresult code) {
  const char *name = nullptr, *text = nullptr;
  if (table.cuGetErrorName(code, &name) != successResult || !name)
    name = "unknown error";
  if (table.cuGetErrorString(code, &text) != successResult || !text)
    text = "no description";
  return Error{call + " failed: " + name + " (" + std::to_string(code) +
               "): " + text};
}

std::string cuda::formatCudaVersion(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

bool cuda::isAbandoned() { return abandoned; }
void cuda::abandon() { abandoned = true; }
