#include "tests/support/engine_agreement.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <set>
#include <sstream>

#include "engine/session.h"
#include "model/derived.h"
#include "model/size_layer.h"
#include "tessera/check.h"
#include "tessera/validate.h"
#include "tests/support/brute_force.h"
#include "tests/support/effort.h"
#include "tests/support/problem_text.h"
#include "tests/support/shrink.h"

namespace tessera::testing {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

OracleGoal oracle_goal(Objective goal) {
  switch (goal) {
    case Objective::fit:
      return OracleGoal::any;
    case Objective::cost:
      return OracleGoal::cost;
    case Objective::modes:
      return OracleGoal::modes;
    case Objective::switches:
      return OracleGoal::switches;
    case Objective::height:
    case Objective::benefit:
      break;  // no engine is queried for them
  }
  return OracleGoal::any;
}

std::int64_t value_of(const PlacementProblem& problem, const Placement& placement, Objective goal) {
  if (goal == Objective::cost) return soft_cost(problem, placement);
  std::size_t used = 0;
  for (const std::vector<std::string>& modes : placement.modes) {
    for (std::size_t t = 1; goal == Objective::switches && t < modes.size(); ++t)
      used += modes[t] != modes[t - 1] ? 1U : 0U;
    if (goal == Objective::switches) continue;
    used += std::set<std::string>(modes.begin(), modes.end()).size();
  }
  return static_cast<std::int64_t>(used);
}

/// The error of this result, given the oracle's `expected`.
std::optional<std::string> compare(const PlacementProblem& problem, Objective goal,
                                   const engine::SearchResult& result,
                                   const std::optional<OracleAnswer>& expected) {
  std::ostringstream wrong;
  const auto said = [&] { return wrong.str(); };
  if (result.status == Status::unknown) {
    wrong << "the engine gave up (" << to_string(result.stop) << "): " << result.reason;
    return said();
  }
  if (result.status == Status::infeasible) {
    if (expected) {
      wrong << "the engine says infeasible (" << result.reason << "), but there is "
            << to_text(problem, expected->placement);
      return said();
    }
    if (result.reason.empty()) return "infeasible, but the engine gives no reason";
    if (result.placement) return "infeasible, but the engine gives a placement";
    return std::nullopt;
  }
  if (!result.placement) return "feasible, but the engine gives no placement";
  const std::string answer = to_text(problem, *result.placement);
  if (const std::vector<Violation> violations = check(problem, *result.placement);
      !violations.empty()) {
    wrong << "the checker rejects " << answer << ": " << violations.front().message;
    return said();
  }
  if (!expected) return "the oracle finds no placement, but the engine says " + answer;
  if (goal == Objective::fit) return std::nullopt;
  const std::int64_t value = value_of(problem, *result.placement, goal);
  if (value != expected->value || result.bound != expected->value) {
    wrong << "the least value is " << expected->value << " ("
          << to_text(problem, expected->placement) << "), but the engine's placement has " << value
          << " (" << answer << ") and its bound is " << result.bound;
    return said();
  }
  return std::nullopt;
}

/// Runs a query that may throw.
template <typename Question>
std::optional<std::string> guarded(Question question) {
  try {
    return question();
  } catch (const std::exception& error) {
    return std::string("the engine threw: ") + error.what();
  }
}

struct Magnification {
  Size granule = 1;
  Step spread = 1;
};

Magnification random_magnification(Random& random, const PlacementProblem& problem) {
  const bool moded = std::any_of(problem.memories.begin(), problem.memories.end(), has_modes);
  Magnification result;
  result.granule =
      random.pick(std::vector<Size>{1, 1, 1, 2, 7, 64, 1000, Size{1} << 20, (Size{1} << 40) + 3});
  if (!moded) result.spread = random.pick(std::vector<Step>{1, 1, 1, 3, 1000, Step{1} << 33});
  return result;
}

/// An incomplete engine reports that it has no result, and why.
bool gave_up(const engine::SearchResult& result) {
  return result.status == Status::unknown && result.stop == StopReason::completed &&
         !result.reason.empty() && !result.placement;
}

std::string describe(std::uint64_t seed, Objective goal, const Magnification& by,
                     const std::string& what) {
  std::ostringstream out;
  out << "seed " << seed << ", goal "
      << (goal == Objective::fit     ? "fit"
          : goal == Objective::cost  ? "cost"
          : goal == Objective::modes ? "modes"
                                     : "switches");
  if (by.granule != 1) out << ", addresses times " << by.granule;
  if (by.spread != 1) out << ", steps times " << by.spread;
  out << ": " << what;
  return out.str();
}

/// Sizes and capacities close to the problem's own; each layer makes a valid problem.
std::vector<SizeLayer> random_layers(Random& random, const PlacementProblem& problem,
                                     std::size_t count) {
  std::vector<SizeLayer> layers;
  SizeLayer last = size_layer(problem);
  for (std::size_t tries = 0; tries < 2 * count && layers.size() < count; ++tries) {
    SizeLayer next = last;
    // Usually small steps in one direction, as in a search for a tile size.
    const int direction = random.chance(50) ? 1 : -1;
    for (Size& size : next.sizes) {
      if (random.chance(40)) size += direction * random.between(0, 2);
      if (random.chance(5)) size = random.between(1, 8);
      size = std::clamp<Size>(size, 1, 12);
    }
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
      if (problem.memories[m].banks.empty() && random.chance(30)) {
        next.capacities[m] = std::clamp<Size>(next.capacities[m] + random.between(-2, 2), 2, 24);
      }
    }
    if (!validate(with_layer(problem, next)).empty()) continue;
    layers.push_back(next);
    if (random.chance(20)) layers.push_back(last);  // and back again
    last = next;
  }
  return layers;
}

