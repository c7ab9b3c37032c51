// Sweeps of small networks and random machines: sharing, storing and excluding do not change
// results.
#include "tessera/explore.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "explorer/front.h"
#include "tessera/import.h"
#include "tessera/plan.h"
#include "tests/support/effort.h"
#include "tests/support/paths.h"
#include "tests/support/random_network.h"

namespace tessera::explorer {
namespace {

namespace fs = std::filesystem;

class ExploreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("explore-" + std::to_string(::getpid()) + '-' +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
    for (int n = 0; n < 2; ++n) {
      Network network =
          testing::random_network(static_cast<std::uint64_t>(n) + 3,
                                  {.ops = testing::quick ? 5U : 2U, .extent = 16, .channels = 16});
      std::ofstream(folder_ / ("net" + std::to_string(n) + ".yaml")) << network_yaml(network);
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] Sweep sweep(const std::string& more = "",
                            const std::string& bandwidths = "[0.1 B/cycle, 8 B/cycle]") const {
    return Sweep::from_text(
        "tessera: sweep/1\n"
        "networks: [{file: net0.yaml, weight: 2}, net1.yaml]\n"
        "dtype: int8\n"
        "hardware:\n"
        "  base: ethos-u55-256\n"
        "  vary:\n"
        "    memories.sram.capacity: {from: 1 KiB, to: " +
            std::string(testing::quick ? "16 KiB" : "4 KiB") +
            ", times: 2}\n"
            "    engines.mac.cores: [1, 2]\n"
            "    memories.dram.bandwidth: " +
            bandwidths + '\n' + more,
        (folder_ / "sweep.yaml").string(), {}, {testing::source_path("hw_profiles").string()});
  }

  fs::path folder_;
};

/// Without the columns about how a row was computed.
std::string plain(const ExploreResult& result) {
  return results_csv(result) + pareto_csv(result);
}

TEST_F(ExploreTest, IsWhatEveryPlanByItselfSays) {
  const Sweep all = sweep("prune: false\n");
  const ExploreResult result = explore(all, {});
  ASSERT_EQ(result.rows.size(), all.candidates() * 3);
  std::size_t proved = 0;
  for (const ExploreRow& row : result.rows) {
    if (row.network == "*") continue;
    const Network network =
        read_network((folder_ / (row.network + ".yaml")).string(), {.dtype = ElementType::int8})
            .network;
    const NetworkPlan plan = plan_network(network, all.machine(row.candidate).hardware(),
                                          {.proof_shapes = 0});  // as in a sweep
    if (row.status == SweepStatus::infeasible) {
      EXPECT_EQ(plan.status, Status::infeasible);
      continue;
    }
    if (row.status == SweepStatus::limit) {  // the node limit of a query
      EXPECT_FALSE(plan.optimal) << row.reason;
    } else {
      ASSERT_EQ(row.status, SweepStatus::proved) << row.reason;
      ++proved;
    }
    EXPECT_NEAR(*row.score, plan.score, 1e-12);
    EXPECT_EQ(row.latency_cycles, static_cast<double>(plan.totals.latency_cycles));
    EXPECT_EQ(row.peak_bytes, static_cast<double>(plan.totals.peak_bytes));
  }
  EXPECT_GT(proved, testing::quick ? 10U : 0U);
}

TEST_F(ExploreTest, WhatOthersPlanAheadChangesNothing) {
  for (const char* more : {"", "prune: false\n"}) {
    SCOPED_TRACE(more);
    if (!testing::quick && *more != 'p') continue;
    const Sweep all = sweep(more);
    const std::string expected = plain(explore(all, {}));
    ExploreParams params;
    params.store = (folder_ / "ahead.sqlite").string();
    fs::remove(params.store);
    std::size_t asked = 0;
    params.ahead = [&](const std::vector<std::size_t>& candidates) {
      ASSERT_FALSE(candidates.empty());
      // All but one of them, which is left to the caller.
      for (std::size_t k = 1; k < candidates.size(); ++k) {
        const ExploreResult one = explore(all, {.store = params.store, .only = {candidates[k]}});
        EXPECT_EQ(one.rows.size(), 3U);
        EXPECT_EQ(one.rows.front().candidate, candidates[k]);
        EXPECT_TRUE(one.pareto.empty());
        EXPECT_FALSE(one.best);
        ++asked;
      }
    };
    const ExploreResult result = explore(all, params);
    EXPECT_EQ(plain(result), expected);
    EXPECT_GT(result.counts.stored, 0);
    EXPECT_GT(asked, 0U);
    params.ahead = [&](const std::vector<std::size_t>& candidates) {
      ADD_FAILURE() << candidates.size() << " are asked for, although the store has them";
    };
    EXPECT_EQ(plain(explore(all, params)), expected);
  }
  EXPECT_THROW(explore(sweep(), {.only = {100000}}), BadInput);
  EXPECT_THROW(explore(sweep(), {.ahead = [](const auto&) {}}), BadInput);
}

TEST_F(ExploreTest, SharingThreadsAndStoresChangeNothing) {
  for (const char* more : {"", "prune: false\n", "effort: {work: 50}\n"}) {
    SCOPED_TRACE(more);
    if (!testing::quick && *more != 'p') continue;
    const Sweep all = sweep(more);
    const std::string expected = plain(explore(all, {.limits = {.threads = 1}, .share = false}));
    EXPECT_EQ(plain(explore(all, {.limits = {.threads = 4}})), expected);
    ExploreParams params;
    params.store = (folder_ / "store.sqlite").string();
    fs::remove(params.store);
    const ExploreResult first = explore(all, params);
    EXPECT_EQ(plain(first), expected);
    EXPECT_EQ(first.counts.stored, 0);
    const ExploreResult again = explore(all, params);
    EXPECT_EQ(plain(again), expected);
    EXPECT_EQ(again.counts.planned, 0);
    EXPECT_EQ(again.counts.stored, first.counts.planned);
    ASSERT_EQ(again.plans.size(), first.plans.size());
  }
}

/// Of a PLAN.json: the plan itself, without the search.
std::string planned_part(const std::string& json) {
  const std::size_t begin = json.find("\"subgraphs\"");
  const std::size_t end = json.find("\"search\"");
  return begin == std::string::npos ? json : json.substr(begin, end - begin);
}

TEST_F(ExploreTest, SharedPlansAreTheSameToTheByte) {
  const Sweep all = sweep("prune: false\n");
  const ExploreResult apart = explore(all, {.limits = {.threads = 1}, .share = false});
  const ExploreResult shared = explore(all, {.limits = {.threads = 2}});
  ASSERT_EQ(shared.plans.size(), apart.plans.size());
  ASSERT_FALSE(apart.plans.empty());
  for (std::size_t k = 0; k < apart.plans.size(); ++k) {
    EXPECT_EQ(shared.plans[k].candidate, apart.plans[k].candidate);
    EXPECT_NE(apart.plans[k].json.find("\"search\""), std::string::npos);
    EXPECT_EQ(planned_part(shared.plans[k].json), planned_part(apart.plans[k].json));
  }
}

TEST_F(ExploreTest, MachinesThatNoPlanCanTellApartArePlannedOnce) {
  // One burst of 128 B in flight per 64 cycles: more than 2 B per cycle has no effect.
  const Sweep all = sweep("prune: false\n", "[0.1 B/cycle, 2 B/cycle, 3 B/cycle, 8 B/cycle]");
  const ExploreResult apart = explore(all, {.limits = {.threads = 1}, .share = false});
  const ExploreResult shared = explore(all, {.limits = {.threads = 4}});
  EXPECT_EQ(plain(shared), plain(apart));
  EXPECT_EQ(apart.counts.alike, 0);
  EXPECT_EQ(2 * shared.counts.alike, apart.counts.planned);
  EXPECT_EQ(2 * shared.counts.planned, apart.counts.planned);
  EXPECT_EQ(shared.plans.size(), apart.plans.size());
  // Slightly less has an effect.
  const Sweep less = sweep("prune: false\n", "[1.9 B/cycle, 2 B/cycle]");
  EXPECT_EQ(explore(less, {}).counts.alike, 0);
}

TEST_F(ExploreTest, WeighsAsAPlanByItselfDoes) {
  const Sweep all = sweep("prune: false\n");
  const ExploreResult result = explore(all, {});
  ASSERT_TRUE(result.best && !result.plans.empty());
  const ExplorePlan& made = result.plans.front();
  const Network network =
      read_network((folder_ / (made.network + ".yaml")).string(), {.dtype = ElementType::int8})
          .network;
  const std::string alone =
      plan_json(plan_network(network, all.machine(made.candidate).hardware(), {.proof_shapes = 0}));
  const auto weights = [](const std::string& json) {
    const std::size_t begin = json.find("\"weights\"");
    return json.substr(begin, json.find('}', begin) - begin);
  };
  EXPECT_EQ(weights(made.json), weights(alone));  // to the last digit
  EXPECT_EQ(planned_part(made.json), planned_part(alone));
}

TEST_F(ExploreTest, PruningKeepsTheFrontAndTheBest) {
  // With more axes a candidate is excluded only if it is worse in all of them by more than the
  // slack of the bounds.
  const std::string objective = "objective: {latency: 1}\n";
  const ExploreResult all = explore(sweep(objective + "prune: false\n"), {});
  const ExploreResult some = explore(sweep(objective), {});
  EXPECT_EQ(pareto_csv(all), pareto_csv(some));
  EXPECT_EQ(all.best, some.best);
  EXPECT_GT(some.counts.excluded, 0);
  for (std::size_t k = 0; k < all.rows.size(); ++k) {
    const ExploreRow& row = some.rows[k];
    if (row.status != SweepStatus::excluded) continue;
    EXPECT_FALSE(row.reason.empty());
    if (row.bound && all.rows[k].score) {
      EXPECT_LE(*row.bound, *all.rows[k].score);
    }
  }
}

TEST_F(ExploreTest, TheFrontIsThatOfAllRows) {
  const ExploreResult all =
      explore(sweep("prune: false\nobjective: {latency: 1, energy: 1}\n"), {});
  EXPECT_EQ(all.axes, (std::vector<std::string>{"latency_ms", "energy_pj", "area"}));
  std::vector<ExploreRow> sets;
  for (const ExploreRow& row : all.rows)
    if (row.network == "*" && row.score) sets.push_back(row);
  const auto point = [](const ExploreRow& row) {
    return Point{row.latency_ms, row.energy_pj, row.area.value()};
  };
  std::vector<std::size_t> expected, found;
  for (const ExploreRow& row : sets)
    if (std::none_of(sets.begin(), sets.end(),
                     [&](const ExploreRow& other) { return dominates(point(other), point(row)); }))
      expected.push_back(row.candidate);
  for (const ExploreRow& row : all.pareto) found.push_back(row.candidate);
  EXPECT_EQ(found, expected);
}

TEST_F(ExploreTest, AreaFollowsWhatVaries) {
  const Sweep all = sweep();
  const auto area = [&](std::size_t candidate) {
    double sum = 0;
    for (const SiliconPart& part : all.machine(candidate).silicon()) sum += part.area_mm2;
    return sum;
  };
  EXPECT_NEAR(area(2) - area(0), 256 * 419e-6, 1e-9);  // one more core
  EXPECT_NEAR(area(4) - area(0), 4050e-6, 1e-9);       // one more KiB
  EXPECT_EQ(area(1), area(0));                         // faster flash is off-chip
}

TEST_F(ExploreTest, AStopEndsItAndItGoesOn) {
  const Sweep all = sweep("prune: false\n");
  ExploreParams params;
  params.store = (folder_ / "store.sqlite").string();
  std::stop_source source;
  params.limits.stop = source.get_token();
  params.progress = [&](const ExploreProgress& p) {
    if (p.done == 5) source.request_stop();
  };
  const ExploreResult part = explore(all, params);
  EXPECT_EQ(part.stop, StopReason::interrupted);
  EXPECT_GE(part.counts.planned, 10);
  EXPECT_LT(part.counts.planned, 30);
  const ExploreResult rest = explore(all, {.store = params.store});
  EXPECT_EQ(rest.counts.stored, part.counts.planned);
  EXPECT_EQ(plain(rest), plain(explore(all, {})));
}

}  // namespace
}  // namespace tessera::explorer
