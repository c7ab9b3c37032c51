#include "tessera/explore.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <future>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <set>
#include <stdexcept>

#include "explorer/candidate.h"
#include "explorer/fingerprint.h"
#include "explorer/finished.h"
#include "explorer/mode_plans.h"
#include "explorer/mode_sets.h"
#include "explorer/plan_key.h"
#include "explorer/rows.h"
#include "explorer/sweep.h"
#include "model/json_text.h"
#include "model/parallel.h"
#include "planner/candidates.h"
#include "planner/hardware_key.h"
#include "planner/joined.h"
#include "planner/peaks.h"
#include "tessera/import.h"
#include "tessera/plan.h"
#include "validation/limited_budget.h"

namespace tessera::explorer {

namespace {

using Clock = std::chrono::steady_clock;

class Explorer {
 public:
  Explorer(const Sweep::State& sweep, const ExploreParams& params)
      : sweep_(sweep),
        params_(params),
        begin_(Clock::now()),
        states_(sweep.choices.size()),
        asked_(params.only) {
    std::ranges::sort(asked_);
    if (asked_.empty()) {
      asked_.resize(states_.size());
      std::iota(asked_.begin(), asked_.end(), std::size_t{0});
    }
    if (params.limits.timeout) deadline_ = begin_ + *params.limits.timeout;
    if (!params.store.empty()) store_ = std::make_unique<Store>(params.store);
    if (params.share) memory_ = params.memory ? params.memory : make_plan_memory();
    if (params.limits.memory)
      most_resident_ = resident_before_ + std::max<Size>(1, *params.limits.memory / 2);
  }

  ExploreResult run() {
    prepare();
    prepare_machines();
    for (const std::vector<std::size_t>& wave : waves()) {
      plan_elsewhere(wave);
      together(wave, [&](std::size_t c) { plan_candidate(c); });
      add_results(wave);
      keep_plans_of_the_best();
    }
    return result();
  }

