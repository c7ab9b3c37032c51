#include "modes.h"

#include <algorithm>
#include <array>
#include <bit>

#include "model/buffer_parts.h"
#include "model/derived.h"

namespace tessera::facts {
namespace {

constexpr std::array<Role, 7> all_roles = {Role::read, Role::write, Role::read_write, Role::weight,
                                           Role::data, Role::hold,  Role::off};
using Roles = std::uint8_t;  // one bit per role

constexpr Roles bit(Role role) {
  return static_cast<Roles>(1U << static_cast<unsigned>(role));
}

template <typename Predicate>
Roles roles_that(Predicate&& allowed) {
  unsigned roles = 0;
  for (const Role role : all_roles)
    if (allowed(role)) roles |= bit(role);
  return static_cast<Roles>(roles);
}

/// Steps between two changes of one memory, and the roles that each bank may have.
struct Stretch {
  StepRange steps;
  std::vector<Roles> roles;
};

std::vector<Stretch> free_ranges(const PlacementProblem& problem,
                                 const std::vector<BufferPlace>& places, MemoryIndex m) {
  const Memory& memory = problem.memories[m];
  const std::vector<AddressRange> banks = bank_ranges(memory);
  const Roles any = roles_that([](Role) { return true; });
  const auto is_off = [](Role role) { return role == Role::off; };
  bool off = false;
  for (const Mode& mode : memory.modes)
    off = off || std::any_of(mode.roles.begin(), mode.roles.end(), is_off);
  for (const Bank& bank : memory.banks)
    off = off || std::any_of(bank.roles.begin(), bank.roles.end(), is_off);

  struct Demand {
    StepRange steps;
    AddressRange addresses;
    Roles roles;
  };
  std::vector<Demand> demands;
  for (BufferIndex b = 0; b < places.size(); ++b) {
    if (places[b].memory != m) continue;
    const Buffer& buffer = problem.buffers[b];
    std::vector<AddressRange> used;
    if (!buffer.read.empty() || !buffer.write.empty()) used = used_bytes(buffer);
    const Roles reads = roles_that([&](Role role) { return may_read(role, buffer.kind); });
    const Roles writes = roles_that([&](Role role) { return may_write(role, buffer.kind); });
    for (const AddressRange& bytes : used) {
      const AddressRange at = bytes.at(places[b].offset);
      for (const Step t : buffer.read) demands.push_back({{t, t + 1}, at, reads});
      for (const Step t : buffer.write) demands.push_back({{t, t + 1}, at, writes});
    }
    if (!off) continue;
    for (const Segment& segment : segments(buffer))
      demands.push_back({segment.steps, segment.range.at(places[b].offset),
                         static_cast<Roles>(any & ~bit(Role::off))});
  }
  std::vector<Step> borders{0, horizon(problem)};
  for (const Demand& demand : demands) {
    borders.push_back(demand.steps.lower);
    borders.push_back(demand.steps.upper);
  }
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  std::vector<Stretch> stretches;
  for (std::size_t k = 0; k + 1 < borders.size(); ++k)
    stretches.push_back({{borders[k], borders[k + 1]}, std::vector<Roles>(banks.size(), any)});
  for (const Demand& demand : demands) {
    auto at = static_cast<std::size_t>(
        std::lower_bound(borders.begin(), borders.end(), demand.steps.lower) - borders.begin());
    for (; borders[at] < demand.steps.upper; ++at)
      for (std::size_t k = 0; k < banks.size(); ++k)
        if (overlaps(banks[k], demand.addresses)) stretches[at].roles[k] &= demand.roles;
  }
  return stretches;
}

/// The modes that a stretch permits, as bit sets: one for a table of modes, one per bank for modes
/// per bank.
class Choices {
 public:
  Choices(const Memory& memory, const std::vector<Stretch>& stretches) : memory_(memory) {
    words_ = memory.modes_per_bank ? memory.banks.size() : (memory.modes.size() + 63) / 64;
    for (const Stretch& each : stretches) {
      sets_.emplace_back(words_, 0);
      if (memory.modes_per_bank)
        per_bank(each);
      else
        table(each);
    }
  }

