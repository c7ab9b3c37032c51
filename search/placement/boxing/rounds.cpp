#include "search/placement/boxing/rounds.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <system_error>
#include <thread>

#include "model/random.h"
#include "search/placement/boxing/boxing.h"
#include "search/placement/boxing/completion.h"
#include "search/placement/boxing/ejection.h"
#include "search/placement/boxing/first_fit.h"
#include "search/placement/boxing/improve.h"
#include "search/placement/boxing/orders.h"
#include "search/placement/boxing/peak.h"
#include "search/placement/boxing/stacking.h"
#include "search/placement/boxing/unboxing.h"

namespace tessera::search::boxing {

namespace {

enum class Kind : std::uint8_t { stacking, boxing, improve, focus, exact, ejection };
constexpr const char* kind_names[] = {"stacking", "boxing", "improve",
                                      "focus",    "exact",  "ejection"};

/// Neighbours that ejection visits in the time a round takes for one job.
constexpr std::int64_t neighbours_per_job = 150;
/// More work than any search does, and small enough to be multiplied.
constexpr std::int64_t most_counted = std::int64_t{1} << 50U;
/// Memory of ejection per job: three slices it lies in, in growing vectors, and their copies.
constexpr double ejection_bytes = 400;
/// How long ejection continues without a lower height, in generations.
constexpr double least_patience = 0.0625;
constexpr double first_patience = 0.25;
constexpr double leading_patience = 1;  ///< minimum after it has found a clearly lower height
constexpr double most_patience = 64;

/// The result of a round, which also starts the next generation.
struct Outcome {
  Size height = no_height;
  double excess = 0;  ///< tie-breaker among equal heights; less is better
  std::vector<float> keys;
  std::vector<Offset> offsets;
  Size refuted = -1;  ///< proved: no placement has this height
  Kind kind = Kind::stacking;
  std::chrono::steady_clock::time_point when;
};

bool better(const Outcome& a, const Outcome& b) {
  return a.height != b.height ? a.height < b.height : a.excess < b.excess;
}

struct Shared {
  const Instance* instance = nullptr;
  const RoundsParams* params = nullptr;
  const Orders* orders = nullptr;
  std::vector<Size> contention;
  EpsilonRange epsilons;
  Outcome best;
  Size lower_bound = 0;
  std::int64_t generation = 0;
  std::int64_t since_better = 0;    ///< in generations
  Kind favourite = Kind::stacking;  ///< the kind that found the best placement
  bool large = false;               ///< rounds take long
  std::int64_t opening = 0;         ///< generations after the first with their own kinds
};

/// The state of one thread.
class Worker {
 public:
  explicit Worker(const Shared& shared) : shared_(&shared) {}

  void run(std::int64_t round, Kind kind, Outcome& out) {
    Random random(mix(shared_->params->seed, static_cast<std::uint64_t>(round) + 1));
    out.kind = kind;
    out.height = no_height;
    out.refuted = -1;
    switch (kind) {
      case Kind::stacking:
        stack(round, random, out);
        break;
      case Kind::boxing:
        box(round, random, out);
        break;
      case Kind::improve:
        improve(random, out);
        break;
      case Kind::focus:
        focus(random, out);
        break;
      case Kind::exact:
        exact(round, random, out);
        break;
      case Kind::ejection:  // not a round
        break;
    }
    out.when = std::chrono::steady_clock::now();
  }

 private:
  [[nodiscard]] const Instance& instance() const { return *shared_->instance; }
  [[nodiscard]] const Budget& budget() const { return shared_->params->budget; }
  /// A round may end at the best height: equal heights with less excess are useful.
  [[nodiscard]] Size limit() const { return shared_->best.height; }

  Stacker& stacker() {
    if (!stacker_) stacker_.emplace(instance());
    return *stacker_;
  }
  FirstFit& first_fit() {
    if (!first_fit_) first_fit_.emplace(instance());
    return *first_fit_;
  }

