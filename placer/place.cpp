#include "tessera/place.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <utility>
#include <vector>

#include "engine/goal.h"
#include "engine/race.h"
#include "model/derived.h"
#include "model/optional.h"
#include "placer/certificate.h"
#include "placer/choose.h"
#include "placer/decide.h"
#include "placer/height.h"
#include "placer/in_order.h"
#include "placer/lifted.h"
#include "placer/make_engine.h"
#include "search/placement/bounds.h"
#include "tessera/check.h"
#include "tessera/errors.h"
#include "tessera/validate.h"
#include "validation/limited_budget.h"
#include "validation/output_file.h"
#include "validation/requirements.h"

namespace tessera::placer {

namespace {

using Clock = std::chrono::steady_clock;

/// This fraction of a time limit is reserved for the certificate.
constexpr int certifying_share = 6;

class Placer {
 public:
  /// `origins`: per memory, the address from which its height counts.
  Placer(const PlacementProblem& problem, const PlaceParams& params, std::vector<Size> origins = {})
      : problem_(problem),
        params_(params),
        origins_(std::move(origins)),
        start_(Clock::now()),
        limited_(params.limits) {}

  PlacementResult run() {
    validation::require_valid(problem_);
    if (params_.minimize > Objective::switches) throw BadInput("unknown objective to minimise");
    objectives_ = resolve_objectives(params_.minimize, problem_);
    const Objective what = objectives_.front();
    if (!(params_.gap >= 0 && params_.gap < 1))
      throw BadInput("the gap must be at least 0 and below 1");
    if (params_.gap > 0 && (what != Objective::height || in_order()))
      throw BadInput("a gap requires the height as the only objective");
    search_.goal = goal_of(what);
    for (const Objective each : objectives_)
      require_engine(problem_, params_.engine, goal_of(each));
    if (in_order() && what != Objective::benefit && !params_.proof.empty() &&
        std::find(objectives_.begin(), objectives_.end(), Objective::benefit) != objectives_.end())
      throw BadInput(
          "a certificate of a height or a cost covers placements of all buffers, but the "
          "objectives of this problem allow leaving some out",
          "remove --proof, put `maximize_benefit` first, or choose one objective with --minimize "
          "or --maximize");
    if (!params_.proof.empty())
      proof_.emplace(params_.proof.string(), validation::OutputFile::Writer::by_name);
    search_.seed = params_.limits.seed;
    search_.budget = limited_.budget();
    // Reserve time for the certificate.
    if (!params_.proof.empty() && search_.budget.deadline != Clock::time_point::max())
      search_.budget.deadline -= (search_.budget.deadline - start_) / certifying_share;
    settings_.engine = params_.engine;
    settings_.engines = engine_params(params_.switches);
    require_switches_of(params_.engine, params_.switches);
    settings_.threads = params_.limits.threads;
    settings_.phase = [this](std::string_view phase) { tell(phase); };
    result_.seed = params_.limits.seed;

    result_.lower_bounds.assign(problem_.memories.size(), 0);
    try {
      search(what);
    } catch (const std::bad_alloc&) {
      answer_ = {engine::out_of_memory("the search"), params_.engine};
    }
    return finish(what);
  }

 private:
  [[nodiscard]] bool in_order() const { return objectives_.size() > 1; }

  void search_in_order() {
    InOrder best = solve_in_order(problem_, objectives_,
                                  {.search = search_,
                                   .settings = settings_,
                                   .phase = [this](std::string_view phase) { tell(phase); }});
    answer_ = std::move(best.answer);
    later_bounds_ = std::move(best.bounds);
    refuted_ = std::move(best.refuted);
    result_.benefit_bound = whole_benefit(problem_);
    if (objectives_.front() != Objective::height) return;
    group_bounds_ = std::move(best.least.group_bounds);
    result_.lower_bound = best.least.lower_bound;
    if (best.least.lower_bounds.size() == result_.lower_bounds.size())
      result_.lower_bounds = first_bounds_ = std::move(best.least.lower_bounds);
  }

  void search(Objective what) {
    if (in_order()) {
      search_in_order();
      return;
    }
    if (what == Objective::benefit) {
      choose_optional();
      return;
    }
    tell("bounds");
    search::Bounds bounds = search::lower_bounds(problem_, {.budget = search_.budget});
    result_.lower_bounds = first_bounds_ = from_origins(bounds.heights, origins_);

    if (bounds.infeasible && params_.engine == "auto") {
      answer_.engine = "bounds";
      answer_.found.status = Status::infeasible;
      answer_.found.reason = std::move(*bounds.infeasible);
    } else if (what == Objective::height) {
      minimise(std::move(bounds.heights));
    } else {
      settings_.skip_bounds = true;
      answer_ = decide(problem_, search_, settings_);
    }
  }

