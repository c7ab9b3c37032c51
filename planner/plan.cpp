#include "planner/plan.h"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "cost/run_bound.h"
#include "cost/score.h"
#include "io/plan_svg.h"
#include "model/check.h"
#include "planner/files.h"
#include "planner/plan_candidates.h"
#include "planner/plan_piece.h"
#include "search/partition/cover.h"

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
  for (const auto& [name, value] : params.weights)
    weight_of(weights, metric_named(name, "a weight")) = value;
  if (weights.peak_bandwidth > 0)
    throw BadInput("peak_bandwidth has a weight, but it can only be limited",
                   "use a limit: peak_bandwidth=8 (bytes per cycle)");
  const double sum = weights.latency + weights.energy + weights.dram_bytes + weights.peak_memory;
  if (!(sum > 0))
    throw BadInput("all weights of the score are 0", "give at least one: --weight latency=1");
  return normalized(weights);
}

struct Limits {
  double peak_bytes = std::numeric_limits<double>::infinity();
  double peak_bandwidth = std::numeric_limits<double>::infinity();
  [[nodiscard]] bool allow(const Metrics& m) const {
    return static_cast<double>(m.peak_bytes) <= peak_bytes && m.peak_bandwidth <= peak_bandwidth;
  }
};

Limits limits_of(const PlanParams& params) {
  Limits limits;
  for (const auto& [name, value] : params.limits) {
    const MetricName metric = metric_named(name, "a limit");
    if (metric == MetricName::peak_memory)
      limits.peak_bytes = value;
    else if (metric == MetricName::peak_bandwidth)
      limits.peak_bandwidth = value;
    else
      throw BadInput("'" + name + "' adds over subgraphs and cannot be limited",
                     "limits are for maxima: peak_memory and peak_bandwidth; give '" + name +
                         "' more weight instead");
  }
  return limits;
}

/// The first op that fits with no tile, as a sentence; "" if there is none.
std::string impossible_op(const Network& network, const Hardware& hardware,
                          const std::vector<std::shared_ptr<const CandidateAnswer>>& singles) {
  for (OpIndex op = 0; op < singles.size(); ++op) {
    const CandidateAnswer& answer = *singles[op];
    if (!answer.options.empty() || !answer.complete()) continue;
    std::string text = "op '" + network.ops[op].name + "' (" +
                       std::string(to_string(network.ops[op].kind)) +
                       ") fits with no tile into the memory of " + hardware.name;
    if (answer.lacking > 0)
      text += ": its smallest tile needs " + std::to_string(answer.lacking) +
              " bytes more than there are";
    return text;
  }
  return "";
}

class Planner {
 public:
  Planner(const Network& network, const Hardware& hardware, const PlanParams& params)
      : network_(network),
        hardware_(hardware),
        params_(params),
        weights_(weights_of(hardware, params)),
        limits_(limits_of(params)),
        begin_(std::chrono::steady_clock::now()),
        deadline_(params.timeout ? begin_ + *params.timeout
                                 : std::chrono::steady_clock::time_point::max()),
        candidates_(network, hardware,
                    {.nodes_per_question = params.nodes_per_question,
                     .seed = params.seed,
                     .budget = {.deadline = deadline_, .stop = params.stop},
                     .keep_geometry = params.memory != nullptr},
                    params.memory ? params.memory : make_plan_memory()) {}

  NetworkPlan run() {
    plan_.network = network_.name;
    plan_.profile = hardware_.name;
    plan_.weights = weights_;
    plan_.seed = params_.seed;
    const RunBounds bounds(network_, hardware_);
    const auto singles = single_ops();
    if (baseline(singles)) cover(bounds);
    plan_.search.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    return std::move(plan_);
  }