 private:
  [[nodiscard]] std::optional<StopReason> ended() const {
    if (params_.limits.stop.stop_requested()) return StopReason::interrupted;
    if (deadline_ && Clock::now() >= *deadline_) return StopReason::time_limit;
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::chrono::nanoseconds> time_left() const {
    if (!deadline_) return std::nullopt;
    return std::max(Clock::duration::zero(), *deadline_ - Clock::now());
  }

  /// Plans of a wave that are not stored yet may be made by other processes.
  void plan_elsewhere(const std::vector<std::size_t>& wave) {
    if (!params_.ahead || !store_ || ended()) return;
    std::vector<std::size_t> unknown;
    std::set<std::string> asked;  // machines with equal plans are planned once
    for (const std::size_t c : wave) {
      if (sweep_.text.prune && beaten_by(states_[c])) continue;
      std::vector<std::string> news;
      for (std::size_t n = 0; n < sweep_.networks.size(); ++n) {
        std::string key = key_of(states_[c], n);
        if (!asked.contains(key) && !recall(key)) news.push_back(std::move(key));
      }
      if (news.empty()) continue;
      unknown.push_back(c);
      asked.insert(news.begin(), news.end());
    }
    if (!unknown.empty()) params_.ahead(unknown);
  }

  template <typename Work>
  void together(const std::vector<std::size_t>& candidates, const Work& work) {
    std::atomic<std::size_t> next{0};
    work_together(params_.limits.threads, [&] {
      for (std::size_t k = next++; k < candidates.size(); k = next++) work(candidates[k]);
    });
  }

  /// Sets up plan parameters common to all candidates, and the reference of scores.
  void prepare() {
    // The weights stay as given: a plan normalises them. Normalising twice would change the last
    // bit, which may select another of two nearly equal plans.
    ObjectiveWeights asked = sweep_.base.hardware().objective;
    if (!sweep_.text.objective.empty()) {
      asked = {.latency = 0};
      for (const auto& [name, value] : sweep_.text.objective)
        cost::weight_of(asked, *cost::metric_from(name)) = value;
    }
    plan_params_.weights = {{"latency", asked.latency},
                            {"energy", asked.energy},
                            {"dram_bytes", asked.dram_bytes},
                            {"peak_memory", asked.peak_memory}};
    const ObjectiveWeights& weights = weights_ = cost::normalized(asked);
    plan_params_.peak_limits = sweep_.text.limits;
    plan_params_.limits = params_.limits;
    plan_params_.limits.threads = 1;
    plan_params_.limits.timeout.reset();
    plan_params_.memory = memory_;
    // The number of modes has to be proved, and plans with resident tensors are rarely proved.
    plan_params_.residency = sweep_.text.lose_for_modes.empty();
    if (sweep_.text.tile_shapes) plan_params_.tile_shapes = *sweep_.text.tile_shapes;
    plan_params_.proof_shapes = sweep_.text.proof_shapes;
    plan_params_.engine = sweep_.text.engine;
    plan_params_.question_timeout = sweep_.text.question_timeout;
    if (sweep_.text.work) plan_params_.effort = *sweep_.text.work;
    comparison_.latency = weights.latency > 0;
    comparison_.energy = weights.energy > 0;
    comparison_.dram = weights.dram_bytes > 0;
    comparison_.peak = weights.peak_memory > 0;
    for (const SweepNetwork& network : sweep_.networks) comparison_.shares.push_back(network.share);
    make_references();
    for (const SweepNetwork& network : sweep_.networks)
      network_keys_.push_back(fingerprint(network_yaml(network.network)));
  }

  void make_references() {
    const Hardware& base = sweep_.base.hardware();
    const Hardware& machine = sweep_.reference ? sweep_.reference->hardware()
                              : base.reference ? *base.reference
                                               : base;
    for (const SweepNetwork& network : sweep_.networks) {
      PlanParams params = plan_params_;
      params.limits.threads = params_.limits.threads;
      params.limits.timeout = time_left();
      std::optional<PlanReference> reference;
      try {
        reference = layer_by_layer(network.network, machine, params);
      } catch (const BadInput& bad) {
        throw BadInput(sweep_.text.file + ':' +
                           std::to_string(sweep_.reference ? sweep_.text.reference_line
                                                           : sweep_.text.base_line) +
                           ": network " + network.name + ": " + bad.what(),
                       "name the reference machine of the scores: reference: PROFILE");
      }
      if (!reference) {
        stop_ = ended().value_or(params_.limits.memory ? StopReason::memory_limit
                                                       : StopReason::node_limit);
        return;
      }
      references_.push_back(*reference);
    }
    if (memory_) memory_->drop(planner::hardware_key(machine));
  }

  /// Computes for each candidate whether the machine is valid, its silicon area, and its lower
  /// bound.
  void prepare_machines() {
    if (stop_ != StopReason::completed) {
      for (CandidateState& state : states_) state.stopped = true;
      return;
    }
    together(asked_, [&](std::size_t c) {
      CandidateState& state = states_[c];
      state.plans.resize(sweep_.networks.size());
      if (ended()) {
        state.stopped = true;
        return;
      }
      try {
        look_at(c, state);
      } catch (const BadInput& bad) {
        state.failed = bad.what();
      } catch (const std::invalid_argument& bad) {
        state.failed = bad.what();
      }
    });
    comparison_.area = std::ranges::all_of(states_, [](const CandidateState& state) {
      return !state.failed.empty() || state.stopped || state.area;
    });
    if (std::ranges::all_of(states_, [](const auto& state) { return !state.failed.empty(); }))
      throw BadInput(sweep_.text.file +
                     ": no candidate is a valid machine: " + states_.front().failed);
  }

  void look_at(std::size_t c, CandidateState& state) {
    const Profile profile = sweep_.machine(sweep_.choices[c]);
    const Hardware& hardware = profile.hardware();
    // Making a machine from a profile takes some milliseconds; keeping it takes some kilobytes.
    constexpr std::size_t kept_machines = 10'000;
    if (states_.size() <= kept_machines)
      state.hardware = std::make_shared<const Hardware>(hardware);
    state.clock_hz = hardware.clock_hz;
    state.machine = fingerprint(planner::hardware_key(hardware));
    state.area = area_of(profile);
    if (sweep_.text.most_area && !state.area)
      state.failed = "its area is unknown: the profile has no `silicon`";
    if (sweep_.text.most_area && state.area && *state.area > *sweep_.text.most_area)
      state.excluded = "its area of " + json_number(*state.area) + " mm2 is over the limit of " +
                       json_number(*sweep_.text.most_area) + " mm2";
    if (!sweep_.text.prune || !state.excluded.empty() || !state.failed.empty()) return;
    for (std::size_t n = 0; n < sweep_.networks.size(); ++n)
      state.least.push_back(
          least_cost(planner::planned_network(sweep_.networks[n].network, hardware, plan_params_),
                     hardware, {weights_, cost::in_cycles_of(hardware.clock_hz, references_[n])},
                     plan_params_.residency));
  }

  /// With pruning the most promising candidates come first, in growing waves. Candidates are
  /// excluded by finished waves only, so the result does not depend on the number of threads. If
  /// the caller selects candidates, each of them is planned; the caller decides on exclusion.
  [[nodiscard]] std::vector<std::vector<std::size_t>> waves() const {
    std::vector<std::size_t> order;
    for (const std::size_t c : asked_)
      if (states_[c].failed.empty() && states_[c].excluded.empty() && !states_[c].stopped)
        order.push_back(c);
    if (!sweep_.text.prune || !params_.only.empty()) return {order};
    std::vector<double> promise(states_.size(), 0);
    for (const std::size_t c : order) promise[c] = comparison_.score(states_[c]);
    std::ranges::stable_sort(order, {}, [&](std::size_t c) { return promise[c]; });
    std::vector<std::vector<std::size_t>> all;
    std::size_t length = 4;
    constexpr std::size_t longest = 32;
    for (std::size_t at = 0; at < order.size();
         at += all.back().size(), length = std::min(2 * length, longest))
      all.emplace_back(
          order.begin() + static_cast<std::ptrdiff_t>(at),
          order.begin() + static_cast<std::ptrdiff_t>(std::min(at + length, order.size())));
    return all;
  }

  /// Takes over the results of a wave, in the order of the wave and not of the threads.
  void add_results(const std::vector<std::size_t>& wave) {
    std::vector<Finished::One> done;
    for (const std::size_t c : wave)
      if (states_[c].has_all_plans())
        done.push_back({c, comparison_.with_score(states_[c]), comparison_.score(states_[c])});
    finished_.add(done);
  }

  [[nodiscard]] std::optional<std::size_t> beaten_by(const CandidateState& state) const {
    return finished_.dominating(comparison_.with_score(state));
  }

  [[nodiscard]] std::string names(std::size_t c) const {
    std::string text;
    const std::vector<std::string> values = sweep_.values(sweep_.choices[c]);
    for (std::size_t k = 0; k < values.size(); ++k)
      text += (k == 0 ? "" : ", ") + sweep_.keys[k] + '=' + values[k];
    return text.empty() ? "the base" : text;
  }

  void plan_candidate(std::size_t c) {
    CandidateState& state = states_[c];
    const std::shared_ptr<const Hardware> before = std::move(state.hardware);
    std::shared_ptr<const Hardware> machine;
    for (std::size_t n = 0; n < sweep_.networks.size(); ++n) {
      if (sweep_.text.prune)
        if (const auto other = beaten_by(state)) {
          state.excluded = names(*other) + " dominates the bounds of this one in every metric";
          break;
        }
      if (ended()) {
        state.stopped = true;
        break;
      }
      const std::string key = key_of(state, n);
      once(state, n, key, [&](std::string& json) {
        if (!machine) machine = before;
        if (!machine)
          machine = std::make_shared<const Hardware>(sweep_.machine(sweep_.choices[c]).hardware());
        make_plan(state, n, *machine, key, json);
      });
      // One infeasible network makes the machine infeasible.
      if (state.plans[n] && state.plans[n]->status == SweepStatus::infeasible &&
          sweep_.text.prune && n + 1 < sweep_.networks.size()) {
        state.excluded = "network " + sweep_.networks[n].name + " is infeasible on this machine";
        break;
      }
    }
    if (memory_ && machine) {
      memory_->drop(planner::hardware_key(*machine));
      const planner::PeakLimits limits = planner::peak_limits_of(plan_params_);
      if (limits.any())
        memory_->drop(planner::hardware_key(planner::machine_within(*machine, limits)));
    }
    const std::lock_guard guard(lock_);
    limit_caches();
    if (beaten_by(state))
      for (std::size_t n = 0; n < sweep_.networks.size(); ++n) plans_.erase(key_of(state, n));
    note_progress(state);
  }

  /// Machines with equal hardware_key.h keys have the same plans: the first thread makes the plan,
  /// the others wait for it.
  template <typename Make>
  void once(CandidateState& state, std::size_t n, const std::string& key, const Make& make) {
    std::promise<std::optional<KnownPlan>> mine;
    std::shared_future<std::optional<KnownPlan>> other;
    if (params_.share) {
      const std::lock_guard guard(lock_);
      const auto [entry, fresh] = made_.try_emplace(key);
      if (fresh)
        entry->second = mine.get_future().share();
      else
        other = entry->second;
    }
    if (other.valid())
      if (const std::optional<KnownPlan>& known = other.get()) {
        state.plans[n] = known;
        ++alike_;
        return;
      }
    bool done = true;
    try {
      if (auto known = recall(key)) {
        state.plans[n] = std::move(known);
        ++stored_;
      } else {
        std::string json;
        make(json);
        done = !state.stopped && state.failed.empty();
        const std::lock_guard guard(lock_);
        if (done && !json.empty()) plans_[key] = std::move(json);
      }
    } catch (...) {
      if (!other.valid()) mine.set_value(std::nullopt);
      throw;
    }
    if (!other.valid()) mine.set_value(done ? state.plans[n] : std::nullopt);
  }

  /// The shared caches grow with every machine. Clearing them only costs time.
  void limit_caches() {
    if (!memory_ || validation::resident_memory() < most_resident_) return;
    memory_->shrink(false);
    ::malloc_trim(0);
    if (validation::resident_memory() >= most_resident_) {
      memory_->shrink(true);
      ::malloc_trim(0);
    }
    // If the running plans themselves need this memory, do not retry after each plan.
    most_resident_ = std::max(most_resident_, validation::resident_memory() / 2 * 3);
  }

  /// Memory limit of the sweep, minus the memory in use.
  [[nodiscard]] std::optional<Size> memory_left() const {
    if (!params_.limits.memory) return std::nullopt;
    const Size taken = std::max<Size>(0, validation::resident_memory() - resident_before_);
    return std::max<Size>(1, *params_.limits.memory - taken);
  }

  [[nodiscard]] PlanParams asked_about(std::size_t n) const {
    PlanParams params = plan_params_;
    params.reference = references_[n];
    return params;
  }

  /// The key of everything that a plan of this network on this machine depends on. A proved plan
  /// does not depend on its time limit.
  [[nodiscard]] std::string key_of(const CandidateState& state, std::size_t n) const {
    return plan_key(state.machine, network_keys_[n], asked_about(n));
  }
  [[nodiscard]] std::string timed(const std::string& key) const {
    const std::int64_t time = sweep_.text.timeout ? sweep_.text.timeout->count() : -1;
    return key + '@' + std::to_string(time);
  }

  [[nodiscard]] std::optional<KnownPlan> recall(const std::string& key) {
    if (!store_) return std::nullopt;
    std::optional<KnownPlan> known = store_->find(key);
    return known ? known : store_->find(timed(key));
  }

  /// The plan parameters of a network, with the remaining time and memory.
  [[nodiscard]] PlanParams params_now(std::size_t n) const {
    PlanParams params = asked_about(n);
    params.limits.timeout = sweep_.text.timeout;
    if (const auto left = time_left())
      params.limits.timeout = std::min(*left, params.limits.timeout.value_or(*left));
    params.limits.memory = memory_left();
    return params;
  }

  void make_plan(CandidateState& state, std::size_t n, const Hardware& hardware,
                 const std::string& key, std::string& json) {
    KnownPlan known;
    try {
      NetworkPlan plan = plan_network(sweep_.networks[n].network, hardware, params_now(n));
      known = summary_of(plan);
      if (cut_short(plan, known, ended().has_value())) {
        state.stopped = true;
        state.plans[n] = std::move(known);
        return;
      }
      if (plan.status == Status::feasible) {
        plan.dtype = sweep_.text.dtype;
        json = plan_json(plan);
      }
      ++planned_;
      state.plans[n] = known;
    } catch (const BadInput& bad) {
      state.failed = bad.what();
      return;
    } catch (const std::bad_alloc&) {
      known.reason = "memory limit";
      state.plans[n] = std::move(known);
      state.stopped = true;
      return;
    }
    if (!store_) return;
    const bool wanted = !json.empty() && !beaten_by(state);
    keep(*store_, key, timed(key), known, wanted ? json : std::string());
  }

  /// Plans are large: keep only those that the result may need.
  void keep_plans_of_the_best() {
    std::set<std::string> wanted;
    const auto want = [&](std::size_t c) {
      for (std::size_t n = 0; n < sweep_.networks.size(); ++n) wanted.insert(key_of(states_[c], n));
    };
    if (const auto best = finished_.best()) want(*best);
    for (const auto& [other, point] : finished_.front()) want(other);
    std::erase_if(plans_, [&](const auto& entry) { return !wanted.contains(entry.first); });
  }

  void note_progress(const CandidateState& state) {
    ++progress_.done;
    progress_.candidates = states_.size();
    // An infeasible network makes the machine infeasible.
    const bool infeasible = std::ranges::any_of(state.plans, [](const auto& plan) {
      return plan && plan->status == SweepStatus::infeasible;
    });
    if (!state.excluded.empty() && !infeasible) ++progress_.excluded;
    if (state.has_all_plans()) {
      progress_.proved += std::ranges::all_of(
          state.plans, [](const auto& plan) { return plan->status == SweepStatus::proved; });
      const double score = comparison_.score(state);
      if (!progress_.best || score < *progress_.best) progress_.best = score;
    }
    if (params_.progress) params_.progress(progress_);
  }

  ExploreResult result() {
    ExploreResult result;
    result.keys = sweep_.keys;
    result.axes = comparison_.axes();
    std::vector<std::size_t> complete;
    std::vector<Point> points;
    std::vector<std::size_t> set_rows;
    for (const std::size_t c : asked_) {
      const RowMaker maker{sweep_, comparison_, states_[c], c};
      maker.add_to(result.rows);
      if (states_[c].has_all_plans()) {
        complete.push_back(c);
        points.push_back(comparison_.point(states_[c]));
        set_rows.push_back(result.rows.size() - 1);
      }
      if (!states_[c].excluded.empty())
        result.counts.excluded += std::ranges::count(
            states_[c].plans, false, [](const auto& plan) { return plan.has_value(); });
      if (states_[c].stopped) result.stop = ended().value_or(StopReason::memory_limit);
    }
    std::vector<std::size_t> wanted;
    if (params_.only.empty()) {  // otherwise the caller compares them
      for (const std::size_t k : front(points)) {
        result.pareto.push_back(result.rows[set_rows[k]]);
        wanted.push_back(complete[k]);
      }
      result.best = finished_.best();
    }
    if (result.best && !std::ranges::count(wanted, *result.best)) wanted.push_back(*result.best);
    for (const std::size_t c : wanted) add_plans(c, result);
    if (!sweep_.text.lose_for_modes.empty() && params_.only.empty()) {
      result.modes = fewest_modes_of(result);
      const bool open = !result.modes->reason.empty() ||
                        std::ranges::any_of(result.modes->sets, [](const ExploreModes::Set& set) {
                          return set.bound < set.count;
                        });
      if (const auto why = ended(); why && open) result.stop = *why;
    }
    if (stop_ != StopReason::completed) result.stop = stop_;
    result.references = references_;
    result.counts.planned = planned_;
    result.counts.stored = stored_;
    result.counts.alike = alike_;
    result.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    return result;
  }

  [[nodiscard]] ExploreModes fewest_modes_of(const ExploreResult& result) {
    ExploreModes found;
    if (!result.best || ended()) {
      found.reason =
          result.best ? "the sweep was stopped before" : "no machine has a plan for every network";
      return found;
    }
    ModeSetParams asked{.lose = sweep_.text.lose_for_modes, .plan = {}, .budget = {}};
    asked.plan = [&](std::size_t n, const Hardware& hardware, bool with_few_modes) {
      PlanParams params = params_now(n);
      params.fewest_modes = with_few_modes;
      params.limits.threads = params_.limits.threads;
      const std::string machine = fingerprint(planner::hardware_key(hardware));
      const std::string key = plan_key(machine, network_keys_[n], params);
      ModeQuestion question{sweep_.networks[n].network, hardware, params, key, timed(key)};
      question.dtype = sweep_.text.dtype;
      question.store = store_.get();
      question.ended = [this] { return ended().has_value(); };
      if (machine == states_[*result.best].machine && !with_few_modes)
        for (const ExplorePlan& each : result.plans)
          if (each.candidate == *result.best && each.network == sweep_.networks[n].name) {
            question.known = states_[*result.best].plans[n];
            question.json = each.json;
          }
      ModePlan plan = load_or_plan(question);
      if (memory_ && plan.made) memory_->drop(planner::hardware_key(hardware));
      ++progress_.mode_plans;
      if (params_.progress) params_.progress(progress_);
      return plan;
    };
    asked.budget.stop = params_.limits.stop;
    if (deadline_) asked.budget.deadline = *deadline_;
    found = fewest_modes(sweep_.machine(sweep_.choices[*result.best]), sweep_.networks, asked);
    found.candidate = *result.best;
    return found;
  }

  /// From memory or from the store; other plans are recomputed.
  void add_plans(std::size_t c, ExploreResult& result) {
    for (std::size_t n = 0; n < sweep_.networks.size(); ++n) {
      std::string json;
      const std::string key = key_of(states_[c], n);
      const KnownPlan& known = *states_[c].plans[n];
      const std::string stored = known.status == SweepStatus::limit ? timed(key) : key;
      if (const auto made = plans_.find(key); made != plans_.end()) json = made->second;
      if (json.empty() && store_) json = store_->plan(stored).value_or("");
      if (json.empty() && !ended()) {
        NetworkPlan plan =
            plan_network(sweep_.networks[n].network, sweep_.machine(sweep_.choices[c]).hardware(),
                         params_now(n));
        plan.dtype = sweep_.text.dtype;
        if (plan.status == Status::feasible && std::abs(plan.score - *known.score) < 1e-9)
          json = plan_json(plan);
        if (store_ && !json.empty()) store_->keep_plan(stored, json);
      }
      if (!json.empty()) result.plans.push_back({c, sweep_.networks[n].name, std::move(json)});
    }
  }

  const Sweep::State& sweep_;
  const ExploreParams& params_;
  Clock::time_point begin_;
  std::optional<Clock::time_point> deadline_;
  Size resident_before_ = validation::resident_memory();
  Size most_resident_ = Size{2} << 30U;
  std::unique_ptr<Store> store_;
  std::shared_ptr<PlanMemory> memory_;
  PlanParams plan_params_;
  ObjectiveWeights weights_;
  Comparison comparison_;
  std::vector<PlanReference> references_;
  std::vector<std::string> network_keys_;
  std::vector<CandidateState> states_;
  std::vector<std::size_t> asked_;  ///< of them: the selected ones, ascending
  Finished finished_;               ///< results of finished waves
  StopReason stop_ = StopReason::completed;
  std::mutex lock_;                           ///< guards the following members
  std::map<std::string, std::string> plans_;  ///< by key
  std::map<std::string, std::shared_future<std::optional<KnownPlan>>> made_;
  ExploreProgress progress_;
  std::atomic<std::int64_t> planned_ = 0;
  std::atomic<std::int64_t> stored_ = 0;
  std::atomic<std::int64_t> alike_ = 0;  ///< plans taken from an equal machine
};

}  // namespace

}  // namespace tessera::explorer

namespace tessera {

ExploreResult explore(const Sweep& sweep, const ExploreParams& params) {
  if (params.limits.threads < 1) throw BadInput("at least one thread is needed");
  for (const std::size_t c : params.only)
    if (c >= sweep.candidates())
      throw BadInput("unknown candidate number " + std::to_string(c) + ", but " +
                     std::to_string(sweep.candidates()) + " candidates");
  if (params.ahead && params.store.empty())
    throw BadInput("plans of other processes need a store", "set `store`");
  return explorer::Explorer(sweep.state(), params).run();
}

}  // namespace tessera
