// Output to the terminal.
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

/// Writes to the standard output. Throws OutputError if that fails (a full disk), or if a stop was
/// requested and the reader is stalled.
void print(std::string_view text, const std::stop_token& stop = {});

/// "1 tile", "2 tiles".
[[nodiscard]] std::string counted(std::size_t count, std::string_view one, std::string_view many);

/// One line to the standard error.
void complain(std::string_view text);

/// "tessera: note: ..." on the standard error, unless quiet.
void note(std::string_view text, bool quiet);

/// A note if the text is larger than most viewers handle well (4 MiB), with a smaller alternative.
void note_large(std::string_view path, std::size_t bytes, std::string_view lighter, bool quiet);

[[nodiscard]] bool stderr_is_terminal();

/// Width of tables: of the terminal on the standard output, else $COLUMNS, else 100. At least 60.
[[nodiscard]] std::size_t report_width();
/// Width of sentences. Without a known width they are not wrapped, because programs read them line
/// by line.
[[nodiscard]] std::size_t words_width();
inline constexpr std::size_t unlimited_width = std::size_t{1} << 30U;

/// Progress on the standard error: an overwritten line, lines of JSON, or none.
enum class ProgressForm : std::uint8_t { none, line, json };

/// Value of --progress: `json`, `none`, or `auto`, which is a line on a terminal.
[[nodiscard]] ProgressForm progress_form(std::string_view word, bool quiet);

/// Status of a long operation, with the elapsed time. Repeated every second, so that the clock
/// advances without news.
class StatusLine {
 public:
  explicit StatusLine(ProgressForm form);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  [[nodiscard]] bool wanted() const { return form_ != ProgressForm::none; }
  /// Shown a few times per second at most, the last call always; cheap to call often, from one
  /// thread at a time. As JSON: the members that `fields` adds, plus the elapsed and (if known)
  /// remaining seconds.
  void show(const std::string& text, const std::function<void(JsonObject&)>& fields,
            std::optional<double> left = std::nullopt);
  [[nodiscard]] double seconds() const;

 private:
  void tell();  ///< require: the lock is held
  void tick();

  ProgressForm form_;
  std::mutex lock_;  ///< guards the following members
  std::condition_variable ended_;
  bool over_ = false;
  bool known_ = false;    ///< has anything been shown?
  bool waiting_ = false;  ///< a status waits because the previous one was just shown
  std::string text_;
  std::string fields_;             ///< a JSON object without its closing brace
  std::optional<double> ends_at_;  ///< in seconds
  std::size_t width_ = 0;
  bool told_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
  std::thread clock_;
};

}  // namespace tessera::cli
