//===- Report.cpp - What fa-launch prints ---------------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>

using namespace fart;
using nlohmann::ordered_json;

/// The usual printf, to a string.
[[gnu::format(printf, 1, 2)]] static std::string format(const char *text, ...) {
  char buffer[512];
  va_list arguments;
  va_start(arguments, text);
  std::vsnprintf(buffer, sizeof(buffer), text, arguments);
  va_end(arguments);
  return buffer;
}

static double getTFlops(const Problem &problem, double seconds) {
  return problem.getFlops() / seconds * 1e-12;
}

static std::string formatCapability(ComputeCapability capability) {
  return std::to_string(capability / 10) + "." +
         std::to_string(capability % 10);
}

static void printKernel(const PackageKernel &kernel, int64_t grid,
                        std::ostream &os) {
  os << "kernel     " << kernel.entry << " for " << kernel.target << ", "
     << grid << " blocks of " << kernel.block << " threads, "
     << kernel.sramBytes << " bytes of SRAM";
}

/// "12 bytes" for people, or why it is not known.
static std::string formatBytes(const Formula &formula, const Problem &problem) {
  Result<int64_t> bytes = formula.evaluate(getSizes(problem));
  return bytes ? std::to_string(*bytes) + " bytes" : bytes.error().message;
}

static void printTraffic(const std::optional<HbmBytes> &bytes,
                         const Problem &problem, std::ostream &os) {
  if (bytes)
    os << "hbm        " << formatBytes(bytes->read, problem) << " read, "
       << formatBytes(bytes->written, problem)
       << " written, as counted by the compiler\n";
}

static void printAccuracy(const char *name, const Accuracy &accuracy,
                          std::ostream &os) {
  os << format("%-11serror %.3g, tolerance %.3g (plain program %.3g)", name,
               accuracy.error, accuracy.tolerance, accuracy.plainError);
  if (!accuracy.passed())
    os << ", worst at batch " << accuracy.worst.b << ", head "
       << accuracy.worst.h << ", query " << accuracy.worst.i;
  os << '\n';
}

void fart::printReport(const LaunchReport &report,
                       const cuda::DeviceInfo &device, std::ostream &os) {
  const PackageKernel &kernel = *report.kernel;
  const GpuRun &run = report.run;
  os << "problem    " << report.problem.describe() << '\n';
  os << "device     " << device.name << ", compute capability "
     << formatCapability(device.capability) << ", driver for CUDA "
     << device.driverVersion << '\n';
  printKernel(kernel, run.grid, os);
  os << ", " << run.registers << " registers";
  if (kernel.registers && *kernel.registers != run.registers)
    os << " (manifest: " << *kernel.registers << ")";
  if (run.localBytes)
    os << ", " << run.localBytes << " bytes of local memory a thread";
  if (!kernel.schedule.empty())
    os << ", schedule " << kernel.schedule;
  os << '\n';
  printTraffic(report.hbmBytes, report.problem, os);
  os << format("load       %.1f ms\n", run.loadSeconds * 1e3);
  if (run.times) {
    const GpuTimes &times = *run.times;
    os << format(
        "run        %.4f ms, %.1f TFLOP/s (median of %d over %d copies, "
        "best %.4f ms)\n",
        times.medianSeconds * 1e3,
        getTFlops(report.problem, times.medianSeconds),
        static_cast<int>(times.numRuns), static_cast<int>(times.numCopies),
        times.minSeconds * 1e3);
    os << format("series     %.4f ms, %.1f TFLOP/s (back to back)\n",
                 times.backToBackSeconds * 1e3,
                 getTFlops(report.problem, times.backToBackSeconds));
  }
  if (report.repeat > 1 && run.failure.empty())
    os << "repeat     " << report.repeat << " runs, equal bit by bit\n";
  if (!run.failure.empty())
    os << "failure    " << run.failure << '\n';
  if (!report.check)
    return;
  printAccuracy("O", report.check->output, os);
  if (report.check->lse)
    printAccuracy("LSE", *report.check->lse, os);
  os << "check      " << report.check->rowsChecked << " of "
     << report.check->rowsTotal << " rows against the fp64 reference: "
     << (report.passed() ? "PASS" : "FAIL") << '\n';
}

