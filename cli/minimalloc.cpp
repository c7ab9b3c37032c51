// tessera minimalloc: replaces the program of google/minimalloc in scripts, with the same flags,
// files, output and exit codes (docs/reference/cli.md).

#include "placer/minimalloc.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/absl_flags.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/session.h"
#include "tessera/errors.h"

namespace tessera::cli {

namespace {

constexpr const char* own_command = "tessera minimalloc";

/// Does a flag define the result, or only the search of that program?
enum class Says : std::uint8_t { what, how };

struct MinimallocFlag {
  AbslFlag flag;
  Says says;
  const char* value;  ///< "" for switches
  const char* help;
};

/// All flags of that program (its src/main.cc at 9f5cf81).
constexpr std::array minimalloc_flags{
    MinimallocFlag{{"capacity"}, Says::what, "N", "capacity in bytes, without a unit; default: 0"},
    MinimallocFlag{{"input"}, Says::what, "FILE", "the buffers: id,lower,upper,size,..."},
    MinimallocFlag{
        {"output"}, Says::what, "FILE", "the output file: the buffers with their offsets"},
    MinimallocFlag{{"timeout"}, Says::what, "TIME", "500ms, 10s, 1m30s; default: inf"},
    MinimallocFlag{{"minimize_capacity", true},
                   Says::what,
                   "",
                   "find the smallest sufficient capacity, up to the given one"},
    MinimallocFlag{
        {"validate", true}, Says::what, "", "report that the result was checked (it always is)"},
    MinimallocFlag{{"print_solution", true},
                   Says::what,
                   "",
                   "print the placement as LaTeX on the standard output"},
    MinimallocFlag{{"canonical_only", true}, Says::how, "", ""},
    MinimallocFlag{{"section_inference", true}, Says::how, "", ""},
    MinimallocFlag{{"dynamic_ordering", true}, Says::how, "", ""},
    MinimallocFlag{{"check_dominance", true}, Says::how, "", ""},
    MinimallocFlag{{"unallocated_floor", true}, Says::how, "", ""},
    MinimallocFlag{{"static_preordering", true}, Says::how, "", ""},
    MinimallocFlag{{"dynamic_decomposition", true}, Says::how, "", ""},
    MinimallocFlag{{"monotonic_floor", true}, Says::how, "", ""},
    MinimallocFlag{{"hatless_pruning", true}, Says::how, "", ""},
    MinimallocFlag{{"preordering_heuristics"}, Says::how, "LIST", ""}};

AbslFlags read_flags(const std::vector<std::string>& arguments) {
  std::vector<AbslFlag> known;
  for (const MinimallocFlag& each : minimalloc_flags) known.push_back(each.flag);
  return read_absl_flags(arguments, known, own_command);
}

/// For that program "-" is an ordinary file name.
std::string as_file_name(std::string name) {
  return name == "-" ? "./-" : name;
}

void tell_about_flags(const AbslFlags& flags) {
  std::string how;
  for (const MinimallocFlag& each : minimalloc_flags)
    if (each.says == Says::how && flags.has(each.flag.name))
      how += (how.empty() ? "--" : ", --") + std::string(each.flag.name);
  if (!how.empty())
    note(how + (how.find(',') == how.npos ? " changes" : " change") +
             " only the search of minimalloc, which Tessera does not use",
         false);
  for (const std::string& other : flags.others)
    note("'" + other + "' is not a flag and has no effect", false);
  if (!flags.has("capacity")) note("without --capacity it is 0", false);
}

std::string with_decimals(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.3f", value);
  return text.data();
}

/// The word that scripts of that program expect, and the reason.
std::string failure(const placer::MinimallocResult& answer) {
  const std::string why = answer.reason.empty() ? "" : ": " + answer.reason;
  if (answer.status == Status::infeasible) return "NOT_FOUND: no placement exists" + why;
  if (answer.stop == StopReason::time_limit)
    return "DEADLINE_EXCEEDED: the timeout came before a result";
  return "RESOURCE_EXHAUSTED: " + std::string(to_string(answer.stop)) + why;
}

placer::MinimallocResult search(const placer::MinimallocQuery& asked, Session& session) {
  placer::MinimallocQuery question = asked;
  Interrupts& interrupts = session.interrupts();
  question.params.limits = session.remaining(question.params.limits);
  question.params.limits.stop = interrupts.token();
  StatusLine status(progress_form("auto", false));
  question.params.progress = [&status, &interrupts](const PlaceProgress& progress) {
    const bool found = progress.phase == "check" || progress.phase == "certificate";
    interrupts.enter(found ? Phase::writing : Phase::searching);
    status.show(std::string(progress.phase), [](JsonObject&) {});
  };
  placer::MinimallocResult answer;
  try {
    answer = placer::solve_minimalloc(question);
  } catch (const BadInput& error) {
    throw BadInput("INVALID_ARGUMENT: " + std::string(error.what()), error.hint);
  }
  interrupts.enter(Phase::writing);
  return answer;
}

int run_minimalloc(const std::vector<std::string>& arguments, Session& session) {
  const AbslFlags flags = read_flags(arguments);
  placer::MinimallocQuery question;
  question.path = as_file_name(flags.value("input", ""));
  question.capacity =
      absl_number(flags.value("capacity", "0"), std::string(own_command) + ": --capacity");
  question.minimize = flags.is_on("minimize_capacity", false);
  question.picture = flags.is_on("print_solution", false);
  question.params.limits.timeout =
      absl_duration(flags.value("timeout", "inf"), std::string(own_command) + ": --timeout");
  const std::string output = as_file_name(flags.value("output", ""));
  if (question.path.empty())
    throw BadInput(std::string(own_command) + ": --input=FILE is missing",
                   std::string(own_command) + " --help");
  session.reads(question.path);
  validation::OutputFile* file = session.writes("--output", output);
  tell_about_flags(flags);

  const placer::MinimallocResult answer = search(question, session);
  for (const std::string& text : answer.notes) note(text, false);
  complain("Elapsed time " + with_decimals(answer.seconds) + "s");
  if (answer.status != Status::feasible) {
    if (answer.stop != StopReason::interrupted) complain(failure(answer));
    return session.exit_code(exit_failed, answer.status == Status::infeasible);
  }
  if (flags.is_on("validate", false))
    complain("Validation PASS, height " + std::to_string(answer.height));
  if (file == nullptr)
    note("without --output no file is written", false);
  else
    session.deliver(file, [&answer] { return answer.csv; });
  if (question.picture) session.report([&answer] { return answer.picture; });
  return session.exit_code(exit_found, answer.stop == StopReason::completed);
}

/// For help and completion only; read_flags() parses the flags.
void declare_flags(CLI::App& sub) {
  std::string how;
  for (const MinimallocFlag& each : minimalloc_flags) {
    const std::string name = "--" + std::string(each.flag.name);
    CLI::Option* option = each.flag.is_switch ? sub.add_flag(name) : sub.add_option(name);
    option->description(each.says == Says::what ? each.help
                                                : "accepted: changes only how minimalloc searches");
    if (!each.flag.is_switch) option->type_name(each.value);
    option->group(each.says == Says::what ? "Options" : "Search of minimalloc");
  }
}

}  // namespace

std::vector<std::string> with_flags_as_they_are(std::vector<std::string> arguments) {
  const auto command = std::find_if(arguments.begin(), arguments.end(),
                                    [](const std::string& word) { return !word.starts_with('-'); });
  if (command == arguments.end() || *command != "minimalloc") return arguments;
  const auto asks_for_help = [](const std::string& word) {
    return word == "--help" || word == "-h" || word == "-help";
  };
  const auto flags = command + 1;
  if (std::any_of(flags, arguments.end(), asks_for_help)) {
    arguments.erase(flags, arguments.end());
    arguments.emplace_back("--help");
  } else {
    arguments.insert(flags, "--");
  }
  return arguments;
}

void add_minimalloc(CLI::App& app, Command& command) {
  CLI::App* sub =
      app.add_subcommand("minimalloc", "drop-in replacement for the program of google/minimalloc");
  declare_flags(*sub);
  const auto arguments = std::make_shared<std::vector<std::string>>();
  sub->add_option("FLAGS", *arguments)->group("");
  sub->footer(
      "Flags have the syntax of that program: --validate, --novalidate or --validate=false. "
      "The\nexit codes are also its own: 0 if a placement is found, else 1.\nExample:\n  tessera "
      "minimalloc "
      "--capacity=1048576 --input=buffers.csv --output=placed.csv");
  sub->preparse_callback([&command](std::size_t) { command.fails_with_one = true; });
  sub->final_callback([arguments, &command] {
    command.run = [arguments](Session& session) { return run_minimalloc(*arguments, session); };
  });
}

}  // namespace tessera::cli
