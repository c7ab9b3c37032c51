#include "search/tiles/tile_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <set>

#include "model/parallel.h"
#include "search/learning/engine.h"
#include "search/placement/canonical.h"
#include "tessera/check.h"
#include "tests/support/convolutions.h"

namespace tessera::search {
namespace {

using ::testing::ElementsAre;

/// Convolutions over rows x 8, four channels.
Network chain(int count, Dim rows) {
  return testing::convolutions(count, {.channels = 4, .rows = rows, .columns = 8});
}

Hardware machine(Size capacity, Size alignment = 1) {
  Hardware hardware;
  HardwareMemory memory;
  memory.space.name = "sram";
  memory.space.capacity = capacity;
  memory.space.alignment = alignment;
  hardware.memories.push_back(std::move(memory));
  return hardware;
}

struct Counting final : engine::PlacementEngine {
  std::unique_ptr<engine::PlacementEngine> inner = make_canonical_engine();
  int calls = 0;
  [[nodiscard]] std::string_view name() const override { return "counting"; }
  [[nodiscard]] facts::FeatureSet features() const override { return inner->features(); }
  [[nodiscard]] engine::SearchResult solve(const PlacementProblem& problem,
                                           const engine::SearchParams& params) override {
    ++calls;
    return inner->solve(problem, params);
  }
};

/// More memory is in use than is allowed when it is asked for the `at`th time, and never again.
struct ExceededOnce final : MemoryWatch {
  int at = 0;
  int looks = 0;
  [[nodiscard]] bool exceeded() override { return looks++ == at; }
  [[nodiscard]] Size left() override { return 1 << 30; }
};

/// Says nothing about anything above a size.
struct Hesitant final : engine::PlacementEngine {
  std::unique_ptr<engine::PlacementEngine> inner = make_canonical_engine();
  Size most = 0;
  [[nodiscard]] std::string_view name() const override { return "hesitant"; }
  [[nodiscard]] facts::FeatureSet features() const override {
    return facts::FeatureSet::everything();
  }
  [[nodiscard]] engine::SearchResult solve(const PlacementProblem& problem,
                                           const engine::SearchParams& params) override {
    Size all = 0;
    for (const Buffer& buffer : problem.buffers) all += buffer.size;
    if (all > most) return {.status = Status::unknown, .stop = StopReason::node_limit};
    return inner->solve(problem, params);
  }
};

TileSearchResult search(const Network& net, const Hardware& hardware,
                        engine::PlacementEngine& engine,
                        const std::function<void(TileSearchParams&)>& change = {}) {
  const tiling::Subgraph part = tiling::make_subgraph(net, {0, net.ops.size() - 1});
  TileSearchParams params;
  params.engine = &engine;
  params.record_probes = true;
  if (change) change(params);
  return find_tile(part, hardware, params);
}

TEST(TileSearch, TakesTheWholeWhereItFits) {
  Counting engine;
  const TileSearchResult found = search(chain(2, 16), machine(1 << 20), engine);
  ASSERT_EQ(found.status, Status::feasible);
  EXPECT_EQ(found.grid.count(), 1);
  EXPECT_TRUE(found.undecided.empty());
}

TEST(TileSearch, CutsWhereItDoesNot) {
  Counting engine;
  const TileSearchResult found = search(chain(2, 64), machine(1500), engine);
  ASSERT_EQ(found.status, Status::feasible);
  EXPECT_GT(found.grid.count(), 1);
  for (std::size_t k = 0; k < found.demands.size(); ++k) {
    PlacementProblem problem = found.lowering.problem;
    for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
      problem.buffers[b].size = found.demands[k][b];
    EXPECT_TRUE(check(problem, found.placements[k]).empty());
  }
}

TEST(TileSearch, SaysHowMuchIsLacking) {
  Counting engine;
  const TileSearchResult found = search(chain(1, 16), machine(64), engine);
  EXPECT_EQ(found.status, Status::infeasible);
  EXPECT_GT(found.lacking, 0);
  EXPECT_EQ(engine.calls, 0);
}

TEST(TileSearch, NoRuleChangesTheAnswer) {
  for (const Size capacity : {900, 1100, 1500, 2300, 4000}) {
    Counting plain;
    const auto off = [](TileSearchParams& p) {
      p.bounds = p.dominance = p.carry_over = p.sessions = false;
    };
    const TileSearchResult want = search(chain(3, 48), machine(capacity), plain, off);
    for (int rule = 0; rule < 4; ++rule) {
      Counting engine;
      const TileSearchResult got =
          search(chain(3, 48), machine(capacity), engine, [&](TileSearchParams& p) {
            off(p);
            if (rule == 0) p.bounds = true;
            if (rule == 1) p.dominance = true;
            if (rule == 2) p.carry_over = true;
            if (rule == 3) p.sessions = true;
          });
      EXPECT_EQ(got.status, want.status);
      EXPECT_EQ(got.shape, want.shape);
      // Dominance may ask for sizes common to many shapes, which costs a question or two.
      EXPECT_LE(engine.calls, plain.calls + (rule == 1 ? 2 : 0));
    }
  }
}

TEST(TileSearch, WhoHelpsChangesNothing) {
  int helped = 0;
  for (const Size capacity : {64, 500, 900, 1100, 1500, 2300, 4000}) {
    // Without bounds many shapes are tested before one fits; the list tests one at a time. Which
    // of them the engine is spared depends on what was tested ahead then.
    for (const bool all : {false, true}) {
      const Network net = chain(3, 48);
      Counting alone;
      const TileSearchResult want = search(net, machine(capacity), alone, [&](TileSearchParams& p) {
        p.all = all;
        p.bounds = all;
      });
      // Others have time always, now and then, or never; or time, but no memory to help with.
      for (const int every : {1, 3, 1 << 30, 0}) {
        const tiling::Subgraph part = tiling::make_subgraph(net, {0, net.ops.size() - 1});
        std::deque<tiling::TileGeometry> geometries;
        for (int k = 0; k < 3; ++k) geometries.emplace_back(part, HaloPolicy::recompute);
        int asked = 0;
        const auto run = [&](const std::function<void(tiling::TileGeometry&)>& work) {
          if (every == 0) return;
          std::atomic<std::size_t> next{0};
          work_together(3, [&] { work(geometries[next++]); });
          ++helped;
        };
        Counting engine;
        TileSearchParams params;
        params.engine = &engine;
        params.record_probes = true;
        params.all = all;
        params.bounds = all;
        params.together = {[&] { return every == 0 || ++asked % every == 0; }, run};
        const TileSearchResult got = find_tile(geometries[0], machine(capacity), params);
        EXPECT_EQ(got.status, want.status);
        EXPECT_EQ(got.shape, want.shape);
        EXPECT_EQ(got.maximal, want.maximal);
        EXPECT_EQ(engine.calls, alone.calls);
        if (!params.bounds) continue;
        ASSERT_EQ(got.probes.size(), want.probes.size());
        for (std::size_t k = 0; k < got.probes.size(); ++k) {
          EXPECT_EQ(got.probes[k].shape, want.probes[k].shape);
          EXPECT_EQ(got.probes[k].verdict, want.probes[k].verdict);
        }
      }
    }
  }
  EXPECT_GT(helped, 10);
}

TEST(TileSearch, EachRuleSavesQuestions) {
  const auto calls = [](const std::function<void(TileSearchParams&)>& change, bool all) {
    Counting engine;
    static_cast<void>(search(chain(3, 48), machine(1500), engine, [&](TileSearchParams& p) {
      p.bounds = p.dominance = p.carry_over = p.sessions = false;
      p.all = all;
      change(p);
    }));
    return engine.calls;
  };
  const auto none = [](TileSearchParams&) {};
  EXPECT_LT(calls([](TileSearchParams& p) { p.bounds = true; }, false), calls(none, false));
  EXPECT_LT(calls([](TileSearchParams& p) { p.dominance = true; }, false), calls(none, false));
  EXPECT_LT(calls([](TileSearchParams& p) { p.carry_over = true; }, true), calls(none, true));
}

TEST(TileSearch, AnOpenQuestionCountsAsNoAndIsReported) {
  Hesitant engine;
  engine.most = 1800;
  const TileSearchResult found = search(chain(2, 64), machine(1 << 20), engine);
  ASSERT_EQ(found.status, Status::feasible);
  EXPECT_GT(found.grid.count(), 1);
  EXPECT_FALSE(found.undecided.empty());
  engine.most = 0;
  const TileSearchResult none = search(chain(2, 16), machine(1 << 20), engine);
  EXPECT_EQ(none.status, Status::unknown);
  EXPECT_EQ(none.stop, StopReason::node_limit);
}

/// Where nobody can say anything about the smallest tile the others are given up, and of all there
/// are those with the fewest tiles are told.
TEST(TileSearch, OfManyThatAreGivenUpTheFirstAreTold) {
  Hesitant engine;
  const TileSearchResult found = search(chain(2, 64), machine(1 << 20), engine);
  EXPECT_EQ(found.status, Status::unknown);
  EXPECT_EQ(found.stop, StopReason::node_limit);
  EXPECT_TRUE(found.given_up);
  EXPECT_FALSE(found.cut);
  EXPECT_EQ(found.undecided.size(), 32U);
  std::set<tiling::TileShape> told(found.undecided.begin(), found.undecided.end());
  EXPECT_EQ(told.size(), found.undecided.size());
  // The same one by one, from few tiles to many.
  const Network net = chain(2, 64);
  const tiling::Subgraph part = tiling::make_subgraph(net, {0, net.ops.size() - 1});
  tiling::TileGeometry geometry(part, HaloPolicy::recompute);
  std::int64_t before = 0;
  for (const tiling::TileShape& shape : found.undecided) {
    const std::int64_t tiles = geometry.grid(shape).count();
    EXPECT_GE(tiles, before);
    before = tiles;
  }
  const TileSearchResult all = search(chain(1, 1), machine(1 << 20), engine);
  EXPECT_FALSE(all.given_up);
  EXPECT_FALSE(all.undecided.empty());
}

TEST(TileSearch, WhatTheBudgetLeftOutIsNoAnswer) {
  int most = 0;
  for (const Size capacity : {300, 500, 600, 700, 900, 1500}) {
    Counting engine;
    const Network net = chain(3, 48);
    const TileSearchResult want = search(net, machine(capacity), engine);
    for (int at = 0;; ++at) {
      SCOPED_TRACE(std::to_string(capacity) + " bytes, look " + std::to_string(at));
      ExceededOnce watch;
      watch.at = at;
      const TileSearchResult found = search(net, machine(capacity), engine,
                                            [&](TileSearchParams& p) { p.budget.memory = &watch; });
      if (watch.looks <= at) {
        EXPECT_EQ(found.status, want.status);
        EXPECT_EQ(found.shape, want.shape);
        most = std::max(most, at);
        break;
      }
      EXPECT_FALSE(found.cut);
      if (found.status == Status::unknown) {
        EXPECT_EQ(found.stop, StopReason::memory_limit);
      } else if (found.undecided.empty()) {
        EXPECT_EQ(found.shape, want.shape);
      }
      if (want.status == Status::feasible) {
        EXPECT_NE(found.status, Status::infeasible);
      }
    }
  }
  EXPECT_GT(most, 10);
}

TEST(TileSearch, ACutIsWhereTheLimitIs) {
  Counting engine;
  const auto within = [&](std::int64_t most) {
    return search(chain(3, 48), machine(1500), engine,
                  [&](TileSearchParams& p) { p.find_most_tiles = [most] { return most; }; });
  };
  const std::int64_t tiles = within(1 << 30).grid.count();
  ASSERT_GT(tiles, 2);
  EXPECT_FALSE(within(tiles).cut);
  EXPECT_TRUE(within(tiles - 1).cut);
  EXPECT_EQ(within(tiles - 1).status, Status::unknown);
}

TEST(TileSearch, AllIsTheSetOfLargestShapes) {
  Counting engine;
  const Network net = chain(1, 12);
  const auto all = [](TileSearchParams& p) { p.all = true; };
  const TileSearchResult found = search(net, machine(700), engine, all);
  ASSERT_EQ(found.status, Status::feasible);
  const tiling::Subgraph part = tiling::make_subgraph(net, {0, 0});
  tiling::TileGeometry geometry(part, HaloPolicy::recompute);
  const auto inside = [](const tiling::TileShape& a, const tiling::TileShape& b) {
    return a.extent[0] <= b.extent[0] && a.extent[1] <= b.extent[1] && a.extent[2] <= b.extent[2];
  };
  for (Dim c = 1; c <= 4; ++c)
    for (Dim h = 1; h <= 12; ++h)
      for (Dim w = 1; w <= 8; ++w) {
        const tiling::TileShape shape{{c, h, w}};
        bool fits = true;
        for (const std::vector<Size>& sizes :
             tiling::demands(part, geometry.space(), found.lowering, geometry.grid(shape).tiles)) {
          PlacementProblem problem = found.lowering.problem;
          for (BufferIndex b = 0; b < sizes.size(); ++b) problem.buffers[b].size = sizes[b];
          fits = fits && make_canonical_engine()->solve(problem, {}).status == Status::feasible;
        }
        bool covered = false;
        for (const tiling::TileShape& large : found.maximal)
          covered = covered || inside(shape, large);
        EXPECT_TRUE(!fits || covered) << c << ' ' << h << ' ' << w;
      }
}

/// One shape for each pair of extents along H and W, about, and not each shape that there is.
TEST(TileSearch, AllLooksAtFewShapesAndHasTheFewestTilesFirst) {
  const Network net = chain(2, 96);
  const auto engine = make_canonical_engine();
  const TileSearchResult fewest = search(net, machine(1500), *engine);
  const TileSearchResult all =
      search(net, machine(1500), *engine, [](TileSearchParams& params) { params.all = true; });
  ASSERT_EQ(all.status, Status::feasible);
  EXPECT_EQ(all.shape, fewest.shape);
  EXPECT_TRUE(all.undecided.empty());
  EXPECT_EQ(all.stop, StopReason::completed);
  EXPECT_FALSE(all.maximal.empty());
  EXPECT_LT(all.counters.shapes - fewest.counters.shapes, 96 * 8);
}

/// Asked about one shape at a time, it says of each what the list of all largest ones says.
TEST(TileSearch, OneShapeIsOneQuestion) {
  const Network net = chain(2, 12);
  const Hardware hardware = machine(700);
  const auto engine = make_canonical_engine();
  const TileSearchResult all =
      search(net, hardware, *engine, [](TileSearchParams& params) { params.all = true; });
  ASSERT_FALSE(all.maximal.empty());
  int fits = 0;
  for (Dim c = 1; c <= 4; ++c)
    for (Dim h = 1; h <= 12; ++h)
      for (Dim w = 1; w <= 8; ++w) {
        const tiling::TileShape shape{{c, h, w}};
        const TileSearchResult one =
            search(net, hardware, *engine, [&](TileSearchParams& params) { params.only = shape; });
        ASSERT_NE(one.status, Status::unknown);
        EXPECT_EQ(one.counters.shapes, 1);
        EXPECT_LE(one.counters.by_engine, static_cast<std::int64_t>(one.demands.size()) + 1);
        if (std::ranges::find(all.maximal, shape) != all.maximal.end()) {
          EXPECT_EQ(one.status, Status::feasible);
        } else if (one.status == Status::feasible) {
          // It is one of the largest, or inside one.
          EXPECT_TRUE(std::ranges::any_of(all.maximal,
                                          [&](const tiling::TileShape& other) {
                                            return shape.extent[0] <= other.extent[0] &&
                                                   shape.extent[1] <= other.extent[1] &&
                                                   shape.extent[2] <= other.extent[2];
                                          }))
              << c << ' ' << h << ' ' << w;
        }
        if (one.status != Status::feasible) continue;
        ++fits;
        EXPECT_EQ(one.shape, shape);
        ASSERT_EQ(one.demands.size(), one.placements.size());
        for (std::size_t k = 0; k < one.demands.size(); ++k) {
          PlacementProblem problem = one.lowering.problem;
          for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
            problem.buffers[b].size = one.demands[k][b];
          EXPECT_TRUE(check(problem, one.placements[k]).empty());
        }
      }
  EXPECT_GT(fits, 0);
  EXPECT_LT(fits, 4 * 12 * 8);
}

TEST(TileSearch, TenConvolutionsAreNotMonotone) {
  // 56 rows in 1 .. 4 tiles need 56 / 38 / 39 / 34 input rows.
  const Network net = chain(10, 56);
  const tiling::Subgraph part = tiling::make_subgraph(net, {0, 9});
  tiling::TileGeometry geometry(part, HaloPolicy::recompute);
  std::vector<Dim> rows;
  for (const Dim tiles : {1, 2, 3, 4}) {
    tiling::TileShape shape = geometry.space().whole;
    shape.extent[1] = (56 + tiles - 1) / tiles;
    Dim most = 0;
    for (const tiling::TileRegions& tile : geometry.grid(shape).tiles)
      most = std::max(most, tile.needed[0][2].size());
    rows.push_back(most);
  }
  EXPECT_THAT(rows, ElementsAre(56, 38, 39, 34));
}

}  // namespace
}  // namespace tessera::search
