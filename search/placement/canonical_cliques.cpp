#include "search/placement/canonical_cliques.h"

#include <algorithm>
#include <numeric>

#include "facts/grown_cliques.h"

namespace tessera::search::canonical {
namespace {

/// Limit because of the size of the tables.
constexpr std::size_t most_nodes = 4'096;
/// As many as the learning engine uses (learning/build_cliques.cpp).
constexpr int most_cliques = 64;
constexpr std::size_t most_members = 8'192;

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

bool share_a_section(const Core& core, int x, int y) {
  const Item& a = core.items[index(x)];
  const Item& b = core.items[index(y)];
  for (int p = a.first_part; p < a.last_part; ++p)
    for (int q = b.first_part; q < b.last_part; ++q) {
      const Part& one = core.parts[index(p)];
      const Part& other = core.parts[index(q)];
      if (one.begin < other.end && other.begin < one.end) return true;
    }
  return false;
}

/// The space that an item takes above its offset, for any of the others directly above it.
Size extent_among(const Core& core, int item, const std::vector<char>& member) {
  Size extent = core.items[index(item)].size;
  for (int p = core.pair_begin[index(item)]; p < core.pair_begin[index(item) + 1]; ++p)
    if (member[index(core.pair_item[index(p)])] != 0)
      extent = std::min(extent, core.pair_above[index(p)]);
  return extent;
}

}  // namespace

void find_cliques(const Core& core, CoreCliques& cliques, Poll& poll) {
  cliques.first.assign(1, 0);
  cliques.item.clear();
  cliques.extent.clear();
  const std::size_t n = core.items.size();
  if (core.told.empty() || n < 3 || n > most_nodes) return;

  std::vector<int> by_size(n);
  std::iota(by_size.begin(), by_size.end(), 0);
  std::stable_sort(by_size.begin(), by_size.end(), [&](int x, int y) {
    return core.items[index(x)].size > core.items[index(y)].size;
  });
  std::vector<std::size_t> node_of(n);
  for (std::size_t k = 0; k < n; ++k) node_of[index(by_size[k])] = k;
  facts::GrownCliques graph(n);
  for (std::size_t i = 0; i < n; ++i) {
    poll(1 + core.pair_begin[i + 1] - core.pair_begin[i]);
    for (int p = core.pair_begin[i]; p < core.pair_begin[i + 1]; ++p)
      graph.join(node_of[i], node_of[index(core.pair_item[index(p)])]);
  }

  struct Seed {
    Size weight;
    std::size_t x, y;
  };
  std::vector<Seed> seeds;
  for (const auto& [i, j] : core.told) {
    poll();
    const std::size_t x = std::min(node_of[index(i)], node_of[index(j)]);
    const std::size_t y = std::max(node_of[index(i)], node_of[index(j)]);
    if (!graph.joined(x, y) || share_a_section(core, i, j)) continue;
    seeds.push_back({core.items[index(i)].size + core.items[index(j)].size, x, y});
  }
  std::sort(seeds.begin(), seeds.end(), [](const Seed& one, const Seed& other) {
    return one.weight != other.weight ? one.weight > other.weight
           : one.x != other.x         ? one.x < other.x
                                      : one.y < other.y;
  });

  std::vector<char> member(n, 0);
  std::vector<int> set;
  for (const Seed& seed : seeds) {
    poll();
    if (graph.seen(seed.x, seed.y)) continue;
    if (cliques.count() == most_cliques || cliques.item.size() >= most_members) return;
    set.clear();
    for (const std::size_t node : graph.grow(seed.x, seed.y)) set.push_back(by_size[node]);
    poll(static_cast<std::int64_t>(set.size() * set.size()));
    // A pair needs no rule: placing one item raises the other. A set that fills less than half
    // rarely lacks space.
    if (set.size() < 3) continue;
    std::sort(set.begin(), set.end());
    for (const int item : set) member[index(item)] = 1;
    Size sum = 0;
    for (const int item : set) {
      cliques.extent.push_back(extent_among(core, item, member));
      sum += cliques.extent.back();
    }
    for (const int item : set) member[index(item)] = 0;
    if (sum < core.capacity / 2) {
      cliques.extent.resize(cliques.item.size());
      continue;
    }
    cliques.item.insert(cliques.item.end(), set.begin(), set.end());
    cliques.first.push_back(static_cast<int>(cliques.item.size()));
  }
}

}  // namespace tessera::search::canonical
