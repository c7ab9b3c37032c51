#include "planner/planning.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "cost/group_bound.h"
#include "cost/group_parts.h"
#include "cost/score.h"
#include "model/claim_problem.h"
#include "model/parallel.h"
#include "planner/baseline.h"
#include "planner/behind.h"
#include "planner/candidates.h"
#include "planner/describe.h"
#include "planner/hardware_key.h"
#include "planner/joined.h"
#include "planner/kept_places.h"
#include "planner/offchip.h"
#include "planner/option.h"
#include "planner/peaks.h"
#include "search/partition/cover.h"
#include "search/partition/structure.h"
#include "tessera/check.h"
#include "tessera/files.h"
#include "tessera/tile.h"
#include "tiling/reach.h"
#include "validation/limited_budget.h"
#include "validation/requirements.h"

namespace tessera::planner {

namespace {

cost::MetricName metric_named(const std::string& name, const char* what) {
  const auto metric = cost::metric_from(name);
  if (!metric)
    throw BadInput(std::string(what) + " names the metric '" + name + "', which does not exist",
                   "metrics are latency, energy, dram_bytes, peak_memory and peak_bandwidth");
  return *metric;
}

ObjectiveWeights weights_of(const Hardware& hardware, const PlanParams& params) {
  constexpr ObjectiveWeights none{.latency = 0};
  ObjectiveWeights weights = params.weights.empty() ? hardware.objective : none;
  for (const auto& [name, value] : params.weights) {
    if (!(value >= 0) || value > 1e6)
      throw BadInput("the weight of '" + name + "' is not between 0 and 1000000");
    cost::weight_of(weights, metric_named(name, "a weight")) = value;
  }
  if (weights.peak_bandwidth > 0)
    throw BadInput("peak_bandwidth has a weight, but it can only be limited",
                   "use a limit: peak_bandwidth=8 (bytes per cycle)");
  const double sum = weights.latency + weights.energy + weights.dram_bytes + weights.peak_memory;
  if (!(sum > 0))
    throw BadInput("all weights of the score are 0", "set at least one: --weight latency=1");
  return cost::normalized(weights);
}

Hardware with_lowering_variants(Hardware hardware) {
  hardware.tiling = lowering_options(hardware.tiling);
  hardware.tiling.engines = EngineOrder::in_turn;
  return hardware;
}

/// Reserves a tenth of the time, at most a second, for off-chip addresses.
Budget all_but_the_last(Budget budget) {
  using namespace std::chrono;
  if (budget.deadline == steady_clock::time_point::max()) return budget;
  const auto left = budget.deadline - steady_clock::now();
  budget.deadline -= std::clamp<steady_clock::duration>(left / 10, 0s, 1s);
  return budget;
}

class Planner {
  using Clock = std::chrono::steady_clock;

 public:
  Planner(const Network& network, const Hardware& hardware, const PlanParams& params,
          const std::vector<TensorIndex>& stays)
      : network_(network),
        hardware_(hardware),
        params_(params),
        weights_(weights_of(hardware, params)),
        limits_(peak_limits_of(params)),
        begin_(std::chrono::steady_clock::now()),
        limited_(params.limits),
        search_(all_but_the_last(limited_.budget())),
        lowered_(with_lowering_variants(hardware)),
        baseline_(baseline_machine(network, hardware)),
        within_(machine_within(hardware, limits_)),
        whole_(!limits_.any()),
        stays_(stays),
        memory_(params.memory ? params.memory : make_plan_memory()),
        candidates_(network, within_, candidate_params(stays_), memory_) {}

  NetworkPlan run() {
    plan_.network = network_.name;
    plan_.profile = hardware_.name;
    plan_.weights = weights_;
    plan_.seed = params_.limits.seed;
    plan_.search.nodes_per_question = params_.nodes_per_question;
    plan_.clock_hz = hardware_.clock_hz;
    plan_.joined = joined_of(network_);
    plan_.reason = never_fits_offchip(network_, hardware_);
    if (plan_.reason.empty()) {
      cost::GroupBounds bounds(network_, lowered_, stays_);
      if (baseline() && reference()) cover(bounds);
    } else {
      plan_.status = Status::infeasible;
    }
    plan_.search.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] CandidateParams candidate_params(std::vector<TensorIndex> stays) {
    return {.nodes_per_question = params_.nodes_per_question,
            .engine = params_.engine,
            .time_per_question = params_.question_timeout.value_or(std::chrono::nanoseconds{0}),
            .seed = params_.limits.seed,
            .budget = search_,
            .keep_geometry = params_.memory != nullptr,
            .stays = std::move(stays)};
  }

