//===- fa-run.cpp - Compile, run, check and time attention ----------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main job: from shape flags or a .mlir file to numbers. Compiles in
// process, runs on a GPU or on the threads of this machine, checks against the
// fp64 reference, and reports.
//
//===----------------------------------------------------------------------===//

#include "../common/ToolMain.h"
#include "Report.h"
#include "Runner.h"
#include "Suite.h"

#include <cstdlib>

using namespace mlir;
using namespace mlir::fa;
namespace cl = llvm::cl;

namespace {
struct Flags {
  using String = cl::opt<std::string>;
  using Bool = cl::opt<bool>;

  cl::OptionCategory category{"fa-run options"};
  String input{cl::Positional, cl::desc("[file.mlir]"), cl::cat(category)};
  ProblemFlags problem{category};
  String level{"level",
               cl::desc("The algorithm that runs: naive, nest or fused "
                        "(default)"),
               cl::value_desc("level"), cl::init("fused"), cl::cat(category)};
  cl::opt<bool> keysOutside{
      "keys-outside",
      cl::desc(
          "The loop order of the first FlashAttention paper: keys outside, "
          "the state of the queries in memory (CPU)"),
      cl::cat(category)};
  String query{"q", cl::desc("Read Q from a .npy file (default: random)"),
               cl::value_desc("file.npy"), cl::cat(category)};
  String key{"k", cl::desc("Read K from a .npy file (default: random)"),
             cl::value_desc("file.npy"), cl::cat(category)};
  String value{"v", cl::desc("Read V from a .npy file (default: random)"),
               cl::value_desc("file.npy"), cl::cat(category)};
  String outputGrad{"do",
                    cl::desc("Read dO from a .npy file (default: random)"),
                    cl::value_desc("file.npy"), cl::cat(category)};
  String lseGrad{
      "dlse",
      cl::desc("Read dLSE from a .npy file (default: zero, or random "
               "if a .mlir file has it)"),
      cl::value_desc("file.npy"), cl::cat(category)};
  cl::list<std::string> extras{
      "arg",
      cl::desc("Value of another argument of the function, by its number"),
      cl::value_desc("N:FILE.npy or N:NUMBER"), cl::cat(category)};
  String output{"out", cl::desc("Write O to a .npy file"),
                cl::value_desc("file.npy"), cl::cat(category)};
  String lse{"lse", cl::desc("Write LSE to a .npy file"),
             cl::value_desc("file.npy"), cl::cat(category)};
  String queryGrad{"dq", cl::desc("Write dQ to a .npy file"),
                   cl::value_desc("file.npy"), cl::cat(category)};
  String keyGrad{"dk", cl::desc("Write dK to a .npy file"),
                 cl::value_desc("file.npy"), cl::cat(category)};
  String valueGrad{"dv", cl::desc("Write dV to a .npy file"),
                   cl::value_desc("file.npy"), cl::cat(category)};
  String layout{"layout",
                cl::desc("Order in memory of random tensors: bhsd (default) or "
                         "bshd"),
                cl::value_desc("order"), cl::init("bhsd"), cl::cat(category)};
  String seed{"seed", cl::desc("Seed of random input (default 0)"),
              cl::value_desc("N"), cl::init("0"), cl::cat(category)};
  String padStrides{"pad-strides",
                    cl::desc("Let Q, K, V and O be views of buffers with N, "
                             "2N, 3N and 4N more columns (GPU)"),
                    cl::value_desc("N"), cl::cat(category)};
  String offset{"offset",
                cl::desc("Let tensors begin N elements into their buffers "
                         "(GPU)"),
                cl::value_desc("N"), cl::cat(category)};
  Bool sharedKeys{"shared-keys",
                  cl::desc("Let all batches and heads have one random K and V, "
                           "by strides of 0 (GPU)"),
                  cl::cat(category)};
  String repeat{"repeat",
                cl::desc("Run N times; all results must be equal bit by bit "
                         "(GPU)"),
                cl::value_desc("N"), cl::cat(category)};
  String timeout{"timeout",
                 cl::desc("Give a kernel up after N seconds (GPU, default 60)"),
                 cl::value_desc("N"), cl::cat(category)};
  String threads{"threads",
                 cl::desc("Number of threads of the CPU (default: all)"),
                 cl::value_desc("N"), cl::cat(category)};
  String suite{"suite",
               cl::desc("Run the cases of a JSON file; other flags are their "
                        "defaults"),
               cl::value_desc("file.json"), cl::cat(category)};
  String dumpLevels{"dump-levels", cl::desc("Write the IR of every level here"),
                    cl::value_desc("directory"), cl::cat(category)};
  Bool check{"check", cl::desc("Compare with the fp64 reference"),
             cl::cat(category)};
  String checkRows{"check-rows",
                   cl::desc("Compare at most N rows with the reference "
                            "(default: about a second)"),
                   cl::value_desc("N"), cl::cat(category)};
  Bool bench{"bench", cl::desc("Run several times and report the median"),
             cl::cat(category)};
  Bool json{"json", cl::desc("Print the report as JSON"), cl::cat(category)};
};
} // namespace

