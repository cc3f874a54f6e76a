//===- FakeCuda.cpp - A CUDA driver without a GPU, for tests --------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libcuda.so.1 whose device memory is host memory, and where every kernel is
// attention: parameters 0 to 52 are the descriptors of Q, K, V, O and LSE, and
// what follows is not looked at, but logged. A kernel with fewer parameters has
// no LSE. So everything of the runtime but the PTX itself is tested on any
// machine, the errors of the driver included. The variable FAKE_CUDA holds
// settings, separated by blanks:
//
//   attention=<dtype>,<scale>,<mask>   what kernels compute
//   capability=90          compute capability 9.0 (default)
//   version=12040          of the driver
//   devices=0              number of devices
//   fail=<function>@<n>=<code>         the n-th call (from 1) of a function
//   hang                   kernels do not end
//   wrong | nan | flaky | overrun      how kernels are wrong
//   log                    print launches, tensor maps and leaks to stderr
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/Problem.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace fart;

struct CUctx_st {};
struct CUstream_st {};
struct CUevent_st {
  std::chrono::steady_clock::time_point time;
};
struct CUfunc_st {
  std::string name;
  std::vector<size_t> parameters; // Bytes of each.
};
struct CUmod_st {
  std::map<std::string, CUfunc_st> functions;
};

namespace {

using CUresult = int;
using CUdeviceptr = unsigned long long;
enum : CUresult {
  success = 0,
  invalidValue = 1,
  outOfMemory = 2,
  noDevice = 100,
  invalidPtx = 218,
  notFound = 500,
  notReady = 600,
};

/// What lies behind a descriptor of `rank` dimensions.
struct View {
  char *data;
  DType dtype;
  std::vector<int64_t> sizes, strides;

  void *at(int64_t b, int64_t h, int64_t s, int64_t c) const {
    int64_t index = b * strides[0] + h * strides[1] + s * strides[2];
    if (strides.size() == 4)
      index += c * strides[3];
    return data + index * getByteWidth(dtype);
  }
  double get(int64_t b, int64_t h, int64_t s, int64_t c) const {
    return load(dtype, at(b, h, s, c));
  }
};

struct Driver {
  std::map<std::string, std::string> settings;
  std::map<std::string, int> calls;
  std::map<CUdeviceptr, std::vector<char>> memory;
  int objects = 0; // Contexts, streams, events and modules.
  int launches = 0;
  CUctx_st context;

  Driver() {
    const char *text = std::getenv("FAKE_CUDA");
    std::istringstream stream(text ? text : "");
    for (std::string word; stream >> word;) {
      size_t equal = word.find('=');
      std::string name = word.substr(0, equal);
      settings[name] = equal == std::string::npos ? "" : word.substr(equal + 1);
    }
  }
  ~Driver() {
    if (has("log"))
      std::fprintf(stderr, "fake cuda: %zu buffers and %d objects left\n",
                   memory.size(), objects);
  }

  bool has(const char *name) const { return settings.count(name) != 0; }
  int number(const char *name, int defaultValue) const {
    auto found = settings.find(name);
    return found == settings.end() ? defaultValue : std::stoi(found->second);
  }

  /// The code with which this call of `function` has to fail, or 0.
  CUresult enter(const std::string &function) {
    int count = ++calls[function];
    auto found = settings.find("fail");
    if (found == settings.end())
      return success;
    std::istringstream stream(found->second);
    std::string name, call, code;
    std::getline(stream, name, '@');
    std::getline(stream, call, '=');
    std::getline(stream, code);
    return name == function && std::stoi(call) == count ? std::stoi(code)
                                                        : success;
  }

  /// Whether a buffer holds these bytes.
  char *find(CUdeviceptr address, size_t bytes) {
    auto next = memory.upper_bound(address);
    if (next == memory.begin())
      return nullptr;
    auto &[begin, buffer] = *std::prev(next);
    if (address + bytes > begin + buffer.size())
      return nullptr;
    return reinterpret_cast<char *>(address);
  }

