#include "search/placement/clique_rules.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "model/derived.h"

namespace tessera::search {
namespace {

/// Limits because of the size of pair tables.
constexpr std::size_t most_clique_nodes = 512;
constexpr std::size_t most_listed_pairs = 200'000;
/// Sizes tried as units in one memory, the most frequent ones.
constexpr std::size_t most_unit_sizes = 5;
/// Minimum violation of a useful rule, relative to its demand.
constexpr double least_missing = 0.005;
/// Limit on units, so that counts of pairs cannot overflow.
constexpr Size most_units = Size{1} << 24;

/// A lower bound on shared units of pairs if `sum` units are in `count` slots.
std::int64_t shared(Size sum, Size count) {
  if (sum <= count || count <= 0) return 0;
  const Size high = sum / count;
  const Size more = sum % count;
  return more * (high * (high + 1) / 2) + (count - more) * (high * (high - 1) / 2);
}

}  // namespace

CliqueRules::CliqueRules(const PlacementProblem& problem) {
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    if (problem.memories[m].capacity == unbounded) continue;
    const facts::ConflictGraph conflicts(problem, {m}, most_clique_nodes);
    OneMemory memory;
    read(problem, conflicts, memory);
    choose_units(problem, m, conflicts, memory);
    memories_.push_back(std::move(memory));
  }
}

void CliqueRules::read(const PlacementProblem& problem, const facts::ConflictGraph& conflicts,
                       OneMemory& memory) {
  const std::size_t n = memory.nodes = conflicts.size();
  memory.words = conflicts.words();
  memory.items.assign(n * n, no_item);
  memory.apart.reserve(n * memory.words);
  for (std::size_t i = 0; i < n; ++i)
    memory.apart.insert(memory.apart.end(), conflicts.row(i).begin(), conflicts.row(i).end());
  facts::for_each_paying_pair(problem, conflicts, [&](std::size_t i, std::size_t j, Cost cost) {
    if (memory.items[i * n + j] == no_item) {
      if (pairs_.size() == most_listed_pairs) return;  // fewer costs give a weaker bound
      memory.items[i * n + j] = memory.items[j * n + i] = static_cast<std::uint32_t>(pairs_.size());
      pairs_.emplace_back(conflicts.buffer(j), conflicts.buffer(i));
      costs_.push_back(0);
      memory.apart[i * memory.words + j / 64] |= std::uint64_t{1} << (j % 64);
      memory.apart[j * memory.words + i / 64] |= std::uint64_t{1} << (i % 64);
    }
    costs_[memory.items[i * n + j]] += cost;
  });
}

void CliqueRules::choose_units(const PlacementProblem& problem, MemoryIndex index,
                               const facts::ConflictGraph& conflicts, OneMemory& memory) {
  const Memory& own = problem.memories[index];
  Size alignment = 0;
  std::map<Size, std::size_t> often;
  for (std::size_t i = 0; i < memory.nodes; ++i)
    alignment = std::gcd(alignment, effective_alignment(problem.buffers[conflicts.buffer(i)], own));
  if (alignment == 0) return;
  for (std::size_t i = 0; i < memory.nodes; ++i)
    ++often[align_up(problem.buffers[conflicts.buffer(i)].size, alignment)];
  std::vector<Size> sizes;
  for (const auto& [size, count] : often) sizes.push_back(size);
  std::stable_sort(sizes.begin(), sizes.end(),
                   [&](Size a, Size b) { return often.at(a) > often.at(b); });
  if (sizes.size() > most_unit_sizes) sizes.resize(most_unit_sizes);
  sizes.push_back(alignment);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  for (const Size size : sizes)
    for (const Size widest : {Size{1}, most_units}) {
      Unit unit{.size = size, .count = 0, .spans = {}};
      Size all = 0;
      bool wide = false;
      for (std::size_t i = 0; i < memory.nodes; ++i) {
        const Size bytes = problem.buffers[conflicts.buffer(i)].size;
        const Size span = std::min(align_up(bytes, alignment) / size, widest);
        unit.spans.push_back(span);
        all += span;
        wide = wide || span > 1;
        if (own.capacity >= bytes)
          unit.count = std::max(unit.count, (own.capacity - bytes) / size + span);
      }
      if (widest > 1 && !wide) continue;  // already covered
      if (all > unit.count && unit.count > 0 && all <= most_units)
        memory.units.push_back(std::move(unit));
    }
}

