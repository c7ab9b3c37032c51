// The terminal side: what is printed where, and how Ctrl-C is heard.
//
//   Interrupts interrupts;                       // before any other thread starts
//   params.stop = interrupts.token();
//   print(report_text);                          // stdout, throws if it cannot be written
#pragma once

#include <atomic>
#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace tessera::cli {

/// Writes to the standard output and flushes. Throws OutputError where that fails (a full disk).
void print(std::string_view text);

/// Where --output and the like go: a file, whole or not at all, or for "-" the standard output.
void deliver(const std::string& path, std::string_view text);

/// "1 tile", "2 tiles".
[[nodiscard]] std::string counted(std::size_t count, std::string_view one, std::string_view many);

/// One line to the standard error.
void complain(std::string_view text);

/// "tessera: note: ..." on the standard error, unless quiet.
void note(std::string_view text, bool quiet);

[[nodiscard]] bool stderr_is_terminal();

/// Turns the first SIGINT or SIGTERM into a stop request; a second one ends the program at once
/// with the exit code for "stopped". Signals are blocked and taken by one thread, so nothing that
/// is not allowed in a signal handler ever runs.
/// require: constructed before other threads, which inherit the blocked signals; one at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::atomic<bool> done_ = false;
  std::thread listener_;
};

/// A status line on the standard error that overwrites itself; silent unless that is a terminal.
class StatusLine {
 public:
  explicit StatusLine(bool quiet);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  /// At most some times per second; safe to call often, from one thread at a time.
  void show(const std::string& text);
  [[nodiscard]] double seconds() const;

 private:
  bool active_;
  std::size_t width_ = 0;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace tessera::cli
