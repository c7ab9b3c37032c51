#include "tessera/plan.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cost/score.h"
#include "model/crew.h"
#include "model/off_chip.h"
#include "model/shared_work.h"
#include "planner/baseline.h"
#include "planner/behind.h"
#include "planner/candidates.h"
#include "planner/check.h"
#include "planner/cover_bound.h"
#include "planner/descent.h"
#include "planner/describe.h"
#include "planner/early.h"
#include "planner/joined.h"
#include "planner/kept_rows.h"
#include "planner/modes.h"
#include "planner/planning.h"
#include "planner/prove.h"
#include "planner/residency.h"
#include "planner/run_by_run.h"
#include "porter/limited_budget.h"
#include "porter/requirements.h"
#include "tessera/check.h"
#include "tessera/files.h"

namespace tessera::planner {

namespace {

/// Lengths of runs that are tried where long ones leave no room for what comes from behind.
constexpr std::array<std::size_t, 3> short_runs{4, 2, 1};

/// Each search for covers keeps some of its time back: so often the rest of a limit is used as well
/// where none was found.
constexpr int most_again = 3;
/// Covers of short runs that score so many times what the plan does have no runs of use, as a rule.
constexpr double good_for_short = 1.1;

/// Planning for one network on one machine, more than once.
class Plannings {
  using Clock = std::chrono::steady_clock;

 public:
  Plannings(const Network& network, const Hardware& hardware, const PlanParams& params)
      : network_(network),
        hardware_(hardware),
        later_(later_looks(network, hardware, params)),
        params_(for_the_search(params, hardware, later_)),
        whole_(params.limits),
        going_on_(for_the_search(params, hardware, {}).limits),
        limited_(params_.limits),
        fewest_modes_(params.fewest_modes) {
    if (!params_.memory) params_.memory = make_plan_memory();
  }

  NetworkPlan run() {
    ResidencyWork stays{.sets = {{}}};
    NetworkPlan plan = found(params_, later_.any(), stays);
    if (plan.status == Status::feasible) {
      // Less memory, or what stays, was not looked at where a limit came first.
      if (may_go_on(plan) && cut_ != StopReason::completed) plan.optimal = false;
      if (later_.trailing && may_go_on(plan)) add_side_by_side(plan, stays.nearly);
      if (later_.any() && may_look_later(plan)) go_on(plan, stays.nearly);
      if (later_.early && may_look_later(plan)) keep_weights(plan);
      plan.looked_at = {plan.bound, plan.optimal, plan.proved_over};
      const double before = plan.score;
      if (params_.tile_shapes > 0) prove(plan, stays.sets);
      if (later_.rows) {
        if (plan.score < before) add_rows(plan);
        stays.sets.clear();  // of rows that stay there are too many
        bound_alone(plan);
      }
      if (later_.early) claim_with_early(plan, stays.sets);
      if (fewest_modes_) take_modes(plan);
    }
    if (plan.status == Status::feasible && always_settles(hardware_))
      settle_off_chip(network_, hardware_, whole_.budget(), plan, params_.limits.threads);
    if (params_.progress && plan.status == Status::feasible)
      params_.progress({plan.score, plan.bound, solved_});
    if (may_go_on(plan) && cut_ != StopReason::completed) {
      plan.stop = cut_;
      plan.optimal = false;
    }
    // What ended then was not all there is to do: where everything lies off the chip, say.
    if (plan.status != Status::infeasible && plan.stop == StopReason::completed)
      plan.stop = whole_.budget().exhausted().value_or(plan.stop);
    plan.search.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    return plan;
  }

 private:
  /// What is looked for when all else is settled.
  struct LaterLooks {
    bool direct = false;
    bool trailing = false;
    bool early = false;  ///< weights
    bool rows = false;   ///< that stay
    [[nodiscard]] bool any() const { return direct || trailing || early || rows; }
  };
  [[nodiscard]] static LaterLooks later_looks(const Network& network, const Hardware& hardware,
                                              const PlanParams& params) {
    const bool shapes = params.tile_shapes > 0;
    return {.direct = shapes && may_be_direct(hardware),
            .trailing = shapes && tiling::works_side_by_side(hardware),
            .early = params.residency && may_come_early(network, hardware),
            .rows = shapes && params.residency && may_keep_rows(network, hardware)};
  }

