// tessera completion: a completion script for a shell, generated from the options.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/complete_words.h"
#include "cli/console.h"
#include "cli/options.h"
#include "tessera/engines.h"
#include "tessera/network.h"
#include "tessera/switches.h"

namespace tessera::cli {

namespace {

/// Possible values of an option or argument.
struct Values {
  std::vector<std::string> words;  ///< fixed words, if any
  std::string asked;               ///< query to the program, as in complete_words.h
  bool goes_on = false;            ///< the word continues: "latency="
};

struct Flag {
  std::vector<std::string> names;  ///< "--capacity" first, then "-c"
  std::string what;
  bool takes_value = false;
  Values values;
};

/// A validator lists its accepted words in braces in its description.
std::vector<std::string> choices(const CLI::Option& option) {
  std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open == type.npos ? 0 : open);
  if (open == type.npos || close == type.npos) return {};
  std::vector<std::string> words;
  for (std::size_t at = open + 1; at < close;) {
    const std::size_t end = std::min(type.find(',', at), close);
    words.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

Values values_of(const CLI::App& sub, const CLI::Option& option) {
  const std::string& name = option.get_single_name();
  Values values{.words = choices(option)};
  if (!values.words.empty()) return values;
  if (name == "profile" || name == "reference" || (name == "NAME" && sub.get_name() == "profiles"))
    values.asked = "profiles";
  if (name == "ops") values.asked = "ops";
  if (name == "set") values = {.words = {}, .asked = "keys", .goes_on = true};
  if (name == "engine") {
    values.words.emplace_back("auto");
    for (const EngineInfo& engine : engine_list()) values.words.emplace_back(engine.name);
  }
  if (name == "switch")
    for (const SwitchInfo& each : switch_list())
      values.words.push_back(std::string(each.name) + (each.by_default == "on" ? "=off"
                                                       : each.by_default == "off"
                                                           ? "=on"
                                                           : "=" + each.by_default));
  if (name == "dtype")
    for (const ElementType type :
         {ElementType::int4, ElementType::int8, ElementType::uint8, ElementType::int16,
          ElementType::float16, ElementType::bfloat16, ElementType::float32})
      values.words.emplace_back(to_string(type));
  if (name == "weight" && sub.get_name() == "plan")
    values = {.words = {"latency=", "energy=", "dram_bytes=", "peak_memory="},
              .asked = {},
              .goes_on = true};
  if (name == "limit" && sub.get_name() == "plan")
    values = {.words = {"peak_memory=", "peak_bandwidth="}, .asked = {}, .goes_on = true};
  return values;
}

std::vector<Flag> flags_of(const CLI::App& sub) {
  std::vector<Flag> flags;
  for (const CLI::Option* option : sub.get_options()) {
    if (option->get_lnames().empty()) continue;
    Flag flag{.names = {"--" + option->get_lnames().front()},
              .what = option->get_description(),
              .takes_value = option->get_expected_max() > 0,
              .values = values_of(sub, *option)};
    for (const std::string& letter : option->get_snames()) flag.names.push_back("-" + letter);
    flags.push_back(std::move(flag));
  }
  return flags;
}

Values positional_values(const CLI::App& sub) {
  for (const CLI::Option* option : sub.get_options())
    if (option->get_positional() && option->get_lnames().empty()) return values_of(sub, *option);
  return {};
}

std::string joined(const std::vector<std::string>& words, const char* between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// Quotes for single quotes of all three shells.
std::string in_quotes(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '\'' || c == '[' || c == ']' || c == ':' ? ' ' : c;
  return safe;
}

/// Sets `given` to words, or `asked` to the query to the program.
std::string bash_values(const Values& values) {
  if (!values.words.empty()) return "given='" + joined(values.words) + "'";
  if (!values.asked.empty()) return "asked=" + values.asked;
  return {};
}

std::string for_bash(const CLI::App& app) {
  std::vector<std::string> names;
  std::string cases;
  std::string values;
  for (const CLI::App* sub : app.get_subcommands({})) {
    names.push_back(sub->get_name());
    std::vector<std::string> flags;
    for (const Flag& flag : flags_of(*sub)) {
      flags.push_back(flag.names.front());
      const std::string set = bash_values(flag.values);
      if (set.empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : flag.names)
        patterns.push_back("'" + sub->get_name() + " " + name + "'");
      values += "    " + joined(patterns, "|") + ") " + set + " ;;\n";
    }
    cases += "    " + sub->get_name() + ") words='" + joined(flags) + "'";
    const std::string set = bash_values(positional_values(*sub));
    cases += set.empty() ? " ;;\n" : "; [[ -z $option ]] && " + set + " ;;\n";
  }
  // Words may contain colons and equal signs, at which bash splits them: the script parses the line
  // again, and returns only the part after the last of them.
  return R"(# source <(tessera completion bash)
_tessera() {
  local line=${COMP_LINE:0:COMP_POINT} words='' given='' asked='' option='' before
  local word=${line##*[[:space:]]}
  local -a typed
  read -ra typed <<< "${line:0:${#line}-${#word}}"
  local command=${typed[1]}
  COMPREPLY=()
  if [ "${#typed[@]}" -eq 1 ]; then
    COMPREPLY=($(compgen -W ')" +
         joined(names) + R"( --help --version --color' -- "$word"))
    return
  fi
  if [[ $word == --*=* ]]; then
    option=${word%%=*} word=${word#*=}
  elif [[ ${typed[-1]} == -* && ${#typed[@]} -gt 2 ]]; then
    option=${typed[-1]}
  fi
  case "$command $option" in
)" + values +
         R"(    *' --color') given='auto always never' ;;
  esac
  local valued=$given$asked
  [[ -z $valued ]] && option=
  case $command in
)" + cases +
         R"(  esac
  local IFS=$'\n'
  if [[ $word == -* && -z $option ]]; then
    COMPREPLY=($(IFS=' '; compgen -W "$words" -- "$word"))
  elif [[ -n $asked ]]; then
    COMPREPLY=($("${typed[0]/#\~/$HOME}" )" +
         std::string(complete_command) + R"( "$asked" "$word" "${typed[@]}" 2>/dev/null))
  elif [[ -n $given ]]; then
    COMPREPLY=($(IFS=' '; compgen -W "$given" -- "$word"))
  fi
  if [[ ${#COMPREPLY[@]} -eq 0 && -z $given ]]; then
    COMPREPLY=($(compgen -f -- "$word"))
    compopt -o filenames 2>/dev/null
    return
  fi
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace 2>/dev/null
  before=${word%"${word##*[:=]}"}
  [[ -n $before ]] && COMPREPLY=("${COMPREPLY[@]#"$before"}")
}
complete -F _tessera tessera
)";
}

/// ":what:how" of _arguments.
std::string zsh_values(const Values& values) {
  if (!values.words.empty() && values.goes_on)
    return ":value:{compadd -S \"\" -- " + joined(values.words) + "}";
  if (!values.words.empty()) return ":value:(" + joined(values.words) + ")";
  if (!values.asked.empty())
    // the blank: call it with these arguments only
    return ":value: _tessera_asked " + values.asked;
  return ":value:_files";
}

std::string for_zsh(const CLI::App& app) {
  std::string names;
  std::string cases;
  for (const CLI::App* sub : app.get_subcommands({})) {
    names += "    '" + sub->get_name() + ":" + in_quotes(sub->get_description()) + "'\n";
    cases += "    " + sub->get_name() + ")\n      _arguments \\\n";
    for (const Flag& flag : flags_of(*sub))
      for (const std::string& name : flag.names) {
        const char* const ends = !flag.takes_value ? "" : name.starts_with("--") ? "=" : "+";
        cases += "        '*" + name + ends + "[" + in_quotes(flag.what) + "]" +
                 (flag.takes_value ? zsh_values(flag.values) : "") + "' \\\n";
      }
    cases += "        '*" + zsh_values(positional_values(*sub)) + "' ;;\n";
  }
  return R"(#compdef tessera
# source <(tessera completion zsh)
# Values that only the program knows; files where it knows none.
_tessera_asked() {
  local -a found
  found=("${(@f)$(${(Q)tessera_line[1]} )" +
         std::string(complete_command) +
         R"( "$1" "${(Q)PREFIX}" "${(@Q)tessera_line}" 2>/dev/null)}")
  found=(${found:#})
  if (( $#found == 0 )); then
    _files
  elif [[ $found[1] == *[=:] ]]; then
    compadd -S '' -- $found
  else
    compadd -- $found
  fi
}
_tessera() {
  local -a commands=(
)" + names +
         R"(  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local -a tessera_line=("${(@)words[1,CURRENT-1]}")
  local name=$words[2]
  shift words; (( CURRENT-- ))
  case $name in
)" + cases +
         R"(  esac
}
# Read as a file of $fpath, this is the function itself.
if [ "$funcstack[1]" = _tessera ]; then _tessera "$@"; else compdef _tessera tessera; fi
)";
}

std::string fish_values(const Values& values) {
  if (!values.words.empty()) return " -x -a '" + joined(values.words) + "'";
  if (!values.asked.empty())
    return (values.asked == "profiles" ? " -r" : " -x") + std::string(" -a '(__tessera_asked ") +
           values.asked + ")'";
  return " -r";
}

std::string for_fish(const CLI::App& app) {
  std::string text = R"(# tessera completion fish | source
# Values that only the program knows.
function __tessera_asked
  set -l line (commandline -opc)
  set -l word (string replace -r '^--[^=]*=' '' -- (commandline -ct))
  $line[1] )" + std::string(complete_command) +
                     R"( $argv[1] "$word" $line 2>/dev/null
end
)";
  for (const CLI::App* sub : app.get_subcommands({})) {
    text += "complete -c tessera -n __fish_use_subcommand -f -a " + sub->get_name() + " -d '" +
            in_quotes(sub->get_description()) + "'\n";
    const std::string seen =
        "complete -c tessera -n '__fish_seen_subcommand_from " + sub->get_name() + "'";
    for (const Flag& flag : flags_of(*sub)) {
      text += seen + " -l " + flag.names.front().substr(2);
      for (std::size_t k = 1; k < flag.names.size(); ++k) text += " -s " + flag.names[k].substr(1);
      text += (flag.takes_value ? fish_values(flag.values) : "") + " -d '" + in_quotes(flag.what) +
              "'\n";
    }
    const Values values = positional_values(*sub);
    if (!values.words.empty()) text += seen + " -f -a '" + joined(values.words) + "'\n";
    if (!values.asked.empty()) text += seen + " -a '(__tessera_asked " + values.asked + ")'\n";
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
    // Generate while the parser exists.
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
