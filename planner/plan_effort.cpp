#include "planner/plan_effort.h"

#include <algorithm>
#include <array>
#include <limits>

#include "cost/compute.h"
#include "cost/transfer.h"

namespace tessera {
namespace {

constexpr std::array<Effort, 7> efforts{Effort{150, 2},
                                        Effort{150, 4},
                                        Effort{150, 8},
                                        Effort{150, 16},
                                        Effort{150, 0},
                                        Effort{3000, 0},
                                        Effort{std::numeric_limits<std::int64_t>::max(), 0}};

constexpr std::int64_t any_number = std::numeric_limits<std::int64_t>::max();

}  // namespace

Effort effort_at(int level, std::int64_t most_nodes) {
  Effort effort = efforts[std::min(static_cast<std::size_t>(level), efforts.size() - 1)];
  effort.nodes = std::min(effort.nodes, most_nodes);
  return effort;
}

int next_level(int level, bool cut, std::int64_t most_nodes) {
  const Effort now = effort_at(level, most_nodes);
  const int last = static_cast<int>(efforts.size()) - 1;
  for (int next = level + 1; next < last; ++next) {
    const Effort more = effort_at(next, most_nodes);
    if (cut || more.nodes > now.nodes) return next;
  }
  return std::max(level, last);
}

std::int64_t most_tiles_worth(const Subgraph& part, OpIndex anchor, const ChannelUse& use,
                              const Hardware& hardware, double worth) {
  if (worth <= 0) return any_number;
  const Network& network = *part.network;
  const Link link = link_of(hardware);
  const auto cycles_of = [&](const Tensor& tensor) {
    return transfer_cost(
               bursts(tensor.shape, whole(tensor.shape), element_bytes(tensor.type), link.burst),
               link)
        .cycles;
  };
  std::int64_t per_tile = 0;
  for (const TensorIndex weight : use.in_every_tile(part.ops, anchor))
    per_tile += cycles_of(network.tensors[weight]);
  if (per_tile == 0) return any_number;
  std::int64_t once = 0;
  for (std::size_t t = 0; t < part.tensors.size(); ++t)
    if (!part.tensors[t].producer || part.tensors[t].leaves) once += cycles_of(part.tensor(t));
  std::int64_t compute = 0;
  for (OpIndex k = part.ops.first; k <= part.ops.last; ++k) {
    const Op& op = network.ops[k];
    compute += compute_cost(network, op, network.tensors[op.outputs[0]].shape, hardware).cycles;
  }
  const auto channels = static_cast<double>(hardware.dma.channels);
  const double least = std::max(static_cast<double>(compute), static_cast<double>(once) / channels);
  const double tiles = worth * least * channels / static_cast<double>(per_tile);
  return tiles < 1e15 ? static_cast<std::int64_t>(tiles) + 1 : any_number;
}

}  // namespace tessera
