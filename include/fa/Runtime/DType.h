//===- DType.h - Element types and their rounding ---------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types of Q, K, V and O, and exact conversions between them and
// double. Every conversion rounds once, to nearest even. Tables that a score
// function or mask reads may hold integers, too.
//
//===----------------------------------------------------------------------===//

#ifndef FA_RUNTIME_DTYPE_H
#define FA_RUNTIME_DTYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace fart {

enum class DType { F32, F16, BF16, I32, I64, I1 };

/// "f32", "f16", "bf16", "i32", "i64" or "i1" (a byte that is 0 or 1).
std::string_view getName(DType dtype);

/// Whether Q, K, V and O can be of this type.
bool isFloat(DType dtype);

/// The inverse of getName.
std::optional<DType> parseDType(std::string_view name);

/// Bytes of one element.
int64_t getByteWidth(DType dtype);

/// Bits of the mantissa without the hidden one: 23, 10 or 7. Of a float.
int getMantissaBits(DType dtype);

/// Reads the element at `address`. Exact, but for integers beyond 2^53.
double load(DType dtype, const void *address);

/// Reads the integer at `address`.
int64_t loadInteger(DType dtype, const void *address);

/// Writes the low bits of `value` to `address`, as an integer.
void storeInteger(DType dtype, int64_t value, void *address);

/// Rounds `value` to nearest even and stores it at `address`. Values beyond the
/// largest finite number become infinite, NaN stays NaN. Floats only.
void store(DType dtype, double value, void *address);

/// `value` as it comes back after being stored in `dtype`.
double roundTo(DType dtype, double value);

/// `value` with 10 bits of fraction, to nearest and from a tie away from 0 (PTX
/// ISA, cvt.rna.tf32).
float roundToTF32(float value);

/// The distance between neighbours of `dtype` at the magnitude of `value`: "one
/// rounding step". At 0 it is the smallest subnormal.
double getRoundingStep(DType dtype, double value);

} // namespace fart

#endif // FA_RUNTIME_DTYPE_H
