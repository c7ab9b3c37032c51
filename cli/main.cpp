// The program tessera: command line, subcommands, error handling.

#include <malloc.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/complete_words.h"
#include "cli/console.h"
#include "cli/help_text.h"
#include "cli/man_pages.h"
#include "cli/mistakes.h"
#include "cli/session.h"
#include "tessera/errors.h"
#include "tessera/files.h"
#include "tessera/switches.h"
#include "tessera/version.h"

namespace {

using namespace tessera;
using namespace tessera::cli;

/// `--minimize` of `place` takes an optional word; CLI11 would take any next argument as that word,
/// including the input file. Rewrite it to the unambiguous form.
std::vector<std::string> with_plain_minimize(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "place") return arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--") break;
    if (arguments[i] != "--minimize") continue;
    const std::string next = i + 1 < arguments.size() ? arguments[i + 1] : "";
    if (next == "height" || next == "cost" || next == "modes" || next == "switches") {
      arguments[i] += "=" + next;
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    } else {
      arguments[i] += "=default";
    }
  }
  return arguments;
}

int bug(const std::string& what, const ErrorStyle& style) {
  complain_of(BadInput("tessera: this is a bug in Tessera: " + what,
                       "please report it with the input and the command line"),
              style);
  return exit_failed;
}

int cannot_write(const OutputError& error, const ErrorStyle& style) {
  complain_of(BadInput(error.what()), style);
  return exit_failed;
}

/// If the reader closes the pipe (`tessera ... | head -1`), end silently by SIGPIPE like other
/// programs. If SIGPIPE is ignored, report an error.
int closed_pipe(const ClosedPipe& error, bool ignored, const ErrorStyle& style) {
  if (ignored) return cannot_write(error, style);
  ::signal(SIGPIPE, SIG_DFL);
  ::raise(SIGPIPE);
  return exit_failed;
}

/// Also if the stack of a thread cannot be allocated.
int out_of_memory(const ErrorStyle& style) {
  complain_of(BadInput("tessera: out of memory before there was a result"), style);
  return exit_stopped;
}

/// A line per switch: name, default, description.
std::string switches_text() {
  std::vector<SwitchInfo> list = switch_list();
  std::size_t wide = 0;
  for (const SwitchInfo& each : list) wide = std::max(wide, each.name.size());
  std::string text;
  for (const SwitchInfo& each : list) {
    text += std::string(each.name) + std::string(wide - each.name.size() + 2, ' ');
    text += each.by_default +
            std::string(each.by_default.size() < 5 ? 5 - each.by_default.size() : 1, ' ');
    text += std::string(each.what) + '\n';
  }
  return text;
}

/// --help alone; with_trailing_help() handles `help COMMAND`.
void add_help(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand("help", "show the help of a command");
  const auto folder = std::make_shared<std::string>();
  sub->add_option("--man", *folder, "write man pages into this folder")->type_name("FOLDER");
  const auto switches = std::make_shared<bool>(false);
  sub->add_flag("--switches", *switches, "list the solver rules for `place --switch`");
  sub->footer("Example:\n  tessera help place");
  sub->final_callback([&app, &command, folder, switches] {
    if (*switches) {
      command.run = [](Session&) {
        print(switches_text());
        return static_cast<int>(exit_found);
      };
      return;
    }
    if (!folder->empty()) {
      command.run = [pages = man_pages(app), folder](Session&) {
        for (const ManPage& page : pages)
          write_output((std::filesystem::path(*folder) / page.file).string(), page.text);
        return static_cast<int>(exit_found);
      };
      return;
    }
    // app.help() would be the help of this command.
    const std::string text =
        app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
    command.run = [text](Session&) {
      print(text);
      return static_cast<int>(exit_found);
    };
  });
}

using AddCommand = void (*)(CLI::App&, Command&);
constexpr std::pair<std::string_view, AddCommand> commands[] = {
    {"place", add_place},
    {"check", add_check},
    {"explain", add_explain},
    {"export", add_export},
    {"generate", add_generate},
    {"profiles", add_profiles},
    {"plan", add_plan},
    {"tile", add_tile},
    {"import", add_import},
    {"order", add_order},
    {"schedule", add_schedule},
    {"explore", add_explore},
    {"report", add_report},
    {"run", add_run},
    {"minimalloc", add_minimalloc},
    {"completion", add_completion},
    {"help", add_help},
};

