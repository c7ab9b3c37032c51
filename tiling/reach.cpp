#include "tiling/reach.h"

#include <algorithm>

#include "tiling/engine_choice.h"

namespace tessera::tiling {
namespace {

Memories memories_of(const Hardware& hardware, const std::vector<std::string>& listed) {
  Memories found;
  MemoryIndex index = 0;
  for (const HardwareMemory& memory : hardware.memories) {
    if (memory.offchip) continue;
    if (listed.empty() || std::ranges::find(listed, memory.space.name) != listed.end())
      found.push_back(index);
    ++index;
  }
  return found;
}

const Reach& reach_of(const Network& network, const Op& op, const Hardware& hardware) {
  static const Reach everything;
  const auto chosen = choose_engine(network, op, hardware);
  return chosen ? hardware.engines[chosen->engine].reach : everything;
}

}  // namespace

bool restricts_reach(const Hardware& hardware) {
  const std::size_t all = memories_of(hardware, {}).size();
  const auto leaves_out = [&](const std::vector<std::string>& listed) {
    return memories_of(hardware, listed).size() < all;
  };
  return std::ranges::any_of(hardware.engines, [&](const Engine& engine) {
    const auto& [input, weights, output] = engine.reach;
    return leaves_out(input) || leaves_out(weights) || leaves_out(output);
  });
}

std::vector<Memories> made_in(const Network& network, std::span<const TensorIndex> tensors,
                              const Hardware& hardware) {
  std::vector<Memories> found;
  if (!restricts_reach(hardware)) return found;
  std::vector<const Op*> maker(network.tensors.size(), nullptr);
  for (const Op& op : network.ops)
    for (const TensorIndex t : op.outputs) maker[t] = &op;
  for (const TensorIndex t : tensors) {
    Memories& memories = found.emplace_back();
    if (maker[t]) memories = memories_of(hardware, reach_of(network, *maker[t], hardware).output);
  }
  return found;
}

Reachable::Reachable(const Subgraph& part, const Hardware& hardware) : hardware_(hardware) {
  if (!restricts_reach(hardware)) return;
  for (std::size_t step = 0; step < part.steps(); ++step)
    of_.push_back(&reach_of(*part.network, part.op(static_cast<Step>(step)), hardware));
}

Memories Reachable::memories(const std::vector<std::string>& listed) const {
  return memories_of(hardware_, listed);
}

}  // namespace tessera::tiling
