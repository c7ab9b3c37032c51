// Sections without a common step: sets of which no two buffers may share a byte, because of
// relations too.
//
// If relations separate pairs that are never live together, the heaviest sets contain pairs
// separated by time and pairs separated by relations. Each pair of a relation is grown to a set by
// adding the largest buffer that still fits, the heaviest pairs first; pairs in an earlier set are
// skipped, so the sets differ. More sets cost more work than they save: 72 random problems of 24 to
// 48 buffers take 109,000 conflicts without sets, 58,000 with 16 sets, 46,000 with 32, and 17,000
// with 64. With 256 sets, a conflict of one compiler's problem takes seven times as long. For a
// section and for certificates the reason of a separation does not matter: the window rule only
// requires that no two members ever share an address.
#include <algorithm>

#include "build.h"
#include "facts/grown_cliques.h"
#include "model/derived.h"

namespace tessera::search::learning {
namespace {

/// Limit on the items of one memory, because of the size of the tables.
constexpr std::size_t most_nodes = 4'096;
/// Limit on sections, because each section and all its members are visited.
constexpr std::size_t most_cliques = 64;
/// With costs, payments decide more often than a lack of space.
constexpr std::size_t most_for_costs = 16;
constexpr std::size_t most_members = 8'192;

}  // namespace

void Build::cliques(MemoryIndex m) {
  const auto told = [](const Relation& each) { return each.kind == RelationKind::disjoint; };
  if (!params_.cliques || std::none_of(problem_.relations.begin(), problem_.relations.end(), told))
    return;
  const auto& items = deduction_.orders.items();
  std::vector<ItemIndex> nodes;
  for (ItemIndex i = 0; i < items.size(); ++i) {
    const BufferIndex b = item_buffer_[i];
    if (may_be_in(b, m) && items[i].length == problem_.buffers[b].size) nodes.push_back(i);
  }
  if (nodes.size() < 3 || nodes.size() > most_nodes) return;
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](ItemIndex x, ItemIndex y) { return items[x].length > items[y].length; });
  constexpr std::size_t no_node = ~std::size_t{0};
  std::vector<std::size_t> node_of(items.size(), no_node);
  for (std::size_t k = 0; k < nodes.size(); ++k) node_of[nodes[k]] = k;

  facts::GrownCliques graph(nodes.size());
  struct Seed {
    Value weight;
    std::size_t x, y;
  };
  std::vector<Seed> seeds;
  for (const auto& [pair, key] : hard_.sorted()) {
    poll_();
    const std::size_t x = std::min(node_of[pair.first], node_of[pair.second]);
    const std::size_t y = std::max(node_of[pair.first], node_of[pair.second]);
    if (y == no_node) continue;
    graph.join(x, y);
    const BufferIndex a = item_buffer_[pair.first];
    const BufferIndex b = item_buffer_[pair.second];
    if (!coexist(problem_.buffers[a], problem_.buffers[b]))
      seeds.push_back({items[pair.first].length + items[pair.second].length, x, y});
  }
  std::sort(seeds.begin(), seeds.end(), [](const Seed& one, const Seed& other) {
    return one.weight != other.weight ? one.weight > other.weight
           : one.x != other.x         ? one.x < other.x
                                      : one.y < other.y;
  });
  const std::size_t most = goal_ == Objective::cost ? most_for_costs : most_cliques;
  std::size_t found = 0;
  std::size_t members = 0;
  for (const Seed& seed : seeds) {
    poll_();
    if (graph.seen(seed.x, seed.y)) continue;
    if (found == most || members >= most_members) break;
    std::vector<ItemIndex> set;
    for (const std::size_t k : graph.grow(seed.x, seed.y)) set.push_back(nodes[k]);
    poll_(static_cast<std::int64_t>(set.size() * set.size()));
    Value sum = 0;
    for (const ItemIndex i : set) sum += items[i].length;
    // Two members are covered by their order. A set that fills less than half rarely lacks space.
    if (set.size() < 3 || sum < problem_.memories[m].capacity / 2) continue;
    std::sort(set.begin(), set.end());
    ++found;
    members += set.size();
    clique(m, std::move(set), 0, false);
  }
}

}  // namespace tessera::search::learning
