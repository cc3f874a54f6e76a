//===- HostTensor.h - An owned strided tensor in host memory ----*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_RUNTIME_HOSTTENSOR_H
#define FA_RUNTIME_HOSTTENSOR_H

#include "fa/Runtime/DType.h"
#include "fa/Runtime/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fart {

/// A dense tensor that owns its 64-byte aligned memory. Strides are in
/// elements, as in a memref descriptor; they are those of row-major order
/// unless another order was asked for.
class HostTensor {
public:
  /// Allocates a tensor of zeros. Fails if an extent is negative, or if the
  /// size overflows or cannot be allocated.
  /// `order` lists the dimensions from the outermost to the innermost in
  /// memory; empty means in their own order. The last dimension must come last.
  static Result<HostTensor> create(DType dtype, std::vector<int64_t> shape,
                                   const std::vector<int64_t> &order = {});

  DType getDType() const { return dtype; }
  int64_t getRank() const { return static_cast<int64_t>(shape.size()); }
  const std::vector<int64_t> &getShape() const { return shape; }
  const std::vector<int64_t> &getStrides() const { return strides; }
  int64_t getNumElements() const { return numElements; }
  int64_t getNumBytes() const { return numElements * getByteWidth(dtype); }

  /// Whether offsets in memory are the row-major numbers of the elements.
  bool isRowMajor() const;

  void *data() { return buffer.get(); }
  const void *data() const { return buffer.get(); }

  /// Element access by the offset in memory, in elements.
  double get(int64_t index) const {
    return load(dtype, buffer.get() + index * getByteWidth(dtype));
  }
  int64_t getInteger(int64_t index) const {
    return loadInteger(dtype, buffer.get() + index * getByteWidth(dtype));
  }
  void set(int64_t index, double value) {
    store(dtype, value, buffer.get() + index * getByteWidth(dtype));
  }

  /// The offset of the element [b, h, s, 0] of a rank-4 tensor, or of [b, h, s]
  /// of a rank-3 one.
  int64_t rowIndex(int64_t b, int64_t h, int64_t s) const {
    return b * strides[0] + h * strides[1] + s * strides[2];
  }

  /// Sets every element.
  void fill(double value);

private:
  struct AlignedDelete {
    void operator()(std::byte *memory) const;
  };

  HostTensor() = default;

  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int64_t numElements = 0;
  std::unique_ptr<std::byte[], AlignedDelete> buffer;
};

/// "2x8x512x64", for messages.
std::string formatShape(const std::vector<int64_t> &shape);

} // namespace fart

#endif // FA_RUNTIME_HOSTTENSOR_H