  /// Covers, in more and in less of the memory, and what stays on the chip between runs.
  NetworkPlan found(const PlanParams& params, bool wants_nearly, ResidencyWork& stays) {
    const bool levels = tries_levels(params_, hardware_);
    const bool may_stay = params_.residency && !stays_on_chip(hardware_);
    if (may_stay) covers_.emplace(part_for_covers(rest().limits));
    PlanParams first = rest();
    first.progress = params.progress;
    const PlanPart part{.quick = levels, .side_by_side = side_by_side_};
    auto [plan, fewest] = plan_once(network_, hardware_, first, part);
    note(plan.stop);
    solved_ += plan.search.solved;
    // Nothing is kept back for what comes later where there is nothing to look at.
    for (int again = 0; again < most_again && plan.status == Status::unknown &&
                        plan.stop == StopReason::time_limit && !limited_.budget().exhausted();
         ++again) {
      covers_.reset();
      plan = plan_once(network_, hardware_, rest(), part).plan;
      solved_ += plan.search.solved;
    }
    if (params_.limits.timeout && plan.status == Status::feasible) bounds_in_time(plan);
    if (stays_on_chip(hardware_)) leave_room(plan);
    if (off_chip::behind(hardware_) != nullptr) try_shorter_runs(plan);
    if (levels && may_go_on(plan)) {
      look_further(plan, fewest);
      if (params.progress) params.progress({plan.score, plan.bound, solved_});
    }
    covers_.reset();
    std::vector<NetworkPlan> shorter;
    if (params_.tile_shapes > 0 && may_go_on(plan)) shorter = short_covers(plan);
    if (may_stay && may_look_later(plan)) {
      const PlanParams left = rest();
      stays = take_residency(network_, hardware_, left, wants_nearly, side_by_side_, shorter, plan);
      solved_ += stays.solved;
      note(stays.stop);
      claim_with(plan, stays);
    }
    if (wants_nearly && network_.ops.size() <= few_ops)
      for (NetworkPlan& each : shorter) add_start(plan, std::move(each), stays.nearly);
    return std::move(plan);
  }

  /// What makes a run cheap at last, as sums in parts, is looked at where the best cover has it,
  /// and that has long runs as a rule, which have less use for it. So the best of short ones are
  /// asked for besides; whichever is best is the plan. In short networks all that comes later is
  /// tried on them, too: op by op, say, every one may work past the chip.
  std::vector<NetworkPlan> short_covers(NetworkPlan& plan) {
    std::vector<NetworkPlan> covers;
    const bool quick = network_.ops.size() > few_ops;
    for (const std::size_t most_ops : {std::size_t{2}, std::size_t{1}}) {
      if (most_ops >= std::min(params_.max_ops, network_.ops.size())) continue;
      NetworkPlan cover = cover_of_runs(most_ops, {.quick = quick, .side_by_side = side_by_side_});
      if (cover.status != Status::feasible) continue;
      if (quick && cover.score > plan.score * good_for_short) continue;
      covers.push_back(cover);
      if (cover.score >= plan.score) continue;
      claim_as(plan, cover);
      cover.search = plan.search;
      plan = std::move(cover);
    }
    return covers;
  }

  /// The best one by runs of at most so many ops.
  [[nodiscard]] NetworkPlan cover_of_runs(std::size_t most_ops, const PlanPart& part) {
    PlanParams params = rest();
    params.max_ops = most_ops;
    params.progress = nullptr;
    NetworkPlan cover = plan_once(network_, hardware_, params, part).plan;
    solved_ += cover.search.solved;
    note(cover.stop);
    return cover;
  }
  /// What is known of all covers is what the first search says.
  static void claim_as(const NetworkPlan& plan, NetworkPlan& other) {
    other.bound = std::min(plan.bound, other.score);
    other.optimal = false;
    other.limit_mattered = plan.limit_mattered;
    other.proved_over = plan.proved_over;
  }

