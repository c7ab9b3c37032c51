#include "search/placement/boxing/engine.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "engine/share_of_time.h"
#include "facts/feature_sets.h"
#include "model/derived.h"
#include "search/placement/boxing/assign.h"
#include "search/placement/boxing/colouring.h"
#include "search/placement/boxing/first_fit.h"
#include "search/placement/boxing/instance.h"
#include "search/placement/boxing/rounds.h"
#include "search/placement/canonical.h"
#include "tessera/check.h"

namespace tessera::search {

namespace {

using namespace boxing;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The two cases with immediate optima: no two jobs overlap, or all have one size.
std::optional<std::vector<Offset>> elementary(const Instance& instance) {
  if (instance.constrained || instance.fragmented) return std::nullopt;
  const auto& jobs = instance.jobs;
  std::vector<Offset> offsets(jobs.size(), 0);
  bool one_size = true;
  bool apart = true;
  Section busy = 0;
  for (const Job& job : jobs) {  // in order of birth
    if (job.lower < busy) apart = false;
    busy = std::max(busy, job.upper);
    one_size = one_size && job.size == jobs.front().size && job.alignment == jobs.front().alignment;
  }
  if (apart) return offsets;
  if (!one_size) return std::nullopt;
  std::vector<Interval> intervals;
  for (const Job& job : jobs) intervals.push_back({job.lower, job.upper});
  std::vector<Row> row_of;
  Colouring colouring;
  static_cast<void>(colouring.colour(intervals, row_of));
  const Size height = align_up(jobs.front().size, jobs.front().alignment);
  for (std::size_t j = 0; j < jobs.size(); ++j) offsets[j] = row_of[j] * height;
  return offsets;
}

/// A number of rounds that takes about the same time for any size.
std::int64_t default_rounds(std::size_t jobs) {
  const std::int64_t n = static_cast<std::int64_t>(std::max<std::size_t>(jobs, 1));
  return std::clamp<std::int64_t>(1'000'000 / n, 17, 2000);
}

/// One call of box().
class Run {
 public:
  Run(const PlacementProblem& problem, const BoxingParams& params)
      : problem_(problem), params_(params), start_(Clock::now()) {}

  BoxingResult operator()() {
    const std::size_t memories = problem_.memories.size();
    result_.heights.assign(memories, 0);
    result_.lower_bounds.assign(memories, 0);
    const std::vector<MemoryIndex> memory_of = assign_memories(problem_);
    std::vector<std::vector<BufferIndex>> buffers(memories);
    bool tied = true;
    for (BufferIndex b = 0; b < memory_of.size(); ++b) {
      buffers[memory_of[b]].push_back(b);
      if (memories > 1 && problem_.buffers[b].memories.size() != 1) tied = false;
    }
    Placement placement;
    placement.places.resize(problem_.buffers.size());
    placement.modes.resize(memories);
    bool placed = true;
    for (MemoryIndex m = 0; m < memories; ++m) {
      // Every memory gets its share of the remaining time.
      if (!one_memory(m, buffers[m], tied, memories - m, placement)) placed = false;
    }
    bool fits = placed;
    for (MemoryIndex m = 0; m < memories && placed; ++m) {
      if (result_.heights[m] <= problem_.memories[m].capacity) continue;
      fits = false;
      result_.reason = "the lowest placement found needs " + std::to_string(result_.heights[m]) +
                       " bytes of memory '" + problem_.memories[m].name + "', which has " +
                       std::to_string(problem_.memories[m].capacity);
    }
    if (!placed && result_.reason.empty()) {
      result_.reason = result_.stop == StopReason::completed
                           ? "no tried order of the buffers satisfies every window"
                           : "a limit stopped the search before the first placement";
    }
    // Fixed buffers may conflict with each other; everything else is valid by construction.
    if (fits && fixed_) {
      const std::vector<Violation> wrong = check(problem_, placement, 1);
      if (!wrong.empty()) {
        fits = placed = false;
        result_.reason = "the fixed offsets conflict: " + wrong.front().message;
      }
    }
    result_.status = fits ? Status::feasible : Status::unknown;
    result_.proven_minimum = placed && result_.heights == result_.lower_bounds;
    if (placed) result_.placement = std::move(placement);
    write_stats();
    return std::move(result_);
  }

