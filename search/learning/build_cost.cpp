// Soft rules: a literal for each pair that may share an address, with its cost.
#include "build.h"

namespace tessera::search::learning {

void Build::cost() {
  if (goal_ != Objective::cost) return;
  std::map<std::pair<BufferIndex, BufferIndex>, Cost> costs;
  for (const Relation& relation : problem_.relations) {
    if (relation.kind != RelationKind::avoid_overlap || relation.cost == 0) continue;
    for (const BufferIndex a : relation.buffers)
      for (const BufferIndex b : relation.buffers)
        if (a < b && may_share(a, b)) costs[{a, b}] += relation.cost;
  }
  for (const auto& [pair, cost] : costs) {
    const auto& [a, b] = pair;
    const ItemIndex i = item(a, {0, problem_.buffers[a].size});
    const ItemIndex j = item(b, {0, problem_.buffers[b].size});
    if (hard_.contains(i, j)) continue;
    const auto [ij, ji] = deduction_.orders.add_loose_pair(deduction_.state, i, j);
    plan.bools.emplace_back(var_of(ij), 0);
    plan.bools.emplace_back(var_of(ji), 0);
    plan.phase.resize(var_of(ji) + 1, -1);
    plan.phase[var_of(ij)] = plan.phase[var_of(ji)] = 1;
    const Key paid = key_of(new_bool(1e-3, 1), 0);
    meaning('x', var_of(paid), {static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)});
    deduction_.cost.add(paid, cost);
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
      std::vector<Lit> lits{{ij, 1}, {ji, 1}, {paid, 1}};
      if (unless_in(a, m, lits) && unless_in(b, m, lits)) clause(lits);
    }
  }
}

}  // namespace tessera::search::learning
