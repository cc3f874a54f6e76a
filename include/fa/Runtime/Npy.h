//===- Npy.h - Reading and writing .npy files -------------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The array format of NumPy, versions 1 to 3. NumPy has no bfloat16 of its own;
// the convention here:
//
//   dtype | written | read
//   f32   | '<f4'   | '<f4'
//   f16   | '<f2'   | '<f2'
//   bf16  | '<V2'   | '<V2', '|V2' (what ml_dtypes saves), '<u2' (raw bits)
//   i32   | '<i4'   | '<i4'
//   i64   | '<i8'   | '<i8'
//   i1    | '|b1'   | '|b1'
//
// A file never says by itself that it holds bf16, so the reader is told the
// type that it expects. From NumPy:
// `numpy.load(path).view(ml_dtypes.bfloat16)`.
//
//===----------------------------------------------------------------------===//

#ifndef FA_RUNTIME_NPY_H
#define FA_RUNTIME_NPY_H

#include "fa/Runtime/HostTensor.h"
#include "fa/Runtime/OutputFile.h"

namespace fart {

/// Reads a whole .npy file whose elements are of type `expected`. An array in
/// Fortran order is transposed on load, so that the result is row-major. Fails
/// with one message that starts with the path.
Result<HostTensor> readNpy(const std::string &path, DType expected);

/// Writes `tensor` as .npy version 1 into `file`, which the caller commits.
Status writeNpy(const HostTensor &tensor, OutputFile &file);

/// Writes `tensor` to `path`; the file appears whole or not at all.
Status writeNpy(const HostTensor &tensor, const std::string &path);

} // namespace fart

#endif // FA_RUNTIME_NPY_H