  void choose_optional() {
    tell("choose");
    ChooseParams own{.search = search_, .settings = settings_, .progress = {}};
    own.settings.phase = {};  // one query among many
    own.progress = [this](Benefit best, Benefit bound) {
      if (!params_.progress) return;
      const std::lock_guard lock(mutex_);
      params_.progress({.phase = "choose", .benefit = best, .benefit_bound = bound});
    };
    ChooseResult best = choose(problem_, own);
    result_.benefit_bound = best.bound;
    refuted_ = std::move(best.refuted);
    answer_ = std::move(best.answer);
  }

  void tell(std::string_view phase, std::optional<Size> height = std::nullopt,
            std::optional<Size> bound = std::nullopt) {
    if (!params_.progress) return;
    const std::lock_guard lock(mutex_);
    params_.progress({.phase = phase, .height = height, .lower_bound = bound});
  }

  /// A height of 0 is that of a memory that has no placement yet, or no buffers.
  [[nodiscard]] bool within_gap(const std::vector<Size>& heights,
                                const std::vector<Size>& bounds) const {
    if (params_.gap == 0) return false;
    const std::vector<Size> reached = from_origins(heights, origins_);
    const std::vector<Size> least = from_origins(bounds, origins_);
    for (MemoryIndex m = 0; m < reached.size(); ++m) {
      const auto height = static_cast<double>(reached[m]);
      const auto bound = static_cast<double>(least[m]);
      if (height == 0 ? bound > 0 : height - bound > params_.gap * height) return false;
    }
    return true;
  }

  /// `known`: bounds, counted from address 0.
  void minimise(std::vector<Size> known) {
    tell("minimize");
    HeightParams own{.search = search_,
                     .settings = settings_,
                     .lower_bounds = std::move(known),
                     .origins = origins_,
                     .progress = nullptr};
    std::stop_source near;  // the gap is reached
    own.progress = [this, &near](const std::vector<Size>& heights,
                                 const std::vector<Size>& bounds) {
      const auto largest = [this](const std::vector<Size>& ends) {
        const std::vector<Size> values = from_origins(ends, origins_);
        return values.empty() ? std::nullopt
                              : std::optional(*std::max_element(values.begin(), values.end()));
      };
      tell("minimize", largest(heights), largest(bounds));
      if (within_gap(heights, bounds)) near.request_stop();
    };
    const std::stop_callback outer(search_.budget.stop, [&near] { near.request_stop(); });
    if (params_.gap > 0) own.search.budget.stop = near.get_token();
    HeightResult least = least_height(problem_, std::nullopt, own);
    if (least.found.stop == StopReason::interrupted && !search_.budget.stop.stop_requested())
      least.found.stop = StopReason::completed;
    group_bounds_ = std::move(least.group_bounds);
    result_.lower_bound = least.lower_bound;
    if (least.lower_bounds.size() == result_.lower_bounds.size())
      result_.lower_bounds = std::move(least.lower_bounds);
    answer_ = {std::move(least.found), std::move(least.engine)};
  }

  PlacementResult finish(Objective what) {
    result_.status = answer_.found.status;
    result_.stop = answer_.found.stop;
    result_.engine = answer_.engine;
    result_.reason = std::move(answer_.found.reason);
    result_.heights.assign(problem_.memories.size(), 0);
    if (result_.status == Status::feasible) {
      if (!answer_.found.placement)
        throw InternalError("engine " + answer_.engine + " reported a placement but returned none");
      result_.placement = std::move(answer_.found.placement);
      tell("check");
      validation::require_right(problem_, *result_.placement, answer_.engine);
      result_.heights = from_origins(heights(problem_, *result_.placement), origins_);
      result_.cost = soft_cost(problem_, *result_.placement);
      result_.benefit = benefit_of(problem_, *result_.placement);
      if (in_order()) {
        judge_all();
      } else {
        if (what != Objective::benefit) result_.benefit_bound = result_.benefit;  // all are placed
        judge_goal(what);
      }
    }
    result_.height = *std::max_element(result_.heights.begin(), result_.heights.end());
    result_.lower_bound = height_bound();
    result_.stats = std::move(answer_.found.stats);
    write_certificate(what);
    result_.stats = added_up(result_.stats);
    result_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return std::move(result_);
  }

