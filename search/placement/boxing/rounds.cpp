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
#include "search/placement/boxing/first_fit.h"
#include "search/placement/boxing/improve.h"
#include "search/placement/boxing/orders.h"
#include "search/placement/boxing/peak.h"
#include "search/placement/boxing/stacking.h"
#include "search/placement/boxing/unboxing.h"

namespace tessera::search::boxing {

namespace {

enum class Kind : std::uint8_t { stacking, boxing, improve, focus, exact };
constexpr const char* kind_names[] = {"stacking", "boxing", "improve", "focus", "exact"};

/// What a round hands over; also what the next generation starts from.
struct Outcome {
  Size height = no_height;
  double excess = 0;  ///< among equal heights, the less the better
  std::vector<float> keys;
  std::vector<Offset> offsets;
  Size refuted = -1;  ///< proved: no height is this low
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
  std::int64_t since_better = 0;    ///< generations
  Kind favourite = Kind::stacking;  ///< found the best placement
  bool large = false;               ///< a round takes long
  std::int64_t opening = 0;         ///< generations after the first with kinds of their own
};

/// The working memory of one thread.
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
    }
    out.when = std::chrono::steady_clock::now();
  }

 private:
  [[nodiscard]] const Instance& instance() const { return *shared_->instance; }
  [[nodiscard]] const Budget& budget() const { return shared_->params->budget; }
  /// A round may end at the height of the best: equal ones with less excess lead on.
  [[nodiscard]] Size limit() const { return shared_->best.height; }

  Stacker& stacker() {
    if (!stacker_) stacker_.emplace(instance());
    return *stacker_;
  }
  FirstFit& first_fit() {
    if (!first_fit_) first_fit_.emplace(instance());
    return *first_fit_;
  }

  /// Stacks by out.keys; squeezes what stacking does not know.
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
    // The first time the epsilon that boxes furthest, then others: low ones box more levels.
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
    // Who lives under a load of at least this share of the bound?
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
    inner.seed = random.next();
    inner.max_rounds = std::clamp<std::int64_t>(2 * n / some, 24, 400);
    inner.target = params.target;
    inner.boxing = inner.exact = false;
    inner.improve = params.improve;
    inner.depth = params.depth + 1;
    inner.focus = inner.depth < 3 && some > 1000;
    for (const JobIndex j : chosen)
      inner.start.push_back(best.offsets[static_cast<std::size_t>(j)]);
    const RoundsResult found = run_rounds(part, inner);
    if (!found.found || found.height > best.height) return;
    // First fit wants the large ones first, and those under high loads before all others.
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

  /// `work`: pairs of jobs to look at, per job of the instance.
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
    // The bound itself, or half way to it: easier, and still an improvement.
    const Size bound = std::max(shared_->lower_bound, shared_->params->target);
    const Size target = random.below(2) == 0 ? bound : bound + (best.height - bound) / 2;
    if (target >= best.height) return;
    // A node costs about as much as stacking a dozen jobs: the share of the work stays the same.
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

  /// As Stacker::excess, from the tops of the jobs: comparable enough to rank equal heights.
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

/// Which kind is round `k` of a generation? Depends on what happened, not on how long it took.
Kind kind_of(const Shared& shared, std::int64_t k) {
  const RoundsParams& params = *shared.params;
  // Some kinds need a placement to work on.
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
    }
    return false;
  };
  const Kind fallback = params.stacking ? Kind::stacking : Kind::boxing;
  if (shared.generation == 0) return fallback;
  // The fixed orders and one round of boxing first; where they take long, they alternate with the
  // rounds that need little time and help long traces most.
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
  // What helped last gets every other round of the kinds that cost about the same.
  if (shared.since_better < 4 && kind == Kind::stacking && k % 2 == 1 &&
      shared.favourite != Kind::exact)
    kind = shared.favourite;
  return allowed(kind) ? kind : fallback;
}

/// Large instances learn from fewer rounds: a generation should not take long.
std::int64_t generation_size(const Instance& instance) {
  const std::size_t n = instance.jobs.size();
  return n <= 20'000 ? 16 : n <= 200'000 ? 8 : 4;
}

}  // namespace

