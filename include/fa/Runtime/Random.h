//===- Random.h - Input that is the same everywhere -------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_RUNTIME_RANDOM_H
#define FA_RUNTIME_RANDOM_H

#include "fa/Runtime/HostTensor.h"
#include "fa/Runtime/ThreadPool.h"

#include <cstdint>

namespace fart {

/// Number `index` of the standard normal stream (`seed`, `stream`). A pure
/// function of its arguments, made with integers only, so that it has the same
/// bits on every platform, in any order and on any number of threads. The
/// distribution is the sum of twelve uniform numbers, shifted: mean 0, variance
/// 1, never beyond 6 (no outliers, and no library logarithm or cosine).
double randomNormal(uint64_t seed, uint64_t stream, uint64_t index);

/// Fills `tensor` with normal numbers, rounded to its type. Give every tensor
/// of a problem its own `stream`. The threads of `pool`, if there is one, share
/// the work.
void fillNormal(HostTensor &tensor, uint64_t seed, uint64_t stream,
                ThreadPool *pool = nullptr);

} // namespace fart

#endif // FA_RUNTIME_RANDOM_H
