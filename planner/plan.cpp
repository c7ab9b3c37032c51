#include "tessera/plan.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "cost/run_bound.h"
#include "cost/score.h"
#include "io/plan_svg.h"
#include "planner/hardware_key.h"
#include "planner/limited_budget.h"
#include "planner/plan_baseline.h"
#include "planner/plan_candidates.h"
#include "planner/plan_idle.h"
#include "planner/plan_peaks.h"
#include "planner/plan_piece.h"
#include "planner/requirements.h"
#include "planner/tile_need.h"
#include "search/partition/cover.h"
#include "search/partition/structure.h"
#include "tessera/check.h"
#include "tessera/files.h"

namespace tessera {

namespace {

MetricName metric_named(const std::string& name, const char* what) {
  const auto metric = metric_from(name);
  if (!metric)
    throw BadInput(std::string(what) + " names the metric '" + name + "', which does not exist",
                   "metrics are latency, energy, dram_bytes, peak_memory and peak_bandwidth");
  return *metric;
}

ObjectiveWeights weights_of(const Hardware& hardware, const PlanParams& params) {
  ObjectiveWeights weights = hardware.objective;
  for (const auto& [name, value] : params.weights) {
    if (!(value >= 0) || value > 1e6)
      throw BadInput("the weight of '" + name + "' is not between 0 and 1000000");
    weight_of(weights, metric_named(name, "a weight")) = value;
  }
  if (weights.peak_bandwidth > 0)
    throw BadInput("peak_bandwidth has a weight, but it can only be limited",
                   "use a limit: peak_bandwidth=8 (bytes per cycle)");
  const double sum = weights.latency + weights.energy + weights.dram_bytes + weights.peak_memory;
  if (!(sum > 0))
    throw BadInput("all weights of the score are 0", "give at least one: --weight latency=1");
  return normalized(weights);
}

/// The first op that fits with no tile, as a sentence; "" if there is none.
std::string impossible_op(const Network& network, const Hardware& hardware,
                          const SingleOps& singles, const Budget& budget) {
  for (OpIndex op = 0; op < singles.size(); ++op) {
    const CandidateAnswer& answer = *singles[op];
    if (!answer.options.empty() || !answer.complete()) continue;
    std::string text = "op '" + network.ops[op].name + "' (" +
                       std::string(to_string(network.ops[op].kind)) +
                       ") fits with no tile into the memory of " + hardware.name;
    const MissingBytes missing = missing_bytes(make_subgraph(network, {op, op}), hardware,
                                               tile_variants(hardware.tiling), budget);
    if (missing.bytes > 0)
      return text + ": its smallest tile needs " + to_string(missing) + " than there are";
    return text +
           ": bytes enough for its smallest tile, but no arrangement keeps every rule of the "
           "profile";
  }
  return "";
}

void require_effort(const Network& network, const Hardware& hardware, const PlanParams& params) {
  require_valid(network);
  require_valid(hardware);
  if (params.nodes_per_question < 1) throw BadInput("a question needs at least one search node");
}

/// Takes the cover of `other`, which is one of fewer candidates, where it is better.
void take_better(CoverResult& result, CoverResult other) {
  if (other.status != Status::feasible || other.objective >= result.objective) return;
  result.status = Status::feasible;
  result.objective = other.objective;
  result.runs = std::move(other.runs);
}

CoverResult cover_of_short_runs(CoverProblem problem, CoverParams params, std::size_t longest) {
  problem.max_ops = std::min(problem.max_ops, longest);
  params.progress = nullptr;  // its bound is none for longer runs
  return best_cover(problem, params);
}

/// best_cover(), which looks at the longest runs first, since their bounds promise most. Where it
/// does not end that leaves little to choose from: so deep networks begin with short runs, and the
/// last part of a time limit goes to short runs, longer and longer ones.
CoverResult best_in_time(const CoverProblem& problem, const CoverParams& params) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t deep = 128;
  constexpr std::size_t short_run = 8;
  CoverResult early;
  if (problem.ops > deep) early = cover_of_short_runs(problem, params, short_run);
  CoverParams first = params;
  const Clock::time_point deadline = params.budget.deadline;
  if (deadline != Clock::time_point::max())
    first.budget.deadline -= std::max(Clock::duration::zero(), deadline - Clock::now()) / 7;
  CoverResult result = best_cover(problem, first);
  const auto time_left = [&] { return !params.budget.exhausted(); };
  if (result.stop == StopReason::time_limit)
    for (std::size_t longest = 2; longest < std::min(problem.max_ops, problem.ops) && time_left();
         longest *= 2)
      take_better(result, cover_of_short_runs(problem, params, longest));
  take_better(result, std::move(early));
  return result;
}

/// A sum of rounded parts may exceed the rounded sum by a hair.
constexpr double slack = 1 - 1e-9;

class Planner {
  using Clock = std::chrono::steady_clock;

