//===- Package.cpp - Kernels as files that run without a compiler ---------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Target/Package.h"
#include "fa/Runtime/OutputFile.h"
#include "fa/Runtime/Package.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::fa;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// From attributes to JSON
//===----------------------------------------------------------------------===//

llvm::Expected<json::Value> fa::convertToJSON(Attribute attr, StringRef path) {
  if (auto string = dyn_cast<StringAttr>(attr))
    return json::Value(string.getValue());
  if (auto boolean = dyn_cast<BoolAttr>(attr))
    return json::Value(boolean.getValue());
  if (auto integer = dyn_cast<IntegerAttr>(attr)) {
    if (std::optional<int64_t> value = integer.getValue().trySExtValue())
      return json::Value(*value);
  }
  if (auto real = dyn_cast<FloatAttr>(attr))
    return json::Value(real.getValueAsDouble());
  if (isa<UnitAttr>(attr))
    return json::Value(nullptr);
  if (auto integers = dyn_cast<DenseI64ArrayAttr>(attr))
    return json::Value(json::Array(integers.asArrayRef()));
  if (auto array = dyn_cast<ArrayAttr>(attr)) {
    json::Array elements;
    for (auto [i, element] : llvm::enumerate(array)) {
      llvm::Expected<json::Value> value =
          convertToJSON(element, (path + "[" + Twine(i) + "]").str());
      if (!value)
        return value.takeError();
      elements.push_back(std::move(*value));
    }
    return json::Value(std::move(elements));
  }
  if (auto dictionary = dyn_cast<DictionaryAttr>(attr)) {
    json::Object object;
    for (NamedAttribute member : dictionary) {
      llvm::Expected<json::Value> value = convertToJSON(
          member.getValue(), (path + "." + member.getName().strref()).str());
      if (!value)
        return value.takeError();
      object[member.getName().strref()] = std::move(*value);
    }
    return json::Value(std::move(object));
  }
  return llvm::createStringError(
      path +
      ": expected a string, number, boolean, array or dictionary but "
      "got " +
      debugString(attr));
}

//===----------------------------------------------------------------------===//
// Manifest
//===----------------------------------------------------------------------===//

