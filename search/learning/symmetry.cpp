// Symmetry breaking: interchangeable buffers in one order, and one mirrored pair fixed.
//
// Both together are sound: mirror a placement if the chosen pair requires it, then choose within
// each class of interchangeable buffers (facts/interchangeable.h). The buffers of the pair are in
// no class, so the choice does not affect the pair.
#include <algorithm>

#include "build.h"

namespace tessera::search::learning {

// Of interchangeable buffers, the first is in the memory with the least index.
void Build::memories_ascend(BufferIndex a, BufferIndex b) {
  for (MemoryIndex m = 0; m < problem_.memories.size(); ++m)
    for (MemoryIndex lower = 0; lower < m; ++lower) {
      std::vector<Lit> lits;
      if (unless_in(a, m, lits) && unless_in(b, lower, lits)) clause(lits);
    }
}

// The order of the two if they are in the same memory.
void Build::if_together(BufferIndex a, BufferIndex b, Key order) {
  for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
    std::vector<Lit> lits;
    if (!unless_in(a, m, lits) || !unless_in(b, m, lits)) continue;
    lits.push_back({order, 1});
    clause(lits);
  }
}

// Interchangeable buffers without an order literal get edges: b is not lower than a; and if one
// place serves both, a is not lower than b.
void Build::interchangeable() {
  if (!params_.symmetry || record_ == Record::renewal) return;
  interchangeable_ = std::make_unique<facts::InterchangeableBuffers>(problem_, &poll_);
  const auto no_lower = [&](BufferIndex b, BufferIndex a) {
    const Key key = key_of(new_bool(0, 0), 0);
    deduction_.orders.add_edge(deduction_.state, key, offset_[a], offset_[b], 0);
    if_together(a, b, key);
  };
  for (const facts::InterchangeableClass& same : interchangeable_->classes()) {
    if (same.kind == facts::InterchangeableKind::apart &&
        problem_.buffers[same.buffers[0]].gaps.empty())
      continue;
    for (std::size_t k = 1; k < same.buffers.size(); ++k) {
      const BufferIndex a = same.buffers[k - 1];
      const BufferIndex b = same.buffers[k];
      no_lower(b, a);
      if (same.kind == facts::InterchangeableKind::together) {
        same_memory(a, b);
        no_lower(a, b);
      } else {
        memories_ascend(a, b);
      }
    }
  }
}

void Build::order_class(const facts::InterchangeableClass& same) {
  const AddressRange whole{0, problem_.buffers[same.buffers[0]].size};
  for (std::size_t x = 0; x < same.buffers.size(); ++x)
    for (std::size_t y = x + 1; y < same.buffers.size(); ++y) {
      const BufferIndex a = same.buffers[x];
      const BufferIndex b = same.buffers[y];
      const Key key = deduction_.orders.below(item(a, whole), item(b, whole));
      if (key == no_key) continue;
      if (!tied(a, b)) {
        if (y == x + 1) memories_ascend(a, b);
        if_together(a, b, key);
        continue;
      }
      axioms.identical.push_back(key);
      axioms.unsaid.insert(var_of(key));
      clause({{key, 1}});
    }
}

bool mirrors(const PlacementProblem& problem) {
  if (problem.memories.size() != 1 || has_parts(problem)) return false;
  const Memory& memory = problem.memories[0];
  if (!memory.banks.empty() || !memory.reserved.empty() || has_modes(memory)) return false;
  for (const Buffer& buffer : problem.buffers) {
    const Size alignment = effective_alignment(buffer, memory);
    if (buffer.offset || buffer.window || !buffer.gaps.empty()) return false;
    if (memory.capacity % alignment != 0 || buffer.size % alignment != 0) return false;
  }
  return std::all_of(problem.relations.begin(), problem.relations.end(), [](const Relation& r) {
    return r.kind == RelationKind::disjoint || r.kind == RelationKind::may_overlap ||
           r.kind == RelationKind::avoid_overlap;
  });
}

void Build::symmetry() {
  if (!params_.symmetry) return;
  for (const facts::InterchangeableClass& same : interchangeable_->classes())
    if (same.kind == facts::InterchangeableKind::apart &&
        problem_.buffers[same.buffers[0]].gaps.empty())
      order_class(same);
  if (!mirrors(problem_)) return;
  Key best = no_key;
  Size largest = 0;
  std::vector<signed char> known(problem_.buffers.size(), -1);
  const auto alone = [&](BufferIndex b) {
    if (known[b] < 0) known[b] = interchangeable_->alone(b) ? 1 : 0;
    return known[b] > 0;
  };
  for (const auto& [items, key] : hard_.sorted()) {
    const BufferIndex a = item_buffer_[items.first];
    const BufferIndex b = item_buffer_[items.second];
    const Size size = problem_.buffers[a].size + problem_.buffers[b].size;
    if (size <= largest || !alone(a) || !alone(b)) continue;
    largest = size;
    best = key;
  }
  if (best == no_key) return;
  axioms.mirrored = best;
  axioms.unsaid.insert(var_of(best));
  clause({{best, 1}});
}

}  // namespace tessera::search::learning
