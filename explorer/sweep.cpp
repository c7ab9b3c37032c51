#include "explorer/sweep.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "io/files.h"
#include "io/text.h"
#include "tessera/files.h"
#include "tessera/import.h"

namespace tessera::explorer {

namespace {

namespace fs = std::filesystem;

/// Leaves space in a file name for a candidate number and ".json", on every file system.
constexpr std::size_t longest_name = 200;

bool names_files(const std::string& name) {
  const auto no_part_of_names = [](char c) {
    return c == '/' || c == '\\' || static_cast<unsigned char>(c) < ' ' || c == '\x7f';
  };
  return !name.empty() && name != "*" && name.size() <= longest_name &&
         std::ranges::none_of(name, no_part_of_names);
}

/// Keys that describe the profile and not the machine.
constexpr std::array about_itself{"tessera",    "name",      "inherit",
                                  "provenance", "objective", "reference"};

/// Resolves a path relative to the sweep file.
std::string beside(const std::string& sweep, const std::string& path) {
  const fs::path given(path);
  if (given.is_absolute()) return path;
  return (fs::path(sweep).parent_path() / given).string();
}

bool is_inside(const std::string& key, const std::string& around) {
  return key.size() > around.size() && key.starts_with(around) && key[around.size()] == '.';
}

class Loader {
 public:
  Loader(const std::string& file, const Limits& limits, const std::vector<std::string>& folders)
      : file_(file), limits_(limits), folders_(folders) {}

  std::shared_ptr<const Sweep::State> load(std::string source) {
    io::SweepText text = io::read_sweep_yaml(source, file_);
    Profile base = profile(text.base, text.base_line, "base");
    auto state = std::make_shared<Sweep::State>(Sweep::State{.text = std::move(text),
                                                             .source = std::move(source),
                                                             .files = {file_},
                                                             .folders = folders_,
                                                             .base = std::move(base),
                                                             .reference = {},
                                                             .keys = {},
                                                             .networks = {},
                                                             .choices = {}});
    if (!state->text.reference.empty())
      state->reference = profile(state->text.reference, state->text.reference_line, "reference");
    for (const std::string& name : {state->text.base, state->text.reference})
      if (!name.empty())
        for (const fs::path& path : profile_files(meant(name), folders_))
          state->files.push_back(path.string());
    for (const io::VaryText& axis : state->text.vary) {
      check_axis(*state, axis);
      state->keys.push_back(axis.key);
    }
    choose(*state);
    read_networks(*state);
    return state;
  }

 private:
  [[noreturn]] void wrong(std::size_t line, const std::string& what,
                          const std::string& hint = {}) const {
    throw BadInput(file_ + ':' + std::to_string(line) + ": " + what, hint);
  }

  /// A file relative to the sweep, or the name of a profile.
  [[nodiscard]] std::string meant(const std::string& name) const {
    const std::string own = beside(file_, name);
    std::error_code error;
    return fs::is_regular_file(own, error) ? own : name;
  }

  Profile profile(const std::string& name, std::size_t line, const std::string& key) const {
    try {
      return Profile(meant(name), folders_);
    } catch (const BadInput& bad) {
      wrong(line, '`' + key + "`: " + bad.what(), bad.hint);
    }
  }

  std::string closest(const Sweep::State& state, const std::string& key) const {
    std::vector<std::string> known = state.base.keys();
    for (const io::VaryText& axis : state.text.vary)
      if (axis.key != key) known.push_back(axis.key);
    const std::string_view close = closest_word(key, known);
    return close.empty() ? "tessera profiles " + state.text.base + " lists its keys"
                         : "did you mean `" + std::string(close) + "`?";
  }

  void check_axis(const Sweep::State& state, const io::VaryText& axis) const {
    for (const std::string_view own : about_itself)
      if (axis.key == own || is_inside(axis.key, std::string(own)))
        wrong(axis.line, io::shown(axis.key) + " is not a key of a machine, so it cannot vary",
              own == "objective" ? "put weights under `objective` of the sweep" : "");
    for (const io::VaryText& other : state.text.vary)
      if (is_inside(axis.key, other.key))
        wrong(axis.line, io::shown(axis.key) + " is a part of " + io::shown(other.key) +
                             ", which already varies as a whole");
    if (state.base.has(axis.key)) return;
    // Keys that the reader supports and the profile omits may be added.
    for (const std::string& value : axis.values) {
      Profile changed = state.base;
      try {
        changed.set(axis.key, value);
        return;
      } catch (const BadInput& bad) {
        const std::string_view what = bad.what();
        const bool about_key = what.find("unknown key") != what.npos ||
                               what.find("has no ") != what.npos ||
                               what.find("so it has no key") != what.npos ||
                               what.find("not a path of keys") != what.npos;
        if (!about_key) return;  // about the value: those that are wrong fail by themselves
      }
    }
    wrong(axis.line, state.text.base + " has no key " + io::shown(axis.key),
          closest(state, axis.key));
  }