 private:
  bool one_memory(MemoryIndex m, const std::vector<BufferIndex>& buffers, bool tied,
                  std::size_t left, Placement& placement) {
    const Clock::time_point before = Clock::now();
    Poll poll(params_.budget);
    std::optional<Instance> made;
    try {
      made = make_instance(problem_, m, buffers, &poll);
      // A first round takes longer than this step did.
      if (!made->jobs.empty() && params_.budget.deadline - Clock::now() < Clock::now() - before)
        throw BudgetEnded(StopReason::time_limit, true);
    } catch (const BudgetEnded& ended) {
      result_.stop = ended.reason;
      return false;
    }
    const Instance& instance = *made;
    fixed_ = fixed_ || !instance.fixed.empty();
    // Buffers that chose this memory could use others, so there is no bound.
    Size bound = tied ? instance.lower_bound : 0;
    if (m < params_.lower_bounds.size()) bound = std::max(bound, params_.lower_bounds[m]);
    Size target = std::max(bound, instance.floor);
    if (m < params_.targets.size()) target = std::max(target, params_.targets[m]);
    improved(m, no_height, bound, "load", Clock::now());

    RoundsResult rounds;
    if (instance.jobs.empty()) {
      rounds.found = true;
      rounds.height = instance.floor;
      // The checker handles conflicts with other fixed buffers.
    } else if (auto offsets = elementary(instance)) {
      rounds.found = true;
      rounds.height = height_of(instance, *offsets);
      rounds.offsets = std::move(*offsets);
      improved(m, rounds.height, bound, "elementary", Clock::now());
    } else {
      RoundsParams one_memory;
      one_memory.budget = share(left);
      // A meter can count one memory only; with several memories there is none.
      one_memory.meter = left == 1 && m == 0 ? one_memory.budget.meter : nullptr;
      one_memory.budget.max_nodes -= work_;
      one_memory.budget.meter = nullptr;  // the exact search would count on it, too
      one_memory.seed = params_.seed;
      one_memory.threads = threads(instance.jobs.size());
      one_memory.max_rounds = params_.max_rounds;
      if (one_memory.max_rounds == 0 && params_.budget.deadline == Clock::time_point::max())
        one_memory.max_rounds = default_rounds(instance.jobs.size());
      one_memory.target = target;
      one_memory.stacking = params_.stacking;
      one_memory.boxing = params_.boxing;
      one_memory.improve = params_.improve;
      one_memory.focus = params_.focus;
      one_memory.exact = params_.exact;
      one_memory.eject = params_.eject;
      one_memory.make_exact = params_.make_exact;
      if (!one_memory.make_exact) one_memory.make_exact = [] { return make_canonical_engine(); };
      one_memory.better = [&](Size height, Size proved, const std::string& by,
                              Clock::time_point when) {
        improved(m, height, tied ? std::max(proved, bound) : bound, by, when);
      };
      rounds = run_rounds(instance, one_memory);
      if (tied) bound = std::max(bound, rounds.lower_bound);
      for (std::size_t kind = 0; kind < kinds_.size(); ++kind) kinds_[kind] += rounds.by_kind[kind];
      rounds_ += rounds.rounds;
      work_ += rounds.work;
      generations_ += rounds.generations;
      if (rounds.stop != StopReason::completed) result_.stop = rounds.stop;
    }
    result_.lower_bounds[m] = bound;
    if (!rounds.found) return false;
    result_.heights[m] = rounds.height;
    for (std::size_t j = 0; j < rounds.offsets.size(); ++j)
      placement.places[instance.source[j]] = {m, rounds.offsets[j]};
    for (const auto& [buffer, offset] : instance.fixed) placement.places[buffer] = {m, offset};
    return true;
  }

