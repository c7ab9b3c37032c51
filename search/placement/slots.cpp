#include "search/placement/slots.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "facts/conflicts.h"
#include "facts/feature_sets.h"
#include "facts/features.h"
#include "model/derived.h"
#include "search/placement/colouring.h"

namespace tessera::search {
namespace {

/// Limit because of tables of buffers times slots.
constexpr std::size_t most_buffers = 512;
/// Limit if buffers take several slots, because of the time of each.
constexpr std::size_t most_slots = 128;
constexpr std::size_t most_wide = 128;
/// Limit on costs, so that repeated sums cannot overflow.
constexpr Cost most_cost = Cost{1} << 40;
/// Limit on pairs with a cost.
constexpr std::size_t most_pairs = 100'000;
/// Sizes tried for a bound in one memory.
constexpr std::size_t most_sizes = 4;
/// Nodes of the search for one bound.
constexpr std::int64_t bound_nodes = 2'000'000;

constexpr facts::FeatureSet slot_features{
    facts::Feature::several_memories, facts::Feature::buffer_alignment,
    facts::Feature::several_lives,    facts::Feature::gap,
    facts::Feature::may_overlap,      facts::Feature::disjoint,
    facts::Feature::avoid_overlap};

/// Slots below the end of a buffer of `span` slots that begins at `room` at most, but no more than
/// all buffers together could take.
std::size_t slots_in(Size room, std::size_t span, Size pitch, std::size_t all) {
  if (room < 0) return 0;
  return static_cast<std::size_t>(
      std::min(room / pitch + static_cast<Size>(span), static_cast<Size>(all)));
}

/// The cost of each pair of buffers that may share an address. Nothing if there are too many, or
/// costs are too large for repeated sums.
using PairCosts = std::map<std::pair<BufferIndex, BufferIndex>, Cost>;
std::optional<PairCosts> pair_costs(const PlacementProblem& problem) {
  PairCosts costs;
  Cost all = 0;
  std::size_t pairs = 0;
  for (const Relation& relation : problem.relations) {
    if (relation.kind != RelationKind::avoid_overlap || relation.cost == 0) continue;
    pairs += relation.buffers.size() * (relation.buffers.size() - 1) / 2;
    if (pairs > most_pairs) return std::nullopt;
    for (std::size_t i = 0; i < relation.buffers.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        all += relation.cost;  // validate() bounds the sum
        costs[std::minmax(relation.buffers[i], relation.buffers[j])] += relation.cost;
      }
  }
  if (all > most_cost) return std::nullopt;
  return costs;
}

/// The `wanted` nodes of the conflict graph, with the costs between them.
ColourGraph colour_graph(const facts::ConflictGraph& conflicts,
                         const std::vector<std::size_t>& wanted, const PairCosts& costs) {
  ColourGraph graph;
  graph.hard.resize(wanted.size());
  graph.soft.resize(wanted.size());
  for (std::uint32_t i = 0; i < wanted.size(); ++i)
    for (std::uint32_t j = 0; j < i; ++j) {
      if (conflicts.conflict(wanted[i], wanted[j])) {
        graph.hard[i].push_back(j);
        graph.hard[j].push_back(i);
        continue;
      }
      const auto cost =
          costs.find(std::minmax(conflicts.buffer(wanted[i]), conflicts.buffer(wanted[j])));
      if (cost == costs.end()) continue;
      graph.soft[i].emplace_back(j, cost->second);
      graph.soft[j].emplace_back(i, cost->second);
    }
  return graph;
}

/// Counts the slots of the memory and of each buffer. False: too many, or the last slot is large
/// enough for some buffers only.
bool count_slots(const PlacementProblem& problem, const Memory& memory, Slots& slots) {
  std::size_t sum = 0;
  bool wide = false;
  for (const Buffer& buffer : problem.buffers) {
    const Size span = (buffer.size + slots.pitch - 1) / slots.pitch;
    if (span > static_cast<Size>(most_slots)) return false;
    slots.spans.push_back(static_cast<std::uint32_t>(span));
    sum += slots.spans.back();
    wide = wide || span > 1;
  }
  std::optional<std::size_t> count;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const Size room = memory.capacity - problem.buffers[b].size;
    if (room < 0) {
      slots.count = 0;
      slots.spans.clear();
      return true;  // no place for this one
    }
    const std::size_t own = slots_in(room, slots.spans[b], slots.pitch, sum);
    if (count && *count != own) return false;
    count = own;
  }
  slots.count = *count;
  if (wide) return slots.count <= most_slots && slots.spans.size() <= most_wide;
  slots.spans.clear();
  return true;
}

class SlotsEngine final : public engine::PlacementEngine {
 public:
  [[nodiscard]] std::string_view name() const override { return "slots"; }
  [[nodiscard]] facts::FeatureSet features() const override {
    return facts::together(slot_features, {facts::Feature::least_cost});
  }
  [[nodiscard]] std::optional<std::string> outgrown(const PlacementProblem& problem,
                                                    Objective goal) const override {
    if (goal == Objective::cost && slots_of(problem)) return std::nullopt;
    return "The slot search supports few buffers of one memory whose sizes have a large common "
           "divisor, and only minimises cost.";
  }
  [[nodiscard]] engine::SearchResult solve(const PlacementProblem& problem,
                                           const engine::SearchParams& params) override {
    return place_in_slots(problem, *slots_of(problem), params);
  }
};

}  // namespace

