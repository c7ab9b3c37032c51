// Work that whoever has nothing else to do may join.
//
//   SharedWork shared;
//   work_together(threads, [&] {
//     const SharedWork::Own own(shared);
//     for (std::size_t k = next++; k < jobs.size(); k = next++)
//       shared.run([&] { jobs[k].work_until_done(); });      // several threads may call it at once
//   });
//
// Jobs take unequally long: with fewer of them left than there are threads, the others help with
// what is under way, where that can be shared.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

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
    while (busy_ > 0) {
      if (open_.empty()) {
        changed_.wait(guard);
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
  int busy_ = 0;  ///< threads with jobs of their own
  std::vector<Open*> open_;
};

}  // namespace tessera
