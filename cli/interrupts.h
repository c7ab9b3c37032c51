// How Ctrl-C and its kin are heard, and what they end.
//
//   Interrupts interrupts([&] { files.abandon(); });   // before any other thread starts
//   Input input = load();                              // a signal ends the program: 130, 143, 129
//   interrupts.enter(Phase::searching);
//   params.limits.stop = interrupts.token();           // a signal ends the search
//   PlacementResult result = place(problem, params);
//   interrupts.enter(Phase::writing);                  // a signal is noted
//   write(result);
//   return interrupts.exit_code(code, complete);
//
// SIGINT, SIGTERM and SIGHUP ask for an end; one is enough. While nothing is found that could be
// lost, the program ends at once. A search ends by its stop token and has a second for it: then the
// program ends without it. Signals that are ignored from the start (nohup) stay ignored, and those
// that kill a program kill this one too, once what lies beside its outputs is gone.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace tessera::cli {

enum class Phase : std::uint8_t {
  reading,    ///< there is nothing to lose
  searching,  ///< whoever searches gives back what there is once it is asked to stop
  writing,    ///< what was found is checked, told and written
};

/// Signals are blocked and taken by one thread, so nothing that is not allowed in a signal handler
/// ever runs.
/// require: constructed before other threads, which inherit the blocked signals; one at a time.
class Interrupts {
 public:
  /// `abandon` is called, from the listening thread, before the program ends at once.
  explicit Interrupts(std::function<void()> abandon);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// While nothing is found that could be lost, `over` is asked every few milliseconds, from the
  /// listening thread; once it answers with a sentence, that is told and the program ends as
  /// stopped by a limit.
  void limit_reading(std::function<std::optional<std::string>()> over);

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  /// Also from a searching thread.
  void enter(Phase phase);
  /// `code`, or after a signal 128 and its number, unless what was asked for is complete.
  [[nodiscard]] int exit_code(int code, bool complete) const;

 private:
  using Clock = std::chrono::steady_clock;
  void listen();
  void hear(int signal);
  [[nodiscard]] bool is_reading_limited();
  [[noreturn]] void end_now();
  [[noreturn]] void end_by_limit(const std::string& sentence);
  [[noreturn]] void die_of(int signal);

  std::function<void()> abandon_;
  std::stop_source source_;
  mutable std::mutex mutex_;
  Phase phase_ = Phase::reading;
  std::optional<int> signal_;  ///< the first one
  Clock::time_point heard_;    ///< when
  bool done_ = false;
  std::function<std::optional<std::string>()> over_;  ///< empty: reading has no limits
  std::thread listener_;
};

}  // namespace tessera::cli
