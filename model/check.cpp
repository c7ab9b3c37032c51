#include "tessera/check.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "check_parts.h"
#include "model/joint_modes.h"
#include "model/optional.h"

namespace tessera {

namespace {

/// Checks that the buffers left out exist, are optional, are sorted, and form whole groups.
/// ensure: false if the remaining buffers cannot be determined.
bool check_left_out(const PlacementProblem& problem, const std::vector<BufferIndex>& left_out,
                    checking::Context& context) {
  std::vector<char> out(problem.buffers.size(), 0);
  for (std::size_t k = 0; k < left_out.size(); ++k) {
    const BufferIndex b = left_out[k];
    if (b >= problem.buffers.size() || (k > 0 && b <= left_out[k - 1])) {
      context.add({.rule = Rule::left_out,
                   .message = say("The list of left-out buffers names number ", b,
                                  b >= problem.buffers.size() ? ", which does not exist."
                                                              : ", which is not in order.")});
      return false;
    }
    out[b] = 1;
    if (!problem.buffers[b].optional)
      context.add({.rule = Rule::left_out,
                   .buffers = {b},
                   .message = say("Buffer '", problem.buffers[b].id,
                                  "' is left out, but it is not optional.")});
  }
  for (const OptionalUnit& unit : optional_units(problem)) {
    const auto is_out = [&](BufferIndex b) { return out[b] != 0; };
    const auto first_out = std::find_if(unit.buffers.begin(), unit.buffers.end(), is_out);
    const auto first_in = std::find_if_not(unit.buffers.begin(), unit.buffers.end(), is_out);
    if (first_out == unit.buffers.end() || first_in == unit.buffers.end()) continue;
    context.add(
        {.rule = Rule::left_out,
         .buffers = {*first_in, *first_out},
         .message = say("Buffer '", problem.buffers[*first_in].id, "' is placed and '",
                        problem.buffers[*first_out].id, "' is left out, but both belong to group '",
                        problem.buffers[*first_in].group, "'.")});
  }
  return true;
}

/// Checks the remaining buffers. Violations name the buffers of the whole problem.
void check_those_in(const PlacementProblem& problem, const Placement& placement,
                    checking::Context& context) {
  if (!check_left_out(problem, placement.left_out, context)) return;
  if (placement.places.size() != problem.buffers.size()) {
    static_cast<void>(check_shape(context));
    return;
  }
  const Restricted in = chosen(problem, placement.left_out);
  for (Violation& wrong : check(in.problem, gathered(in, placement), context.limit)) {
    for (BufferIndex& b : wrong.buffers) b = in.originals[b];
    if (wrong.relation) wrong.relation = in.relations[*wrong.relation];
    if (wrong.condition) wrong.condition = in.rules[*wrong.condition];
    context.add(std::move(wrong));
  }
}

}  // namespace

std::string_view to_string(Rule rule) {
  switch (rule) {
    case Rule::shape:
      return "shape";
    case Rule::left_out:
      return "left_out";
    case Rule::allowed_memory:
      return "allowed_memory";
    case Rule::bounds:
      return "bounds";
    case Rule::alignment:
      return "alignment";
    case Rule::fixed_offset:
      return "fixed_offset";
    case Rule::window:
      return "window";
    case Rule::reserved:
      return "reserved";
    case Rule::overlap:
      return "overlap";
    case Rule::straddle:
      return "straddle";
    case Rule::mode_read:
      return "mode_read";
    case Rule::mode_write:
      return "mode_write";
    case Rule::mode_off:
      return "mode_off";
    case Rule::same_bank:
      return "same_bank";
    case Rule::different_banks:
      return "different_banks";
    case Rule::same_memory:
      return "same_memory";
    case Rule::different_memories:
      return "different_memories";
    case Rule::adjacent:
      return "adjacent";
    case Rule::same_offset:
      return "same_offset";
    case Rule::disjoint:
      return "disjoint";
    case Rule::condition:
      return "condition";
  }
  return "?";
}

std::vector<Violation> check(const PlacementProblem& problem, const Placement& placement,
                             std::size_t limit) {
  checking::Context context(problem, placement, limit);
  if (!placement.left_out.empty()) {
    check_those_in(problem, placement, context);
  } else if (checking::check_shape(context)) {
    checking::check_places(context);
    checking::check_overlap(context);
    checking::check_modes(context);
    checking::check_relations(context);
    checking::check_rules(context);
  }
  return std::move(context.violations);
}

Cost soft_cost(const PlacementProblem& problem, const Placement& placement) {
  if (!placement.left_out.empty()) {
    const Restricted in = chosen(problem, placement.left_out);
    return soft_cost(in.problem, gathered(in, placement));
  }
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
  result.benefit = benefit_of(problem, placement);
  result.benefit_bound = whole_benefit(problem);
  result.placement = std::move(placement);
  return result;
}

Benefit benefit_of(const PlacementProblem& problem, const Placement& placement) {
  Benefit sum = whole_benefit(problem);
  for (const BufferIndex b : placement.left_out) sum -= problem.buffers[b].benefit;
  return sum;
}

std::vector<Size> heights(const PlacementProblem& problem, const Placement& placement) {
  std::vector<Size> result(problem.memories.size(), 0);
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    if (is_left_out(placement, b)) continue;
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
    for (const Mode& mode : listed_modes(problem.memories[m])) {
      if (!used.contains(mode.name)) result[m].push_back(mode.name);
    }
  }
  return result;
}

}  // namespace tessera
