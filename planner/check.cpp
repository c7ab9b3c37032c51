// check_plan(): derives the subgraphs again.
#include "tessera/check.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cost/score.h"
#include "model/json_text.h"
#include "model/parallel.h"
#include "planner/accounting.h"
#include "planner/check.h"
#include "planner/describe.h"
#include "planner/idle.h"
#include "planner/kept_places.h"
#include "planner/modes.h"
#include "planner/offchip.h"
#include "planner/piece.h"
#include "planner/pinned.h"
#include "tessera/plan.h"
#include "validation/requirements.h"

namespace tessera::planner {

namespace {

std::string name_of(const PlannedSubgraph& s) {
  return "subgraph of ops " + std::to_string(s.ops.first) + " to " + std::to_string(s.ops.last);
}

/// Sums of doubles from a file may differ in the last bits.
bool close(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::max({1.0, std::abs(a), std::abs(b)});
}

}  // namespace

void metrics_wrong(const std::string& of, const Metrics& right, const Metrics& said,
                   std::vector<std::string>& wrong) {
  const auto whole = [&](const char* what, std::int64_t a, std::int64_t b) {
    if (a != b)
      wrong.push_back(of + ": " + what + " is " + std::to_string(a) + ", not " + std::to_string(b));
  };
  whole("latency_cycles", right.latency_cycles, said.latency_cycles);
  whole("dram_bytes", right.dram_bytes, said.dram_bytes);
  whole("peak_bytes", right.peak_bytes, said.peak_bytes);
  if (!close(right.energy_pj, said.energy_pj))
    wrong.push_back(of + ": energy_pj is " + json_number(right.energy_pj) + ", not " +
                    json_number(said.energy_pj));
  if (!close(right.peak_bandwidth, said.peak_bandwidth))
    wrong.push_back(of + ": peak_bandwidth is " + json_number(right.peak_bandwidth) + ", not " +
                    json_number(said.peak_bandwidth));
}

namespace {

/// Errors of one group, independent of the others.
class RunChecker {
 public:
  /// require: all outlive this; readers is last_readers(network).
  RunChecker(const Network& network, const Hardware& hardware, const NetworkPlan& plan,
             const std::vector<std::optional<OpIndex>>& readers)
      : network_(network), hardware_(hardware), plan_(plan), readers_(readers) {}

  std::vector<std::string> run(const PlannedSubgraph& s) {
    subgraph(s);
    return std::move(wrong_);
  }

 private:
  void say(std::string text) { wrong_.push_back(std::move(text)); }

  void subgraph(const PlannedSubgraph& s) {
    Piece piece;
    try {
      piece = make_piece(network_, hardware_, s, readers_);
    } catch (const std::invalid_argument& error) {
      return say(error.what());
    }
    if (s.placements.size() != piece.demands.size())
      return say(name_of(s) + " has " + std::to_string(s.placements.size()) + " placements for " +
                 std::to_string(piece.demands.size()) + " different sizes of its tiles");
    bool placed = true;
    for (std::size_t k = 0; k < s.placements.size(); ++k) {
      const PlacementProblem problem = piece_problem(piece, k);
      const Placement& placement = s.placements[k].placement;
      for (const Violation& v : check(problem, placement, 5)) {
        say(name_of(s) + ", placement " + std::to_string(k) + ": " + v.message +
            pinned_there(problem, placement, v));
        placed = false;
      }
    }
    if (!placed) return;
    std::vector<PlannedPlacement> placements = s.placements;  // the problems in the plan are not
                                                              // trusted
    for (std::size_t k = 0; k < placements.size(); ++k)
      placements[k].problem = piece_problem(piece, k);
    const cost::GroupCost cost = cost::group_cost(piece_run(piece, hardware_, placements));
    metrics_wrong(name_of(s), cost.metrics, s.metrics, wrong_);
    layers(s, piece_layers(piece, cost));
    if (!close(cost.utilisation, s.utilisation))
      say(name_of(s) + ": utilisation is " + std::to_string(cost.utilisation) + ", not " +
          std::to_string(s.utilisation));
    if (cost.mode_switches != s.mode_switches)
      say(name_of(s) + " switches modes " + std::to_string(cost.mode_switches) + " times, not " +
          std::to_string(s.mode_switches));
  }

