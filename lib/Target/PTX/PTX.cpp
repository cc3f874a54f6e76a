//===- PTX.cpp - From the LLVM dialect to PTX text ------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM dialect -> LLVM IR -> NVPTX machine instructions -> text. The pass
// pipeline of code generation is put together here, as
// TargetMachine::addPassesToEmitFile would, because that is where single passes
// can be left out for one translation; the command line options of LLVM that do
// the same hold for the whole process.
//
//===----------------------------------------------------------------------===//

#include "fa/Target/PTX.h"

#include "../Optimize.h"
#include "PTXVersion.h"
#include "fa/Support/ErrorCollector.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

using namespace mlir;
using namespace mlir::fa;

static constexpr llvm::StringLiteral triple = "nvptx64-nvidia-cuda";

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

static const llvm::Target *getNVPTXTarget() {
  static const llvm::Target *target = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    std::string error;
    return llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), error);
  }();
  return target;
}

/// The target machine for `chip`, at the highest level of code generation.
static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(StringRef chip, unsigned ptxVersion) {
  const llvm::Target *target = getNVPTXTarget();
  if (!target)
    return llvm::createStringError(
        "this LLVM was built without NVPTX"); // untested: packages have it.
  std::unique_ptr<llvm::MCSubtargetInfo> known(
      target->createMCSubtargetInfo(llvm::Triple(triple), "", ""));
  if (!chip.starts_with("sm_") || !known->isCPUStringValid(chip))
    return llvm::createStringError(
        "expected an NVIDIA processor that LLVM knows, such as sm_80 or "
        "sm_90a, but got '" +
        chip + "'");
  unsigned lowest = getLowestPTXVersion(chip);
  if (ptxVersion < lowest)
    return llvm::createStringError("expected at least PTX version " +
                                   formatPTXVersion(lowest) + " for " + chip +
                                   " but got " + formatPTXVersion(ptxVersion));
  std::string feature = "ptx" + std::to_string(ptxVersion);
  if (llvm::none_of(known->getAllProcessorFeatures(),
                    [&](const llvm::SubtargetFeatureKV &entry) {
                      return feature == entry.Key;
                    }))
    return llvm::createStringError("LLVM does not know PTX version " +
                                   formatPTXVersion(ptxVersion));
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      llvm::Triple(triple), chip, "+" + feature, llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

//===----------------------------------------------------------------------===//
// LLVM IR
//===----------------------------------------------------------------------===//

void fa::registerPTXTranslation(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

/// The op whose body is translated: the only gpu.module in `module`, or itself.
static llvm::Expected<Operation *> findDeviceModule(Operation *module) {
  if (!isa<ModuleOp>(module))
    return module;
  auto nested = cast<ModuleOp>(module).getOps<gpu::GPUModuleOp>();
  if (nested.empty())
    return module;
  if (!llvm::hasSingleElement(nested))
    return llvm::createStringError(
        "expected one gpu.module to translate to PTX but got " +
        Twine(std::distance(nested.begin(), nested.end())));
  return (*nested.begin()).getOperation();
}

static llvm::Expected<std::unique_ptr<llvm::Module>>
translateToLLVM(Operation *module, llvm::LLVMContext &context) {
  DialectRegistry registry;
  registerPTXTranslation(registry);
  module->getContext()->appendDialectRegistry(registry);
  ErrorCollector errors(module->getContext());

  // Other dialects end in an error of the translation that names an op, but not
  // the reason.
  Operation *foreign = nullptr;
  module->walk([&](Operation *op) {
    if (op == module || foreign ||
        isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()))
      return;
    foreign = op;
  });
  if (foreign) {
    foreign->emitError("expected only ops of the llvm and nvvm dialects in a "
                       "module that becomes PTX");
    return errors.take("");
  }
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context);
  if (!translated)
    return errors.take("translation to LLVM IR failed");
  return translated;
}

/// Fails unless `module` has a kernel and is complete.
static llvm::Error checkModule(const llvm::Module &module) {
  auto isKernel = [](const llvm::Function &function) {
    return function.getCallingConv() == llvm::CallingConv::PTX_Kernel &&
           !function.isDeclaration();
  };
  if (llvm::none_of(module, isKernel))
    return llvm::createStringError(
        "expected a kernel (a function with nvvm.kernel) but the module has "
        "none");
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        !function.use_empty())
      return llvm::createStringError("unresolved function '" +
                                     function.getName() +
                                     "'; a kernel has to be complete");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Code generation
//===----------------------------------------------------------------------===//

namespace {

/// Everything that code generation holds. After a fatal error its state is not
/// known, and it is leaked.
struct CodeGenState {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  std::string errors;
  SmallString<0> ptx;
};

/// Gathers LLVM's own diagnostics, instead of printing them and leaving.
struct DiagnosticCollector : public llvm::DiagnosticHandler {
  explicit DiagnosticCollector(std::string &errors) : errors(errors) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    llvm::raw_string_ostream os(errors);
    if (!errors.empty())
      os << "; ";
    llvm::DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    return true;
  }

  std::string &errors;
};

} // namespace

