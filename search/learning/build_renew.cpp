// New numbers for rules that exist: what a session changes between two queries.
//
// The rules of a renewable problem depend on sizes in few places: spans and bounds of offsets,
// weights of edges, lengths in sections and sums, and which buffers are interchangeable.
#include <algorithm>

#include "build.h"
#include "facts/free_space.h"
#include "facts/interchangeable.h"

namespace tessera::search::learning {

bool Build::renewable(const PlacementProblem& problem, Objective goal) {
  const auto whole = [](const Buffer& buffer) {
    return buffer.gaps.empty() && buffer.parts.empty();
  };
  // Elsewhere, edges or literals of clauses depend on sizes or capacities.
  const auto constant_banks = [](const Memory& memory) {
    return !memory.banks.empty() || !has_modes(memory);
  };
  const auto fixed = [](const Relation& relation) {
    return relation.kind == RelationKind::disjoint || relation.kind == RelationKind::may_overlap ||
           relation.kind == RelationKind::same_memory ||
           relation.kind == RelationKind::different_memories;
  };
  return goal == Objective::fit && std::ranges::all_of(problem.buffers, whole) &&
         std::ranges::all_of(problem.memories, constant_banks) &&
         std::ranges::all_of(problem.relations, fixed);
}

void Build::keep_structure() {
  const auto& buffers = problem_.buffers;
  std::vector<Step> steps;
  for (const Buffer& buffer : buffers)
    for (const StepRange& live : buffer.live) steps.insert(steps.end(), {live.lower, live.upper});
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  kept_.load.resize(steps.size());
  const auto place = [&](Step step) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(steps, step) - steps.begin());
  };
  for (BufferIndex b = 0; b < buffers.size(); ++b) {
    kept_.item.push_back(item(b, {0, buffers[b].size}));
    kept_.live.emplace_back();
    for (const StepRange& live : buffers[b].live)
      kept_.live.back().emplace_back(place(live.lower), place(live.upper));
  }
  if (!params_.symmetry) return;
  PlacementProblem equal = problem_;
  for (Buffer& buffer : equal.buffers) buffer.size = 1;
  for (auto& same : facts::interchangeable_classes(equal, &poll_))
    if (same.kind == facts::InterchangeableKind::apart)
      kept_.apart.push_back(std::move(same.buffers));
}

void Build::renew() {
  State& state = deduction_.state;
  const auto raise = [&](Lit lit) {
    consistent_ = state.raise(lit, {.rule = Rule::root}) && consistent_;
  };
  consistent_ = true;
  state.renew();
  raise({always_, 1});
  const Size ceiling = facts::sufficient_capacity(problem_);
  for (BufferIndex b = 0; b < offset_.size(); ++b) {
    Size capacity = 0;
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m)
      if (may_be_in(b, m))
        capacity = std::max(capacity, std::min(ceiling, problem_.memories[m].capacity));
    state.renew_offset(offset_[b], problem_.buffers[b].size, 0, -unbounded);
    const AddressRange range = inside(b, capacity);
    raise({key_of(offset_[b], 0), range.begin});
    raise({key_of(offset_[b], 1), -range.end});
  }
  literals_.clear();
  clauses_.clear();
  std::size_t begin = 0;
  for (const std::size_t end : kept_.clauses) {
    simplify(std::span(kept_.literals).subspan(begin, end - begin), 0);
    begin = end;
  }
  capacities();
  deduction_.renew(poll_);
  symmetry_of_sizes();
  renew_traits();
  add_clauses();
}

