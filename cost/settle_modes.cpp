#include "cost/settle_modes.h"

#include <algorithm>
#include <optional>

#include "model/derived.h"

namespace tessera {
namespace {

/// What one bank has to allow during one step.
struct Need {
  bool read = false;         ///< of an activation
  bool read_weight = false;  ///< of a weight
  bool write = false;
  bool occupied = false;
};

bool allows(Role role, const Need& need) {
  return (!need.read || may_read(role, BufferKind::activation)) &&
         (!need.read_weight || may_read(role, BufferKind::weight)) &&
         (!need.write || may_write(role)) && (!need.occupied || role != Role::off);
}

/// needs[step][bank] of one memory.
std::vector<std::vector<Need>> needs_of(const PlacementProblem& problem,
                                        const std::vector<BufferPlace>& places, MemoryIndex m) {
  const std::vector<AddressRange> banks = bank_ranges(problem.memories[m]);
  std::vector<std::vector<Need>> needs(static_cast<std::size_t>(horizon(problem)),
                                       std::vector<Need>(banks.size()));
  for (std::size_t b = 0; b < places.size(); ++b) {
    if (places[b].memory != m) continue;
    const Buffer& buffer = problem.buffers[b];
    const AddressRange claimed{places[b].offset, places[b].offset + buffer.size};
    for (std::size_t k = 0; k < banks.size(); ++k) {
      if (overlaps(banks[k], claimed)) {
        for (const Step t : buffer.read) {
          Need& need = needs[static_cast<std::size_t>(t)][k];
          (buffer.kind == BufferKind::weight ? need.read_weight : need.read) = true;
        }
        for (const Step t : buffer.write) needs[static_cast<std::size_t>(t)][k].write = true;
      }
      for (const Segment& segment : segments(buffer))
        if (overlaps(banks[k], segment.range.at(places[b].offset)))
          for (Step t = segment.steps.lower; t < segment.steps.upper; ++t)
            needs[static_cast<std::size_t>(t)][k].occupied = true;
    }
  }
  return needs;
}

/// Longest stretches with one common choice, from the left: the fewest changes there can be.
/// allowed(step, choice) says which of `choices` choices a step allows.
template <typename Allowed>
std::optional<std::vector<std::size_t>> fewest_changes(std::size_t steps, std::size_t choices,
                                                       const Allowed& allowed) {
  std::vector<std::size_t> schedule(steps, 0);
  for (std::size_t begin = 0; begin < steps;) {
    std::vector<std::size_t> common;
    for (std::size_t c = 0; c < choices; ++c)
      if (allowed(begin, c)) common.push_back(c);
    if (common.empty()) return std::nullopt;
    std::size_t end = begin + 1;
    for (; end < steps; ++end) {
      std::vector<std::size_t> still;
      std::copy_if(common.begin(), common.end(), std::back_inserter(still),
                   [&](std::size_t c) { return allowed(end, c); });
      if (still.empty()) break;
      common = std::move(still);
    }
    std::fill(schedule.begin() + static_cast<std::ptrdiff_t>(begin),
              schedule.begin() + static_cast<std::ptrdiff_t>(end), common.front());
    begin = end;
  }
  return schedule;
}

std::vector<std::string> settle_table(const Memory& memory,
                                      const std::vector<std::vector<Need>>& needs) {
  const auto schedule =
      fewest_changes(needs.size(), memory.modes.size(), [&](std::size_t t, std::size_t mode) {
        for (std::size_t k = 0; k < needs[t].size(); ++k)
          if (!allows(memory.modes[mode].roles[k], needs[t][k])) return false;
        return true;
      });
  std::vector<std::string> names;
  if (!schedule) return names;
  for (const std::size_t mode : *schedule) names.push_back(memory.modes[mode].name);
  return names;
}

std::vector<std::string> settle_banks(const Memory& memory,
                                      const std::vector<std::vector<Need>>& needs) {
  std::vector<std::vector<Role>> roles(needs.size(), std::vector<Role>(memory.banks.size()));
  for (std::size_t k = 0; k < memory.banks.size(); ++k) {
    const std::vector<Role>& choices = memory.banks[k].roles;
    const auto schedule = fewest_changes(
        needs.size(), choices.size(),
        [&](std::size_t t, std::size_t c) { return allows(choices[c], needs[t][k]); });
    if (!schedule) return {};
    for (std::size_t t = 0; t < needs.size(); ++t) roles[t][k] = choices[(*schedule)[t]];
  }
  std::vector<std::string> names;
  for (const std::vector<Role>& row : roles) names.push_back(per_bank_mode_name(row));
  return names;
}

}  // namespace

std::vector<std::vector<std::string>> settle_modes(const PlacementProblem& problem,
                                                   const std::vector<BufferPlace>& places) {
  std::vector<std::vector<std::string>> modes(problem.memories.size());
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    const Memory& memory = problem.memories[m];
    if (!has_modes(memory)) continue;
    const auto needs = needs_of(problem, places, m);
    modes[m] = memory.modes_per_bank ? settle_banks(memory, needs) : settle_table(memory, needs);
  }
  return modes;
}

}  // namespace tessera