std::vector<engine::HittingRule> CliqueRules::broken_by(std::span<const double> shares,
                                                        Random& random, int cliques) {
  shares_ = shares;
  std::vector<Found> found;
  for (const OneMemory& memory : memories_)
    for (const Unit& unit : memory.units)
      for (int k = 0; k < cliques / static_cast<int>(memory.units.size()) + 1; ++k) {
        grow(memory, unit, random);
        thin_out(memory, unit);
        say(memory, unit, found);
        if (k % 2 == 0) continue;
        drop_spare(memory, unit, random);
        say(memory, unit, found);
      }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.misses > b.misses; });
  std::vector<engine::HittingRule> rules;
  for (Found& each : found) rules.push_back(std::move(each.rule));
  return rules;
}

/// Adds (1) or removes (-1) `node`: updates the price of each node with the clique.
void CliqueRules::add(const OneMemory& memory, const Unit& unit, std::uint32_t node, double sign) {
  const std::uint32_t* items = memory.items.data() + node * memory.nodes;
  for (std::size_t v = 0; v < memory.nodes; ++v)
    if (items[v] != no_item)
      price_[v] +=
          sign * shares_[items[v]] * static_cast<double>(std::min(unit.spans[v], unit.spans[node]));
  sum_ += sign > 0 ? unit.spans[node] : -unit.spans[node];
}

/// Grows a clique: repeatedly adds the node that contributes most to the violation, or, while there
/// is space, the node with the lowest price per size. The best prefix is the clique.
void CliqueRules::grow(const OneMemory& memory, const Unit& unit, Random& random) {
  clique_.clear();
  price_.assign(memory.nodes, 0);
  sum_ = 0;
  candidates_.assign(memory.words, 0);
  for (std::size_t v = 0; v < memory.nodes; ++v)
    if (unit.spans[v] > 0) candidates_[v / 64] |= std::uint64_t{1} << (v % 64);
  double paid = 0;
  double most = 0;
  std::size_t best_size = 0;
  auto next = static_cast<std::uint32_t>(random.below(memory.nodes));
  const double noise = random.unit() * 0.5;
  const double leaving = random.chance(50) ? random.unit() : 0;
  while (true) {
    if (unit.spans[next] > 0) {
      paid += price_[next];
      add(memory, unit, next, 1);
      clique_.push_back(next);
      const double missing = static_cast<double>(shared(sum_, unit.count)) - paid;
      if (missing > most) {
        most = missing;
        best_size = clique_.size();
      }
    }
    double best = -std::numeric_limits<double>::max();
    bool some = false;
    const std::uint64_t* const apart = memory.apart.data() + next * memory.words;
    double left = 1;
    for (std::size_t w = 0; w < memory.words; ++w) {
      candidates_[w] &= apart[w];
      left += std::popcount(candidates_[w]);
    }
    for (std::size_t w = 0; w < memory.words; ++w) {
      for (std::uint64_t bits = candidates_[w]; bits != 0; bits &= bits - 1) {
        const auto v =
            static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(bits));
        const auto span = static_cast<double>(unit.spans[v]);
        const double gain = static_cast<double>(shared(sum_ + unit.spans[v], unit.count) -
                                                shared(sum_, unit.count));
        // Noise breaks near-ties, so that cliques differ.
        double worth =
            (gain - price_[v]) / span + noise * (random.unit() - 0.5) * (0.2 + gain / span);
        if (leaving > 0) {
          int common = 0;
          for (std::size_t u = 0; u < memory.words; ++u)
            common += std::popcount(candidates_[u] & memory.apart[v * memory.words + u]);
          worth += leaving * common / left;
        }
        if (worth <= best) continue;
        best = worth;
        next = v;
        some = true;
      }
    }
    if (!some) break;
  }
  while (clique_.size() > best_size) {
    add(memory, unit, clique_.back(), -1);
    clique_.pop_back();
  }
}

