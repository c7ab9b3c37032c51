// Default effort per placement query: search nodes after which a query counts as unresolved.
//
//   TileParams params{.nodes_per_question = 10 * nodes_per_tile_question};          // tile.h
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace tessera {

/// For the queries of one tile search (tile.h). It makes some dozens of queries, and each
/// unresolved one may be the largest tile, so a query may take seconds.
inline constexpr std::int64_t nodes_per_tile_question = 1'000'000;

/// For the queries of a plan (plan.h). A plan makes tens of thousands. Most need a few nodes, and a
/// group without a tile has alternatives, so the limit is a fiftieth of the above.
inline constexpr std::int64_t nodes_per_plan_question = 20'000;

/// Work of the search for one plan, per op of the network and more_plan_ops more
/// (PlanParams::effort): short networks have more groups per op. A group that is tiled in the
/// largest tile of each variant counts 1, the evaluation of its other tile shapes
/// refined_group_work. The lower bound may take as much work again.
inline constexpr std::int64_t more_plan_ops = 24;
inline constexpr std::int64_t refined_group_work = 10;
inline constexpr std::int64_t quick_plan_effort = 10;
/// About 5 s for a network of 60 ops.
inline constexpr std::int64_t normal_plan_effort = 30;
/// Until no explored plan is better.
inline constexpr std::int64_t thorough_plan_effort = std::numeric_limits<std::int64_t>::max();

/// The effort with this name: quick, normal or thorough.
[[nodiscard]] constexpr std::optional<std::int64_t> plan_effort(std::string_view name) {
  if (name == "quick") return quick_plan_effort;
  if (name == "normal") return normal_plan_effort;
  if (name == "thorough") return thorough_plan_effort;
  return std::nullopt;
}

}  // namespace tessera
