#include "cli/session.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "cli/command.h"
#include "cli/console.h"
#include "tessera/files.h"
#include "validation/limited_budget.h"

namespace tessera::cli {

namespace {

constexpr const char* own_name = "use another file name";

/// Memory for the smallest input: smaller limits are left to the search to report.
constexpr Size reading_needs = Size{4} << 20U;

std::string limit_came(const LimitArguments& limits, StopReason which) {
  std::string what = "a limit";
  if (which == StopReason::time_limit && !limits.timeout.empty())
    what = "the time limit of " + limits.timeout;
  if (which == StopReason::memory_limit)
    what = limits.memory.empty() ? "the end of the memory" : "the memory limit of " + limits.memory;
  return what + " was reached before there was a result";
}

}  // namespace

Session::Session()
    : interrupts_([this] {
        // The status line has no line end of its own.
        if (stderr_is_terminal()) complain("");
        // The program ends without unlocking, so that no further output is created before it does.
        mutex_.lock();
        for (const Output& output : outputs_) output.file->abandon();
      }) {}

void Session::limit_reading(const LimitArguments& limits) {
  const std::optional<std::chrono::nanoseconds> timeout = limits.limits().timeout;
  const std::optional<Size> memory = limits.most_memory();
  if (!timeout && !memory) return;
  // Just before the limit, a search is allowed to begin: it ends soon and gives a better report.
  std::optional<std::chrono::steady_clock::time_point> end;
  if (timeout && *timeout < std::chrono::hours(24 * 365))
    end = start_ + *timeout + *timeout / 20 + std::chrono::milliseconds(50);
  const Size most =
      memory ? std::max(*memory, validation::resident_memory() + reading_needs) : unbounded;
  interrupts_.limit_reading([end, most, limits]() -> std::optional<std::string> {
    if (end && std::chrono::steady_clock::now() >= *end)
      return limit_came(limits, StopReason::time_limit);
    if (most != unbounded && validation::resident_memory() > most)
      return limit_came(limits, StopReason::memory_limit);
    return std::nullopt;
  });
}

Limits Session::remaining(Limits limits, int for_after) const {
  if (!limits.timeout) return limits;
  const auto left = std::max(std::chrono::nanoseconds::zero(),
                             *limits.timeout - (std::chrono::steady_clock::now() - start_));
  // CPU time: a slow pipe does not predict the time of writing.
  const std::chrono::nanoseconds reading =
      std::chrono::microseconds(std::clock() * (1'000'000 / CLOCKS_PER_SEC));
  limits.timeout = left - std::min(for_after * reading, left / 2);
  return limits;
}

void Session::reads(const std::string& path) {
  const std::optional<validation::FileIdentity> input = validation::input_identity(path);
  if (!input) return;
  inputs_.emplace_back(path, *input);
  if (const auto out = validation::standard_output_identity(); out && out->same_file(*input))
    throw BadInput(path + ": is an input, and the standard output is written to it", own_name);
  for (const Output& output : outputs_) require_apart(output);
}

void Session::reads_profile(const std::string& name, const std::vector<std::string>& folders) {
  if (name.empty()) return;
  for (const std::filesystem::path& file : profile_files(name, folders)) reads(file.string());
}

validation::OutputFile* Session::writes(const std::string& option, const std::string& path,
                                        validation::OutputFile::Writer writer) {
  if (path.empty()) return nullptr;
  const std::lock_guard lock(mutex_);
  Output output{option, std::make_unique<validation::OutputFile>(path, writer)};
  require_apart(output);
  outputs_.push_back(std::move(output));
  return outputs_.back().file.get();
}

validation::OutputFile* Session::writes(const std::string& option, const std::string& path,
                                        const std::vector<std::string>& endings) {
  validation::OutputFile* const file = writes(option, path);
  require_ending(option, path, endings);
  return file;
}

void Session::require_apart(const Output& output) const {
  const validation::FileIdentity& identity = output.file->identity();
  const std::string& path = output.file->path();
  for (const auto& [name, input] : inputs_)
    if (identity.same_file(input))
      throw BadInput(path + ": " + output.option + " would overwrite an input" +
                         (name == path ? "" : ", " + name),
                     own_name);
  for (const Output& other : outputs_)
    if (other.file != output.file && identity.same_file(other.file->identity()))
      throw BadInput(path + ": two outputs, " + other.option + " and " + output.option +
                         ", have the same file",
                     own_name);
  const auto out = validation::standard_output_identity();
  if (identity.replaced && out && identity.same_file(*out))
    throw BadInput(path + ": " + output.option + " would overwrite the file of the standard output",
                   own_name);
}

bool Session::goes_to_standard_output(const validation::OutputFile& file) {
  const auto out = validation::standard_output_identity();
  return file.path() == "-" || (out && file.identity().same_file(*out));
}

void Session::put(validation::OutputFile& file, const std::string& text) {
  file.write(text, interrupts_.token());
  file.commit(interrupts_.token());
}

void Session::deliver(validation::OutputFile* file, const std::function<std::string()>& text) {
  if (file != nullptr) attempt(*file, [this, file, text] { put(*file, text()); });
}

void Session::deliver_stream(validation::OutputFile* file,
                             const std::function<void(const TextSink&)>& write) {
  if (file == nullptr) return;
  attempt(*file, [this, file, write] {
    write([&](std::string_view piece) { file->write(piece, interrupts_.token()); });
    file->commit(interrupts_.token());
  });
}

void Session::deliver(validation::OutputFile* file) {
  if (file != nullptr) attempt(*file, [this, file] { file->commit(interrupts_.token()); });
}

void Session::attempt(validation::OutputFile& file, std::function<void()> write) {
  standard_output_used_ = standard_output_used_ || goes_to_standard_output(file);
  if (file.identity().replaced)
    attempt(write);
  else
    waiting_.push_back(std::move(write));
}

void Session::report(const std::function<std::string()>& text) {
  deliver_waiting();
  if (!standard_output_used_) attempt([&] { print(text(), interrupts_.token()); });
}

int Session::hand_over(validation::OutputFile* file, const std::string& text) {
  const auto write = [&](const TextSink& sink) -> std::optional<StopReason> {
    sink(text);
    return std::nullopt;
  };
  return hand_over(file, write, {});
}

int Session::hand_over(validation::OutputFile* file,
                       const std::function<std::optional<StopReason>(const TextSink&)>& write,
                       const LimitArguments& limits) {
  const std::optional<StopReason> stop = write([&](std::string_view piece) {
    if (file == nullptr)
      print(piece);
    else
      file->write(piece, interrupts_.token());
  });
  if (stop) {
    complain("tessera: " + limit_came(limits, *stop));
    return exit_stopped;
  }
  if (file != nullptr) {
    if (file->identity().replaced) interrupts_.enter(Phase::writing);
    file->commit(interrupts_.token());
  }
  return exit_code(exit_found, true);
}

void Session::fail_later(std::exception_ptr error) {
  if (!error_) error_ = std::move(error);
}

void Session::attempt(const std::function<void()>& write) {
  try {
    write();
  } catch (...) {
    fail_later(std::current_exception());
  }
}

void Session::deliver_waiting() {
  for (const std::function<void()>& write : std::exchange(waiting_, {})) attempt(write);
}

int Session::exit_code(int code, bool complete) {
  deliver_waiting();
  if (error_) std::rethrow_exception(error_);
  return interrupts_.exit_code(code, complete);
}

}  // namespace tessera::cli