std::optional<std::string> wrong_session(engine::PlacementEngine& engine,
                                         const PlacementProblem& problem,
                                         const std::vector<SizeLayer>& layers,
                                         const AgreementParams& params, AgreementReport* report) {
  return guarded([&]() -> std::optional<std::string> {
    const std::vector<Objective>& goals = params.goals;
    for (const Objective goal : goals) {
      if (engine.unsupported(problem, goal)) return std::nullopt;
    }
    const auto session = params.memo ? engine::open_session(engine, problem) : engine.open(problem);
    for (std::size_t k = 0; k < layers.size(); ++k) {
      const Objective goal = goals[k % goals.size()];
      const PlacementProblem now = with_layer(problem, layers[k]);
      if (!validate(now).empty()) continue;
      const auto start = Clock::now();
      const engine::SearchResult result = session->solve(
          layers[k], {.budget = {.deadline = start + params.patience}, .goal = goal});
      const auto asked = Clock::now();
      const std::optional<OracleAnswer> expected = brute_force(now, oracle_goal(goal));
      if (report != nullptr) {
        ++report->asked;
        ++(expected ? report->feasible : report->infeasible);
        report->oracle_seconds += seconds_since(asked);
        report->engine_seconds += std::chrono::duration<double>(asked - start).count();
      }
      if (const auto wrong = compare(now, goal, result, expected)) {
        std::ostringstream out;
        out << "question " << k << " of a session, sizes";
        for (const Size size : layers[k].sizes) out << ' ' << size;
        out << ", capacities";
        for (const Size capacity : layers[k].capacities) out << ' ' << capacity;
        out << ": " << *wrong;
        return out.str();
      }
    }
    return std::nullopt;
  });
}

}  // namespace

std::optional<std::string> wrong_answer(engine::PlacementEngine& engine,
                                        const PlacementProblem& problem, Objective goal,
                                        std::chrono::milliseconds patience) {
  if (engine.unsupported(problem, goal)) return std::nullopt;
  const std::optional<OracleAnswer> expected = brute_force(problem, oracle_goal(goal));
  return guarded([&] {
    const engine::SearchResult result =
        engine.solve(problem, {.budget = {.deadline = Clock::now() + patience}, .goal = goal});
    return compare(problem, goal, result, expected);
  });
}

