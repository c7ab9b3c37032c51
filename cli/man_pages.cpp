#include "cli/man_pages.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "cli/help_text.h"
#include "tessera/version.h"

namespace tessera::cli {

namespace {

/// One line of text, escaped for roff.
std::string plain(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

/// Lines without filling: footers have a manual layout.
std::string as_it_stands(std::string_view text) {
  std::string out = ".nf\n";
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += plain(text.substr(0, end)) + "\n";
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return out + ".fi\n";
}

std::string entry_text(const HelpEntry& entry) {
  return ".TP\n.B " + plain(entry.name) + "\n" + plain(entry.meaning) + "\n";
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string begin_of(const std::string& name, const CLI::App& app) {
  return ".TH " + upper(name) + " 1 \"\" \"Tessera " + std::string(version()) +
         "\" \"Tessera\"\n.SH NAME\n" + plain(name) + " \\- " + plain(app.get_description()) + "\n";
}

/// The text below the options: prose, then an example.
std::string footer_of(const CLI::App& app) {
  const std::string all = app.get_footer();
  const std::size_t at = all.find("Example:\n");
  std::string out;
  const std::string before = all.substr(0, at);
  if (before.find_first_not_of(" \n") != before.npos) out += ".SH NOTES\n" + as_it_stands(before);
  if (at != all.npos) out += ".SH EXAMPLE\n" + as_it_stands(all.substr(at + 9));
  return out;
}

std::string options_of(const CLI::App& app) {
  std::string out;
  for (const bool positional : {true, false}) {
    const std::vector<HelpEntry> entries = help_entries(app, positional);
    if (entries.empty()) continue;
    out += positional ? ".SH ARGUMENTS\n" : ".SH OPTIONS\n";
    for (const HelpEntry& entry : entries) out += entry_text(entry);
  }
  return out;
}

}  // namespace

std::vector<ManPage> man_pages(const CLI::App& app) {
  const std::string& program = app.get_name();
  std::vector<ManPage> pages;
  std::string whole = begin_of(program, app) + ".SH SYNOPSIS\n.B " + plain(program) +
                      "\n.I COMMAND\n[OPTIONS]\n" + options_of(app) + ".SH COMMANDS\n";
  std::string others;
  for (const CLI::App* sub : app.get_subcommands({})) {
    const std::string name = program + "-" + sub->get_name();
    whole += entry_text({program + " " + sub->get_name(), sub->get_description()});
    std::string arguments;
    for (const HelpEntry& entry : help_entries(*sub, true))
      arguments += " " + entry.name.substr(0, entry.name.find(' '));
    pages.push_back({name + ".1", begin_of(name, *sub) + ".SH SYNOPSIS\n.B " +
                                      plain(program + " " + sub->get_name()) + "\n[OPTIONS]" +
                                      plain(arguments) + "\n" + options_of(*sub) + footer_of(*sub) +
                                      ".SH SEE ALSO\n.BR " + plain(program) +
                                      " (1), which lists the exit codes\n"});
    others += (others.empty() ? ".BR " : ",\n.BR ") + plain(name) + " (1)";
  }
  whole += footer_of(app) + ".SH SEE ALSO\n" + others + "\n";
  pages.insert(pages.begin(), {program + ".1", whole});
  return pages;
}

}  // namespace tessera::cli
