//===- Report.cpp - What fa-run prints ------------------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fa;

/// "batch 1, heads 8 on 2, 512 queries on 512 keys, head dim 64, f32, causal".
static std::string describe(const AttentionProblem &problem) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "batch " << problem.batch << ", heads " << problem.heads;
  if (problem.kvHeads != problem.heads)
    os << " on " << problem.kvHeads;
  os << ", " << problem.seqQ << " queries on " << problem.seqKV
     << " keys, head dim " << problem.headDim;
  if (problem.headDimV != problem.headDim)
    os << " and " << problem.headDimV;
  os << ", " << fart::getName(problem.dtype) << ", mask " << problem.mask.str();
  if (problem.backward)
    os << ", backward";
  return text;
}

static void printAccuracy(StringRef name, const fart::Accuracy &accuracy,
                          raw_ostream &os) {
  os << llvm::format("%-11serror %.3g, tolerance %.3g (plain program %.3g)",
                     name.str().c_str(), accuracy.error, accuracy.tolerance,
                     accuracy.plainError);
  if (!accuracy.passed())
    os << ", worst at batch " << accuracy.worst.b << ", head "
       << accuracy.worst.h << ", query " << accuracy.worst.i;
  os << '\n';
}

static double getTFlops(const AttentionProblem &problem, double seconds) {
  return problem.getFlops() / seconds * 1e-12;
}

static std::string formatCapability(fart::ComputeCapability capability) {
  return std::to_string(capability / 10) + "." +
         std::to_string(capability % 10);
}

/// Where and how it ran on a CPU.
static void printCPURun(const RunReport &report, raw_ostream &os) {
  os << "target     cpu, level " << report.level << ", threads "
     << report.threads << '\n';
  if (!report.fallback.empty())
    os << "fallback   " << report.fallback << '\n';
  os << llvm::format(
      "compile    %.1f ms (passes %.1f, machine code %.1f)\n",
      (report.compileTime.pipeline + report.compileTime.codegen) * 1e3,
      report.compileTime.pipeline * 1e3, report.compileTime.codegen * 1e3);
  os << llvm::format("run        %.3f ms, %.1f GFLOP/s",
                     report.runSeconds * 1e3, report.getGFlops());
  if (report.numRuns > 1)
    os << llvm::format(" (median of %d, best %.3f ms)",
                       static_cast<int>(report.numRuns),
                       report.minSeconds * 1e3);
  os << '\n';
  if (report.peakBytes)
    os << llvm::format("memory     %.1f MB at the peak\n",
                       static_cast<double>(*report.peakBytes) * 1e-6);
}

/// Where and how it ran on a GPU. A single run is not timed: it would tell of
/// cold caches and clocks.
static void printGPURun(const AttentionProblem &problem,
                        const GPUReport &report, raw_ostream &os) {
  const fart::PackageKernel &kernel = report.kernel;
  const fart::GpuRun &run = report.run;
  os << "target     " << kernel.target << " on " << report.device.name
     << ", compute capability " << formatCapability(report.device.capability)
     << ", driver for CUDA " << report.device.driverVersion << '\n';
  os << "kernel     " << kernel.entry << ", " << run.grid << " blocks of "
     << kernel.block << " threads, " << kernel.sramBytes << " bytes of SRAM, "
     << run.registers << " registers";
  if (run.localBytes)
    os << ", " << run.localBytes << " bytes of local memory a thread";
  if (!kernel.schedule.empty())
    os << ", schedule " << kernel.schedule;
  os << '\n';
  os << llvm::format(
      "compile    %.1f ms (passes %.1f, PTX %.1f, load %.1f)\n",
      (report.pipelineSeconds + report.ptxSeconds + run.loadSeconds) * 1e3,
      report.pipelineSeconds * 1e3, report.ptxSeconds * 1e3,
      run.loadSeconds * 1e3);
  if (run.times) {
    const fart::GpuTimes &times = *run.times;
    os << llvm::format(
        "run        %.4f ms, %.1f TFLOP/s (median of %d over %d "
        "copies, best %.4f ms)\n",
        times.medianSeconds * 1e3, getTFlops(problem, times.medianSeconds),
        static_cast<int>(times.numRuns), static_cast<int>(times.numCopies),
        times.minSeconds * 1e3);
    os << llvm::format("series     %.4f ms, %.1f TFLOP/s (back to back)\n",
                       times.backToBackSeconds * 1e3,
                       getTFlops(problem, times.backToBackSeconds));
  }
  if (!run.failure.empty())
    os << "failure    " << run.failure << '\n';
  else if (report.repeat > 1)
    os << "repeat     " << report.repeat << " runs, equal bit by bit\n";
}

void fa::printReport(const RunReport &report, raw_ostream &os) {
  os << "problem    " << describe(report.problem) << '\n';
  if (report.gpu)
    printGPURun(report.problem, *report.gpu, os);
  else
    printCPURun(report, os);
  auto printVerdict = [&](int64_t checked, int64_t total) {
    os << "check      " << checked << " of " << total
       << " rows against the fp64 reference: "
       << (report.passed() ? "PASS" : "FAIL") << '\n';
  };
  if (report.check) {
    printAccuracy("O", report.check->output, os);
    if (report.check->lse)
      printAccuracy("LSE", *report.check->lse, os);
    printVerdict(report.check->rowsChecked, report.check->rowsTotal);
  }
  if (report.gradientCheck) {
    printAccuracy("dQ", report.gradientCheck->query, os);
    printAccuracy("dK", report.gradientCheck->key, os);
    printAccuracy("dV", report.gradientCheck->value, os);
    printVerdict(report.gradientCheck->rowsChecked,
                 report.gradientCheck->rowsTotal);
  }
}