  /// Stacks by out.keys, then squeezes for the constraints that stacking ignores.
  void finish(Outcome& out) {
    const bool exact_fit = !instance().constrained && !instance().fragmented;
    out.height = stacker().stack(out.keys, exact_fit ? limit() : no_height, budget(), out.offsets);
    if (out.height == no_height) return;
    out.excess = stacker().excess(shared_->lower_bound);
    if (exact_fit) return;
    std::vector<Offset> squeezed;
    out.height = first_fit().place(by_offset(out.offsets), limit(), budget(), squeezed);
    out.offsets = std::move(squeezed);
  }

  void stack(std::int64_t round, Random& random, Outcome& out) {
    const bool fresh = shared_->best.keys.empty() || round < fixed_recipes || random.below(3) == 0;
    if (fresh)
      shared_->orders->draw(recipe(round, random), random, out.keys);
    else
      shared_->orders->perturb(shared_->best.keys, random, out.keys);
    finish(out);
  }

  void box(std::int64_t round, Random& random, Outcome& out) {
    const EpsilonRange& range = shared_->epsilons;
    // Epsilon: first the one that boxes furthest, then random ones; low ones box more levels.
    const double share = random.unit();
    const double epsilon = round < 16 ? best_epsilon(instance(), range, budget(), random)
                                      : range.low + (range.high - range.low) * share * share;
    const std::optional<Boxes> boxes =
        box_jobs(instance(), {epsilon, range.dummy, budget()}, random);
    if (!boxes) return;
    const std::vector<Offset> loose = unbox(instance(), *boxes);
    keys_from_offsets(loose, out.keys);
    finish(out);
    Outcome squeezed;
    squeezed.height = first_fit().place(by_offset(loose), std::min(limit(), out.height), budget(),
                                        squeezed.offsets);
    if (squeezed.height >= out.height) return;
    out.height = squeezed.height;
    out.offsets = std::move(squeezed.offsets);
    out.excess = excess_of(out.offsets);
    keys_from_offsets(out.offsets, out.keys);
  }

  void improve(Random& random, Outcome& out) {
    const Outcome& best = shared_->best;
    out.offsets = best.offsets;
    out.height = repair(out.offsets, shared_->params->target, 30, random);
    if (out.height < best.height)
      keys_from_offsets(out.offsets, out.keys);
    else
      out.keys = best.keys;
    out.excess = out.height < best.height ? excess_of(out.offsets) : best.excess;
  }

  void focus(Random& random, Outcome& out) {
    const Outcome& best = shared_->best;
    const RoundsParams& params = *shared_->params;
    const auto n = static_cast<std::int64_t>(instance().jobs.size());
    // The jobs under a load of at least this share of the bound.
    const double share = 1 - std::exp2(-2 - 4 * random.unit());
    const auto least = static_cast<Size>(share * static_cast<double>(shared_->lower_bound));
    std::vector<JobIndex> chosen;
    for (std::int64_t j = 0; j < n; ++j)
      if (shared_->contention[static_cast<std::size_t>(j)] >= least)
        chosen.push_back(static_cast<JobIndex>(j));
    const auto some = static_cast<std::int64_t>(chosen.size());
    if (some < 8 || some > n * 3 / 4) return improve(random, out);

    const Instance part = subset(instance(), chosen);
    RoundsParams inner;
    inner.budget = budget();
    inner.budget.max_nodes = std::numeric_limits<std::int64_t>::max();  // it counts as one round
    inner.seed = random.next();
    inner.max_rounds = std::clamp<std::int64_t>(2 * n / some, 24, 400);
    inner.target = params.target;
    inner.boxing = inner.exact = inner.eject = false;
    inner.improve = params.improve;
    inner.depth = params.depth + 1;
    inner.focus = inner.depth < 3 && some > 1000;
    for (const JobIndex j : chosen)
      inner.start.push_back(best.offsets[static_cast<std::size_t>(j)]);
    const RoundsResult found = run_rounds(part, inner);
    if (!found.found || found.height > best.height) return;
    // First fit takes large jobs first, and jobs under high loads before all others.
    const double contention = random.below(3) == 0 ? 0 : std::exp2(7 * random.unit());
    shared_->orders->draw({1, random.unit(), contention, 0.5}, random, out.keys);
    std::optional<std::vector<Offset>> all = complete(
        first_fit(), instance(), {std::move(chosen), found.offsets}, out.keys, no_height, budget());
    if (!all) return;
    out.offsets = std::move(*all);
    out.height = height_of(instance(), out.offsets);
    if (out.height > params.target)
      out.height = repair(out.offsets, std::max(params.target, best.height - 1), 30, random);
    if (out.height > best.height) return;
    out.excess = excess_of(out.offsets);
    keys_from_offsets(out.offsets, out.keys);
  }

