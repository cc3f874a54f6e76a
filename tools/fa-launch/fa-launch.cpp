//===- fa-launch.cpp - Runs a kernel package ------------------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads a package through the CUDA driver, runs it on input from files or at
// random, checks it against the fp64 reference, and times it. Links neither
// LLVM nor CUDA: this program and a package are all that a machine needs.
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"
#include "Report.h"
#include "fa/Runtime/Suite.h"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <iostream>
#include <list>

using namespace fart;

namespace {
/// The command line.
struct CommandLine {
  std::string package;
  std::string suite;
  std::string device = "0";
  bool check = false, bench = false, json = false, dryRun = false,
       verbose = false;
  /// Values of the flags of `getLaunchFlags`, in that order.
  std::list<std::pair<std::string, std::string>> flags;
};
} // namespace

static void declareFlags(CLI::App &app, CommandLine &line) {
  app.add_option("package", line.package, "Manifest of the package")
      ->required()
      ->type_name("package.json");
  app.get_formatter()->column_width(34);
  for (const FlagInfo &flag : getLaunchFlags()) {
    CLI::Option *option = app.add_option_function<std::vector<std::string>>(
                                 std::string("--") + flag.name,
                                 [&line, name = flag.name](
                                     const std::vector<std::string> &values) {
                                   for (const std::string &value : values)
                                     line.flags.emplace_back(name, value);
                                 },
                                 flag.help)
                              ->type_name(flag.valueDesc)
                              ->allow_extra_args(false);
    if (!flag.mayRepeat)
      option->expected(1);
  }
  app.add_option("--suite", line.suite,
                 "Run the cases of a JSON file; other flags are their defaults")
      ->type_name("file.json");
  app.add_option("--device", line.device, "Number of the device (default 0)")
      ->type_name("N");
  app.add_flag("--check", line.check, "Compare with the fp64 reference");
  app.add_flag("--bench", line.bench, "Measure the time");
  app.add_flag("--json", line.json, "Print the report as JSON");
  app.add_flag("--dry-run", line.dryRun,
               "Print what a launch would pass; needs no GPU");
  app.add_flag("--verbose", line.verbose,
               "Print what the driver's compiler says");
}

/// What would be launched, on any device.
static Status printDryRun(const Package &package, LaunchOptions options) {
  Inputs inputs;
  if (Status status = inputs.read(options, package); !status)
    return status;
  Result<Problem> problem = options.sizes.resolve(package);
  if (!problem)
    return problem.error();
  Result<TensorViews> views =
      makeViews(*problem, options.run, inputs.extras.getValues());
  if (!views)
    return views.error();
  auto selected = selectKernel(package, *views, std::nullopt);
  if (!selected)
    return selected.error();
  const auto &[number, plan] = *selected;
  printPlan(package, *problem, package.kernels[number], plan, std::cout);
  return Success{};
}

/// Runs every case, also after one failed, but not after one that took the
/// device with it. Returns how many did not pass.
static Result<size_t> runSuite(Launcher &launcher, const CommandLine &line,
                               const LaunchOptions &defaults) {
  Result<std::vector<SuiteCase>> suite = readSuite(line.suite);
  if (!suite)
    return suite.error();
  std::vector<LaunchOptions> cases;
  for (const SuiteCase &entry : *suite) {
    LaunchOptions options = defaults;
    for (const auto &[name, value] : entry.flags)
      if (Status status = options.set(name, value); !status)
        return Error{"'" + line.suite + "': " + entry.name + ": " +
                     status.error().message};
    cases.push_back(std::move(options));
  }

  size_t passed = 0;
  auto reports = nlohmann::ordered_json::array();
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string &name = (*suite)[i].name;
    Result<LaunchReport> report = launcher.run(cases[i]);
    nlohmann::ordered_json json = {{"name", name}};
    if (!report) {
      json["error"] = report.error().message;
      if (!line.json)
        std::cout << "FAIL " << name << ": " << report.error().message
                  << std::endl;
    } else {
      passed += report->passed();
      json["report"] = makeJSON(*report, launcher.getDevice());
      if (!line.json)
        printSummary(name, *report, std::cout);
    }
    reports.push_back(std::move(json));
    if (!report && !launcher.isAlive()) {
      if (!line.json)
        std::cout << "the device cannot be used any more; "
                  << cases.size() - i - 1 << " cases were not run\n";
      break;
    }
  }
  size_t failed = cases.size() - passed;
  if (line.json)
    std::cout << reports.dump(2) << '\n';
  else
    std::cout << passed << " passed, " << failed << " failed\n";
  return failed;
}

/// Returns whether everything that was checked passed.
static Result<bool> run(const CommandLine &line) {
  LaunchOptions options;
  options.check = line.check;
  options.run.bench = line.bench;
  for (const auto &[name, value] : line.flags)
    if (Status status = options.set(name, value); !status)
      return status.error();
  Result<int64_t> device = parseInteger("device", line.device, 0, 1023);
  if (!device)
    return device.error();
  Result<Package> package = Package::read(line.package);
  if (!package)
    return package.error();
  if (line.dryRun && !line.suite.empty())
    return Error{"--dry-run: expected no --suite beside it"};
  if (line.dryRun) {
    if (Status status = printDryRun(*package, options); !status)
      return status.error();
    return true;
  }

  Result<std::unique_ptr<Launcher>> launcher =
      Launcher::create(std::move(*package), *device);
  if (!launcher)
    return launcher.error();
  if (!line.suite.empty()) {
    Result<size_t> failed = runSuite(**launcher, line, options);
    if (!failed)
      return failed.error();
    return *failed == 0;
  }
  Result<LaunchReport> report = (*launcher)->run(options);
  if (!report)
    return report.error();
  if (line.verbose)
    std::cerr << report->run.log << '\n';
  if (line.json)
    std::cout << makeJSON(*report, (*launcher)->getDevice()).dump(2) << '\n';
  else
    printReport(*report, (*launcher)->getDevice(), std::cout);
  return report->passed();
}

static int fail(const std::string &message) {
  std::cerr << "fa-launch: error: " << message << std::endl;
  return 1;
}

int main(int argc, char **argv) {
  CommandLine line;
  CLI::App app("runs, checks and times a kernel package on a GPU", "fa-launch");
  declareFlags(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &help) {
    return app.exit(help);
  } catch (const CLI::ParseError &error) {
    return fail(error.what());
  }
  Result<bool> passed = run(line);
  int code = passed ? !*passed : fail(passed.error().message);
  if (cuda::wasAbandoned()) {
    // A kernel still runs, and the driver's clean-up would wait for it.
    std::cout.flush();
    std::_Exit(code);
  }
  return code;
}
