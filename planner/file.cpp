// Plans as files: writing, reading, and a full verdict.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "cost/score.h"
#include "io/c_header.h"
#include "io/files.h"
#include "io/plan_csv.h"
#include "io/plan_json.h"
#include "planner/baseline.h"
#include "planner/behind.h"
#include "planner/check.h"
#include "planner/hardware_key.h"
#include "planner/modes.h"
#include "planner/piece.h"
#include "planner/pinned.h"
#include "tessera/check.h"
#include "tessera/check_result.h"
#include "tessera/plan.h"
#include "validation/limited_budget.h"
#include "validation/requirements.h"

namespace tessera::planner {

namespace {

std::string group_name(const PlannedSubgraph& s) {
  return "subgraph of ops " + std::to_string(s.ops.first) + " to " + std::to_string(s.ops.last);
}

NetworkPlan read_plan(std::string_view text, const std::string& path, const Network& network,
                      const Hardware& hardware, const io::PlannedClaims& claims) {
  validation::require_valid(network);
  validation::require_valid(hardware);
  const std::vector<std::optional<OpIndex>> readers = tiling::last_readers(network);
  std::optional<PinnedMachine> own;
  const io::PlannedProblem problem_of = [&](const io::PlannedPlaces& places,
                                            const PlannedSubgraph& subgraph, std::size_t index) {
    if (!own) own = as_planned(network, hardware, places.joined, places.pinned);
    const Piece piece = make_piece(own->network, own->hardware, subgraph, readers);
    if (index >= piece.demands.size())
      throw std::invalid_argument("the tiles of this subgraph need only " +
                                  std::to_string(piece.demands.size()) + " placements");
    return piece_problem(piece, index);
  };
  try {
    return io::read_plan_json(text, path, problem_of, claims);
  } catch (const io::MismatchError& error) {
    throw WrongAnswer(error.what(), error.hint);
  }
}

bool is_close(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::max({1.0, std::abs(a), std::abs(b)});
}

bool is_close(const Metrics& a, const Metrics& b) {
  return a.latency_cycles == b.latency_cycles && a.dram_bytes == b.dram_bytes &&
         a.peak_bytes == b.peak_bytes && is_close(a.energy_pj, b.energy_pj) &&
         is_close(a.peak_bandwidth, b.peak_bandwidth);
}

/// Statements of a plan that check_plan() does not verify.
class ClaimCheck {
 public:
  ClaimCheck(const Network& network, const Hardware& hardware, const Limits& limits,
             PlanVerdict& verdict)
      : network_(network),
        hardware_(hardware),
        limits_(limits),
        plan_(verdict.plan),
        verdict_(verdict) {}

  void run() {
    if (plan_.status != Status::feasible) {
      verdict_.claimed.push_back("status " + std::string(to_string(plan_.status)) +
                                 (plan_.reason.empty() ? "" : ": " + plan_.reason));
      return;
    }
    names();
    weights();
    baseline();
    reference();
    bounds();
    objectives();
    verdict_.claimed.emplace_back(
        "stop, search, seed, limit_mattered and engine names: how the plan was found");
  }

 private:
  /// Files may have been renamed.
  void names() {
    if (plan_.network != network_.name)
      verdict_.claimed.push_back("network '" + plan_.network + "': the given name is '" +
                                 network_.name + "'");
    if (plan_.profile != hardware_.name)
      verdict_.claimed.push_back("profile '" + plan_.profile + "': the given name is '" +
                                 hardware_.name + "'");
    for (const OffchipMemory& memory : plan_.offchip)
      verdict_.claimed.push_back("offchip: whole_tensors " + std::to_string(memory.whole_tensors) +
                                 " of memory '" + memory.memory + "'");
  }

  void weights() {
    const ObjectiveWeights own = cost::normalized(hardware_.objective);
    const ObjectiveWeights& said = plan_.weights;
    if (is_close(own.latency, said.latency) && is_close(own.energy, said.energy) &&
        is_close(own.dram_bytes, said.dram_bytes) && is_close(own.peak_memory, said.peak_memory))
      return;
    verdict_.claimed.emplace_back(
        "weights: differ from those of the profile (the score matches them)");
  }

