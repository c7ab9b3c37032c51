#include "cli/mistakes.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "cli/console.h"
#include "cli/source_line.h"
#include "model/json_write.h"
#include "model/more_errors.h"
#include "model/words.h"

namespace tessera::cli {

namespace {

/// The command of the user, for the hint after a usage error.
std::string used_command(const CLI::App& app) {
  std::string name = "tessera";
  for (const CLI::App* used : app.get_subcommands()) name += " " + used->get_name();
  return name;
}

ErrorStyle style_of(std::string_view when) {
  if (when == "always") return {.colours = true};
  if (when == "never") return {};
  if (when == "auto") return usual_style();
  throw BadInput("tessera: --color is '" + std::string(when) + "'", "use auto, always or never");
}

/// The first argument that looks like an option but is unknown, or "".
std::string unknown_option(const CLI::App& command) {
  std::vector<std::string> left = command.remaining(true);
  const auto found = std::find_if(left.begin(), left.end(), [](const std::string& word) {
    return word.size() > 1 && word[0] == '-' && word != "--";
  });
  return found == left.end() ? "" : found->substr(0, found->find('='));
}

std::vector<std::string> long_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  return names;
}

/// For an option without its value, or given too often; "" for other errors.
std::string wrong_number_of_values(const CLI::App& command, std::string_view text) {
  if (text.ends_with(" missing"))
    return std::string(text.substr(0, text.find(':'))) + " needs a value";
  for (const CLI::Option* option : command.get_options())
    if (option->get_items_expected_max() == 1 && option->results().size() > 1)
      return option->get_name() + " is given " + std::to_string(option->results().size()) +
             " times but takes one value";
  return "";
}

/// "net.csv:3: what is wrong" contains the location.
std::string as_json(const std::string& what, const std::string& hint) {
  return json_object([&](JsonObject& object) {
    object.text("error", what);
    if (const std::optional<ErrorPlace> place = place_of(what)) {
      object.text("file", place->file);
      object.entry("line") += place->line;
    }
    if (!hint.empty()) object.text("hint", hint);
  });
}

}  // namespace

ErrorStyle usual_style() {
  const char* none = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool unwanted = none != nullptr && *none != '\0';
  const bool plain = terminal == nullptr || std::string_view(terminal) == "dumb";
  return {.colours = stderr_is_terminal() && !unwanted && !plain};
}

ErrorStyle take_style(std::vector<std::string>& arguments) {
  ErrorStyle style = usual_style();
  bool json = false;
  for (std::size_t k = 0; k < arguments.size();) {
    const std::string& word = arguments[k];
    if (word == "--" || (k == 0 && word == "minimalloc")) break;  // other parsers read the rest
    const auto at = arguments.begin() + static_cast<std::ptrdiff_t>(k);
    if (word.starts_with("--color=")) {
      style = style_of(word.substr(8));
      arguments.erase(at);
    } else if (word == "--color") {
      style = style_of(k + 1 < arguments.size() ? arguments[k + 1] : "");
      arguments.erase(at, at + 2);
    } else {
      json = json || word == "--format=json" ||
             (word == "--format" && k + 1 < arguments.size() && arguments[k + 1] == "json");
      ++k;
    }
  }
  style.json = json;
  return style;
}

namespace {

void complain_of_one(const BadInput& error, const ErrorStyle& style) {
  const std::string what = error.what();
  if (style.json) return complain(as_json(what, error.hint));
  std::string source = source_line(what);
  if (!source.empty()) source.pop_back();  // complain() adds the line end
  if (!style.colours) {
    complain(what);
    if (!source.empty()) complain(source);
    if (!error.hint.empty()) complain("  hint: " + error.hint);
    return;
  }
  complain("\x1b[1;31merror:\x1b[0m " + what);
  if (!source.empty()) {
    const std::size_t caret = source.rfind('^');
    complain(source.substr(0, caret) + "\x1b[1;32m" + source.substr(caret) + "\x1b[0m");
  }
  if (!error.hint.empty()) complain("  \x1b[1;36mhint:\x1b[0m " + error.hint);
}

}  // namespace

void complain_of(const BadInput& error, const ErrorStyle& style) {
  complain_of_one(error, style);
  if (const auto* several = dynamic_cast<const MoreErrors*>(&error))
    for (const BadInput& other : several->more) complain_of_one(other, style);
}

std::vector<std::string> with_trailing_help(std::vector<std::string> arguments) {
  if (arguments.size() < 2 || arguments.front() != "help" || arguments[1].starts_with('-'))
    return arguments;
  return {arguments[1], "--help"};
}

void require_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) return;
  const std::string& word = arguments.front();
  std::vector<std::string> names;
  std::string all;
  for (const CLI::App* sub : app.get_subcommands({})) {
    if (sub->get_name() == word) return;
    names.push_back(sub->get_name());
    all += (all.empty() ? "" : ", ") + sub->get_name();
  }
  const std::string_view close = closest_word(word, names);
  throw BadInput(
      "tessera: unknown command '" + word + "'",
      close.empty() ? "commands are " + all : "did you mean `tessera " + std::string(close) + "`?");
}

void refuse_empty_values(const CLI::App& app) {
  for (const CLI::App* used : app.get_subcommands())
    for (const CLI::Option* option : used->get_options())
      if (std::ranges::find(option->results(), "") != option->results().end())
        throw BadInput(used_command(app) + ": " + option->get_name() + " has an empty value",
                       "is a shell variable unset? Remove the option if it is not needed");
}

BadInput explained(const CLI::App& app, const CLI::ParseError& error) {
  const std::string command = used_command(app);
  const auto used = app.get_subcommands();
  const CLI::App& at = used.empty() ? app : *used.front();
  if (const std::string wrong = unknown_option(at); !wrong.empty()) {
    const std::vector<std::string> known = long_options(at);
    const std::string_view close = wrong.starts_with("--")
                                       ? closest_word(std::string_view(wrong).substr(2), known)
                                       : std::string_view{};
    return BadInput(
        command + ": unknown option " + wrong,
        close.empty() ? command + " --help" : "did you mean `--" + std::string(close) + "`?");
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    if (const std::string wrong = wrong_number_of_values(at, error.what()); !wrong.empty())
      return BadInput(command + ": " + wrong, command + " --help");
  // Validators add a hint in a second line.
  const std::string text = error.what();
  const std::size_t end = text.find('\n');
  const bool hint = end != text.npos && end + 1 < text.size();
  return BadInput(command + ": " + text.substr(0, end),
                  hint ? text.substr(end + 1) : command + " --help");
}

}  // namespace tessera::cli
