#include <algorithm>
#include <iterator>

#include "model/derived.h"
#include "model/off_chip.h"
#include "planner/offchip.h"
#include "search/placement/bounds.h"
#include "tessera/check.h"

namespace tessera::planner {
namespace {

/// True if all buffers fit.
bool has_a_place(const Network& network, const Hardware& hardware, const NetworkPlan& plan) {
  const Front front =
      in_front(network, behind_uses(network, hardware, plan.subgraphs), plan.behind);
  return place_offchip(network, hardware, plan.subgraphs, front, {}).too_small.empty();
}

/// Errors of one memory of the problem against the plan's statement.
std::vector<std::string> memory_wrong(const PlacementProblem& problem, const OffchipMemory& said) {
  const std::string who = "off-chip memory '" + said.memory + "': ";
  if (said.base != problem.memories.front().base)
    return {who + "the addresses begin at " + std::to_string(said.base) + ", but the memory at " +
            std::to_string(problem.memories.front().base)};
  if (said.buffers.size() != problem.buffers.size())
    return {who + std::to_string(said.buffers.size()) + " buffers are listed, but " +
            std::to_string(problem.buffers.size()) + " are stored there"};
  Placement placement;
  placement.modes.resize(1);
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    const OffchipBuffer& each = said.buffers[b];
    const StepRange hull = hull_of(buffer);
    if (each.id != buffer.id || each.size != buffer.size || each.live != hull)
      return {who + "buffer '" + each.id + "' is not buffer '" + buffer.id + "' of " +
              std::to_string(buffer.size) + " bytes that lives from step " +
              std::to_string(hull.lower) + " to " + std::to_string(hull.upper)};
    if (each.weights != (buffer.kind == BufferKind::weight))
      return {who + "buffer '" + each.id + "' has another kind"};
    placement.places.push_back({0, each.offset});
  }
  std::vector<std::string> wrong;
  for (const Violation& v : check(problem, placement, 5)) wrong.push_back(who + v.message);
  if (wrong.empty() && heights(problem, placement).front() != said.height)
    wrong.push_back(who + "the height is " + std::to_string(heights(problem, placement).front()) +
                    ", not " + std::to_string(said.height));
  return wrong;
}

/// The problem reduced to one memory.
PlacementProblem alone(const PlacementProblem& problem, MemoryIndex m) {
  PlacementProblem part;
  part.memories = {problem.memories[m]};
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    if (allowed_memories(problem, problem.buffers[b]).front() != m) continue;
    part.buffers.push_back(problem.buffers[b]);
    part.buffers.back().memories.clear();
  }
  return part;
}

/// Errors of `said` in all memories of the problem.
std::vector<std::string> places_wrong(const PlacementProblem& problem,
                                      const std::vector<OffchipMemory>& all_said) {
  std::vector<std::string> wrong;
  auto said = all_said.begin();
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    const PlacementProblem part = alone(problem, m);
    if (part.buffers.empty()) continue;
    if (said == all_said.end() || said->memory != part.memories.front().name)
      return {"`offchip` does not list the buffers of memory '" + part.memories.front().name +
              "', or not in the order of the profile"};
    for (std::string& sentence : memory_wrong(part, *said)) wrong.push_back(std::move(sentence));
    ++said;
  }
  if (said != all_said.end())
    wrong.push_back("`offchip` lists memory '" + said->memory + "', which holds no buffers");
  return wrong;
}

Size height_bound(const PlacementProblem& problem, MemoryIndex m) {
  return search::lower_bounds(alone(problem, m)).height;
}

/// Bounds refer to tiles, also if the placement is by whole tensors.
template <typename Bound>
std::vector<std::string> bounds_wrong(const PlacementProblem& problem,
                                      const std::vector<OffchipMemory>& all_said,
                                      const Bound& bound_of) {
  std::vector<std::string> wrong;
  for (const OffchipMemory& said : all_said) {
    const auto memory = std::ranges::find(problem.memories, said.memory, &Memory::name);
    if (memory == problem.memories.end()) continue;
    const auto m = static_cast<MemoryIndex>(memory - problem.memories.begin());
    const Size bound = bound_of(problem, m);
    if (said.lower_bound > bound)
      wrong.push_back("off-chip memory '" + said.memory + "': the bound is " +
                      std::to_string(bound) + ", not " + std::to_string(said.lower_bound));
  }
  return wrong;
}

}  // namespace

std::vector<std::string> offchip_wrong(const Network& network, const Hardware& hardware,
                                       const NetworkPlan& plan, int threads) {
  const bool behind = off_chip::backing(hardware) != nullptr;
  if (plan.offchip.empty() && !behind) return {};
  std::optional<PlacementProblem> by_runs_alone;
  const auto whole_tensors = [&]() -> const PlacementProblem& {
    if (!by_runs_alone)
      by_runs_alone = offchip_question_of(network, hardware, plan, by_runs, threads);
    return *by_runs_alone;
  };
  // If the budget ended, whole tensors are placed and the bound is that of permanent buffers; no
  // tile is followed.
  if (!plan.offchip.empty() && bounds_wrong(whole_tensors(), plan.offchip, always_there).empty() &&
      places_wrong(whole_tensors(), plan.offchip).empty())
    return {};
  const PlacementProblem problem =
      offchip_question_of(network, hardware, plan, max_part_runs, threads);
  // The fetches are valid only if all buffers fit.
  if (plan.offchip.empty() && !problem.buffers.empty() && !has_a_place(network, hardware, plan))
    return {"`offchip` has no placement for memory '" + problem.memories.front().name +
            "', which has no space for all the buffers that `behind` stores there"};
  if (plan.offchip.empty()) return {};
  std::vector<std::string> wrong = places_wrong(problem, plan.offchip);
  // A bound by tiles is valid next to a placement of whole tensors.
  if (!wrong.empty() && places_wrong(whole_tensors(), plan.offchip).empty()) wrong.clear();
  std::ranges::move(bounds_wrong(problem, plan.offchip, height_bound), std::back_inserter(wrong));
  return wrong;
}

}  // namespace tessera::planner
