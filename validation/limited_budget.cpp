#include "validation/limited_budget.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <limits>

#include "tessera/errors.h"

namespace tessera::validation {

namespace {

using Clock = std::chrono::steady_clock;

/// Reads the memory of the process at most some hundred times per second, however often it is
/// polled.
class ResidentWatch final : public MemoryWatch {
 public:
  explicit ResidentWatch(Size allowed) : most_(allowed) {
    const Size taken = resident_memory();
    most_ += std::min(taken, std::numeric_limits<Size>::max() - allowed);
  }

  [[nodiscard]] bool exceeded() override { return look() > most_; }
  [[nodiscard]] Size left() override { return std::max<Size>(0, most_ - look()); }

 private:
  static constexpr std::chrono::nanoseconds pause = std::chrono::milliseconds(2);

  Size look() {
    const std::int64_t now = Clock::now().time_since_epoch().count();
    std::int64_t due = due_.load(std::memory_order_relaxed);
    if (now >= due &&
        due_.compare_exchange_strong(due, now + pause.count(), std::memory_order_relaxed))
      seen_.store(resident_memory(), std::memory_order_relaxed);
    return seen_.load(std::memory_order_relaxed);
  }

  Size most_;
  std::atomic<std::int64_t> due_{0};
  std::atomic<Size> seen_{0};
};

}  // namespace

Size resident_memory() {
  // The second number: resident pages (proc(5)).
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 128> text{};
  const ssize_t got = ::read(file, text.data(), text.size());
  ::close(file);
  const char* at = text.data();
  const char* end = at + std::max<ssize_t>(0, got);
  while (at < end && *at != ' ') ++at;
  Size pages = 0;
  if (at == end || std::from_chars(at + 1, end, pages).ec != std::errc{}) return 0;
  return pages * static_cast<Size>(::sysconf(_SC_PAGESIZE));
}

constexpr int most_threads = 1024;

LimitedBudget::LimitedBudget(const Limits& limits) {
  const Clock::time_point now = Clock::now();
  if (limits.timeout) {
    if (*limits.timeout < std::chrono::nanoseconds::zero())
      throw BadInput("the time limit is negative");
    if (*limits.timeout < Clock::time_point::max() - now) budget_.deadline = now + *limits.timeout;
  }
  if (limits.work < 1) throw BadInput("the limit on work is not positive");
  if (limits.threads < 1) throw BadInput("at least one thread is needed");
  if (limits.threads > most_threads)
    throw BadInput("more than " + std::to_string(most_threads) + " threads are not supported");
  if (limits.memory) {
    if (*limits.memory < 1) throw BadInput("the memory limit is not positive");
    watch_ = std::make_unique<ResidentWatch>(*limits.memory);
  }
  budget_.max_nodes = limits.work;
  budget_.stop = limits.stop;
  budget_.memory = watch_.get();
}

Budget without_last(int part, Budget budget) {
  if (budget.deadline != Clock::time_point::max())
    budget.deadline -= std::max(Clock::duration::zero(), budget.deadline - Clock::now()) / part;
  return budget;
}

Limits rest_of(Limits limits, const Budget& budget) {
  if (budget.deadline != Clock::time_point::max())
    limits.timeout = std::max(Clock::duration{0}, budget.deadline - Clock::now());
  if (budget.memory != nullptr) limits.memory = std::max<Size>(1, budget.memory->left());
  return limits;
}

}  // namespace tessera::validation
