// The mode of every step. A step with requirements on its mode has one literal per mode (or per
// role of each bank). While the literal is true, accesses stay out of the banks whose role does not
// permit them. If several are true, each of them is valid.
#include <algorithm>
#include <tuple>

#include "build.h"
#include "model/joint_modes.h"

namespace tessera::search::learning {

/// Modes of a table that permit no bank at these steps which another mode does not permit too:
/// every access that fits one fits the other.
std::vector<char> Build::needless_modes(MemoryIndex m, const StepClass& steps) const {
  const std::vector<Mode>& table = tables_[m];
  std::vector<char> needless(table.size(), 0);
  // A certificate names every mode, and the number of used modes may be an objective.
  if (certifies() || goal_ != Objective::fit) return needless;
  // The use of a bank depends on the kind of a buffer only.
  std::set<BufferKind> read;
  std::set<BufferKind> written;
  for (const auto& [b, range] : steps.reads) read.insert(problem_.buffers[b].kind);
  for (const auto& [b, range] : steps.writes) written.insert(problem_.buffers[b].kind);
  std::vector<std::vector<char>> leaves(table.size());
  for (std::size_t k = 0; k < table.size(); ++k) {
    leaves[k].reserve(table[k].roles.size() * (read.size() + written.size() + 1));
    for (const Role role : table[k].roles) {
      for (const BufferKind kind : read) leaves[k].push_back(may_read(role, kind) ? 1 : 0);
      for (const BufferKind kind : written) leaves[k].push_back(may_write(role, kind) ? 1 : 0);
      leaves[k].push_back(role == Role::off ? 0 : 1);
    }
  }
  for (std::size_t k = 0; k < table.size(); ++k)
    for (std::size_t other = 0; other < table.size() && needless[k] == 0; ++other) {
      if (other == k || needless[other] != 0) continue;
      needless[k] = std::ranges::equal(leaves[k], leaves[other], std::ranges::less_equal{}) ? 1 : 0;
    }
  return needless;
}

void Build::step_modes(MemoryIndex m, const StepClass& steps) {
  const Memory& memory = problem_.memories[m];
  const auto banks = bank_ranges(memory);
  // `mode` true => the range of the buffer stays out of the banks that `forbidden` names; adjacent
  // banks are merged.
  std::vector<Lit> lits;
  const auto keep_out = [&](Key mode, BufferIndex b, AddressRange range, auto forbidden) {
    for (std::size_t bank = 0; bank < banks.size(); ++bank) {
      if (!forbidden(bank)) continue;
      const Offset begin = banks[bank].begin;
      while (bank + 1 < banks.size() && forbidden(bank + 1)) ++bank;
      lits.assign(1, {opposite(mode), 1});
      if (!unless_in(b, m, lits)) return;
      avoid(b, range, {begin, banks[bank].end}, lits);
      clause(lits);
    }
  };
  const auto some_off = [&](auto role_of) {
    for (std::size_t bank = 0; bank < banks.size(); ++bank)
      if (role_of(bank) == Role::off) return true;
    return false;
  };
  const auto restrict = [&](Key mode, auto role_of) {
    for (const auto& [b, range] : steps.reads)
      keep_out(mode, b, range, [&, kind = problem_.buffers[b].kind](std::size_t bank) {
        const auto role = role_of(bank);
        return role && !may_read(*role, kind);
      });
    for (const auto& [b, range] : steps.writes)
      keep_out(mode, b, range, [&, kind = problem_.buffers[b].kind](std::size_t bank) {
        const auto role = role_of(bank);
        return role && !may_write(*role, kind);
      });
    if (!some_off(role_of)) return;
    for (const auto& [b, range] : steps.live)
      keep_out(mode, b, range, [&](std::size_t bank) {
        const auto role = role_of(bank);
        return role && *role == Role::off;
      });
  };
  Choice choice;
  choice.steps = steps.steps;
  const auto at_memory = static_cast<std::int64_t>(m);
  const std::int64_t at_step = steps.steps.front();
  if (!tables_[m].empty()) {
    choice.mode.emplace_back();
    std::vector<Lit> some;
    const std::vector<char> needless = needless_modes(m, steps);
    for (std::size_t k = 0; k < tables_[m].size(); ++k) {
      choice.mode[0].push_back(no_key);
      if (needless[k] != 0) continue;
      const Key key = key_of(new_bool(1e-6, 0), 0);
      meaning('k', var_of(key), {at_memory, at_step, static_cast<std::int64_t>(k)});
      choice.mode[0].back() = key;
      some.push_back({key, 1});
      restrict(key, [&](std::size_t bank) { return std::optional(tables_[m][k].roles[bank]); });
      if (!used_[m].empty()) clause({{opposite(key), 1}, {used_[m][k], 1}});
    }
    clause(some);
  } else {
    for (std::size_t own = 0; own < memory.banks.size(); ++own) {
      choice.mode.emplace_back();
      std::vector<Lit> some;
      for (std::size_t k = 0; k < memory.banks[own].roles.size(); ++k) {
        const Role role = memory.banks[own].roles[k];
        const Key key = key_of(new_bool(1e-6, 0), 0);
        meaning('b', var_of(key),
                {at_memory, at_step, static_cast<std::int64_t>(own), static_cast<std::int64_t>(k)});
        choice.mode[own].push_back(key);
        some.push_back({key, 1});
        restrict(key, [&](std::size_t bank) {
          return bank == own ? std::optional(role) : std::nullopt;
        });
      }
      clause(some);
    }
  }
  choices_[m].push_back(std::move(choice));
}

std::vector<Build::StepClass> Build::step_classes(MemoryIndex m) const {
  using Asked = std::vector<std::pair<BufferIndex, AddressRange>>;
  std::map<Step, std::pair<Asked, Asked>> accesses;
  std::map<Step, int> borders;
  for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
    if (!may_be_in(b, m)) continue;
    const AddressRange whole{0, problem_.buffers[b].size};
    for (const Step t : problem_.buffers[b].read) accesses[t].first.emplace_back(b, whole);
    for (const Step t : problem_.buffers[b].write) accesses[t].second.emplace_back(b, whole);
    for (const Segment& part : segments(problem_.buffers[b])) {
      borders[part.steps.lower];
      borders[part.steps.upper];
    }
  }
  for (const auto& [t, asked] : accesses) {
    borders[t];
    borders[t + 1];
  }
  std::vector<StepClass> classes;
  std::map<std::tuple<Asked, Asked, Asked>, std::size_t> known;
  for (auto at = borders.begin(); at != borders.end() && std::next(at) != borders.end(); ++at) {
    Asked live;
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
      if (!may_be_in(b, m)) continue;
      for (const Segment& part : segments(problem_.buffers[b]))
        if (part.steps.contains(at->first)) live.emplace_back(b, part.range);
    }
    const auto found = accesses.find(at->first);
    const auto asked = found == accesses.end() ? std::pair<Asked, Asked>{} : found->second;
    if (live.empty() && asked.first.empty() && asked.second.empty()) continue;
    std::tuple key(asked.first, asked.second, live);
    if (goal_ == Objective::switches && !known.contains(key)) known.clear();
    const auto [entry, is_new] = known.try_emplace(std::move(key), classes.size());
    if (is_new) classes.push_back({{}, asked.first, asked.second, std::move(live)});
    for (Step t = at->first; t < std::next(at)->first; ++t)
      classes[entry->second].steps.push_back(t);
  }
  if (goal_ != Objective::switches)
    std::ranges::sort(classes, {}, [](const StepClass& each) {
      return std::tie(each.reads, each.writes, each.live);
    });
  return classes;
}