  [[nodiscard]] std::size_t size() const { return sets_.size(); }
  /// Intersects `common` with the modes of the stretch. Returns false if nothing is left.
  [[nodiscard]] bool narrow(std::vector<std::uint64_t>& common, std::size_t stretch) const {
    bool some = false;
    bool each = true;
    for (std::size_t w = 0; w < words_; ++w) {
      common[w] &= sets_[stretch][w];
      some = some || common[w] != 0;
      each = each && common[w] != 0;
    }
    return memory_.modes_per_bank ? each : some;
  }
  [[nodiscard]] std::vector<std::uint64_t> everything() const {
    return std::vector<std::uint64_t>(words_, ~std::uint64_t{0});
  }
  /// The first mode that is left.
  [[nodiscard]] std::string name(const std::vector<std::uint64_t>& common) const {
    if (memory_.modes_per_bank) {
      std::vector<Role> roles;
      for (std::size_t k = 0; k < words_; ++k)
        roles.push_back(
            memory_.banks[k].roles[static_cast<std::size_t>(std::countr_zero(common[k]))]);
      return per_bank_mode_name(roles);
    }
    std::size_t w = 0;
    while (common[w] == 0) ++w;
    return memory_.modes[64 * w + static_cast<std::size_t>(std::countr_zero(common[w]))].name;
  }

 private:
  void per_bank(const Stretch& stretch) {
    for (std::size_t k = 0; k < memory_.banks.size(); ++k)
      for (std::size_t r = 0; r < memory_.banks[k].roles.size(); ++r)
        if ((stretch.roles[k] & bit(memory_.banks[k].roles[r])) != 0)
          sets_.back()[k] |= std::uint64_t{1} << r;
  }
  void table(const Stretch& stretch) {
    for (std::size_t mode = 0; mode < memory_.modes.size(); ++mode) {
      const std::vector<Role>& roles = memory_.modes[mode].roles;
      bool fits = true;
      for (std::size_t k = 0; k < roles.size(); ++k)
        fits = fits && (stretch.roles[k] & bit(roles[k])) != 0;
      if (fits) sets_.back()[mode / 64] |= std::uint64_t{1} << (mode % 64);
    }
  }

  const Memory& memory_;
  std::size_t words_ = 0;
  std::vector<std::vector<std::uint64_t>> sets_;
};

using Names = std::vector<std::string>;  // one per stretch

/// Greedy from the left: the longest runs with a common mode. No choice has fewer switches.
std::optional<Names> resolve_line(const Choices& choices) {
  Names names(choices.size());
  for (std::size_t begin = 0; begin < choices.size();) {
    std::vector<std::uint64_t> common = choices.everything();
    if (!choices.narrow(common, begin)) return std::nullopt;
    std::size_t end = begin + 1;
    for (; end < choices.size(); ++end) {
      std::vector<std::uint64_t> still = common;
      if (!choices.narrow(still, end)) break;
      common = std::move(still);
    }
    const std::string name = choices.name(common);
    std::fill(names.begin() + static_cast<std::ptrdiff_t>(begin),
              names.begin() + static_cast<std::ptrdiff_t>(end), name);
    begin = end;
  }
  return names;
}

/// A cycle of `period` steps that `choices` passes once or twice, with one entry per step.
class Cycle {
 public:
  Cycle(const Choices& choices, std::size_t period) : choices_(choices), period_(period) {}

  std::optional<Names> resolve() {
    // No switch at all, or one run that ends where it begins.
    if (auto names = all_alike()) return names;
    // Otherwise a switch lies within the first run: try each of its positions.
    const std::size_t first = run_from(0);
    if (first == 0) return std::nullopt;
    std::optional<Names> best;
    std::size_t fewest = 0;
    for (std::size_t begin = 0; begin <= std::min(first, period_ - 1); ++begin) {
      std::size_t runs = 0;
      auto names = resolve_from(begin, runs);
      if (!names) return std::nullopt;
      if (best && runs >= fewest) continue;
      fewest = runs;
      best = std::move(names);
    }
    return best;
  }