 public:
  Planner(const Network& network, const Hardware& hardware, const PlanParams& params)
      : network_(network),
        hardware_(hardware),
        params_(params),
        weights_(weights_of(hardware, params)),
        limits_(peak_limits_of(params)),
        begin_(std::chrono::steady_clock::now()),
        limited_(params.limits),
        within_(machine_within(hardware, limits_)),
        memory_(params.memory ? params.memory : make_plan_memory()),
        candidates_(network, within_, candidate_params(), memory_) {}

  NetworkPlan run() {
    plan_.network = network_.name;
    plan_.profile = hardware_.name;
    plan_.weights = weights_;
    plan_.seed = params_.limits.seed;
    plan_.search.nodes_per_question = params_.nodes_per_question;
    plan_.clock_hz = hardware_.clock_hz;
    RunBounds bounds(network_, hardware_);
    if (baseline() && reference()) cover(bounds);
    plan_.search.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] CandidateParams candidate_params() const {
    return {.nodes_per_question = params_.nodes_per_question,
            .seed = params_.limits.seed,
            .budget = limited_.budget(),
            .keep_geometry = params_.memory != nullptr};
  }

  /// Layer by layer: each op alone, in the cheapest variant of its own. No limit changes the
  /// reference, so that scores with and without one can be compared.
  bool baseline() {
    SingleOps singles;
    if (limits_.any()) {
      Candidates unlimited(network_, hardware_, candidate_params(), memory_);
      singles = single_ops(unlimited, network_.ops.size(), params_.limits.threads);
    } else {
      singles = single_ops(candidates_, network_.ops.size(), params_.limits.threads);
    }
    plan_.reason = impossible_op(network_, hardware_, singles, limited_.budget());
    if (!plan_.reason.empty()) {
      plan_.status = Status::infeasible;
      note_search(nullptr);
      return false;
    }
    if (const std::optional<OpIndex> open = first_open(singles)) {
      plan_.reason = "op '" + network_.ops[*open].name + "' was not placed within the limits";
      plan_.stop = stop_reason();
      note_search(nullptr);
      return false;
    }
    plan_.baseline = sum_of(singles);
    if (weights_.energy > 0 && plan_.baseline.energy_pj <= 0)
      throw BadInput("the score weighs energy, but profile " + hardware_.name + " has no energies",
                     "give the profile energies, or --weight energy=0");
    return true;
  }

  /// What the score is relative to.  require: baseline().
  bool reference() {
    const Hardware* const other = hardware_.reference.get();
    if (params_.reference) {
      plan_.reference = *params_.reference;
    } else if (other != nullptr && hardware_key(*other) != hardware_key(hardware_)) {
      PlanParams rest = params_;
      const Budget& budget = limited_.budget();
      if (budget.deadline != Clock::time_point::max())
        rest.limits.timeout = std::max(Clock::duration{0}, budget.deadline - Clock::now());
      rest.memory = memory_;
      const std::optional<PlanReference> made = layer_by_layer(network_, *other, rest);
      if (!made) {
        plan_.reason = "the reference of the score, " + other->name +
                       " layer by layer, was not known within the limits";
        plan_.stop = stop_reason();
        note_search(nullptr);
        return false;
      }
      plan_.reference = *made;
    } else {
      plan_.reference = {other != nullptr ? other->name : hardware_.name, hardware_.clock_hz,
                         plan_.baseline};
    }
    const Metrics& own = plan_.baseline;
    const Metrics& r = plan_.reference.totals;
    if ((weights_.latency > 0 && r.latency_cycles <= 0 && own.latency_cycles > 0) ||
        (weights_.energy > 0 && !(r.energy_pj > 0)) ||
        (weights_.dram_bytes > 0 && r.dram_bytes <= 0 && own.dram_bytes > 0) ||
        (weights_.peak_memory > 0 && r.peak_bytes <= 0 && own.peak_bytes > 0))
      throw BadInput("the score weighs a metric of which the reference, " +
                         plan_.reference.profile + ", has nothing",
                     "give it figures, another reference, or the metric no weight");
    return true;
  }

