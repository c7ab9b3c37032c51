#include "planner/cover_bound.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "cost/group_bound.h"
#include "planner/peaks.h"
#include "planner/stay_items.h"
#include "search/partition/lattice.h"

namespace tessera::planner {
namespace {

constexpr double no_cover = std::numeric_limits<double>::infinity();
/// Limit on evaluated group bounds: a second or two.
constexpr std::int64_t most_questions = 2'000'000;
/// Number of distinguished resident sizes if peaks have a weight.
constexpr Size levels = 16;

std::vector<Size> rooms_up_to(Size room, bool peaks_cost) {
  std::vector<Size> rooms;
  for (Size k = 1; peaks_cost && k < levels; ++k) rooms.push_back(room / levels * k);
  rooms.push_back(room);
  return rooms;
}

}  // namespace

double bound_of_covers(const Network& network, const Hardware& hardware,
                       std::span<const TensorIndex> stays, const CoverBoundParams& params) {
  cost::GroupBounds bounds(network, hardware, stays, params.early);
  const std::size_t ops = network.ops.size();
  std::vector<double> least(ops + 1, no_cover);
  least[0] = 0;
  for (OpIndex first = 0; first < ops; ++first)
    for (std::size_t length = 1; length <= std::min(params.max_ops, ops - first); ++length) {
      if (params.budget.exhausted()) return 0;
      const Metrics run = bounds.of(first, first + length - 1);
      double& end = least[first + length];
      end = std::min(end, least[first] + cost::additive_score(params.score, run) * cost::rounding);
    }
  return least.back();
}

double bound_whatever_stays(const Network& network, const Hardware& hardware, Size room,
                            const CoverBoundParams& params) {
  const search::GroupsOf groups{.ops = network.ops.size(), .max_ops = params.max_ops};
  const StayItems may = stay_items(network, hardware, room, groups, most_questions);
  if (may.items.empty()) return bound_of_covers(network, hardware, may.others, params);

  const search::Lattice lattice(groups, may.items, room);
  cost::GroupBounds bounds(network, hardware, may.others, params.early);
  std::vector<double> costs;
  std::vector<TensorIndex> residents;
  for (const search::LatticeEdge& edge : lattice.edges()) {
    if (params.budget.exhausted()) return 0;
    residents.clear();
    std::ranges::transform(lattice.items(edge), std::back_inserter(residents),
                           [&](std::uint32_t k) { return may.tensors[k]; });
    costs.push_back(
        cost::additive_score(params.score, bounds.of(edge.first, edge.last, residents)) *
        cost::rounding);
  }
  const double per_byte = cost::peak_weight(params.score);
  double least = no_cover;
  Size above = 0;  // resident tensors take more
  for (const Size most : rooms_up_to(room, per_byte > 0)) {
    const double cost = lattice.shortest(costs, most).cost;
    least = std::min(least, cost + per_byte * static_cast<double>(above) * cost::rounding);
    above = most;
  }
  return least == no_cover ? 0 : least;
}

double bound_of_all(const Network& network, const Hardware& hardware,
                    const CoverBoundParams& params) {
  const std::vector<TensorIndex> stays = cost::possible_residents(network);
  const cost::GroupBounds bounds(network, hardware, stays, params.early);
  return cost::additive_score(params.score, bounds.of_all()) * cost::rounding;
}

double bound_of_plans(const Network& network, const Hardware& hardware, const PlanParams& plans,
                      const CoverBoundParams& params) {
  const auto of_covers = [&] {
    if (stays_on_chip(hardware))
      return bound_of_covers(network, hardware, cost::possible_residents(network), params);
    if (!plans.residency) return bound_of_covers(network, hardware, {}, params);
    const auto capacity = static_cast<double>(on_chip_capacity(hardware));
    const double room = std::min(capacity, peak_limits_of(plans).peak_bytes);
    return bound_whatever_stays(network, hardware, static_cast<Size>(room), params);
  };
  const double bound = of_covers();
  return bound > 0 ? bound : bound_of_all(network, hardware, params);
}

}  // namespace tessera::planner
