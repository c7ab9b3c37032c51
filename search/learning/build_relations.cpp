// Every relation but the soft one, as edges and clauses.
#include "build.h"

namespace tessera::search::learning {

void Build::relation(const Relation& relation) {
  const auto& members = relation.buffers;
  const auto memories = problem_.memories.size();
  const auto same_memory = [&](BufferIndex a, BufferIndex b) {
    for (MemoryIndex m = 0; m < memories; ++m) {
      for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
        std::vector<Lit> lits;
        if (!unless_in(x, m, lits)) continue;
        if (may_be_in(y, m)) lits.push_back({memory_[y][m], 1});
        clause(lits);
      }
    }
  };
  const auto for_pairs = [&](auto what) {
    for (std::size_t x = 0; x < members.size(); ++x)
      for (std::size_t y = x + 1; y < members.size(); ++y) what(members[x], members[y]);
  };
  // start of b == start of a + distance
  const auto fix_distance = [&](BufferIndex a, BufferIndex b, Size distance) {
    for (const auto& [from, to, by] : {std::tuple(a, b, distance), std::tuple(b, a, -distance)}) {
      const Key key = key_of(new_bool(0, 0), 0);
      axioms.unsaid.insert(var_of(key));
      deduction_.orders.add_edge(deduction_.state, key, offset_[from], offset_[to], by);
      clause({{key, 1}});
    }
  };
  switch (relation.kind) {
    case RelationKind::same_memory:
      for (std::size_t k = 1; k < members.size(); ++k) same_memory(members[0], members[k]);
      break;
    case RelationKind::different_memories:
      for_pairs([&](BufferIndex a, BufferIndex b) {
        for (MemoryIndex m = 0; m < memories; ++m) {
          std::vector<Lit> lits;
          if (unless_in(a, m, lits) && unless_in(b, m, lits)) clause(lits);
        }
      });
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
        const BufferIndex b = members[k];
        if (k > 0) same_memory(members[0], b);
        for (MemoryIndex m = 0; m < memories; ++m) {
          for (const AddressRange& bank : bank_ranges(problem_.memories[m])) {
            std::vector<Lit> lits;
            if (!unless_in(b, m, lits)) continue;
            const auto in = lits;
            avoid(b, {0, problem_.buffers[b].size}, {bank.end, bank.end}, lits);
            clause(lits);
            if (k == 0) continue;
            // Both on the same side of the border.
            for (const auto& [x, y] : {std::pair(members[0], b), std::pair(b, members[0])}) {
              lits = in;
              lits.push_back(deduction_.state.negation(starts_at(x, bank.end)));
              lits.push_back(starts_at(y, bank.end));
              clause(lits);
            }
          }
        }
      }
      break;
    case RelationKind::different_banks:
      for_pairs([&](BufferIndex a, BufferIndex b) {
        for (MemoryIndex m = 0; m < memories; ++m) {
          for (const AddressRange& bank : bank_ranges(problem_.memories[m])) {
            std::vector<Lit> lits;
            if (!unless_in(a, m, lits) || !unless_in(b, m, lits)) continue;
            avoid(a, {0, problem_.buffers[a].size}, bank, lits);
            avoid(b, {0, problem_.buffers[b].size}, bank, lits);
            clause(lits);
          }
        }
      });
      break;
    case RelationKind::may_overlap:
    case RelationKind::disjoint:
    case RelationKind::avoid_overlap:
      break;  // a matter of pairs and of cost
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