 private:
  std::vector<std::shared_ptr<const CandidateAnswer>> single_ops() {
    std::vector<std::shared_ptr<const CandidateAnswer>> answers(network_.ops.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t op = next++; op < answers.size(); op = next++) {
        answers[op] = candidates_.answer({op, op});
        // Without any option there is no baseline: here every effort is worth it.
        for (int effort = 1; answers[op]->options.empty() && !answers[op]->final; ++effort)
          answers[op] = candidates_.answer({op, op}, effort);
      }
    };
    std::vector<std::jthread> helpers;
    for (int t = 1; t < params_.threads; ++t) helpers.emplace_back(work);
    work();
    return answers;
  }

  /// Layer by layer: each op alone, in the cheapest variant of its own.
  bool baseline(const std::vector<std::shared_ptr<const CandidateAnswer>>& singles) {
    plan_.reason = impossible_op(network_, hardware_, singles);
    if (!plan_.reason.empty()) {
      plan_.status = Status::infeasible;
      note_search(nullptr);
      return false;
    }
    for (OpIndex op = 0; op < singles.size(); ++op) {
      const CandidateAnswer& answer = *singles[op];
      if (answer.options.empty()) {
        plan_.reason = "op '" + network_.ops[op].name + "' was not placed within the limits";
        plan_.stop = stop_reason();
        note_search(nullptr);
        return false;
      }
      // Cheapest without a reference: by latency, then by traffic.
      const auto best = std::ranges::min_element(answer.options, {}, [](const PlannedSubgraph& s) {
        return std::pair(s.metrics.latency_cycles, s.metrics.dram_bytes);
      });
      plan_.baseline = combine(plan_.baseline, best->metrics);
    }
    return true;
  }

  void cover(const RunBounds& run_bounds) {
    const Score score{weights_, plan_.baseline};
    const std::size_t longest = std::min(params_.max_ops, network_.ops.size());
    std::vector<std::vector<Metrics>> bounds;
    for (OpIndex first = 0; first < network_.ops.size(); ++first)
      bounds.push_back(
          run_bounds.from(first, longest == network_.ops.size() ? longest : longest + 1));
    // A sum of rounded parts may exceed the rounded sum by a hair.
    constexpr double slack = 1 - 1e-9;
    CoverProblem problem;
    problem.ops = network_.ops.size();
    problem.max_ops = params_.max_ops;
    problem.peak_weight = peak_weight(score);
    problem.bound = [&](std::size_t first, std::size_t last) {
      return CoverBound{.cost = additive_score(score, bounds[first][last - first]) * slack};
    };
    problem.evaluate = [&](std::size_t first, std::size_t last, int effort) {
      const auto answer = candidates_.answer({first, last}, effort);
      CoverCandidate candidate{.final = answer->final};
      for (const PlannedSubgraph& s : answer->options)
        candidate.options.push_back(
            limits_.allow(s.metrics)
                ? CoverOption{additive_score(score, s.metrics), s.metrics.peak_bytes}
                : CoverOption{std::numeric_limits<double>::infinity(), s.metrics.peak_bytes});
      open(*answer, score, problem.bound(first, last).cost, slack, candidate);
      return candidate;
    };
    CoverParams cover_params{
        .threads = params_.threads, .deadline = deadline_, .stop = params_.stop};
    if (params_.progress)
      cover_params.progress = [this](double best, double bound, std::int64_t solved) {
        params_.progress({best, bound, solved});
      };
    const CoverResult result = best_cover(problem, cover_params);
    plan_.status = result.status;
    plan_.stop = result.stop;
    plan_.bound = result.bound;
    plan_.optimal = result.optimal;
    plan_.limit_mattered = result.limit_mattered;
    note_search(&result);
    if (result.status == Status::infeasible)
      plan_.reason = "no cover of the network keeps the limits";
    for (const CoverRun& run : result.runs) add(run);
    if (plan_.status == Status::feasible) {
      plan_.score = score_of(score, plan_.totals);
      if (plan_.optimal) plan_.bound = plan_.score;
      list_what_is_idle();
    }
  }

  /// What a limit left open in the answer, as one bound.
  void open(const CandidateAnswer& answer, const Score& score, double bound, double slack,
            CoverCandidate& candidate) const {
    if (answer.complete()) return;
    bool any = answer.open_beyond;
    double cost = any ? bound : std::numeric_limits<double>::infinity();
    Size peak = any ? 0 : std::numeric_limits<Size>::max();
    for (const Metrics& m : answer.open) {
      if (static_cast<double>(m.peak_bytes) > limits_.peak_bytes) continue;
      any = true;
      cost = std::min(cost, additive_score(score, m) * slack);
      peak = std::min(peak, m.peak_bytes);
    }
    if (!any) return;
    candidate.open_cost = std::max(cost, bound);
    candidate.open_peak = peak;
  }

  void add(const CoverRun& run) {
    const auto answer = candidates_.answer({run.first, run.last});
    PlannedSubgraph s = answer->options[run.option];
    s.ops = {run.first, run.last};
    for (OpIndex op = run.first; op <= run.last; ++op) s.names.push_back(network_.ops[op].name);
    // The answer may come from a run with the same structure and other names.
    const Piece piece = make_piece(network_, hardware_, s);
    for (std::size_t k = 0; k < s.placements.size(); ++k)
      s.placements[k].problem = piece_problem(piece, k);
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
    s.infeasible += result->excluded_by_bound;
    s.pruned = result->never_needed;
  }

  void list_what_is_idle() {
    const std::vector<Memory> memories = placement_memories(hardware_);
    for (MemoryIndex m = 0; m < memories.size(); ++m) {
      std::vector<std::string> modes;
      for (const Mode& mode : memories[m].modes)
        if (!uses_mode(m, mode.name)) modes.push_back(mode.name);
      plan_.unused_modes.push_back(std::move(modes));
      std::vector<std::string> banks;
      Offset begin = 0;
      for (const Bank& bank : memories[m].banks) {
        if (!touches(m, {begin, begin + bank.size})) banks.push_back(bank.name);
        begin += bank.size;
      }
      plan_.idle_banks.push_back(std::move(banks));
    }
  }
  [[nodiscard]] bool uses_mode(MemoryIndex m, const std::string& name) const {
    for (const PlannedSubgraph& s : plan_.subgraphs)
      for (const PlannedPlacement& p : s.placements)
        if (m < p.placement.modes.size() &&
            std::ranges::find(p.placement.modes[m], name) != p.placement.modes[m].end())
          return true;
    return false;
  }
  [[nodiscard]] bool touches(MemoryIndex m, const AddressRange& bank) const {
    for (const PlannedSubgraph& s : plan_.subgraphs)
      for (const PlannedPlacement& p : s.placements)
        for (BufferIndex b = 0; b < p.problem.buffers.size(); ++b) {
          const BufferPlace& place = p.placement.places[b];
          const AddressRange range{place.offset, place.offset + p.problem.buffers[b].size};
          if (place.memory == m && overlaps(bank, range)) return true;
        }
    return false;
  }
  [[nodiscard]] StopReason stop_reason() const {
    if (params_.stop.stop_requested()) return StopReason::interrupted;
    return std::chrono::steady_clock::now() >= deadline_ ? StopReason::time_limit
                                                         : StopReason::node_limit;
  }

  const Network& network_;
  const Hardware& hardware_;
  const PlanParams& params_;
  ObjectiveWeights weights_;
  Limits limits_;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point deadline_;
  Candidates candidates_;
  NetworkPlan plan_;
};

}  // namespace

std::shared_ptr<PlanMemory> make_plan_memory() {
  return std::make_shared<PlanMemory>();
}

NetworkPlan plan_network(const Network& network, const Hardware& hardware,
                         const PlanParams& params) {
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
  return plan_svg(plan);
}

}  // namespace tessera