  /// The same with runs whose last ops may trail: a start of its own, since two copies of what is
  /// handed over take room that other plans may have better use for.
  void add_side_by_side(const NetworkPlan& plan, std::vector<NetworkPlan>& others) {
    PlanParams params = rest();
    params.progress = progress_from(plan);
    side_by_side_ = true;
    ResidencyWork stays;
    NetworkPlan other = found(params, false, stays);
    side_by_side_ = false;
    note(other.stop);
    add_start(plan, std::move(other), others);
  }

  static void add_start(const NetworkPlan& plan, NetworkPlan start,
                        std::vector<NetworkPlan>& others) {
    if (start.status != Status::feasible) return;
    start.limit_mattered = plan.limit_mattered;
    start.search = plan.search;
    others.push_back(std::move(start));
  }

  /// More that is looked at, of the best of all before and of those that are nearly as good: the
  /// best is the least of what they become.
  void go_on(NetworkPlan& plan, std::vector<NetworkPlan>& nearly) {
    const std::size_t all = 1 + nearly.size();
    each_together(params_.limits.threads, all, [&](std::size_t k) {
      // Now: some begin when others have ended.
      PlanParams params = rest_of(going_on_);
      params.limits.threads = threads_of_each(params.limits.threads, all);
      NetworkPlan& each = k == 0 ? plan : nearly[k - 1];
      if (later_.direct || later_.trailing) take_run_by_run(network_, hardware_, params, each);
      // Rows that stay take room from weights that come early, which may be worth more.
      NetworkPlan without = each;
      const bool keeps = later_.rows && take_kept_rows(network_, hardware_, params, each);
      if (later_.early) take_early(network_, hardware_, params, each);
      if (!keeps || !later_.early) return;
      take_early(network_, hardware_, params, without);
      if (without.score < each.score) each = std::move(without);
    });
    for (NetworkPlan& each : nearly) {
      if (each.score >= plan.score) continue;
      each.bound = plan.bound;
      each.optimal = plan.optimal;
      each.proved_over = plan.proved_over;
      plan = std::move(each);
    }
    plan.bound = std::min(plan.bound, plan.score);
    if (const std::optional<StopReason> ended = going_on_.budget().exhausted()) {
      note(*ended);
      plan.optimal = false;
    }
    if (plan.proved_over != over_everything()) plan.proved_over += looked_at_later();
  }

  [[nodiscard]] std::string looked_at_later() const {
    std::string text;
    if (later_.direct)
      text +=
          ", and the runs of one op that the best of those has also with what its engine reads "
          "and writes off the chip itself";
    if (later_.trailing)
      text +=
          ", and the longer runs that the best of those has also with their last ops beside the "
          "next tile's";
    if (later_.early) text += ", and the best of those with weights that come early";
    if (later_.rows) text += ", and the best of those with rows that stay";
    return text;
  }

  /// What several runs read may wait from one to the next only where they have it through all of
  /// their tiles. That may cost more before anything waits: so all is planned once more with no
  /// other tiles. The better plan is taken.
  void keep_weights(NetworkPlan& plan) const {
    Hardware keeping = hardware_;
    TilingOptions& tiling = keeping.tiling;
    const bool may = std::ranges::count(tiling.weights, WeightPolicy::resident) > 0;
    const bool does = tiling.weights.size() == 1 && tiling.reduction.size() == 1;
    if (!may || does || shared_weights(network_).empty()) return;
    tiling.weights = {WeightPolicy::resident};
    tiling.reduction = {1};
    PlanParams params = rest_of(going_on_);
    params.progress = progress_from(plan);
    params.reference = plan.reference;
    params.proof_shapes = 0;  // that is of all tiles
    NetworkPlan kept = Plannings(network_, keeping, params).run();
    if (kept.status != Status::feasible || kept.score >= plan.score) return;
    claim_as(plan, kept);
    kept.baseline = plan.baseline;
    kept.baseline_score = plan.baseline_score;
    kept.stop = plan.stop;
    kept.search = plan.search;
    plan = std::move(kept);
  }

