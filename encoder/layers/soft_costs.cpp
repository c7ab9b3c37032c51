// avoid_overlap: a literal per pair that is true where they share an address. Pairs named by
// several relations cost the sum.
#include <algorithm>
#include <map>

#include "layers.h"

namespace tessera::encoder {

void add_soft_costs(Context& context) {
  std::map<std::pair<BufferIndex, BufferIndex>, Cost> pairs;
  for (const Relation& relation : context.problem.relations) {
    if (relation.kind != RelationKind::avoid_overlap) continue;
    for (std::size_t i = 1; i < relation.buffers.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        pairs[std::minmax(relation.buffers[j], relation.buffers[i])] += relation.cost;
      }
    }
  }
  for (const auto& [pair, cost] : pairs) {
    const auto [a, b] = pair;
    const Lit pays = context.formula.boolean(context.problem.buffers[a].id + " overlaps " +
                                             context.problem.buffers[b].id);
    context.separate(a, b, whole_separation(a, b), pays);
    context.encoding.soft.push_back({pays, cost});
  }
}

}  // namespace tessera::encoder