 private:
  [[nodiscard]] std::size_t passes() const { return choices_.size() / period_; }
  [[nodiscard]] std::size_t at(std::size_t position, std::size_t pass) const {
    return (position + pass * period_) % choices_.size();
  }

  [[nodiscard]] std::optional<Names> all_alike() const {
    std::vector<std::uint64_t> common = choices_.everything();
    for (std::size_t k = 0; k < choices_.size(); ++k)
      if (!choices_.narrow(common, k)) return std::nullopt;
    return Names(choices_.size(), choices_.name(common));
  }

  /// The number of positions from `begin` that need no switch, in all passes. `common`, if given,
  /// receives their common modes per pass.
  std::size_t run_from(std::size_t begin, std::size_t most = ~std::size_t{0},
                       std::vector<std::vector<std::uint64_t>>* common = nullptr) const {
    std::vector<std::vector<std::uint64_t>> here(passes(), choices_.everything());
    std::size_t length = 0;
    for (; length < std::min(most, period_); ++length) {
      auto next = here;
      bool fits = true;
      for (std::size_t p = 0; p < passes() && fits; ++p)
        fits = choices_.narrow(next[p], at(begin + length, p));
      if (!fits) break;
      here = std::move(next);
    }
    if (common != nullptr) *common = std::move(here);
    return length;
  }

  std::optional<Names> resolve_from(std::size_t begin, std::size_t& runs) const {
    Names names(choices_.size());
    for (std::size_t done = 0; done < period_; ++runs) {
      std::vector<std::vector<std::uint64_t>> common;
      const std::size_t length = run_from(begin + done, period_ - done, &common);
      if (length == 0) return std::nullopt;
      for (std::size_t p = 0; p < passes(); ++p) {
        const std::string name = choices_.name(common[p]);
        for (std::size_t k = 0; k < length; ++k) names[at(begin + done + k, p)] = name;
      }
      done += length;
    }
    return names;
  }

  const Choices& choices_;
  std::size_t period_;
};

/// The same with one stretch per step.
std::vector<Stretch> step_by_step(const std::vector<Stretch>& stretches) {
  std::vector<Stretch> steps;
  for (const Stretch& each : stretches)
    for (Step t = each.steps.lower; t < each.steps.upper; ++t)
      steps.push_back({{t, t + 1}, each.roles});
  return steps;
}

}  // namespace

std::vector<std::int64_t> mode_switches(const ModeSchedule& modes, std::optional<Step> cycle) {
  std::size_t positions = 0;
  for (const auto& names : modes) positions = std::max(positions, names.size());
  if (cycle) positions = static_cast<std::size_t>(*cycle);
  std::vector<std::int64_t> switches(positions, 0);
  for (const auto& names : modes) {
    if (names.empty()) continue;  // a memory without modes
    std::vector<char> here(positions, 0);
    for (std::size_t t = 0; t < names.size(); ++t) {
      if (t == 0 && !cycle) continue;
      if (names[t == 0 ? names.size() - 1 : t - 1] != names[t]) here[t % positions] = 1;
    }
    for (std::size_t k = 0; k < positions; ++k) switches[k] += here[k];
  }
  return switches;
}

std::optional<ModeSchedule> resolve_modes(const PlacementProblem& problem,
                                          const std::vector<BufferPlace>& places,
                                          std::optional<Step> cycle) {
  ModeSchedule schedule(problem.memories.size());
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    const Memory& memory = problem.memories[m];
    if (!has_modes(memory)) continue;
    std::vector<Stretch> stretches = free_ranges(problem, places, m);
    if (cycle) stretches = step_by_step(stretches);
    const Choices choices(memory, stretches);
    const auto names = cycle && !stretches.empty()
                           ? Cycle(choices, static_cast<std::size_t>(*cycle)).resolve()
                           : resolve_line(choices);
    if (!names) return std::nullopt;
    for (std::size_t k = 0; k < stretches.size(); ++k)
      for (Step t = stretches[k].steps.lower; t < stretches[k].steps.upper; ++t)
        schedule[m].push_back((*names)[k]);
  }
  return schedule;
}

}  // namespace tessera::facts
