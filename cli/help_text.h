// Layout of help texts: lines of at most 100 characters.
//
//   app.formatter(help_formatter());
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class FormatterBase;
}  // namespace CLI

namespace tessera::cli {

inline constexpr std::size_t help_width = 100;

/// Wraps each line of `text` at blanks to at most `width`; continuation lines are indented by
/// `indent`. A command in an example continues after a backslash.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

/// An option or an argument in help texts, with its description.
struct HelpEntry {
  std::string name;  ///< "-c,--capacity TEXT"
  std::string meaning;
};
[[nodiscard]] std::vector<HelpEntry> help_entries(const CLI::App& app, bool positional);

/// For the program; its subcommands inherit it.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace tessera::cli