  /// Layer by layer: each op alone in its cheapest variant, with no tensor joined off chip. Limits
  /// do not change the reference, so scores with and without limits are comparable.
  bool baseline() {
    SingleOps singles;
    if (!whole_ || stays_on_chip(hardware_) || !stays_.empty() || !plan_.joined.empty()) {
      const Network each = not_joined(network_);
      Candidates unlimited(each, baseline_, candidate_params({}), memory_);
      singles = single_ops(unlimited, network_.ops.size(), params_.limits.threads);
    } else {
      singles = single_ops(candidates_, network_.ops.size(), params_.limits.threads);
    }
    const ImpossibleOp impossible = impossible_op(network_, baseline_, singles, search_);
    if (!impossible.sentence.empty()) {
      plan_.status = Status::infeasible;
      plan_.reason = impossible.sentence;
      plan_.stop = impossible.stopped.value_or(StopReason::completed);
      note_search(nullptr);
      return false;
    }
    if (const std::optional<OpIndex> open = first_open(singles)) {
      plan_.reason = "op '" + network_.ops[*open].name + "' was not placed within the limits";
      plan_.stop = stop_reason();
      note_search(nullptr);
      return false;
    }
    plan_.baseline = with_single_fetches(network_, hardware_, sum_of(singles));
    if (weights_.energy > 0 && plan_.baseline.energy_pj <= 0)
      throw BadInput(
          "the score weighs energy, but profile " + hardware_.name + " has no energies",
          "add energies to the profile, or set weights without energy: --weight latency=1");
    return true;
  }

  [[nodiscard]] PlanReference own_reference() const {
    return {hardware_.name, hardware_.clock_hz, plan_.baseline};
  }

  /// Sets the reference of the score.  require: baseline().
  bool reference() {
    const Hardware* const other = hardware_.reference.get();
    if (params_.reference) {
      plan_.reference = *params_.reference;
    } else if (other != nullptr && hardware_key(*other) != hardware_key(hardware_)) {
      PlanParams rest = params_;
      rest.limits = validation::rest_of(params_.limits, search_);
      rest.memory = memory_;
      std::optional<PlanReference> made;
      try {
        made = layer_by_layer(not_joined(network_), *other, rest);
      } catch (const BadInput&) {
        // The profile as shipped cannot run the network: use the changed profile as the reference.
        if (other->name != hardware_.name) throw;
        made = own_reference();
      }
      if (!made) {
        plan_.reason = "the reference of the score, " + other->name +
                       " layer by layer, was not planned within the limits";
        plan_.stop = stop_reason();
        note_search(nullptr);
        return false;
      }
      plan_.reference = *made;
    } else {
      plan_.reference = own_reference();
      if (other != nullptr) plan_.reference.profile = other->name;
    }
    const Metrics& own = plan_.baseline;
    const Metrics& r = plan_.reference.totals;
    if ((weights_.latency > 0 && r.latency_cycles <= 0 && own.latency_cycles > 0) ||
        (weights_.energy > 0 && !(r.energy_pj > 0)) ||
        (weights_.dram_bytes > 0 && r.dram_bytes <= 0 && own.dram_bytes > 0) ||
        (weights_.peak_memory > 0 && r.peak_bytes <= 0 && own.peak_bytes > 0))
      throw BadInput(
          "the score weighs a metric of which the reference, " + plan_.reference.profile +
              ", has the value 0",
          "add its values to the profile, choose another reference, or set the weight to 0");
    return true;
  }