/// A payment for each mode that is used.
void Build::count_modes(MemoryIndex m) {
  std::vector<Lit> some;
  for (std::size_t k = 0; k < tables_[m].size(); ++k) {
    used_[m].push_back(key_of(new_bool(1e-3, 1), 0));
    meaning('u', var_of(used_[m][k]), {static_cast<std::int64_t>(m), static_cast<std::int64_t>(k)});
    some.push_back({used_[m][k], 1});
    deduction_.cost.add(used_[m][k], 1);
  }
  clause(some);
}

/// A payment for each change of the mode between two consecutive choices. Without it, every mode
/// that is true before is true after.
void Build::count_switches(MemoryIndex m) {
  for (std::size_t c = 1; c < choices_[m].size(); ++c) {
    const Choice& before = choices_[m][c - 1];
    const Choice& after = choices_[m][c];
    const Key changes = key_of(new_bool(1e-3, 1), 0);
    meaning('t', var_of(changes),
            {static_cast<std::int64_t>(m), before.steps.front(), after.steps.front()});
    deduction_.cost.add(changes, 1);
    for (std::size_t i = 0; i < before.mode.size(); ++i)
      for (std::size_t k = 0; k < before.mode[i].size(); ++k)
        clause({{opposite(before.mode[i][k]), 1}, {after.mode[i][k], 1}, {changes, 1}});
  }
}

