// Runs work in several threads. An exception that leaves a thread would end the program, and any
// thread may run out of memory: the first exception is rethrown in the calling thread.
//
//   std::atomic<std::size_t> next{0};
//   work_together(threads, [&] {
//     for (std::size_t k = next++; k < jobs.size(); k = next++) jobs[k].run();
//   });
//   each_together(threads, jobs.size(), [&](std::size_t k) { jobs[k].run(); });   // the same
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace tessera {

/// Calls `work()` in this thread and in up to `threads` - 1 others, fewer if the system has no
/// more. Returns when all have ended. Rethrows the first exception.
template <class Work>
void work_together(int threads, const Work& work) {
  std::exception_ptr error;
  std::mutex mutex;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    try {
      for (int t = 1; t < threads; ++t) helpers.emplace_back(guarded);
    } catch (const std::system_error&) {  // no more threads
    } catch (const std::bad_alloc&) {
    }
    guarded();
  }
  if (error) std::rethrow_exception(error);
}

/// Calls `each(0)` to `each(count - 1)` in up to this many threads.
template <class Each>
void each_together(int threads, std::size_t count, const Each& each) {
  std::atomic<std::size_t> next{0};
  const auto most = static_cast<std::size_t>(std::max(1, threads));
  work_together(static_cast<int>(std::min(most, count)), [&] {
    for (std::size_t k = next++; k < count; k = next++) each(k);
  });
}

/// The number of threads for each of several concurrent jobs.
[[nodiscard]] constexpr int threads_of_each(int threads, std::size_t jobs) {
  const auto all = static_cast<std::size_t>(std::max(1, threads));
  return static_cast<int>(std::max<std::size_t>(1, all / std::max<std::size_t>(1, jobs)));
}

}  // namespace tessera
