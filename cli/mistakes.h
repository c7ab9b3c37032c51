// Usage errors of the command line, and the format of error messages.
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

/// Removes --color from the arguments, at any position, and detects `--format json`. With `auto`
/// (the default), colours are used if the standard error is a terminal with colours and NO_COLOR
/// (https://no-color.org) is not set. Throws BadInput.
[[nodiscard]] ErrorStyle take_style(std::vector<std::string>& arguments);
/// The style before the arguments are parsed.
[[nodiscard]] ErrorStyle usual_style();

void complain_of(const BadInput& error, const ErrorStyle& style);

/// Rewrites `help COMMAND` to `COMMAND --help`.
[[nodiscard]] std::vector<std::string> with_trailing_help(std::vector<std::string> arguments);

/// Throws BadInput if the first argument is no command.
void require_command(const CLI::App& app, const std::vector<std::string>& arguments);

/// Throws BadInput if a value is empty, as from an unset shell variable: ignoring it would silently
/// drop the intended file or limit.
void refuse_empty_values(const CLI::App& app);

[[nodiscard]] BadInput explained(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tessera::cli
