#include "commands/group_buffers.h"

#include <algorithm>

#include "model/pinned.h"
#include "planner/piece.h"
#include "tiling/subgraph.h"

namespace tessera::commands {

using tiling::BufferRole;

GroupBuffers::GroupBuffers(const Network& network, const Hardware& hardware,
                           const NetworkPlan& plan)
    : plan_(plan),
      own_(planner::as_planned(network, hardware, plan.joined, plan.pinned)),
      readers_(tiling::last_readers(own_.network)) {}

void GroupBuffers::enter(std::size_t group) {
  places_.clear();
  names_.clear();
  all_.assign(own_.hardware.memories.size(), {});
  find_places(group);
  find_names(group);
}

void GroupBuffers::find_places(std::size_t group) {
  const std::vector<HardwareMemory>& memories = own_.hardware.memories;
  const auto add = [&](const std::string& id, std::size_t memory, Offset offset, Size size) {
    const Offset begin = memories[memory].space.base + offset;
    places_[{id, memory}].push_back({begin, begin + size});
    all_[memory].push_back({begin, begin + size});
  };
  if (group < plan_.subgraphs.size())
    for (const PlannedPlacement& placed : plan_.subgraphs[group].placements)
      for (std::size_t b = 0; b < placed.placement.places.size(); ++b) {
        const BufferPlace& place = placed.placement.places[b];
        add(placed.problem.buffers[b].id, memory_on_chip(own_.hardware, place.memory), place.offset,
            placed.problem.buffers[b].size);
      }
  for (const PlannedPin& pin : plan_.pinned)
    for (std::size_t m = 0; m < memories.size(); ++m)
      if (memories[m].space.name == pin.memory) add(pin.weight, m, pin.offset, pin.bytes);
}

void GroupBuffers::find_names(std::size_t group) {
  for (const PlannedPin& pin : plan_.pinned)
    for (TensorIndex t = 0; t < own_.network.tensors.size(); ++t)
      if (own_.network.tensors[t].name == pin.weight) names_.emplace(pin.weight, t);
  if (group >= plan_.subgraphs.size()) return;
  const planner::Piece piece =
      planner::make_piece(own_.network, own_.hardware, plan_.subgraphs[group], readers_);
  const tiling::Subgraph& part = piece.part;
  for (std::size_t b = 0; b < piece.lowering.buffers.size(); ++b) {
    const tiling::LoweredBuffer& buffer = piece.lowering.buffers[b];
    const std::string& id = piece.lowering.problem.buffers[b].id;
    if (buffer.role == BufferRole::passing) continue;
    for (std::size_t t = 0; t < part.tensors.size(); ++t) {
      std::size_t holder = t;  // perhaps inside the buffer of another tensor
      while (holder != buffer.tensor && part.tensors[holder].in_place_of)
        holder = *part.tensors[holder].in_place_of;
      if (holder == buffer.tensor) names_.emplace(id, part.planned(part.tensors[t].tensor));
    }
  }
}

bool GroupBuffers::contain(std::size_t memory, AddressRange range, const std::string& name) const {
  const auto inside = [&](const AddressRange& each) {
    return each.begin <= range.begin && range.end <= each.end;
  };
  if (name.empty()) return std::ranges::any_of(all_[memory], inside);
  const auto found = places_.find({name, memory});
  return found != places_.end() && std::ranges::any_of(found->second, inside);
}

}  // namespace tessera::commands
