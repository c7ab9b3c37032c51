#include "search/placement/canonical_pairs.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace tessera::search::canonical {

namespace {

/// The height of a stack of all items, with every obstacle in between. No placement needs larger
/// offsets, so fixpoints are finite for any capacity. Items that reach into each other's holes can
/// hold each other up. But a hole in the whole stack never needs to reach the least common
/// multiple of all alignments (facts/free_space.h).
Size pile_of_everything(const Core& core) {
  constexpr Size most = unbounded;
  Size period = 1;
  for (const Item& item : core.items) {
    const auto next = checked_mul(period / std::gcd(period, item.alignment), item.alignment);
    if (!next || *next > most) return most;
    period = *next;
  }
  Size pile = 0;
  const auto add = [&](Size more) { pile = std::min(most, pile + std::min(most, more)); };
  for (const Item& item : core.items) {
    add(item.earliest);
    add(2 * item.size);
    add(period);
  }
  for (const AddressRange& range : core.reserved) add(range.end / core.unit + 1);
  for (const Offset border : core.borders) add(border / core.unit + 1);
  return pile;
}

}  // namespace

PairSearch::PairSearch(const Core& core) : core_(core), pairs_(core.general) {
  const std::size_t n = core.items.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (int p = core.pair_begin[i]; p < core.pair_begin[i + 1]; ++p) {
      const auto at = static_cast<std::size_t>(p);
      const int other = core.pair_item[at];
      if (other < static_cast<int>(i)) continue;
      pairs_.push_back({static_cast<int>(i), other, {{-core.pair_below[at], core.pair_above[at]}}});
    }
  }
  const Size pile = pile_of_everything(core);
  for (const Item& item : core.items) {
    lowest_.push_back(item.earliest);
    latest_.push_back(std::min(item.latest, std::max(pile, item.earliest)));
  }
}

/// Raises lowest_ to the least fixpoint. Refuted: an item exceeds its last offset. Paused:
/// alignments without a common factor may need many passes; the next call continues.
Outcome PairSearch::find_fixpoint(std::int64_t limit) {
  constexpr std::size_t passes_per_node = 256;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Edge& edge : edges_) {
      const auto to = static_cast<std::size_t>(edge.to);
      const Size bound = lowest_[static_cast<std::size_t>(edge.from)] + edge.weight;
      if (lowest_[to] >= bound) continue;
      lowest_[to] = next_allowed(core_, core_.items[to], bound);
      if (lowest_[to] > latest_[to]) return Outcome::refuted;
      changed = true;
    }
    if (++passes_ == core_.items.size() + 1 && positive_cycle()) return Outcome::refuted;
    if (changed && passes_ % passes_per_node == 0 && ++nodes_ >= limit) return Outcome::paused;
  }
  return Outcome::placed;
}

bool PairSearch::positive_cycle() const {
  std::vector<Size> longest(core_.items.size(), 0);
  for (std::size_t pass = 0; pass <= longest.size(); ++pass) {
    bool changed = false;
    for (const Edge& edge : edges_) {
      const Size bound = longest[static_cast<std::size_t>(edge.from)] + edge.weight;
      Size& to = longest[static_cast<std::size_t>(edge.to)];
      if (to >= bound) continue;
      to = bound;
      changed = true;
    }
    if (!changed) return false;
  }
  return true;
}

/// A pair with a forbidden difference, the lowest one; -1: this is a placement.
int PairSearch::conflict() const {
  int found = -1;
  Size lowest = 0;
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    const Size first = lowest_[static_cast<std::size_t>(pairs_[p].first)];
    const Size second = lowest_[static_cast<std::size_t>(pairs_[p].second)];
    const Size height = std::max(first, second);
    if (found >= 0 && height >= lowest) continue;
    for (const auto& [low, high] : pairs_[p].forbidden) {
      if (low < second - first && second - first < high) {
        found = static_cast<int>(p);
        lowest = height;
        break;
      }
    }
  }
  return found;
}

/// Applies the next permitted difference of the chosen pair. False: none is left.
bool PairSearch::descend(Choice& choice) {
  const GeneralPair& pair = pairs_[choice.pair];
  if (choice.next > pair.forbidden.size()) return false;
  lowest_ = choice.lowest;
  edges_.resize(choice.edges);
  // From the largest difference (second on top) to the smallest.
  const std::size_t below = pair.forbidden.size() - choice.next++;
  if (below > 0) edges_.push_back({pair.first, pair.second, pair.forbidden[below - 1].second});
  if (below < pair.forbidden.size()) {
    edges_.push_back({pair.second, pair.first, -pair.forbidden[below].first});
  }
  return true;
}

Outcome PairSearch::run(std::int64_t nodes) {
  const std::int64_t limit = nodes_ + nodes;
  while (true) {
    if (!backtrack_) {
      if (!interrupted_) {
        if (started_ && nodes_ >= limit) return Outcome::paused;
        ++nodes_;
        started_ = true;
        passes_ = 0;
      }
      const Outcome outcome_of_fixpoint = find_fixpoint(limit);
      interrupted_ = outcome_of_fixpoint == Outcome::paused;
      if (interrupted_) return outcome_of_fixpoint;
      if (outcome_of_fixpoint == Outcome::placed) {
        const int pair = conflict();
        if (pair < 0) return Outcome::placed;
        choices_.push_back({static_cast<std::size_t>(pair), 0, edges_.size(), lowest_});
      }
      backtrack_ = true;
    }
    while (!choices_.empty() && !descend(choices_.back())) choices_.pop_back();
    if (choices_.empty()) return Outcome::refuted;
    backtrack_ = false;
  }
}

}  // namespace tessera::search::canonical