static SmallVector<LLVM::LLVMFuncOp> findKernels(Operation *module) {
  SmallVector<LLVM::LLVMFuncOp> kernels;
  module->walk([&](LLVM::LLVMFuncOp func) {
    if (func->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      kernels.push_back(func);
  });
  return kernels;
}

/// The target that `fa.kernel` names, or an empty string.
static StringRef getTarget(LLVM::LLVMFuncOp kernel) {
  auto info = kernel->getAttrOfType<DictionaryAttr>(kernelAttrName);
  auto target = info ? info.getAs<StringAttr>("target") : StringAttr();
  return target ? target.getValue() : StringRef();
}

bool fa::hasKernels(Operation *module) { return !findKernels(module).empty(); }

std::string fa::findKernelTarget(Operation *module) {
  for (LLVM::LLVMFuncOp kernel : findKernels(module))
    if (StringRef target = getTarget(kernel); !target.empty())
      return target.str();
  return "";
}

OwningOpRef<ModuleOp>
fa::joinModules(MutableArrayRef<OwningOpRef<ModuleOp>> modules) {
  MLIRContext *context = modules.front()->getContext();
  context->loadDialect<gpu::GPUDialect>();
  Location loc = modules.front()->getLoc();
  OwningOpRef<ModuleOp> joined(ModuleOp::create(loc));
  OpBuilder builder(context);
  for (auto [i, module] : llvm::enumerate(modules)) {
    builder.setInsertionPointToEnd(joined->getBody());
    auto device =
        gpu::GPUModuleOp::create(builder, loc, "kernels_" + std::to_string(i));
    Block *body = device.getBody();
    body->getOperations().splice(body->end(),
                                 module->getBody()->getOperations());
  }
  return joined;
}

KernelAlignment fa::findKernelAlignment(Operation *module) {
  KernelAlignment found;
  SmallVector<LLVM::LLVMFuncOp> kernels = findKernels(module);
  auto info =
      kernels.empty()
          ? DictionaryAttr()
          : kernels.front()->getAttrOfType<DictionaryAttr>(kernelAttrName);
  if (!info)
    return found;
  if (auto guards = info.getAs<DictionaryAttr>("guards"))
    if (auto align = guards.getAs<IntegerAttr>("stride_alignment"))
      found.align = align.getInt();
  if (auto problem = info.getAs<DictionaryAttr>("problem"))
    if (auto dtype = problem.getAs<StringAttr>("dtype"))
      found.elementBytes = dtype.getValue() == "f32" ? 4 : 2;
  return found;
}

/// The entry of `kernel` in the manifest, without "problem", which goes to
/// `problem`; all kernels state the same one.
static llvm::Expected<json::Object>
describeKernel(LLVM::LLVMFuncOp kernel, StringRef chip, StringRef file,
               std::optional<json::Value> &problem) {
  std::string where = ("@" + kernel.getSymName()).str();
  auto info = kernel->getAttrOfType<DictionaryAttr>(kernelAttrName);
  if (!info)
    return llvm::createStringError(
        where + ": expected the dictionary attribute fa.kernel, which says how "
                "the kernel is launched");
  llvm::Expected<json::Value> converted =
      convertToJSON(info, where + ": " + kernelAttrName.str());
  if (!converted)
    return converted.takeError();
  json::Object entry = std::move(*converted->getAsObject());
  if (const json::Value *stated = entry.get("problem")) {
    if (problem && *problem != *stated)
      return llvm::createStringError(
          where + ": expected the same problem as in the kernels before it");
    problem = *stated;
    entry.erase("problem");
  }
  // Strings by value: a json::Value of a StringRef only refers to it.
  entry["entry"] = kernel.getSymName().str();
  entry["target"] = chip.str();
  entry["ptx"] = file.str();
  // Fields that may be unknown are there, and null.
  for (StringRef optional : {"registers", "hbm_bytes"})
    entry.try_emplace(optional, nullptr);
  return entry;
}

/// The op of each PTX file.
static SmallVector<Operation *> getDeviceModules(Operation *module) {
  SmallVector<Operation *> modules;
  if (isa<ModuleOp>(module))
    for (auto nested : cast<ModuleOp>(module).getOps<gpu::GPUModuleOp>())
      modules.push_back(nested);
  if (modules.empty())
    modules.push_back(module);
  return modules;
}

/// Translates one PTX file and adds it and its kernels.
static llvm::Error addModule(Operation *module, const std::string &file,
                             const PackageOptions &options,
                             KernelPackage &package, json::Array &entries,
                             std::optional<json::Value> &problem) {
  SmallVector<LLVM::LLVMFuncOp> kernels = findKernels(module);
  if (kernels.empty())
    return llvm::createStringError(
        "expected a kernel (a function with nvvm.kernel) but the module has "
        "none");
  std::string chip = options.chip;
  for (LLVM::LLVMFuncOp kernel : kernels) {
    StringRef target = getTarget(kernel);
    if (chip.empty())
      chip = target.str();
    if (options.chip.empty() && target != chip)
      return llvm::createStringError(
          "@" + kernel.getSymName() +
          ": expected the kernels of a module to have the same target, '" +
          chip + "', but got '" + target + "'");
    llvm::Expected<json::Object> entry =
        describeKernel(kernel, chip, file, problem);
    if (!entry)
      return entry.takeError();
    entries.push_back(std::move(*entry));
  }
  llvm::Expected<std::string> ptx =
      translateToPTX(module, chip, options.ptxVersion, options.ptx);
  if (!ptx)
    return ptx.takeError();
  package.files.emplace_back(file, std::move(*ptx));
  return llvm::Error::success();
}

llvm::Expected<fart::Package> fa::loadPackage(const KernelPackage &package) {
  fart::Result<fart::Package> loaded =
      fart::Package::parse(package.manifest, package.name + ".json");
  if (!loaded)
    return llvm::createStringError("the attributes fa.kernel do not make a "
                                   "valid manifest: " +
                                   loaded.error().message);
  for (const auto &[file, text] : package.files)
    loaded->texts[file] = text;
  return std::move(*loaded);
}

llvm::Expected<KernelPackage> fa::buildPackage(Operation *module,
                                               const PackageOptions &options) {
  KernelPackage package;
  package.name = options.name;
  if (package.name.empty())
    if (SmallVector<LLVM::LLVMFuncOp> kernels = findKernels(module);
        !kernels.empty())
      package.name = kernels.front().getSymName();

  json::Array entries;
  std::optional<json::Value> problem;
  SmallVector<Operation *> modules = getDeviceModules(module);
  for (auto [i, device] : llvm::enumerate(modules)) {
    std::string file = package.name;
    if (i > 0)
      file += "-" + std::to_string(i + 1);
    if (llvm::Error error = addModule(device, file + ".ptx", options, package,
                                      entries, problem))
      return error;
  }
  json::Object manifest{{"format", 1},
                        {"name", package.name},
                        {"problem", problem.value_or(nullptr)},
                        {"kernels", std::move(entries)}};
  llvm::raw_string_ostream(package.manifest)
      << llvm::formatv("{0:2}\n", json::Value(std::move(manifest)));

  if (llvm::Expected<fart::Package> readBack = loadPackage(package); !readBack)
    return readBack.takeError();
  return package;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

llvm::Error fa::writePackage(const KernelPackage &package,
                             StringRef directory) {
  if (!directory.empty())
    if (std::error_code ec = llvm::sys::fs::create_directories(directory))
      return llvm::createStringError("cannot make the directory '" + directory +
                                     "': " + ec.message());
  std::vector<fart::OutputFile> opened;
  auto write = [&](StringRef name, StringRef text) -> llvm::Error {
    SmallString<128> path(directory);
    llvm::sys::path::append(path, name);
    fart::Result<fart::OutputFile> file =
        fart::OutputFile::open(path.str().str());
    if (!file)
      return llvm::createStringError(file.error().message);
    if (fart::Status status = file->write(text.data(), text.size()); !status)
      return llvm::createStringError(status.error().message);
    opened.push_back(std::move(*file));
    return llvm::Error::success();
  };
  // The manifest last: where it is, the package is complete.
  for (const auto &[name, text] : package.files)
    if (llvm::Error error = write(name, text))
      return error;
  if (llvm::Error error = write(package.name + ".json", package.manifest))
    return error;
  for (fart::OutputFile &file : opened)
    if (fart::Status status = file.commit(); !status)
      return llvm::createStringError(status.error().message);
  return llvm::Error::success();
}
