//===- GpuAttention.cpp - Runs and times attention on a GPU ---------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/GpuAttention.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

using namespace fart;

namespace {

/// The device memory of one call.
struct TensorSet {
  // By TensorName; those that no kernel takes are not there.
  std::array<std::optional<DeviceTensor>, numTensors> tensors;
  std::vector<DeviceTensor> tables;
  std::map<int64_t, ExtraView> extras; // Views of `tables`, and numbers.

  DeviceTensor &operator[](TensorName name) {
    return *tensors[static_cast<size_t>(name)];
  }
  TensorViews getViews() const {
    TensorViews views;
    for (size_t i = 0; i < tensors.size(); ++i)
      if (tensors[i])
        views[static_cast<TensorName>(i)] = tensors[i]->getView();
    views.extras = extras;
    return views;
  }
  int64_t getBytes() const {
    int64_t bytes = 0;
    for (const std::optional<DeviceTensor> &tensor : tensors)
      bytes += tensor ? tensor->getBytes() : 0;
    return bytes;
  }
};

} // namespace

DeviceLayout GpuRunOptions::getLayout(TensorName tensor) const {
  DeviceLayout layout;
  layout.order = order;
  layout.offset = offset;
  layout.shared =
      sharedKeys && (tensor == TensorName::K || tensor == TensorName::V);
  if (padStrides == 0)
    return layout;
  // Each tensor has strides of its own.
  int64_t number = static_cast<int64_t>(tensor) + 1;
  layout.padRows = number;
  layout.padColumns = number * padStrides;
  return layout;
}

Result<TensorViews> fart::makeViews(const Problem &problem,
                                    const GpuRunOptions &options,
                                    const ExtraValues &extras) {
  TensorViews views;
  for (const auto &[number, extra] : extras) {
    ExtraView &view = views.extras[number];
    view.bits = extra.bits;
    if (const HostTensor *table = extra.table)
      view.table = {/*address=*/0, table->getDType(), table->getShape(),
                    table->getStrides()};
  }
  for (TensorName name : allTensors) {
    DType dtype = problem.getDType(name);
    Result<std::vector<int64_t>> strides =
        options.getLayout(name).getStrides(problem.getShape(name));
    if (!strides)
      return strides.error();
    views[name] = {static_cast<uint64_t>(options.offset * getByteWidth(dtype)),
                   dtype, problem.getShape(name), std::move(*strides)};
  }
  for (TensorName name : allWorkspaces) {
    Result<std::vector<int64_t>> strides =
        DeviceLayout().getStrides(problem.getShape(name));
    if (!strides) // Most kernels have none: planLaunch sees whether this one
                  // has.
      continue;
    views[name] = {0, problem.getDType(name), problem.getShape(name),
                   std::move(*strides)};
  }
  return views;
}

