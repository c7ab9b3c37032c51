// Descends to smaller memory sizes as long as the score improves.
//
//   Descent descent{.level = peak, .fewest = fewest};
//   descent.see(plan);
//   while (descent.step() > 0) look(descent.level);     // in_vain counts levels without
//   improvement
//
// The fewest tiles fill the memory, even if the last bytes gain little.
// Private to planner/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "planner/planning.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

/// A memory size with the score of a quick plan.
struct Level {
  Size most_peak = std::numeric_limits<Size>::max();
  double score = 0;
};

/// The levels for which a full plan is made, best first. A full plan may improve on the quick score
/// by the factor `good`. For short networks a full plan is fast and the improvement may be larger.
/// The level with all of the memory is then always included, so that more memory never gives a
/// worse plan.
/// require: the first level is all of the memory.
[[nodiscard]] inline std::vector<Level> worth_it(std::vector<Level> levels, bool short_network) {
  const std::size_t most_levels = short_network ? 6 : 2;
  const double good = short_network ? 1.5 : nearly_as_good;
  const Level whole = levels.front();
  std::ranges::stable_sort(levels, {}, &Level::score);
  const double least = levels.front().score;
  std::erase_if(levels, [&](const Level& each) { return each.score > least * good; });
  if (levels.size() > most_levels) levels.resize(most_levels);
  const bool there = std::ranges::count(levels, whole.most_peak, &Level::most_peak) > 0;
  if (short_network && !there) levels.push_back(whole);
  return levels;
}

/// State of the descent.
struct Descent {
  /// The descent ends after this many levels without improvement. After an improvement it ends at
  /// the next level without one.
  static constexpr int most_in_vain = 2;
  /// Cheaper tiles hardly recover the cost if the fewest tiles cost this factor more than with more
  /// memory.
  static constexpr double some_more = 1.6;

  Size level = 0;   ///< the last level evaluated
  Size peak = 0;    ///< peak of the best plan
  Size pieces = 2;  ///< steps per power of two
  int in_vain = 0;
  double fewest = 0;  ///< cost of the best partition in the fewest tiles
  /// Reductions in parts need less memory than the fewest tiles indicate, so more levels are tried.
  bool in_parts = false;

  /// The next level; 0 at the end.
  [[nodiscard]] Size step() {
    if (in_vain == most_in_vain) {
      if (!in_parts || pieces > 2) return 0;
      pieces = 4;
      level = peak;
      in_vain = most_in_vain - 1;
    }
    level = level_below(std::min(level, peak), pieces);
    return level;
  }
  [[nodiscard]] double worth_below() const {
    return in_parts ? std::numeric_limits<double>::infinity() : fewest * some_more;
  }
  void see(const NetworkPlan& plan) {
    peak = plan.totals.peak_bytes;
    in_parts = std::ranges::any_of(
        plan.subgraphs, [](const PlannedSubgraph& s) { return s.variant.reduction > 1; });
  }
};

}  // namespace tessera::planner