  void cover(cost::GroupBounds& bounds) {
    const cost::Score score{weights_, cost::in_cycles_of(hardware_.clock_hz, plan_.reference)};
    plan_.baseline_score = cost::score_of(score, plan_.baseline);
    // Remove rounding errors: the checker recomputes it.
    if (std::abs(plan_.baseline_score - 1) < 1e-12) plan_.baseline_score = 1;
    search::CoverProblem problem;
    problem.ops = network_.ops.size();
    // Groups of equal structure may differ in the tensors that wait on chip.
    if (!stays_on_chip(hardware_))
      problem.like = search::like_ops(network_, tiling::last_readers(network_), stays_,
                                      tiling::made_in(network_, stays_, hardware_));
    problem.max_ops = params_.max_ops;
    problem.peak_weight = cost::peak_weight(score);
    // Repeated partition searches use the same bounds.
    std::vector<std::vector<double>> known_bounds(network_.ops.size());
    problem.bound = [&](std::size_t first, std::size_t last) {
      std::vector<double>& row = known_bounds[first];
      if (row.size() <= last - first)
        row.resize(last - first + 1, std::numeric_limits<double>::quiet_NaN());
      double& cost = row[last - first];
      if (std::isnan(cost))
        cost = cost::additive_score(score, bounds.of(first, last)) * cost::rounding;
      return search::CoverBound{.cost = cost};
    };
    problem.evaluate = [&](std::size_t first, std::size_t last, int effort) {
      return cover_candidate(*candidates_.answer({first, last}, effort), score);
    };
    const search::CoverResult result = search::best_cover(problem, cover_params());
    plan_.status = result.status;
    plan_.stop = result.stop == StopReason::completed && !result.optimal &&
                         result.status != Status::infeasible && candidates_.ran_out_of_memory()
                     ? StopReason::memory_limit
                     : result.stop;
    plan_.bound = result.bound;
    plan_.optimal = result.optimal;
    plan_.limit_mattered = result.limit_mattered;
    plan_.scope = scope();
    note_search(&result);
    if (result.status == Status::infeasible) {
      plan_.reason = why_limited();
      plan_.bound = 0;
      if (!decides(hardware_, limits_)) plan_.status = Status::unknown;
    }
    add(result.runs);
    if (plan_.status == Status::feasible) settle();
    if (plan_.status == Status::feasible && !always_settles(hardware_))
      settle_off_chip(network_, hardware_, limited_.budget(), plan_, params_.limits.threads);
    if (plan_.status == Status::feasible) {
      describe(network_, hardware_, score, plan_, params_.limits.threads);
      // Groups placed together may have higher peaks than each alone.
      plan_.optimal = plan_.optimal && plan_.score * cost::rounding <= result.objective;
      // Bounds of partitions ignore that other placements may switch modes less often.
      if (plan_.optimal || plan_.bound > plan_.score) plan_.bound = plan_.score;
      if (params_.progress)
        params_.progress({plan_.score, plan_.bound, candidates_.counts().solved});
    }
  }

  [[nodiscard]] search::CoverParams cover_params() {
    search::CoverParams params{.threads = params_.limits.threads, .budget = search_};
    if (params_.progress)
      params.progress = [this](double best, double bound, std::int64_t solved) {
        params_.progress({best, bound, solved});
      };
    return params;
  }

  [[nodiscard]] const PlannedSubgraph& option_of(const search::CoverRun& run) {
    const OpRange evaluated{run.evaluated, run.evaluated + run.last - run.first};
    return candidates_.answer(evaluated)->options[run.option];
  }

  /// The scope of the bound.
  [[nodiscard]] PlanScope scope() const {
    PlanScope scope{.tiles = PlanScope::Tiles::fewest,
                    .without_halo_reuse = lowered_.tiling.halo != hardware_.tiling.halo,
                    .peak_limits = !params_.peak_limits.empty()};
    if (params_.max_ops < network_.ops.size()) scope.max_ops = params_.max_ops;
    return scope;
  }

  [[nodiscard]] std::string why_limited() {
    const SingleOps singles = single_ops(candidates_, network_.ops.size(), params_.limits.threads);
    return why_no_cover(network_, hardware_, params_,
                        impossible_op(network_, within_, singles, search_).sentence);
  }

  [[nodiscard]] search::CoverCandidate cover_candidate(const CandidateAnswer& answer,
                                                       const cost::Score& score) const {
    search::CoverCandidate candidate{.final = answer.final};
    for (const PlannedSubgraph& s : answer.options)
      candidate.options.push_back(
          limits_.allow(s.metrics)
              ? search::CoverOption{cost::additive_score(score, s.metrics), s.metrics.peak_bytes}
              : search::CoverOption{std::numeric_limits<double>::infinity(), s.metrics.peak_bytes});
    open(answer, score, candidate);
    return candidate;
  }

