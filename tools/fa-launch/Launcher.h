//===- Launcher.h - Runs, checks and times a package ------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_TOOLS_FALAUNCH_LAUNCHER_H
#define FA_TOOLS_FALAUNCH_LAUNCHER_H

#include "Options.h"
#include "fa/Runtime/ThreadPool.h"

#include <memory>
#include <optional>

namespace fart {

/// What came out of one case.
struct LaunchReport {
  Problem problem;
  std::optional<HbmBytes> hbmBytes; ///< Of all kernels of a launch.
  const PackageKernel *kernel = nullptr;
  int64_t repeat = 1;
  GpuRun run;
  std::optional<CheckResult> check;

  bool passed() const {
    return run.failure.empty() && (!check || check->passed());
  }
};

/// Runs problems on one device, one after the other.
class Launcher {
public:
  static Result<std::unique_ptr<Launcher>> create(Package package,
                                                  int64_t device);

  Result<LaunchReport> run(const LaunchOptions &options);

  const cuda::DeviceInfo &getDevice() const { return context.getDevice(); }
  const Package &getPackage() const { return program.getPackage(); }

  /// Whether the device still works: a kernel that accessed a wrong address, or
  /// that did not end, takes the whole process with it.
  bool isAlive() const;

private:
  Launcher(cuda::Context context, Package package)
      : context(std::move(context)),
        program(this->context, std::move(package)) {}

  cuda::Context context;
  GpuProgram program;
  ThreadPool pool;
};

/// Reads the inputs that `options` name and states the shapes of Q, K and V in
/// `options.sizes`.
struct Inputs {
  std::optional<HostTensor> query, key, value;
  ExtraInputs extras;

  Status read(LaunchOptions &options, const Package &package);
};

} // namespace fart

#endif // FA_TOOLS_FALAUNCH_LAUNCHER_H