  /// In the problem of a group, pinned weights are a reserved range.
  [[nodiscard]] std::string pinned_there(const PlacementProblem& problem,
                                         const Placement& placement, const Violation& v) const {
    if (v.rule != Rule::reserved || !v.memory || v.buffers.empty() || plan_.pinned.empty() ||
        problem.memories[*v.memory].name != plan_.pinned.front().memory)
      return {};
    constexpr std::size_t named = 3;
    const Offset begin = placement.places[v.buffers.front()].offset;
    const AddressRange bytes{begin, begin + problem.buffers[v.buffers.front()].size};
    std::string names;
    std::size_t touched = 0;
    for (const PlannedPin& pin : plan_.pinned) {
      if (pin.offset >= bytes.end || pin.offset + pin.bytes <= bytes.begin) continue;
      if (++touched <= named) names += (names.empty() ? ": '" : ", '") + pin.weight + "'";
    }
    if (touched > named) names += " and " + std::to_string(touched - named) + " more";
    return " The range holds pinned weights" + names + ".";
  }

  /// Layers are optional in a plan.
  void layers(const PlannedSubgraph& s, const std::vector<PlannedLayer>& right) {
    if (plan_.layers.empty()) return;
    for (std::size_t k = 0; k < right.size() && s.ops.first + k < plan_.layers.size(); ++k) {
      const PlannedLayer& said = plan_.layers[s.ops.first + k];
      const PlannedLayer& layer = right[k];
      std::string differs;
      const auto part = [&](bool same, const char* key, const std::string& right_value) {
        if (!same) differs += (differs.empty() ? "`" : ", `") + (key + ("` is " + right_value));
      };
      part(said.op == layer.op, "op", "'" + layer.op + "'");
      part(said.kind == layer.kind, "kind", layer.kind);
      part(said.compute_cycles == layer.compute_cycles, "compute_cycles",
           std::to_string(layer.compute_cycles));
      part(said.cycles == layer.cycles, "cycles", std::to_string(layer.cycles));
      part(said.offchip_bytes == layer.offchip_bytes, "offchip_bytes",
           std::to_string(layer.offchip_bytes));
      part(close(said.energy_pj, layer.energy_pj), "energy_pj", std::to_string(layer.energy_pj));
      part(said.bound_by == layer.bound_by, "bound_by", layer.bound_by);
      if (!differs.empty())
        say("layer " + std::to_string(s.ops.first + k) + ", '" + layer.op + "': " + differs +
            ", which differs from `layers`");
    }
  }

  const Network& network_;
  const Hardware& hardware_;
  const NetworkPlan& plan_;
  const std::vector<std::optional<OpIndex>>& readers_;
  std::vector<std::string> wrong_;
};

class PlanChecker {
 public:
  PlanChecker(const Network& network, const Hardware& hardware, const NetworkPlan& plan,
              int threads)
      : network_(network),
        hardware_(hardware),
        plan_(plan),
        readers_(tiling::last_readers(network)),
        threads_(threads) {}

