#include "placer/tile_need.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "encoder/explain.h"
#include "encoder/rule_forms.h"
#include "facts/load.h"
#include "model/derived.h"
#include "model/poll.h"
#include "tessera/place.h"
#include "tiling/geometry.h"
#include "tiling/lower.h"

namespace tessera::placer {

namespace {

/// Is the height the only restriction of the memory?
bool is_plain(const PlacementProblem& problem) {
  return problem.memories.size() == 1 && problem.memories.front().banks.empty() &&
         !has_modes(problem.memories.front()) && problem.rules.empty();
}

/// The rules in a minimal reason for which the problem has no placement, by name.
std::vector<std::string> rules_against(const PlacementProblem& problem, const Budget& budget) {
  std::vector<std::string> names;
  if (problem.rules.empty() || encoder::unsupported_rule(problem)) return names;
  const encoder::Explanation why = encoder::explain(problem, {.budget = budget});
  if (why.status != Status::infeasible) return names;
  for (const encoder::HardwareRule& rule : why.rules)
    if (rule.kind == encoder::HardwareRule::Kind::condition)
      names.push_back(problem.rules[rule.index].name);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// Search nodes for the height of one tile: some seconds, rarely reached.
constexpr std::int64_t most_work = 1'000'000;

MissingBytes over_load(const PlacementProblem& problem) {
  std::vector<Size> sizes;
  for (const Buffer& buffer : problem.buffers) sizes.push_back(buffer.size);
  return {.bytes = facts::LoadTest(problem).excess(sizes), .exact = false};
}

/// Bytes a tile needs beyond the capacity of the only memory; none if no capacity is sufficient.
std::optional<MissingBytes> over_height(PlacementProblem problem, const Budget& budget) {
  using Clock = std::chrono::steady_clock;
  if (const std::optional<StopReason> stopped = budget.exhausted()) {
    MissingBytes load = over_load(problem);
    load.stopped = stopped;
    return load;
  }
  const Size capacity = std::exchange(problem.memories.front().capacity, unbounded);
  Limits limits{.work = most_work, .stop = budget.stop};
  if (budget.deadline != Clock::time_point::max())
    limits.timeout = std::max(Clock::duration::zero(), budget.deadline - Clock::now());
  if (budget.memory != nullptr) limits.memory = std::max<Size>(1, budget.memory->left());
  const PlacementResult least =
      place(problem, {.minimize = Objective::height, .limits = limits, .progress = nullptr});
  if (least.status == Status::infeasible) return std::nullopt;
  if (least.proven_minimum) return MissingBytes{.bytes = least.height - capacity};
  MissingBytes missing{.bytes = least.lower_bound - capacity, .exact = false};
  if (least.stop != StopReason::completed && least.stop != StopReason::node_limit)
    missing.stopped = least.stop;
  return missing;
}

/// The sizes of all one-element tiles, as in tiling::demands().
class SmallestTiles {
 public:
  SmallestTiles(tiling::TileGeometry& geometry, const tiling::Subgraph& part,
                const Hardware& hardware, const TileVariant& variant)
      : part_(part),
        geometry_(geometry),
        least_(geometry_.space().whole),
        lowering_(tiling::lower(part, geometry_.space(), hardware, variant)) {
    for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis)
      if (geometry_.space().axis[axis]) least_.extent[axis] = 1;
  }

  [[nodiscard]] const PlacementProblem& problem() const { return lowering_.problem; }

  /// If the budget ends first: returns the reason, and the sizes cover only some tiles.
  std::optional<StopReason> find(const Budget& budget) {
    Poll poll(budget);
    const tiling::WatchedGeometry watched(geometry_, poll);
    try {
      poll.check();
      // One element along each axis: as many tiles as elements, unless volumes determine the sizes.
      std::vector<std::vector<std::int64_t>> volumes;
      const auto found = geometry_.largest_volumes(least_, /*first_channel=*/false, volumes);
      std::vector<Size> sizes;
      for (const std::vector<std::int64_t>& of_tile : volumes) {
        if (found == tiling::TileGeometry::Found::none) break;
        tiling::tile_sizes(lowering_, of_tile, sizes);
        add(sizes, poll);
      }
      if (found == tiling::TileGeometry::Found::all) return std::nullopt;
      geometry_.for_each_tile(least_, [&](const tiling::TileRegions& tile) {
        add(sizes_of(tile), poll);
        return true;
      });
      return std::nullopt;
    } catch (const BudgetEnded& ended) {
      tiling::add_demand(lowering_, sizes_of(geometry_.first_tile(least_)), demands_);
      return ended.reason;
    }
  }

  [[nodiscard]] const std::vector<std::vector<Size>>& demands() const { return demands_; }

 private:
  void add(std::vector<Size> sizes, Poll& poll) {
    poll(static_cast<std::int64_t>(demands_.size()));
    tiling::add_demand(lowering_, std::move(sizes), demands_);
  }
  [[nodiscard]] std::vector<Size> sizes_of(const tiling::TileRegions& tile) const {
    return tiling::tile_sizes(part_, geometry_.space(), lowering_, tile);
  }

  const tiling::Subgraph& part_;
  tiling::TileGeometry& geometry_;
  tiling::TileShape least_;
  tiling::Lowering lowering_;
  std::vector<std::vector<Size>> demands_;
};

MissingBytes missing_in(tiling::TileGeometry& geometry, const tiling::Subgraph& part,
                        const Hardware& hardware, const TileVariant& variant,
                        const Budget& budget) {
  SmallestTiles tiles(geometry, part, hardware, variant);
  MissingBytes missing;
  missing.stopped = tiles.find(budget);
  const bool plain = is_plain(tiles.problem());
  for (const std::vector<Size>& demand : tiles.demands()) {
    PlacementProblem problem = tiles.problem();
    for (std::size_t b = 0; b < problem.buffers.size(); ++b) problem.buffers[b].size = demand[b];
    const std::optional<MissingBytes> more =
        plain ? over_height(problem, budget) : over_load(problem);
    if (!more) return {};  // not a lack of bytes
    if (more->bytes == 0 && missing.rules.empty()) missing.rules = rules_against(problem, budget);
    missing.bytes = std::max(missing.bytes, more->bytes);
    missing.exact = missing.exact && more->exact;
    if (more->stopped) missing.stopped = more->stopped;
  }
  missing.exact = missing.exact && !missing.stopped;
  // Infeasible, even if the bound fits.
  if (plain && missing.bytes == 0) {
    missing.bytes = 1;
    missing.exact = false;
  }
  return missing;
}

}  // namespace

MissingBytes missing_bytes(const tiling::Subgraph& part, const Hardware& hardware,
                           const std::vector<TileVariant>& variants, const Budget& budget) {
  std::map<HaloPolicy, tiling::TileGeometry> geometries;
  const auto missing_with = [&](const TileVariant& variant) {
    tiling::TileGeometry& geometry =
        geometries.try_emplace(variant.halo, part, variant.halo).first->second;
    return missing_in(geometry, part, hardware, variant, budget);
  };
  MissingBytes least = missing_with(variants.front());
  std::optional<StopReason> stopped = least.stopped;
  for (std::size_t k = 1; k < variants.size(); ++k) {
    MissingBytes other = missing_with(variants[k]);
    other.variant = k;
    if (other.stopped) stopped = other.stopped;
    if (other.bytes < least.bytes) least = other;
  }
  least.stopped = stopped;
  return least;
}

std::string no_placement(const MissingBytes& missing) {
  const std::vector<std::string>& rules = missing.rules;
  if (rules.empty()) return "no placement satisfies every rule of the profile";
  std::string text = "no placement satisfies the rule";
  text += rules.size() == 1 ? "" : "s";
  for (std::size_t k = 0; k < rules.size(); ++k)
    text += (k == 0 ? " '" : k + 1 == rules.size() ? " and '" : ", '") + rules[k] + '\'';
  return text + " of the profile";
}

std::string to_string(const MissingBytes& missing) {
  return (missing.exact ? "" : "at least ") + std::to_string(missing.bytes) +
         (missing.bytes == 1 ? " byte more" : " bytes more");
}

}  // namespace tessera::placer
