// The terminal side: what is printed where.
//
//   note("the profile has no energies", quiet);  // stderr
//   print(report_text);                          // stdout, throws if it cannot be written
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "model/json_write.h"

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

/// A note where a text of so many bytes is more than most viewers like (4 MiB), with the lighter
/// way.
void note_large(std::string_view path, std::size_t bytes, std::string_view lighter, bool quiet);

[[nodiscard]] bool stderr_is_terminal();

/// Columns that tables may take: of the terminal that the standard output is; else $COLUMNS, else
/// 100. At least 60.
[[nodiscard]] std::size_t report_width();
/// Likewise of sentences, which are not broken where neither says a width: programs look for them
/// line by line.
[[nodiscard]] std::size_t words_width();
inline constexpr std::size_t unlimited_width = std::size_t{1} << 30U;

/// How progress is told on the standard error: a line that overwrites itself, lines of JSON, or
/// not.
enum class ProgressForm : std::uint8_t { none, line, json };

/// Of --progress: `json`, `none`, or `auto`, which is a line where there is a terminal.
[[nodiscard]] ProgressForm progress_form(std::string_view word, bool quiet);

/// What is known so far, told while something takes long, and how long it took by now: told again
/// every second, so that the clock moves while nothing else does.
class StatusLine {
 public:
  explicit StatusLine(ProgressForm form);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  [[nodiscard]] bool wanted() const { return form_ != ProgressForm::none; }
  /// Told at most some times per second, the last one always; safe to call often, from one thread
  /// at a time. As JSON it is what `fields` adds, and the seconds, gone and (where it is known)
  /// left.
  void show(const std::string& text, const std::function<void(JsonObject&)>& fields,
            std::optional<double> left = std::nullopt);
  [[nodiscard]] double seconds() const;

 private:
  void tell();  ///< require: the lock is held
  void tick();

  ProgressForm form_;
  std::mutex lock_;  ///< of what follows
  std::condition_variable ended_;
  bool over_ = false;
  bool known_ = false;    ///< was anything shown?
  bool waiting_ = false;  ///< it came too soon after what was told before
  std::string text_;
  std::string fields_;             ///< an object of JSON without its last brace
  std::optional<double> ends_at_;  ///< in seconds
  std::size_t width_ = 0;
  bool told_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
  std::thread clock_;
};

}  // namespace tessera::cli
