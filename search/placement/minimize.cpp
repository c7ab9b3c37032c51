#include "search/placement/minimize.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <new>
#include <thread>

#include "engine/share_of_time.h"
#include "model/relations.h"
#include "search/placement/bounds.h"
#include "search/placement/greedy.h"
#include "search/placement/tie_memories.h"
#include "tessera/check.h"

namespace tessera::search {
namespace {

/// State shared by two workers on one memory; all heights are of that memory.
class Interval {
 public:
  Interval(PlacementProblem problem, Size lower)
      : problem_(std::move(problem)),
        granule_(height_granule(problem_)),
        lower_(align_up(lower, granule_)) {}

  struct Question {
    Size capacity = 0;
    std::int64_t nodes = 0;
    std::stop_token stop;
  };

  /// The next capacity to test: an improver starts in the middle and goes up if it learns nothing,
  /// a refuter starts in the middle and goes down. Nothing: the bounds have met.
  std::optional<Question> ask(bool improver) {
    const std::lock_guard lock(mutex_);
    if (lower_ >= best_) return std::nullopt;
    Side& side = improver ? improver_ : refuter_;
    // Open capacities are [lower, best - 1]; lower may be possible, and best - 1 may be impossible.
    // In granules, because halving a distance below one granule repeats a query.
    const Size width = (best_ - 1 - lower_) / granule_;
    const Size distance = side.steps >= 62 ? 0 : (width >> side.steps) * granule_;
    const Size capacity = improver ? best_ - 1 - distance : lower_ + distance;
    side.asked = std::max(lower_, align_down(capacity, granule_));
    side.stop = std::stop_source();
    side.nodes = side.budget;
    return Question{side.asked, side.nodes, side.stop.get_token()};
  }

  void placed(Placement placement) {
    const std::lock_guard lock(mutex_);
    const Size height = heights(problem_, placement)[0];
    if (height >= best_) return;
    best_ = height;
    placement_ = std::move(placement);
    moved();
  }

  void refuted(Size capacity) {
    const std::lock_guard lock(mutex_);
    if (capacity < lower_) return;
    const Size above = align_down(capacity, granule_) + granule_;
    lower_ = std::min(best_, std::max(above, next_possible_height(problem_, 0, capacity + 1)));
    moved();
  }

  void learned_nothing(bool improver) {
    const std::lock_guard lock(mutex_);
    Side& side = improver ? improver_ : refuter_;
    const Size width = (best_ - 1 - lower_) / granule_;
    if (side.steps >= 62 || (width >> side.steps) == 0) {
      side.steps = 0;
      side.budget *= 4;
    } else {
      side.steps += 2;
    }
  }

  [[nodiscard]] const PlacementProblem& problem() const { return problem_; }
  [[nodiscard]] bool open() const { return lower_ < best_; }
  [[nodiscard]] Size lower() const { return lower_; }
  [[nodiscard]] Size best() const { return best_; }
  [[nodiscard]] const std::optional<Placement>& placement() const { return placement_; }
  std::function<void(Size, Size)> progress;

 private:
  struct Side {
    int steps = 0;  ///< number of halvings of the distance to the safe end
    std::int64_t budget = 2000;
    std::int64_t nodes = 0;
    Size asked = -1;
    std::stop_source stop;
  };

  /// Stops queries whose results are already known.
  void moved() {
    for (Side* side : {&improver_, &refuter_}) {
      if (side->asked < lower_ || side->asked >= best_) {
        side->stop.request_stop();
        side->steps = std::max(0, side->steps - 2);
      }
    }
    if (progress) progress(best_, lower_);
  }

