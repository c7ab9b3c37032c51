// tessera run: executes a command file. The interpreter is Python (tessera/interpreter); this finds
// a Python that has it and becomes that process.

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/session.h"
#include "tessera/errors.h"

namespace tessera::cli {

namespace {

namespace fs = std::filesystem;

struct RunArguments {
  std::string commands;
  std::int64_t seed = 0;
  OutputArguments output;
  LimitArguments limits;
};

std::vector<char*> as_argv(std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return argv;
}

/// The package of a build folder, beside the program.
void add_own_package() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = program.parent_path().parent_path() / "python";
  if (error || !fs::is_regular_file(folder / "tessera" / "run.py", error)) return;
  const char* const given = std::getenv("PYTHONPATH");
  const bool more = given != nullptr && *given != '\0';
  ::setenv("PYTHONPATH", (folder.string() + (more ? ":" + std::string(given) : "")).c_str(), 1);
}

/// Has this Python the package and NumPy?
bool can_run(const std::string& python) {
  std::vector<std::string> words{python, "-c", "import numpy, tessera.run"};
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::posix_spawn_file_actions_addopen(&files, file, "/dev/null", O_RDWR, 0);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, python.c_str(), &files, nullptr, as_argv(words).data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return false;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The first suitable Python.
std::string find_python() {
  const char* const given = std::getenv("TESSERA_PYTHON");
  if (given != nullptr && *given != '\0') {
    if (can_run(given)) return given;
    throw BadInput("tessera: $TESSERA_PYTHON (" + std::string(given) +
                       ") is no Python with the package tessera and NumPy",
                   "docs/reference/python.md says how to install the package");
  }
  for (const char* const python : {"python3", "/usr/bin/python3"})
    if (can_run(python)) return python;
  throw BadInput(
      "tessera: `tessera run` needs a Python 3 with the package tessera and NumPy, and neither "
      "python3 nor /usr/bin/python3 has both",
      "install them (docs/reference/python.md), or name another Python in $TESSERA_PYTHON");
}

int run_commands(const RunArguments& arguments, Session& session) {
  session.limit_reading(arguments.limits);
  session.reads(arguments.commands);
  add_own_package();
  std::vector<std::string> words{find_python(), "-m", "tessera.run"};
  words.insert(words.end(), {"--seed", std::to_string(arguments.seed)});
  words.insert(words.end(), {"--format", arguments.output.format});
  if (arguments.output.quiet) words.emplace_back("--quiet");
  const Limits limits = session.remaining(arguments.limits.limits());
  if (limits.timeout)
    words.insert(
        words.end(),
        {"--timeout", std::to_string(std::chrono::duration<double>(*limits.timeout).count())});
  if (const std::optional<Size> most = arguments.limits.most_memory())
    words.insert(words.end(), {"--memory-limit", std::to_string(*most)});
  words.insert(words.end(), {"--", arguments.commands});
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  ::execvp(words.front().c_str(), as_argv(words).data());
  throw BadInput("tessera: " + words.front() + " cannot be started");
}

}  // namespace

void add_run(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand(
      "run", "execute the commands of a plan on random data and compare with the network");
  const auto arguments = std::make_shared<RunArguments>();
  sub->add_option("COMMANDS", arguments->commands, "a file written by plan --commands")
      ->required()
      ->type_name("FILE.jsonl");
  sub->add_option("--seed", arguments->seed, "of the random weights and inputs")
      ->check(whole_number(0))
      ->capture_default_str();
  arguments->output.declare(*sub);
  arguments->limits.declare(*sub);
  sub->footer(
      "Example:\n  tessera plan net.yaml -p nvdla-like --commands net.jsonl\n  tessera run "
      "net.jsonl");
  sub->final_callback([arguments, &command] {
    command.run = [arguments](Session& session) { return run_commands(*arguments, session); };
  });
}

}  // namespace tessera::cli
