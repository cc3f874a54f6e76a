//===- DeviceTensor.cpp - A strided tensor in device memory ---------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/DeviceTensor.h"

#include <algorithm>
#include <cstring>

using namespace fart;

/// NaN in f32, and twice NaN in f16 and bf16.
static constexpr uint32_t poisonWord = 0x7fff7fff;
/// Bytes of poison before and after a tensor.
static constexpr int64_t guardBytes = 4096;
/// Up to here the whole buffer is copied at once, through host memory.
static constexpr int64_t maxImageBytes = int64_t(1) << 30;

/// Sets bytes to poison. `memory` lies at an even distance from the begin of
/// the buffer, where the pattern has a period of two bytes.
static void fillPoison(std::byte *memory, int64_t bytes) {
  for (int64_t i = 0; i < bytes; ++i)
    memory[i] = static_cast<std::byte>(i % 2 ? poisonWord >> 8 : poisonWord);
}

static bool isPoison(const std::byte *memory, int64_t bytes) {
  for (int64_t i = 0; i < bytes; ++i)
    if (memory[i] !=
        static_cast<std::byte>(i % 2 ? poisonWord >> 8 : poisonWord))
      return false;
  return true;
}

Result<std::vector<int64_t>>
DeviceLayout::getStrides(const std::vector<int64_t> &shape) const {
  std::vector<size_t> dims = {0, 1, 2, 3}; // From the outermost.
  if (order == MemoryOrder::BSHD)
    std::swap(dims[1], dims[2]);
  dims.resize(shape.size());
  if (shape.size() == 3) // LSE lies as [batch, heads, rows] in any order.
    dims = {0, 1, 2};

  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
    strides[*dim] = stride;
    int64_t extent = shape[*dim];
    int64_t pad = *dim == 2 ? padRows : *dim == 3 ? padColumns : 0;
    // The width of an element is left as a factor of 8.
    if (__builtin_add_overflow(extent, pad, &extent) ||
        __builtin_mul_overflow(stride, extent, &stride) ||
        stride > INT64_MAX / 8)
      return Error{"the size of a padded tensor of shape " +
                   formatShape(shape) + " overflows 64 bits"};
  }
  if (shared)
    strides[0] = strides[1] = 0;
  return strides;
}

Result<DeviceTensor> DeviceTensor::create(const cuda::Context &context,
                                          DType dtype,
                                          const std::vector<int64_t> &shape,
                                          const DeviceLayout &layout) {
  Result<std::vector<int64_t>> strides = layout.getStrides(shape);
  if (!strides)
    return strides.error();
  int64_t width = getByteWidth(dtype);
  int64_t span = 1;
  for (size_t d = 0; d < shape.size(); ++d)
    span += (shape[d] - 1) * (*strides)[d];
  int64_t first = guardBytes + layout.offset * width;
  int64_t bytes = first + span * width + guardBytes;
  Result<cuda::DeviceBuffer> buffer =
      cuda::DeviceBuffer::allocate(context, (bytes + 3) / 4 * 4);
  if (!buffer)
    return buffer.error();
  DeviceTensor tensor(std::move(*buffer));
  tensor.first = first;
  tensor.view = {tensor.buffer.getAddress() + static_cast<uint64_t>(first),
                 dtype, shape, std::move(*strides)};
  return tensor;
}

Result<DeviceTensor> DeviceTensor::createTable(const cuda::Context &context,
                                               const HostTensor &table) {
  // In memory, a row of all elements.
  Result<DeviceTensor> tensor =
      create(context, table.getDType(), {1, 1, table.getNumElements()}, {});
  if (!tensor)
    return tensor;
  if (Status status = tensor->poison(); !status)
    return status.error();
  if (table.getNumElements() > 0)
    if (Status status = tensor->buffer.upload(tensor->first, table.data(),
                                              table.getNumBytes());
        !status)
      return status.error();
  tensor->view.shape = table.getShape();
  tensor->view.strides = table.getStrides();
  return tensor;
}

