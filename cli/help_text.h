// How help is laid out: no line is wider than 100 characters.
//
//   app.formatter(help_formatter());
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace CLI {
class FormatterBase;
}

namespace tessera::cli {

inline constexpr std::size_t help_width = 100;

/// Each line of `text` broken at blanks so that none is wider than `width`; where it goes on, it is
/// indented by `indent`. A command of an example goes on behind a backslash.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

/// For the program; its commands take it over.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace tessera::cli
