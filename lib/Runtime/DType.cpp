//===- DType.cpp - Element types and their rounding -----------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/DType.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace fart;

namespace {

/// A binary floating-point format: sign, exponent, mantissa.
struct Format {
  int exponentBits;
  int mantissaBits;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  int minExponent() const { return 1 - bias(); }
  uint32_t infinity() const {
    return ((1u << exponentBits) - 1) << mantissaBits;
  }
  uint32_t signBit() const { return 1u << (exponentBits + mantissaBits); }
};

constexpr std::array<Format, 3> formats = {
    {{8, 23}, {5, 10}, {8, 7}}}; // f32, f16, bf16

/// Names and bytes, by DType.
struct Storage {
  std::string_view name;
  int64_t bytes;
};
constexpr std::array<Storage, 6> storages = {
    {{"f32", 4}, {"f16", 2}, {"bf16", 2}, {"i32", 4}, {"i64", 8}, {"i1", 1}}};

const Storage &getStorage(DType dtype) {
  return storages[static_cast<size_t>(dtype)];
}

const Format &getFormat(DType dtype) {
  return formats[static_cast<size_t>(dtype)];
}

/// Exponent of the binade of `magnitude`, no lower than that of the subnormals.
int getExponent(const Format &format, double magnitude) {
  if (magnitude == 0)
    return format.minExponent();
  return std::max(std::ilogb(magnitude), format.minExponent());
}

uint32_t encode(const Format &format, double value) {
  uint32_t sign = std::signbit(value) ? format.signBit() : 0;
  if (std::isnan(value))
    return sign | format.infinity() | (1u << (format.mantissaBits - 1));
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | format.infinity();
  if (std::ilogb(magnitude) > format.bias())
    return sign | format.infinity();

  // Count in units of the last place; scaling by a power of two is exact, so
  // this rounds once. A count that rounds up to the next binade carries into
  // the exponent field, and from the largest number into infinity, as it must.
  int exponent = getExponent(format, magnitude);
  auto units = static_cast<uint32_t>(
      std::nearbyint(std::scalbn(magnitude, format.mantissaBits - exponent)));
  auto field = static_cast<uint32_t>(exponent - format.minExponent());
  return sign | ((field << format.mantissaBits) + units);
}

double decode(const Format &format, uint32_t bits) {
  uint32_t magnitude = bits & (format.signBit() - 1);
  uint32_t mantissa = magnitude & ((1u << format.mantissaBits) - 1);
  auto field = static_cast<int>(magnitude >> format.mantissaBits);
  double value;
  if (magnitude >= format.infinity())
    value = mantissa ? std::numeric_limits<double>::quiet_NaN()
                     : std::numeric_limits<double>::infinity();
  else if (field == 0)
    value = std::scalbn(mantissa, format.minExponent() - format.mantissaBits);
  else
    value = std::scalbn(mantissa | (1u << format.mantissaBits),
                        field - format.bias() - format.mantissaBits);
  return bits & format.signBit() ? -value : value;
}

} // namespace

std::string_view fart::getName(DType dtype) { return getStorage(dtype).name; }

bool fart::isFloat(DType dtype) {
  return static_cast<size_t>(dtype) < formats.size();
}

std::optional<DType> fart::parseDType(std::string_view name) {
  for (size_t i = 0; i < storages.size(); ++i)
    if (storages[i].name == name)
      return static_cast<DType>(i);
  return std::nullopt;
}

int64_t fart::getByteWidth(DType dtype) { return getStorage(dtype).bytes; }

int fart::getMantissaBits(DType dtype) { return getFormat(dtype).mantissaBits; }

int64_t fart::loadInteger(DType dtype, const void *address) {
  if (dtype == DType::I32) {
    int32_t value;
    std::memcpy(&value, address, sizeof(value));
    return value;
  }
  if (dtype == DType::I1)
    return *static_cast<const uint8_t *>(address) & 1;
  int64_t value;
  std::memcpy(&value, address, sizeof(value));
  return value;
}

void fart::storeInteger(DType dtype, int64_t value, void *address) {
  if (dtype == DType::I1)
    value &= 1;
  // The low bytes come first.
  std::memcpy(address, &value, getByteWidth(dtype));
}

double fart::load(DType dtype, const void *address) {
  if (!isFloat(dtype))
    return static_cast<double>(loadInteger(dtype, address));
  if (dtype == DType::F32) {
    float value;
    std::memcpy(&value, address, sizeof(value));
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, address, sizeof(bits));
  if (dtype == DType::BF16) // The upper half of an f32.
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  return decode(getFormat(dtype), bits);
}

void fart::store(DType dtype, double value, void *address) {
  if (dtype == DType::F32) {
    auto rounded = static_cast<float>(value);
    std::memcpy(address, &rounded, sizeof(rounded));
    return;
  }
  auto bits = static_cast<uint16_t>(encode(getFormat(dtype), value));
  std::memcpy(address, &bits, sizeof(bits));
}

double fart::roundTo(DType dtype, double value) {
  if (dtype == DType::F32)
    return static_cast<float>(value);
  return decode(getFormat(dtype), encode(getFormat(dtype), value));
}

float fart::roundToTF32(float value) {
  if (!std::isfinite(value))
    return value;
  constexpr uint32_t half = 1 << 12; // of the last bit that stays
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  bits = (bits + half) & ~(2 * half - 1);
  std::memcpy(&value, &bits, sizeof(bits));
  return value;
}

double fart::getRoundingStep(DType dtype, double value) {
  const Format &format = getFormat(dtype);
  return std::scalbn(1.0, getExponent(format, std::fabs(value)) -
                              format.mantissaBits);
}
