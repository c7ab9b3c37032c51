#include "search/tiles/tile_search.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "search/tiles/decider.h"
#include "search/tiles/shape_order.h"

namespace tessera {
namespace {

bool inside(const TileShape& small, const TileShape& large) {
  for (std::size_t axis = 0; axis < tile_axes; ++axis)
    if (small.extent[axis] > large.extent[axis]) return false;
  return true;
}

class TileSearch {
 public:
  TileSearch(const Subgraph& subgraph, const Hardware& hardware, const TileSearchParams& params)
      : part_(subgraph),
        params_(params),
        geometry_(subgraph, params.options.halo),
        lowering_(lower(subgraph, geometry_.space(), hardware, params.options)),
        decider_(lowering_, params, result_.counters) {}

  TileSearchResult run() {
    const std::vector<ShapeGroup> groups = shape_groups(geometry_.space());
    if (params_.bounds && nothing_fits(groups.back())) return finish(Status::infeasible);
    bool found = false;
    for (const ShapeGroup& group : groups) {
      if (params_.budget.exhausted()) break;
      if (found && !params_.all) break;
      if (passes_over(group)) {
        ++result_.counters.passed_over;
        continue;
      }
      for_each_shape(group, [&](const TileShape& shape) {
        if (params_.all && is_inside_maximal(shape)) return true;
        if (first_tile_refuted(shape)) return true;
        const Status verdict = probe(shape, !found);
        if (verdict == Status::feasible) {
          found = true;
          if (params_.all) result_.maximal.push_back(shape);
        } else if (verdict == Status::unknown && !found) {
          result_.undecided.push_back(shape);
        }
        return !(found && !params_.all) && !params_.budget.exhausted();
      });
    }
    if (params_.all) keep_maximal();
    if (found) return finish(Status::feasible);
    const std::optional<StopReason> stopped = params_.budget.exhausted();
    if (!stopped && result_.undecided.empty()) return finish(Status::infeasible);
    result_.stop = stopped.value_or(StopReason::node_limit);
    return finish(Status::unknown);
  }

 private:
  TileSearchResult finish(Status status) {
    result_.status = status;
    result_.lowering = std::move(lowering_);
    return std::move(result_);
  }

  [[nodiscard]] std::vector<Size> first_sizes(const TileShape& shape) const {
    return tile_sizes(part_, geometry_.space(), lowering_, geometry_.first_tile(shape));
  }

  /// Even the smallest first tile is over the load, or refuted.
  bool nothing_fits(const ShapeGroup& last) {
    const std::vector<Size> sizes = first_sizes(last.smallest());
    result_.lacking = std::max<Size>(0, decider_.over_capacity(sizes));
    if (result_.lacking == 0) return false;
    record(last.smallest(), last.tiles(), {Status::infeasible, DecidedBy::bound, nullptr}, 0);
    return true;
  }

  /// The first tile grows with every extent: if the group's smallest is refuted, all are.
  bool passes_over(const ShapeGroup& group) { return first_tile_refuted(group.smallest()); }

  bool first_tile_refuted(const TileShape& shape) {
    for (const TileShape& refuted : refuted_first_)
      if (inside(refuted, shape)) return true;
    if (!decider_.refuted_cheaply(first_sizes(shape))) return false;
    std::erase_if(refuted_first_, [&](const TileShape& r) { return inside(shape, r); });
    refuted_first_.push_back(shape);
    return true;
  }

  bool is_inside_maximal(const TileShape& shape) const {
    return std::ranges::any_of(result_.maximal,
                               [&](const TileShape& m) { return inside(shape, m); });
  }
  void keep_maximal() {
    const std::vector<TileShape> found = result_.maximal;
    std::erase_if(result_.maximal, [&](const TileShape& shape) {
      return std::ranges::any_of(
          found, [&](const TileShape& other) { return other != shape && inside(shape, other); });
    });
    std::ranges::sort(result_.maximal);
  }

  /// All distinct tiles of the shape. `keep`: this is the shape that was looked for.
  Status probe(const TileShape& shape, bool keep) {
    ++result_.counters.shapes;
    const auto begin = std::chrono::steady_clock::now();
    const auto done = [&](const Decision& decision) {
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      record(shape, tile_count(shape), decision, seconds.count());
      return decision.verdict;
    };
    // What needs no search first: one tile that cannot fit decides for all.
    const TileRegions middle = geometry_.middle_tile(shape);
    if (const auto no = refuted(tile_sizes(part_, geometry_.space(), lowering_, middle)))
      return done(*no);
    const auto sizes_of = [&](const std::vector<TileRegions>& tiles) {
      return demands(part_, geometry_.space(), lowering_, tiles);
    };
    std::optional<TileGrid> grid;
    const auto largest = geometry_.largest_tiles(shape);
    if (!largest) grid = geometry_.grid(shape);
    std::vector<std::vector<Size>> asked = sizes_of(largest ? *largest : grid->tiles);
    for (const std::vector<Size>& sizes : asked)
      if (const auto no = refuted(sizes)) return done(*no);

    Decision all{Status::feasible, DecidedBy::carry_over, nullptr};
    std::vector<Placement> placements;
    for (const std::vector<Size>& sizes : asked) {
      const Decision decision = decider_.decide(sizes);
      if (decision.verdict != Status::feasible) return done(decision);
      if (decision.by == DecidedBy::engine) all.by = DecidedBy::engine;
      placements.push_back(*decision.placement);
    }
    if (keep) {
      if (!grid) grid = geometry_.grid(shape);
      // The same demands, in the order everybody derives them in.
      result_.demands = sizes_of(grid->tiles);
      result_.placements.clear();
      for (const std::vector<Size>& sizes : result_.demands) {
        const auto same = static_cast<std::size_t>(std::ranges::find(asked, sizes) - asked.begin());
        result_.placements.push_back(same < placements.size() ? placements[same]
                                                              : *decider_.decide(sizes).placement);
      }
      result_.shape = shape;
      result_.grid = std::move(*grid);
    }
    return done(all);
  }

  std::optional<Decision> refuted(const std::vector<Size>& sizes) {
    std::optional<Decision> known = decider_.decide_cheaply(sizes);
    if (!known || known->verdict != Status::infeasible) return std::nullopt;
    decider_.count(*known);
    return known;
  }

  [[nodiscard]] std::int64_t tile_count(const TileShape& shape) const {
    std::int64_t count = 1;
    for (std::size_t axis = 0; axis < tile_axes; ++axis)
      count *= (geometry_.space().whole.extent[axis] + shape.extent[axis] - 1) / shape.extent[axis];
    return count;
  }

  void record(const TileShape& shape, std::int64_t tiles, const Decision& decision,
              double seconds) {
    if (!params_.record_probes) return;
    result_.probes.push_back({shape, tiles, decision.verdict, decision.by, seconds});
  }

  const Subgraph& part_;
  const TileSearchParams& params_;
  TileSearchResult result_;
  TileGeometry geometry_;
  Lowering lowering_;
  Decider decider_;
  std::vector<TileShape> refuted_first_;  ///< their first tile is; none is inside another
};

}  // namespace

std::string_view to_string(DecidedBy by) {
  switch (by) {
    case DecidedBy::bound:
      return "bound";
    case DecidedBy::dominance:
      return "dominance";
    case DecidedBy::carry_over:
      return "carry-over";
    case DecidedBy::engine:
      break;
  }
  return "engine";
}

TileSearchResult find_tile(const Subgraph& subgraph, const Hardware& hardware,
                           const TileSearchParams& params) {
  return TileSearch(subgraph, hardware, params).run();
}

}  // namespace tessera