  /// Recomputes the reference if it belongs to this profile (the baseline) or to the machine named
  /// by it. Any other reference is a claim.
  void reference() {
    const PlanReference& said = plan_.reference;
    const Hardware* const other = hardware_.reference.get();
    const std::string where = "reference: " + said.profile + ", layer by layer or planned";
    if (other == nullptr || hardware_key(*other) == hardware_key(hardware_)) {
      const bool named =
          said.profile == hardware_.name || (other != nullptr && said.profile == other->name);
      if (!named)
        verdict_.claimed.push_back(where + ": its cost");
      else
        compare({said.profile, hardware_.clock_hz, plan_.baseline});
      return;
    }
    std::optional<PlanReference> made;
    if (other->name == said.profile) {
      PlanParams params;
      const std::int64_t nodes = plan_.search.nodes_per_question;
      if (nodes > 0) params.nodes_per_question = nodes;
      params.limits = limits_;
      params.limits.seed = plan_.seed;
      try {
        made = layer_by_layer(network_, *other, params);
      } catch (const BadInput&) {  // the network does not fit on that machine
        if (other->name == hardware_.name)
          made = PlanReference{said.profile, hardware_.clock_hz, plan_.baseline};
      }
    }
    if (made)
      compare(*made);
    else
      verdict_.claimed.push_back(where + ": its cost");
  }

  void compare(const PlanReference& made) {
    const PlanReference& said = plan_.reference;
    if (!is_close(made.totals, said.totals) || made.clock_hz != said.clock_hz)
      claim_other_than(made);
  }

  /// The reference may be the totals of another plan, named after its machine.
  void claim_other_than(const PlanReference& layers) {
    const cost::Score score{plan_.weights, cost::in_cycles_of(hardware_.clock_hz, layers)};
    verdict_.claimed.push_back(
        "reference: the cost of a plan on " + layers.profile +
        ". It differs from the layer-by-layer plan there, relative to which this plan scores " +
        std::to_string(cost::score_of(score, plan_.totals)));
  }

  [[nodiscard]] CandidateParams effort(const Budget& budget) const {
    const std::int64_t said = plan_.search.nodes_per_question;
    return {.nodes_per_question = said > 0 ? said : PlanParams{}.nodes_per_question,
            .seed = plan_.seed,
            .budget = budget};
  }

  void baseline() {
    const validation::LimitedBudget limited(limits_);
    const Hardware machine = baseline_machine(network_, hardware_);
    Candidates candidates(network_, machine, effort(limited.budget()), make_plan_memory());
    const SingleOps singles = single_ops(candidates, network_.ops.size(), limits_.threads);
    if (limited.budget().exhausted() || candidates.ran_out_of_memory()) {
      verdict_.claimed.emplace_back("baseline: a limit ended the check before it was recomputed");
      return;
    }
    if (const std::optional<OpIndex> open = first_open(singles)) {
      verdict_.claimed.push_back("baseline: op '" + network_.ops[*open].name +
                                 "' alone was not decided with the effort stated in the plan");
      return;
    }
    const Metrics made = with_single_fetches(network_, hardware_, sum_of(singles));
    std::vector<std::string> differs;
    metrics_wrong("the baseline, each op alone", made, plan_.baseline, differs);
    if (differs.empty()) return;
    // A limit may have ended the baseline with worse tiles: not an error, but not a reliable
    // reference either.
    if (plan_.stop == StopReason::completed || plan_.stop == StopReason::node_limit)
      std::ranges::move(differs, std::back_inserter(verdict_.wrong));
    else
      verdict_.claimed.push_back("baseline: a limit ended the plan; " + differs.front());
  }

  void bounds() {
    const PlanClaim all{plan_.bound, plan_.optimal, plan_.scope};
    claim(all, "");
    if (plan_.explored != all) claim(plan_.explored, " of the explored space");
  }
  void claim(const PlanClaim& said, const std::string& of_what) {
    if (!(said.bound > 0) && !said.optimal) return;
    const std::string over = to_text(said.scope);
    verdict_.claimed.push_back("bound " + std::to_string(said.bound) +
                               (said.optimal ? ", proven_optimal" : "") + of_what +
                               (over.empty() ? ": its range is not stated" : ": over " + over));
  }

