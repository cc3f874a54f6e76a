//===- Options.h - What fa-launch is asked to do ----------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_TOOLS_FALAUNCH_OPTIONS_H
#define FA_TOOLS_FALAUNCH_OPTIONS_H

#include "fa/Runtime/GpuAttention.h"
#include "fa/Runtime/Package.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fart {

/// A flag with a value, on the command line and as a key of a suite.
struct FlagInfo {
  const char *name; ///< Without dashes.
  const char *valueDesc;
  const char *help;
  bool mayRepeat = false;
};

/// Every flag that `LaunchOptions::set` knows.
const std::vector<FlagInfo> &getLaunchFlags();

/// The sizes of a problem, from several sources (flags, arrays, the package)
/// that have to agree.
class Sizes {
public:
  enum Name { Batch, Heads, KVHeads, SeqQ, SeqKV, HeadDim, HeadDimV };

  /// The size that the flag `name` stands for.
  static std::optional<Name> find(std::string_view name);

  /// Sets a size, in place of what was set before.
  void set(Name size, int64_t value, const std::string &source);
  /// States that a size is `value`, according to `source`. Fails with both
  /// sources if it was something else.
  Status state(Name size, int64_t value, const std::string &source);
  Status stateAll(const std::vector<int64_t> &values,
                  const std::vector<Name> &names, const std::string &source);

  /// States what `package` was compiled for, fills the rest with defaults, and
  /// yields a valid problem.
  Result<Problem> resolve(const Package &package) const;

private:
  struct Stated {
    int64_t value;
    std::string source;
  };
  std::array<std::optional<Stated>, 7> sizes;
};

/// What to run.
struct LaunchOptions {
  Sizes sizes;
  std::string query, key, value;   ///< .npy files; empty: random.
  std::string output, lse;         ///< .npy files to write, if not empty.
  std::vector<std::string> extras; ///< N:FILE.npy or N:NUMBER
  uint64_t seed = 0;
  bool check = false;
  std::optional<int64_t> checkRows;
  GpuRunOptions run;

  /// Sets the option that the flag --`name` stands for. Fails for unknown names
  /// and bad values.
  Status set(const std::string &name, const std::string &value);
};

/// Reads an integer from `min` to `max` for the flag --`name`.
Result<int64_t> parseInteger(const std::string &name, const std::string &value,
                             int64_t min, int64_t max);

} // namespace fart

#endif // FA_TOOLS_FALAUNCH_OPTIONS_H
