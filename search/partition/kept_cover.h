// The best way to cut a sequence of ops into consecutive runs where what crosses a cut may be kept.
//
//   KeptCoverProblem problem{.runs = {.ops = 3},
//                            .items = {{.maker = 0, .reader = 2, .bytes = 4096}},
//                            .rooms = {65536}, .cost = my_bound};
//   const KeptCover best = kept_covers(problem, budget).front();
//   for (const KeptRun& run : best.runs) use(run.first, run.last, run.kept);
//
// A shortest path over (position, what is kept there). An item that crosses a cut is kept from the
// run that makes it to that of its last reader, or not at all; all that a run keeps has to have
// room at once. An item that is made and read for the last time in one run crosses nothing, and
// there is nothing to decide. The path is exact: kept items change what runs cost and take room,
// and so nothing less than the set of them tells how a path may go on. There are as many states at
// a cut as sets of items over it; distinct_items() says how many items may be told apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "engine/engine.h"

namespace tessera::search {

struct KeptItem {
  std::size_t maker = 0;   ///< the op
  std::size_t reader = 0;  ///< the last one; require: behind the maker
  std::int64_t bytes = 0;  ///< not negative
};

/// The runs that covers are of.
struct RunsOf {
  std::size_t ops = 0;
  std::size_t max_ops = std::numeric_limits<std::size_t>::max();  ///< longest run
  /// Per first op the last ones of the runs there are, rising; empty: all there may be.
  std::vector<std::vector<std::size_t>> lasts{};
};

struct KeptCoverProblem {
  RunsOf runs;
  std::vector<KeptItem> items{};  ///< at most most_items over any cut
  /// Of what is kept in a run there is so much at most: a cover for each, all in one go.
  std::vector<std::int64_t> rooms{};
  /// Of the run [first, last] that keeps these items (sorted), not negative; infinite: it cannot.
  /// Asked one after the other for the same run, and runs of one first op in the order of their
  /// last ones.
  std::function<double(std::size_t first, std::size_t last, std::span<const std::size_t> kept)>
      cost{};
};

struct KeptRun {
  std::size_t first = 0;
  std::size_t last = 0;             ///< inclusive
  std::vector<std::size_t> kept{};  ///< items that lie there while it runs, sorted
};

struct KeptCover {
  double cost = std::numeric_limits<double>::infinity();  ///< infinite: there is none
  std::vector<KeptRun> runs{};
};

/// So many items over one cut make 64 states.
inline constexpr std::size_t most_items = 6;

/// Those to be told apart so that costs are asked no more than `most` times, as far as that can be:
/// the largest. Positions in `items`, sorted.
[[nodiscard]] std::vector<std::size_t> distinct_items(std::span<const KeptItem> items,
                                                      const RunsOf& runs, std::int64_t most);

/// The best cover within each room. Nothing where the budget ends first.
[[nodiscard]] std::vector<KeptCover> kept_covers(const KeptCoverProblem& problem,
                                                 const Budget& budget);

}  // namespace tessera::search
