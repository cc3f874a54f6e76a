//===- CPUKernel.cpp - Attention compiled for the host --------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Target/CPU/CPUKernel.h"

#include "../Optimize.h"
#include "fa/IR/FA.h"
#include "fa/Pipelines/Pipelines.h"
#include "fa/Support/ErrorCollector.h"
#include "fa/Support/Problem.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/DebugStringHelper.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <chrono>
#include <cstring>
#include <new>

using namespace mlir;
using namespace mlir::fa;

namespace {

/// Seconds since it was made.
class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};

/// The memref descriptor of a tensor: { allocated, aligned, offset, sizes,
/// strides }, all of them 64 bits wide.
SmallVector<int64_t> makeDescriptor(fart::HostTensor &tensor) {
  auto address =
      static_cast<int64_t>(reinterpret_cast<intptr_t>(tensor.data()));
  SmallVector<int64_t> words = {address, address, /*offset=*/0};
  llvm::append_range(words, tensor.getShape());
  llvm::append_range(words, tensor.getStrides());
  return words;
}

/// The bits of a scalar of the given type, in the low bytes of a word.
llvm::Expected<uint64_t> makeScalar(Type type, const KernelArgument &argument) {
  uint64_t bits = 0;
  if (std::optional<fart::DType> dtype = getDType(type))
    fart::store(*dtype, argument.real, &bits);
  else if (type.isF64())
    std::memcpy(&bits, &argument.real, sizeof(double));
  else if (type.isIntOrIndex() &&
           (type.isIndex() || type.getIntOrFloatBitWidth() <= 64))
    bits = static_cast<uint64_t>(argument.integer);
  else
    return llvm::createStringError(
        "expected a kernel argument to be a tensor, a number or an index but "
        "its type is " +
        debugString(type));
  return bits;
}

/// Adds `void <name>(void **)`, which calls `callee` with arguments loaded from
/// the addresses it gets; the address after the last is that of the result. So
/// a function of any signature can be called from C++.
llvm::Error addPackedWrapper(llvm::Module &module, StringRef name,
                             StringRef calleeName) {
  llvm::Function *callee = module.getFunction(calleeName);
  if (!callee || callee->isDeclaration())
    return llvm::createStringError(
        // untested: the pipeline makes both functions
        "the lowered module has no function '" + calleeName + "'");
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> builder(context);
  auto *type = llvm::FunctionType::get(
      builder.getVoidTy(), {builder.getPtrTy()}, /*isVarArg=*/false);
  auto *wrapper = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                         name, module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", wrapper));
  auto loadAddress = [&](unsigned i) {
    return builder.CreateLoad(
        builder.getPtrTy(),
        builder.CreateConstGEP1_32(builder.getPtrTy(), wrapper->getArg(0), i));
  };
  SmallVector<llvm::Value *> arguments;
  for (llvm::Argument &argument : callee->args())
    arguments.push_back(builder.CreateLoad(argument.getType(),
                                           loadAddress(argument.getArgNo())));
  llvm::Value *result = builder.CreateCall(callee, arguments);
  if (!result->getType()->isVoidTy())
    builder.CreateStore(result, loadAddress(arguments.size()));
  builder.CreateRetVoid();
  return llvm::Error::success();
}

/// The function that says how much scratch the steps of @name need.
std::string getScratchName(StringRef name) { return (name + "_scratch").str(); }

/// The functions that the steps of @name became: itself where it has but one.
SmallVector<std::string> getStepNames(ModuleOp lowered, StringRef name) {
  Operation *scratch = lowered.lookupSymbol(getScratchName(name));
  auto steps =
      scratch ? scratch->getAttrOfType<ArrayAttr>(FADialect::getStepsAttrName())
              : ArrayAttr();
  if (!steps)
    return {name.str()};
  return llvm::map_to_vector(steps.getAsValueRange<StringAttr>(),
                             [](StringRef step) { return step.str(); });
}

/// Memory that begins at a cache line.
class Scratch {
public:
  explicit Scratch(int64_t bytes)
      : data(::operator new(bytes, kAlignment, std::nothrow)) {}
  ~Scratch() { ::operator delete(data, kAlignment); }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  void *get() const { return data; }

private:
  static constexpr std::align_val_t kAlignment{64};
  void *data;
};

} // namespace

llvm::Error fa::lowerForCPU(ModuleOp module,
                            const CPUPipelineOptions &options) {
  PassManager pm(module.getContext());
  ErrorCollector errors(module.getContext());
  buildCPUPipeline(pm, options);
  if (failed(pm.run(module)))
    return errors.take("lowering for the CPU failed");
  return llvm::Error::success();
}

int64_t fa::getHostVectorBits() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (features.lookup("avx512f"))
    return 512;
  return features.lookup("avx2") ? 256 : 128;
}

CPUKernel::~CPUKernel() = default;

llvm::Expected<std::unique_ptr<CPUKernel>>
CPUKernel::compile(ModuleOp module, StringRef name,
                   const CPUPipelineOptions &options) {
  auto func = module.lookupSymbol<func::FuncOp>(name);
  if (!func)
    return llvm::createStringError(
        // untested: callers name a function that they found
        "there is no function @" + name);
  std::unique_ptr<CPUKernel> kernel(new CPUKernel());
  llvm::append_range(kernel->argumentTypes, func.getArgumentTypes());

  Stopwatch pipelineWatch;
  OwningOpRef<ModuleOp> lowered(module.clone());
  if (llvm::Error error = lowerForCPU(*lowered, options))
    return error;
  kernel->compileTime.pipeline = pipelineWatch.seconds();

  Stopwatch codegenWatch;
  if (llvm::Error error = kernel->generateCode(*lowered, name))
    return error;
  kernel->compileTime.codegen = codegenWatch.seconds();
  return kernel;
}

