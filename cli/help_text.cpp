#include "cli/help_text.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace tessera::cli {

namespace {

/// Column at which descriptions begin.
constexpr std::size_t name_width = 34;

/// Position at which to break a line of at most `room` characters: the last blank within the limit,
/// otherwise the first blank after it.
std::size_t break_of(std::string_view line, std::size_t room) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t last = line.rfind(' ', room);
  return last != line.npos && last > first ? last : line.find(' ', std::max(first, room));
}

std::string wrapped_line(std::string_view line, std::size_t width, std::size_t indent) {
  const bool command = line.starts_with("  tessera ");
  const std::string behind = command ? " \\\n" : "\n";
  std::string out;
  std::string before;
  while (before.size() + line.size() > width) {
    const std::size_t room = width - before.size() - (command ? 2 : 0);
    const std::size_t at = break_of(line, room);
    if (at == line.npos) break;
    out += before + std::string(line.substr(0, at)) + behind;
    line.remove_prefix(at + 1);
    before.assign(command ? 6 : indent, ' ');
  }
  return out + before + std::string(line);
}

/// A name with its description beside or below it.
std::string entry(const std::string& name, const std::string& meaning) {
  std::string out = "  " + name;
  if (meaning.empty()) return out + "\n";
  const std::string margin(name_width, ' ');
  if (out.size() < name_width)
    out.resize(name_width, ' ');
  else
    out = wrapped(out, help_width, 6) + "\n" + margin;
  for (const char c : wrapped(meaning, help_width - name_width, 0)) {
    out += c;
    if (c == '\n') out += margin;
  }
  return out + "\n";
}

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool positional) const override {
    return entry(make_option_name(option, positional) + make_option_opts(option),
                 make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    return entry(sub->get_display_name(true), sub->get_description());
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    return wrapped(CLI::Formatter::make_usage(app, std::move(name)), help_width, 6);
  }
  std::string make_description(const CLI::App* app) const override {
    return wrapped(CLI::Formatter::make_description(app), help_width, 0);
  }
  std::string make_footer(const CLI::App* app) const override {
    return wrapped(CLI::Formatter::make_footer(app), help_width, 0);
  }
};

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  for (;;) {
    const std::size_t end = text.find('\n');
    out += wrapped_line(text.substr(0, end), width, indent);
    if (end == text.npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

std::vector<HelpEntry> help_entries(const CLI::App& app, bool positional) {
  const HelpFormatter words;
  std::vector<HelpEntry> entries;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() != positional || option->get_group().empty()) continue;
    entries.push_back({words.make_option_name(option, positional) + words.make_option_opts(option),
                       words.make_option_desc(option)});
  }
  return entries;
}

std::shared_ptr<CLI::FormatterBase> help_formatter() {
  return std::make_shared<HelpFormatter>();
}

}  // namespace tessera::cli