std::unique_ptr<engine::PlacementEngine> make_slots_engine() {
  return std::make_unique<SlotsEngine>();
}

std::optional<Slots> slots_of(const PlacementProblem& problem) {
  if (problem.buffers.empty() || problem.buffers.size() > most_buffers) return std::nullopt;
  if (!slot_features.contains(facts::features_of(problem))) return std::nullopt;
  Slots slots;
  const std::vector<MemoryIndex> allowed = allowed_memories(problem, problem.buffers.front());
  slots.memory = allowed.front();
  const Memory& memory = problem.memories[slots.memory];
  Size common = 0;
  for (const Buffer& buffer : problem.buffers) {
    if (allowed_memories(problem, buffer) != std::vector<MemoryIndex>{slots.memory})
      return std::nullopt;
    common = std::gcd(common, effective_alignment(buffer, memory));
  }
  slots.pitch = 0;
  for (const Buffer& buffer : problem.buffers)
    slots.pitch = std::gcd(slots.pitch, align_up(buffer.size, common));
  for (const Buffer& buffer : problem.buffers)
    if (slots.pitch % effective_alignment(buffer, memory) != 0) return std::nullopt;
  if (!count_slots(problem, memory, slots) || !pair_costs(problem)) return std::nullopt;
  return slots;
}

engine::SearchResult place_in_slots(const PlacementProblem& problem, const Slots& slots,
                                    const engine::SearchParams& params) {
  const facts::ConflictGraph conflicts(problem, {slots.memory}, most_buffers);
  std::vector<std::size_t> all(problem.buffers.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  ColourGraph graph = colour_graph(conflicts, all, *pair_costs(problem));
  graph.colours = slots.count;
  graph.span = slots.spans;
  const Colouring colouring = least_colouring(graph, params.budget, params.seed);
  engine::SearchResult found;
  found.status = colouring.status;
  found.stop = colouring.stop;
  found.bound = colouring.bound;
  found.stats = {{"nodes", colouring.nodes}};
  if (colouring.status == Status::infeasible) {
    found.reason = "Sizes are multiples of " + std::to_string(slots.pitch) +
                   ", and no placement fits into the " + std::to_string(slots.count) +
                   " slots of that size that memory '" + problem.memories[slots.memory].name +
                   "' has.";
    return found;
  }
  if (colouring.status != Status::feasible) return found;
  Placement& placement = found.placement.emplace();
  placement.modes.resize(problem.memories.size());
  for (const std::uint32_t colour : colouring.colour)
    placement.places.push_back({slots.memory, slots.pitch * static_cast<Size>(colour)});
  return found;
}

Cost cost_bound_by_slots(const PlacementProblem& problem, const Budget& budget) {
  const std::optional<PairCosts> costs = pair_costs(problem);
  if (!costs || costs->empty()) return 0;
  Cost bound = 0;
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    const Memory& memory = problem.memories[m];
    if (memory.capacity == unbounded) continue;
    const facts::ConflictGraph conflicts(problem, {m}, most_buffers);
    std::vector<Size> sizes;
    Size alignment = 0;
    for (std::size_t i = 0; i < conflicts.size(); ++i) {
      const Buffer& buffer = problem.buffers[conflicts.buffer(i)];
      sizes.push_back(buffer.size);
      alignment = std::gcd(alignment, effective_alignment(buffer, memory));
    }
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    if (sizes.size() > most_sizes) sizes.resize(most_sizes);
    Cost most = 0;
    for (const Size size : sizes) {
      if (budget.exhausted()) break;
      std::vector<std::size_t> wanted;
      for (std::size_t i = 0; i < conflicts.size(); ++i)
        if (problem.buffers[conflicts.buffer(i)].size >= size) wanted.push_back(i);
      ColourGraph graph = colour_graph(conflicts, wanted, *costs);
      graph.colours = slots_in(memory.capacity - size, 1, align_up(size, alignment), wanted.size());
      Budget own = budget;
      own.max_nodes = std::min(own.max_nodes, bound_nodes);
      const Colouring colouring = least_colouring(graph, own, 0);
      if (colouring.status != Status::infeasible) most = std::max(most, colouring.bound);
    }
    bound += most;
  }
  return bound;
}

}  // namespace tessera::search
