#include "search/partition/cover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "model/shared_work.h"

namespace tessera::search {
namespace {

using Table = std::map<std::pair<std::size_t, std::size_t>, CoverCandidate>;

/// Every partition, every option: the definition.
double brute_force(const Table& table, std::size_t ops, std::size_t max_ops, double weight) {
  double best = std::numeric_limits<double>::infinity();
  const auto visit = [&](const auto& self, std::size_t first, double cost,
                         std::int64_t peak) -> void {
    if (first == ops) {
      best = std::min(best, cost + weight * static_cast<double>(peak));
      return;
    }
    for (std::size_t last = first; last < std::min(ops, first + max_ops); ++last)
      for (const CoverOption& option : table.at({first, last}).options)
        self(self, last + 1, cost + option.cost, std::max(peak, option.peak));
  };
  visit(visit, 0, 0.0, 0);
  return best;
}

Table random_table(std::mt19937_64& rng, std::size_t ops) {
  Table table;
  for (std::size_t first = 0; first < ops; ++first)
    for (std::size_t last = first; last < ops; ++last) {
      CoverCandidate c;
      for (std::uint64_t n = rng() % 3; n > 0; --n)
        c.options.push_back({static_cast<double>(rng() % 64 + 8 * (last - first)),
                             static_cast<std::int64_t>(rng() % 12)});
      table[{first, last}] = c;
    }
  return table;
}

TEST(Cover, EqualsBruteForceWithAndWithoutBoundsCapsAndThreads) {
  std::mt19937_64 rng(11);
  int feasible = 0;
  for (int i = 0; i < 400; ++i) {
    const std::size_t ops = 1 + rng() % 9;
    const Table table = random_table(rng, ops);
    CoverProblem problem;
    problem.ops = ops;
    problem.peak_weight = std::array{0.0, 1.0, 5.0}[rng() % 3];
    if (rng() % 2 == 0) problem.max_ops = 1 + rng() % ops;
    problem.evaluate = [&](std::size_t a, std::size_t b, int) { return table.at({a, b}); };
    if (rng() % 2 == 0)
      problem.bound = [&](std::size_t a, std::size_t b) {
        const auto& options = table.at({a, b}).options;
        CoverBound bound{1e9, 1 << 20, options.empty()};
        for (const CoverOption& o : options) {
          bound.cost = std::min(bound.cost, o.cost - 0.5);
          bound.peak = std::min(bound.peak, o.peak);
        }
        return bound;
      };
    const double expected =
        brute_force(table, ops, std::min(problem.max_ops, ops), problem.peak_weight);
    const CoverResult one = best_cover(problem, {});
    const CoverResult two = best_cover(problem, {.threads = 2});
    ASSERT_EQ(one.objective, expected) << "problem " << i;
    ASSERT_EQ(two.objective, expected) << "problem " << i;
    ASSERT_EQ(one.runs.size(), two.runs.size());
    if (one.status == Status::feasible) {
      ++feasible;
      ASSERT_TRUE(one.optimal);
      std::size_t next = 0;
      for (const CoverRun& run : one.runs) {
        ASSERT_EQ(run.first, next);
        next = run.last + 1;
      }
      ASSERT_EQ(next, ops);
    } else {
      ASSERT_EQ(one.status, Status::infeasible);
    }
  }
  EXPECT_GT(feasible, 100);
}

TEST(Cover, GoodBoundsLeaveMostCandidatesUnevaluated) {
  CoverProblem problem;
  problem.ops = 40;
  std::mutex lock;
  std::int64_t calls = 0;
  problem.evaluate = [&](std::size_t a, std::size_t b, int) {
    const std::lock_guard guard(lock);
    ++calls;
    return CoverCandidate{{{10.0 + static_cast<double>((b - a) * (b - a)), 1}}};
  };
  problem.bound = [](std::size_t a, std::size_t b) {
    return CoverBound{9.0 + static_cast<double>((b - a) * (b - a)), 1, false};
  };
  const CoverResult result = best_cover(problem, {});
  EXPECT_TRUE(result.optimal);
  EXPECT_EQ(result.candidates, 40 * 41 / 2);
  EXPECT_EQ(result.evaluated, calls);
  EXPECT_LT(result.evaluated, 300);
}

TEST(Cover, ALimitLeavesTheBaselineAndSaysSo) {
  CoverProblem problem;
  problem.ops = 20;
  std::stop_source source;
  int calls = 0;
  problem.evaluate = [&](std::size_t, std::size_t, int) {
    if (++calls == 25) source.request_stop();
    return CoverCandidate{{{1.0, 1}}};
  };
  const CoverResult result = best_cover(problem, {.budget = {.stop = source.get_token()}});
  EXPECT_EQ(result.status, Status::feasible);
  EXPECT_EQ(result.stop, StopReason::interrupted);
  EXPECT_FALSE(result.optimal);
  EXPECT_LE(result.bound, result.objective);
}

TEST(Cover, WhatStaysOpenAndMightBeBetterKeepsTheResultFromBeingOptimal) {
  CoverProblem problem;
  problem.ops = 1;
  problem.evaluate = [](std::size_t, std::size_t, int) { return CoverCandidate{{{1.0, 1}}, 0.5}; };
  const CoverResult cheaper = best_cover(problem, {});
  EXPECT_FALSE(cheaper.optimal);
  EXPECT_EQ(cheaper.objective, 1.0);
  EXPECT_EQ(cheaper.bound, 0.5);
  problem.evaluate = [](std::size_t, std::size_t, int) { return CoverCandidate{{{1.0, 1}}, 1.5}; };
  EXPECT_TRUE(best_cover(problem, {}).optimal);
}

/// Equal groups share one evaluation.
TEST(Cover, RunsThatAreAlikeAreEvaluatedOnce) {
  std::mt19937_64 rng(13);
  for (int i = 0; i < 400; ++i) {
    const std::size_t ops = 1 + rng() % 9;
    CoverProblem problem;
    problem.ops = ops;
    problem.peak_weight = std::array{0.0, 1.0, 5.0}[rng() % 3];
    for (std::size_t op = 0; op < ops; ++op)
      problem.like.push_back(static_cast<std::uint32_t>(rng() % 3));
    Table table = random_table(rng, ops);
    std::map<std::vector<std::uint32_t>, std::pair<std::size_t, std::size_t>> of;
    for (auto& [run, candidate] : table) {
      const auto begin = problem.like.begin();
      const auto [known, added] =
          of.try_emplace({begin + static_cast<std::ptrdiff_t>(run.first),
                          begin + static_cast<std::ptrdiff_t>(run.second + 1)},
                         run);
      if (!added) candidate = table.at(known->second);
    }
    std::map<std::pair<std::size_t, std::size_t>, int> calls;
    problem.evaluate = [&](std::size_t a, std::size_t b, int) {
      ++calls[{a, b}];
      return table.at({a, b});
    };
    const CoverResult result = best_cover(problem, {});
    ASSERT_EQ(result.objective, brute_force(table, ops, ops, problem.peak_weight));
    ASSERT_LE(result.evaluated, static_cast<std::int64_t>(of.size()));
    ASSERT_EQ(result.evaluated, static_cast<std::int64_t>(calls.size()));
    for (const auto& [run, times] : calls) ASSERT_EQ(times, 1);
    for (const CoverRun& run : result.runs) {
      ASSERT_LE(run.evaluated, run.first);
      ASSERT_EQ(calls.count({run.evaluated, run.evaluated + run.last - run.first}), 1U);
    }
  }
}

/// Options that appear only from some effort level on, or never.
TEST(Cover, AsksWithMoreEffortWhereItMatters) {
  std::mt19937_64 rng(12);
  int unresolved = 0;
  std::int64_t asked_again = 0;
  for (int i = 0; i < 400; ++i) {
    const std::size_t ops = 1 + rng() % 8;
    const Table all = random_table(rng, ops);
    const bool never = rng() % 2 == 0;  // level 3 is one that no effort reaches
    std::map<std::pair<std::size_t, std::size_t>, std::vector<int>> level;
    for (const auto& [run, c] : all)
      for (std::size_t k = 0; k < c.options.size(); ++k)
        level[run].push_back(static_cast<int>(rng() % (never ? 4 : 3)));
    const auto seen_with = [&](const std::pair<std::size_t, std::size_t>& run, int effort) {
      CoverCandidate seen;
      const CoverCandidate& c = all.at(run);
      for (std::size_t k = 0; k < c.options.size(); ++k) {
        if (level[run][k] <= effort) {
          seen.options.push_back(c.options[k]);
          continue;
        }
        seen.unresolved_cost = std::min(seen.unresolved_cost, c.options[k].cost - 1);
        seen.unresolved_peak = 0;
      }
      seen.final = effort >= 2 || seen.complete();
      return seen;
    };
    Table reachable;
    for (const auto& [run, c] : all) reachable[run] = seen_with(run, 2);
    CoverProblem problem;
    problem.ops = ops;
    problem.peak_weight = std::array{0.0, 1.0, 5.0}[rng() % 3];
    problem.evaluate = [&](std::size_t a, std::size_t b, int effort) {
      EXPECT_LE(effort, 2);
      return seen_with({a, b}, effort);
    };
    const CoverResult result = best_cover(problem, {.threads = 1 + static_cast<int>(rng() % 2)});
    const double best = brute_force(all, ops, ops, problem.peak_weight);
    ASSERT_EQ(result.objective, brute_force(reachable, ops, ops, problem.peak_weight)) << i;
    ASSERT_LE(result.bound, best) << i;
    if (!never) {
      ASSERT_EQ(result.objective, best);
      ASSERT_NE(result.status, Status::unknown);
      ASSERT_EQ(result.optimal, result.status == Status::feasible);
    }
    unresolved += result.status == Status::feasible && !result.optimal ? 1 : 0;
    asked_again += result.again;
  }
  EXPECT_GT(unresolved, 20);
  EXPECT_GT(asked_again, 100);
}

}  // namespace
}  // namespace tessera::search
