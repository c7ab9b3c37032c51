// What main.cpp and the subcommands agree on.
//
// A subcommand is one file with one function add_NAME(): it declares its options and leaves a
// function behind that runs after parsing and gives the exit code. To add one: write the file,
// declare its function here, and name it in the table of main.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tessera::cli {

class Session;

/// The exit codes scripts depend on.
enum Exit : int {
  exit_found = 0,        ///< an answer was found, and checked
  exit_failed = 1,       ///< an output could not be written, or a bug: an internal check failed
  exit_bad_input = 2,    ///< bad input or bad usage
  exit_wrong = 3,        ///< check found the given placement or plan wrong
  exit_infeasible = 20,  ///< proved
  exit_stopped = 30,     ///< a limit came before an answer; after a signal it is 128 + its number
};

/// What a parsed command line wants done.
struct Command {
  std::function<int(Session&)> run;
  std::string line;  ///< the command line as typed, for reports
  /// It stands in for a program that knows no exit codes but 0 and 1, also for bad usage.
  bool fails_with_one = false;
};

void add_place(CLI::App& app, Command& command);
void add_check(CLI::App& app, Command& command);
void add_explain(CLI::App& app, Command& command);
void add_export(CLI::App& app, Command& command);
void add_generate(CLI::App& app, Command& command);
void add_profiles(CLI::App& app, Command& command);
void add_plan(CLI::App& app, Command& command);
void add_tile(CLI::App& app, Command& command);
void add_import(CLI::App& app, Command& command);
void add_explore(CLI::App& app, Command& command);
void add_report(CLI::App& app, Command& command);
void add_minimalloc(CLI::App& app, Command& command);
void add_completion(CLI::App& app, Command& command);

/// The command `minimalloc` reads its flags itself: CLI11 gets them behind a `--`.
[[nodiscard]] std::vector<std::string> with_flags_as_they_are(std::vector<std::string> arguments);

}  // namespace tessera::cli
