// Inputs and outputs of one program run. Ensures that results are not lost and that no input is
// overwritten.
//
//   session.reads("net.csv");
//   OutputFile* out = session.writes("--output", "placed.json");   // nullptr for ""
//   ... Phase::searching ...
//   session.interrupts().enter(Phase::writing);
//   session.deliver(out, [&] { return result_json(problem, result); });
//   session.report(text);                            // the standard output, after every file
//   return session.exit_code(exit_found, true);      // throws if a file could not be written
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/interrupts.h"
#include "cli/options.h"
#include "tessera/export.h"
#include "validation/output_file.h"

namespace tessera::cli {

class Session {
 public:
  Session();

  /// Throws BadInput if an output would replace or extend this input.
  void reads(const std::string& path);
  /// The same for the profile with this name or path and its bases; "" is none.
  void reads_profile(const std::string& name, const std::vector<std::string>& folders = {});
  /// Opens an output; `option` is for messages. Throws BadInput if it cannot be written, or if it
  /// is an input, another output or the file of the standard output.
  validation::OutputFile* writes(
      const std::string& option, const std::string& path,
      validation::OutputFile::Writer writer = validation::OutputFile::Writer::here);
  /// The same for a file of one of these kinds (".json", ...): other extensions are rejected.
  validation::OutputFile* writes(const std::string& option, const std::string& path,
                                 const std::vector<std::string>& endings);
  /// Is this output the standard output, where a report would follow?
  [[nodiscard]] static bool goes_to_standard_output(const validation::OutputFile& file);

  /// Applies the limits to reading and to everything else before a search.
  void limit_reading(const LimitArguments& limits);
  /// The remaining time of the program for its search. `for_after` times the work of reading, but
  /// at most a half of the time, is reserved for what follows the search.
  [[nodiscard]] Limits remaining(Limits limits, int for_after = 0) const;
  /// `for_after` if only freeing a large problem follows the result.
  static constexpr int giving_back = 1;

  [[nodiscard]] Interrupts& interrupts() { return interrupts_; }

  /// Writes one output; does nothing for nullptr. Outputs that are not regular files wait for
  /// report() or exit_code(), because a reader that stops early must not affect the others. Errors
  /// wait for exit_code(), so that the rest is still written.
  void deliver(validation::OutputFile* file, const std::function<std::string()>& text);
  /// The same for a text that `write` streams.
  void deliver_stream(validation::OutputFile* file,
                      const std::function<void(const TextSink&)>& write);
  /// For Writer::by_name.
  void deliver(validation::OutputFile* file);
  /// To the standard output, unless an output went there.
  void report(const std::function<std::string()>& text);
  /// For a command with a single text and no search: to the file, or else to the standard output,
  /// where a signal ends it at once. Returns the exit code.
  [[nodiscard]] int hand_over(validation::OutputFile* file, const std::string& text);
  /// The same for a text that `write` streams. If a limit ends it, `write` returns the reason, and
  /// no file appears.
  [[nodiscard]] int hand_over(
      validation::OutputFile* file,
      const std::function<std::optional<StopReason>(const TextSink&)>& write,
      const LimitArguments& limits);
  void fail_later(std::exception_ptr error);
  /// Of the program: Interrupts::exit_code(), if all outputs were written.
  [[nodiscard]] int exit_code(int code, bool complete);

 private:
  struct Output {
    std::string option;
    std::unique_ptr<validation::OutputFile> file;
  };
  void require_apart(const Output& output) const;
  void put(validation::OutputFile& file, const std::string& text);
  void attempt(validation::OutputFile& file, std::function<void()> write);
  void attempt(const std::function<void()>& write);
  void deliver_waiting();

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;  ///< guards outputs_, which the listener reads as well
  std::vector<Output> outputs_;
  std::vector<std::pair<std::string, validation::FileIdentity>> inputs_;
  std::vector<std::function<void()>> waiting_;
  bool standard_output_used_ = false;
  std::exception_ptr error_;
  Interrupts interrupts_;
};

}  // namespace tessera::cli
