//===- ThreadPool.h - Blocks of a range over threads ------------*- C++ -*-===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef FA_RUNTIME_THREADPOOL_H
#define FA_RUNTIME_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fart {

/// A fixed team of threads; the caller is one of them.
class ThreadPool {
public:
  /// `threads` = 0 means one for each hardware thread.
  explicit ThreadPool(unsigned threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned getNumThreads() const {
    return static_cast<unsigned>(workers.size()) + 1;
  }

  /// Calls `body(begin, end)` so that the ranges cover [0, count) once. Ranges
  /// have at most `grain` elements and are handed out as threads become free;
  /// the set of ranges depends on `count` and `grain` alone, so results do not
  /// depend on the number of threads. Returns when all are done. One call at a
  /// time.
  void parallelFor(int64_t count, int64_t grain,
                   const std::function<void(int64_t, int64_t)> &body);

private:
  void work();
  void drain();

  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable done;
  uint64_t generation = 0;
  unsigned busy = 0;
  bool stopping = false;

  // The loop being run.
  const std::function<void(int64_t, int64_t)> *body = nullptr;
  int64_t count = 0;
  int64_t grain = 1;
  std::atomic<int64_t> next = 0;
};

} // namespace fart

#endif // FA_RUNTIME_THREADPOOL_H