// As symmetry(), for classes of buffers that are interchangeable if their sizes are equal.
void Build::symmetry_of_sizes() {
  if (!params_.symmetry) return;
  const auto& buffers = problem_.buffers;
  const auto fix = [&](Key key) {
    consistent_ = deduction_.state.raise({key, 1}, {.rule = Rule::root}) && consistent_;
  };
  kept_.ordered.assign(buffers.size(), 0);
  kept_.symmetry.clear();
  for (std::vector<BufferIndex>& same : kept_.apart) {
    std::ranges::sort(same, [&](BufferIndex a, BufferIndex b) {
      return std::pair(buffers[a].size, a) < std::pair(buffers[b].size, b);
    });
    for (std::size_t x = 0; x < same.size(); ++x)
      for (std::size_t y = x + 1; y < same.size(); ++y) {
        const BufferIndex a = same[x];
        const BufferIndex b = same[y];
        if (buffers[a].size != buffers[b].size) break;
        kept_.ordered[a] = kept_.ordered[b] = 1;
        const Key key = deduction_.orders.below(kept_.item[a], kept_.item[b]);
        if (key == no_key) continue;
        kept_.symmetry.push_back(key);
        if (tied(a, b)) {
          fix(key);
          continue;
        }
        if (y == x + 1) memories_ascend(a, b);
        if_together(a, b, key);
      }
  }
  std::ranges::sort(kept_.symmetry);
  if (!mirrors(problem_)) return;
  Key best = no_key;
  Size largest = 0;
  for (const auto& [items, key] : hard_.sorted()) {
    const BufferIndex a = item_buffer_[items.first];
    const BufferIndex b = item_buffer_[items.second];
    const Size size = buffers[a].size + buffers[b].size;
    if (size <= largest || kept_.ordered[a] != 0 || kept_.ordered[b] != 0) continue;
    largest = size;
    best = key;
  }
  if (best == no_key) return;
  fix(best);
  kept_.symmetry.insert(std::ranges::lower_bound(kept_.symmetry, best), best);
}

bool Build::add_kept(std::span<Lit> lits, const ClauseDb::Head& head) {
  State& state = deduction_.state;
  std::size_t open = 0;
  for (const Lit& raw : lits) {
    const Lit lit = state.rounded(raw);
    if (state.holds(lit)) return false;
    if (!state.fails(lit)) lits[open++] = lit;
  }
  if (open == 0) {
    consistent_ = false;
    return false;
  }
  if (open == 1) {
    consistent_ = state.raise(lits[0], {.rule = Rule::root}) && consistent_;
    return head.exact || !state.is_bool(var_of(lits[0].key));
  }
  const ClauseRef ref = deduction_.clauses.add(lits.first(open), state, true, head.glue);
  ClauseDb::Head& added = deduction_.clauses.head(ref);
  added.exact = head.exact;
  added.passing = head.passing;
  added.id = head.id;
  return false;
}

// The sizes and loads of `plan`, as in orders(), and its flatness.
void Build::renew_traits() {
  const auto& buffers = problem_.buffers;
  std::ranges::fill(kept_.load, 0);
  for (BufferIndex b = 0; b < buffers.size(); ++b)
    for (const auto& [lower, upper] : kept_.live[b]) {
      kept_.load[lower] += static_cast<double>(buffers[b].size);
      kept_.load[upper] -= static_cast<double>(buffers[b].size);
    }
  double now = 0;
  for (double& load : kept_.load) load = now += load;
  for (BufferIndex b = 0; b < buffers.size(); ++b) {
    BufferTraits& traits = plan.traits[b];
    traits.size = static_cast<double>(buffers[b].size);
    traits.load = 0;
    for (const auto& [lower, upper] : kept_.live[b])
      for (std::uint32_t at = lower; at < upper; ++at)
        traits.load = std::max(traits.load, kept_.load[at]);
  }
  const SectionRules& sections = deduction_.sections;
  double fill = 0;
  for (std::uint32_t id = 0; id < sections.size(); ++id) {
    Size sum = 0;
    for (const SectionRules::Open& each : sections.open(id)) sum += each.length;
    const Size capacity = problem_.memories[kept_.of_section[id]].capacity;
    fill += static_cast<double>(sum) / static_cast<double>(std::max<Size>(1, capacity));
  }
  plan.flatness = sections.size() == 0 ? 1 : fill / static_cast<double>(sections.size());
}

}  // namespace tessera::search::learning
