#include "placer/in_order.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "facts/features.h"
#include "model/optional.h"
#include "placer/choose.h"
#include "search/placement/bounds.h"
#include "tessera/check.h"

namespace tessera::placer {

namespace {

using Clock = std::chrono::steady_clock;

/// Result of a query on a restricted problem.
struct Reply {
  Status status = Status::unknown;
  std::optional<Placement> placement{};  ///< of the whole problem
  StopReason stop = StopReason::completed;
};

class Orderer {
 public:
  Orderer(const PlacementProblem& problem, const std::vector<Objective>& objectives,
          const InOrderParams& params)
      : whole_(problem), problem_(problem), objectives_(objectives), params_(params) {
    parts_ = facts::features_of(problem).contains(facts::Feature::parts);
    may_leave_out_ =
        std::find(objectives.begin(), objectives.end(), Objective::benefit) != objectives.end();
  }

  InOrder run() {
    const Clock::time_point deadline = params_.search.budget.deadline;
    for (std::size_t k = 0; k < objectives_.size(); ++k) {
      budget_ = params_.search.budget;
      // Early objectives matter most: each gets half of the remaining time, the last one all of it.
      if (deadline != Clock::time_point::max() && k + 1 < objectives_.size())
        budget_.deadline = deadline - (deadline - Clock::now()) / 2;
      const std::int64_t bound = stage(objectives_[k], k == 0);
      if (k == 0 && !result_.answer.found.placement) return std::move(result_);
      result_.bounds.push_back(bound);
      keep(objectives_[k], k == 0);
    }
    result_.answer.found.stop = stop_;
    return std::move(result_);
  }

 private:
  [[nodiscard]] const Placement& placement() const { return *result_.answer.found.placement; }
  [[nodiscard]] Size height() const {
    const std::vector<Size> high = heights(whole_, placement());
    return *std::max_element(high.begin(), high.end());
  }

  void tell(std::string_view phase) const {
    if (params_.phase) params_.phase(phase);
  }

  /// If only used bytes can be limited (limit_ends), a placement may end above the height reached.
  [[nodiscard]] bool too_high(const Placement& placement) const {
    const std::vector<Size> high = heights(whole_, placement);
    for (MemoryIndex m = 0; m < tops_.size(); ++m)
      if (high[m] > tops_[m]) return true;
    return false;
  }

  /// Takes over an engine's result for the current problem.
  void take(Decision answer) {
    if (answer.found.placement && result_.answer.found.placement &&
        too_high(*answer.found.placement))
      answer.found.placement.reset();
    if (answer.found.stop != StopReason::completed) stop_ = answer.found.stop;
    result_.answer.found.stats.insert(result_.answer.found.stats.end(), answer.found.stats.begin(),
                                      answer.found.stats.end());
    answer.found.stats = std::move(result_.answer.found.stats);
    if (!answer.found.placement && result_.answer.found.placement) {
      result_.answer.found.stats = std::move(answer.found.stats);
      return;  // keep the known placement
    }
    result_.answer = std::move(answer);
  }

  std::int64_t stage(Objective what, bool first) {
    switch (what) {
      case Objective::height:
        tell("minimize");
        return first ? least_height_of_all() : lower_height();
      case Objective::cost:
        tell("optimize");
        return least_benefit_ ? lower_cost() : least_cost();
      default:
        tell("choose");
        return largest_benefit(first);
    }
  }

  /// From here on, `what` must not get worse than reached.
  void keep(Objective what, bool first) {
    if (what == Objective::cost) {
      pay_at_most(soft_cost(whole_, placement()));
    } else if (what == Objective::benefit) {
      least_benefit_ = benefit_of(whole_, placement());
    } else {
      // As the first objective each memory has its own minimum height; later the largest height
      // counts.
      const std::vector<Size> high = heights(whole_, placement());
      for (MemoryIndex m = 0; m < high.size(); ++m)
        limit_ends(problem_.memories[m], first ? high[m] : height(), parts_);
      tops_ = first ? high : std::vector<Size>(high.size(), height());
    }
  }