  /// `work`: pairs of jobs to visit, per job of the instance.
  Size repair(std::vector<Offset>& offsets, Size target, std::int64_t work, Random& random) {
    if (!improver_) improver_.emplace(instance());
    return improver_->run(offsets,
                          {.target = target,
                           .steps = 20'000,
                           .max_work = 20'000 + work * static_cast<std::int64_t>(offsets.size()),
                           .budget = budget()},
                          random);
  }

  void exact(std::int64_t round, Random& random, Outcome& out) {
    const Outcome& best = shared_->best;
    if (!engine_ && shared_->params->make_exact) engine_ = shared_->params->make_exact();
    // The bound itself, or half way to it, which is easier and still an improvement.
    const Size bound = std::max(shared_->lower_bound, shared_->params->target);
    const Size target = random.below(2) == 0 ? bound : bound + (best.height - bound) / 2;
    if (target >= best.height) return;
    // A node costs about as much as stacking a dozen jobs, so the share of the work stays constant.
    const auto size = static_cast<std::int64_t>(instance().jobs.size());
    const std::int64_t patience = std::min<std::int64_t>(shared_->since_better, 16);
    PeakResult peak = search_peak(instance(), best.offsets,
                                  {.target = target,
                                   .max_jobs = static_cast<std::size_t>(100 + 50 * patience),
                                   .engine_nodes = std::max<std::int64_t>(500, round * size / 100),
                                   .budget = budget(),
                                   .engine = engine_.get()},
                                  random);
    if (peak.refuted) out.refuted = target;
    if (!peak.offsets) return;
    out.offsets = std::move(*peak.offsets);
    out.height = height_of(instance(), out.offsets);
    out.excess = excess_of(out.offsets);
    keys_from_offsets(out.offsets, out.keys);
  }

  /// As Stacker::excess, from the tops of the jobs: accurate enough to rank equal heights.
  [[nodiscard]] double excess_of(const std::vector<Offset>& offsets) const {
    double sum = 0;
    for (std::size_t j = 0; j < offsets.size(); ++j) {
      const Job& job = instance().jobs[j];
      sum += static_cast<double>(std::max<Size>(0, offsets[j] + job.size - shared_->lower_bound)) *
             static_cast<double>(job.upper - job.lower);
    }
    return sum;
  }