  /// Repeats the proof: its result may be better, or worse with little time.
  void objectives() {
    for (const ObjectiveValue& said : plan_.objectives) {
      const validation::LimitedBudget limited(limits_);
      const CandidateParams same = effort(limited.budget());
      std::vector<PlannedSubgraph> runs = plan_.subgraphs;
      const PinnedMachine planned = as_planned(network_, hardware_, plan_.joined, plan_.pinned);
      const ObjectiveValue own = take_fewest_modes(
          planned.network, planned.hardware,
          {.score = {plan_.weights, cost::in_cycles_of(hardware_.clock_hz, plan_.reference)},
           .nodes_per_question = same.nodes_per_question,
           .seed = same.seed,
           .threads = limits_.threads,
           .budget = limited.budget()},
          runs);
      if (own.value < said.bound)
        verdict_.wrong.push_back("`objectives` states that at least " + std::to_string(said.bound) +
                                 " modes are needed, but " + std::to_string(own.value) + " do");
      else if (own.bound < said.bound)
        verdict_.claimed.push_back("modes >= " + std::to_string(said.bound) + ": over " +
                                   modes_range);
    }
  }

  const Network& network_;
  const Hardware& hardware_;
  const Limits& limits_;
  const NetworkPlan& plan_;
  PlanVerdict& verdict_;
};

}  // namespace

}  // namespace tessera::planner

namespace tessera {

std::string plan_json(const NetworkPlan& plan) {
  validation::require_plan(plan);
  return io::write_plan_json(plan);
}

std::string plan_csv(const NetworkPlan& plan) {
  validation::require_plan(plan);
  return io::write_plan_csv(plan);
}

std::string plan_c_header(const NetworkPlan& plan, std::string_view name) {
  validation::require_plan(plan);
  if (plan.status != Status::feasible)
    throw BadInput("no plan was found, so no header can be written");
  return io::write_plan_c_header(plan, name);
}

PlanFileHeader plan_file_header(const std::string& path) {
  std::string text = io::read_file(io::input_path(path));
  io::PlanHeader header = io::read_plan_header(text, path);
  return {header.is_plan,          std::move(header.network), std::move(header.profile),
          std::move(header.dtype), std::move(text),           std::move(header.costs)};
}

NetworkPlan load_plan(const std::string& path, const Network& network, const Hardware& hardware) {
  return load_plan_text(plan_file_header(path).text, path, network, hardware);
}

NetworkPlan load_plan_text(std::string_view text, const std::string& path, const Network& network,
                           const Hardware& hardware) {
  return planner::read_plan(text, path, network, hardware, {});
}

PlanVerdict check_plan_text(std::string_view text, const std::string& path, const Network& network,
                            const Hardware& hardware, const Limits& limits) {
  PlanVerdict verdict;
  const io::PlannedClaims judge = [&](const PlannedSubgraph& subgraph,
                                      const PlannedPlacement& placed,
                                      const PlacementResult& result) {
    // check_plan() reports violated rules; this part verifies the other statements.
    if (!check(placed.problem, placed.placement, 1).empty()) return;
    PlacementResult said = result;
    said.placement = placed.placement;
    const ResultVerdict own = check_result(placed.problem, said);
    const std::string where = planner::group_name(subgraph) + ", a placement: ";
    for (const Violation& wrong : own.wrong) verdict.wrong.push_back(where + wrong.message);
    for (const std::string& claim : own.claimed)
      if (!claim.starts_with("engine")) verdict.claimed.push_back(where + claim);
  };
  try {
    verdict.plan = planner::read_plan(text, path, network, hardware, judge);
  } catch (const WrongAnswer& answer) {
    verdict.wrong.emplace_back(answer.what());
    return verdict;
  }
  for (std::string& sentence : check_plan(network, hardware, verdict.plan))
    verdict.wrong.push_back(std::move(sentence));
  if (!verdict.wrong.empty()) return verdict;
  try {
    planner::ClaimCheck(network, hardware, limits, verdict).run();
  } catch (const std::invalid_argument& error) {  // about the profile: it cannot be simulated
    throw BadInput(error.what());
  }
  return verdict;
}

}  // namespace tessera
