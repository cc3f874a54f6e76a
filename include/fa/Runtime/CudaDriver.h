//===- CudaDriver.h - A small layer over the CUDA driver --------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the driver hands out is owned by an object here and given back by its
// destructor. A call that fails says which one, with the driver's name and text
// for the error. A Context must outlive what was made while it was current.
//
//===----------------------------------------------------------------------===//

#ifndef FA_RUNTIME_CUDADRIVER_H
#define FA_RUNTIME_CUDADRIVER_H

#include "fa/Runtime/LaunchPlan.h"
#include "fa/Runtime/Result.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;

namespace fart::cuda {

struct DeviceInfo {
  std::string name;
  ComputeCapability capability = 0;
  int64_t multiprocessors = 0;
  int64_t l2Bytes = 0;
  int64_t memoryBytes = 0;
  int64_t maxSharedBytes = 0; ///< Of one block.
  std::string driverVersion;  ///< Of CUDA: "12.4".
};

/// Whether a CUDA driver with a device is there, or why not.
Status checkAvailable();

/// The primary context of a device, current on the thread that made it.
class Context {
public:
  static Result<Context> create(int ordinal = 0);

  const DeviceInfo &getDevice() const { return info; }
  /// Bytes of device memory that are free.
  Result<int64_t> getFreeMemory() const;

private:
  struct Release {
    int device;
    void operator()(CUctx_st *context) const;
  };
  Context() = default;

  DeviceInfo info;
  std::unique_ptr<CUctx_st, Release> handle{nullptr, Release{0}};
};

class Stream {
public:
  static Result<Stream> create(const Context &context);
  /// A stream that the caller owns; null is the driver's default stream.
  static Stream borrow(CUstream_st *handle);

  /// Waits until everything in the stream is done. A kernel that takes longer
  /// than `timeout` is given up: the error says so, and the process must end,
  /// since the driver offers no way to stop a kernel (see wasAbandoned).
  Status synchronize(std::chrono::duration<double> timeout) const;

  CUstream_st *get() const { return handle.get(); }

private:
  struct Destroy {
    bool isOwner;
    void operator()(CUstream_st *stream) const;
  };
  Stream() = default;

  std::unique_ptr<CUstream_st, Destroy> handle{nullptr, Destroy{true}};
};

/// Whether a kernel was given up. Leave through std::_Exit then: the driver's
/// own clean-up would wait for the kernel.
bool wasAbandoned();

class Event {
public:
  static Result<Event> create(const Context &context);

  Status record(const Stream &stream) const;
  /// Seconds from `begin` to this one; both have happened.
  Result<double> getSecondsSince(const Event &begin) const;

private:
  struct Destroy {
    void operator()(CUevent_st *event) const;
  };
  std::unique_ptr<CUevent_st, Destroy> handle;
};

/// Bytes in device memory.
class DeviceBuffer {
public:
  static Result<DeviceBuffer> allocate(const Context &context, int64_t bytes);

  DeviceBuffer(DeviceBuffer &&other) noexcept;
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept;
  ~DeviceBuffer();

  uint64_t getAddress() const { return address; }
  int64_t getBytes() const { return bytes; }

  Status upload(int64_t offset, const void *from, int64_t bytes);
  Status download(int64_t offset, void *to, int64_t bytes) const;
  /// Copies as many bytes as this buffer has from `other`.
  Status copyFrom(const DeviceBuffer &other);
  /// Sets every word of 32 bits; what is left at the end keeps its value.
  Status fill(uint32_t word);

private:
  DeviceBuffer() = default;

  uint64_t address = 0;
  int64_t bytes = 0;
};

/// A function of a module, which must outlive it.
class Function {
public:
  int64_t getRegisters() const { return registers; }
  /// Bytes of local memory of a thread: not 0 if registers were spilled.
  int64_t getLocalBytes() const { return localBytes; }

  /// Allows blocks with that much dynamic shared memory.
  Status setSharedBytes(const Context &context, int64_t bytes) const;
  /// Fails if the parameters do not have exactly these sizes. Does nothing with
  /// drivers that cannot tell (before CUDA 12.4).
  Status checkParameters(const std::vector<size_t> &sizes) const;
  /// Puts a launch into the stream. `parameters` are addresses of the values.
  Status launch(const Stream &stream, int64_t grid, int64_t block,
                int64_t sharedBytes, void **parameters) const;

private:
  friend class Module;

  std::string name;
  CUfunc_st *handle = nullptr;
  int64_t registers = 0;
  int64_t localBytes = 0;
};

/// PTX that the driver has compiled.
class Module {
public:
  /// `name` stands for the PTX in the error, which has the log of the driver's
  /// compiler.
  static Result<Module> load(const Context &context, const std::string &ptx,
                             const std::string &name);

  Result<Function> getFunction(const std::string &name) const;

  /// What the driver's compiler said: registers, spills, warnings.
  const std::string &getLog() const { return log; }

private:
  struct Unload {
    void operator()(CUmod_st *module) const;
  };

  std::string name;
  std::string log;
  std::unique_ptr<CUmod_st, Unload> handle;
};

/// A CUtensorMap, passed to kernels by value.
struct alignas(128) TensorMap {
  static Result<TensorMap> encode(const TensorMapSpec &spec);

  std::byte bytes[128];
};

} // namespace fart::cuda

#endif // FA_RUNTIME_CUDADRIVER_H
