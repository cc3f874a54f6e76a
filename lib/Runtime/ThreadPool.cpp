//===- ThreadPool.cpp - Blocks of a range over threads --------------------===//
//
// Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fa/Runtime/ThreadPool.h"

#include <algorithm>

using namespace fart;

ThreadPool::ThreadPool(unsigned threads) {
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  workers.reserve(threads - 1);
  for (unsigned i = 1; i < threads; ++i)
    workers.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  wake.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::drain() {
  for (;;) {
    int64_t begin = next.fetch_add(grain, std::memory_order_relaxed);
    if (begin >= count)
      return;
    (*body)(begin, std::min(begin + grain, count));
  }
}

void ThreadPool::work() {
  uint64_t seen = 0;
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    wake.wait(lock, [&] { return stopping || generation != seen; });
    if (stopping)
      return;
    seen = generation;
    lock.unlock();
    drain();
    lock.lock();
    if (--busy == 0)
      done.notify_one();
  }
}

void ThreadPool::parallelFor(
    int64_t count, int64_t grain,
    const std::function<void(int64_t, int64_t)> &body) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    this->body = &body;
    this->count = count;
    this->grain = std::max<int64_t>(grain, 1);
    next.store(0, std::memory_order_relaxed);
    busy = static_cast<unsigned>(workers.size());
    ++generation;
  }
  wake.notify_all();
  drain();
  std::unique_lock<std::mutex> lock(mutex);
  done.wait(lock, [&] { return busy == 0; });
}
