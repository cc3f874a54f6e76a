//===- CApi.h - Kernel packages for C and what can call it ------*- C -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens packages and launches their kernels on tensors and streams of the
// caller's, in the primary context of a device, which is also that of the CUDA
// runtime. In libfa-runtime.so, which links neither LLVM nor CUDA.
//
// Functions that can fail return null or -1; fartGetError then says why. Calls
// for one package must not overlap.
//
//===----------------------------------------------------------------------===//

#ifndef FA_RUNTIME_CAPI_H
#define FA_RUNTIME_CAPI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A package whose kernels are loaded when they are first used.
typedef struct FartPackage FartPackage;
/// A kernel with everything that one call passes to it.
typedef struct FartLaunch FartLaunch;

/// A tensor in device memory. Its element type is that of the package, f32 for
/// LSE. Strides are in elements. The last of four is the head dim; LSE has
/// three dimensions, and the fourth of each array is not read.
typedef struct {
  uint64_t address;
  int64_t shape[4];
  int64_t strides[4];
} FartTensor;

/// What the driver made of a kernel.
typedef struct {
  int64_t kernel; ///< Number of the kernel in the package.
  int64_t grid, block, sramBytes;
  int64_t registers;
  int64_t localBytes; ///< Of a thread; not 0 if registers were spilled.
  double loadSeconds;
} FartLaunchInfo;

/// The error of the last call that failed on this thread.
const char *fartGetError(void);

FartPackage *fartOpenPackage(const char *manifest, int device);
void fartClosePackage(FartPackage *package);
/// 1 if the kernels write LSE beside O, else 0.
int fartWritesLse(const FartPackage *package);

/// `tensors` are Q, K, V, O and LSE, which is not read if the package writes
/// none (fartWritesLse). The launch holds their addresses, not the
/// tensors, and must be closed before the package.
FartLaunch *fartPrepare(FartPackage *package, const FartTensor *tensors);
void fartGetInfo(const FartLaunch *launch, FartLaunchInfo *info);
/// Puts the call into `stream`, a CUstream; null is the default stream. A
/// launch may have a counter in device memory: use it in one stream at a time,
/// and prepare another for a second stream.
int fartLaunch(FartLaunch *launch, void *stream);
void fartCloseLaunch(FartLaunch *launch);

#ifdef __cplusplus
}
#endif

#endif // FA_RUNTIME_CAPI_H
