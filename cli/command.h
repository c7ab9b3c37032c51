// Interface between main.cpp and the subcommands.
//
// A subcommand is one file with one function add_NAME(): it declares its options and stores a
// function that runs after parsing and returns the exit code. To add a subcommand: write the file,
// declare its function here, and add it to the table of main.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tessera::cli {

class Session;

/// Exit codes; scripts depend on them.
enum Exit : int {
  exit_found = 0,   ///< a result was found and checked
  exit_failed = 1,  ///< an output could not be written, or an internal check failed (a bug)
  exit_bad_input = 2,
  exit_wrong = 3,        ///< check found an invalid placement or plan
  exit_infeasible = 20,  ///< proved
  exit_stopped = 30,     ///< a limit ended the search; after a signal it is 128 + its number
};

/// A parsed command line.
struct Command {
  std::function<int(Session&)> run;
  std::string line;  ///< the command line as typed, for reports
  /// Compatible with a program that has only the exit codes 0 and 1, 1 also for bad usage.
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
void add_order(CLI::App& app, Command& command);
void add_schedule(CLI::App& app, Command& command);
void add_report(CLI::App& app, Command& command);
void add_run(CLI::App& app, Command& command);
void add_minimalloc(CLI::App& app, Command& command);
void add_completion(CLI::App& app, Command& command);

/// The command `minimalloc` parses its flags itself: CLI11 gets them after a `--`.
[[nodiscard]] std::vector<std::string> with_flags_as_they_are(std::vector<std::string> arguments);

}  // namespace tessera::cli