  /// Proved bound on the largest height.
  [[nodiscard]] Size height_bound() const {
    return std::max(result_.lower_bound,
                    *std::max_element(result_.lower_bounds.begin(), result_.lower_bounds.end()));
  }

  /// Sets each objective's bound, given the values of previous objectives.
  void judge_all() {
    result_.proven_optimal = true;
    for (std::size_t k = 0; k < objectives_.size(); ++k) {
      ObjectiveValue each{.bound = later_bounds_.at(k)};
      if (objectives_[k] == Objective::height) {
        each.name = "height";
        each.value = *std::max_element(result_.heights.begin(), result_.heights.end());
      } else if (objectives_[k] == Objective::cost) {
        each.name = "cost";
        each.value = result_.cost;
        if (k == 0) result_.cost_bound = each.bound;
      } else {
        each.name = "benefit";
        each.value = result_.benefit;
        if (k == 0) result_.benefit_bound = each.bound;
      }
      each.proved = each.value == each.bound;
      if (each.name != "height") result_.proven_optimal = result_.proven_optimal && each.proved;
      result_.objectives.push_back(std::move(each));
    }
  }

  void judge_goal(Objective what) {
    if (what == Objective::height) {
      result_.proven_optimal = result_.cost == 0;  // a cost of 0 is always optimal
      const Size height = *std::max_element(result_.heights.begin(), result_.heights.end());
      result_.objectives.push_back({"height", height, height_bound(), height == height_bound()});
      return;
    }
    if (what == Objective::benefit) {
      result_.proven_optimal = result_.benefit == result_.benefit_bound;
      result_.objectives.push_back(
          {"benefit", result_.benefit, result_.benefit_bound, result_.proven_optimal});
      return;
    }
    const Cost bound = std::max(answer_.found.bound, engine::goal_floor(problem_, search_.goal));
    if (what == Objective::cost) {
      result_.cost_bound = bound;
      result_.proven_optimal = bound == result_.cost;
      result_.objectives.push_back({"cost", result_.cost, bound, result_.proven_optimal});
    } else if (what == Objective::modes || what == Objective::switches) {
      const Cost used = engine::goal_value(problem_, *result_.placement, what);
      result_.proven_optimal = bound == used;
      const bool modes = what == Objective::modes;
      result_.objectives.push_back(
          {modes ? "modes" : "switches", used, bound, result_.proven_optimal});
      answer_.found.stats.push_back({modes ? "modes_used" : "switches", used});
      answer_.found.stats.push_back({modes ? "modes_bound" : "switches_bound", bound});
    } else {
      result_.proven_optimal = result_.cost == 0;
    }
  }

  /// The proved claims that need a certificate.
  [[nodiscard]] std::vector<Claim> claims(Objective what) const {
    if (what == Objective::benefit) {
      if (result_.status == Status::unknown) return {};
      const bool none = result_.status == Status::infeasible;
      return {{.kind = ClaimKind::benefit, .most = none ? -1 : result_.benefit_bound}};
    }
    if (result_.status == Status::infeasible) return {{}};
    if (result_.status != Status::feasible) return {};
    std::vector<Claim> all;
    if (what == Objective::height) {
      for (MemoryIndex m = 0; m < problem_.memories.size(); ++m)
        if (result_.lower_bounds[m] > 0)
          all.push_back({ClaimKind::height, {m}, result_.lower_bounds[m]});
      for (const auto& [group, bound] : group_bounds_) {
        const bool said = std::any_of(
            group.begin(), group.end(),
            [&, least = bound](MemoryIndex m) { return result_.lower_bounds[m] >= least; });
        if (!said) all.push_back({ClaimKind::height, group, bound});
      }
      return all;
    }
    for (const ObjectiveValue& each : result_.objectives) {
      // later bounds depend on values of previous objectives
      if (&each != &result_.objectives.front()) break;
      if (each.bound < 1) continue;
      all.push_back({each.name == "modes"      ? ClaimKind::modes
                     : each.name == "switches" ? ClaimKind::switches
                                               : ClaimKind::cost,
                     {},
                     each.bound});
    }
    return all;
  }

  void write_certificate(Objective what) {
    if (!proof_) return;
    const std::vector<Claim> wanted = claims(what);
    if (wanted.empty()) return;
    tell("certificate");
    std::string who;
    try {
      CertificateFile file(proof_->beside());
      file.header(problem_, params_.proof_read);
      for (const Claim& claim : wanted) certify_one(claim, file, who);
      file.seal();
      result_.certificate_error = file.error();
      if (result_.certificate_error.empty() && !result_.certified.empty())
        proof_->commit(params_.limits.stop);
    } catch (const std::bad_alloc&) {
      result_.certificate_error = "not enough memory for a certificate";
    } catch (const OutputError& error) {  // a full disk: the answer stands without
      result_.certificate_error = error.what();
    }
    if (!result_.certificate_error.empty()) {
      result_.certified.clear();
      who.clear();
    }
    result_.stats.push_back({"certificate", who.empty() ? std::string("none") : who});
    if (result_.certified.empty() && !declined_.empty())
      result_.stats.push_back({"no_certificate", declined_});
  }