  /// What was found by the proof may have room for some, too.
  void add_rows(NetworkPlan& plan) {
    if (take_kept_rows(network_, hardware_, rest_of(going_on_), plan))
      plan.looked_at.bound = std::min(plan.looked_at.bound, plan.score);
    if (const std::optional<StopReason> ended = going_on_.budget().exhausted()) note(*ended);
  }

  /// Nor may a cover by more than one run be better where its weights come early.
  void claim_with_early(NetworkPlan& plan, const std::vector<std::vector<TensorIndex>>& sets) {
    const std::size_t max_ops = std::min(params_.max_ops, network_.ops.size() - 1);
    const cost::Score score{plan.weights, cost::in_cycles_of(hardware_.clock_hz, plan.reference)};
    const auto bound = [&](const std::vector<TensorIndex>& stays) {
      return bound_of_covers(network_, hardware_, stays, {score, max_ops, true});
    };
    double least = std::numeric_limits<double>::infinity();
    // Less may be loaded, too, of what several runs read.
    const bool proves =
        plan.optimal && hardware_.dma.channels == 1 && shared_weights(network_).empty();
    for (const std::vector<TensorIndex>& stays : sets) {
      double of_set = bound(stays);
      if (proves && of_set < plan.score) {
        const std::int64_t shapes = params_.proof_shapes / static_cast<std::int64_t>(sets.size());
        of_set = std::max(
            of_set, look_for_better(plan, {.stays = stays, .proof_shapes = shapes, .early = true},
                                    params_.max_ops)
                        .first);
      }
      least = std::min(least, of_set);
    }
    if (sets.empty()) least = least_of_all(plan, true, whole_.budget());
    plan.bound = std::min(plan.bound, least);
    plan.optimal = plan.optimal && plan.bound >= plan.score;
    if (plan.optimal) plan.looked_at = {plan.bound, true, plan.proved_over};
  }

  /// Of the plan that it is to be, which neither scores nor peaks higher for it.
  void take_modes(NetworkPlan& plan) const {
    const cost::Score score{plan.weights, cost::in_cycles_of(hardware_.clock_hz, plan.reference)};
    plan.objectives = {take_fewest_modes(
        network_, hardware_, modes_params(params_, score, peak_limits_of(params_), whole_.budget()),
        plan.subgraphs)};
    describe(network_, hardware_, score, plan, params_.limits.threads);
    // Bounds of covers do not know that other places may switch modes less often.
    if (plan.optimal || plan.bound > plan.score) plan.bound = plan.score;
    if (plan.looked_at.optimal || plan.looked_at.bound > plan.score)
      plan.looked_at.bound = plan.score;
    if (plan.objectives.back().proved || plan.stop != StopReason::completed) return;
    plan.stop = whole_.budget().exhausted().value_or(plan.stop);
  }

  /// Without the time for what is settled at last: what is looked for when all else is, what lies
  /// off the chip, and the fewest modes.
  [[nodiscard]] static PlanParams for_the_search(PlanParams params, const Hardware& hardware,
                                                 const LaterLooks& later) {
    std::optional<std::chrono::nanoseconds>& timeout = params.limits.timeout;
    if (timeout && params.fewest_modes) *timeout -= *timeout / 5;
    params.fewest_modes = false;
    if (timeout && always_settles(hardware)) *timeout -= *timeout / 50;
    if (timeout && later.any()) *timeout -= *timeout / 10;
    return params;
  }

