// Identical buffers ordered, one mirrored pair fixed.
//
// Both at once are sound: turn a placement upside down if the chosen pair asks for it, then sort
// every class of identical buffers; the pair is chosen among buffers that are in no class, so
// sorting does not touch it.
#include <algorithm>

#include "build.h"

namespace tessera::search::learning {
namespace {

bool same_but_for_name(const Buffer& a, const Buffer& b) {
  return a.live == b.live && a.size == b.size && a.alignment == b.alignment && a.gaps.empty() &&
         b.gaps.empty() && a.memories == b.memories && a.read == b.read && a.write == b.write &&
         a.kind == b.kind && !a.offset && !b.offset && a.window == b.window;
}

}  // namespace

std::vector<std::vector<BufferIndex>> identical_buffers(const PlacementProblem& problem) {
  std::vector<char> related(problem.buffers.size(), 0);
  for (const Relation& relation : problem.relations)
    for (const BufferIndex b : relation.buffers) related[b] = 1;
  std::vector<std::vector<BufferIndex>> classes;
  std::map<std::pair<StepRange, Size>, std::vector<BufferIndex>> alike;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    if (related[b] != 0 || buffer.offset || !buffer.parts.empty() ||
        allowed_memories(problem, buffer).size() != 1)
      continue;
    alike[{buffer.live.front(), buffer.size}].push_back(b);
  }
  for (auto& [key, group] : alike) {
    while (!group.empty()) {
      std::vector<BufferIndex> same;
      const BufferIndex first = group.front();
      std::erase_if(group, [&](BufferIndex b) {
        const bool equal =
            b == first || same_but_for_name(problem.buffers[first], problem.buffers[b]);
        if (equal) same.push_back(b);
        return equal;
      });
      if (same.size() > 1) classes.push_back(std::move(same));
    }
  }
  return classes;
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
  std::vector<char> classed(problem_.buffers.size(), 0);
  for (const auto& same : identical_buffers(problem_)) {
    for (const BufferIndex b : same) classed[b] = 1;
    for (std::size_t x = 0; x < same.size(); ++x)
      for (std::size_t y = x + 1; y < same.size(); ++y) {
        const AddressRange whole{0, problem_.buffers[same[x]].size};
        const Key key = deduction_.orders.below(item(same[x], whole), item(same[y], whole));
        if (key == no_key) continue;
        axioms.identical.push_back(key);
        axioms.unsaid.insert(var_of(key));
        clause({{key, 1}});
      }
  }
  if (!mirrors(problem_)) return;
  Key best = no_key;
  Size largest = 0;
  for (const auto& [items, key] : hard_) {
    const BufferIndex a = item_buffer_[items.first];
    const BufferIndex b = item_buffer_[items.second];
    const Size size = problem_.buffers[a].size + problem_.buffers[b].size;
    if (classed[a] != 0 || classed[b] != 0 || size <= largest) continue;
    largest = size;
    best = key;
  }
  if (best == no_key) return;
  axioms.mirrored = best;
  axioms.unsaid.insert(var_of(best));
  clause({{best, 1}});
}

}  // namespace tessera::search::learning