AgreementReport compare_with_oracle(engine::PlacementEngine& engine,
                                    const AgreementParams& params) {
  AgreementReport report;
  for (std::size_t k = 0; k < params.count; ++k) {
    const std::uint64_t seed = params.seed + k;
    Random random(seed);
    const PlacementProblem base = random_problem(random, params.features);
    const Magnification by = params.magnify ? random_magnification(random, base) : Magnification{};
    const PlacementProblem problem = magnified(base, by.granule, by.spread);
    for (const Objective goal : params.goals) {
      // The oracle always solves the small numbers.
      const auto ask = [&](const PlacementProblem& small) -> std::optional<std::string> {
        const PlacementProblem large = magnified(small, by.granule, by.spread);
        const engine::SearchResult result = engine.solve(
            large, {.budget = {.deadline = Clock::now() + params.patience}, .goal = goal});
        if (params.may_give_up && gave_up(result)) return std::nullopt;
        return compare(large, goal, result, brute_force(small, oracle_goal(goal)));
      };
      ++report.asked;
      std::optional<std::string> wrong;
      if (const auto why = engine.unsupported(problem, goal)) {
        ++report.unsupported;
        if (why->empty()) wrong = "unsupported, but no reason is given";
        if (params.must_support) wrong = "unsupported: " + *why;
        if (wrong) {
          report.disagreements.push_back(
              {seed, describe(seed, goal, by, *wrong), to_yaml(problem)});
        }
      } else {
        const auto start = Clock::now();
        wrong = guarded([&]() -> std::optional<std::string> {
          const engine::SearchResult result = engine.solve(
              problem, {.budget = {.deadline = start + params.patience}, .goal = goal});
          report.engine_seconds += seconds_since(start);
          if (params.may_give_up && gave_up(result)) {
            ++report.given_up;
            return std::nullopt;
          }
          const auto oracle_start = Clock::now();
          const std::optional<OracleAnswer> expected = brute_force(base, oracle_goal(goal));
          report.oracle_seconds += seconds_since(oracle_start);
          ++(expected ? report.feasible : report.infeasible);
          return compare(problem, goal, result, expected);
        });
        if (wrong) {
          const auto still_wrong = [&](const PlacementProblem& p) {
            return guarded([&]() -> std::optional<std::string> {
              if (engine.unsupported(magnified(p, by.granule, by.spread), goal)) return {};
              return ask(p);
            });
          };
          const PlacementProblem small =
              shrink(base, [&](const PlacementProblem& p) { return still_wrong(p).has_value(); });
          report.disagreements.push_back(
              {seed,
               describe(seed, goal, by, still_wrong(small).value_or(*wrong + " (not every time)")),
               to_yaml(magnified(small, by.granule, by.spread))});
        }
      }
      if (report.disagreements.size() >= params.stop_after) return report;
    }
  }
  return report;
}

AgreementReport compare_sessions_with_oracle(engine::PlacementEngine& engine,
                                             const AgreementParams& params) {
  AgreementReport report;
  for (std::size_t k = 0; report.asked < params.count && k < 10 * params.count; ++k) {
    const std::uint64_t seed = params.seed + k;
    Random random(seed);
    const PlacementProblem problem = random_problem(random, params.features);
    const std::vector<SizeLayer> layers = random_layers(random, problem, params.layers);
    if (std::any_of(params.goals.begin(), params.goals.end(), [&](Objective goal) {
          return engine.unsupported(problem, goal).has_value();
        })) {
      ++report.unsupported;
      continue;
    }
    const auto wrong = wrong_session(engine, problem, layers, params, &report);
    if (!wrong) continue;
    // Relations and details can be removed; buffers and memories belong to the layers and stay.
    const auto still_wrong = [&](const PlacementProblem& p) {
      return wrong_session(engine, p, layers, params, nullptr);
    };
    const PlacementProblem small = shrink(problem, [&](const PlacementProblem& p) {
      return p.buffers.size() == problem.buffers.size() &&
             p.memories.size() == problem.memories.size() && still_wrong(p).has_value();
    });
    report.disagreements.push_back(
        {seed, describe(seed, params.goals.front(), {}, still_wrong(small).value_or(*wrong)),
         to_yaml(small)});
    if (report.disagreements.size() >= params.stop_after) return report;
  }
  return report;
}