  const Shared* shared_;
  std::optional<Stacker> stacker_;
  std::optional<FirstFit> first_fit_;
  std::optional<Improver> improver_;
  std::unique_ptr<engine::PlacementEngine> engine_;
};

/// The kind of round `k` of a generation. Depends on results, not on times.
Kind kind_of(const Shared& shared, std::int64_t k) {
  const RoundsParams& params = *shared.params;
  // Some kinds need a placement.
  const bool started = shared.best.height != no_height;
  const auto allowed = [&](Kind kind) {
    switch (kind) {
      case Kind::stacking:
        return params.stacking;
      case Kind::boxing:
        return params.boxing;
      case Kind::improve:
        return started && params.improve;
      case Kind::focus:
        return started && params.focus;
      case Kind::exact:
        return started && params.exact && shared.since_better >= 2;
      case Kind::ejection:
        return false;
    }
    return false;
  };
  const Kind fallback = params.stacking ? Kind::stacking : Kind::boxing;
  if (shared.generation == 0) return fallback;
  // First the fixed orders and one round of boxing. If they take long, they alternate with the
  // faster rounds that help long traces most.
  if (shared.generation <= shared.opening) {
    if (!shared.large)
      return allowed(Kind::boxing) && k == fixed_recipes - 1 ? Kind::boxing : fallback;
    if (k % 2 == 0) return allowed(Kind::focus) ? Kind::focus : fallback;
    return allowed(Kind::boxing) && shared.generation == shared.opening && k == 1 ? Kind::boxing
                                                                                  : fallback;
  }
  static constexpr Kind pattern[] = {
      Kind::focus,    Kind::stacking, Kind::improve,  Kind::focus,    Kind::stacking, Kind::exact,
      Kind::improve,  Kind::stacking, Kind::focus,    Kind::stacking, Kind::improve,  Kind::focus,
      Kind::stacking, Kind::boxing,   Kind::stacking, Kind::stacking};
  const auto position = static_cast<std::size_t>(k + shared.generation * 8) % std::size(pattern);
  Kind kind = pattern[position];
  // The kind that found the last improvement gets every other round of kinds with similar cost.
  if (shared.since_better < 4 && kind == Kind::stacking && k % 2 == 1 &&
      shared.favourite != Kind::exact)
    kind = shared.favourite;
  return allowed(kind) ? kind : fallback;
}

/// Large instances use fewer rounds per generation, to keep generations short.
std::int64_t generation_size(const Instance& instance) {
  const std::size_t n = instance.jobs.size();
  return n <= 20'000 ? 16 : n <= 200'000 ? 8 : 4;
}

/// Runs the generations in sequence, with the rounds of each on all threads. All threads meet at a
/// barrier before and after the rounds; in between only the first thread works.
class Generations {
 public:
  Generations(const Instance& instance, const RoundsParams& params)
      : params_(params),
        orders_(instance),
        jobs_(static_cast<std::int64_t>(instance.jobs.size())),
        size_(params.start.empty() ? 1 : 8),
        gate_(std::max(params.threads, 1)) {
    shared_.instance = &instance;
    shared_.params = &params;
    shared_.orders = &orders_;
    shared_.lower_bound = instance.lower_bound;
    shared_.large = instance.jobs.size() > 50'000;
    shared_.opening = !params.start.empty() ? 0 : shared_.large ? 3 : 1;
    if (params.focus) shared_.contention = contention(instance);
    if (!params.start.empty()) start_from(params.start);
    if (params.boxing || !params.stacking) shared_.epsilons = epsilon_range(instance);
  }

  RoundsResult run() {
    // Created here: a thread that failed to create its own would leave the others waiting.
    const int threads = std::max(params_.threads, 1);
    for (int t = 0; t < threads; ++t) workers_.push_back(std::make_unique<Worker>(shared_));
    prepare();
    {
      std::vector<std::jthread> helpers;
      helpers.reserve(static_cast<std::size_t>(threads));
      for (int t = 1; t < threads; ++t) {
        Worker& worker = *workers_[static_cast<std::size_t>(t)];
        try {
          helpers.emplace_back([this, &worker] { serve(worker); });
        } catch (const std::system_error&) {  // no more threads
          gate_.arrive_and_drop();
        } catch (const std::bad_alloc&) {
          gate_.arrive_and_drop();
        }
      }
      lead(*workers_[0]);
    }
    if (error_) std::rethrow_exception(error_);
    result_.generations = shared_.generation;
    result_.lower_bound = shared_.lower_bound;
    result_.found = shared_.best.height != no_height;
    result_.height = shared_.best.height;
    result_.offsets = std::move(shared_.best.offsets);
    result_.work = work();
    return std::move(result_);
  }