  CUresult launch(const CUfunc_st &function, void **parameters);
};

Driver driver;

/// Leaves the function around it if this call has to fail.
#define ENTER()                                                                \
  if (CUresult code = driver.enter(__func__))                                  \
  return code

View takeView(void **&parameters, DType dtype, int rank) {
  auto word = [&] { return *static_cast<int64_t *>(*parameters++); };
  word();
  View view{reinterpret_cast<char *>(word()), dtype, {}, {}};
  view.data += word() * getByteWidth(dtype);
  for (int d = 0; d < rank; ++d)
    view.sizes.push_back(word());
  for (int d = 0; d < rank; ++d)
    view.strides.push_back(word());
  return view;
}

CUresult Driver::launch(const CUfunc_st &function, void **parameters) {
  ++launches;
  std::istringstream text(settings["attention"]);
  std::string dtypeText, scaleText, maskText;
  std::getline(text, dtypeText, ',');
  std::getline(text, scaleText, ',');
  std::getline(text, maskText);
  std::optional<DType> dtype = parseDType(dtypeText);
  std::optional<Band> mask = parseBand(maskText);
  if (!dtype || !mask)
    return invalidValue;
  double scale = std::stod(scaleText);

  View q = takeView(parameters, *dtype, 4), k = takeView(parameters, *dtype, 4),
       v = takeView(parameters, *dtype, 4), o = takeView(parameters, *dtype, 4);
  std::optional<View> lse;
  if (function.parameters.size() >= 53)
    lse = takeView(parameters, DType::F32, 3);
  int64_t seqQ = q.sizes[2], seqKV = k.sizes[2];
  for (int64_t b = 0; b < q.sizes[0]; ++b)
    for (int64_t h = 0; h < q.sizes[1]; ++h)
      for (int64_t i = 0; i < seqQ; ++i) {
        int64_t hk = h / (q.sizes[1] / k.sizes[1]);
        std::vector<double> weights(seqKV);
        double sum = 0; // Scores are small: no maximum is taken out.
        for (int64_t j = 0; j < seqKV; ++j) {
          if (!mask->contains(i, j, seqQ, seqKV))
            continue;
          double dot = 0;
          for (int64_t c = 0; c < q.sizes[3]; ++c)
            dot += q.get(b, h, i, c) * k.get(b, hk, j, c);
          sum += weights[j] = std::exp(scale * dot);
        }
        for (int64_t c = 0; c < v.sizes[3]; ++c) {
          double value = 0;
          for (int64_t j = 0; j < seqKV; ++j)
            value += weights[j] * v.get(b, hk, j, c);
          store(o.dtype, sum == 0 ? 0 : value / sum, o.at(b, h, i, c));
        }
        if (lse)
          store(lse->dtype, std::log(sum), lse->at(b, h, i, 0));
      }
  if (has("wrong"))
    store(o.dtype, 3, o.at(0, 0, 0, 0));
  if (lse && has("nan"))
    store(lse->dtype, NAN, lse->at(0, 0, 0, 0));
  if (has("flaky"))
    store(o.dtype, q.get(0, 0, 0, 0) * launches, o.at(0, 0, 0, 0));
  if (lse && has("overrun"))
    store(lse->dtype, 1, static_cast<char *>(lse->at(0, 0, 0, 0)) - 4);
  return success;
}

/// Prints the parameters after the tensors, but for tensor maps; of an address
/// what it points to.
void logExtras(const CUfunc_st &function, void **parameters) {
  for (size_t i = 53; i < function.parameters.size(); ++i) {
    size_t bytes = function.parameters[i];
    int64_t value = 0;
    if (bytes > sizeof(value))
      continue;
    std::memcpy(&value, parameters[i], bytes);
    std::fprintf(stderr, "fake cuda: parameter %zu of %zu bytes", i, bytes);
    if (const char *target =
            bytes == 8 && value > 0 ? driver.find(value, 4) : nullptr) {
      int32_t word;
      std::memcpy(&word, target, sizeof(word));
      std::fprintf(stderr, " points to %d at %p\n", word, target);
    } else {
      std::fprintf(stderr, ": %lld\n", (long long)value);
    }
  }
}

/// The sizes of the parameters of an entry, from its PTX.
std::vector<size_t> readParameters(std::istream &ptx) {
  std::vector<size_t> sizes;
  for (std::string line; std::getline(ptx, line) && line != ")";) {
    if (line.find(".param") == std::string::npos)
      continue;
    size_t bracket = line.find('[');
    if (bracket != std::string::npos)
      sizes.push_back(std::stoul(line.substr(bracket + 1)));
    else
      sizes.push_back(line.find("16 ") != std::string::npos   ? 2
                      : line.find("32 ") != std::string::npos ? 4
                                                              : 8);
  }
  return sizes;
}

} // namespace

