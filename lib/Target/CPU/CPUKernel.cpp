//===- CPUKernel.cpp - Attention compiled for the host --------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Target/CPU/CPUKernel.h"

#include "../Optimize.h"
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

  std::string entry = ("_mlir_ciface_" + name).str();
  if (llvm::Error error = addPackedWrapper(*module, "fa_run", entry))
    return error;
  if (llvm::Error error =
          addPackedWrapper(*module, "fa_blocks", entry + "_blocks"))
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
  auto run = jit->lookup("fa_run");
  if (!run)
    return run.takeError();
  auto blocks = jit->lookup("fa_blocks");
  if (!blocks)
    return blocks.takeError();
  runFn = run->toPtr<PackedFn>();
  blocksFn = blocks->toPtr<PackedFn>();
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

  int64_t blocks = 0;
  SmallVector<void *> call(packed);
  call.push_back(&blocks);
  blocksFn(call.data());

  // Enough pieces to even out blocks of different cost, as with a causal mask.
  int64_t pieces = int64_t(pool.getNumThreads()) * 32;
  pool.parallelFor(blocks, std::max<int64_t>(1, blocks / pieces),
                   [&](int64_t begin, int64_t end) {
                     SmallVector<void *> call(packed);
                     call.push_back(&begin);
                     call.push_back(&end);
                     runFn(call.data());
                   });
  return llvm::Error::success();
}