 private:
  void start_from(const std::vector<Offset>& placement) {
    shared_.best.offsets = placement;
    shared_.best.height = height_of(*shared_.instance, placement);
    keys_from_offsets(placement, shared_.best.keys);
    shared_.best.excess = std::numeric_limits<double>::max();
    shared_.generation = 1;
  }

  /// The loop of all threads except the first.
  void serve(Worker& worker) {
    while (true) {
      gate_.arrive_and_wait();  // the generation is prepared
      if (done_) return;
      take_rounds(worker);
      gate_.arrive_and_wait();  // all rounds are done
    }
  }

  void lead(Worker& worker) {
    while (true) {
      gate_.arrive_and_wait();
      if (done_) return;
      take_rounds(worker);
      gate_.arrive_and_wait();
      try {
        collect();
        if (!done_) eject();
        if (!done_) prepare();
      } catch (...) {  // the other threads have to be stopped
        error_ = std::current_exception();
        done_ = true;
      }
    }
  }

  void prepare() {
    outcomes_.resize(static_cast<std::size_t>(size_));
    for (Outcome& out : outcomes_) {
      out.height = no_height;
      out.refuted = -1;
    }
    next_ = 0;
    winner_ = size_;
  }

  void take_rounds(Worker& worker) {
    for (std::int64_t k = next_++; k < size_; k = next_++) {
      // The first round always runs to its end or to that of the budget.
      if (k > winner_.load() || (params_.budget.exhausted() && shared_.best.height != no_height))
        break;
      Outcome& out = outcomes_[static_cast<std::size_t>(k)];
      try {
        worker.run(result_.rounds + k, kind_of(shared_, k), out);
      } catch (const std::bad_alloc&) {  // the other threads wait for this one
        out.height = no_height;
        out_of_memory_ = true;
      }
      if (out.height <= params_.target) {
        std::int64_t seen = winner_.load();
        while (k < seen && !winner_.compare_exchange_weak(seen, k)) {
        }
      }
    }
  }

  void collect() {
    bool improved = false;
    for (std::int64_t k = 0; k < size_; ++k) {
      Outcome& out = outcomes_[static_cast<std::size_t>(k)];
      note_refuted(out);
      if (out.height == no_height) continue;
      if (out.height < shared_.best.height) {
        improved = true;
        note_improved(out);
      }
      if (better(out, shared_.best)) std::swap(shared_.best, out);
      if (low_enough()) break;
    }
    shared_.since_better = improved ? 0 : shared_.since_better + 1;
    result_.rounds += size_;
    ++shared_.generation;
    size_ = next_size();
    end_if_over();
  }

  void end_if_over() {
    const std::optional<StopReason> limit = limit_reached();
    if (low_enough() || size_ <= 0) {
      done_ = true;
    } else if (limit) {
      done_ = true;
      result_.stop = *limit;
    }
  }

  /// Lowers the best placement by ejection. The source of the last improvement determines its
  /// duration: if rounds do not help, there are fewer of them.
  void eject() {
    if (!params_.eject || shared_.instance->fragmented || shared_.best.height == no_height) return;
    if (shared_.generation == 1 && !shared_.large) return;  // the first orders take no time
    if (patience_ < least_patience) return;                 // not useful here
    if (!ejection_ && params_.budget.too_large(ejection_bytes * static_cast<double>(jobs_))) return;
    if (!ejection_) ejection_ = std::make_unique<Ejection>(*shared_.instance);
    Outcome& best = shared_.best;
    const Size before = best.height;
    // The source of the last clear improvement continues.
    const Size goal = std::max(params_.target, shared_.lower_bound);
    const bool rounds_gained = 20 * (ejected_ - before) > before - goal;
    if (ejected_ > 0 && rounds_gained) ejection_leads_ = false;
    const Size height = ejection_->run(
        best.offsets, {.target = goal,
                       .patience = static_cast<std::int64_t>(
                           patience_ * static_cast<double>(size_ * jobs_ * neighbours_per_job)),
                       .most_work = std::min(work_left(), most_counted) * neighbours_per_job,
                       .threads = std::max(params_.threads, 1),
                       .seed = mix(params_.seed, static_cast<std::uint64_t>(result_.rounds)),
                       .budget = params_.budget,
                       .lowered = [&](Size lower) {
                         best.height = lower;
                         best.kind = Kind::ejection;
                         best.when = std::chrono::steady_clock::now();
                         note_improved(best);
                       }});
    ejected_ = height;
    if (10 * (before - height) >= before - goal) {
      ejection_leads_ = true;
    }
    patience_ = ejection_leads_ ? std::clamp(2 * patience_, leading_patience, most_patience)
                                : patience_ / 2;
    if (height < before) {
      keys_from_offsets(best.offsets, best.keys);
      best.excess = std::numeric_limits<double>::max();
      shared_.since_better = 0;
    }
    end_if_over();
  }