/// Adds only the command that the line begins with: describing all options takes longer than
/// placing many problems. `help` and `completion` need all commands.
void add_commands(CLI::App& app, Command& command, const std::vector<std::string>& arguments) {
  const auto* const end = std::end(commands);
  const auto* const named = arguments.empty()
                                ? end
                                : std::ranges::find(commands, arguments.front(),
                                                    [](const auto& each) { return each.first; });
  if (named != end && named->first != "help" && named->first != "completion")
    return named->second(app, command);
  for (const auto& [name, add] : commands) add(app, command);
}

std::string version_line() {
  return "tessera " + std::string(version());
}

int run(int argc, char** argv, Command& command, ErrorStyle& style) {
  Session session;
  CLI::App app("Places the buffers of a neural network in the memory of an accelerator.",
               "tessera");
  app.set_version_flag("--version", version_line(), "print the version");
  app.require_subcommand(1);
  app.formatter(help_formatter());
  app.add_option(
         "--color",
         "colour in error messages: auto (on a terminal, unless NO_COLOR is set), always, never")
      ->type_name("WHEN");  // read by take_style(), so that it may stand anywhere
  app.footer(
      "Exit codes: 0 result found, 1 an output could not be written or a bug in Tessera,\n2 bad "
      "input or usage, 3 check found an error, 20 proved infeasible,\n30 stopped before "
      "a result, 129, 130, 143 stopped by SIGHUP, SIGINT, SIGTERM.\ntessera COMMAND --help has "
      "details and an example.");
  for (int i = 0; i < argc; ++i) command.line += (i == 0 ? "" : " ") + std::string(argv[i]);

  std::vector<std::string> arguments(argv + 1, argv + argc);
  add_commands(app, command, arguments);

  if (arguments.size() >= 3 && arguments[0] == complete_command) {
    std::string text;
    for (const std::string& word :
         complete_words(arguments[1], arguments[2], {arguments.begin() + 3, arguments.end()}))
      text += word + "\n";
    print(text);
    return exit_found;
  }
  style = take_style(arguments);
  arguments = with_trailing_help(std::move(arguments));
  require_command(app, arguments);
  arguments = with_plain_minimize(with_flags_as_they_are(std::move(arguments)));
  std::reverse(arguments.begin(), arguments.end());  // CLI11 consumes them from the back
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    const auto used = app.get_subcommands();
    print(used.empty() ? app.help() : used.front()->help(app.get_name()));
    return exit_found;
  } catch (const CLI::CallForAllHelp&) {
    print(app.help("", CLI::AppFormatMode::All));
    return exit_found;
  } catch (const CLI::CallForVersion&) {
    print(version_line() + "\n");
    return exit_found;
  } catch (const CLI::ParseError& error) {
    throw explained(app, error);
  }
  refuse_empty_values(app);
  return command.run(session);
}

int run_guarded(int argc, char** argv, Command& command) {
  ErrorStyle style = usual_style();
  // Ignored signals become errors of write(2), so that temporary files are removed on every exit
  // path.
  const bool pipes_ignored = ::signal(SIGPIPE, SIG_IGN) == SIG_IGN;
  ::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(argc, argv, command, style);
  } catch (const BadInput& error) {
    complain_of(error, style);
    return exit_bad_input;
  } catch (const ClosedPipe& error) {
    return closed_pipe(error, pipes_ignored, style);
  } catch (const OutputError& error) {
    return cannot_write(error, style);
  } catch (const std::bad_alloc&) {
    return out_of_memory(style);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again) return out_of_memory(style);
    return bug(error.what(), style);
  } catch (const std::exception& error) {
    return bug(error.what(), style);
  }
}

/// Planning repeatedly allocates and frees about the same amount of memory. Returning it to the
/// system in between takes a tenth of the time.
void keep_freed_memory() {
  static_cast<void>(::mallopt(M_TRIM_THRESHOLD, 256 << 20));
  static_cast<void>(::mallopt(M_MMAP_THRESHOLD, 32 << 20));
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  Command command;
  const int code = run_guarded(argc, argv, command);
  const bool fails = code == exit_bad_input || code == exit_stopped;
  return fails && command.fails_with_one ? exit_failed : code;
}
