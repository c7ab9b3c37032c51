// The tile search against exhaustive search. For random groups of ops on random machines, with and
// without banks and modes, the tile found is the best over all tile shapes. Another engine solves
// each shape from scratch, for every single position of the grid.
//
//   random_tile_driver_test                                    500 pairs
//   TESSERA_SEED=17 TESSERA_CASES=1 random_tile_driver_test    repeats one of them
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "encoder/sat_engine.h"
#include "search/learning/engine.h"
#include "search/placement/canonical.h"
#include "search/tiles/tile_search.h"
#include "tessera/check.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/random_network.h"

namespace tessera {
namespace {

using testing::Random;
using testing::setting;

Hardware tiled_hardware(Random& random, Size needed) {
  Hardware hardware;
  hardware.name = "random";
  const int memories = random.chance(20) ? 2 : 1;
  for (int m = 0; m < memories; ++m) {
    HardwareMemory memory;
    memory.space.name = m == 0 ? "sram" : "side";
    memory.space.alignment = random.chance(30) ? 4 : 1;
    const Size capacity = std::max<Size>(8, needed * random.between(5, 80) / 100);
    if (random.chance(50)) {
      const std::int64_t banks = random.between(2, 4);
      for (std::int64_t k = 0; k < banks; ++k)
        memory.space.banks.push_back({.name = "b" + std::to_string(k),
                                      .size = std::max<Size>(4, capacity / banks),
                                      .roles = {}});
      memory.space.straddle = random.chance(70);
      memory.space.capacity = memory.space.banks[0].size * banks;
      const std::vector<Role> roles{Role::read, Role::write, Role::read_write, Role::read_write,
                                    Role::weight};
      if (random.chance(70))
        for (int mode = 0; mode < 3; ++mode) {
          Mode one{.name = "m" + std::to_string(mode), .roles = {}};
          for (std::int64_t k = 0; k < banks; ++k) one.roles.push_back(random.pick(roles));
          memory.space.modes.push_back(std::move(one));
        }
    } else {
      memory.space.capacity = capacity;
    }
    hardware.memories.push_back(std::move(memory));
  }
  if (random.chance(20) && !hardware.memories[0].space.banks.empty())
    hardware.restrictions.push_back({RelationKind::different_banks, {"input", "output"}});
  return hardware;
}

class Case {
 public:
  explicit Case(std::uint64_t seed) : random_(seed ^ 0xd417e5) {
    const std::size_t ops = static_cast<std::size_t>(random_.between(1, 3));
    network_ = testing::random_network(seed, {.ops = ops,
                                              .extent = 6,
                                              .channels = 3,
                                              .views = true,
                                              .spatial_only = random_.chance(60)});
    subgraph_ = tiling::make_subgraph(network_, {0, ops - 1});
    Size needed = 0;
    for (std::size_t t = 0; t < subgraph_.tensors.size(); ++t)
      needed += tensor_bytes(subgraph_.tensor(t));
    hardware_ = tiled_hardware(random_, needed);
    params_.options.double_buffer = random_.chance(30);
    params_.options.weights = random_.chance(50) ? WeightPolicy::resident : WeightPolicy::refetch;
    const std::vector<HaloPolicy> halos{HaloPolicy::recompute, HaloPolicy::recompute,
                                        HaloPolicy::keep_columns, HaloPolicy::keep};
    params_.options.halo = random_.pick(halos);
    params_.dominance = random_.chance(80);
    params_.carry_over = random_.chance(80);
    params_.bounds = random_.chance(80);
    params_.sessions = random_.chance(80);
  }

  void run() {
    tiling::TileGeometry geometry(subgraph_, params_.options.halo);
    const tiling::Lowering lowering =
        tiling::lower(subgraph_, geometry.space(), hardware_, params_.options);
    std::unique_ptr<engine::PlacementEngine> engine = search::make_canonical_engine();
    if (engine->unsupported(lowering.problem, Objective::fit))
      engine = search::make_learning_engine({});
    if (engine->unsupported(lowering.problem, Objective::fit))
      engine = encoder::make_sat_engine({});
    params_.engine = engine.get();
    const search::TileSearchResult found = search::find_tile(subgraph_, hardware_, params_);
    const tiling::TileShape best = exhaustive(geometry, lowering);
    ASSERT_NE(found.status, Status::unknown);
    ASSERT_EQ(found.status == Status::feasible, best.extent[0] > 0);
    check_in_two_parts(found);
    if (found.status != Status::feasible) return;
    ASSERT_EQ(found.shape, best) << shown(found.shape) << " found, " << shown(best)
                                 << " is the best";
    for (std::size_t k = 0; k < found.demands.size(); ++k) {
      PlacementProblem problem = found.lowering.problem;
      for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
        problem.buffers[b].size = found.demands[k][b];
      ASSERT_TRUE(check(problem, found.placements[k]).empty());
    }
  }

