// Work that idle threads may join.
//
//   SharedWork shared;
//   work_together(threads, [&] {
//     const SharedWork::Own own(shared);
//     for (std::size_t k = next++; k < jobs.size(); k = next++)
//       shared.run([&] { jobs[k].work_until_done(); });      // several threads may call it at once
//   });
//   each_sharing({.threads = threads}, kinds,
//                [&](std::size_t k, SharedWork& own) { jobs[k].run(own); });      // the same
//
// Jobs take unequal times. When fewer jobs than threads are left, the idle threads help with
// running jobs that can be shared.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/parallel.h"

namespace tessera {

class SharedWork {
 public:
  /// Exists while its thread has jobs of its own. Its destructor helps the other threads.
  class Own {
   public:
    explicit Own(SharedWork& shared) : shared_(shared) {
      const std::lock_guard guard(shared_.lock_);
      ++shared_.busy_;
    }
    Own(const Own&) = delete;
    Own& operator=(const Own&) = delete;
    ~Own() { shared_.help(); }

   private:
    SharedWork& shared_;
  };

  /// Calls `work()` in this thread; idle threads may call it at the same time. Returns when all
  /// calls have ended, and rethrows the first exception.
  /// require: all calls return soon after the work is done.
  void run(const std::function<void()>& work) {
    Job job{.work = &work};
    {
      const std::lock_guard guard(lock_);
      jobs_.push_back(&job);
    }
    changed_.notify_all();
    work_at(job);
    std::unique_lock guard(lock_);
    std::erase(jobs_, &job);
    changed_.wait(guard, [&] { return job.helpers == 0; });
    if (job.error) std::rethrow_exception(job.error);
  }

  /// Helps with running jobs until done() is true. The thread that makes it true calls wake()
  /// afterwards.
  /// require: `done()` calls no member of this.
  template <class Done>
  void help_until(const Done& done) {
    std::unique_lock guard(lock_);
    help_until(guard, done);
  }
  void wake() {
    {
      const std::lock_guard guard(lock_);  // not between a call of done() and the wait
    }
    changed_.notify_all();
  }

  /// Is a thread idle?
  [[nodiscard]] bool wanted() const { return waiting_ > 0; }

 private:
  struct Job {
    const std::function<void()>* work = nullptr;
    int helpers = 0;
    std::exception_ptr error;
  };

  /// An exception is stored for the thread that called run().
  void work_at(Job& job) noexcept {
    try {
      (*job.work)();
    } catch (...) {
      const std::lock_guard guard(lock_);
      if (!job.error) job.error = std::current_exception();
    }
  }

  void help() {
    std::unique_lock guard(lock_);
    --busy_;
    changed_.notify_all();
    help_until(guard, [&] { return busy_ == 0; });
  }

  template <class Done>
  void help_until(std::unique_lock<std::mutex>& guard, const Done& done) {
    while (!done()) {
      if (jobs_.empty()) {
        ++waiting_;
        changed_.wait(guard);
        --waiting_;
        continue;
      }
      Job& job = *jobs_.front();
      ++job.helpers;
      guard.unlock();
      work_at(job);
      guard.lock();
      --job.helpers;
      std::erase(jobs_, &job);  // the job is done
      changed_.notify_all();
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  int busy_ = 0;                 ///< threads with jobs of their own
  std::atomic<int> waiting_{0};  ///< changed only with the lock held
  std::vector<Job*> jobs_;
};

/// The threads to use: a number of own threads; or one, which the idle threads of `outer` help.
struct Helpers {
  int threads = 1;
  SharedWork* outer = nullptr;  ///< of the enclosing job; null: none
};

/// Calls `each(0, shared)` to `each(count - 1, shared)`.
template <class Each>
void each_sharing(Helpers helpers, std::size_t count, const Each& each) {
  const int threads = count == 0 ? 1 : helpers.threads;
  if (threads < 2 && helpers.outer != nullptr) {
    for (std::size_t k = 0; k < count; ++k) each(k, *helpers.outer);
    return;
  }
  std::atomic<std::size_t> next{0};
  SharedWork shared;
  work_together(threads, [&] {
    const SharedWork::Own own(shared);
    for (std::size_t k = next++; k < count; k = next++) each(k, shared);
  });
}

/// Calls `each(0)` to `each(count - 1)`, a few calls of unequal length. Idle threads take calls
/// too.
template <class Each>
void each_of_few(Helpers helpers, std::size_t count, const Each& each) {
  if (helpers.threads > 1 || helpers.outer == nullptr)
    return each_together(helpers.threads, count, each);
  std::atomic<std::size_t> next{0};
  helpers.outer->run([&] {
    for (std::size_t k = next++; k < count; k = next++) each(k);
  });
}

/// The same as each_sharing() for each of the kinds. The first job of a kind runs before the
/// others: a second job of the same kind would only wait for its result.
template <class Each>
void each_sharing(Helpers helpers, const std::vector<std::string>& kinds, const Each& each) {
  std::vector<std::size_t> first;
  std::vector<std::size_t> again;
  std::set<std::string_view> seen;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    (seen.insert(kinds[k]).second ? first : again).push_back(k);
  for (const std::vector<std::size_t>& list : {first, again})
    each_sharing(helpers, list.size(),
                 [&](std::size_t k, SharedWork& shared) { each(list[k], shared); });
}

}  // namespace tessera
