#include "tessera/check.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "check_parts.h"

namespace tessera {

namespace {

constexpr std::array<std::string_view, 19> rule_names = {
    "shape",        "allowed_memory",  "bounds",      "alignment",
    "fixed_offset", "window",          "reserved",    "overlap",
    "straddle",     "mode_read",       "mode_write",  "mode_off",
    "same_bank",    "different_banks", "same_memory", "different_memories",
    "adjacent",     "same_offset",     "disjoint"};

}  // namespace

std::string_view to_string(Rule rule) {
  const auto index = static_cast<std::size_t>(rule);
  return index < rule_names.size() ? rule_names[index] : "?";
}

std::vector<Violation> check(const PlacementProblem& problem, const Placement& placement,
                             std::size_t limit) {
  checking::Context context(problem, placement, limit);
  if (checking::check_shape(context)) {
    checking::check_places(context);
    checking::check_overlap(context);
    checking::check_modes(context);
    checking::check_relations(context);
  }
  return std::move(context.violations);
}

Cost soft_cost(const PlacementProblem& problem, const Placement& placement) {
  Cost total = 0;
  for (const Relation& relation : problem.relations) {
    if (relation.kind != RelationKind::avoid_overlap) continue;
    std::vector<checking::Claim> claims;
    for (const BufferIndex b : relation.buffers) {
      const BufferPlace& place = placement.places[b];
      checking::claim_bytes(problem.buffers[b], b, place, claims);
    }
    checking::for_each_intersection(std::move(claims),
                                    [&](const checking::Claim&, const checking::Claim&) {
                                      total += relation.cost;
                                      return true;
                                    });
  }
  return total;
}

PlacementResult counted(const PlacementProblem& problem, Placement placement) {
  PlacementResult result;
  result.status = Status::feasible;
  result.heights = heights(problem, placement);
  for (const Size height : result.heights) result.height = std::max(result.height, height);
  result.lower_bounds.assign(problem.memories.size(), 0);
  result.cost = soft_cost(problem, placement);
  result.placement = std::move(placement);
  return result;
}

std::vector<Size> heights(const PlacementProblem& problem, const Placement& placement) {
  std::vector<Size> result(problem.memories.size(), 0);
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const BufferPlace& place = placement.places[b];
    Size& height = result[place.memory];
    height = std::max(height, place.offset + problem.buffers[b].size);
  }
  return result;
}

std::vector<std::vector<std::string>> unused_modes(const PlacementProblem& problem,
                                                   const Placement& placement) {
  std::vector<std::vector<std::string>> result(problem.memories.size());
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    std::unordered_set<std::string_view> used;
    if (m < placement.modes.size()) {
      used.insert(placement.modes[m].begin(), placement.modes[m].end());
    }
    for (const Mode& mode : problem.memories[m].modes) {
      if (!used.contains(mode.name)) result[m].push_back(mode.name);
    }
  }
  return result;
}

}  // namespace tessera
