// avoid_overlap: a literal per pair that is true where they share an address. Pairs named by
// several relations cost the sum.
#include <algorithm>
#include <vector>

#include "layers.h"

namespace tessera::encoder {
namespace {

struct CostPair {
  BufferIndex a = 0;
  BufferIndex b = 0;
  Cost cost = 0;
};

/// What a formula takes for a pair that costs: a labelled atom, two for its order, a clause and its
/// place among the costs, and half as much again in the moment a vector grows.
constexpr double bytes_per_cost = 550;

/// All pairs in order, each once.
std::vector<CostPair> cost_pairs(const PlacementProblem& problem, Poll& poll) {
  const auto pays = [](const Relation& relation) {
    return relation.kind == RelationKind::avoid_overlap;
  };
  std::size_t count = 0;
  for (const Relation& relation : problem.relations)
    if (pays(relation)) count += relation.buffers.size() * (relation.buffers.size() - 1) / 2;
  poll.check_memory(static_cast<double>(count) * sizeof(CostPair));
  std::vector<CostPair> pairs;
  pairs.reserve(count);
  for (const Relation& relation : problem.relations) {
    if (!pays(relation)) continue;
    for (std::size_t i = 1; i < relation.buffers.size(); ++i) {
      poll(static_cast<std::int64_t>(i) / 16);
      for (std::size_t j = 0; j < i; ++j) {
        const auto [a, b] = std::minmax(relation.buffers[j], relation.buffers[i]);
        pairs.push_back({a, b, relation.cost});
      }
    }
  }
  std::ranges::sort(pairs, {}, [](const CostPair& pair) { return std::pair(pair.a, pair.b); });
  poll.check();
  std::size_t distinct = 0;
  for (const CostPair& pair : pairs) {
    if (distinct > 0 && pairs[distinct - 1].a == pair.a && pairs[distinct - 1].b == pair.b)
      pairs[distinct - 1].cost += pair.cost;
    else
      pairs[distinct++] = pair;
  }
  pairs.resize(distinct);
  return pairs;
}

}  // namespace

void add_soft_costs(Context& context) {
  const std::vector<CostPair> pairs = cost_pairs(context.problem, context.poll);
  context.poll.check_memory(bytes_per_cost * static_cast<double>(pairs.size()));
  for (const auto& [a, b, cost] : pairs) {
    const Lit pays = context.formula.boolean(context.problem.buffers[a].id + " overlaps " +
                                             context.problem.buffers[b].id);
    context.keep_apart(a, b, pays);
    context.encoding.soft.push_back({pays, cost});
    context.encoding.soft_pairs.emplace_back(a, b);
  }
}

}  // namespace tessera::encoder