RoundsResult run_rounds(const Instance& instance, const RoundsParams& params) {
  RoundsResult result;
  const Orders orders(instance);
  Shared shared;
  shared.instance = &instance;
  shared.params = &params;
  shared.orders = &orders;
  shared.lower_bound = instance.lower_bound;
  shared.large = instance.jobs.size() > 50'000;
  shared.opening = !params.start.empty() ? 0 : shared.large ? 3 : 1;
  if (params.focus) shared.contention = contention(instance);
  if (!params.start.empty()) {
    shared.best.offsets = params.start;
    shared.best.height = height_of(instance, params.start);
    keys_from_offsets(params.start, shared.best.keys);
    shared.best.excess = std::numeric_limits<double>::max();
    shared.generation = 1;
  }
  if (params.boxing || !params.stacking) shared.epsilons = epsilon_range(instance);

  const int threads = std::max(params.threads, 1);
  // One round first, so that there is a limit early.
  std::int64_t size = params.start.empty() ? 1 : 8;
  std::vector<Outcome> outcomes;
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> winner{0};  // the first round that is low enough
  bool done = false;
  std::atomic<bool> out_of_memory{false};
  std::barrier<> gate(threads);

  const auto take_rounds = [&](Worker& worker) {
    for (std::int64_t k = next++; k < size; k = next++) {
      // The first round always runs to its end or to the budget's.
      if (k > winner.load() || (params.budget.exhausted() && shared.best.height != no_height))
        break;
      Outcome& out = outcomes[static_cast<std::size_t>(k)];
      try {
        worker.run(result.rounds + k, kind_of(shared, k), out);
      } catch (const std::bad_alloc&) {  // the others wait for this thread at the gate
        out.height = no_height;
        out_of_memory = true;
      }
      if (out.height <= params.target) {
        std::int64_t seen = winner.load();
        while (k < seen && !winner.compare_exchange_weak(seen, k)) {
        }
      }
    }
  };
  const auto prepare = [&] {
    outcomes.resize(static_cast<std::size_t>(size));
    for (Outcome& out : outcomes) {
      out.height = no_height;
      out.refuted = -1;
    }
    next = 0;
    winner = size;
  };
  const auto collect = [&] {
    bool improved = false;
    for (std::int64_t k = 0; k < size; ++k) {
      Outcome& out = outcomes[static_cast<std::size_t>(k)];
      if (out.refuted >= shared.lower_bound) {
        shared.lower_bound = out.refuted + 1;
        if (params.better) params.better(shared.best.height, shared.lower_bound, "exact", out.when);
      }
      if (out.height == no_height) continue;
      if (out.height < shared.best.height) {
        improved = true;
        shared.favourite = out.kind;
        if (params.better)
          params.better(out.height, shared.lower_bound,
                        kind_names[static_cast<std::size_t>(out.kind)], out.when);
        ++result.by_kind[static_cast<std::size_t>(out.kind)];
      }
      if (better(out, shared.best)) std::swap(shared.best, out);
      if (shared.best.height <= std::max(params.target, shared.lower_bound)) break;
    }
    shared.since_better = improved ? 0 : shared.since_better + 1;
    result.rounds += size;
    ++shared.generation;
    size =
        shared.generation == 1 && params.start.empty() ? fixed_recipes : generation_size(instance);
    if (params.max_rounds > 0) size = std::min(size, params.max_rounds - result.rounds);
    auto reason = params.budget.exhausted();
    if (!reason && out_of_memory) reason = StopReason::memory_limit;
    if (params.meter != nullptr) {
      const std::int64_t work = result.rounds * static_cast<std::int64_t>(instance.jobs.size());
      params.meter->done.store(work, std::memory_order_relaxed);
      if (!reason && work >= params.meter->limit.load(std::memory_order_relaxed))
        reason = StopReason::node_limit;
    }
    if (shared.best.height <= std::max(params.target, shared.lower_bound) || size <= 0)
      done = true;
    else if (reason) {
      done = true;
      result.stop = *reason;
    }
  };

  // Made here: a helper that could not make its own would leave the others waiting at the gate.
  std::vector<std::unique_ptr<Worker>> workers;
  for (int t = 0; t < threads; ++t) workers.push_back(std::make_unique<Worker>(shared));
  prepare();
  std::exception_ptr error;
  {
    std::vector<std::jthread> helpers;
    helpers.reserve(static_cast<std::size_t>(threads));
    for (int t = 1; t < threads; ++t) {
      try {
        helpers.emplace_back([&, t] {
          while (true) {
            gate.arrive_and_wait();  // the generation is prepared
            if (done) return;
            take_rounds(*workers[static_cast<std::size_t>(t)]);
            gate.arrive_and_wait();  // all rounds are done
          }
        });
      } catch (const std::system_error&) {  // no more threads
        gate.arrive_and_drop();
      } catch (const std::bad_alloc&) {
        gate.arrive_and_drop();
      }
    }
    while (true) {
      gate.arrive_and_wait();
      if (done) break;
      take_rounds(*workers[0]);
      gate.arrive_and_wait();
      try {
        collect();
        if (!done) prepare();
      } catch (...) {  // the helpers have to be told
        error = std::current_exception();
        done = true;
      }
    }
  }
  if (error) std::rethrow_exception(error);

  result.generations = shared.generation;
  result.lower_bound = shared.lower_bound;
  result.found = shared.best.height != no_height;
  result.height = shared.best.height;
  result.offsets = std::move(shared.best.offsets);
  return result;
}

}  // namespace tessera::search::boxing