  [[nodiscard]] PlanParams rest() const { return rest_of(covers_ ? *covers_ : limited_); }
  /// What stays may be worth more than what the rest of a search for covers finds.
  [[nodiscard]] static Limits part_for_covers(Limits limits) {
    if (limits.timeout) *limits.timeout -= *limits.timeout / 4;
    return limits;
  }
  [[nodiscard]] PlanParams rest_of(const porter::LimitedBudget& limited) const {
    PlanParams rest = params_;
    rest.limits = porter::rest_of(params_.limits, limited.budget());
    return rest;
  }

  /// A limit that ends a look for something better ends the plan, too.
  void note(StopReason stop) {
    if (cut_short(stop)) cut_ = stop;
  }

  /// Runs that fit by themselves may leave no one place for what stays on the chip between them.
  /// Then tiles that leave some room do, as a rule: what is proved is what was proved of all tiles.
  void leave_room(NetworkPlan& plan) const {
    const double bound = plan.bound;
    for (const double share : {0.96, 0.9, 0.8, 0.65, 0.5, 0.35, 0.25, 0.12}) {
      if (plan.status != Status::unknown || plan.stop != StopReason::completed) break;
      NetworkPlan smaller = plan_once(network_, hardware_, rest(), {.share = share}).plan;
      smaller.bound = std::min(bound, smaller.score);
      smaller.optimal = false;
      if (smaller.status == Status::infeasible) break;
      plan = std::move(smaller);
    }
  }

  /// Covers are found as if nothing had to be fetched. Shorter runs read less at a time: what has
  /// no room otherwise is there in time, perhaps.
  void try_shorter_runs(NetworkPlan& plan) {
    const bool no_room = plan.status == Status::unknown && plan.stop == StopReason::completed;
    if (!no_room && (!may_go_on(plan) || plan.behind.fetches.empty())) return;
    for (const std::size_t most_ops : short_runs) {
      if (most_ops >= params_.max_ops) continue;
      NetworkPlan other = cover_of_runs(most_ops, {});
      if (other.status != Status::feasible) continue;
      claim_as(plan, other);
      if (plan.status != Status::feasible || other.score < plan.score) plan = std::move(other);
    }
  }

  [[nodiscard]] static bool may_go_on(const NetworkPlan& plan) {
    return plan.status == Status::feasible && plan.stop == StopReason::completed;
  }
  /// Some of a time limit is kept for what comes later.
  [[nodiscard]] static bool may_look_later(const NetworkPlan& plan) {
    return may_go_on(plan) ||
           (plan.status == Status::feasible && plan.stop == StopReason::time_limit);
  }
  static void take_if_better(NetworkPlan& plan, NetworkPlan other) {
    if (other.status != Status::feasible || other.score > plan.score) return;
    other.bound = std::min(other.bound, plan.bound);
    other.optimal = other.optimal && plan.optimal;
    if (other.optimal) other.bound = other.score;
    plan = std::move(other);
  }

  /// After quick looks at how much of the memory is best used, all that there is to do with as
  /// much, and with what was nearly as good; what the quick looks found is remembered.
  void look_further(NetworkPlan& plan, double fewest) {
    NetworkPlan quick = plan;
    const std::vector<Level> levels = best_levels(quick, fewest);
    plan = quick;
    std::vector<NetworkPlan> full(levels.size());
    each_sharing({.threads = params_.limits.threads}, levels.size(),
                 [&](std::size_t k, SharedWork& shared) {
                   PlanParams params = rest();
                   params.progress = progress_from(plan);
                   params.limits.threads = threads_of_each(params_.limits.threads, levels.size());
                   full[k] = plan_once(network_, hardware_, params,
                                       {.most_peak = levels[k].most_peak,
                                        .side_by_side = side_by_side_,
                                        .outer = &shared})
                                 .plan;
                 });
    for (NetworkPlan& each : full) {
      solved_ += each.search.solved;
      note(each.stop);
      take_if_better(plan, std::move(each));
    }
  }

  /// A quick look at what there is in less memory.
  struct Quick {
    Size level = 0;
    double worth_below = 0;
    Planned planned{};

