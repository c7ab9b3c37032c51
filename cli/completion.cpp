// tessera completion: a completion script for a shell, made from the options themselves.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"

namespace tessera::cli {

namespace {

struct Flag {
  std::string name;  ///< "--capacity"
  std::string what;
  bool takes_value = false;
};

std::string long_name(const CLI::Option& option) {
  const std::vector<std::string>& names = option.get_lnames();
  return names.empty() ? std::string() : "--" + names.front();
}

std::vector<Flag> flags_of(const CLI::App& sub) {
  std::vector<Flag> flags;
  for (const CLI::Option* option : sub.get_options()) {
    const std::string name = long_name(*option);
    if (name.empty()) continue;
    flags.push_back({name, option->get_description(), option->get_expected_max() > 0});
  }
  return flags;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// Inside single quotes of any of the three shells.
std::string in_quotes(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '\'' || c == '[' || c == ']' || c == ':' ? ' ' : c;
  return safe;
}

std::string for_bash(const CLI::App& app) {
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App* sub : app.get_subcommands({})) {
    names.push_back(sub->get_name());
    std::vector<std::string> flags;
    for (const Flag& flag : flags_of(*sub)) flags.push_back(flag.name);
    cases += "    " + sub->get_name() + ") words='" + joined(flags) + "' ;;\n";
  }
  return "# source <(tessera completion bash)\n"
         "_tessera() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} words=''\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         joined(names) +
         " --help --version --color' -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  case $word in\n"
         "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _tessera tessera\n";
}

std::string for_zsh(const CLI::App& app) {
  std::string names;
  std::string cases;
  for (const CLI::App* sub : app.get_subcommands({})) {
    names += "    '" + sub->get_name() + ":" + in_quotes(sub->get_description()) + "'\n";
    cases += "    " + sub->get_name() + ")\n      _arguments \\\n";
    for (const Flag& flag : flags_of(*sub))
      cases += "        '" + flag.name + (flag.takes_value ? "=" : "") + "[" +
               in_quotes(flag.what) + "]" + (flag.takes_value ? ":value:_files" : "") + "' \\\n";
    cases += "        '*:file:_files' ;;\n";
  }
  return "#compdef tessera\n"
         "# source <(tessera completion zsh)\n"
         "_tessera() {\n"
         "  local -a commands=(\n" +
         names +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local name=$words[2]\n"
         "  shift words; (( CURRENT-- ))\n"
         "  case $name in\n" +
         cases +
         "  esac\n"
         "}\n"
         "# Read as a file of $fpath, this is the function itself.\n"
         "if [ \"$funcstack[1]\" = _tessera ]; then _tessera \"$@\"; else compdef _tessera "
         "tessera; fi\n";
}

std::string for_fish(const CLI::App& app) {
  std::string text = "# tessera completion fish | source\n";
  for (const CLI::App* sub : app.get_subcommands({})) {
    text += "complete -c tessera -n __fish_use_subcommand -f -a " + sub->get_name() + " -d '" +
            in_quotes(sub->get_description()) + "'\n";
    for (const Flag& flag : flags_of(*sub))
      text += "complete -c tessera -n '__fish_seen_subcommand_from " + sub->get_name() + "' -l " +
              flag.name.substr(2) + (flag.takes_value ? " -r" : "") + " -d '" +
              in_quotes(flag.what) + "'\n";
  }
  return text;
}

}  // namespace

void add_completion(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand("completion", "print a completion script for a shell");
  const auto shell = std::make_shared<std::string>();
  sub->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  sub->footer("Example:\n  source <(tessera completion bash)");
  sub->final_callback([shell, &app, &command] {
    // The options are read while the parser lives.
    const std::string text = *shell == "bash"  ? for_bash(app)
                             : *shell == "zsh" ? for_zsh(app)
                                               : for_fish(app);
    command.run = [text](Session&) {
      print(text);
      return static_cast<int>(exit_found);
    };
  });
}

}  // namespace tessera::cli
