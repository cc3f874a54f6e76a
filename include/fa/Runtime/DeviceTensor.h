//===- DeviceTensor.h - A strided tensor in device memory -------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view of a larger buffer of its own. What lies around the elements is
// poison (NaN in every type): a kernel that reads it gives NaN, and one that
// writes it is found out.
//
//===----------------------------------------------------------------------===//

#ifndef FA_RUNTIME_DEVICETENSOR_H
#define FA_RUNTIME_DEVICETENSOR_H

#include "fa/Runtime/CudaDriver.h"
#include "fa/Runtime/HostTensor.h"

namespace fart {

/// The order of dimensions in memory, from the outermost: batch, heads,
/// sequence, head dim; or with the heads of one position together.
enum class MemoryOrder { BHSD, BSHD };

/// How a tensor lies in its buffer.
struct DeviceLayout {
  MemoryOrder order = MemoryOrder::BHSD;
  int64_t padRows = 0;    ///< Rows more in the buffer than in the tensor.
  int64_t padColumns = 0; ///< Likewise, of the head dim.
  int64_t offset = 0;     ///< Elements before the first one.
  /// All batches and heads are the same memory, by strides of 0.
  bool shared = false;

  /// Strides in elements of a tensor [batch, heads, rows(, columns)]. Fails if
  /// they overflow.
  Result<std::vector<int64_t>>
  getStrides(const std::vector<int64_t> &shape) const;
};

class DeviceTensor {
public:
  static Result<DeviceTensor> create(const cuda::Context &context, DType dtype,
                                     const std::vector<int64_t> &shape,
                                     const DeviceLayout &layout);

  /// A row-major table of any rank with the elements of `table`.
  static Result<DeviceTensor> createTable(const cuda::Context &context,
                                          const HostTensor &table);

  /// A copy at another address.
  Result<DeviceTensor> clone(const cuda::Context &context) const;

  const TensorView &getView() const { return view; }
  int64_t getBytes() const { return buffer.getBytes(); }

  /// Makes everything poison.
  Status poison();
  /// Makes everything poison, then copies the elements of `tensor`, which has
  /// the same shape.
  Status upload(const HostTensor &tensor);
  /// Copies the elements to `tensor`. Yields whether everything around them is
  /// still poison; of a padded tensor beyond 1 GiB only its two ends are looked
  /// at.
  Result<bool> download(HostTensor &tensor) const;

private:
  explicit DeviceTensor(cuda::DeviceBuffer buffer)
      : buffer(std::move(buffer)) {}

  /// Calls `fn(host offset, device offset)`, both in bytes, for each row of the
  /// innermost dimension, until it fails.
  template <typename Fn>
  Status forEachRow(const HostTensor &tensor, Fn fn) const;
  bool isDenseLike(const HostTensor &tensor) const;
  bool fitsImage() const;
  int64_t getRowBytes() const;

  cuda::DeviceBuffer buffer;
  TensorView view;
  int64_t first = 0; ///< Bytes of the buffer before the first element.
};

} // namespace fart

#endif // FA_RUNTIME_DEVICETENSOR_H
