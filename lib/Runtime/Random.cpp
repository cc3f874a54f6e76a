//===- Random.cpp - Input that is the same everywhere ---------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/Random.h"

using namespace fart;

/// The finaliser of SplitMix64: a bijection of 64-bit words that mixes all
/// bits.
static uint64_t mix(uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

double fart::randomNormal(uint64_t seed, uint64_t stream, uint64_t index) {
  constexpr uint64_t golden = 0x9e3779b97f4a7c15u;
  uint64_t key = mix(mix(seed + golden) ^ (stream * golden + 1));
  // Twelve uniform 16-bit numbers from three words.
  int64_t sum = 0;
  for (uint64_t word = 0; word < 3; ++word) {
    uint64_t bits = mix(key + (3 * index + word) * golden);
    for (int shift = 0; shift < 64; shift += 16)
      sum += static_cast<int64_t>((bits >> shift) & 0xffff);
  }
  // Each has mean (2^16 - 1) / 2 and, in units of 2^16, variance 1/12.
  constexpr int64_t mean = 6 * 0xffff;
  return static_cast<double>(sum - mean) / 65536.0;
}

void fart::fillNormal(HostTensor &tensor, uint64_t seed, uint64_t stream,
                      ThreadPool *pool) {
  auto fill = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      tensor.set(i, randomNormal(seed, stream, static_cast<uint64_t>(i)));
  };
  if (pool)
    pool->parallelFor(tensor.getNumElements(), /*grain=*/1 << 16, fill);
  else
    fill(0, tensor.getNumElements());
}