 private:
  /// First few tiles, then the rest: the result is the same.
  void check_in_two_parts(const search::TileSearchResult& whole) {
    search::TileSearchParams few = params_;
    few.most_tiles = random_.between(1, 12);
    const search::TileSearchResult first = search::find_tile(subgraph_, hardware_, few);
    search::TileSearchParams many = params_;
    many.fewest_tiles = few.most_tiles + 1;
    if (whole.status == Status::feasible && whole.grid.count() <= few.most_tiles) {
      ASSERT_EQ(first.status, Status::feasible);
      ASSERT_EQ(first.shape, whole.shape);
    } else if (first.cut) {
      ASSERT_EQ(first.status, Status::unknown);
      const search::TileSearchResult second = search::find_tile(subgraph_, hardware_, many);
      ASSERT_EQ(second.status, whole.status);
      if (whole.status == Status::feasible) {
        ASSERT_EQ(second.shape, whole.shape);
      }
    } else {  // no shape is left
      ASSERT_EQ(first.status, Status::infeasible);
      ASSERT_EQ(whole.status, Status::infeasible);
    }
  }

  static std::string shown(const tiling::TileShape& shape) {
    return std::to_string(shape.extent[0]) + "x" + std::to_string(shape.extent[1]) + "x" +
           std::to_string(shape.extent[2]);
  }

  bool fits(const tiling::Lowering& lowering, const std::vector<Size>& sizes) {
    PlacementProblem problem = lowering.problem;
    for (BufferIndex b = 0; b < sizes.size(); ++b) problem.buffers[b].size = sizes[b];
    const engine::SearchResult found = encoder::make_sat_engine({})->solve(problem, {});
    EXPECT_NE(found.status, Status::unknown);
    return found.status == Status::feasible;
  }

  /// Does a shape fit? Checks all positions of the grid one by one or, if data stays in memory
  /// between tiles, the maximum size of each buffer.
  bool fits(tiling::TileGeometry& geometry, const tiling::Lowering& lowering,
            const tiling::TileShape& shape, const std::array<Dim, 3>& counts) {
    std::set<std::vector<Size>> sizes;
    for (Dim c = 0; c < counts[0]; ++c)
      for (Dim h = 0; h < counts[1]; ++h)
        for (Dim w = 0; w < counts[2]; ++w)
          sizes.insert(tiling::tile_sizes(subgraph_, geometry.space(), lowering,
                                          geometry.tile_at(shape, {c, h, w})));
    if (lowering.across_tiles) {
      std::vector<Size> largest = *sizes.begin();
      for (const std::vector<Size>& one : sizes)
        for (std::size_t b = 0; b < one.size(); ++b) largest[b] = std::max(largest[b], one[b]);
      return fits(lowering, largest);
    }
    return std::ranges::all_of(sizes,
                               [&](const std::vector<Size>& one) { return fits(lowering, one); });
  }

  tiling::TileShape exhaustive(tiling::TileGeometry& geometry, const tiling::Lowering& lowering) {
    struct Candidate {
      std::tuple<Dim, Dim, Dim, Dim, Dim, Dim, Dim> order;
      tiling::TileShape shape;
      std::array<Dim, 3> counts;
    };
    std::vector<Candidate> candidates;
    const tiling::TileShape whole = geometry.space().whole;
    for (Dim c = 1; c <= whole.extent[0]; ++c)
      for (Dim h = 1; h <= whole.extent[1]; ++h)
        for (Dim w = 1; w <= whole.extent[2]; ++w) {
          const tiling::TileShape shape{{c, h, w}};
          std::array<Dim, 3> counts{};
          bool allowed = true;
          for (std::size_t a = 0; a < 3; ++a) {
            const Dim all = whole.extent[a];
            counts[a] = (all + shape.extent[a] - 1) / shape.extent[a];
            allowed = allowed && (geometry.space().axis[a] || shape.extent[a] == all);
          }
          if (allowed)
            candidates.push_back(
                {{counts[0] * counts[1] * counts[2], counts[2], counts[0], counts[1], w, c, h},
                 shape,
                 counts});
        }
    std::ranges::sort(candidates, {}, &Candidate::order);
    for (const Candidate& candidate : candidates)
      if (fits(geometry, lowering, candidate.shape, candidate.counts)) return candidate.shape;
    return {{0, 0, 0}};
  }

  Random random_;
  Network network_;
  tiling::Subgraph subgraph_;
  Hardware hardware_;
  search::TileSearchParams params_;
};

TEST(TileDriver, FindsTheBestOfAllShapes) {
  const std::uint64_t first = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", 500);
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    Case(seed).run();
    ASSERT_FALSE(HasFailure()) << "repeat with TESSERA_SEED=" << seed
                               << " TESSERA_CASES=1 random_tile_driver_test";
  }
}

}  // namespace
}  // namespace tessera
