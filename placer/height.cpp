#include "placer/height.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

#include "engine/race.h"
#include "engine/share_of_time.h"
#include "facts/joined.h"
#include "model/claim_problem.h"
#include "model/derived.h"
#include "model/rules.h"
#include "placer/boxing_sizes.h"
#include "placer/group_heights.h"
#include "search/offchip/weave.h"
#include "search/placement/bounds.h"
#include "search/placement/boxing/engine.h"
#include "search/placement/minimize.h"
#include "tessera/check.h"
#include "tessera/claim.h"

namespace tessera::placer {

void limit_ends(Memory& memory, Size height, bool parts) {
  if (!parts || memory.banks.empty() || has_modes(memory) || height >= memory.capacity)
    return limit_height(memory, height);
  std::vector<Bank> below;
  Offset begin = 0;
  for (const Bank& bank : memory.banks) {
    if (begin >= height) break;
    below.push_back(bank);
    below.back().size = std::min(bank.size, height - begin);
    begin += bank.size;
  }
  memory.banks.clear();  // without banks only the capacity is reduced
  limit_height(memory, height);
  memory.banks = std::move(below);
}

namespace {

/// Rounds of weaving when minimising a height, in units of the rounds of one feasibility query.
constexpr std::int64_t thorough_weaving = 5;

Size largest_of(const std::vector<Size>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

/// Does a complete search follow if boxing ends without a proof?
bool search_follows(const PlacementProblem& problem, const HeightParams& params) {
  return params.settings.engine == "auto" && problem.buffers.size() <= search_lowers_up_to;
}

search::BoxingResult box_first(const PlacementProblem& problem, const HeightParams& params) {
  search::BoxingParams own = params.settings.engines.boxing;
  own.budget = params.search.budget;
  own.seed = params.search.seed;
  own.threads = params.settings.threads;
  own.lower_bounds = params.lower_bounds;
  own.progress = params.progress;
  if (search_follows(problem, params))
    own.budget.deadline = engine::share_of_time(params.search.budget, 2);
  return search::box(problem, own);
}

/// If buffers have parts: starts from a low placement of weaving if it improves the incumbent.
void lower_by_weaving(const PlacementProblem& problem, const HeightParams& params,
                      const std::vector<Size>& bounds, std::optional<Decision>& start) {
  const facts::FeatureSet used = facts::features_of(problem);
  if (!used.contains(facts::Feature::parts) || !search::weave_features().contains(used)) return;
  search::WeaveParams own{
      .budget = params.search.budget, .seed = params.search.seed, .targets = bounds};
  own.budget.deadline = engine::share_of_time(params.search.budget, 3);
  own.rounds *= thorough_weaving;
  search::WeaveResult low = search::weave(problem, own);
  if (!low.placement) return;
  if (start && largest_of(low.heights) >= largest_of(heights(problem, *start->found.placement)))
    return;
  Decision& found = start ? *start : start.emplace();
  found.engine = "weave";
  found.found.status = Status::feasible;
  found.found.placement = std::move(low.placement);
  found.found.stats = std::move(low.stats);
}

/// Should feasibility be decided before a placement is improved? Yes if memories are limited: a
/// minimum height above the capacity is no result, and one memory without a placement ends the
/// search for all.
bool asks_first(const PlacementProblem& problem, std::string_view engine) {
  return engine == "auto" &&
         std::any_of(problem.memories.begin(), problem.memories.end(),
                     [](const Memory& memory) { return memory.capacity != unbounded; });
}

/// If memory runs out: returns the incumbent, if any.
HeightResult best_of(HeightResult result, std::optional<Decision> start) {
  if (start) {
    result.engine = start->engine;
    result.found = std::move(start->found);
  } else {
    result.found = engine::out_of_memory("the search for the minimum height");
  }
  result.found.stop = StopReason::memory_limit;
  return result;
}

/// The feasibility query comes first if it may end everything. None: it does not.
std::optional<HeightResult> refuted_at_once(const PlacementProblem& problem,
                                            const HeightParams& params,
                                            std::optional<Decision>& start) {
  if (start || !asks_first(problem, params.settings.engine)) return std::nullopt;
  Decision plain = decide(problem, params.search, params.settings);
  if (plain.found.status == Status::feasible) {
    start = std::move(plain);
    return std::nullopt;
  }
  HeightResult result;
  result.lower_bounds = params.lower_bounds;
  result.engine = std::move(plain.engine);
  result.found = std::move(plain.found);
  return result;
}

/// Boxing finds a low placement, if requested by name or as a start for very many buffers. True:
/// the result is final.
bool decided_by_boxing(const PlacementProblem& problem, const HeightParams& params,
                       HeightResult& result, std::optional<Decision>& start) {
  const bool begins = params.settings.engine == "auto" &&
                      problem.buffers.size() >= boxing_lowers_from &&
                      search::boxing_features().contains(facts::features_of(problem));
  if (!begins && params.settings.engine != "boxing") return false;
  search::BoxingResult low;
  try {
    low = box_first(problem, params);
  } catch (const std::bad_alloc&) {  // other engines may need less
  }
  if (low.status == Status::feasible) {
    Decision& found = start.emplace();
    found.engine = "boxing";
    found.found.status = Status::feasible;
    found.found.stop = low.stop;
    found.found.placement = std::move(low.placement);
    found.found.stats = std::move(low.stats);
    result.lower_bounds = std::move(low.lower_bounds);
    result.proven = low.proven_minimum;
    if (!result.proven && search_follows(problem, params)) return false;
    result.engine = start->engine;
    result.found = std::move(start->found);
  } else if (const auto stop = params.search.budget.exhausted(); stop && !start) {
    result.found.stop = *stop;
    result.found.reason = std::move(low.reason);
    result.found.stats = std::move(low.stats);
    result.engine = "boxing";
  } else {
    return false;
  }
  return true;
}

/// One memory at a time, from below and from above.
HeightResult from_both_ends(const PlacementProblem& problem, const HeightParams& params,
                            HeightResult result, std::optional<Decision> start) {
  search::MinimizeParams own{.budget = params.search.budget,
                             .seed = params.search.seed,
                             .threads = params.settings.threads,
                             .canonical = params.settings.engines.canonical,
                             .start = std::nullopt,
                             .lower_bounds = result.lower_bounds,
                             .decide = nullptr,
                             .progress = params.progress};
  // Each thread decides one height at a time, so the engines take turns in it.
  if (params.settings.engine == "auto")
    own.decide = [&params](const PlacementProblem& one, const engine::SearchParams& search) {
      return decide_by_turns(one, search, params.settings.engines);
    };
  if (start) own.start = start->found.placement;
  search::MinimizeResult least;
  try {
    least = search::minimize_height(problem, own);
  } catch (const std::bad_alloc&) {
    return best_of(std::move(result), std::move(start));
  }
  result.found.status = least.status;
  result.found.stop = least.stop;
  result.found.placement = std::move(least.placement);
  result.found.reason = std::move(least.reason);
  result.found.stats = std::move(least.stats);
  result.lower_bounds = std::move(least.lower_bounds);
  result.proven = least.proven;
  result.engine = params.settings.engine == "auto" ? "minimize" : "canonical";
  if (start) {
    Stats stats = std::move(start->found.stats);
    stats.insert(stats.end(), result.found.stats.begin(), result.found.stats.end());
    result.found.stats = std::move(stats);
  }
  return result;
}

/// Memories with shared buffers, group by group, by queries with reduced capacity.
HeightResult group_by_group(const PlacementProblem& problem, const HeightParams& params,
                            HeightResult result, Decision best) {
  result.engine = best.engine;
  if (best.found.status == Status::feasible) {
    result.proven = true;
    PlacementProblem settled = problem;
    const bool parts = facts::features_of(problem).contains(facts::Feature::parts);
    for (const std::vector<MemoryIndex>& group : memory_groups(problem)) {
      GroupHeights heights(settled, group, params, best);
      std::optional<StopReason> stopped;
      try {
        stopped = heights.minimise();
      } catch (const std::bad_alloc&) {
        stopped = StopReason::memory_limit;
      }
      if (stopped) best.found.stop = *stopped;
      // For memories with shared buffers, it bounds the largest height of the group, and none
      // alone.
      const Size low = heights.least_largest();
      if (low < heights.reached().front()) result.proven = false;
      if (group.size() > 1)
        result.group_bounds.emplace_back(group, low);
      else
        result.lower_bounds[group.front()] = low + params.origin(group.front());
      result.lower_bound = std::max(result.lower_bound, low);
      // Queries about other groups must preserve the heights reached here.
      const std::vector<Size> ends = tessera::heights(problem, *best.found.placement);
      for (const MemoryIndex m : group) limit_ends(settled.memories[m], ends[m], parts);
    }
    result.engine = best.engine;
  }
  result.found = std::move(best.found);
  return result;
}

/// Bounds of single memories count from address 0 here.
HeightResult least_end(const PlacementProblem& problem, std::optional<Decision> start,
                       const HeightParams& params) {
  if (auto refuted = refuted_at_once(problem, params, start)) return std::move(*refuted);
  HeightResult result;
  result.lower_bounds = params.lower_bounds;
  if (decided_by_boxing(problem, params, result, start)) return result;
  const bool automatic = params.settings.engine == "auto";
  if (automatic) lower_by_weaving(problem, params, result.lower_bounds, start);
  if ((automatic || params.settings.engine == "canonical") && search::can_minimize(problem))
    return from_both_ends(problem, params, std::move(result), std::move(start));
  Decision best = start ? std::move(*start) : decide(problem, params.search, params.settings);
  return group_by_group(problem, params, std::move(result), std::move(best));
}

}  // namespace

std::vector<Size> from_origins(std::vector<Size> ends, const std::vector<Size>& origins) {
  for (MemoryIndex m = 0; m < origins.size(); ++m)
    ends[m] = std::max<Size>(0, ends[m] - origins[m]);
  return ends;
}

std::vector<std::vector<MemoryIndex>> memory_groups(const PlacementProblem& problem) {
  facts::Joined groups(problem.memories.size());  // the number of memories is small
  std::vector<MemoryIndex> first_allowed(problem.buffers.size());
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const std::vector<MemoryIndex> allowed = allowed_memories(problem, problem.buffers[b]);
    first_allowed[b] = allowed.front();
    for (const MemoryIndex m : allowed) groups.join(allowed.front(), m);
  }
  for (const Relation& relation : problem.relations) {
    for (const BufferIndex b : relation.buffers)
      groups.join(first_allowed[relation.buffers.front()], first_allowed[b]);
  }
  for (const ConditionRule& rule : problem.rules) {
    std::optional<MemoryIndex> first;
    for_each_node(rule.that, [&](const RuleNode& node) {
      if (!names_buffer(node.op) && node.op != RuleOp::in_mode) return;
      const MemoryIndex m = node.op == RuleOp::in_mode ? node.memory : first_allowed[node.buffer];
      groups.join(first.value_or(m), m);
      first = m;
    });
  }
  std::vector<std::vector<MemoryIndex>> members(problem.memories.size());
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) members[groups.find(m)].push_back(m);
  std::erase_if(members, [](const auto& group) { return group.empty(); });
  return members;
}

HeightResult least_height(const PlacementProblem& problem, std::optional<Decision> start,
                          const HeightParams& params) {
  HeightResult result = least_end(problem, std::move(start), params);
  result.lower_bounds = from_origins(std::move(result.lower_bounds), params.origins);
  result.lower_bound = std::max(result.lower_bound, largest_of(result.lower_bounds));
  return result;
}

}  // namespace tessera::placer