  /// A cost of 0 forbids every paid conflict, a rule that every engine supports.
  void pay_at_most(Cost cost) {
    if (cost > 0) {
      most_cost_ = cost;
      return;
    }
    for (Relation& relation : problem_.relations)
      if (relation.kind == RelationKind::avoid_overlap)
        relation = {.kind = RelationKind::disjoint, .buffers = relation.buffers, .cost = 0};
  }

  [[nodiscard]] engine::SearchParams search() const {
    engine::SearchParams own = params_.search;
    own.budget = budget_;
    own.goal = most_cost_ ? Objective::cost : Objective::fit;
    own.at_most = most_cost_;
    return own;
  }

  /// The problem while no benefit counts: all optional buffers are left out.
  struct Now {
    Restricted in;
    std::vector<BufferIndex> left_out;
  };
  [[nodiscard]] Now now(const PlacementProblem& about) const {
    Now one;
    for (BufferIndex b = 0; b < about.buffers.size(); ++b)
      if (may_leave_out_ && about.buffers[b].optional) one.left_out.push_back(b);
    one.in = chosen(about, one.left_out);
    return one;
  }
  [[nodiscard]] Decision spread_out(const Now& one, Decision answer) const {
    if (answer.found.placement)
      answer.found.placement = spread(whole_, one.in, one.left_out, *answer.found.placement);
    return answer;
  }
  /// The result with everything left out.
  [[nodiscard]] Decision empty(const Now& one) const {
    Decision answer;
    answer.engine = "choice";
    answer.found.status = Status::feasible;
    answer.found.placement = Placement{};
    answer.found.placement->modes.resize(whole_.memories.size());
    return spread_out(one, std::move(answer));
  }

  std::int64_t least_height_of_all() {
    const Now one = now(problem_);
    if (one.in.problem.buffers.empty()) {
      take(empty(one));
      result_.least.lower_bounds.assign(whole_.memories.size(), 0);
      return 0;
    }
    const search::Bounds bounds = search::lower_bounds(one.in.problem, {.budget = budget_});
    HeightParams own{.search = search(),
                     .settings = params_.settings,
                     .lower_bounds = bounds.heights,
                     .progress = nullptr};
    result_.least = least_height(one.in.problem, std::nullopt, own);
    std::int64_t bound = result_.least.lower_bound;
    for (const Size each : result_.least.lower_bounds) bound = std::max(bound, each);
    take(spread_out(one, {std::move(result_.least.found), result_.least.engine}));
    return bound;
  }

  std::int64_t least_cost() {
    const Now one = now(problem_);
    if (one.in.problem.buffers.empty()) {
      take(empty(one));
      return 0;
    }
    engine::SearchParams own = search();
    own.goal = Objective::cost;
    own.at_most.reset();
    Decision answer = decide(one.in.problem, own, params_.settings);
    if (answer.found.status == Status::infeasible) {
      if (!result_.answer.found.placement) take(std::move(answer));
      return 0;
    }
    const Cost bound = std::max<Cost>(0, answer.found.bound);
    const bool worse =
        result_.answer.found.placement && answer.found.placement &&
        soft_cost(one.in.problem, *answer.found.placement) > soft_cost(whole_, placement());
    if (worse) answer.found.placement.reset();
    take(spread_out(one, std::move(answer)));
    return bound;
  }

  std::int64_t largest_benefit(bool first) {
    ChooseParams own{.search = search(), .settings = params_.settings, .progress = {}};
    own.settings.phase = {};
    ChooseResult best = choose(problem_, own);
    if (first) result_.refuted = std::move(best.refuted);
    const bool found = best.answer.found.status == Status::feasible;
    const Benefit bound = found || first ? best.bound : whole_benefit(whole_);
    const bool worse =
        result_.answer.found.placement && found && best.benefit < benefit_of(whole_, placement());
    if (worse) best.answer.found.placement.reset();
    take(std::move(best.answer));
    return bound;
  }

