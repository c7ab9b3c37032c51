#include "model/joint_modes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tessera/names.h"

namespace tessera {

std::optional<std::vector<Mode>> joint_modes(const Memory& memory, std::size_t most) {
  if (!memory.modes_per_bank) return memory.modes;
  std::vector<std::vector<Role>> all{{}};
  for (const Bank& bank : memory.banks) {
    std::vector<std::vector<Role>> next;
    for (const auto& roles : all)
      for (const Role role : bank.roles) {
        next.push_back(roles);
        next.back().push_back(role);
      }
    if (next.size() > most) return std::nullopt;
    all.swap(next);
  }
  std::vector<Mode> modes;
  for (auto& roles : all) {
    std::string name = per_bank_mode_name(roles);
    modes.push_back({std::move(name), std::move(roles)});
  }
  return modes;
}

bool may_be_written(const Memory& memory) {
  const auto written = [](const std::vector<Role>& roles) {
    return std::ranges::any_of(roles, [](Role role) {
      return role == Role::write || role == Role::read_write || role == Role::data ||
             role == Role::weight;
    });
  };
  if (memory.modes_per_bank) return std::ranges::any_of(memory.banks, written, &Bank::roles);
  return memory.modes.empty() || std::ranges::any_of(memory.modes, written, &Mode::roles);
}

void list_modes(Memory& memory) {
  if (!memory.modes_per_bank) return;
  std::optional<std::vector<Mode>> modes = joint_modes(memory, most_counted_modes);
  if (!modes) return;
  memory.modes = *std::move(modes);
  memory.modes_per_bank = false;
  for (Bank& bank : memory.banks) bank.roles.clear();
}

}  // namespace tessera