void Build::modes() {
  const auto count = problem_.memories.size();
  choices_.resize(count);
  tables_.resize(count);
  used_.resize(count);
  for (MemoryIndex m = 0; m < count; ++m) {
    const Memory& memory = problem_.memories[m];
    if (!has_modes(memory)) continue;
    tables_[m] = memory.modes;
    if (memory.modes_per_bank && goal_ == Objective::modes)
      tables_[m] = *joint_modes(memory, most_counted_modes);
    if (goal_ == Objective::modes && horizon(problem_) > 0) count_modes(m);
    for (const StepClass& each : step_classes(m)) step_modes(m, each);
    if (goal_ == Objective::switches) count_switches(m);
  }
}

std::vector<std::string> Build::decode_modes(MemoryIndex m) const {
  const State& state = deduction_.state;
  const Memory& memory = problem_.memories[m];
  // The same as in the choice before, if it is true.
  std::vector<std::size_t> last(memory.banks.size() + 1, 0);
  const auto chosen = [&](const std::vector<Key>& keys, std::size_t& before) {
    const auto holds = [&](std::size_t k) {
      return k < keys.size() && keys[k] != no_key && state.bound(keys[k]) > 0;
    };
    if (goal_ == Objective::switches && holds(before)) return before;
    before = 0;
    for (std::size_t k = 0; k < keys.size(); ++k)
      if (holds(k)) return before = k;
    return before;
  };
  const auto name_of = [&](const std::vector<std::vector<Key>>& mode) {
    if (!tables_[m].empty()) return tables_[m][chosen(mode[0], last[0])].name;
    std::vector<Role> roles;
    for (std::size_t bank = 0; bank < memory.banks.size(); ++bank)
      roles.push_back(memory.banks[bank].roles[chosen(mode[bank], last[bank])]);
    return per_bank_mode_name(roles);
  };
  std::vector<std::vector<Key>> idle(memory.banks.size() + 1);
  if (!used_[m].empty()) idle[0] = used_[m];
  const auto steps = static_cast<std::size_t>(horizon(problem_));
  const std::string between = name_of(idle);
  std::vector<std::string> names(steps, goal_ == Objective::switches ? "" : between);
  for (const Choice& choice : choices_[m]) {
    const std::string name = name_of(choice.mode);
    for (const Step step : choice.steps) names[static_cast<std::size_t>(step)] = name;
  }
  // Without requirements the mode does not change.
  std::string before = choices_[m].empty() ? between : "";
  if (before.empty()) before = names[static_cast<std::size_t>(choices_[m].front().steps.front())];
  for (std::string& name : names)
    if (name.empty())
      name = before;
    else
      before = name;
  return names;
}

}  // namespace tessera::search::learning
