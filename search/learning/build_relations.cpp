// All relations except the soft one, as edges and clauses.
#include "build.h"

namespace tessera::search::learning {

namespace {

template <typename What>
void for_pairs(const std::vector<BufferIndex>& members, const What& what) {
  for (std::size_t x = 0; x < members.size(); ++x)
    for (std::size_t y = x + 1; y < members.size(); ++y) what(members[x], members[y]);
}

}  // namespace

void Build::same_memory(BufferIndex a, BufferIndex b) {
  for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
    for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
      std::vector<Lit> lits;
      if (!unless_in(x, m, lits)) continue;
      if (may_be_in(y, m)) lits.push_back({memory_[y][m], 1});
      clause(lits);
    }
  }
}

void Build::different_memories(BufferIndex a, BufferIndex b) {
  for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
    std::vector<Lit> lits;
    if (unless_in(a, m, lits) && unless_in(b, m, lits)) clause(lits);
  }
}

void Build::fix_distance(BufferIndex a, BufferIndex b, Size distance) {
  for (const auto& [from, to, by] : {std::tuple(a, b, distance), std::tuple(b, a, -distance)}) {
    const Key key = key_of(new_bool(0, 0), 0);
    axioms.unsaid.insert(var_of(key));
    deduction_.orders.add_edge(deduction_.state, key, offset_[from], offset_[to], by);
    clause({{key, 1}});
  }
}

void Build::within_banks(BufferIndex b, std::optional<BufferIndex> like) {
  for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
    for (const AddressRange& bank : bank_ranges(problem_.memories[m])) {
      std::vector<Lit> lits;
      if (!unless_in(b, m, lits)) continue;
      const auto in = lits;
      avoid(b, {0, problem_.buffers[b].size}, {bank.end, bank.end}, lits);
      clause(lits);
      if (!like) continue;
      // Both are on the same side of the border.
      for (const auto& [x, y] : {std::pair(*like, b), std::pair(b, *like)}) {
        lits = in;
        lits.push_back(deduction_.state.negation(starts_at(x, bank.end)));
        lits.push_back(starts_at(y, bank.end));
        clause(lits);
      }
    }
  }
}

void Build::different_banks(BufferIndex a, BufferIndex b) {
  for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
    for (const AddressRange& bank : bank_ranges(problem_.memories[m])) {
      std::vector<Lit> lits;
      if (!unless_in(a, m, lits) || !unless_in(b, m, lits)) continue;
      avoid(a, {0, problem_.buffers[a].size}, bank, lits);
      avoid(b, {0, problem_.buffers[b].size}, bank, lits);
      clause(lits);
    }
  }
}

void Build::relation(const Relation& relation) {
  const auto& members = relation.buffers;
  switch (relation.kind) {
    case RelationKind::same_memory:
      for (std::size_t k = 1; k < members.size(); ++k) same_memory(members[0], members[k]);
      break;
    case RelationKind::different_memories:
      for_pairs(members, [&](BufferIndex a, BufferIndex b) { different_memories(a, b); });
      break;
    case RelationKind::adjacent:
      for (std::size_t k = 1; k < members.size(); ++k) {
        same_memory(members[k - 1], members[k]);
        fix_distance(members[k - 1], members[k], problem_.buffers[members[k - 1]].size);
      }
      break;
    case RelationKind::same_offset:
      for (std::size_t k = 1; k < members.size(); ++k) {
        same_memory(members[0], members[k]);
        fix_distance(members[0], members[k], 0);
      }
      break;
    case RelationKind::same_bank:
      for (std::size_t k = 0; k < members.size(); ++k) {
        if (k > 0) same_memory(members[0], members[k]);
        within_banks(members[k], k > 0 ? std::optional(members[0]) : std::nullopt);
      }
      break;
    case RelationKind::different_banks:
      for_pairs(members, [&](BufferIndex a, BufferIndex b) { different_banks(a, b); });
      break;
    case RelationKind::may_overlap:
    case RelationKind::disjoint:
    case RelationKind::avoid_overlap:
      break;  // handled by pairs and by cost
  }
}

void Build::relations() {
  for (const Relation& each : problem_.relations) {
    const std::size_t before = axioms.count;
    relation(each);
    for (std::size_t at = before; at < axioms.count; ++at) axioms.of_relation[at] = &each;
  }
}

}  // namespace tessera::search::learning
