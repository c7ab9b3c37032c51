#include "commands/check_modes.h"

#include <algorithm>

#include "tessera/names.h"

namespace tessera::commands {

const Mode* BankModes::find(const Memory& memory, const std::string& name) {
  for (const Mode& mode : memory.modes)
    if (mode.name == name) return &mode;
  if (!memory.modes_per_bank) return nullptr;
  Mode& mode = named_[name];
  mode.name = name;
  mode.roles.clear();
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('|', at), name.size());
    const auto role = role_from(name.substr(at, end - at));
    if (!role) break;
    mode.roles.push_back(*role);
    at = end + 1;
  }
  return mode.roles.size() == memory.banks.size() ? &mode : nullptr;
}

bool BankModes::permits(const Mode& mode, const Use& use) {
  const Role role = mode.roles[use.bank];
  return role == Role::read_write || (!use.weight && role == Role::data) ||
         (use.reads ? role == Role::read || (use.weight && role == Role::weight)
                    : role == Role::write);
}

std::string BankModes::refused(const Memory& memory, const Use& use, const Mode& mode) const {
  return "bank '" + memory.banks[use.bank].name + "' of memory '" + memory.name +
         "' has the role " + std::string(to_string(mode.roles[use.bank])) + " in mode '" +
         mode.name + "'";
}

std::string BankModes::switch_to(const Command& command) {
  const auto memory = std::ranges::find(hardware_.memories, command.memory,
                                        [](const HardwareMemory& m) { return m.space.name; });
  const Mode* mode =
      memory == hardware_.memories.end() ? nullptr : find(memory->space, command.mode);
  if (mode == nullptr) return "memory '" + command.memory + "' has no mode '" + command.mode + "'";
  State& state = states_[command.memory];
  if (!state.held.empty() && !order_.is_before(state.held.back().since, command.id))
    return "does not wait for command " + std::to_string(state.held.back().since) +
           ", which switches the same memory";
  std::string why;
  for (auto& [use, running] : state.running) {
    std::erase_if(running, [&](CommandId id) { return order_.is_before(id, command.id); });
    if (!running.empty() && !permits(*mode, use) && why.empty())
      why = "does not wait for command " + std::to_string(running.front()) + ": " +
            refused(memory->space, use, *mode);
  }
  state.held.push_back({command.id, mode});
  return why;
}

std::string BankModes::permit(const Access& access) {
  const HardwareMemory& memory = hardware_.memories[access.memory];
  const Memory& space = memory.space;
  if (memory.offchip || (space.modes.empty() && !space.modes_per_bank)) return {};
  State& state = states_[space.name];
  std::size_t first = state.held.size();
  bool known = false;  // the mode at the begin
  while (first > 0 && !known) {
    const CommandId since = state.held[--first].since;
    known = since < access.from && order_.is_before(since, access.from);
  }
  if (!known) return "memory '" + space.name + "' is in no mode yet";
  Offset begin = space.base;
  for (std::size_t b = 0; b < space.banks.size(); ++b) {
    const Offset end = begin + space.banks[b].size;
    if (access.range.begin < end && begin < access.range.end) {
      const Use use{b, access.reads, access.weight};
      for (std::size_t k = first; k < state.held.size(); ++k)
        if (!permits(*state.held[k].mode, use)) return refused(space, use, *state.held[k].mode);
      // Earlier ones that end before this one begins end before all that waits for this one.
      std::vector<CommandId>& running = state.running[use];
      if (running.empty() || running.back() != access.until) {
        std::erase_if(running, [&](CommandId id) { return order_.is_before(id, access.until); });
        running.push_back(access.until);
      }
    }
    begin = end;
  }
  return {};
}

}  // namespace tessera::commands