    /// Would it have found the same with another bound of what is worth it?
    [[nodiscard]] bool says_below(double worth) const {
      const double fewest = planned.fewest;
      return worth == worth_below || fewest < std::min(worth, worth_below);
    }
  };

  /// Where nothing better is found there, the next levels are looked at, too: so that is done
  /// meanwhile, if there are threads for it.
  [[nodiscard]] std::vector<Quick> quick_looks(Descent descent, const NetworkPlan& plan) const {
    PlanParams params = rest();
    params.progress = progress_from(plan);
    std::vector<Quick> looks;
    const auto threads = static_cast<std::size_t>(std::max(1, params.limits.threads));
    do {
      looks.push_back({.level = descent.level, .worth_below = descent.worth_below()});
      ++descent.in_vain;
    } while (looks.size() < threads && descent.step() > 0);
    params.limits.threads = threads_of_each(params_.limits.threads, looks.size());
    each_sharing({.threads = params_.limits.threads}, looks.size(),
                 [&](std::size_t k, SharedWork& shared) {
                   Quick& look = looks[k];
                   look.planned = plan_once(network_, hardware_, params,
                                            {.most_peak = look.level,
                                             .quick = true,
                                             .worth_below = look.worth_below,
                                             .side_by_side = side_by_side_,
                                             .outer = &shared});
                 });
    return looks;
  }

  /// The fewest tiles fill the memory, however little that is worth. Where less memory gives a
  /// better plan, that is the plan of this machine, too. The best first.
  std::vector<Level> best_levels(NetworkPlan& plan, double fewest) {
    std::vector<Level> levels{{.score = plan.score}};
    Descent descent{.level = plan.totals.peak_bytes, .fewest = fewest};
    descent.see(plan);
    std::vector<Quick> looks;
    while (may_go_on(plan) && descent.step() > 0) {
      const auto is_of_now = [&](const Quick& look) {
        return look.level == descent.level && look.says_below(descent.worth_below());
      };
      auto look = std::ranges::find_if(looks, is_of_now);
      if (look == looks.end()) {
        looks = quick_looks(descent, plan);
        look = looks.begin();
      }
      auto [lower, lower_fewest] = std::move(look->planned);
      looks.erase(look);
      solved_ += lower.search.solved;
      note(lower.stop);
      if (lower.status == Status::feasible) levels.push_back({descent.level, lower.score});
      if (lower.status != Status::feasible || lower.score >= plan.score) {
        ++descent.in_vain;
        continue;
      }
      descent.in_vain = Descent::most_in_vain - 1;
      descent.fewest = lower_fewest;
      take_if_better(plan, std::move(lower));
      descent.see(plan);
    }
    return worth_it(std::move(levels));
  }

  /// Says what no plan beats. `sets`: of tensors that stay over cuts; none where they are too many.
  void prove(NetworkPlan& plan, const std::vector<std::vector<TensorIndex>>& sets) {
    const bool ended = may_go_on(plan) && cut_ == StopReason::completed;
    // Never worse than where nothing may stay.
    if (sets.empty() && ended && network_.ops.size() <= few_ops &&
        !look_for_better(plan, {.proof_shapes = params_.proof_shapes}, params_.max_ops).second)
      look_with_fewer_halos(plan, {{}});
    if (sets.empty() || !ended) return bound_alone(plan);
    plan.proved_over = over_everything();
    double least = std::numeric_limits<double>::infinity();
    bool proved = true;
    const std::int64_t before = plan.search.shapes;
    std::int64_t shapes = params_.proof_shapes;
    const auto few = static_cast<std::int64_t>(sets.size());
    std::int64_t left = few;
    for (const std::vector<TensorIndex>& stays : sets) {
      const auto [bound, none_better] =
          look_for_better(plan, {.stays = stays, .proof_shapes = shapes / left--}, params_.max_ops);
      least = std::min(least, bound);
      proved = proved && none_better;
      shapes = params_.proof_shapes - std::min(params_.proof_shapes, plan.search.shapes - before);
    }
    if (!proved) look_with_fewer_halos(plan, sets);
    // Covers do not know what is fetched: as before, shorter runs may have room for it.
    const bool fetches = !plan.behind.fetches.empty();
    for (const std::size_t most_ops : short_runs) {
      if (!fetches || most_ops >= params_.max_ops) continue;
      for (const std::vector<TensorIndex>& stays : sets)
        static_cast<void>(look_for_better(
            plan, {.stays = stays, .proof_shapes = params_.proof_shapes / few}, most_ops));
    }
    plan.bound = proved ? plan.score : std::min(least, plan.score);
    plan.optimal = plan.bound >= plan.score;
    if (plan.optimal && !later_.early && !later_.rows)
      plan.looked_at = {plan.bound, true, plan.proved_over};
  }

