// The terminal side: what is printed where.
//
//   note("the profile has no energies", quiet);  // stderr
//   print(report_text);                          // stdout, throws if it cannot be written
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>

namespace tessera::cli {

/// Writes to the standard output. Throws OutputError where that fails (a full disk), or where a
/// stop was requested and nobody reads.
void print(std::string_view text, const std::stop_token& stop = {});

/// "1 tile", "2 tiles".
[[nodiscard]] std::string counted(std::size_t count, std::string_view one, std::string_view many);

/// One line to the standard error.
void complain(std::string_view text);

/// "tessera: note: ..." on the standard error, unless quiet.
void note(std::string_view text, bool quiet);

[[nodiscard]] bool stderr_is_terminal();

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