  /// Decides whether a placement exists that also keeps all values reached.
  Reply ask(const PlacementProblem& about, std::optional<Cost> most_cost) {
    engine::SearchParams own = search();
    own.goal = most_cost ? Objective::cost : Objective::fit;
    own.at_most = most_cost;
    if (budget_.deadline != Clock::time_point::max())
      own.budget.deadline = budget_.deadline - (budget_.deadline - Clock::now()) / 2;
    Decision answer;
    Reply reply;
    if (least_benefit_) {
      ChooseParams choice{
          .search = own, .settings = params_.settings, .enough = least_benefit_, .progress = {}};
      choice.settings.phase = {};
      ChooseResult best = choose(about, choice);
      reply.stop = best.answer.found.stop;
      reply.status = best.answer.found.status;
      if (reply.status == Status::feasible && best.benefit < *least_benefit_)
        reply.status = best.bound < *least_benefit_ ? Status::infeasible : Status::unknown;
      answer = std::move(best.answer);
    } else {
      const Now one = now(about);
      answer = one.in.problem.buffers.empty()
                   ? empty(one)
                   : spread_out(one, decide(one.in.problem, own, params_.settings));
      reply.stop = answer.found.stop;
      reply.status = answer.found.status;
    }
    if (reply.status != Status::feasible) return reply;
    if (too_high(*answer.found.placement)) {
      reply.status = Status::unknown;
      return reply;
    }
    if (most_cost && soft_cost(whole_, *answer.found.placement) > *most_cost) {
      // The engine may have minimised the cost beyond the requested limit.
      reply.status =
          !least_benefit_ && answer.found.bound > *most_cost ? Status::infeasible : Status::unknown;
      return reply;
    }
    reply.placement = answer.found.placement;
    answer.found.stop = StopReason::completed;
    answer.found.stats.clear();
    take(std::move(answer));
    return reply;
  }

  /// Minimises a value by bisection. ensure: the returned bound is proved.
  template <typename Value, typename Ask>
  std::int64_t by_halving(std::int64_t proved, const Value& value, const Ask& ask_for) {
    while (proved < value()) {
      const std::int64_t middle = proved + (value() - 1 - proved) / 2;
      const std::int64_t before = value();
      const Reply reply = ask_for(middle);
      if (reply.status == Status::feasible && value() < before) continue;
      if (reply.status == Status::feasible) break;  // no better: nothing more to query
      if (reply.status == Status::infeasible) {
        proved = middle + 1;
        continue;
      }
      stop_ = reply.stop == StopReason::completed ? stop_ : reply.stop;
      break;
    }
    return proved;
  }

  std::int64_t lower_height() {
    std::int64_t proved = 0;
    if (!least_benefit_) {
      const Now one = now(problem_);
      if (!one.in.problem.buffers.empty()) {
        const search::Bounds bounds = search::lower_bounds(one.in.problem, {.budget = budget_});
        for (const Size each : bounds.heights) proved = std::max(proved, each);
      }
    }
    return by_halving(
        std::min(proved, height()), [&] { return height(); },
        [&](Size most) {
          PlacementProblem lower = problem_;
          for (Memory& memory : lower.memories) limit_ends(memory, most, parts_);
          return ask(lower, most_cost_);
        });
  }

  std::int64_t lower_cost() {
    return by_halving(
        0, [&] { return soft_cost(whole_, placement()); },
        [&](Cost most) { return ask(problem_, most); });
  }

  const PlacementProblem& whole_;
  PlacementProblem problem_;  ///< with the remaining capacity
  const std::vector<Objective>& objectives_;
  const InOrderParams& params_;
  Budget budget_;
  bool may_leave_out_ = false;
  bool parts_ = false;
  std::vector<Size> tops_;  ///< heights reached, per memory
  std::optional<Cost> most_cost_;
  std::optional<Benefit> least_benefit_;
  StopReason stop_ = StopReason::completed;
  InOrder result_;
};

}  // namespace

InOrder solve_in_order(const PlacementProblem& problem, const std::vector<Objective>& objectives,
                       const InOrderParams& params) {
  return Orderer(problem, objectives, params).run();
}

}  // namespace tessera::placer
