// Less and less of the memory, as long as that is worth it.
//
//   Descent descent{.level = peak, .fewest = fewest};
//   descent.see(plan);
//   while (descent.step() > 0) look(descent.level);     // in_vain counts those that did not help
//
// The fewest tiles fill the memory, however little that is worth.
// Private to planner/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "planner/planning.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

/// So much of the memory, and the score of a quick look.
struct Level {
  Size most_peak = std::numeric_limits<Size>::max();
  double score = 0;
};

/// What is found at last may be a little better than it looked: the levels that are worth doing in
/// full, the best first. In short networks, where that is soon done, it may be much better as well,
/// and more memory is to be no worse: there all of the memory is always among them.
/// require: the first is all of the memory.
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

/// Where the look for less memory is.
struct Descent {
  /// After so many levels that did not help no others are tried; after one that did, the next that
  /// does not is the last.
  static constexpr int most_in_vain = 2;
  /// Where the fewest tiles cost so many times what they did with more memory, cheaper ones will
  /// hardly make up for it.
  static constexpr double some_more = 1.6;

  Size level = 0;   ///< that was looked at last,
  Size peak = 0;    ///< and what the best plan takes
  Size pieces = 2;  ///< of a power of two, between levels
  int in_vain = 0;
  double fewest = 0;  ///< what the best cover in the fewest tiles costs
  /// Sums in parts need less memory than the fewest tiles tell, and there is more to choose from.
  bool in_parts = false;

  /// The next level; 0: there is none.
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
