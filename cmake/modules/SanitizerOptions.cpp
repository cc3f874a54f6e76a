//===- SanitizerOptions.cpp - Defaults of the address sanitizer -----------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked into each tool of a sanitizer build. LLVM and MLIR come uninstrumented
// from packages, so what their headers tell the sanitizer about containers and
// arenas in one half of the process is not known to the other half: both kinds
// of annotation are ignored. Leaks at exit are LLVM's.
//
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options() {
  return "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0";
}