llvm::Error CPUKernel::generateCode(ModuleOp lowered, StringRef name) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return host.takeError();
  host->setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  auto machine = host->createTargetMachine();
  if (!machine)
    return machine.takeError();

  // LLVM dialect -> LLVM IR, with the data layout of the host.
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  lowered.getContext()->appendDialectRegistry(registry);
  ErrorCollector errors(lowered.getContext());
  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(lowered, *context);
  if (!module)
    return errors.take("translation to LLVM IR failed");
  module->setDataLayout((*machine)->createDataLayout());
  module->setTargetTriple((*machine)->getTargetTriple());

  // The functions to call, by the names of their wrappers.
  SmallVector<std::string> stepNames = getStepNames(lowered, name);
  std::string prefix = "_mlir_ciface_";
  SmallVector<std::pair<std::string, std::string>> entries;
  for (auto [number, step] : llvm::enumerate(stepNames)) {
    std::string suffix = std::to_string(number);
    entries.emplace_back("fa_run_" + suffix, prefix + step);
    entries.emplace_back("fa_blocks_" + suffix, prefix + step + "_blocks");
  }
  bool hasScratch = stepNames.size() > 1;
  if (hasScratch)
    entries.emplace_back("fa_scratch", prefix + getScratchName(name));
  for (const auto &[wrapper, callee] : entries)
    if (llvm::Error error = addPackedWrapper(*module, wrapper, callee))
      return error;
  optimize(*module, **machine, llvm::OptimizationLevel::O3);

  // LLVM IR -> machine code, which is generated at the first lookup.
  auto created = llvm::orc::LLJITBuilder()
                     .setJITTargetMachineBuilder(std::move(*host))
                     .create();
  if (!created)
    return created.takeError();
  jit = std::move(*created);
  if (llvm::Error error = jit->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(module), std::move(context))))
    return error;
  SmallVector<PackedFn> functions;
  for (const auto &entry : entries) {
    auto function = jit->lookup(entry.first);
    if (!function)
      return function.takeError();
    functions.push_back(function->toPtr<PackedFn>());
  }
  for (size_t number = 0; number < stepNames.size(); ++number)
    steps.push_back({functions[2 * number + 1], functions[2 * number]});
  if (hasScratch)
    scratchFn = functions.back();
  return llvm::Error::success();
}

llvm::Error CPUKernel::run(ArrayRef<KernelArgument> arguments,
                           fart::ThreadPool &pool) const {
  if (arguments.size() != argumentTypes.size())
    return llvm::createStringError(
        // untested: callers follow the signature
        "expected " + Twine(argumentTypes.size()) +
        " kernel arguments but got " + Twine(arguments.size()));

  // Storage first, addresses second: the vectors must not grow in between.
  SmallVector<SmallVector<int64_t>> descriptors(arguments.size());
  SmallVector<void *> values(arguments.size());
  SmallVector<uint64_t> scalars(arguments.size());
  SmallVector<void *> packed;
  for (auto [i, argument, type] : llvm::enumerate(arguments, argumentTypes)) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (static_cast<bool>(shaped) != (argument.tensor != nullptr) ||
        (shaped && (shaped.getRank() != argument.tensor->getRank() ||
                    getTableDType(shaped.getElementType()) !=
                        argument.tensor->getDType())))
      return llvm::createStringError(
          // untested: callers follow the signature
          "expected kernel argument " + Twine(i) + " to be of type " +
          debugString(type));
    if (shaped) {
      descriptors[i] = makeDescriptor(*argument.tensor);
      values[i] = descriptors[i].data();
      packed.push_back(&values[i]);
      continue;
    }
    llvm::Expected<uint64_t> scalar = makeScalar(type, argument);
    if (!scalar)
      return scalar.takeError();
    scalars[i] = *scalar;
    packed.push_back(&scalars[i]);
  }

  int64_t scratchBytes = 0;
  if (scratchFn) {
    SmallVector<void *> call(packed);
    call.push_back(&scratchBytes);
    scratchFn(call.data());
  }
  Scratch scratch(scratchBytes);
  if (!scratch.get())
    return llvm::createStringError(
        // untested: fails on problems that fill the memory
        "there is no memory for " + Twine(scratchBytes) + " bytes of scratch");
  auto address =
      static_cast<int64_t>(reinterpret_cast<intptr_t>(scratch.get()));
  int64_t scratchDescriptor[] = {address, address, /*offset=*/0, scratchBytes,
                                 /*stride=*/1};
  void *scratchValue = scratchDescriptor;
  if (scratchFn)
    packed.push_back(&scratchValue);

  for (Step step : steps) {
    int64_t blocks = 0;
    SmallVector<void *> call(packed);
    call.push_back(&blocks);
    step.blocksFn(call.data());

    // Enough pieces to even out blocks of different cost, as with a causal
    // mask.
    int64_t pieces = int64_t(pool.getNumThreads()) * 32;
    pool.parallelFor(blocks, std::max<int64_t>(1, blocks / pieces),
                     [&](int64_t begin, int64_t end) {
                       SmallVector<void *> call(packed);
                       call.push_back(&begin);
                       call.push_back(&end);
                       step.runFn(call.data());
                     });
  }
  return llvm::Error::success();
}