namespace {

struct Opinions {
  std::size_t answers = 0;
  bool feasible = false;
  std::optional<std::string> wrong{};
};

/// Runs all engines and compares their results.
Opinions ask_all(const std::vector<engine::PlacementEngine*>& engines,
                 const PlacementProblem& problem, Objective goal,
                 std::chrono::milliseconds patience) {
  Opinions all;
  std::optional<Cost> value;
  std::string first;
  for (engine::PlacementEngine* engine : engines) {
    if (engine->unsupported(problem, goal)) continue;
    const std::string name(engine->name());
    const auto complain = [&](const std::string& what) { all.wrong = name + ": " + what; };
    engine::SearchResult result;
    all.wrong = guarded([&]() -> std::optional<std::string> {
      result =
          engine->solve(problem, {.budget = {.deadline = Clock::now() + patience}, .goal = goal});
      return std::nullopt;
    });
    if (all.wrong) return complain(*all.wrong), all;
    if (result.status == Status::feasible) {
      if (!result.placement) return complain("feasible without a placement"), all;
      const std::vector<Violation> violations = check(problem, *result.placement);
      if (!violations.empty()) return complain(violations.front().message), all;
    }
    if (result.status == Status::unknown || result.stop != StopReason::completed) continue;
    const bool feasible = result.status == Status::feasible;
    if (all.answers > 0 && feasible != all.feasible) {
      return complain((feasible ? "finds a placement, unlike " : "says infeasible, unlike ") +
                      first),
             all;
    }
    if (feasible && goal != Objective::fit) {
      const Cost cost = value_of(problem, *result.placement, goal);
      if (cost != result.bound) return complain("stops with a gap between cost and bound"), all;
      if (value && *value != cost) {
        std::ostringstream out;
        out << "least value " << cost << ", but " << *value << " for " << first;
        return complain(out.str()), all;
      }
      value = cost;
    }
    if (all.answers++ == 0) first = name;
    all.feasible = feasible;
  }
  return all;
}

}  // namespace

AgreementReport compare_engines(const std::vector<engine::PlacementEngine*>& engines,
                                const AgreementParams& params) {
  AgreementReport report;
  for (std::size_t k = 0; k < params.count; ++k) {
    const std::uint64_t seed = params.seed + k;
    Random random(seed);
    const PlacementProblem problem = random_problem(random, params.features);
    for (const Objective goal : params.goals) {
      const auto start = Clock::now();
      const Opinions all = ask_all(engines, problem, goal, params.patience);
      report.engine_seconds += seconds_since(start);
      ++report.asked;
      if (all.answers < 2) {
        ++report.unsupported;
      } else {
        ++(all.feasible ? report.feasible : report.infeasible);
      }
      if (!all.wrong) continue;
      const PlacementProblem small = shrink(problem, [&](const PlacementProblem& p) {
        return ask_all(engines, p, goal, params.patience).wrong.has_value();
      });
      const auto again = ask_all(engines, small, goal, params.patience).wrong;
      report.disagreements.push_back(
          {seed, describe(seed, goal, {}, again.value_or(*all.wrong)), to_yaml(small)});
      if (report.disagreements.size() >= params.stop_after) return report;
    }
  }
  return report;
}

RandomRun from_environment(RandomRun run) {
  run.count = effort(run.count);
  if (const char* count = std::getenv("TESSERA_RANDOM_COUNT")) {
    run.count = std::strtoull(count, nullptr, 10);
  }
  if (const char* seed = std::getenv("TESSERA_RANDOM_SEED")) {
    run.seed = std::strtoull(seed, nullptr, 10);
  }
  return run;
}

PlacementProblem with_layer(PlacementProblem problem, const SizeLayer& layer) {
  replace_sizes(problem, layer);
  return problem;
}

}  // namespace tessera::testing
