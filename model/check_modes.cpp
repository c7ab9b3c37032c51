// Checks modes: a step's mode may forbid reading, writing, or data in a bank that is off.
#include <algorithm>
#include <unordered_map>

#include "check_parts.h"

namespace tessera::checking {
namespace {

/// The modes of one memory by index.
class ModeSchedule {
 public:
  /// require: one name per step.
  /// ensure: unknown() names the first step with an unknown mode, if there is one.
  ModeSchedule(const Memory& memory, const std::vector<std::string>& names) : names_(names) {
    std::unordered_map<std::string_view, std::size_t> known;
    at_.reserve(names.size());
    for (std::size_t t = 0; t < names.size(); ++t) {
      const auto [entry, is_new] = known.try_emplace(names[t], roles_.size());
      if (is_new) {
        roles_.push_back(mode_roles(memory, names[t]));
        if (roles_.back().empty() && !unknown_) unknown_ = static_cast<Step>(t);
      }
      at_.push_back(entry->second);
    }
    off_.resize(std::max<std::size_t>(1, memory.banks.size()));
    if (unknown_) return;
    for (std::size_t t = 0; t < at_.size(); ++t) {
      for (std::size_t bank = 0; bank < off_.size(); ++bank) {
        if (roles_[at_[t]][bank] == Role::off) off_[bank].push_back(static_cast<Step>(t));
      }
    }
  }

  [[nodiscard]] std::optional<Step> unknown() const { return unknown_; }
  [[nodiscard]] Role role(Step step, std::size_t bank) const {
    return roles_[at_[static_cast<std::size_t>(step)]][bank];
  }
  [[nodiscard]] const std::string& name(Step step) const {
    return names_[static_cast<std::size_t>(step)];
  }
  /// The first step of `steps` at which the bank is off.
  [[nodiscard]] std::optional<Step> first_off(std::size_t bank, const StepRange& steps) const {
    const std::vector<Step>& off = off_[bank];
    const auto found = std::lower_bound(off.begin(), off.end(), steps.lower);
    if (found == off.end() || *found >= steps.upper) return std::nullopt;
    return *found;
  }

 private:
  const std::vector<std::string>& names_;
  std::vector<std::vector<Role>> roles_;
  std::vector<std::size_t> at_;         ///< per step: index into roles_
  std::vector<std::vector<Step>> off_;  ///< per bank: the steps at which it is off
  std::optional<Step> unknown_;
};

void add(Context& context, Rule rule, BufferIndex b, Step step, std::size_t bank, Role role,
         const std::string& mode, std::string_view does) {
  const MemoryIndex m = context.memory_of(b);
  context.add({.rule = rule,
               .buffers = {b},
               .memory = m,
               .step = step,
               .bank = bank,
               .message = say("Buffer ", context.where(b), ' ', does, " at step ", step, ", but ",
                              context.bank_name(m, bank), " is '", to_string(role), "' in mode '",
                              mode, "' then.")});
}

void check_buffer(Context& context, const ModeSchedule& schedule, BufferIndex b) {
  const Buffer& buffer = context.buffer(b);
  for (const std::size_t bank : context.touched_banks(b)) {
    for (const Step step : buffer.read) {
      const Role role = schedule.role(step, bank);
      if (may_read(role, buffer.kind)) continue;
      add(context, Rule::mode_read, b, step, bank, role, schedule.name(step), "is read");
    }
    for (const Step step : buffer.write) {
      const Role role = schedule.role(step, bank);
      if (may_write(role, buffer.kind)) continue;
      add(context, Rule::mode_write, b, step, bank, role, schedule.name(step), "is written");
    }
  }
  // One violation per bank, not one per step: a bank that is off tends to stay off.
  std::vector<std::pair<std::size_t, Step>> off;
  for (const Segment& segment : segments(buffer)) {
    const auto occupied =
        context.facts[context.memory_of(b)].touched(segment.range.at(context.offset(b)));
    if (!occupied) continue;
    for (std::size_t bank = occupied->first; bank <= occupied->last; ++bank) {
      if (const auto step = schedule.first_off(bank, segment.steps)) off.emplace_back(bank, *step);
    }
  }
  std::sort(off.begin(), off.end());
  for (std::size_t i = 0; i < off.size(); ++i) {
    if (i > 0 && off[i].first == off[i - 1].first) continue;
    add(context, Rule::mode_off, b, off[i].second, off[i].first, Role::off,
        schedule.name(off[i].second), "is kept");
  }
}

}  // namespace

void check_modes(Context& context) {
  const PlacementProblem& problem = context.problem;
  std::vector<std::vector<BufferIndex>> inside(problem.memories.size());
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    if (context.sane[b] != 0) inside[context.memory_of(b)].push_back(b);
  }
  const auto steps = static_cast<std::size_t>(horizon(problem));
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    const Memory& memory = problem.memories[m];
    // check_shape() reports a missing schedule.
    if (!has_modes(memory) || m >= context.placement.modes.size() ||
        context.placement.modes[m].size() != steps) {
      continue;
    }
    const ModeSchedule schedule(memory, context.placement.modes[m]);
    if (const std::optional<Step> step = schedule.unknown()) {
      context.add({.rule = Rule::shape,
                   .memory = m,
                   .step = step,
                   .message = say("Memory '", memory.name, "' is in mode '", schedule.name(*step),
                                  "' at step ", *step, ", which the memory does not have.")});
      continue;
    }
    for (const BufferIndex b : inside[m]) {
      if (context.full()) return;
      check_buffer(context, schedule, b);
    }
  }
}

}  // namespace tessera::checking
