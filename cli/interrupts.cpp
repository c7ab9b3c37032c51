#include "cli/interrupts.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <utility>

#include "cli/command.h"
#include "cli/console.h"

namespace tessera::cli {

namespace {

/// Interval between checks of the limits on reading.
constexpr std::chrono::milliseconds poll_interval{5};

/// Time a search has to stop after a request.
constexpr std::chrono::milliseconds grace{1000};

constexpr std::array asks_for_an_end = {SIGINT, SIGTERM, SIGHUP};

/// Wakes the listener when the program ends or gets limits. Sent from outside it ends the program
/// like other signals.
constexpr int goodbye = SIGUSR1;
constexpr std::array kills = {SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2,  SIGXCPU,
                              SIGPROF, SIGPOLL, SIGPWR,  SIGVTALRM};

bool is_ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

sigset_t listened() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : asks_for_an_end)
    if (!is_ignored(signal)) sigaddset(&set, signal);
  for (const int signal : kills)
    if (!is_ignored(signal)) sigaddset(&set, signal);
  sigaddset(&set, goodbye);
  return set;
}

timespec span_until(std::chrono::steady_clock::time_point when) {
  const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::max(when - std::chrono::steady_clock::now(), std::chrono::steady_clock::duration{0}));
  return {.tv_sec = static_cast<std::time_t>(left.count() / 1'000'000'000),
          .tv_nsec = static_cast<long>(left.count() % 1'000'000'000)};
}

}  // namespace

Interrupts::Interrupts(std::function<void()> abandon) : abandon_(std::move(abandon)) {
  const sigset_t set = listened();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  listener_ = std::thread([this] { listen(); });
}

Interrupts::~Interrupts() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  pthread_kill(listener_.native_handle(), goodbye);
  listener_.join();
}

void Interrupts::limit_reading(std::function<std::optional<std::string>()> over) {
  {
    const std::lock_guard lock(mutex_);
    over_ = std::move(over);
  }
  pthread_kill(listener_.native_handle(), goodbye);  // wake it: it waits without a timeout
}

void Interrupts::enter(Phase phase) {
  const std::lock_guard lock(mutex_);
  phase_ = phase;
}

int Interrupts::exit_code(int code, bool complete) const {
  const std::lock_guard lock(mutex_);
  return signal_ && !complete ? 128 + *signal_ : code;
}

void Interrupts::listen() {
  const sigset_t set = listened();
  std::optional<Clock::time_point> end;  // of the search's grace period
  for (;;) {
    siginfo_t info{};
    std::optional<Clock::time_point> until = end;
    if (is_reading_limited()) until = Clock::now() + poll_interval;
    const timespec left = until ? span_until(*until) : timespec{};
    const int signal = until ? ::sigtimedwait(&set, &info, &left) : ::sigwaitinfo(&set, &info);
    if (signal < 0 && errno == EINTR) continue;
    const std::lock_guard lock(mutex_);
    if (done_) return;
    if (over_ && phase_ == Phase::reading)
      if (const auto sentence = over_()) end_by_limit(*sentence);
    if (signal < 0) {
      if (!end || Clock::now() < *end) continue;
      if (phase_ != Phase::writing) end_now();
      end.reset();
    } else if (signal != goodbye || info.si_pid != ::getpid()) {
      hear(signal);
      end = heard_ + grace;
    }
  }
}

void Interrupts::hear(int signal) {
  if (std::find(kills.begin(), kills.end(), signal) != kills.end()) die_of(signal);
  // A wrapper may forward a signal that the terminal has sent already; only a later one is a second
  // request.
  if (signal_ && Clock::now() - heard_ >= grace) end_now();
  if (signal_) return;
  signal_ = signal;
  heard_ = Clock::now();
  if (phase_ == Phase::reading) end_now();
  source_.request_stop();
}

bool Interrupts::is_reading_limited() {
  const std::lock_guard lock(mutex_);
  return over_ && phase_ == Phase::reading;
}

void Interrupts::end_by_limit(const std::string& sentence) {
  abandon_();
  complain("tessera: " + sentence);
  ::_exit(exit_stopped);
}

void Interrupts::end_now() {
  abandon_();
  ::_exit(128 + *signal_);
}

void Interrupts::die_of(int signal) {
  abandon_();
  ::signal(signal, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace tessera::cli