  std::vector<std::string> run() {
    weights();
    if (plan_.status != Status::feasible) {
      if (!plan_.subgraphs.empty()) say("a plan without status `feasible` lists subgraphs");
      return std::move(wrong_);
    }
    coverage();
    subgraphs();
    if (wrong_.empty())
      for (std::string& sentence : kept_wrong(network_, hardware_, plan_.subgraphs))
        say(std::move(sentence));
    if (wrong_.empty())
      for (std::string& sentence : behind_wrong(network_, hardware_, plan_))
        say(std::move(sentence));
    if (wrong_.empty())
      for (std::string& sentence : offchip_wrong(network_, hardware_, plan_, threads_))
        say(std::move(sentence));
    metrics_wrong("the totals", with_fetches(totals_of(plan_.subgraphs), plan_.behind),
                  plan_.totals, wrong_);
    const cost::Score score{plan_.weights, cost::in_cycles_of(hardware_.clock_hz, plan_.reference)};
    if (!close(cost::score_of(score, plan_.totals), plan_.score))
      say("the score does not match the totals, the reference and the weights");
    if (!close(cost::score_of(score, plan_.baseline), plan_.baseline_score))
      say("the score of the baseline is not " + std::to_string(plan_.baseline_score) +
          ": it does not match the baseline, the reference and the weights");
    if (plan_.clock_hz != 0 && plan_.clock_hz != hardware_.clock_hz)  // 0: not specified
      say("the profile's clock is " + json_number(hardware_.clock_hz) + " Hz, not " +
          json_number(plan_.clock_hz));
    if (!(plan_.reference.clock_hz >= 0))  // 0: not specified
      say("the clock of the reference is negative");
    claim({plan_.bound, plan_.optimal, plan_.scope}, "");
    claim(plan_.explored, "`explored`: ");
    group_bounds();
    objectives();
    idle();
    accounting();
    return std::move(wrong_);
  }

 private:
  void say(std::string text) { wrong_.push_back(std::move(text)); }

  void claim(const PlanClaim& said, const std::string& where) {
    if (said.bound > plan_.score && !close(said.bound, plan_.score))
      say(where + "the bound is above the score of the plan");
    if (said.optimal && said.bound < plan_.score && !close(said.bound, plan_.score))
      say(where + "the plan is marked optimal, but its bound is below its score");
  }

  void group_bounds() {
    if (plan_.group_bounds.empty()) return;
    if (plan_.group_bounds.size() != plan_.subgraphs.size())
      return say("not every group has a lower bound, or none has");
    const cost::Score score{plan_.weights, cost::in_cycles_of(hardware_.clock_hz, plan_.reference)};
    for (std::size_t k = 0; k < plan_.subgraphs.size(); ++k) {
      const auto& [part, bound, least] = plan_.group_bounds[k];
      if (!close(part, cost::additive_score(score, plan_.subgraphs[k].metrics)))
        say(name_of(plan_.subgraphs[k]) + " has another part of the score than it states");
      if (bound > part && !close(bound, part))
        say(name_of(plan_.subgraphs[k]) + " has a lower bound above its part of the score");
    }
  }

  void weights() {
    double sum = 0;
    for (const double weight : {plan_.weights.latency, plan_.weights.energy,
                                plan_.weights.dram_bytes, plan_.weights.peak_memory}) {
      if (!(weight >= 0)) return say("a weight of the score is negative or not a number");
      sum += weight;
    }
    if (plan_.weights.peak_bandwidth != 0 || std::abs(sum - 1) > 1e-9)
      say("the weights of the score do not add up to 1");
  }

  void coverage() {
    OpIndex next = 0;
    for (const PlannedSubgraph& s : plan_.subgraphs) {
      if (s.ops.first != next)
        say(name_of(s) + " begins at op " + std::to_string(s.ops.first) + ", but op " +
            std::to_string(next) + " comes next");
      next = s.ops.last + 1;
      if (s.ops.last >= network_.ops.size() || s.ops.first > s.ops.last) continue;
      for (OpIndex op = s.ops.first; op <= s.ops.last; ++op) {
        const std::size_t k = op - s.ops.first;
        if (s.names.size() != s.ops.size() || s.names[k] != network_.ops[op].name) {
          say(name_of(s) + " does not name op " + std::to_string(op) + ", '" +
              network_.ops[op].name + "'");
          break;
        }
      }
    }
    if (!plan_.layers.empty() && plan_.layers.size() != network_.ops.size())
      say("`layers` lists " + std::to_string(plan_.layers.size()) + " of " +
          std::to_string(network_.ops.size()) + " ops");
    if (next != network_.ops.size())
      say("the subgraphs end at op " + std::to_string(next) + " of " +
          std::to_string(network_.ops.size()));
  }

