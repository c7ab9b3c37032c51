#include "planner/group_lattice.h"

#include <algorithm>
#include <cstdint>

#include "model/off_chip.h"
#include "planner/peaks.h"

namespace tessera::planner {
namespace {

/// Edges of the lattice: a shortest path takes some milliseconds.
constexpr std::int64_t most_edges = 200'000;

/// At most a quarter of the edges are for groups without resident tensors.
search::GroupsOf groups_of(const Network& network, const PlanParams& params) {
  const std::size_t ops = network.ops.size();
  const std::size_t longest = static_cast<std::size_t>(most_edges) / (4 * ops);
  return {.ops = ops, .max_ops = std::min(params.max_ops, std::max<std::size_t>(1, longest))};
}

}  // namespace

GroupLattice::GroupLattice(const Network& network, const Hardware& within, const PlanParams& params)
    : may(params.residency && !stays_on_chip(within)
              ? stay_items(network, within, on_chip_capacity(within), groups_of(network, params),
                           most_edges)
              : StayItems{}),
      lattice(groups_of(network, params), may.items, on_chip_capacity(within)),
      whole(groups_of(network, params).max_ops >= std::min(params.max_ops, network.ops.size())) {}

std::vector<TensorIndex> GroupLattice::residents(std::size_t edge) const {
  std::vector<TensorIndex> tensors;
  for (const std::uint32_t k : lattice.items(lattice.edges()[edge]))
    tensors.push_back(may.tensors[k]);
  return tensors;
}

}  // namespace tessera::planner