  void certify_one(Claim claim, CertificateFile& file, std::string& who) {
    engine::SearchParams search = search_;
    search.budget = limited_.budget();
    // No choice remains: the required buffers alone have no placement.
    if (claim.most < 0) refuted_ = {{}};
    std::optional<std::string> by =
        claim.kind == ClaimKind::benefit
            ? certify_benefit(problem_, claim, refuted_, search, file, &declined_)
            : certify(problem_, claim, search, file, &declined_);
    // Bounds known before any search follow from sums.
    if (!by && claim.kind == ClaimKind::height) {
      claim.least = 0;
      for (const MemoryIndex m : claim.memories)
        claim.least = std::max(claim.least, first_bounds_[m]);
      if (claim.least > 0) by = certify(problem_, claim, search, file, &declined_);
    }
    if (!by) return;
    result_.certified.push_back(std::move(claim));
    if (who.find(*by) == std::string::npos) who += (who.empty() ? "" : ", ") + *by;
  }

  const PlacementProblem& problem_;
  const PlaceParams& params_;
  std::vector<Size> origins_;
  Clock::time_point start_;
  validation::LimitedBudget limited_;
  engine::SearchParams search_;
  DecideParams settings_;
  Decision answer_;
  std::vector<Objective> objectives_;
  std::vector<std::int64_t> later_bounds_;  ///< of several objectives
  std::vector<std::pair<std::vector<MemoryIndex>, Size>> group_bounds_;
  std::vector<Size> first_bounds_;  ///< per memory, from sums
  std::optional<validation::OutputFile> proof_;
  std::vector<std::vector<std::uint32_t>> refuted_;  ///< sets of optional buffers
  std::string declined_;                             ///< why no derivation exists
  PlacementResult result_;
  std::mutex mutex_;
};

/// The result for memories that begin a little lower.
PlacementResult place_lifted(const PlacementProblem& problem, const Lifted& above,
                             const PlaceParams& params) {
  PlacementResult result = Placer(above.problem, params, above.by).run();
  lower(above, result);
  if (result.placement) validation::require_right(problem, *result.placement, result.engine);
  return result;
}

/// Smaller is better; heights compare lexicographically, largest first.
std::vector<std::int64_t> value_of(const PlacementResult& result, Objective what) {
  if (what == Objective::cost) return {result.cost};
  if (what == Objective::modes || what == Objective::switches)
    return {result.objectives.front().value};
  std::vector<std::int64_t> falling = result.heights;
  std::sort(falling.begin(), falling.end(), std::greater<>());
  return falling;
}

/// The best of several results for different choices of memories.
class BestOf {
 public:
  explicit BestOf(Objective what) : what_(what) {}

  void add(PlacementResult one) {
    ++asked_;
    if (one.stop != StopReason::completed) stop_ = one.stop;
    if (one.status == Status::infeasible) {
      if (!best_) last_ = std::move(one);
      return;
    }
    keep_least(one);
    if (one.status == Status::unknown) {
      undecided_ = std::move(one);
      return;
    }
    if (!best_ || value_of(one, what_) < value_of(*best_, what_)) best_ = std::move(one);
  }
  [[nodiscard]] bool found() const { return best_.has_value(); }
  /// `all`: every choice was decided, so the minimum bound holds for the problem.
  PlacementResult result(bool all) {
    PlacementResult result = best_        ? std::move(*best_)
                             : undecided_ ? std::move(*undecided_)
                                          : std::move(last_);
    if (!best_ || what_ != Objective::fit) result.stop = stop_;
    result.stats.push_back({"ties_of_memories", asked_});
    if (result.status == Status::infeasible) return result;
    if (!all) {
      least_ = PlacementResult{};
      least_->lower_bounds.assign(result.lower_bounds.size(), 0);
    }
    result.lower_bounds = least_->lower_bounds;
    result.lower_bound = least_->lower_bound;
    result.cost_bound = least_->cost_bound;
    if (!result.placement) return result;
    result.proven_optimal = result.cost == (what_ == Objective::cost ? result.cost_bound : 0);
    for (ObjectiveValue& each : result.objectives) {
      each.bound = least_->objectives.empty() ? 0 : least_->objectives.front().bound;
      each.proved = each.bound == each.value;
      if (what_ == Objective::modes || what_ == Objective::switches)
        result.proven_optimal = each.proved;
    }
    return result;
  }

