// The best partition of a sequence of ops if tensors between groups may be resident.
//
//   KeptCoverProblem problem{.runs = {.ops = 3},
//                            .items = {{.maker = 0, .reader = 2, .bytes = 4096}},
//                            .capacities = {65536}, .cost = my_bound};
//   const KeptCover best = kept_covers(problem, budget).front();
//   for (const KeptRun& run : best.runs) use(run.first, run.last, run.kept);
//
// A shortest path over states (cut point, set of resident items). An item that crosses a cut point
// is resident from its producer's group to that of its last reader, or not at all. All items of a
// group have to fit at once. An item produced and last read in one group needs no decision. The
// path is exact: resident items change costs and take space, so a path can only be continued from
// its whole set of them. A cut point has as many states as there are sets of items over it;
// distinct_items() limits the number of items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "model/numeric.h"

namespace tessera::search {

struct KeptItem {
  std::size_t maker = 0;   ///< the op that produces it
  std::size_t reader = 0;  ///< the last op that reads it, after the maker
  std::int64_t bytes = 0;  ///< not negative
};

/// The permitted groups.
struct RunsOf {
  std::size_t ops = 0;
  std::size_t max_ops = std::numeric_limits<std::size_t>::max();  ///< longest group
  /// Per first op, the last ops of its groups, ascending; empty: all.
  std::vector<std::vector<std::size_t>> lasts{};
};

struct KeptCoverProblem {
  RunsOf runs;
  std::vector<KeptItem> items{};  ///< at most most_items over any cut point
  /// Capacities for the resident items of a group: one result for each, in one pass.
  std::vector<std::int64_t> capacities{};
  /// The cost of the group [first, last] with these resident items (sorted): not negative, infinity
  /// if impossible. Called for all sets of one group in sequence, and for groups of one first op in
  /// the order of their last ops.
  std::function<double(std::size_t first, std::size_t last, std::span<const std::size_t> kept)>
      cost{};
};

struct KeptRun {
  std::size_t first = 0;
  std::size_t last = 0;             ///< inclusive
  std::vector<std::size_t> kept{};  ///< items resident during the group, sorted
};

struct KeptCover {
  double cost = infinity;  ///< infinity: no partition
  std::vector<KeptRun> runs{};
};

/// This many items over one cut point give 64 states.
inline constexpr std::size_t most_items = 6;

/// The largest items, as many as possible so that the cost function is called at most `most` times.
/// Positions in `items`, sorted.
[[nodiscard]] std::vector<std::size_t> distinct_items(std::span<const KeptItem> items,
                                                      const RunsOf& runs, std::int64_t most);

/// The best partition for each capacity; empty if the budget ends first.
[[nodiscard]] std::vector<KeptCover> kept_covers(const KeptCoverProblem& problem,
                                                 const Budget& budget);

}  // namespace tessera::search