  void choose(Sweep::State& state) const {
    const io::SweepText& text = state.text;
    std::vector<std::size_t> lengths;
    for (const io::VaryText& axis : text.vary) lengths.push_back(axis.values.size());
    const std::vector<Condition> conditions = parsed_conditions(state);
    const Keep keep = [&](const Choice& choice) {
      std::optional<Profile> whole;
      for (std::size_t k = 0; k < conditions.size(); ++k) {
        try {
          if (!conditions[k].holds(
                  [&](const std::string& key) { return value(state, choice, key, whole); }))
            return false;
        } catch (const ConditionError& bad) {
          wrong(text.where[k].line, bad.what());
        } catch (const BadInput&) {
          return true;  // no such machine: its row reports it
        }
      }
      return true;
    };
    if (text.samples) {
      if (*text.samples > static_cast<std::int64_t>(most_candidates))
        throw BadInput(file_ + ": asks for " + std::to_string(*text.samples) + " samples",
                       "at most " + std::to_string(most_candidates) + " values");
      state.choices = sample(lengths, static_cast<std::uint64_t>(*text.samples), text.seed, keep);
    } else {
      if (grid_size(lengths) > most_candidates)
        throw BadInput(
            file_ + ": the grid has more than " + std::to_string(most_candidates) + " candidates",
            "use strategy: {random: {samples: 1000, seed: 0}} to sample it");
      state.choices = grid(lengths, keep);
    }
    if (state.choices.empty())
      wrong(text.where.empty() ? 1 : text.where.front().line,
            "no candidate satisfies every condition of `where`",
            "check for conditions that contradict each other or the varied values");
  }

  std::vector<Condition> parsed_conditions(const Sweep::State& state) const {
    std::vector<Condition> conditions;
    for (const io::ConditionText& text : state.text.where) {
      try {
        conditions.emplace_back(text.text);
      } catch (const ConditionError& bad) {
        wrong(text.line, bad.what(),
              "as in \"memories.sram.banks * memories.sram.bank_size <= 512 KiB\"");
      }
      for (const std::string& key : conditions.back().keys()) {
        const bool varied = std::ranges::any_of(state.text.vary, [&](const io::VaryText& axis) {
          return axis.key == key || is_inside(key, axis.key);
        });
        if (!varied && !state.base.has(key))
          wrong(text.line,
                "the condition names " + io::shown(key) + ", which " + state.text.base +
                    " does not have",
                closest(state, key));
      }
    }
    return conditions;
  }

  /// Most keys of conditions are axes: their values are known without making a machine.
  static std::string value(const Sweep::State& state, const Choice& choice, const std::string& key,
                           std::optional<Profile>& whole) {
    bool touched = false;
    for (std::size_t k = 0; k < state.text.vary.size(); ++k) {
      const io::VaryText& axis = state.text.vary[k];
      if (axis.key == key) return axis.values[choice[k]];
      touched = touched || is_inside(key, axis.key) || is_inside(axis.key, key);
    }
    if (!touched) return state.base.get(key);
    if (!whole) whole = state.machine(choice);
    return whole->get(key);
  }

  void read_networks(Sweep::State& state) const {
    double sum = 0;
    for (const io::SweepNetworkText& text : state.text.networks) sum += text.weight;
    ImportOptions options;
    options.limits = limits_;
    try {
      if (!state.text.dtype.empty())
        options.dtype = parse_element_type(state.text.dtype, "`dtype`");
    } catch (const BadInput& bad) {
      wrong(state.text.dtype_line, bad.what(), bad.hint);
    }
    for (const io::SweepNetworkText& text : state.text.networks) {
      SweepNetwork read;
      read.file = beside(file_, text.file);
      read.name = text.name.empty() ? fs::path(text.file).stem().string() : text.name;
      read.share = text.weight / sum;
      if (!names_files(read.name))
        wrong(text.line, "invalid network name " + io::shown(read.name),
              "plans are files with that name: use a name without '/', in one line, of at most " +
                  std::to_string(longest_name) + " bytes");
      for (const SweepNetwork& other : state.networks)
        if (other.name == read.name)
          wrong(text.line, "duplicate network " + io::shown(read.name) + " already",
                "rename one: {file: " + text.file + ", name: other}");
      try {
        read.network = read_network(read.file, options).network;
      } catch (const BadInput& bad) {
        wrong(text.line, "network " + io::shown(text.file) + ": " + bad.what(), bad.hint);
      }
      state.files.push_back(read.file);
      state.networks.push_back(std::move(read));
    }
  }

  const std::string& file_;
  const Limits& limits_;
  const std::vector<std::string>& folders_;
};

}  // namespace

}  // namespace tessera::explorer

namespace tessera {

std::vector<std::string> Sweep::State::values(const explorer::Choice& choice) const {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < text.vary.size(); ++k) all.push_back(text.vary[k].values[choice[k]]);
  return all;
}

Profile Sweep::State::machine(const explorer::Choice& choice) const {
  Profile changed = base;
  std::vector<ProfileChange> changes;
  for (std::size_t k = 0; k < text.vary.size(); ++k)
    changes.emplace_back(text.vary[k].key, text.vary[k].values[choice[k]]);
  if (!changes.empty()) changed.set(changes);
  return changed;
}

Sweep::Sweep(const std::string& path, const Limits& limits,
             const std::vector<std::string>& folders) {
  std::string source = io::read_file(io::input_path(path));
  state_ = explorer::Loader(path, limits, folders).load(std::move(source));
}

Sweep Sweep::from_text(std::string_view text, const std::string& file, const Limits& limits,
                       const std::vector<std::string>& folders) {
  return Sweep(explorer::Loader(file, limits, folders).load(std::string(text)));
}

std::size_t Sweep::candidates() const {
  return state_->choices.size();
}

const std::vector<std::string>& Sweep::keys() const {
  return state_->keys;
}

std::vector<std::string> Sweep::networks() const {
  std::vector<std::string> names;
  for (const explorer::SweepNetwork& network : state_->networks) names.push_back(network.name);
  return names;
}

Profile Sweep::machine(std::size_t candidate) const {
  if (candidate >= state_->choices.size())
    throw BadInput("unknown candidate " + std::to_string(candidate));
  return state_->machine(state_->choices[candidate]);
}

bool Sweep::wants_modes() const {
  return !state_->text.lose_for_modes.empty();
}

const std::vector<std::string>& Sweep::files() const {
  return state_->files;
}

}  // namespace tessera