  void cover(RunBounds& bounds) {
    const Score score{weights_, in_cycles_of(hardware_.clock_hz, plan_.reference)};
    // Else 1, without a last bit. (A machine with another clock may take as many cycles.)
    if (plan_.reference.totals != plan_.baseline || plan_.reference.clock_hz != hardware_.clock_hz)
      plan_.baseline_score = score_of(score, plan_.baseline);
    CoverProblem problem;
    problem.ops = network_.ops.size();
    problem.like = like_ops(network_, last_readers(network_));
    problem.max_ops = params_.max_ops;
    problem.peak_weight = peak_weight(score);
    problem.bound = [&](std::size_t first, std::size_t last) {
      return CoverBound{.cost = additive_score(score, bounds.of(first, last)) * slack};
    };
    problem.evaluate = [&](std::size_t first, std::size_t last, int effort) {
      const auto answer = candidates_.answer({first, last}, effort);
      CoverCandidate candidate{.final = answer->final};
      for (const PlannedSubgraph& s : answer->options)
        candidate.options.push_back(
            limits_.allow(s.metrics)
                ? CoverOption{additive_score(score, s.metrics), s.metrics.peak_bytes}
                : CoverOption{std::numeric_limits<double>::infinity(), s.metrics.peak_bytes});
      open(*answer, score, candidate);
      return candidate;
    };
    CoverParams cover_params{.threads = params_.limits.threads, .budget = limited_.budget()};
    if (params_.progress)
      cover_params.progress = [this](double best, double bound, std::int64_t solved) {
        params_.progress({best, bound, solved});
      };
    const CoverResult result = best_in_time(problem, cover_params);
    plan_.status = result.status;
    plan_.stop = result.stop == StopReason::completed && !result.optimal &&
                         result.status != Status::infeasible && candidates_.ran_out_of_memory()
                     ? StopReason::memory_limit
                     : result.stop;
    plan_.bound = result.bound;
    plan_.optimal = result.optimal;
    plan_.limit_mattered = result.limit_mattered;
    plan_.proved_over = proved_over();
    note_search(&result);
    if (result.status == Status::infeasible) {
      plan_.reason = why_limited();
      plan_.bound = 0;
      if (!decides(hardware_, limits_)) plan_.status = Status::unknown;
    }
    for (const CoverRun& run : result.runs) add(run);
    if (plan_.status == Status::feasible) {
      plan_.score = score_of(score, plan_.totals);
      if (plan_.optimal) plan_.bound = plan_.score;
      const std::vector<Memory> memories = placement_memories(hardware_);
      plan_.unused_modes = unused_modes(memories, plan_.subgraphs);
      plan_.idle_banks = idle_banks(memories, plan_.subgraphs);
    }
  }

  /// What the bound is a bound of, for whoever reads it in a file.
  [[nodiscard]] std::string proved_over() const {
    std::string text = "covers by runs of consecutive ops";
    if (params_.max_ops < network_.ops.size())
      text += ", at most " + std::to_string(params_.max_ops) + " in a run";
    text += ", each run in the fewest tiles that fit, in each variant of the profile's tiling";
    if (limits_.any()) text += ", within the limits on peaks that were given";
    return text;
  }

  /// Every op fits the machine, but no cover keeps the limits.
  [[nodiscard]] std::string why_limited() {
    const std::string op = impossible_op(
        network_, within_, single_ops(candidates_, network_.ops.size(), params_.limits.threads),
        limited_.budget());
    if (!op.empty()) return "within the limit on peak_memory " + op;
    return "no cover of the network keeps the limits with the tiles that were tried";
  }

  /// What the answer left open, as one bound; the run's own is known.
  void open(const CandidateAnswer& answer, const Score& score, CoverCandidate& candidate) const {
    if (answer.complete()) return;
    double cost = std::numeric_limits<double>::infinity();
    Size peak = std::numeric_limits<Size>::max();
    const auto add = [&](const Metrics& m) {
      if (static_cast<double>(m.peak_bytes) > limits_.peak_bytes) return;
      cost = std::min(cost, additive_score(score, m) * slack);
      peak = std::min(peak, m.peak_bytes);
    };
    for (const Metrics& m : answer.open) add(m);
    if (answer.open_beyond) cost = static_cast<double>(peak = 0);
    if (peak == std::numeric_limits<Size>::max()) return;
    candidate.open_cost = cost;
    candidate.open_peak = peak;
  }