/// Splits vectors of f32 into their elements. From sm_100 on the back end makes
/// instructions on pairs of f32 of what is left a vector, and those want their
/// operands in pairs of registers: where accumulators fill the register file,
/// ptxas then spills. Pairs of 16-bit floats stay.
static void splitVectors(llvm::Module &module) {
  llvm::FunctionAnalysisManager analyses;
  llvm::PassBuilder builder;
  builder.registerFunctionAnalyses(analyses);
  llvm::ScalarizerPassOptions options;
  options.ScalarizeMinBits = 32;
  llvm::ScalarizerPass scalarizer(options);
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      (void)scalarizer.run(function, analyses);
}

/// Returns false if the target has no such pipeline.
static bool generateCode(CodeGenState &state, const PTXOptions &options) {
  unsigned optLevel = options.optLevel.value_or(
      state.machine->getTargetCPU() == "sm_90a" ? 0 : 1);
  const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O1,
                                            llvm::OptimizationLevel::O2,
                                            llvm::OptimizationLevel::O3};
  if (optLevel)
    optimize(*state.module, *state.machine, levels[std::min(optLevel, 3u) - 1]);
  StringRef chip = state.machine->getTargetCPU();
  if (chip.starts_with("sm_10") || chip.starts_with("sm_12"))
    splitVectors(*state.module);

  llvm::raw_svector_ostream os(state.ptx);
  llvm::legacy::PassManager pm;
  // As in CodeGenTargetMachineImpl::addPassesToEmitFile. The pass manager owns
  // what is added to it.
  llvm::TargetPassConfig *config = state.machine->createPassConfig(pm);
  if (!options.machineSink)
    config->disablePass(&llvm::MachineSinkingLegacyID);
  auto *info = new llvm::MachineModuleInfoWrapperPass(state.machine.get());
  pm.add(config);
  pm.add(info);
  if (config->addISelPasses())
    return false;
  config->addMachinePasses();
  config->setInitialized();
  if (state.machine->addAsmPrinter(pm, os, /*DwoOut=*/nullptr,
                                   llvm::CodeGenFileType::AssemblyFile,
                                   info->getMMI().getContext()))
    return false;
  pm.add(llvm::createFreeMachineFunctionPass());
  pm.run(*state.module);
  return true;
}

/// The first line of a fatal error of LLVM, without the addresses in it.
static std::string tidyFatalError(StringRef message) {
  std::string text = message.split('\n').first.trim().str();
  llvm::Regex address(" ?0x[0-9a-f]+:?");
  while (address.match(text))
    text = address.sub("", text);
  return text;
}

/// Runs code generation so that a fatal error of LLVM comes back as an error.
static llvm::Error generateCodeSafely(std::unique_ptr<CodeGenState> &state,
                                      const PTXOptions &options) {
  state->context.setDiagnosticHandler(
      std::make_unique<DiagnosticCollector>(state->errors));
  std::string fatal;
  bool supported = false;
  bool finished;
  llvm::CrashRecoveryContext::Enable();
  {
    llvm::ScopedFatalErrorHandler handler(
        [](void *userData, const char *reason, bool) {
          *static_cast<std::string *>(userData) = reason;
          if (auto *recovery = llvm::CrashRecoveryContext::GetCurrent())
            recovery->HandleExit(1);
        },
        &fatal);
    llvm::CrashRecoveryContext recovery;
    finished =
        recovery.RunSafely([&] { supported = generateCode(*state, options); });
  }
  llvm::CrashRecoveryContext::Disable();
  if (finished && supported && state->errors.empty())
    return llvm::Error::success();

  std::string reason = state->errors;
  if (reason.empty())
    reason = tidyFatalError(fatal);
  if (reason.empty())
    reason = "code generation crashed";
  if (!finished)
    (void)state.release();
  return llvm::createStringError("the NVPTX back end cannot translate the "
                                 "module: " +
                                 reason);
}

/// Fails if the text calls a function that it does not define.
static llvm::Error checkResolved(StringRef ptx) {
  // .extern .func  (.param .b32 result) name
  llvm::Regex external(
      "\\.extern[[:space:]]+\\.func[[:space:]]+(\\([^)]*\\)[[:space:]]*)?"
      "([^[:space:](;]+)");
  SmallVector<StringRef, 3> groups;
  if (!external.match(ptx, &groups))
    return llvm::Error::success();
  return llvm::createStringError("unresolved function '" + groups[2] +
                                 "' in the PTX; a kernel has to be complete");
}

llvm::Expected<std::string> fa::translateToPTX(Operation *module,
                                               StringRef chip,
                                               unsigned ptxVersion,
                                               const PTXOptions &options) {
  llvm::Expected<Operation *> device = findDeviceModule(module);
  if (!device)
    return device.takeError();
  auto state = std::make_unique<CodeGenState>();
  llvm::Expected<std::unique_ptr<llvm::Module>> translated =
      translateToLLVM(*device, state->context);
  if (!translated)
    return translated.takeError();
  state->module = std::move(*translated);
  if (llvm::Error error = checkModule(*state->module))
    return error;

  unsigned version =
      ptxVersion ? ptxVersion : getNeededPTXVersion(*state->module, chip);
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      createMachine(chip, version);
  if (!machine)
    return machine.takeError();
  state->machine = std::move(*machine);
  state->module->setTargetTriple(llvm::Triple(triple));
  state->module->setDataLayout(state->machine->createDataLayout());

  if (llvm::Error error = generateCodeSafely(state, options))
    return error;
  if (llvm::Error error = checkResolved(state->ptx))
    return error;
  return state->ptx.str().str();
}