extern "C" {

CUresult cuDriverGetVersion(int *version) {
  *version = driver.number("version", 12040);
  return success;
}

CUresult cuInit(unsigned) {
  ENTER();
  return driver.number("devices", 1) ? success : noDevice;
}

CUresult cuGetErrorName(CUresult code, const char **text) {
  static const std::map<CUresult, const char *> names = {
      {invalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {outOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {noDevice, "CUDA_ERROR_NO_DEVICE"},
      {invalidPtx, "CUDA_ERROR_INVALID_PTX"},
      {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
      {notFound, "CUDA_ERROR_NOT_FOUND"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}};
  auto found = names.find(code);
  if (found == names.end())
    return invalidValue;
  *text = found->second;
  return success;
}

CUresult cuGetErrorString(CUresult code, const char **text) {
  *text = "what the driver says";
  return success;
}

CUresult cuDeviceGetCount(int *count) {
  ENTER();
  *count = driver.number("devices", 1);
  return success;
}

CUresult cuDeviceGet(int *device, int ordinal) {
  ENTER();
  *device = ordinal;
  return success;
}

CUresult cuDeviceGetName(char *name, int length, int) {
  std::snprintf(name, length, "Fake GPU");
  return success;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, int) {
  ENTER();
  int capability = driver.number("capability", 90);
  std::map<int, int> values = {{16, 4},
                               {38, 1 << 16},
                               {75, capability / 10},
                               {76, capability % 10},
                               {97, 232448}};
  *value = values[attribute];
  return success;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = size_t(1) << 30;
  return success;
}

CUresult cuDevicePrimaryCtxRetain(CUctx_st **context, int) {
  ENTER();
  ++driver.objects;
  *context = &driver.context;
  return success;
}

CUresult cuDevicePrimaryCtxRelease_v2(int) {
  --driver.objects;
  return success;
}

CUresult cuCtxSetCurrent(CUctx_st *) {
  ENTER();
  return success;
}

CUresult cuModuleLoadDataEx(CUmod_st **module, const void *image,
                            unsigned numOptions, int *options, void **values) {
  std::string text(static_cast<const char *>(image));
  CUresult code = driver.enter(__func__);
  if (code == success && text.find(".version") == std::string::npos)
    code = invalidPtx;
  char *logs[2] = {nullptr, nullptr}; // Info and error, of 16 KiB each.
  for (unsigned i = 0; i < numOptions; ++i)
    if (options[i] == 3 || options[i] == 5)
      logs[options[i] == 5] = static_cast<char *>(values[i]);
  if (code != success) {
    std::snprintf(logs[1], 16384, "ptxas fatal: the log of the compiler\n\n");
    return code;
  }
  std::snprintf(logs[0], 16384, "ptxas info: used 40 registers\n");
  auto loaded = std::make_unique<CUmod_st>();
  std::istringstream ptx(text);
  for (std::string line; std::getline(ptx, line);)
    if (size_t entry = line.find(".entry "); entry != std::string::npos) {
      std::string name = line.substr(entry + 7);
      name = name.substr(0, name.find('('));
      loaded->functions[name] = {name, readParameters(ptx)};
    }
  ++driver.objects;
  *module = loaded.release();
  return success;
}

CUresult cuModuleUnload(CUmod_st *module) {
  delete module;
  --driver.objects;
  return success;
}

CUresult cuModuleGetFunction(CUfunc_st **function, CUmod_st *module,
                             const char *name) {
  ENTER();
  auto found = module->functions.find(name);
  if (found == module->functions.end())
    return notFound;
  *function = &found->second;
  return success;
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunc_st *) {
  ENTER();
  *value = attribute == 4 ? 40 : 0;
  return success;
}

CUresult cuFuncSetAttribute(CUfunc_st *, int attribute, int value) {
  ENTER();
  return attribute == 8 && value <= 232448 ? success : invalidValue;
}

CUresult cuFuncGetParamInfo(CUfunc_st *function, size_t index, size_t *offset,
                            size_t *size) {
  if (index >= function->parameters.size())
    return invalidValue;
  *offset = 0;
  *size = function->parameters[index];
  return success;
}

CUresult cuLaunchKernel(CUfunc_st *function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned, unsigned,
                        unsigned sharedBytes, CUstream_st *, void **parameters,
                        void **) {
  ENTER();
  if (driver.has("log"))
    std::fprintf(stderr, "fake cuda: launch %s<<<%u, %u, %u>>>\n",
                 function->name.c_str(), gridX, blockX, sharedBytes);
  if (driver.has("log"))
    logExtras(*function, parameters);
  if (gridY != 1 || gridZ != 1)
    return invalidValue;
  return driver.launch(*function, parameters);
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  ENTER();
  *free = *total = size_t(1) << 30;
  return success;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  ENTER();
  if (bytes > size_t(1) << 32)
    return outOfMemory;
  std::vector<char> buffer(bytes);
  *address = reinterpret_cast<CUdeviceptr>(buffer.data());
  driver.memory.emplace(*address, std::move(buffer));
  return success;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  return driver.memory.erase(address) ? success : invalidValue;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  ENTER();
  char *memory = driver.find(to, bytes);
  if (!memory)
    return invalidValue;
  std::memcpy(memory, from, bytes);
  return success;
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  ENTER();
  char *memory = driver.find(from, bytes);
  if (!memory)
    return invalidValue;
  std::memcpy(to, memory, bytes);
  return success;
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  ENTER();
  char *memory = driver.find(from, bytes);
  return memory ? cuMemcpyHtoD_v2(to, memory, bytes) : invalidValue;
}

CUresult cuMemsetD32_v2(CUdeviceptr address, unsigned value, size_t count) {
  ENTER();
  char *memory = driver.find(address, 4 * count);
  if (!memory)
    return invalidValue;
  for (size_t i = 0; i < count; ++i)
    std::memcpy(memory + 4 * i, &value, 4);
  return success;
}

CUresult cuStreamCreate(CUstream_st **stream, unsigned) {
  ENTER();
  ++driver.objects;
  *stream = new CUstream_st;
  return success;
}

CUresult cuStreamDestroy_v2(CUstream_st *stream) {
  delete stream;
  --driver.objects;
  return success;
}

CUresult cuStreamQuery(CUstream_st *) {
  ENTER();
  return driver.has("hang") ? notReady : success;
}

CUresult cuEventCreate(CUevent_st **event, unsigned) {
  ENTER();
  ++driver.objects;
  *event = new CUevent_st;
  return success;
}

CUresult cuEventDestroy_v2(CUevent_st *event) {
  delete event;
  --driver.objects;
  return success;
}

CUresult cuEventRecord(CUevent_st *event, CUstream_st *) {
  ENTER();
  event->time = std::chrono::steady_clock::now();
  return success;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent_st *begin,
                            CUevent_st *end) {
  ENTER();
  *milliseconds =
      std::chrono::duration<float, std::milli>(end->time - begin->time).count();
  return success;
}

CUresult cuTensorMapEncodeTiled(void *map, int type, unsigned rank,
                                void *address, const uint64_t *sizes,
                                const uint64_t *strides, const uint32_t *box,
                                const uint32_t *, int, int swizzle,
                                int l2Promotion, int) {
  ENTER();
  std::memset(map, 0, 128);
  if (!driver.has("log"))
    return success;
  std::fprintf(stderr,
               "fake cuda: tensor map of type %d, swizzle %d, L2 %d:", type,
               swizzle, l2Promotion);
  for (unsigned d = 0; d < rank; ++d)
    std::fprintf(stderr, " %llu/%llu/%u", (unsigned long long)sizes[d],
                 d ? (unsigned long long)strides[d - 1] : 0, box[d]);
  std::fprintf(stderr, "\n");
  return success;
}

} // extern "C"