static llvm::Expected<RunOptions> makeOptions(const Flags &flags) {
  RunOptions options;
  options.shape = flags.problem.getShape();
  options.tiles = flags.problem.getTiles();
  options.input = flags.input;
  options.query = flags.query;
  options.key = flags.key;
  options.value = flags.value;
  options.extras.assign(flags.extras.begin(), flags.extras.end());
  options.outputGrad = flags.outputGrad;
  options.lseGrad = flags.lseGrad;
  options.queryGrad = flags.queryGrad;
  options.keyGrad = flags.keyGrad;
  options.valueGrad = flags.valueGrad;
  options.backward = flags.problem.isBackward();
  options.noLse = flags.problem.hasNoLse();
  options.output = flags.output;
  options.lse = flags.lse;
  options.dumpDir = flags.dumpLevels;
  options.check = flags.check;
  options.keysOutside = flags.keysOutside;
  options.bench = flags.bench;
  if (llvm::Error error =
          setOption(options, "target", flags.problem.getTarget()))
    return error;
  for (const auto *flag : {&flags.level, &flags.layout, &flags.seed})
    if (llvm::Error error = setOption(options, flag->ArgStr, flag->getValue()))
      return error;
  for (const auto *flag : {&flags.padStrides, &flags.offset, &flags.repeat,
                           &flags.timeout, &flags.checkRows})
    if (flag->getNumOccurrences())
      if (llvm::Error error =
              setOption(options, flag->ArgStr, flag->getValue()))
        return error;
  if (flags.sharedKeys)
    if (llvm::Error error = setOption(options, "shared-keys", "true"))
      return error;
  return options;
}

/// Runs every case, also after one failed. Returns how many did not pass.
static llvm::Expected<int64_t> runSuite(Runner &runner, const Flags &flags,
                                        const RunOptions &defaults) {
  llvm::Expected<std::vector<SuiteCase>> suite =
      readSuite(flags.suite, defaults);
  if (!suite)
    return suite.takeError();
  int64_t failures = 0;
  llvm::json::Array reports;
  for (const SuiteCase &entry : *suite) {
    llvm::Expected<RunReport> report = runner.run(entry.options);
    llvm::json::Object json{{"name", entry.name}};
    if (!report) {
      ++failures;
      std::string message = llvm::toString(report.takeError());
      json["error"] = message;
      if (!flags.json)
        llvm::outs() << "FAIL " << entry.name << ": " << message << '\n';
    } else {
      failures += !report->passed();
      json["report"] = makeJSON(*report);
      if (!flags.json)
        printSummary(entry.name, *report, llvm::outs());
    }
    // Whoever reads along sees what ran before a crash.
    llvm::outs().flush();
    reports.push_back(std::move(json));
    if (!runner.isAlive()) {
      int64_t left = static_cast<int64_t>(suite->size() - reports.size());
      failures += left;
      if (!flags.json)
        llvm::outs() << "the GPU cannot be used any more; " << left
                     << " cases were not run\n";
      break;
    }
  }
  int64_t passed = static_cast<int64_t>(suite->size()) - failures;
  if (flags.json)
    llvm::outs() << llvm::formatv("{0:2}\n",
                                  llvm::json::Value(std::move(reports)));
  else
    llvm::outs() << passed << " passed, " << failures << " failed\n";
  return failures;
}

/// Returns whether everything that was checked passed.
static llvm::Expected<bool> run(const Flags &flags) {
  llvm::Expected<RunOptions> options = makeOptions(flags);
  if (!options)
    return options.takeError();
  int64_t threads = 0;
  if (flags.threads.getNumOccurrences()) {
    llvm::Expected<int64_t> parsed = parsePositive("threads", flags.threads);
    if (!parsed)
      return parsed.takeError();
    if (*parsed > 1024)
      return llvm::createStringError(
          "--threads: expected at most 1024 but got " + flags.threads);
    threads = *parsed;
  }
  Runner runner(static_cast<unsigned>(threads));
  if (!flags.suite.empty()) {
    llvm::Expected<int64_t> failures = runSuite(runner, flags, *options);
    if (!failures)
      return failures.takeError();
    return *failures == 0;
  }

  llvm::Expected<RunReport> report = runner.run(*options);
  if (!report)
    return report.takeError();
  if (flags.json)
    llvm::outs() << llvm::formatv("{0:2}\n",
                                  llvm::json::Value(makeJSON(*report)));
  else
    printReport(*report, llvm::outs());
  return report->passed();
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  std::unique_ptr<Flags> flags =
      parseFlags<Flags>(argc, argv,
                        "compiles, runs, checks and times attention, from "
                        "shape flags or a .mlir file\n");
  llvm::Expected<bool> passed = run(*flags);
  if (!passed)
    printError("fa-run", passed.takeError());
  int code = passed && *passed ? 0 : 1;
  if (fart::cuda::wasAbandoned()) {
    // A kernel still runs, and the driver's clean-up would wait for it.
    llvm::outs().flush();
    std::_Exit(code);
  }
  return code;
}