void fa::printSummary(StringRef name, const RunReport &report,
                      raw_ostream &os) {
  bool isChecked = report.check || report.gradientCheck;
  os << (!report.passed() ? "FAIL "
         : isChecked      ? "PASS "
                          : "DONE ")
     << name << " (" << describe(report.problem) << ", ";
  if (report.gpu)
    os << "target " << report.gpu->kernel.target;
  else
    os << "level " << report.level;
  os << ")";
  if (report.gpu && !report.gpu->run.failure.empty())
    os << ": " << report.gpu->run.failure;
  if (report.check && !report.check->passed()) {
    os << llvm::format(": O %.3g of %.3g", report.check->output.error,
                       report.check->output.tolerance);
    if (const std::optional<fart::Accuracy> &lse = report.check->lse)
      os << llvm::format(", LSE %.3g of %.3g", lse->error, lse->tolerance);
  }
  if (report.gradientCheck && !report.gradientCheck->passed())
    os << llvm::format(
        ": dQ %.3g of %.3g, dK %.3g of %.3g, dV %.3g of %.3g",
        report.gradientCheck->query.error,
        report.gradientCheck->query.tolerance, report.gradientCheck->key.error,
        report.gradientCheck->key.tolerance, report.gradientCheck->value.error,
        report.gradientCheck->value.tolerance);
  os << '\n';
}

/// JSON has no infinity and no NaN: those become null.
static llvm::json::Value makeNumber(double value) {
  if (!std::isfinite(value))
    return nullptr;
  return value;
}

static llvm::json::Object makeJSON(const fart::Accuracy &accuracy) {
  return llvm::json::Object{{"error", makeNumber(accuracy.error)},
                            {"tolerance", makeNumber(accuracy.tolerance)},
                            {"plain_error", makeNumber(accuracy.plainError)},
                            {"passed", accuracy.passed()}};
}

static void addCPURun(llvm::json::Object &json, const RunReport &report) {
  json["target"] = "cpu";
  if (!report.fallback.empty())
    json["fallback"] = report.fallback;
  json["threads"] = report.threads;
  json["compile_ms"] =
      llvm::json::Object{{"passes", report.compileTime.pipeline * 1e3},
                         {"machine_code", report.compileTime.codegen * 1e3}};
  json["run_ms"] = report.runSeconds * 1e3;
  json["run_min_ms"] = report.minSeconds * 1e3;
  json["runs"] = report.numRuns;
  json["gflops"] = makeNumber(report.getGFlops());
  if (report.peakBytes)
    json["peak_bytes"] = *report.peakBytes;
}

/// The names are those of fa-launch.
static void addGPURun(llvm::json::Object &json, const AttentionProblem &problem,
                      const GPUReport &report) {
  const fart::PackageKernel &kernel = report.kernel;
  const fart::GpuRun &run = report.run;
  json["target"] = kernel.target;
  json["device"] = llvm::json::Object{
      {"name", report.device.name},
      {"compute_capability", formatCapability(report.device.capability)},
      {"cuda", report.device.driverVersion}};
  json["kernel"] = llvm::json::Object{{"entry", kernel.entry},
                                      {"schedule", kernel.schedule},
                                      {"grid", run.grid},
                                      {"block", kernel.block},
                                      {"sram_bytes", kernel.sramBytes},
                                      {"registers", run.registers},
                                      {"local_bytes", run.localBytes}};
  json["compile_ms"] =
      llvm::json::Object{{"passes", report.pipelineSeconds * 1e3},
                         {"ptx", report.ptxSeconds * 1e3},
                         {"load", run.loadSeconds * 1e3}};
  if (run.times) {
    const fart::GpuTimes &times = *run.times;
    json["run_ms"] = times.medianSeconds * 1e3;
    json["run_min_ms"] = times.minSeconds * 1e3;
    json["back_to_back_ms"] = times.backToBackSeconds * 1e3;
    json["runs"] = times.numRuns;
    json["copies"] = times.numCopies;
    json["tflops"] = makeNumber(getTFlops(problem, times.medianSeconds));
    json["back_to_back_tflops"] =
        makeNumber(getTFlops(problem, times.backToBackSeconds));
  }
  if (!run.failure.empty())
    json["failure"] = run.failure;
}

llvm::json::Object fa::makeJSON(const RunReport &report) {
  const AttentionProblem &problem = report.problem;
  llvm::json::Object json{
      {"problem",
       llvm::json::Object{{"batch", problem.batch},
                          {"heads", problem.heads},
                          {"kv_heads", problem.kvHeads},
                          {"seq_q", problem.seqQ},
                          {"seq_kv", problem.seqKV},
                          {"head_dim", problem.headDim},
                          {"head_dim_v", problem.headDimV},
                          {"dtype", StringRef(fart::getName(problem.dtype))},
                          {"mask", problem.mask.str()},
                          {"scale", problem.getScaleOrDefault()},
                          {"backward", problem.backward}}},
      {"level", report.level}};
  if (report.gpu)
    addGPURun(json, problem, *report.gpu);
  else
    addCPURun(json, report);
  if (report.check)
    json["check"] = llvm::json::Object{
        {"output", ::makeJSON(report.check->output)},
        {"lse", report.check->lse ? ::makeJSON(*report.check->lse)
                                  : llvm::json::Value(nullptr)},
        {"rows_checked", report.check->rowsChecked},
        {"rows_total", report.check->rowsTotal},
        {"passed", report.check->passed()}};
  if (const auto &check = report.gradientCheck)
    json["check"] = llvm::json::Object{
        {"dq", ::makeJSON(check->query)}, {"dk", ::makeJSON(check->key)},
        {"dv", ::makeJSON(check->value)}, {"rows_checked", check->rowsChecked},
        {"rows_total", check->rowsTotal}, {"passed", check->passed()}};
  return json;
}
