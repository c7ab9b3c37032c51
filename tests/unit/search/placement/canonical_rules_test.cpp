// Rules that are effective only on specific problems: most need fewer nodes with the rule than
// without, over many problems; none changes the result.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

#include "model/random.h"
#include "search/placement/canonical.h"

namespace tessera::search {
namespace {

struct Shape {
  std::size_t buffers = 18;
  Size capacity = 60;  ///< upper bound of the load
  int copies = 1;      ///< of each buffer
};

/// Steps as full as the sizes allow.
PlacementProblem full(const Shape& shape, std::uint64_t seed) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = shape.capacity});
  Random random(seed);
  const std::size_t steps = shape.buffers / static_cast<std::size_t>(3 * shape.copies) + 2;
  std::vector<Size> load(steps, 0);
  for (int misses = 0; problem.buffers.size() < shape.buffers && misses < 10'000;) {
    const std::size_t lower = random.below(steps);
    const std::size_t upper = std::min(steps, lower + 1 + random.below(6));
    Size room = shape.capacity;
    for (std::size_t t = lower; t < upper; ++t) room = std::min(room, shape.capacity - load[t]);
    room /= shape.copies;
    if (room <= 0) {
      ++misses;
      continue;
    }
    const Size size = std::min(room, 1 + static_cast<Size>(random.below(60)));
    for (std::size_t t = lower; t < upper; ++t) load[t] += shape.copies * size;
    for (int copy = 0; copy < shape.copies; ++copy) {
      problem.buffers.push_back({.id = "b" + std::to_string(problem.buffers.size()),
                                 .live = {{static_cast<Step>(lower), static_cast<Step>(upper)}},
                                 .size = size});
    }
  }
  return problem;
}

std::int64_t nodes_of(const engine::SearchResult& result) {
  for (const Stat& stat : result.stats) {
    if (stat.name == "nodes") return std::get<std::int64_t>(stat.value);
  }
  return 0;
}

struct Sums {
  std::int64_t with = 0;
  std::int64_t without = 0;
};

template <typename Make>
Sums compare(Make make, CanonicalParams params, bool CanonicalParams::*rule,
             std::uint64_t problems = 60) {
  Sums sums;
  for (std::uint64_t seed = 0; seed < problems; ++seed) {
    const PlacementProblem problem = make(seed);
    const auto solve = [&](bool on, std::int64_t& nodes) {
      params.*rule = on;
      const engine::SearchResult result =
          make_canonical_engine(params)->solve(problem, {.budget = {.max_nodes = 10'000}});
      nodes += nodes_of(result);
      return result.status;
    };
    const Status with = solve(true, sums.with);
    const Status without = solve(false, sums.without);
    if (with != Status::unknown && without != Status::unknown) {
      EXPECT_EQ(with, without) << "seed " << seed;
    }
  }
  return sums;
}

Sums compare(const Shape& shape, const CanonicalParams& params, bool CanonicalParams::*rule) {
  return compare([&](std::uint64_t seed) { return full(shape, seed); }, params, rule);
}

CanonicalParams one_run() {
  CanonicalParams params;
  params.restarts = false;
  params.local_choice = false;
  return params;
}

/// Pairs of equal buffers. (The table of failed states would detect most of their exchanges.)
TEST(CanonicalRules, SymmetryPrunes) {
  CanonicalParams params = one_run();
  params.failed_states = false;
  const Sums sums =
      compare({.buffers = 40, .capacity = 256, .copies = 2}, params, &CanonicalParams::symmetry);
  EXPECT_LT(sums.with, sums.without);
}

/// This rule derives for the lowest item what floors of sections derive for every section.
TEST(CanonicalRules, MonotonicFloorPrunes) {
  CanonicalParams params = one_run();
  params.unallocated_floor = false;
  const Sums sums = compare({}, params, &CanonicalParams::monotonic_floor);
  EXPECT_LT(sums.with, sums.without);
}

/// A dead end that is independent of the last choice needs none of its alternatives.
TEST(CanonicalRules, BackjumpingPrunes) {
  const Sums sums =
      compare({.buffers = 40, .capacity = 256}, one_run(), &CanonicalParams::backjumping);
  EXPECT_LT(sums.with, sums.without);
}

/// Sizes that are multiples of ten except for one seven, and a capacity that is no sum of them.
PlacementProblem tens(std::uint64_t seed) {
  PlacementProblem problem = full({}, seed);
  for (Buffer& buffer : problem.buffers) buffer.size *= 10;
  problem.buffers.push_back({.id = "seven", .live = {{100, 101}}, .size = 7});
  problem.memories[0].capacity = problem.memories[0].capacity * 10 + 6;
  return problem;
}

/// Every height bound of the other rules is itself a sum of sizes: a stack of placed buffers plus
/// the unplaced ones above it. If it is within the capacity, it is within the rounded capacity, so
/// rounding prunes no further node. Rounding makes heights comparable with lower bounds, and
/// numbers narrower.
TEST(CanonicalRules, SubsetSumsRepeatWhatSumsOfSizesSay) {
  const Sums sums = compare(tens, one_run(), &CanonicalParams::subset_sums);
  EXPECT_EQ(sums.with, sums.without);
}

/// Without dominance a skipped buffer is only known to lie one unit higher, which is no such sum.
TEST(CanonicalRules, SubsetSumsPruneWithoutDominance) {
  CanonicalParams params = one_run();
  params.dominance = false;
  params.hatless = false;
  const Sums sums = compare(tens, params, &CanonicalParams::subset_sums);
  EXPECT_LT(sums.with, sums.without);
}

/// With a capacity slightly above the load.
Sums compare_roomy(const Shape& shape, bool CanonicalParams::*rule, std::uint64_t problems) {
  const auto roomy = [&](std::uint64_t seed) {
    PlacementProblem problem = full(shape, seed);
    problem.memories[0].capacity += 8;
    return problem;
  };
  return compare(roomy, {}, rule, problems);
}

/// Choosing in the tightest section keeps interacting decisions together.
TEST(CanonicalRules, LocalChoiceFindsSooner) {
  const Sums sums =
      compare_roomy({.buffers = 60, .capacity = 256}, &CanonicalParams::local_choice, 60);
  EXPECT_LT(sums.with, sums.without);
}

/// Buffers that failed in previous attempts come first in the next.
TEST(CanonicalRules, ContentionFindsSooner) {
  const Sums sums =
      compare_roomy({.buffers = 120, .capacity = 64}, &CanonicalParams::contention, 200);
  EXPECT_LT(sums.with, sums.without);
}

/// The order of rows in a file has no effect: the search is identical, node by node.
TEST(CanonicalRules, TheOrderOfRowsDoesNotMatter) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    PlacementProblem problem = full({.buffers = 80, .capacity = 160}, seed);
    problem.memories[0].capacity += 8;
    const auto nodes = [&] {
      return nodes_of(make_canonical_engine()->solve(problem, {.budget = {.max_nodes = 10'000}}));
    };
    const std::int64_t as_they_stand = nodes();
    Random random(seed);
    for (int shuffle = 0; shuffle < 3; ++shuffle) {
      for (std::size_t k = problem.buffers.size(); k > 1; --k)
        std::swap(problem.buffers[k - 1], problem.buffers[random.below(k)]);
      EXPECT_EQ(nodes(), as_they_stand) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace tessera::search