/// Removes nodes whose price exceeds their contribution.
void CliqueRules::thin_out(const OneMemory& memory, const Unit& unit) {
  for (bool again = true; again;) {
    again = false;
    for (std::size_t k = 0; k < clique_.size(); ++k) {
      const std::uint32_t v = clique_[k];
      const auto adds =
          static_cast<double>(shared(sum_, unit.count) - shared(sum_ - unit.spans[v], unit.count));
      if (price_[v] <= adds + 1e-9) continue;
      add(memory, unit, v, -1);
      clique_.erase(clique_.begin() + static_cast<std::ptrdiff_t>(k--));
      again = true;
    }
  }
}

/// A minimal subset that does not fit, in random order.
void CliqueRules::drop_spare(const OneMemory& memory, const Unit& unit, Random& random) {
  for (std::size_t k = clique_.size(); k > 1; --k)
    std::swap(clique_[k - 1], clique_[random.below(k)]);
  for (std::size_t k = clique_.size(); k-- > 0;) {
    if (sum_ - unit.spans[clique_[k]] <= unit.count) continue;
    add(memory, unit, clique_[k], -1);
    clique_.erase(clique_.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

/// Emits the rule in shared units, and in pairs that share them.
void CliqueRules::say(const OneMemory& memory, const Unit& unit, std::vector<Found>& found) {
  const std::int64_t least = shared(sum_, unit.count);
  if (least == 0) return;
  std::sort(clique_.begin(), clique_.end());
  engine::HittingRule units{.items = {}, .weights = {}, .least = least};
  for (std::size_t a = 0; a < clique_.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const std::uint32_t item = memory.items[clique_[a] * memory.nodes + clique_[b]];
      if (item == no_item) continue;
      units.items.push_back(item);
      units.weights.push_back(
          std::min<Size>(std::min(unit.spans[clique_[a]], unit.spans[clique_[b]]), least));
    }
  if (units.items.empty()) return;
  engine::HittingRule pairs{.items = units.items,
                            .weights = std::vector<std::int64_t>(units.items.size(), 1),
                            .least = 0};
  std::vector<std::int64_t> most = units.weights;
  std::sort(most.begin(), most.end(), std::greater<>());
  std::int64_t need = least;
  for (std::size_t k = 0; k < most.size() && need > 0; ++k, ++pairs.least) need -= most[k];
  std::uint64_t name = mix(0, static_cast<std::uint64_t>(&memory - memories_.data()));
  name = mix(name, static_cast<std::uint64_t>(&unit - memory.units.data()));
  for (const std::uint32_t v : clique_) name = mix(name, v);
  if (most.front() != most.back()) consider(std::move(units), mix(name, 1), found);
  consider(std::move(pairs), mix(name, 2), found);
}

void CliqueRules::consider(engine::HittingRule rule, std::uint64_t name,
                           std::vector<Found>& found) {
  double has = 0;
  double norm = 0;
  for (std::size_t k = 0; k < rule.items.size(); ++k) {
    const auto weight = static_cast<double>(rule.weights[k]);
    has += shares_[rule.items[k]] * weight;
    norm += weight * weight;
  }
  const double misses = static_cast<double>(rule.least) - has;
  if (misses < least_missing * static_cast<double>(rule.least)) return;
  if (!said_.insert(name).second) return;
  found.push_back({std::move(rule), misses / std::sqrt(norm)});
}

}  // namespace tessera::search