  PlacementProblem problem_;
  Size granule_;
  std::mutex mutex_;
  Size lower_;
  Size best_ = unbounded + 1;
  std::optional<Placement> placement_;
  Side improver_;
  Side refuter_;
};

/// The problem restricted to the buffers of one memory.
PlacementProblem only_memory(const PlacementProblem& problem, MemoryIndex m,
                             std::vector<BufferIndex>& members) {
  PlacementProblem part;
  part.name = problem.name;
  part.memories = {problem.memories[m]};
  std::vector<BufferIndex> index(problem.buffers.size(), gone);
  members.clear();
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    if (problem.memories.size() != 1 && buffer.memories.front() != m) continue;
    index[b] = members.size();
    members.push_back(b);
    part.buffers.push_back(buffer);
    part.buffers.back().memories.clear();
  }
  for (const Relation& relation : problem.relations) {
    for (Relation& left : remaining(relation, index)) part.relations.push_back(std::move(left));
  }
  return part;
}

struct Totals {
  std::mutex mutex;
  std::int64_t questions = 0;
  std::int64_t nodes = 0;
  std::int64_t granted = 0;  ///< nodes that queries were granted and have used
  std::optional<StopReason> stop;
};

/// Counts the nodes of a finished query, or its `granted` nodes if they did not suffice.
void count(Totals& totals, const engine::SearchResult& result, std::int64_t granted) {
  std::int64_t nodes = 0;
  for (const Stat& stat : result.stats) {
    if (stat.name != "nodes") continue;
    if (const auto* its = std::get_if<std::int64_t>(&stat.value)) nodes += *its;
  }
  const std::lock_guard lock(totals.mutex);
  ++totals.questions;
  totals.nodes += nodes;
  totals.granted += result.status == Status::unknown ? granted : std::min(granted, nodes);
}

/// The reason to stop, if any.
std::optional<StopReason> exhausted(const Budget& budget, Totals& totals) {
  if (const auto stop = budget.exhausted()) return stop;
  const std::lock_guard lock(totals.mutex);
  if (totals.granted >= budget.max_nodes) return StopReason::node_limit;
  return std::nullopt;
}

/// Returns false: no further query.
bool stop_for(StopReason reason, Totals& totals) {
  const std::lock_guard lock(totals.mutex);
  totals.stop = reason;
  return false;
}

using Decide =
    std::function<engine::SearchResult(const PlacementProblem&, const engine::SearchParams&)>;

Decide decider(const MinimizeParams& params, bool improver) {
  if (params.decide) return params.decide;
  CanonicalParams canonical = params.canonical;
  // A refuter gains nothing from many orders.
  if (!improver) canonical.restarts = false;
  const std::shared_ptr<engine::PlacementEngine> engine = make_canonical_engine(canonical);
  return [engine](const PlacementProblem& problem, const engine::SearchParams& search) {
    return engine->solve(problem, search);
  };
}

/// Runs one query. False: the bounds have met, or the budget is spent.
bool work_once(Interval& interval, bool improver, const Decide& decide,
               const MinimizeParams& params, Totals& totals) {
  if (const auto stop = exhausted(params.budget, totals)) return stop_for(*stop, totals);
  const auto question = interval.ask(improver);
  if (!question) return false;
  PlacementProblem problem = interval.problem();
  problem.memories[0].capacity = std::min(problem.memories[0].capacity, question->capacity);
  engine::SearchParams search;
  search.budget.deadline = params.budget.deadline;
  search.budget.max_nodes = std::min(question->nodes, params.budget.max_nodes);
  search.budget.memory = params.budget.memory;
  search.seed = params.seed;
  std::stop_source either;
  const std::stop_callback outer(params.budget.stop, [&either] { either.request_stop(); });
  const std::stop_callback inner(question->stop, [&either] { either.request_stop(); });
  search.budget.stop = either.get_token();
  engine::SearchResult result = decide(problem, search);
  count(totals, result, search.budget.max_nodes);
  if (result.placement) {
    interval.placed(*std::move(result.placement));
  } else if (result.status == Status::infeasible) {
    interval.refuted(question->capacity);
  } else if (result.stop == StopReason::memory_limit) {
    // An engine without enough memory for the problem has not enough at another height either.
    return stop_for(StopReason::memory_limit, totals);
  } else {
    interval.learned_nothing(improver);
  }
  return true;
}

void close_in(Interval& interval, const MinimizeParams& params, Totals& totals) {
  const auto run = [&](bool improver) {
    try {
      const Decide decide = decider(params, improver);
      while (work_once(interval, improver, decide, params, totals)) {
      }
    } catch (const std::bad_alloc&) {
      stop_for(StopReason::memory_limit, totals);
    }
  };
  if (params.threads > 1) {
    const std::jthread refuter([&] { run(false); });
    run(true);
    return;
  }
  const Decide improve = decider(params, true);
  const Decide refute = decider(params, false);
  bool improver = true;
  while (work_once(interval, improver, improver ? improve : refute, params, totals)) {
    improver = !improver;
  }
}

/// One memory; its height is searched separately.
struct MemoryPart {
  MemoryPart(PlacementProblem problem, MemoryIndex m, std::vector<BufferIndex> its,
             const MinimizeResult& known)
      : memory(m), members(std::move(its)), interval(std::move(problem), known.lower_bounds[m]) {}