static Result<TensorSet> createSet(const cuda::Context &context,
                                   const Problem &problem,
                                   const Package &package,
                                   const HostTensors &host,
                                   const GpuRunOptions &options) {
  TensorSet set;
  auto add = [&](TensorName name, const DeviceLayout &layout) -> Status {
    Result<DeviceTensor> tensor = DeviceTensor::create(
        context, problem.getDType(name), problem.getShape(name), layout);
    if (!tensor)
      return tensor.error();
    set.tensors[static_cast<size_t>(name)] = std::move(*tensor);
    return Success{};
  };
  for (TensorName name : allTensors)
    if (name != TensorName::LSE || host.lse)
      if (Status status = add(name, options.getLayout(name)); !status)
        return status.error();
  for (TensorName name : package.getWorkspaces())
    if (Status status = add(name, DeviceLayout()); !status)
      return status.error();
  for (auto [name, tensor] : {std::pair{TensorName::Q, &host.query},
                              {TensorName::K, &host.key},
                              {TensorName::V, &host.value}})
    if (Status status = set[name].upload(*tensor); !status)
      return status.error();
  for (const auto &[number, extra] : host.extras) {
    ExtraView &view = set.extras[number];
    view.bits = extra.bits;
    if (!extra.table)
      continue;
    Result<DeviceTensor> table =
        DeviceTensor::createTable(context, *extra.table);
    if (!table)
      return table.error();
    view.table = table->getView();
    set.tables.push_back(std::move(*table));
  }
  return set;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static bool areEqual(const HostTensor &a, const HostTensor &b) {
  return std::memcmp(a.data(), b.data(), a.getNumBytes()) == 0;
}

/// Runs the kernel with poisoned outputs, `options.repeat` times.
static Status runChecked(GpuLaunch &launch, TensorSet &set,
                         const cuda::Stream &stream, const HostTensors &host,
                         const GpuRunOptions &options, GpuRun &run) {
  std::vector<std::pair<TensorName, HostTensor *>> outputs = {
      {TensorName::O, &host.output}};
  if (host.lse)
    outputs.emplace_back(TensorName::LSE, host.lse);
  for (int64_t i = 0; i < options.repeat; ++i) {
    for (auto [name, tensor] : outputs)
      if (Status status = set[name].poison(); !status)
        return status;
    if (Status status = launch.launch(stream); !status)
      return status;
    if (Status status =
            stream.synchronize(std::chrono::duration<double>(options.timeout));
        !status)
      return status;

    for (auto [name, tensor] : outputs) {
      std::string what(getName(name));
      std::optional<HostTensor> again;
      if (i > 0) {
        // The first result stays; a later one is only compared with it.
        std::vector<int64_t> order = tensor->isRowMajor()
                                         ? std::vector<int64_t>{}
                                         : std::vector<int64_t>{0, 2, 1, 3};
        Result<HostTensor> made =
            HostTensor::create(tensor->getDType(), tensor->getShape(), order);
        if (!made)
          return made.error();
        again = std::move(*made);
      }
      HostTensor &target = again ? *again : *tensor;
      Result<bool> intact = set[name].download(target);
      if (!intact)
        return intact.error();
      if (!run.failure.empty())
        continue;
      if (!*intact)
        run.failure = "the kernel wrote outside of " + what;
      else if (again && !areEqual(target, *tensor))
        run.failure = what + " of run " + std::to_string(i + 1) +
                      " differs from that of the first";
    }
  }
  return Success{};
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

/// A GPU that was busy runs slower than a rested one. This much idle time
/// before each series makes series comparable.
static constexpr auto restTime = std::chrono::milliseconds(45);
static constexpr int64_t minRuns = 20, maxRuns = 200;
static constexpr double secondsPerSeries = 0.2;
static constexpr int64_t numWarmUps = 5;
/// Copies hold this many times the L2 cache, as far as memory allows.
static constexpr int64_t cacheFactor = 5, minCopies = 4, maxCopies = 256;

namespace {

/// Launches over copies of the tensors in turn.
class Bench {
public:
  static Result<Bench> create(const cuda::Context &context, GpuProgram &program,
                              TensorSet &original, const cuda::Stream &stream,
                              double timeout) {
    Bench bench(stream, timeout);
    Result<int64_t> free = context.getFreeMemory();
    if (!free)
      return free.error();
    int64_t bytes = original.getBytes();
    int64_t wanted = cacheFactor * context.getDevice().l2Bytes / bytes + 1;
    int64_t possible = *free / 10 * 9 / bytes + 1; // The original is there.
    int64_t copies =
        std::min(std::clamp(wanted, minCopies, maxCopies), possible);

    auto addLaunch = [&](const TensorSet &set) -> Status {
      Result<GpuLaunch> launch = program.prepare(set.getViews());
      if (!launch)
        return launch.error();
      bench.launches.push_back(std::move(*launch));
      return Success{};
    };
    if (Status status = addLaunch(original); !status)
      return status.error();
    for (int64_t i = 1; i < copies; ++i) {
      TensorSet set;
      for (size_t name = 0; name < numTensors; ++name) {
        if (!original.tensors[name])
          continue;
        Result<DeviceTensor> copy = original.tensors[name]->clone(context);
        if (!copy)
          return copy.error();
        set.tensors[name] = std::move(*copy);
      }
      set.extras = original.extras; // Read only: all copies share them.
      if (Status status = addLaunch(set); !status)
        return status.error();
      bench.sets.push_back(std::move(set));
    }
    for (int64_t i = 0; i <= maxRuns; ++i) {
      Result<cuda::Event> event = cuda::Event::create(context);
      if (!event)
        return event.error();
      bench.events.push_back(std::move(*event));
    }
    return bench;
  }

  Result<GpuTimes> measure() {
    GpuTimes times;
    times.numCopies = static_cast<int64_t>(launches.size());
    std::vector<double> warmUp;
    if (Status status = runSeries(numWarmUps, /*single=*/true, warmUp); !status)
      return status.error();
    double estimate = *std::min_element(warmUp.begin(), warmUp.end());
    times.numRuns = std::clamp(
        static_cast<int64_t>(secondsPerSeries / std::max(estimate, 1e-6)),
        minRuns, maxRuns);

    std::vector<double> singles, together;
    if (Status status = runSeries(times.numRuns, /*single=*/true, singles);
        !status)
      return status.error();
    if (Status status = runSeries(times.numRuns, /*single=*/false, together);
        !status)
      return status.error();
    std::sort(singles.begin(), singles.end());
    times.medianSeconds = singles[singles.size() / 2];
    times.minSeconds = singles.front();
    times.backToBackSeconds =
        together.front() / static_cast<double>(times.numRuns);
    return times;
  }

private:
  Bench(const cuda::Stream &stream, double timeout)
      : stream(stream), timeout(timeout) {}

  /// Launches `count` times. Yields the time of each launch, from event to
  /// event, or the time of all.
  Status runSeries(int64_t count, bool single, std::vector<double> &seconds) {
    std::this_thread::sleep_for(restTime);
    size_t numEvents = 0;
    if (Status status = events[numEvents++].record(stream); !status)
      return status;
    for (int64_t i = 0; i < count; ++i) {
      if (Status status = launches[next++ % launches.size()].launch(stream);
          !status)
        return status;
      if (single || i + 1 == count)
        if (Status status = events[numEvents++].record(stream); !status)
          return status;
    }
    if (Status status = stream.synchronize(std::chrono::duration<double>(
            timeout * static_cast<double>(count)));
        !status)
      return status;
    for (size_t i = 1; i < numEvents; ++i) {
      Result<double> time = events[i].getSecondsSince(events[i - 1]);
      if (!time)
        return time.error();
      seconds.push_back(*time);
    }
    return Success{};
  }

  const cuda::Stream &stream;
  double timeout;
  std::vector<TensorSet> sets; // All but the original.
  std::vector<GpuLaunch> launches;
  std::vector<cuda::Event> events;
  size_t next = 0;
};

} // namespace

Result<GpuRun> fart::runOnGpu(const cuda::Context &context, GpuProgram &program,
                              const Problem &problem,
                              const HostTensors &tensors,
                              const GpuRunOptions &options) {
  Result<cuda::Stream> stream = cuda::Stream::create(context);
  if (!stream)
    return stream.error();
  Result<TensorSet> set =
      createSet(context, problem, program.getPackage(), tensors, options);
  if (!set)
    return set.error();
  Result<GpuLaunch> launch = program.prepare(set->getViews());
  if (!launch)
    return launch.error();

  GpuRun run;
  run.kernelNumber = launch->getKernelNumber();
  run.grid = launch->getPlan().grid;
  run.registers = launch->getKernel().function.getRegisters();
  run.localBytes = launch->getKernel().function.getLocalBytes();
  run.loadSeconds = launch->getKernel().loadSeconds;
  run.log = launch->getKernel().log;
  if (Status status = runChecked(*launch, *set, *stream, tensors, options, run);
      !status)
    return status.error();
  if (options.bench) {
    Result<Bench> bench =
        Bench::create(context, program, *set, *stream, options.timeout);
    if (!bench)
      return bench.error();
    Result<GpuTimes> times = bench->measure();
    if (!times)
      return times.error();
    run.times = *times;
  }
  return run;
}