  void subgraphs() {
    std::vector<std::vector<std::string>> wrong(plan_.subgraphs.size());
    each_together(threads_, wrong.size(), [&](std::size_t k) {
      wrong[k] = RunChecker(network_, hardware_, plan_, readers_).run(plan_.subgraphs[k]);
    });
    for (std::vector<std::string>& each : wrong)
      for (std::string& sentence : each) say(std::move(sentence));
  }

  void objectives() {
    for (const ObjectiveValue& said : plan_.objectives) {
      if (said.name != "modes") {
        say("`objectives` lists '" + said.name + "', which is not an objective of a plan");
        continue;
      }
      if (const std::int64_t used = modes_in_use(plan_.subgraphs); said.value != used)
        say("the plan uses " + std::to_string(used) + " modes, not " + std::to_string(said.value) +
            " as in `objectives`");
      if (said.bound > said.value || said.proved != (said.bound == said.value))
        say("`objectives` states for the modes that " + std::to_string(said.value) +
            " of at least " + std::to_string(said.bound) + " are " + (said.proved ? "" : "not ") +
            "proved minimal, which is impossible");
    }
  }

  /// Architects remove the resources listed here, so the lists must be exact.
  void idle() {
    if (!wrong_.empty()) return;  // wrong placements say nothing about banks
    const std::vector<Memory> memories = placement_memories(hardware_);
    if (plan_.unused_modes != unused_modes(memories, plan_.subgraphs))
      say("the modes listed as unused differ from the unused modes of the plan");
    if (plan_.idle_banks != idle_banks(memories, plan_.subgraphs))
      say("the banks listed as idle differ from the unused banks of the plan");
  }

  /// Accountings are optional in a plan.
  void accounting() {
    if (!wrong_.empty() || plan_.accounting == PlanAccounting{}) return;
    if (plan_.layers.empty()) return say("the plan has an accounting, but no layers");
    for (std::string& sentence :
         accounting_wrong(accounting_of(network_, hardware_, plan_, threads_), plan_.accounting))
      say(std::move(sentence));
  }

  const Network& network_;
  const Hardware& hardware_;
  const NetworkPlan& plan_;
  std::vector<std::optional<OpIndex>> readers_;
  int threads_;
  std::vector<std::string> wrong_;
};

}  // namespace

std::vector<std::string> plan_wrong(const Network& network, const Hardware& hardware,
                                    const NetworkPlan& plan, int threads) {
  return PlanChecker(network, hardware, plan, threads).run();
}

}  // namespace tessera::planner

namespace tessera {

std::vector<std::string> check_plan(const Network& network, const Hardware& hardware,
                                    const NetworkPlan& plan) {
  validation::require_valid(network);
  validation::require_valid(hardware);
  planner::PinnedMachine own;
  try {
    own = planner::as_planned(network, hardware, plan.joined, plan.pinned);
  } catch (const std::invalid_argument& error) {
    return {error.what()};
  }
  try {
    return planner::plan_wrong(own.network, own.hardware, plan, 1);
  } catch (const std::invalid_argument& error) {
    throw BadInput(error.what());
  }
}

PlacementProblem offchip_problem(const Network& network, const Hardware& hardware,
                                 const NetworkPlan& plan) {
  const std::vector<std::string> wrong = check_plan(network, hardware, plan);
  if (!wrong.empty())
    throw BadInput("the plan is wrong, so it has no off-chip placement problem: " + wrong.front());
  if (plan.status != Status::feasible)
    throw BadInput("no plan was found, so there is no off-chip placement problem");
  const planner::PinnedMachine own =
      planner::as_planned(network, hardware, plan.joined, plan.pinned);
  return planner::offchip_question_of(own.network, own.hardware, plan);
}

}  // namespace tessera