  /// Adds the undecided part of an answer as one bound. The bound of the group itself is known.
  void open(const CandidateAnswer& answer, const cost::Score& score,
            search::CoverCandidate& candidate) const {
    if (answer.complete()) return;
    double cost = std::numeric_limits<double>::infinity();
    Size peak = std::numeric_limits<Size>::max();
    const auto add = [&](const Metrics& m) {
      if (static_cast<double>(m.peak_bytes) > limits_.peak_bytes) return;
      cost = std::min(cost, cost::additive_score(score, m) * cost::rounding);
      peak = std::min(peak, m.peak_bytes);
    };
    for (const Metrics& m : answer.open) add(m);
    if (answer.open_beyond) cost = static_cast<double>(peak = 0);
    if (peak == std::numeric_limits<Size>::max()) return;
    candidate.unresolved_cost = cost;
    candidate.unresolved_peak = peak;
  }

  void add(const std::vector<search::CoverRun>& runs) {
    plan_.subgraphs.resize(runs.size());
    each_together(params_.limits.threads, runs.size(), [&](std::size_t k) {
      const OpRange ops{runs[k].first, runs[k].last};
      plan_.subgraphs[k] = subgraph_of(network_, hardware_, ops, option_of(runs[k]),
                                       candidates_.kept(ops), candidates_.readers());
    });
  }

  /// Assigns one address per resident tensor, within the full time limit of the plan.
  void settle() {
    const Limits limits = validation::rest_of(params_.limits, limited_.budget());
    // The smaller memory was a limit on tiles only.
    const PeakLimits peaks = peak_limits_of(params_);
    const Hardware within = machine_within(hardware_, peaks);
    KeptPlaces kept;
    PieceStore pieces(network_, hardware_);
    for (const auto& [first, end] : tied_runs(hardware_, plan_.subgraphs)) {
      const auto runs = std::span(plan_.subgraphs).subspan(first, end - first);
      kept = settle_kept(pieces, within, runs, limits);
      const auto keeps = [&](const PlannedSubgraph& run) { return peaks.allow(run.metrics); };
      if (kept.status == Status::feasible && !std::ranges::all_of(runs, keeps))
        kept.status = Status::unknown;
      if (kept.status != Status::feasible) break;
    }
    if (kept.status == Status::feasible) return;
    plan_.status = Status::unknown;
    plan_.optimal = false;
    plan_.stop = kept.stop;
    plan_.subgraphs.clear();
    plan_.reason =
        "each group of the best partition fits, but no common placement was found for its resident "
        "tensors";
  }

  /// A candidate is solved, reused or pruned.
  void note_search(const search::CoverResult* result) {
    PlanSearch& s = plan_.search;
    const CandidateCounts counts = candidates_.counts();
    s.candidates =
        result == nullptr ? static_cast<std::int64_t>(network_.ops.size()) : result->candidates;
    const std::int64_t excluded = result == nullptr ? 0 : result->excluded_by_bound;
    // A time limit adds partitions into short groups, which have candidates of their own.
    const std::int64_t answered =
        std::min(s.candidates - excluded,
                 std::max(result == nullptr ? 0 : result->answered, counts.solved + counts.reused));
    s.solved = std::min(counts.solved, answered);
    s.reused = answered - s.solved;
    s.pruned = s.candidates - answered;
    s.infeasible = counts.infeasible + excluded;
    s.unknown = counts.unknown;
    s.shapes = counts.shapes;
  }

  [[nodiscard]] StopReason stop_reason() const {
    if (candidates_.ran_out_of_memory()) return StopReason::memory_limit;
    return search_.exhausted().value_or(StopReason::node_limit);
  }

  const Network& network_;
  const Hardware& hardware_;
  const PlanParams& params_;
  ObjectiveWeights weights_;
  PeakLimits limits_;
  std::chrono::steady_clock::time_point begin_;
  validation::LimitedBudget limited_;
  Budget search_;      ///< of everything until the runs are known
  Hardware lowered_;   ///< `hardware_` with the tiles that covers are found with at first
  Hardware baseline_;  ///< on which each op is planned alone
  Hardware within_;    ///< `hardware_` with the memory that the limits leave
  bool whole_;         ///< which is all of it
  std::vector<TensorIndex> stays_;  ///< although it might be stored
  std::shared_ptr<PlanMemory> memory_;
  Candidates candidates_;
  NetworkPlan plan_;
};

}  // namespace

Size level_below(Size peak) {
  const Size most = peak - std::max<Size>(1, peak / 20);
  if (most < 2) return 0;
  Size unit = 1;
  while (4 * unit <= most) unit *= 2;
  return most / unit * unit;
}

NetworkPlan plan_once(const Network& network, const Hardware& hardware, const PlanParams& params,
                      const std::vector<TensorIndex>& stays) {
  return Planner(network, hardware, params, stays).run();
}

}  // namespace tessera::planner
