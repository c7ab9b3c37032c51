#include "choose_modes.h"

#include <algorithm>

#include "model/derived.h"

namespace tessera::encoder {
namespace {

/// What is done in one bank at one step.
struct Demand {
  bool live = false;
  bool reads_activation = false;
  bool reads_weight = false;
  bool writes = false;

  [[nodiscard]] bool allowed_by(Role role) const {
    return !(live && role == Role::off) && !(writes && !may_write(role)) &&
           !(reads_activation && !may_read(role, BufferKind::activation)) &&
           !(reads_weight && !may_read(role, BufferKind::weight));
  }
};

/// [step][bank] of one memory.
std::vector<std::vector<Demand>> demands_in(const PlacementProblem& problem,
                                            const Placement& placement, MemoryIndex m) {
  const std::vector<AddressRange> banks = bank_ranges(problem.memories[m]);
  std::vector<std::vector<Demand>> demands(static_cast<std::size_t>(horizon(problem)),
                                           std::vector<Demand>(banks.size()));
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    if (placement.places[b].memory != m) continue;
    const AddressRange whole = AddressRange{0, buffer.size}.at(placement.places[b].offset);
    for (std::size_t k = 0; k < banks.size(); ++k) {
      if (!overlaps(banks[k], whole)) continue;
      // A gap's window may leave a bank alone while the buffer lives; asking for more is safe.
      for (const StepRange& live : buffer.live) {
        for (Step t = live.lower; t < live.upper; ++t) {
          demands[static_cast<std::size_t>(t)][k].live = true;
        }
      }
      for (const Step t : buffer.read) {
        Demand& demand = demands[static_cast<std::size_t>(t)][k];
        (buffer.kind == BufferKind::weight ? demand.reads_weight : demand.reads_activation) = true;
      }
      for (const Step t : buffer.write) demands[static_cast<std::size_t>(t)][k].writes = true;
    }
  }
  return demands;
}

bool allowed_by(const std::vector<Demand>& demands, const std::vector<Role>& roles) {
  for (std::size_t k = 0; k < demands.size(); ++k) {
    if (!demands[k].allowed_by(roles[k])) return false;
  }
  return true;
}

/// The name of a mode that allows all of it; empty where there is none.
std::string mode_for(const Memory& memory, const std::vector<Demand>& demands) {
  if (!memory.modes_per_bank) {
    for (const Mode& mode : memory.modes) {
      if (allowed_by(demands, mode.roles)) return mode.name;
    }
    return {};
  }
  std::vector<Role> roles;
  for (std::size_t k = 0; k < demands.size(); ++k) {
    const std::vector<Role>& choice = memory.banks[k].roles;
    const auto fits = std::find_if(choice.begin(), choice.end(),
                                   [&](Role role) { return demands[k].allowed_by(role); });
    if (fits == choice.end()) return {};
    roles.push_back(*fits);
  }
  return per_bank_mode_name(roles);
}

}  // namespace

bool welcomes(Role role, const Buffer& buffer) {
  return role != Role::off && (buffer.read.empty() || may_read(role, buffer.kind)) &&
         (buffer.write.empty() || may_write(role));
}

bool choose_modes(const PlacementProblem& problem, Placement& placement) {
  placement.modes.assign(problem.memories.size(), {});
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    if (!has_modes(problem.memories[m])) continue;
    for (const std::vector<Demand>& step : demands_in(problem, placement, m)) {
      std::string name = mode_for(problem.memories[m], step);
      if (name.empty()) return false;
      placement.modes[m].push_back(std::move(name));
    }
  }
  return true;
}

}  // namespace tessera::encoder
