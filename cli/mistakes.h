// What is said about a command line that cannot be run, and how errors look.
//
//   const ErrorStyle style = take_style(arguments);       // --color=auto|always|never
//   require_command(app, arguments);                      // throws BadInput: did you mean `place`?
//   try { app.parse(...); } catch (const CLI::ParseError& error) {
//     complain_of(explained(app, error), style);
//   }
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/errors.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace tessera::cli {

/// With colours an error begins with a word of its own. Without, it begins with the file and the
/// line, as programs that read it expect. As JSON it is one line:
///   {"error": "net.csv:3: `size` is `0`, ...", "file": "net.csv", "line": 3, "hint": "..."}
struct ErrorStyle {
  bool colours = false;
  bool json = false;
};

/// Takes --color out of the arguments, wherever it stands, and looks for `--format json`. Without
/// it, and with `auto`, there are colours where the standard error is a terminal that has them and
/// NO_COLOR (https://no-color.org) is not set. Throws BadInput.
[[nodiscard]] ErrorStyle take_style(std::vector<std::string>& arguments);
/// What it is before it was read.
[[nodiscard]] ErrorStyle usual_style();

void complain_of(const BadInput& error, const ErrorStyle& style);

/// `help COMMAND` is `COMMAND --help`.
[[nodiscard]] std::vector<std::string> with_help_behind(std::vector<std::string> arguments);

/// Throws BadInput where the first argument is no command.
void require_command(const CLI::App& app, const std::vector<std::string>& arguments);

/// Throws BadInput where a value is an empty word, as of a variable that a script has not set: to
/// go on as if nothing were given would end well, and without the file or the limit that was meant.
void refuse_empty_values(const CLI::App& app);

[[nodiscard]] BadInput explained(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tessera::cli
