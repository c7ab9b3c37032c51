// The public place() against the oracle: status, minimum height, cost and modes, and the validity
// of every bound.
#include "tessera/place.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <set>
#include <string>

#include "agreement.h"
#include "tessera/check.h"
#include "tests/support/brute_force.h"
#include "tests/support/problem_text.h"
#include "tests/support/shrink.h"

namespace tessera::testing {
namespace {

using Wrong = std::optional<std::string>;

OracleGoal oracle_goal(std::optional<Objective> what) {
  if (!what) return OracleGoal::any;
  switch (*what) {
    case Objective::height:
      return OracleGoal::heights;
    case Objective::cost:
      return OracleGoal::cost;
    case Objective::modes:
      return OracleGoal::modes;
    case Objective::switches:
      return OracleGoal::switches;
    case Objective::fit:
    case Objective::benefit:
      break;
  }
  return OracleGoal::any;
}

std::int64_t used_modes(const Placement& placement) {
  std::size_t used = 0;
  for (const auto& modes : placement.modes) {
    used += std::set<std::string>(modes.begin(), modes.end()).size();
  }
  return static_cast<std::int64_t>(used);
}

std::int64_t switches(const Placement& placement) {
  std::int64_t changes = 0;
  for (const auto& modes : placement.modes)
    for (std::size_t t = 1; t < modes.size(); ++t) changes += modes[t] != modes[t - 1] ? 1 : 0;
  return changes;
}

Wrong bounds_that_do_not_hold(const PlacementProblem& problem, const PlacementResult& result) {
  for (const OracleGoal goal : {OracleGoal::any, OracleGoal::top, OracleGoal::height}) {
    const auto some = brute_force(problem, goal);
    if (!some) continue;
    const std::vector<Size> reached = heights(problem, some->placement);
    for (MemoryIndex m = 0; m < reached.size(); ++m) {
      if (m < result.lower_bounds.size() && reached[m] < result.lower_bounds[m]) {
        return "lower bound " + std::to_string(result.lower_bounds[m]) + " of memory " +
               problem.memories[m].name + ", but " + to_text(problem, some->placement);
      }
    }
  }
  return std::nullopt;
}

/// In descending order.
std::vector<Size> falling(std::vector<Size> heights) {
  std::sort(heights.rbegin(), heights.rend());
  return heights;
}

Wrong heights_that_are_not_least(const PlacementProblem& problem, const PlacementResult& result,
                                 const Placement& lowest) {
  const std::vector<Size> least = falling(heights(problem, lowest));
  if (result.height == least.front() && !result.proven_minimum) return "least height not proved";
  if (result.stop != StopReason::completed) return "stopped before the heights were proved";
  if (falling(result.heights) == least) return std::nullopt;
  std::string text = "heights";
  for (const Size each : result.heights) text += ' ' + std::to_string(each);
  return text + ", but the oracle knows " + to_text(problem, lowest);
}

Wrong compare(const PlacementProblem& problem, const PlaceParams& params) {
  const PlacementResult result = place(problem, params);
  const auto expected = brute_force(problem, oracle_goal(params.minimize));
  if (result.status == Status::unknown) return "gave up: " + result.reason;
  if ((result.status == Status::feasible) != expected.has_value()) {
    return std::string(to_string(result.status)) + " by " + result.engine + " (" + result.reason +
           "), unlike the oracle" + (expected ? ": " + to_text(problem, expected->placement) : "");
  }
  if (const Wrong bounds = bounds_that_do_not_hold(problem, result)) return bounds;
  if (!expected) return result.reason.empty() ? Wrong("no reason given") : std::nullopt;
  if (!result.placement || !keeps_every_rule(problem, *result.placement)) {
    return "a wrong placement by " + result.engine;
  }
  const std::vector<Size> own = heights(problem, *result.placement);
  if (result.heights != own || result.height != *std::max_element(own.begin(), own.end())) {
    return "wrong heights reported";
  }
  if (result.cost != soft_cost(problem, *result.placement)) return "wrong cost reported";
  const auto least = [&](const char* of, std::int64_t value, bool proven) -> Wrong {
    if (value == expected->value && proven) return std::nullopt;
    return std::string("least ") + of + " " + std::to_string(value) +
           (proven ? "" : ", not proven") + ", but the oracle knows " +
           std::to_string(expected->value) + ": " + to_text(problem, expected->placement);
  };
  if (!params.minimize) return std::nullopt;
  switch (*params.minimize) {
    case Objective::height:
      return heights_that_are_not_least(problem, result, expected->placement);
    case Objective::cost:
      return least("cost", result.cost, result.proven_optimal);
    case Objective::modes:
      return least("modes", used_modes(*result.placement), true);
    case Objective::switches:
      return least("switches", switches(*result.placement), result.proven_optimal);
    case Objective::fit:
    case Objective::benefit:
      break;
  }
  return std::nullopt;
}

Wrong guarded(const PlacementProblem& problem, const PlaceParams& params) {
  try {
    return compare(problem, params);
  } catch (const std::exception& error) {
    return std::string("threw: ") + error.what();
  }
}

/// Multiplies only sizes and capacities by `by`: heights are then sums of multiples of it only if
/// no other number of the problem matters.
PlacementProblem with_large_sizes(PlacementProblem problem, Size by) {
  for (Buffer& buffer : problem.buffers) buffer.size *= by;
  for (Memory& memory : problem.memories) {
    memory.capacity *= by;
    for (Bank& bank : memory.banks) bank.size *= by;
  }
  return problem;
}

void expect_right(const Features& features, std::size_t count, Objective minimize, int threads,
                  Size sizes_by = 1) {
  const RandomRun run = from_environment({.count = count});
  AgreementReport report;
  for (std::size_t k = 0; k < run.count; ++k) {
    Random random(run.seed + k);
    const PlacementProblem problem = with_large_sizes(random_problem(random, features), sizes_by);
    const PlaceParams params{.minimize = minimize,
                             .limits = {.timeout = std::chrono::seconds(20), .threads = threads}};
    ++report.asked;
    const Wrong wrong = guarded(problem, params);
    if (!wrong) continue;
    const PlacementProblem small =
        shrink(problem, [&](const PlacementProblem& p) { return guarded(p, params).has_value(); });
    report.disagreements.push_back(
        {run.seed + k,
         "seed " + std::to_string(run.seed + k) + ": " + guarded(small, params).value_or(*wrong),
         to_yaml(small)});
    if (report.disagreements.size() == 3) break;
  }
  expect_no_disagreement(report);
}

TEST(RandomPlace, Fits) {
  expect_right(Features::all(), 1000, Objective::fit, 1);
}

TEST(RandomPlace, FitsOnTwoThreads) {
  expect_right(Features::all(), 300, Objective::fit, 2);
}

TEST(RandomPlace, FindsTheLeastHeight) {
  expect_right(Features::all(), 500, Objective::height, 1);
}

TEST(RandomPlace, FindsTheLeastHeightInOneAddressSpace) {
  expect_right(Features::one_address_space(), 1000, Objective::height, 1);
}

TEST(RandomPlace, FindsTheLeastHeightWhereSizesHaveACommonDivisor) {
  // Relations of every kind, and few features that could hide their effect on heights.
  Features features;
  features.reserved = features.windows = features.gaps = features.gap_windows = true;
  features.relations = Features::all().relations;
  expect_right(features, 2000, Objective::height, 1, 3);
}

TEST(RandomPlace, FindsTheLeastCost) {
  expect_right(Features::all(), 500, Objective::cost, 2);
}

TEST(RandomPlace, FindsTheFewestModes) {
  expect_right(Features::all(), 500, Objective::modes, 1);
}

TEST(RandomPlace, FindsTheFewestSwitches) {
  expect_right(Features::all(), 400, Objective::switches, 1);
}

TEST(RandomPlace, FindsTheFewestModesOfBuffersWithParts) {
  expect_right(Features::all_with_parts(), 200, Objective::modes, 1);
}

}  // namespace
}  // namespace tessera::testing
