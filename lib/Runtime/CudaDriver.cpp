//===- CudaDriver.cpp - A small layer over the CUDA driver ----------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/CudaDriver.h"
#include "CudaApi.h"

#include <algorithm>
#include <thread>
#include <utility>

using namespace fart;
using namespace fart::cuda;

/// Calls a function of the driver; on failure the function around it returns
/// the error, which names the call by `text`.
#define FA_CUDA_CALL(text, name, ...)                                          \
  if (CUresult code = CudaApi::loaded().name(__VA_ARGS__))                     \
  return makeCudaError(text, code)

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

/// Starts the driver and returns the number of devices, at least 1.
static Result<int> countDevices() {
  Result<const CudaApi *> api = CudaApi::get();
  if (!api)
    return api.error();
  int count = 0;
  CUresult code = (*api)->cuInit(0);
  if (code != successResult && code != noDeviceResult)
    return makeCudaError("cuInit", code);
  if (code == successResult)
    FA_CUDA_CALL("cuDeviceGetCount", cuDeviceGetCount, &count);
  if (count == 0)
    return Error{"the CUDA driver found no device"};
  return count;
}

Status cuda::checkAvailable() {
  Result<int> count = countDevices();
  if (!count)
    return count.error();
  return Success{};
}

static Result<DeviceInfo> readDeviceInfo(CUdevice device) {
  DeviceInfo info;
  char name[256] = "";
  FA_CUDA_CALL("cuDeviceGetName", cuDeviceGetName, name, sizeof(name), device);
  info.name = name;
  int major = 0, minor = 0, multiprocessors = 0, l2Bytes = 0, maxShared = 0;
  const std::pair<int, int *> attributes[] = {
      {capabilityMajorAttribute, &major},
      {capabilityMinorAttribute, &minor},
      {multiprocessorCountAttribute, &multiprocessors},
      {l2CacheSizeAttribute, &l2Bytes},
      {maxSharedPerBlockOptinAttribute, &maxShared}};
  for (auto [attribute, value] : attributes)
    FA_CUDA_CALL("cuDeviceGetAttribute(" + std::to_string(attribute) + ")",
                 cuDeviceGetAttribute, value, attribute, device);
  info.capability = 10 * major + minor;
  info.multiprocessors = multiprocessors;
  info.l2Bytes = l2Bytes;
  info.maxSharedBytes = maxShared;
  size_t memory = 0;
  FA_CUDA_CALL("cuDeviceTotalMem", cuDeviceTotalMem_v2, &memory, device);
  info.memoryBytes = static_cast<int64_t>(memory);
  info.driverVersion = formatCudaVersion(CudaApi::loaded().version);
  return info;
}

Result<Context> Context::create(int ordinal) {
  Result<int> count = countDevices();
  if (!count)
    return count.error();
  if (ordinal < 0 || ordinal >= *count)
    return Error{"expected a device from 0 to " + std::to_string(*count - 1) +
                 " but got " + std::to_string(ordinal)};
  CUdevice device = 0;
  FA_CUDA_CALL("cuDeviceGet", cuDeviceGet, &device, ordinal);
  Result<DeviceInfo> info = readDeviceInfo(device);
  if (!info)
    return info.error();

  Context context;
  context.info = std::move(*info);
  CUctx_st *handle = nullptr;
  FA_CUDA_CALL("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain, &handle,
               device);
  context.handle = {handle, Release{device}};
  FA_CUDA_CALL("cuCtxSetCurrent", cuCtxSetCurrent, handle);
  return context;
}

void Context::Release::operator()(CUctx_st *) const {
  if (!isAbandoned())
    CudaApi::loaded().cuDevicePrimaryCtxRelease_v2(device);
}

Result<int64_t> Context::getFreeMemory() const {
  size_t free = 0, total = 0;
  FA_CUDA_CALL("cuMemGetInfo", cuMemGetInfo_v2, &free, &total);
  return static_cast<int64_t>(free);
}

//===----------------------------------------------------------------------===//
// Stream and event
//===----------------------------------------------------------------------===//

Result<Stream> Stream::create(const Context &context) {
  CUstream_st *handle = nullptr;
  FA_CUDA_CALL("cuStreamCreate", cuStreamCreate, &handle, /*flags=*/0);
  Stream stream;
  stream.handle.reset(handle);
  return stream;
}

Stream Stream::borrow(CUstream_st *handle) {
  Stream stream;
  stream.handle = {handle, Destroy{/*isOwner=*/false}};
  return stream;
}

void Stream::Destroy::operator()(CUstream_st *stream) const {
  if (isOwner && !isAbandoned())
    CudaApi::loaded().cuStreamDestroy_v2(stream);
}