  void note_refuted(const Outcome& out) {
    if (out.refuted < shared_.lower_bound) return;
    shared_.lower_bound = out.refuted + 1;
    if (params_.better) params_.better(shared_.best.height, shared_.lower_bound, "exact", out.when);
  }

  void note_improved(const Outcome& out) {
    const auto kind = static_cast<std::size_t>(out.kind);
    if (out.kind != Kind::ejection) shared_.favourite = out.kind;
    if (params_.better) params_.better(out.height, shared_.lower_bound, kind_names[kind], out.when);
    ++result_.by_kind[kind];
  }

  [[nodiscard]] bool low_enough() const {
    return shared_.best.height <= std::max(params_.target, shared_.lower_bound);
  }

  /// Rounds of the next generation; 0 or less: the requested number is reached.
  [[nodiscard]] std::int64_t next_size() const {
    const std::int64_t size = shared_.generation == 1 && params_.start.empty()
                                  ? fixed_recipes
                                  : generation_size(*shared_.instance);
    const std::int64_t within = std::min(size, std::max<std::int64_t>(1, work_left() / jobs_));
    return params_.max_rounds > 0 ? std::min(within, params_.max_rounds - result_.rounds) : within;
  }

  /// Rounds times jobs.
  [[nodiscard]] std::int64_t work() const {
    return result_.rounds * jobs_ + (ejection_ ? ejection_->work() / neighbours_per_job : 0);
  }
  [[nodiscard]] std::int64_t work_left() const { return params_.budget.max_nodes - work(); }

  /// Stores the work in the meter.
  std::optional<StopReason> limit_reached() {
    std::optional<StopReason> reason = params_.budget.exhausted();
    if (!reason && out_of_memory_) reason = StopReason::memory_limit;
    if (!reason && work_left() < jobs_) reason = StopReason::node_limit;
    if (params_.meter == nullptr) return reason;
    params_.meter->done.store(work(), std::memory_order_relaxed);
    if (!reason && work() >= params_.meter->limit.load(std::memory_order_relaxed))
      reason = StopReason::node_limit;
    return reason;
  }

  const RoundsParams& params_;
  const Orders orders_;
  const std::int64_t jobs_;
  Shared shared_;
  std::vector<std::unique_ptr<Worker>> workers_;  ///< one per thread
  std::vector<Outcome> outcomes_;                 ///< of this generation
  std::int64_t size_;  ///< rounds of this generation; 1 in the first, to reach a limit early
  std::atomic<std::int64_t> next_{0};
  std::atomic<std::int64_t> winner_{0};  ///< the first round that is low enough
  std::atomic<bool> out_of_memory_{false};
  std::unique_ptr<Ejection> ejection_;
  double patience_ = first_patience;
  bool ejection_leads_ = false;  ///< ejection found the last clearly lower height
  Size ejected_ = 0;             ///< the height at the end of ejection; 0: not started
  bool done_ = false;
  std::exception_ptr error_;
  std::barrier<> gate_;
  RoundsResult result_;
};

}  // namespace

RoundsResult run_rounds(const Instance& instance, const RoundsParams& params) {
  return Generations(instance, params).run();
}

}  // namespace tessera::search::boxing
