#include "planner/relax.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "model/check.h"
#include "model/derived.h"

namespace tessera {

namespace {

constexpr std::array<Role, 6> all_roles = {Role::read,   Role::write, Role::read_write,
                                           Role::weight, Role::hold,  Role::off};

constexpr unsigned bit(Role role) {
  return 1U << static_cast<unsigned>(role);
}

template <typename Predicate>
unsigned mask_of(Predicate&& allowed) {
  unsigned mask = 0;
  for (const Role role : all_roles)
    if (allowed(role)) mask |= bit(role);
  return mask;
}

/// roles[step * banks + bank]: which roles the accesses to one memory leave to a bank at a step.
std::vector<unsigned> possible_roles(const PlacementProblem& problem, const Placement& placement,
                                     MemoryIndex memory, const std::vector<AddressRange>& banks,
                                     Step steps) {
  const unsigned any = mask_of([](Role) { return true; });
  std::vector<unsigned> roles(static_cast<std::size_t>(steps) * banks.size(), any);
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    if (placement.places[b].memory != memory) continue;
    const Buffer& buffer = problem.buffers[b];
    const AddressRange place = AddressRange{0, buffer.size}.at(placement.places[b].offset);
    const unsigned reads = mask_of([&](Role role) { return may_read(role, buffer.kind); });
    const unsigned writes = mask_of([](Role role) { return may_write(role); });
    const auto restrict = [&](std::size_t bank, Step step, unsigned mask) {
      roles[static_cast<std::size_t>(step) * banks.size() + bank] &= mask;
    };
    for (std::size_t k = 0; k < banks.size(); ++k) {
      if (!overlaps(place, banks[k])) continue;
      for (const Step step : buffer.read) restrict(k, step, reads);
      for (const Step step : buffer.write) restrict(k, step, writes);
      for (const StepRange& live : buffer.live)
        for (Step step = live.lower; step < live.upper; ++step)
          restrict(k, step, any & ~bit(Role::off));
    }
  }
  return roles;
}

/// A mode of the memory for one step, empty if none will do. The mode of the step before is kept
/// where possible: switching costs something on real machines.
std::string choose_mode(const Memory& memory, const unsigned* roles, const std::string& before) {
  if (memory.modes_per_bank) {
    std::vector<Role> chosen;
    for (std::size_t k = 0; k < memory.banks.size(); ++k) {
      const auto& own = memory.banks[k].roles;
      const auto fits = std::find_if(own.begin(), own.end(),
                                     [&](Role role) { return (roles[k] & bit(role)) != 0; });
      if (fits == own.end()) return {};
      chosen.push_back(*fits);
    }
    return per_bank_mode_name(chosen);
  }
  const auto fits = [&](const Mode& mode) {
    for (std::size_t k = 0; k < mode.roles.size(); ++k)
      if ((roles[k] & bit(mode.roles[k])) == 0) return false;
    return true;
  };
  const Mode* found = nullptr;
  for (const Mode& mode : memory.modes) {
    if (!fits(mode)) continue;
    if (mode.name == before) return before;
    if (found == nullptr) found = &mode;
  }
  return found == nullptr ? std::string() : found->name;
}

bool about_banks(RelationKind kind) {
  return kind == RelationKind::same_bank || kind == RelationKind::different_banks ||
         kind == RelationKind::avoid_overlap;
}

}  // namespace

bool has_bank_rules(const PlacementProblem& problem) {
  const auto rules = [](const Memory& memory) {
    return has_modes(memory) || !memory.banks.empty() || !memory.straddle;
  };
  const auto relation = [](const Relation& r) { return about_banks(r.kind); };
  return std::any_of(problem.memories.begin(), problem.memories.end(), rules) ||
         std::any_of(problem.relations.begin(), problem.relations.end(), relation);
}

PlacementProblem relaxed(const PlacementProblem& problem) {
  PlacementProblem simple = problem;
  for (Memory& memory : simple.memories) {
    memory.modes.clear();
    memory.modes_per_bank = false;
    if (memory.straddle) {  // otherwise the borders are a rule the engines know
      memory.banks.clear();
    } else {
      for (Bank& bank : memory.banks) bank.roles.clear();
    }
  }
  std::erase_if(simple.relations, [](const Relation& r) { return about_banks(r.kind); });
  simple.objective = Objective::fit;
  return simple;
}

std::optional<Placement> lift(const PlacementProblem& problem, const Placement& placement) {
  Placement lifted = placement;
  lifted.modes.assign(problem.memories.size(), {});
  const Step steps = horizon(problem);
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    const Memory& memory = problem.memories[m];
    if (!has_modes(memory)) continue;
    const std::vector<AddressRange> banks = bank_ranges(memory);
    const std::vector<unsigned> roles = possible_roles(problem, placement, m, banks, steps);
    std::string mode;
    for (Step step = 0; step < steps; ++step) {
      mode = choose_mode(memory, &roles[static_cast<std::size_t>(step) * banks.size()], mode);
      if (mode.empty()) return std::nullopt;
      lifted.modes[m].push_back(mode);
    }
  }
  if (!check(problem, lifted, 1).empty()) return std::nullopt;
  return lifted;
}

}  // namespace tessera
