#include "planner/idle.h"

#include <algorithm>

#include "model/joint_modes.h"

namespace tessera::planner {

namespace {

bool uses_mode(const std::vector<PlannedSubgraph>& subgraphs, MemoryIndex m,
               const std::string& name) {
  for (const PlannedSubgraph& s : subgraphs)
    for (const PlannedPlacement& p : s.placements)
      if (m < p.placement.modes.size() &&
          std::ranges::find(p.placement.modes[m], name) != p.placement.modes[m].end())
        return true;
  return false;
}

bool touches(const std::vector<PlannedSubgraph>& subgraphs, MemoryIndex m,
             const AddressRange& bank) {
  for (const PlannedSubgraph& s : subgraphs)
    for (const PlannedPlacement& p : s.placements)
      for (BufferIndex b = 0; b < p.problem.buffers.size(); ++b) {
        const BufferPlace& place = p.placement.places[b];
        const AddressRange range{place.offset, place.offset + p.problem.buffers[b].size};
        if (place.memory == m && overlaps(bank, range)) return true;
      }
  return false;
}

}  // namespace

std::vector<std::vector<std::string>> unused_modes(const std::vector<Memory>& memories,
                                                   const std::vector<PlannedSubgraph>& subgraphs) {
  std::vector<std::vector<std::string>> names(memories.size());
  for (MemoryIndex m = 0; m < memories.size(); ++m)
    for (const Mode& mode : listed_modes(memories[m]))
      if (!uses_mode(subgraphs, m, mode.name)) names[m].push_back(mode.name);
  return names;
}

std::vector<std::vector<std::string>> idle_banks(const std::vector<Memory>& memories,
                                                 const std::vector<PlannedSubgraph>& subgraphs) {
  std::vector<std::vector<std::string>> names(memories.size());
  for (MemoryIndex m = 0; m < memories.size(); ++m) {
    Offset begin = 0;
    for (const Bank& bank : memories[m].banks) {
      if (!touches(subgraphs, m, {begin, begin + bank.size})) names[m].push_back(bank.name);
      begin += bank.size;
    }
  }
  return names;
}

}  // namespace tessera::planner
