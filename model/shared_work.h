// Work that whoever has nothing else to do may join.
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
// Jobs take unequally long: with fewer of them left than there are threads, the others help with
// what is under way, where that can be shared.
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

#include "model/crew.h"

namespace tessera {

class SharedWork {
 public:
  /// Of a thread, as long as it has jobs of its own; helps the others from then on.
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

  /// Calls `work()` here; others may at the same time. Comes back when all of them have ended, and
  /// throws what the first of them threw.
  /// require: it returns everywhere soon after it is done anywhere.
  void run(const std::function<void()>& work) {
    Open open{.work = &work};
    {
      const std::lock_guard guard(lock_);
      open_.push_back(&open);
    }
    changed_.notify_all();
    work_at(open);
    std::unique_lock guard(lock_);
    std::erase(open_, &open);
    changed_.wait(guard, [&] { return open.helpers == 0; });
    if (open.error) std::rethrow_exception(open.error);
  }

  /// Helps with what is under way until it is so. Whoever makes it so calls wake() afterwards.
  /// require: `done()` calls nothing of this.
  template <class Done>
  void help_until(const Done& done) {
    std::unique_lock guard(lock_);
    help_until(guard, done);
  }
  void wake() {
    {
      const std::lock_guard guard(lock_);  // not between asking whether it is so and waiting
    }
    changed_.notify_all();
  }

  /// Has somebody nothing to do just now?
  [[nodiscard]] bool wanted() const { return waiting_ > 0; }

 private:
  struct Open {
    const std::function<void()>* work = nullptr;
    int helpers = 0;
    std::exception_ptr error;
  };

  /// Nothing is thrown where a thread only helps.
  void work_at(Open& open) noexcept {
    try {
      (*open.work)();
    } catch (...) {
      const std::lock_guard guard(lock_);
      if (!open.error) open.error = std::current_exception();
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
      if (open_.empty()) {
        ++waiting_;
        changed_.wait(guard);
        --waiting_;
        continue;
      }
      Open& open = *open_.front();
      ++open.helpers;
      guard.unlock();
      work_at(open);
      guard.lock();
      --open.helpers;
      std::erase(open_, &open);  // it is done
      changed_.notify_all();
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  int busy_ = 0;                 ///< threads with jobs of their own
  std::atomic<int> waiting_{0};  ///< changed with the lock held
  std::vector<Open*> open_;
};

/// Who works: so many threads, or one, and whoever has no jobs of its own helps it.
struct Helpers {
  int threads = 1;
  SharedWork* outer = nullptr;  ///< of the job that this is a part of; null: it is none
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

/// Calls `each(0)` to `each(count - 1)`, of which some take long: whoever has nothing else to do
/// takes one, too.
template <class Each>
void each_of_few(Helpers helpers, std::size_t count, const Each& each) {
  if (helpers.threads > 1 || helpers.outer == nullptr)
    return each_together(helpers.threads, count, each);
  std::atomic<std::size_t> next{0};
  helpers.outer->run([&] {
    for (std::size_t k = next++; k < count; k = next++) each(k);
  });
}

/// The same as each_sharing() for each of the kinds. Of one kind the first is done before the
/// others: whoever asks for what is being made already would only wait for it.
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
