#include "cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "model/json_text.h"
#include "validation/output_file.h"

namespace tessera::cli {

void print(std::string_view text, const std::stop_token& stop) {
  validation::write_to_descriptor(STDOUT_FILENO, text, "the standard output", stop);
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

void complain(std::string_view text) {
  std::string line(text);
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void note(std::string_view text, bool quiet) {
  if (!quiet) complain("tessera: note: " + std::string(text));
}

namespace {

/// Width of the terminal on the standard output, or $COLUMNS; none if neither is known.
std::optional<std::size_t> columns_told() {
  constexpr std::size_t least = 60;
  std::size_t columns = 0;
  winsize size{};
  const char* const said = std::getenv("COLUMNS");
  if (isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    columns = size.ws_col;
  else if (said != nullptr)
    std::from_chars(said, said + std::char_traits<char>::length(said), columns);
  if (columns == 0) return std::nullopt;
  return std::max(columns, least);
}

constexpr std::size_t usual_width = 100;

}  // namespace

std::size_t report_width() {
  return columns_told().value_or(usual_width);
}

std::size_t words_width() {
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  return columns_told().value_or(terminal ? usual_width : unlimited_width);
}

void note_large(std::string_view path, std::size_t bytes, std::string_view lighter, bool quiet) {
  constexpr std::size_t large = std::size_t{4} << 20;
  if (bytes < large) return;
  note(std::string(path) + " has " + std::to_string(bytes >> 20) + " MiB; " + std::string(lighter),
       quiet);
}

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

ProgressForm progress_form(std::string_view word, bool quiet) {
  if (word == "json") return ProgressForm::json;
  if (word == "none" || quiet || !stderr_is_terminal()) return ProgressForm::none;
  return ProgressForm::line;
}

StatusLine::StatusLine(ProgressForm form) : form_(form), start_(std::chrono::steady_clock::now()) {
  if (wanted()) clock_ = std::thread([this] { tick(); });
}

StatusLine::~StatusLine() {
  {
    const std::lock_guard guard(lock_);
    over_ = true;
    if (waiting_ && form_ == ProgressForm::json) tell();
  }
  ended_.notify_all();
  if (clock_.joinable()) clock_.join();
  if (width_ > 0) std::fprintf(stderr, "\r%*s\r", static_cast<int>(width_), "");
}

double StatusLine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void StatusLine::show(const std::string& text, const std::function<void(JsonObject&)>& fields,
                      std::optional<double> left) {
  if (form_ == ProgressForm::none) return;
  std::string made = json_object(fields);
  made.pop_back();
  const std::lock_guard guard(lock_);
  known_ = waiting_ = true;
  text_ = text;
  fields_ = std::move(made);
  ends_at_.reset();
  if (left) ends_at_ = seconds() + *left;
  if (!told_ || std::chrono::steady_clock::now() - last_ >= std::chrono::milliseconds(100)) tell();
}

/// No new output for a while: update the clock.
void StatusLine::tick() {
  using namespace std::chrono_literals;
  std::unique_lock guard(lock_);
  while (!ended_.wait_for(guard, 250ms, [this] { return over_; }))
    if (known_ && std::chrono::steady_clock::now() - last_ >= (waiting_ ? 100ms : 1000ms)) tell();
}

void StatusLine::tell() {
  const double gone = seconds();
  if (form_ == ProgressForm::json) {
    std::string line =
        fields_ + (fields_.size() > 1 ? ", " : "") + "\"seconds\": " + json_number(gone);
    if (ends_at_) line += ", \"left\": " + json_number(std::max(0.0, *ends_at_ - gone));
    complain(line + '}');
  } else {
    char clock[60];
    if (ends_at_)
      std::snprintf(clock, sizeof clock, ", %.0f s, %.0f s left", gone,
                    std::max(0.0, *ends_at_ - gone));
    else
      std::snprintf(clock, sizeof clock, ", %.0f s", gone);
    const std::string line = (text_ + clock).substr(0, 78);
    std::fprintf(stderr, "\r%-*s", static_cast<int>(std::max(width_, line.size())), line.c_str());
    std::fflush(stderr);
    width_ = std::max(width_, line.size());
  }
  last_ = std::chrono::steady_clock::now();
  told_ = true;
  waiting_ = false;
}

}  // namespace tessera::cli
