// Handling of Ctrl-C and similar signals.
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
// One SIGINT, SIGTERM or SIGHUP is sufficient. While there is no result to lose, the program ends
// at once. A search gets a stop request and one second to stop; then the program ends without its
// result. Signals ignored from the start (nohup) stay ignored. Fatal signals still end the program,
// after its temporary files are removed.
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
  reading,    ///< there is no result to lose
  searching,  ///< the search returns its incumbent after a stop request
  writing,    ///< the result is checked, reported and written
};

/// Signals are blocked and received by one thread, so no code has to be signal-safe. require:
/// constructed before other threads, which inherit the blocked signals; one instance at a time.
class Interrupts {
 public:
  /// The listening thread calls `abandon` before the program ends at once.
  explicit Interrupts(std::function<void()> abandon);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// While there is no result to lose, the listening thread calls `over` every few milliseconds. If
  /// it returns a message, the program prints it and ends as stopped by a limit.
  void limit_reading(std::function<std::optional<std::string>()> over);

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  /// Also callable from a searching thread.
  void enter(Phase phase);
  /// `code`, or 128 + signal number after a signal, unless the requested result is complete.
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
  Clock::time_point heard_;    ///< its time
  bool done_ = false;
  std::function<std::optional<std::string>()> over_;  ///< empty: reading has no limits
  std::thread listener_;
};

}  // namespace tessera::cli
