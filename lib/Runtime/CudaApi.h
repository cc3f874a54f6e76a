//===- CudaApi.h - The part of the CUDA driver API that fa uses -*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declared here, so that neither building nor starting a program needs CUDA:
// the driver's library is opened when it is first used. Names are those of the
// binary interface (cuda.h maps cuMemAlloc to cuMemAlloc_v2, for example).
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_RUNTIME_CUDAAPI_H
#define FA_LIB_RUNTIME_CUDAAPI_H

#include "fa/Runtime/Result.h"

#include <cstddef>
#include <cstdint>

struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;

namespace fart::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;

enum : CUresult {
  successResult = 0,
  noDeviceResult = 100,
  unsupportedPtxResult = 222,
  notReadyResult = 600,
};

enum : int { // CUdevice_attribute
  multiprocessorCountAttribute = 16,
  l2CacheSizeAttribute = 38,
  capabilityMajorAttribute = 75,
  capabilityMinorAttribute = 76,
  maxSharedPerBlockOptinAttribute = 97,
};

enum : int { // CUfunction_attribute
  localBytesAttribute = 3,
  registersAttribute = 4,
  maxDynamicSharedAttribute = 8,
};

enum : int { // CUjit_option
  jitInfoLogBuffer = 3,
  jitInfoLogBufferSize = 4,
  jitErrorLogBuffer = 5,
  jitErrorLogBufferSize = 6,
  jitLogVerbose = 12,
};

enum : int { // CUtensorMapDataType
  tensorMapFloat16 = 6,
  tensorMapFloat32 = 7,
  tensorMapBFloat16 = 9,
};
enum : int { // CUtensorMapL2promotion
  l2Promotion256 = 3,
};

/// Functions of every driver that is new enough: name and parameters.
#define FA_CUDA_FUNCTIONS(X)                                                   \
  X(cuDriverGetVersion, (int *version))                                        \
  X(cuInit, (unsigned flags))                                                  \
  X(cuGetErrorName, (CUresult error, const char **text))                       \
  X(cuGetErrorString, (CUresult error, const char **text))                     \
  X(cuDeviceGetCount, (int *count))                                            \
  X(cuDeviceGet, (CUdevice * device, int ordinal))                             \
  X(cuDeviceGetName, (char *name, int length, CUdevice device))                \
  X(cuDeviceGetAttribute, (int *value, int attribute, CUdevice device))        \
  X(cuDeviceTotalMem_v2, (size_t *bytes, CUdevice device))                     \
  X(cuDevicePrimaryCtxRetain, (CUctx_st * *context, CUdevice device))          \
  X(cuDevicePrimaryCtxRelease_v2, (CUdevice device))                           \
  X(cuCtxSetCurrent, (CUctx_st * context))                                     \
  X(cuModuleLoadDataEx, (CUmod_st * *module, const void *image,                \
                         unsigned numOptions, int *options, void **values))    \
  X(cuModuleUnload, (CUmod_st * module))                                       \
  X(cuModuleGetFunction,                                                       \
    (CUfunc_st * *function, CUmod_st * module, const char *name))              \
  X(cuFuncGetAttribute, (int *value, int attribute, CUfunc_st *function))      \
  X(cuFuncSetAttribute, (CUfunc_st * function, int attribute, int value))      \
  X(cuLaunchKernel,                                                            \
    (CUfunc_st * function, unsigned gridX, unsigned gridY, unsigned gridZ,     \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,  \
     CUstream_st *stream, void **parameters, void **extra))                    \
  X(cuMemGetInfo_v2, (size_t *free, size_t *total))                            \
  X(cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))                      \
  X(cuMemFree_v2, (CUdeviceptr address))                                       \
  X(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t bytes))         \
  X(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes))               \
  X(cuMemcpyDtoD_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes))         \
  X(cuMemsetD32_v2, (CUdeviceptr address, unsigned value, size_t count))       \
  X(cuStreamCreate, (CUstream_st * *stream, unsigned flags))                   \
  X(cuStreamDestroy_v2, (CUstream_st * stream))                                \
  X(cuStreamQuery, (CUstream_st * stream))                                     \
  X(cuEventCreate, (CUevent_st * *event, unsigned flags))                      \
  X(cuEventDestroy_v2, (CUevent_st * event))                                   \
  X(cuEventRecord, (CUevent_st * event, CUstream_st * stream))                 \
  X(cuEventElapsedTime,                                                        \
    (float *milliseconds, CUevent_st *begin, CUevent_st *end))

/// Functions that came later; null in an older driver.
#define FA_CUDA_LATER_FUNCTIONS(X)                                             \
  X(cuTensorMapEncodeTiled,                                                    \
    (void *map, int type, unsigned rank, void *address, const uint64_t *sizes, \
     const uint64_t *strides, const uint32_t *box,                             \
     const uint32_t *elementStrides, int interleave, int swizzle,              \
     int l2Promotion, int outOfBoundsFill))                                    \
  X(cuFuncGetParamInfo,                                                        \
    (CUfunc_st * function, size_t index, size_t *offset, size_t *size))

/// The functions of the driver that is installed.
struct CudaApi {
#define FA_DECLARE(name, parameters) CUresult(*name) parameters = nullptr;
  FA_CUDA_FUNCTIONS(FA_DECLARE)
  FA_CUDA_LATER_FUNCTIONS(FA_DECLARE)
#undef FA_DECLARE

  int version = 0; ///< 1000 * major + 10 * minor of the CUDA it supports.

  /// Opens the driver's library, once. Fails if there is none or if it is too
  /// old.
  static Result<const CudaApi *> get();

  /// The functions, once `get` has succeeded.
  static const CudaApi &loaded();
};

/// "cuMemAlloc(4096 bytes) failed: CUDA_ERROR_OUT_OF_MEMORY: out of memory".
Error makeCudaError(const std::string &call, CUresult code);

/// "12.4" for 12040.
std::string formatCudaVersion(int version);

/// Set when a kernel did not end in time. The driver would wait for it in
/// almost every call, so that nothing is freed from then on.
bool isAbandoned();
void abandon();

} // namespace fart::cuda

#endif // FA_LIB_RUNTIME_CUDAAPI_H