  /// Bounds of tiles that keep halos are low. Where there may be some, the shapes that may be
  /// looked at for a proof can all be theirs, and better tiles without them stay unseen. So those
  /// kinds are left out, one after the other, until a proof ends.
  void look_with_fewer_halos(NetworkPlan& plan, const std::vector<std::vector<TensorIndex>>& sets) {
    Hardware fewer = hardware_;
    std::vector<HaloPolicy>& halos = fewer.tiling.halo;
    const std::int64_t shapes = params_.proof_shapes / static_cast<std::int64_t>(sets.size());
    const auto goes_on = [&] {
      return shapes > 0 && halos.size() > 1 && cut_ == StopReason::completed;
    };
    for (bool proved = false; !proved && goes_on();) {
      halos.erase(std::ranges::max_element(halos));
      proved = true;
      for (const std::vector<TensorIndex>& stays : sets)
        proved =
            look_for_better(plan, {.stays = stays, .proof_shapes = shapes}, params_.max_ops, fewer)
                .second &&
            proved;
    }
  }

  /// What nothing like that scores less than, and whether nothing is better than the plan; it is
  /// the better one afterwards, where there is one.
  std::pair<double, bool> look_for_better(NetworkPlan& plan, PlanPart part, std::size_t max_ops) {
    return look_for_better(plan, std::move(part), max_ops, hardware_);
  }
  /// `machine`: with less to choose from, perhaps.
  std::pair<double, bool> look_for_better(NetworkPlan& plan, PlanPart part, std::size_t max_ops,
                                          const Hardware& machine) {
    PlanParams params = rest();
    params.reference = plan.reference;
    params.progress = nullptr;
    params.max_ops = max_ops;
    part.prove_below = plan.score;
    NetworkPlan other = plan_once(network_, machine, params, part).plan;
    solved_ += other.search.solved;
    note(other.stop);
    plan.search.shapes += other.search.shapes;
    const std::pair said{other.bound, other.optimal};
    if (other.status != Status::feasible || other.score >= plan.score) return said;
    other.proved_over = plan.proved_over;
    other.limit_mattered = plan.limit_mattered;
    other.baseline = plan.baseline;
    other.baseline_score = plan.baseline_score;
    other.search = plan.search;
    other.looked_at = plan.looked_at;
    other.looked_at.bound = std::min(other.looked_at.bound, other.score);
    plan = std::move(other);
    return said;
  }

  /// With what stays, of which every set was looked at, or some of them.
  void claim_with(NetworkPlan& plan, const ResidencyWork& stays) {
    if (!stays.sets.empty()) {
      plan.bound = std::min({plan.bound, stays.fewest_bound, plan.score});
      plan.proved_over += ", whatever stays on the chip from run to run";
    } else if (stays.better || stays.stop != StopReason::completed) {
      return bound_alone(plan);
    } else {
      plan.proved_over += ", with tensors from run to run stored and loaded";
    }
    plan.optimal = plan.bound >= plan.score;
  }

  void bound_alone(NetworkPlan& plan) {
    plan.bound = std::min(plan.score, least_of_all(plan, false, whole_.budget()));
    if (later_.early) plan.bound = std::min(plan.bound, least_of_all(plan, true, whole_.budget()));
    plan.optimal = plan.bound >= plan.score;
    plan.proved_over = over_everything();
  }

