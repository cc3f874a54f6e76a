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

void fa::printReport(const RunReport &report, raw_ostream &os) {
  os << "problem    " << describe(report.problem) << '\n';
  os << "target     cpu, level " << report.level << ", threads "
     << report.threads << '\n';
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
  if (!report.check)
    return;
  printAccuracy("O", report.check->output, os);
  printAccuracy("LSE", report.check->lse, os);
  os << "check      " << report.check->rowsChecked << " of "
     << report.check->rowsTotal << " rows against the fp64 reference: "
     << (report.check->passed() ? "PASS" : "FAIL") << '\n';
}

void fa::printSummary(StringRef name, const RunReport &report,
                      raw_ostream &os) {
  os << (!report.check            ? "DONE "
         : report.check->passed() ? "PASS "
                                  : "FAIL ")
     << name << " (" << describe(report.problem) << ", level " << report.level
     << ")";
  if (report.check && !report.check->passed())
    os << llvm::format(": O %.3g of %.3g, LSE %.3g of %.3g",
                       report.check->output.error,
                       report.check->output.tolerance, report.check->lse.error,
                       report.check->lse.tolerance);
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
                          {"scale", problem.getScaleOrDefault()}}},
      {"target", "cpu"},
      {"level", report.level},
      {"threads", report.threads},
      {"compile_ms",
       llvm::json::Object{{"passes", report.compileTime.pipeline * 1e3},
                          {"machine_code", report.compileTime.codegen * 1e3}}},
      {"run_ms", report.runSeconds * 1e3},
      {"run_min_ms", report.minSeconds * 1e3},
      {"runs", report.numRuns},
      {"gflops", makeNumber(report.getGFlops())}};
  if (report.peakBytes)
    json["peak_bytes"] = *report.peakBytes;
  if (report.check)
    json["check"] =
        llvm::json::Object{{"output", ::makeJSON(report.check->output)},
                           {"lse", ::makeJSON(report.check->lse)},
                           {"rows_checked", report.check->rowsChecked},
                           {"rows_total", report.check->rowsTotal},
                           {"passed", report.check->passed()}};
  return json;
}