void fart::printSummary(const std::string &name, const LaunchReport &report,
                        std::ostream &os) {
  const GpuRun &run = report.run;
  bool verdict = report.check || report.repeat > 1;
  os << (!report.passed() ? "FAIL "
         : verdict        ? "PASS "
                          : "DONE ")
     << name << " (" << report.problem.describe() << ")";
  if (!run.failure.empty())
    os << ": " << run.failure;
  if (report.check && !report.check->passed()) {
    os << format(": O %.3g of %.3g", report.check->output.error,
                 report.check->output.tolerance);
    if (const std::optional<Accuracy> &lse = report.check->lse)
      os << format(", LSE %.3g of %.3g", lse->error, lse->tolerance);
  }
  if (run.times)
    os << format(": %.4f ms, %.1f TFLOP/s, back to back %.1f TFLOP/s",
                 run.times->medianSeconds * 1e3,
                 getTFlops(report.problem, run.times->medianSeconds),
                 getTFlops(report.problem, run.times->backToBackSeconds));
  os << std::endl;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// JSON has no infinity and no NaN: those become null.
static ordered_json makeNumber(double value) {
  if (!std::isfinite(value))
    return nullptr;
  return value;
}

/// The number, or null where it is not known.
static ordered_json makeBytes(const Formula &formula, const Problem &problem) {
  Result<int64_t> bytes = formula.evaluate(getSizes(problem));
  if (!bytes)
    return nullptr;
  return *bytes;
}

static ordered_json makeJSON(const Accuracy &accuracy) {
  return {{"error", makeNumber(accuracy.error)},
          {"tolerance", makeNumber(accuracy.tolerance)},
          {"plain_error", makeNumber(accuracy.plainError)},
          {"passed", accuracy.passed()}};
}

ordered_json fart::makeJSON(const LaunchReport &report,
                            const cuda::DeviceInfo &device) {
  const Problem &problem = report.problem;
  const PackageKernel &kernel = *report.kernel;
  const GpuRun &run = report.run;
  ordered_json json = {
      {"problem",
       {{"batch", problem.batch},
        {"heads", problem.heads},
        {"kv_heads", problem.kvHeads},
        {"seq_q", problem.seqQ},
        {"seq_kv", problem.seqKV},
        {"head_dim", problem.headDim},
        {"head_dim_v", problem.headDimV},
        {"dtype", getName(problem.dtype)},
        {"mask", formatBand(problem.mask)},
        {"scale", problem.scale}}},
      {"target", kernel.target},
      {"device",
       {{"name", device.name},
        {"compute_capability", formatCapability(device.capability)},
        {"cuda", device.driverVersion}}},
      {"kernel",
       {{"entry", kernel.entry},
        {"schedule", kernel.schedule},
        {"grid", run.grid},
        {"block", kernel.block},
        {"sram_bytes", kernel.sramBytes},
        {"registers", run.registers},
        {"local_bytes", run.localBytes}}},
      {"load_ms", run.loadSeconds * 1e3}};
  if (report.hbmBytes)
    json["hbm_bytes"] = {
        {"read", makeBytes(report.hbmBytes->read, problem)},
        {"written", makeBytes(report.hbmBytes->written, problem)}};
  if (run.times) {
    const GpuTimes &times = *run.times;
    json["run_ms"] = times.medianSeconds * 1e3;
    json["run_min_ms"] = times.minSeconds * 1e3;
    json["back_to_back_ms"] = times.backToBackSeconds * 1e3;
    json["runs"] = times.numRuns;
    json["copies"] = times.numCopies;
    json["tflops"] = makeNumber(getTFlops(problem, times.medianSeconds));
    json["back_to_back_tflops"] =
        makeNumber(getTFlops(problem, times.backToBackSeconds));
  }
  json["repeat"] = report.repeat;
  if (!run.failure.empty())
    json["failure"] = run.failure;
  if (report.check)
    json["check"] = {{"output", ::makeJSON(report.check->output)},
                     {"lse", report.check->lse ? ::makeJSON(*report.check->lse)
                                               : nlohmann::ordered_json()},
                     {"rows_checked", report.check->rowsChecked},
                     {"rows_total", report.check->rowsTotal},
                     {"passed", report.check->passed()}};
  json["passed"] = report.passed();
  return json;
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

template <typename T>
static std::string join(const std::vector<T> &values) {
  std::string text;
  for (const T &value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

void fart::printPlan(const Package &package, const Problem &problem,
                     const PackageKernel &kernel, const LaunchPlan &plan,
                     std::ostream &os) {
  os << "package    " << package.name << ", " << package.kernels.size()
     << (package.kernels.size() == 1 ? " kernel\n" : " kernels\n");
  os << "problem    " << problem.describe() << ", scale " << problem.scale
     << '\n';
  printKernel(kernel, plan.grid, os);
  os << '\n';
  if (plan.residentBlocks)
    os << "launch     at most " << plan.residentBlocks
       << (plan.residentBlocks == 1 ? " block" : " blocks")
       << " a multiprocessor, which take the blocks above in turn\n";
  auto number = static_cast<size_t>(&kernel - package.kernels.data());
  for (size_t step : package.getSteps(number))
    if (step != number)
      os << "then       " << package.kernels[step].entry << ", blocks of "
         << package.kernels[step].block << " threads, "
         << package.kernels[step].sramBytes << " bytes of SRAM\n";
  printTraffic(package.getHbmBytes(number), problem, os);
  for (const LaunchArgument &argument : plan.arguments) {
    if (const auto *descriptor = std::get_if<DescriptorWords>(&argument)) {
      const std::vector<int64_t> &words = descriptor->words;
      auto sizes = words.begin() + 3;
      auto strides = sizes + static_cast<int64_t>(words.size() - 3) / 2;
      os << "memref     " << getName(descriptor->tensor) << " sizes "
         << join(std::vector(sizes, strides)) << ", strides "
         << join(std::vector(strides, words.end())) << '\n';
      continue;
    }
    if (const auto *extra = std::get_if<ExtraWords>(&argument)) {
      os << extra->argument.describe();
      if (!extra->argument.shape)
        os << ": bits " << extra->words[0];
      os << '\n';
      continue;
    }
    if (std::holds_alternative<CounterArgument>(argument)) {
      os << "counter    4 bytes that are 0\n";
      continue;
    }
    const auto &map = std::get<TensorMapSpec>(argument);
    os << "tensor map " << getName(map.tensor) << " sizes " << join(map.sizes)
       << ", strides " << join(map.strides) << " bytes, box " << join(map.box)
       << ", swizzle " << map.swizzle << '\n';
  }
}