 private:
  void keep_least(const PlacementResult& one) {
    if (!least_) {
      least_ = one;
      return;
    }
    for (MemoryIndex m = 0; m < least_->lower_bounds.size(); ++m)
      least_->lower_bounds[m] = std::min(least_->lower_bounds[m], one.lower_bounds[m]);
    least_->lower_bound = std::min(least_->lower_bound, one.lower_bound);
    least_->cost_bound = std::min(least_->cost_bound, one.cost_bound);
    // Without a placement there are no objective values.
    if (one.objectives.empty()) least_->objectives.clear();
    for (ObjectiveValue& each : least_->objectives)
      each.bound = std::min(each.bound, one.objectives.front().bound);
  }

  Objective what_;
  std::int64_t asked_ = 0;
  StopReason stop_ = StopReason::completed;
  std::optional<PlacementResult> best_;
  std::optional<PlacementResult> undecided_;  ///< stopped by a limit
  /// its bounds: the minimum over all choices that may be feasible
  std::optional<PlacementResult> least_;
  PlacementResult last_;
};

/// Throws BadInput if a certificate is requested: proof rules count alignments from offset 0.
PlacementResult place_tied(const PlacementProblem& problem, const PlaceParams& params) {
  const Clock::time_point begin = Clock::now();
  if (!params.proof.empty()) require_aligned_bases(problem, "a certificate does");
  if (resolve_objectives(params.minimize, problem).size() > 1)
    require_aligned_bases(problem, "several objectives in order do");
  const auto answer = [](const PlacementProblem& one, const PlaceParams& own) {
    const std::optional<Lifted> above = lifted(one);
    return above ? place_lifted(one, *above, own) : Placer(one, own).run();
  };
  const std::vector<PlacementProblem> all = tied(problem);
  const Objective what = resolve_minimize(params.minimize, problem);
  // Choices of memories and of optional buffers are not combined: the buffers must name a memory.
  if (all.size() == 1 || what == Objective::benefit) return answer(problem, params);
  BestOf best(what);
  std::size_t asked = 0;
  while (asked < all.size() && !(best.found() && what == Objective::fit)) {
    PlaceParams own = params;
    if (params.limits.timeout) {
      const auto left = *params.limits.timeout - (Clock::now() - begin);
      own.limits.timeout = std::max<std::chrono::nanoseconds>(
          std::chrono::duration_cast<std::chrono::nanoseconds>(left) /
              static_cast<std::int64_t>(all.size() - asked),
          std::chrono::nanoseconds(0));
    }
    best.add(answer(all[asked++], own));
  }
  PlacementResult result = best.result(asked == all.size());
  if (result.placement) validation::require_right(problem, *result.placement, result.engine);
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return result;
}

}  // namespace

}  // namespace tessera::placer

namespace tessera {

Objective resolve_minimize(std::optional<Objective> asked, const PlacementProblem& problem) {
  if (asked) return *asked;
  if (problem.objective != Objective::fit) return problem.objective;
  const bool worth = std::any_of(problem.buffers.begin(), problem.buffers.end(),
                                 [](const Buffer& buffer) { return buffer.benefit > 0; });
  if (worth) return Objective::benefit;
  const bool soft = std::any_of(
      problem.relations.begin(), problem.relations.end(),
      [](const Relation& relation) { return relation.kind == RelationKind::avoid_overlap; });
  return soft ? Objective::cost : Objective::height;
}

std::vector<Objective> resolve_objectives(std::optional<Objective> asked,
                                          const PlacementProblem& problem) {
  std::vector<Objective> all{resolve_minimize(asked, problem)};
  if (asked) return all;
  for (const Objective next : problem.next_objectives) all.push_back(next);
  return all;
}

PlacementResult place(const PlacementProblem& problem, const PlaceParams& params) {
  const bool based = std::any_of(problem.memories.begin(), problem.memories.end(),
                                 [](const Memory& memory) { return memory.base != 0; });
  if (based) validation::require_valid(problem);
  PlacementResult result = based && has_unaligned_base(problem)
                               ? placer::place_tied(problem, params)
                               : placer::Placer(problem, params).run();
  // A bound that equals the value is a proof for every objective.
  result.proven_minimum = result.placement && result.height == result.lower_bound;
  return result;
}

}  // namespace tessera
