// What one call of the program reads and writes, so that nothing it finds is lost and nothing it
// reads is replaced.
//
//   session.reads("net.csv");
//   OutputFile* out = session.writes("--output", "placed.json");   // nullptr for ""
//   ... Phase::searching ...
//   session.interrupts().enter(Phase::writing);
//   session.deliver(out, [&] { return result_json(problem, result); });
//   session.report(text);                            // the standard output, after every file
//   return session.exit_code(exit_found, true);      // throws what a file could not be written for
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

  /// Throws BadInput where an output would replace the file, or be appended to it.
  void reads(const std::string& path);
  /// The profile of this name or path and those it inherits from, likewise; "" is none.
  void reads_profile(const std::string& name, const std::vector<std::string>& folders = {});
  /// Opens an output; `option` is for messages. Throws BadInput where it cannot be written, and
  /// where it is an input, another output or the file the standard output goes to.
  validation::OutputFile* writes(
      const std::string& option, const std::string& path,
      validation::OutputFile::Writer writer = validation::OutputFile::Writer::here);
  /// Likewise a file of one of these kinds (".json", ...): another ending is refused.
  validation::OutputFile* writes(const std::string& option, const std::string& path,
                                 const std::vector<std::string>& endings);
  /// Is this output the standard output, where a report would follow?
  [[nodiscard]] static bool goes_to_standard_output(const validation::OutputFile& file);

  /// Reading, and whatever else comes before a search, keeps these limits as well.
  void limit_reading(const LimitArguments& limits);
  /// What is left of the program's time for its search. Of that, `for_after` times the work that
  /// reading took, but at most a half, is kept for what comes after the search.
  [[nodiscard]] Limits remaining(Limits limits, int for_after = 0) const;
  /// `for_after` where nothing but taking a large problem apart comes after the answer.
  static constexpr int giving_back = 1;

  [[nodiscard]] Interrupts& interrupts() { return interrupts_; }

  /// Writes one output, or does nothing for nullptr. What is no regular file waits for report() or
  /// exit_code(): a reader who leaves early must not cost the others. An error waits for
  /// exit_code() as well: the rest is still written.
  void deliver(validation::OutputFile* file, const std::function<std::string()>& text);
  /// For Writer::by_name.
  void deliver(validation::OutputFile* file);
  /// To the standard output, unless an output went there.
  void report(const std::function<std::string()>& text);
  /// For a command that makes one text and has nothing to search: to the file, or without one to
  /// the standard output, where a signal ends it at once. Gives the exit code.
  [[nodiscard]] int hand_over(validation::OutputFile* file, const std::string& text);
  /// Likewise a text that comes piece by piece from `write`, which gives the reason where a limit
  /// ended it: then no file appears.
  [[nodiscard]] int hand_over(
      validation::OutputFile* file,
      const std::function<std::optional<StopReason>(const TextSink&)>& write,
      const LimitArguments& limits);
  void fail_later(std::exception_ptr error);
  /// Of the program: Interrupts::exit_code(), if everything could be written.
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
  std::mutex mutex_;  ///< of outputs_, which the listener reads as well
  std::vector<Output> outputs_;
  std::vector<std::pair<std::string, validation::FileIdentity>> inputs_;
  std::vector<std::function<void()>> waiting_;
  bool standard_output_used_ = false;
  std::exception_ptr error_;
  Interrupts interrupts_;
};

}  // namespace tessera::cli
