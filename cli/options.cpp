#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>

#include "cli/console.h"
#include "model/words.h"
#include "tessera/import.h"
#include "validation/limited_budget.h"

namespace tessera::cli {

std::string as_argument(const std::string& text) {
  constexpr std::string_view special = " \t\n\"'\\$`*?[](){}<>|&;!#~";
  if (!text.empty() && text.find_first_of(special) == text.npos) return text;
  std::string quoted = "'";
  for (const char c : text) c == '\'' ? quoted += "'\\''" : quoted += c;
  return quoted + "'";
}

void InputArguments::declare(CLI::App& app) {
  app.add_option("INPUT", path,
                 "buffer CSV, problem YAML, dsa-solver JSON, memory profile of ExecuTorch or "
                 "TensorFlow Lite model (told apart by "
                 "content; - is the standard input)")
      ->required();
  declare_numbers(app);
}

void InputArguments::declare_numbers(CLI::App& app) {
  app.add_option("-c,--capacity", capacity,
                 "capacity of the memory, replaces that of the input: 65536, 64 KiB, 1 MiB");
  app.add_option("-p,--profile", profile,
                 "take the memories from this hardware profile (a name or a file)");
  declare_set(app, set);
  app.add_option("--lifetimes", lifetimes,
                 "how to read the upper end of CSV lifetimes; overrides the header")
      ->check(one_of({"half-open", "inclusive"}));
  app.add_option("--scratch", scratch,
                 "scratch buffers of the kernels of a TensorFlow Lite model: a buffer CSV whose "
                 "steps are operators");
}

std::string InputArguments::words() const {
  std::string text = as_argument(path);
  const auto add = [&text](const std::string& option, const std::string& value) {
    if (!value.empty()) text += " " + option + " " + as_argument(value);
  };
  add("--capacity", capacity);
  add("--profile", profile);
  for (const std::string& change : set) add("--set", change);
  add("--lifetimes", lifetimes);
  add("--scratch", scratch);
  return text;
}

void require_capacities(const PlacementProblem& problem, const std::string& path,
                        const std::string& or_else) {
  const bool one = problem.memories.size() == 1;
  for (const Memory& memory : problem.memories)
    if (memory.capacity == unbounded && problem.objective == Objective::fit)
      throw BadInput(
          path + ": has no capacity" + (one ? "" : " for memory '" + memory.name + "'"),
          (one ? "add --capacity SIZE or --profile NAME" : "set its `capacity`") + or_else);
}

Input InputArguments::load() const {
  InputOptions options;
  if (!capacity.empty()) {
    options.capacity = parse_size_text(capacity, "--capacity");
    if (*options.capacity < 1) throw BadInput("--capacity '" + capacity + "' is not positive");
  }
  options.profile = profile;
  options.scratch = scratch;
  options.changes = profile_changes(set, profile);
  if (lifetimes == "half-open") options.lifetimes = Lifetimes::half_open;
  if (lifetimes == "inclusive") options.lifetimes = Lifetimes::inclusive;
  try {
    return load_input(path, options);
  } catch (const BadInput&) {
    if (is_network_file(path))
      throw BadInput(path + ": is a network, not a placement problem",
                     "tessera plan NETWORK --profile NAME plans a network");
    throw;
  }
}

void declare_set(CLI::App& app, std::vector<std::string>& set) {
  app.add_option("--set", set,
                 "change a key of the profile: memories.sram.capacity='1 MiB'; repeatable, and "
                 "only the final profile is checked")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

std::vector<ProfileChange> profile_changes(const std::vector<std::string>& set,
                                           const std::string& profile) {
  std::vector<ProfileChange> changes;
  for (const std::string& text : set) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos || equals == 0 || equals + 1 == text.size())
      throw BadInput("--set '" + text + "' is not KEY=VALUE",
                     "for instance --set memories.sram.capacity='1 MiB'");
    changes.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  if (!changes.empty() && profile.empty())
    throw BadInput("--set changes a key of a profile, but no profile is given",
                   "add --profile NAME");
  return changes;
}

namespace {

/// The change of the profile for -c.
ProfileChange capacity_change(const Hardware& hardware, const std::string& capacity) {
  std::vector<const Memory*> memories;
  for (const HardwareMemory& memory : hardware.memories)
    if (!memory.offchip) memories.push_back(&memory.space);
  const auto plain = std::find_if(memories.begin(), memories.end(),
                                  [](const Memory* memory) { return memory->banks.empty(); });
  const Memory& first = plain == memories.end() ? *memories.front() : **plain;
  if (memories.size() > 1)
    throw BadInput("--capacity sets one capacity, but profile " + hardware.name + " has " +
                       std::to_string(memories.size()) + " on-chip memories",
                   "--set memories." + first.name + ".capacity='" + capacity + "'");
  if (!first.banks.empty())
    throw BadInput("memory '" + first.name + "' of profile " + hardware.name +
                       " has banks, which --capacity cannot change",
                   "--set memories." + first.name + ".bank_size=... or .banks=...");
  return {"memories." + first.name + ".capacity", capacity};
}

}  // namespace

ChangedProfile changed_profile(const std::string& profile, const std::vector<std::string>& set,
                               const std::string& capacity, bool quiet) {
  const std::vector<ProfileChange> changes = profile_changes(set, profile);
  Profile changed(profile);
  std::string text = changed.yaml();
  if (!changes.empty()) changed.set(changes);
  if (!capacity.empty()) {
    static_cast<void>(parse_size_text(capacity, "--capacity"));
    changed.set({capacity_change(changed.hardware(), capacity)});
  }
  for (const std::string& said : changed.notes()) note(said, quiet);
  return {changed.hardware(), std::move(text), changed.changes()};
}

void OutputArguments::declare(CLI::App& app) {
  app.add_option("--format", format, "format of the result on the standard output")
      ->check(one_of({"text", "json"}))
      ->capture_default_str();
  app.add_flag("-q,--quiet", quiet, "print no report, notes or progress");
}

void LimitArguments::declare(CLI::App& app) {
  app.add_option("-t,--timeout", timeout,
                 "end within this time with the best result: 500ms, 10s, 2m");
  app.add_option("--memory-limit", memory,
                 "stop with the best result when the resident memory of the process reaches this: "
                 "512 MiB (measured every 2 ms; the peak may exceed it by 10 % or 8 MiB)");
}

Limits LimitArguments::limits() const {
  Limits limits;
  if (!timeout.empty()) limits.timeout = parse_duration_text(timeout, "--timeout");
  if (const std::optional<Size> most = most_memory())
    limits.memory = std::max<Size>(1, *most - validation::resident_memory());
  return limits;
}

std::optional<Size> LimitArguments::most_memory() const {
  if (memory.empty()) return std::nullopt;
  const Size most = parse_size_text(memory, "--memory-limit");
  if (most < 1) throw BadInput("--memory-limit '" + memory + "' is not positive");
  return most;
}

void ProgressArguments::declare(CLI::App& app) {
  app.add_option("--progress", form,
                 "progress on the standard error: a line of text on a terminal (auto), lines of "
                 "JSON (json), or none")
      ->check(one_of({"auto", "json", "none"}))
      ->capture_default_str();
}

void SearchArguments::declare(CLI::App& app) {
  own.declare(app);
  app.add_option("--threads", threads, "number of search threads")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option("--seed", seed, "random seed")->check(whole_number(0))->capture_default_str();
}

CLI::Validator whole_number(int least) {
  return CLI::Validator(
      [least](const std::string& text) -> std::string {
        const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
        std::uint64_t value = 0;
        const bool fits =
            std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
        if (digits && !fits) return "'" + text + "' is above 2^64 - 1";
        if (digits && value >= static_cast<std::uint64_t>(least)) return {};
        return "'" + text + "' is not a whole number of at least " + std::to_string(least);
      },
      "");
}

CLI::Validator one_of(std::vector<std::string> words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ",") + word;
  return CLI::Validator(
      [words = std::move(words), all](const std::string& text) -> std::string {
        if (std::find(words.begin(), words.end(), text) != words.end()) return {};
        const std::string_view close = closest_word(text, words);
        return "'" + text + "' is none of {" + all + "}" +
               (close.empty() ? "" : "\ndid you mean `" + std::string(close) + "`?");
      },
      "{" + all + "}");
}

void require_ending(const std::string& option, const std::string& file,
                    const std::vector<std::string>& endings) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending.empty() || file.starts_with("/dev/")) return;
  std::string takes;
  for (std::size_t k = 0; k < endings.size(); ++k) {
    if (ending == endings[k] || (ending == ".yml" && endings[k] == ".yaml") ||
        (ending == ".htm" && endings[k] == ".html"))
      return;
    takes += (k == 0 ? "" : k + 1 == endings.size() ? " or " : ", ") + endings[k];
  }
  throw BadInput(option + " " + file + ": " + ending + " is not a supported file type",
                 option + " takes " + takes + (ending == ".svg" ? "; --plot draws a picture" : ""));
}

void require_svg(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  for (const char* other : {".png", ".jpg", ".jpeg", ".pdf", ".ps", ".gif"})
    if (extension == other)
      throw BadInput("--plot " + file + " does not end in .svg",
                     "write FILE.svg; rsvg-convert converts it to other formats");
}

Limits SearchArguments::limits() const {
  Limits limits = own.limits();
  limits.threads = threads;
  limits.seed = seed;
  return limits;
}

}  // namespace tessera::cli