  [[nodiscard]] int threads(std::size_t jobs) const {
    int count = params_.threads;
    if (count <= 0) count = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    // For few buffers, the rounds end before a thread has started.
    return jobs < 64 ? 1 : std::min(count, 16);
  }

  [[nodiscard]] Budget share(std::size_t left) const {
    Budget budget = params_.budget;
    if (left > 1)
      budget.deadline = engine::share_of_time(params_.budget, static_cast<std::int64_t>(left));
    return budget;
  }

  void improved(MemoryIndex m, Size height, Size bound, const std::string& by,
                Clock::time_point when) {
    result_.lower_bounds[m] = std::max(result_.lower_bounds[m], bound);
    if (height != no_height && (result_.heights[m] == 0 || height < result_.heights[m])) {
      result_.heights[m] = height;
      result_.over_time.push_back(
          {std::chrono::duration<double>(when - start_).count(), m, height, by});
    }
    if (params_.progress && height != no_height)
      params_.progress(result_.heights, result_.lower_bounds);
  }

  void write_stats() {
    Stats& stats = result_.stats;
    stats.push_back({"boxing.rounds", rounds_});
    stats.push_back({"boxing.generations", generations_});
    const char* names[] = {"stacking", "boxing", "improve", "focus", "exact", "ejection"};
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
      stats.push_back({std::string("boxing.better_by_") + names[kind], kinds_[kind]});
    std::string trace;
    for (const HeightAt& at : result_.over_time) {
      if (!trace.empty()) trace += "; ";
      std::string when = std::to_string(at.seconds);
      trace += when.substr(0, when.size() - 3) + " s ";
      if (problem_.memories.size() > 1) trace += problem_.memories[at.memory].name + " ";
      trace += std::to_string(at.height) + " (" + at.by + ")";
    }
    if (!trace.empty()) stats.push_back({"boxing.height_over_time", trace});
    stats.push_back({"boxing.seconds", seconds_since(start_)});
  }

  const PlacementProblem& problem_;
  const BoxingParams& params_;
  Clock::time_point start_;
  BoxingResult result_;
  bool fixed_ = false;
  std::int64_t rounds_ = 0;
  std::int64_t work_ = 0;  ///< of all memories so far
  std::int64_t generations_ = 0;
  std::vector<std::int64_t> kinds_ = std::vector<std::int64_t>(6, 0);
};

class BoxingEngine final : public engine::PlacementEngine {
 public:
  explicit BoxingEngine(const BoxingParams& params) : params_(params) {}
  [[nodiscard]] std::string_view name() const override { return "boxing"; }
  [[nodiscard]] facts::FeatureSet features() const override { return boxing_features(); }
  [[nodiscard]] engine::SearchResult solve(const PlacementProblem& problem,
                                           const engine::SearchParams& search) override {
    BoxingParams params = params_;
    params.budget = search.budget;
    params.seed = search.seed;
    params.targets.clear();
    for (const Memory& memory : problem.memories) params.targets.push_back(memory.capacity);
    BoxingResult found = box(problem, params);
    engine::SearchResult result;
    result.status = found.status;
    result.stop = found.stop;
    result.reason = std::move(found.reason);
    if (found.status == Status::feasible) result.placement = std::move(found.placement);
    result.stats = std::move(found.stats);
    return result;
  }

 private:
  BoxingParams params_;
};

}  // namespace

facts::FeatureSet boxing_features() {
  return facts::together(facts::address_features,
                         {facts::Feature::choice_of_memory, facts::Feature::may_overlap,
                          facts::Feature::avoid_overlap});
}

BoxingResult box(const PlacementProblem& problem, const BoxingParams& params) {
  return Run(problem, params)();
}

std::unique_ptr<engine::PlacementEngine> make_boxing_engine(const BoxingParams& params) {
  return std::make_unique<BoxingEngine>(params);
}

}  // namespace tessera::search