  MemoryIndex memory;
  std::vector<BufferIndex> members;
  Interval interval;
};

/// A first placement of the part within the capacity. False: none exists or none was found;
/// `result` tells which.
bool find_any(MemoryPart& part, const MinimizeParams& params, Totals& totals,
              MinimizeResult& result) {
  Interval& interval = part.interval;
  if (params.start) {
    Placement start;
    for (const BufferIndex b : part.members)
      start.places.push_back({0, params.start->places[b].offset});
    start.modes.resize(1);
    interval.placed(std::move(start));
  }
  if (greedy_features().contains(facts::features_of(interval.problem()))) {
    GreedyResult quick =
        place_greedily(interval.problem(), {.budget = params.budget, .seed = params.seed});
    if (quick.placement) interval.placed(*std::move(quick.placement));
  }
  if (interval.placement()) return true;
  // Without any placement, the first query is the problem itself.
  const Decide decide = decider(params, true);
  engine::SearchResult first =
      decide(interval.problem(), {.budget = params.budget, .seed = params.seed});
  count(totals, first, params.budget.max_nodes);
  if (first.placement) {
    interval.placed(*std::move(first.placement));
    return true;
  }
  result.status = first.status;
  result.stop = first.stop;
  result.reason = first.reason;
  return false;
}

/// Each memory gets its share of the remaining time, so a hard one does not take that of others;
/// unused time goes to those still open.
void narrow(std::deque<MemoryPart>& parts, const MinimizeParams& params, Totals& totals) {
  constexpr int rounds = 2;
  for (int round = 0; round < rounds; ++round) {
    auto open = std::count_if(parts.begin(), parts.end(),
                              [](const MemoryPart& part) { return part.interval.open(); });
    if (open == 0) return;
    totals.stop.reset();
    for (MemoryPart& part : parts) {
      if (!part.interval.open()) continue;
      MinimizeParams own = params;
      own.budget.deadline = engine::share_of_time(params.budget, open);
      close_in(part.interval, own, totals);
      --open;
    }
  }
}

}  // namespace

bool can_minimize(const PlacementProblem& problem) {
  return CanonicalSolver::takes(problem);
}

MinimizeResult minimize_height(const PlacementProblem& problem, const MinimizeParams& params) {
  MinimizeResult result;
  const std::size_t memories = problem.memories.size();
  if (auto why = memories_contradict(problem)) {
    result.status = Status::infeasible;
    result.reason = *std::move(why);
    return result;
  }
  result.lower_bounds = params.lower_bounds;
  if (result.lower_bounds.empty()) {
    Bounds bounds = lower_bounds(problem, {.budget = params.budget});
    result.lower_bounds = bounds.heights;
    if (bounds.infeasible) {
      result.status = Status::infeasible;
      result.reason = *std::move(bounds.infeasible);
      return result;
    }
  }
  result.heights.assign(memories, 0);
  Totals totals;
  std::deque<MemoryPart> parts;  // deque, because threads hold references to parts
  for (MemoryIndex m = 0; m < memories; ++m) {
    std::vector<BufferIndex> members;
    PlacementProblem part = only_memory(problem, m, members);
    if (!members.empty()) parts.emplace_back(std::move(part), m, std::move(members), result);
  }
  for (MemoryPart& part : parts) {
    part.interval.progress = [&result, &params, m = part.memory](Size best, Size lower) {
      result.heights[m] = best;
      result.lower_bounds[m] = lower;
      if (params.progress) params.progress(result.heights, result.lower_bounds);
    };
    if (!find_any(part, params, totals, result)) return result;
  }
  narrow(parts, params, totals);
  Placement placement;
  placement.places.resize(problem.buffers.size());
  placement.modes.resize(memories);
  for (MemoryPart& part : parts) {
    result.heights[part.memory] = part.interval.best();
    result.lower_bounds[part.memory] = part.interval.lower();
    for (std::size_t k = 0; k < part.members.size(); ++k)
      placement.places[part.members[k]] = {part.memory,
                                           part.interval.placement()->places[k].offset};
  }
  result.status = Status::feasible;
  result.placement = std::move(placement);
  result.proven = result.heights == result.lower_bounds;
  if (!result.proven) {
    result.stop = totals.stop.value_or(StopReason::time_limit);
    result.reason = "A limit stopped the search before the minimum height was proved.";
  }
  result.stats = {{"questions", totals.questions}, {"nodes", totals.nodes}};
  return result;
}

}  // namespace tessera::search
