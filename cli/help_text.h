// How help is laid out: no line is wider than 100 characters.
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

/// Each line of `text` broken at blanks so that none is wider than `width`; where it goes on, it is
/// indented by `indent`. A command of an example goes on behind a backslash.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

/// An option or an argument, as help names it, and what it means.
struct HelpEntry {
  std::string name;  ///< "-c,--capacity TEXT"
  std::string meaning;
};
[[nodiscard]] std::vector<HelpEntry> help_entries(const CLI::App& app, bool positional);

/// For the program; its commands take it over.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace tessera::cli
