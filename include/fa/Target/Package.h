//===- Package.h - Kernels as files that run without a compiler -*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The writing side of fa/Runtime/Package.h. What the manifest says about a
// kernel comes from the attribute `fa.kernel` of its function, a dictionary of
// the same form as an entry of "kernels" (docs/Packages.md) without "ptx", and
// with "problem" for the whole package.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TARGET_PACKAGE_H
#define FA_TARGET_PACKAGE_H

#include "fa/Runtime/Package.h"
#include "fa/Target/PTX.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <utility>
#include <vector>

namespace mlir {
class Attribute;

namespace fa {

/// The attribute of a kernel that says how it is launched.
inline constexpr llvm::StringLiteral kernelAttrName = "fa.kernel";

/// A package in memory.
struct KernelPackage {
  std::string name;
  std::string manifest; ///< JSON.
  /// PTX by file name.
  std::vector<std::pair<std::string, std::string>> files;
};

struct PackageOptions {
  std::string name = ""; ///< Empty: the entry of the first kernel.
  std::string chip = ""; ///< Empty: what `fa.kernel` says.
  unsigned ptxVersion = 0;
  PTXOptions ptx;
};

/// Translates a module in the LLVM dialect and describes its kernels. Where a
/// builtin module has several gpu.modules, each becomes one PTX file and their
/// order is that of preference. The manifest has been read back without an
/// error, so that what is written can be run.
llvm::Expected<KernelPackage> buildPackage(Operation *module,
                                           const PackageOptions &options = {});

/// The package as the runtime reads it, with its PTX in memory: for a program
/// that compiles and runs (fart::GpuProgram).
llvm::Expected<fart::Package> loadPackage(const KernelPackage &package);

/// Writes <name>.json and the PTX into `directory` (made if it is missing).
/// Either all files appear or none.
llvm::Error writePackage(const KernelPackage &package, StringRef directory);

/// Modules with kernels as one module that has a gpu.module for each, in order.
OwningOpRef<ModuleOp>
joinModules(MutableArrayRef<OwningOpRef<ModuleOp>> modules);

/// What the first kernel of `module` expects of addresses and strides (its
/// guard `stride_alignment`), and the bytes of an element; 0 where `fa.kernel`
/// does not say it.
struct KernelAlignment {
  int64_t align = 0, elementBytes = 0;
};
KernelAlignment findKernelAlignment(Operation *module);

/// Whether `module` holds a kernel: an llvm.func with nvvm.kernel.
bool hasKernels(Operation *module);

/// The processor of the first kernel of `module` after its `fa.kernel`; empty
/// if there is none.
std::string findKernelTarget(Operation *module);

/// `attr` as JSON: strings, integers, floats, booleans, arrays, dictionaries. A
/// unit attribute is null. `path` begins the error for any other attribute.
llvm::Expected<llvm::json::Value> convertToJSON(Attribute attr, StringRef path);

} // namespace fa
} // namespace mlir

#endif // FA_TARGET_PACKAGE_H