Result<DeviceTensor> DeviceTensor::clone(const cuda::Context &context) const {
  Result<cuda::DeviceBuffer> copy =
      cuda::DeviceBuffer::allocate(context, buffer.getBytes());
  if (!copy)
    return copy.error();
  if (Status status = copy->copyFrom(buffer); !status)
    return status.error();
  DeviceTensor tensor(std::move(*copy));
  tensor.first = first;
  tensor.view = view;
  tensor.view.address =
      tensor.buffer.getAddress() + static_cast<uint64_t>(first);
  return tensor;
}

int64_t DeviceTensor::getRowBytes() const {
  return view.shape.back() * getByteWidth(view.dtype);
}

bool DeviceTensor::fitsImage() const {
  return buffer.getBytes() <= maxImageBytes;
}

/// Whether host and device hold the elements in one piece, in the same order.
bool DeviceTensor::isDenseLike(const HostTensor &tensor) const {
  int64_t span = 1;
  for (size_t d = 0; d < view.shape.size(); ++d) {
    span += (view.shape[d] - 1) * view.strides[d];
    if (view.shape[d] > 1 && view.strides[d] != tensor.getStrides()[d])
      return false;
  }
  return span == tensor.getNumElements();
}

template <typename Fn>
Status DeviceTensor::forEachRow(const HostTensor &tensor, Fn fn) const {
  int64_t width = getByteWidth(view.dtype);
  // All dimensions but the innermost; a tensor of rank 3 has one less.
  int64_t rows = view.shape.size() == 4 ? view.shape[2] : 1;
  int64_t rowStride = view.shape.size() == 4 ? view.strides[2] : 0;
  for (int64_t b = 0; b < view.shape[0]; ++b)
    for (int64_t h = 0; h < view.shape[1]; ++h)
      for (int64_t s = 0; s < rows; ++s) {
        int64_t offset =
            b * view.strides[0] + h * view.strides[1] + s * rowStride;
        if (Status status =
                fn(tensor.rowIndex(b, h, s) * width, first + offset * width);
            !status)
          return status;
      }
  return Success{};
}

Status DeviceTensor::poison() { return buffer.fill(poisonWord); }

Status DeviceTensor::upload(const HostTensor &tensor) {
  const auto *source = static_cast<const std::byte *>(tensor.data());
  int64_t rowBytes = getRowBytes();
  if (fitsImage()) {
    std::vector<std::byte> image(buffer.getBytes());
    fillPoison(image.data(), buffer.getBytes());
    (void)forEachRow(tensor, [&](int64_t from, int64_t to) -> Status {
      std::memcpy(image.data() + to, source + from, rowBytes);
      return Success{};
    });
    return buffer.upload(0, image.data(), buffer.getBytes());
  }
  if (Status status = poison(); !status)
    return status;
  if (isDenseLike(tensor))
    return buffer.upload(first, source, tensor.getNumBytes());
  return forEachRow(tensor, [&](int64_t from, int64_t to) {
    return buffer.upload(to, source + from, rowBytes);
  });
}

Result<bool> DeviceTensor::download(HostTensor &tensor) const {
  auto *target = static_cast<std::byte *>(tensor.data());
  int64_t bytes = buffer.getBytes(), rowBytes = getRowBytes();
  if (fitsImage()) {
    std::vector<std::byte> image(bytes);
    if (Status status = buffer.download(0, image.data(), bytes); !status)
      return status.error();
    (void)forEachRow(tensor, [&](int64_t to, int64_t from) -> Status {
      std::memcpy(target + to, image.data() + from, rowBytes);
      fillPoison(image.data() + from, rowBytes);
      return Success{};
    });
    return isPoison(image.data(), bytes / 4 * 4);
  }

  Status status = isDenseLike(tensor)
                      ? buffer.download(first, target, tensor.getNumBytes())
                      : forEachRow(tensor, [&](int64_t to, int64_t from) {
                          return buffer.download(from, target + to, rowBytes);
                        });
  if (!status)
    return status.error();
  bool intact = true;
  std::vector<std::byte> guard(guardBytes);
  for (int64_t offset : {int64_t(0), bytes - guardBytes}) {
    if (status = buffer.download(offset, guard.data(), guardBytes); !status)
      return status.error();
    // The tensor may end up to two bytes after the begin of the last guard.
    intact &= isPoison(guard.data() + (offset ? 4 : 0),
                       guardBytes - (offset ? 4 : 0));
  }
  return intact;
}