Status Stream::synchronize(std::chrono::duration<double> timeout) const {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  while (true) {
    CUresult code = CudaApi::loaded().cuStreamQuery(handle.get());
    if (code == successResult)
      return Success{};
    if (code != notReadyResult)
      return makeCudaError("the kernel", code);
    Clock::duration waited = Clock::now() - start;
    if (waited > timeout) {
      abandon();
      return Error{"the kernel did not end within " +
                   std::to_string(static_cast<int64_t>(timeout.count())) +
                   " s (a deadlock?)"};
    }
    // Short kernels are waited for without sleep.
    if (waited > std::chrono::milliseconds(20))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

bool cuda::wasAbandoned() { return isAbandoned(); }

Result<Event> Event::create(const Context &context) {
  CUevent_st *handle = nullptr;
  FA_CUDA_CALL("cuEventCreate", cuEventCreate, &handle, /*flags=*/0);
  Event event;
  event.handle.reset(handle);
  return event;
}

void Event::Destroy::operator()(CUevent_st *event) const {
  if (!isAbandoned())
    CudaApi::loaded().cuEventDestroy_v2(event);
}

Status Event::record(const Stream &stream) const {
  FA_CUDA_CALL("cuEventRecord", cuEventRecord, handle.get(), stream.get());
  return Success{};
}

Result<double> Event::getSecondsSince(const Event &begin) const {
  float milliseconds = 0;
  FA_CUDA_CALL("cuEventElapsedTime", cuEventElapsedTime, &milliseconds,
               begin.handle.get(), handle.get());
  return milliseconds * 1e-3;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Result<DeviceBuffer> DeviceBuffer::allocate(const Context &context,
                                            int64_t bytes) {
  DeviceBuffer buffer;
  CUdeviceptr address = 0;
  FA_CUDA_CALL("cuMemAlloc(" + std::to_string(bytes) + " bytes)", cuMemAlloc_v2,
               &address, static_cast<size_t>(bytes));
  buffer.address = address;
  buffer.bytes = bytes;
  return buffer;
}

DeviceBuffer::DeviceBuffer(DeviceBuffer &&other) noexcept
    : address(std::exchange(other.address, 0)),
      bytes(std::exchange(other.bytes, 0)) {}

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) noexcept {
  std::swap(address, other.address);
  std::swap(bytes, other.bytes);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (address && !isAbandoned())
    CudaApi::loaded().cuMemFree_v2(address);
}

Status DeviceBuffer::upload(int64_t offset, const void *from, int64_t bytes) {
  FA_CUDA_CALL("cuMemcpyHtoD", cuMemcpyHtoD_v2, address + offset, from,
               static_cast<size_t>(bytes));
  return Success{};
}

Status DeviceBuffer::download(int64_t offset, void *to, int64_t bytes) const {
  FA_CUDA_CALL("cuMemcpyDtoH", cuMemcpyDtoH_v2, to, address + offset,
               static_cast<size_t>(bytes));
  return Success{};
}

Status DeviceBuffer::copyFrom(const DeviceBuffer &other) {
  FA_CUDA_CALL("cuMemcpyDtoD", cuMemcpyDtoD_v2, address, other.address,
               static_cast<size_t>(bytes));
  return Success{};
}

Status DeviceBuffer::fill(uint32_t word) {
  FA_CUDA_CALL("cuMemsetD32", cuMemsetD32_v2, address, word,
               static_cast<size_t>(bytes / 4));
  return Success{};
}

//===----------------------------------------------------------------------===//
// Module and function
//===----------------------------------------------------------------------===//

/// The log without the zeros and line ends after it.
static std::string trimLog(const std::vector<char> &log) {
  std::string text(log.data());
  text.erase(std::find_if(text.rbegin(), text.rend(),
                          [](unsigned char c) { return !std::isspace(c); })
                 .base(),
             text.end());
  return text;
}

Result<Module> Module::load(const Context &context, const std::string &ptx,
                            const std::string &name) {
  // The last byte stays zero, also if the driver fills the whole buffer.
  std::vector<char> infoLog(16385), errorLog(16385);
  auto size = reinterpret_cast<void *>(static_cast<uintptr_t>(16384));
  int options[] = {jitInfoLogBuffer, jitInfoLogBufferSize, jitErrorLogBuffer,
                   jitErrorLogBufferSize, jitLogVerbose};
  void *values[] = {infoLog.data(), size, errorLog.data(), size,
                    reinterpret_cast<void *>(uintptr_t(1))};
  CUmod_st *handle = nullptr;
  CUresult code = CudaApi::loaded().cuModuleLoadDataEx(
      &handle, ptx.c_str(), std::size(options), options, values);
  if (code != successResult) {
    Error error = makeCudaError("loading '" + name + "'", code);
    if (code == unsupportedPtxResult)
      error.message +=
          " (the driver is for CUDA " + context.getDevice().driverVersion + ")";
    if (std::string log = trimLog(errorLog); !log.empty())
      error.message += "\n" + log;
    return error;
  }
  Module module;
  module.name = name;
  module.log = trimLog(infoLog);
  module.handle.reset(handle);
  return module;
}

void Module::Unload::operator()(CUmod_st *module) const {
  if (!isAbandoned())
    CudaApi::loaded().cuModuleUnload(module);
}

Result<Function> Module::getFunction(const std::string &functionName) const {
  Function function;
  function.name = functionName;
  FA_CUDA_CALL("finding the kernel '" + functionName + "' in '" + name + "'",
               cuModuleGetFunction, &function.handle, handle.get(),
               functionName.c_str());
  int registers = 0, localBytes = 0;
  FA_CUDA_CALL("cuFuncGetAttribute", cuFuncGetAttribute, &registers,
               registersAttribute, function.handle);
  FA_CUDA_CALL("cuFuncGetAttribute", cuFuncGetAttribute, &localBytes,
               localBytesAttribute, function.handle);
  function.registers = registers;
  function.localBytes = localBytes;
  return function;
}

Status Function::setSharedBytes(const Context &context, int64_t bytes) const {
  // Up to here no permission is needed.
  constexpr int64_t always = 48 * 1024;
  if (bytes <= always)
    return Success{};
  if (bytes > context.getDevice().maxSharedBytes)
    return Error{"the kernel '" + name + "' takes " + std::to_string(bytes) +
                 " bytes of shared memory but " + context.getDevice().name +
                 " has " + std::to_string(context.getDevice().maxSharedBytes)};
  FA_CUDA_CALL("cuFuncSetAttribute(" + std::to_string(bytes) +
                   " bytes of shared memory)",
               cuFuncSetAttribute, handle, maxDynamicSharedAttribute,
               static_cast<int>(bytes));
  return Success{};
}

Status Function::checkParameters(const std::vector<size_t> &sizes) const {
  const CudaApi &api = CudaApi::loaded();
  if (!api.cuFuncGetParamInfo)
    return Success{};
  size_t offset = 0, size = 0;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (api.cuFuncGetParamInfo(handle, i, &offset, &size) != successResult ||
        size != sizes[i])
      return Error{"expected parameter " + std::to_string(i) +
                   " of the kernel '" + name + "' to have " +
                   std::to_string(sizes[i]) +
                   " bytes, after the arguments in the manifest"};
  if (api.cuFuncGetParamInfo(handle, sizes.size(), &offset, &size) ==
      successResult)
    return Error{"expected the kernel '" + name + "' to have " +
                 std::to_string(sizes.size()) +
                 " parameters, after the arguments in the manifest, but it has "
                 "more"};
  return Success{};
}

Status Function::launch(const Stream &stream, int64_t grid, int64_t block,
                        int64_t sharedBytes, void **parameters) const {
  FA_CUDA_CALL("launching '" + name + "' (" + std::to_string(grid) +
                   " blocks of " + std::to_string(block) + " threads, " +
                   std::to_string(sharedBytes) + " bytes of shared memory)",
               cuLaunchKernel, handle, static_cast<unsigned>(grid), 1, 1,
               static_cast<unsigned>(block), 1, 1,
               static_cast<unsigned>(sharedBytes), stream.get(), parameters,
               /*extra=*/nullptr);
  return Success{};
}

//===----------------------------------------------------------------------===//
// Tensor map
//===----------------------------------------------------------------------===//

static int getMapType(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return tensorMapFloat32;
  case DType::F16:
    return tensorMapFloat16;
  case DType::BF16:
  case DType::I32: // Never of a tensor that has a map.
  case DType::I64:
  case DType::I1:
    break;
  }
  return tensorMapBFloat16;
}

/// CUtensorMapSwizzle: 0 to 3 for 0, 32, 64 and 128 bytes.
static int getMapSwizzle(int64_t bytes) {
  return bytes == 128 ? 3 : static_cast<int>(bytes / 32);
}

Result<TensorMap> TensorMap::encode(const TensorMapSpec &spec) {
  const CudaApi &api = CudaApi::loaded();
  if (!api.cuTensorMapEncodeTiled || api.version < 12000)
    return Error{"the CUDA driver is too old for tensor maps: expected one for "
                 "CUDA 12.0 or later but it is for CUDA " +
                 formatCudaVersion(api.version)};
  TensorMap map;
  std::vector<uint32_t> elementStrides(spec.sizes.size(), 1);
  FA_CUDA_CALL("cuTensorMapEncodeTiled of " + std::string(getName(spec.tensor)),
               cuTensorMapEncodeTiled, map.bytes, getMapType(spec.dtype),
               static_cast<unsigned>(spec.sizes.size()),
               reinterpret_cast<void *>(spec.address), spec.sizes.data(),
               spec.strides.data(), spec.box.data(), elementStrides.data(),
               /*interleave=*/0, getMapSwizzle(spec.swizzle), l2Promotion256,
               /*outOfBoundsFill=*/0);
  return map;
}