  void add(const CoverRun& run) {
    const OpRange like{run.evaluated, run.evaluated + run.last - run.first};
    const auto answer = candidates_.answer(like);
    PlannedSubgraph s = answer->options[run.option];
    s.ops = {run.first, run.last};
    for (OpIndex op = run.first; op <= run.last; ++op) s.names.push_back(network_.ops[op].name);
    // The answer may come from a run with the same structure and other names.
    const Piece piece = make_piece(network_, hardware_, s);
    for (std::size_t k = 0; k < s.placements.size(); ++k)
      s.placements[k].problem = piece_problem(piece, k);
    const RunCost cost = run_cost(piece_run(piece, hardware_, s.placements));
    std::ranges::move(piece_layers(piece, cost), std::back_inserter(plan_.layers));
    plan_.totals = plan_.subgraphs.empty() ? s.metrics : combine(plan_.totals, s.metrics);
    plan_.subgraphs.push_back(std::move(s));
  }

  void note_search(const CoverResult* result) {
    PlanSearch& s = plan_.search;
    const CandidateCounts counts = candidates_.counts();
    s.solved = counts.solved;
    s.reused = counts.reused;
    s.infeasible = counts.infeasible;
    s.unknown = counts.unknown;
    if (result == nullptr) {
      s.candidates = static_cast<std::int64_t>(network_.ops.size());
      return;
    }
    s.candidates = result->candidates;
    // Covers of short runs, which a time limit asks for besides, have runs of their own.
    s.reused = std::min(s.reused + result->answered - result->evaluated,
                        s.candidates - result->excluded_by_bound - s.solved);
    s.infeasible += result->excluded_by_bound;
    s.pruned =
        std::max<std::int64_t>(0, s.candidates - s.solved - s.reused - result->excluded_by_bound);
  }

  [[nodiscard]] StopReason stop_reason() const {
    if (candidates_.ran_out_of_memory()) return StopReason::memory_limit;
    return limited_.budget().exhausted().value_or(StopReason::node_limit);
  }

  const Network& network_;
  const Hardware& hardware_;
  const PlanParams& params_;
  ObjectiveWeights weights_;
  PeakLimits limits_;
  std::chrono::steady_clock::time_point begin_;
  LimitedBudget limited_;
  Hardware within_;  ///< `hardware_` with the memory that the limits leave
  std::shared_ptr<PlanMemory> memory_;
  Candidates candidates_;
  NetworkPlan plan_;
};

}  // namespace

std::optional<PlanReference> layer_by_layer(const Network& network, const Hardware& hardware,
                                            const PlanParams& params) {
  require_effort(network, hardware, params);
  const LimitedBudget limited(params.limits);
  try {
    Candidates candidates(network, hardware,
                          {.nodes_per_question = params.nodes_per_question,
                           .seed = params.limits.seed,
                           .budget = limited.budget(),
                           .keep_geometry = params.memory != nullptr},
                          params.memory ? params.memory : make_plan_memory());
    const SingleOps singles = single_ops(candidates, network.ops.size(), params.limits.threads);
    const std::string impossible = impossible_op(network, hardware, singles, limited.budget());
    if (!impossible.empty())
      throw BadInput("layer by layer on " + hardware.name + " is no reference: " + impossible,
                     "name another machine with `reference:` in the profile or --reference");
    if (first_open(singles)) return std::nullopt;
    return PlanReference{hardware.name, hardware.clock_hz, sum_of(singles)};
  } catch (const std::invalid_argument& error) {
    throw BadInput(error.what());
  }
}

std::shared_ptr<PlanMemory> make_plan_memory() {
  return std::make_shared<PlanMemory>();
}

NetworkPlan plan_network(const Network& network, const Hardware& hardware,
                         const PlanParams& params) {
  require_effort(network, hardware, params);
  if (params.max_ops < 1) throw BadInput("a run has at least one op: max_ops is 0");
  if (hardware.reference) require_valid(*hardware.reference);
  if (params.reference) require_reference(*params.reference);
  NetworkPlan plan;
  try {
    plan = Planner(network, hardware, params).run();
  } catch (const std::invalid_argument& error) {
    throw BadInput(error.what());
  }
  if (plan.status == Status::feasible) {
    const std::vector<std::string> wrong = check_plan(network, hardware, plan);
    if (!wrong.empty()) throw InternalError("the checker refuses the plan: " + wrong.front());
  }
  return plan;
}

std::string plan_picture(const NetworkPlan& plan) {
  require_plan(plan);
  return plan_svg(plan);
}

}  // namespace tessera