  /// What every plan costs at least, which is the same whatever was found: asked for once, or again
  /// where a budget ended it. `early`: of covers by more than one run, whatever weights come early.
  double least_of_all(const NetworkPlan& plan, bool early, const Budget& budget) {
    Least& least = least_of_all_[early ? 1 : 0];
    if (least.whole || (least.bound > 0 && budget.exhausted())) return least.bound;
    const cost::Score score{plan.weights, cost::in_cycles_of(hardware_.clock_hz, plan.reference)};
    const std::size_t max_ops =
        early ? std::min(params_.max_ops, network_.ops.size() - 1) : params_.max_ops;
    const double bound =
        bound_of_plans(network_, hardware_, params_, {score, max_ops, early, budget});
    least = {std::max(least.bound, bound), !budget.exhausted()};
    return least.bound;
  }
  /// Before what is looked for next takes all the time there is: bounds of deep networks take a
  /// second or two.
  void bounds_in_time(const NetworkPlan& plan) {
    least_of_all(plan, false, porter::without_last(2, limited_.budget()));
    if (later_.early) least_of_all(plan, true, porter::without_last(2, limited_.budget()));
  }

  [[nodiscard]] std::string over_everything() const {
    std::string text = "covers by runs of consecutive ops";
    if (params_.max_ops < network_.ops.size())
      text += ", at most " + std::to_string(params_.max_ops) + " in a run";
    text += ", in whatever tiles and variants of the profile's tiling";
    if (std::ranges::any_of(network_.tensors, [](const Tensor& t) { return t.joined.has_value(); }))
      text += ", with what is joined in its place off the chip";
    if (params_.residency && !stays_on_chip(hardware_))
      text += later_.rows ? ", whatever stays on the chip from run to run, in whole or in part"
                          : ", whatever stays on the chip from run to run";
    if (later_.early) text += ", whatever weights come early";
    if (!params_.peak_limits.empty()) text += ", within the limits on peaks that were given";
    return text;
  }

  /// What is known already stays the best until something better is. Plans that are made side by
  /// side tell one after the other.
  [[nodiscard]] std::function<void(const PlanProgress&)> progress_from(
      const NetworkPlan& plan) const {
    if (!params_.progress) return nullptr;
    return
        [this, score = plan.score, bound = plan.bound, solved = solved_](const PlanProgress& now) {
          const std::lock_guard guard(told_lock_);
          told_score_ = std::min({told_score_, now.best_score, score});
          told_solved_ = std::max(told_solved_, solved + now.solved);
          params_.progress({told_score_, std::min(bound, told_score_), told_solved_});
        };
  }

  const Network& network_;
  const Hardware& hardware_;
  const LaterLooks later_;
  PlanParams params_;
  mutable std::mutex told_lock_;  ///< of the next two
  mutable double told_score_ = std::numeric_limits<double>::infinity();
  mutable std::int64_t told_solved_ = 0;
  const porter::LimitedBudget whole_;
  const porter::LimitedBudget going_on_;         ///< of what is looked for when all else is settled
  const porter::LimitedBudget limited_;          ///< of what is looked for
  std::optional<porter::LimitedBudget> covers_;  ///< the part of it for covers, while they are
  const Clock::time_point begin_ = Clock::now();
  std::int64_t solved_ = 0;  ///< so far
  StopReason cut_ = StopReason::completed;
  struct Least {
    double bound = 0;
    bool whole = false;  ///< no limit ended it
  };
  std::array<Least, 2> least_of_all_;  ///< covers, and those with weights that come early
  bool fewest_modes_ = false;          ///< of all of the plan, when all else is decided
  bool side_by_side_ = false;          ///< covers are found so
};

}  // namespace

NetworkPlan plan_fully(const Network& network, const Hardware& hardware, const PlanParams& params) {
  return Plannings(network, hardware, params).run();
}

}  // namespace tessera::planner
