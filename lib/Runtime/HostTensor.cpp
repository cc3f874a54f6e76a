//===- HostTensor.cpp - An owned strided tensor in host memory ------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/HostTensor.h"

#include <cstring>
#include <new>

using namespace fart;

static constexpr std::align_val_t bufferAlignment{64};

void HostTensor::AlignedDelete::operator()(std::byte *memory) const {
  ::operator delete(memory, bufferAlignment);
}

Result<HostTensor> HostTensor::create(DType dtype, std::vector<int64_t> shape,
                                      const std::vector<int64_t> &order) {
  HostTensor tensor;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  tensor.strides.resize(tensor.shape.size());

  // Strides and sizes from the innermost extent outwards, every step checked.
  int64_t bytes = getByteWidth(dtype);
  int64_t elements = 1;
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    size_t dim = order.empty() ? i : static_cast<size_t>(order[i]);
    int64_t extent = tensor.shape[dim];
    if (extent < 0)
      return Error{// untested: callers have checked the sign
                   "negative extent in shape " + formatShape(tensor.shape)};
    tensor.strides[dim] = elements;
    if (__builtin_mul_overflow(elements, extent, &elements) ||
        __builtin_mul_overflow(bytes, extent, &bytes))
      return Error{"the size of a tensor of shape " +
                   formatShape(tensor.shape) + " overflows 64 bits"};
  }
  tensor.numElements = elements;

  auto size = static_cast<size_t>(bytes);
  void *memory = ::operator new(size, bufferAlignment, std::nothrow);
  if (!memory)
    return Error{// untested: needs a machine that runs out of memory
                 "cannot allocate " + std::to_string(bytes) +
                 " bytes for a tensor of shape " + formatShape(tensor.shape)};
  std::memset(memory, 0, size);
  tensor.buffer.reset(static_cast<std::byte *>(memory));
  return tensor;
}

bool HostTensor::isRowMajor() const {
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0; expected *= shape[i])
    if (strides[i] != expected)
      return false;
  return true;
}

void HostTensor::fill(double value) {
  for (int64_t i = 0; i < numElements; ++i)
    set(i, value);
}

std::string fart::formatShape(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape) {
    if (!text.empty())
      text += 'x';
    text += std::to_string(extent);
  }
  return text.empty() ? "()" : text;
}
