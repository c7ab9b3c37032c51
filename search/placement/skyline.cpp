#include "search/placement/skyline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "model/derived.h"
#include "model/poll.h"
#include "model/polled_sort.h"
#include "search/placement/canonical_core.h"

namespace tessera::search {

using canonical::Core;
using canonical::Item;

namespace {

/// The top of the placed buffers per step: range maximum, and raising a range to a value that is at
/// least its maximum.
class Tops {
 public:
  explicit Tops(std::size_t steps) {
    while (size_ < steps) size_ *= 2;
    best_.assign(2 * size_, 0);
    raised_.assign(2 * size_, 0);
  }
  void clear() {
    std::fill(best_.begin(), best_.end(), 0);
    std::fill(raised_.begin(), raised_.end(), 0);
  }
  [[nodiscard]] Size top(std::size_t from, std::size_t to) const {
    return top(1, 0, size_, from, to);
  }
  void raise(std::size_t from, std::size_t to, Size value) { raise(1, 0, size_, from, to, value); }

 private:
  // raised_ applies to the whole node, best_ to the node and everything below it.
  [[nodiscard]] Size top(std::size_t node, std::size_t low, std::size_t high, std::size_t from,
                         std::size_t to) const {
    if (to <= low || high <= from) return 0;
    if (from <= low && high <= to) return best_[node];
    const std::size_t middle = (low + high) / 2;
    return std::max({raised_[node], top(2 * node, low, middle, from, to),
                     top(2 * node + 1, middle, high, from, to)});
  }
  void raise(std::size_t node, std::size_t low, std::size_t high, std::size_t from, std::size_t to,
             Size value) {
    if (to <= low || high <= from) return;
    best_[node] = std::max(best_[node], value);
    if (from <= low && high <= to) {
      raised_[node] = std::max(raised_[node], value);
      return;
    }
    const std::size_t middle = (low + high) / 2;
    raise(2 * node, low, middle, from, to, value);
    raise(2 * node + 1, middle, high, from, to, value);
  }

  std::size_t size_ = 1;
  std::vector<Size> best_;
  std::vector<Size> raised_;
};

/// Items in bytes with their steps, numbered densely.
struct Scene {
  Core core;  ///< items and domains only, unit 1
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> spans;  ///< per item
  std::vector<std::vector<int>> disjoint;                               ///< per item
  std::size_t steps = 0;
};

/// Throws BudgetEnded.
bool make_scene(const PlacementProblem& problem, MemoryIndex m, Scene& scene, Poll& poll) {
  canonical::build_items(problem, m, scene.core, poll);
  if (!scene.core.contradiction.empty()) return false;
  const auto exempt = exempt_pairs(problem);
  std::vector<Step> times;
  std::vector<int> item_of(problem.buffers.size(), -1);
  for (std::size_t i = 0; i < scene.core.items.size(); ++i) {
    const Item& item = scene.core.items[i];
    for (int k = item.first_member; k < item.last_member; ++k) {
      const BufferIndex b = scene.core.members[static_cast<std::size_t>(k)];
      item_of[b] = static_cast<int>(i);
      poll();
      // Buffers with a common offset may still be forbidden to overlap.
      for (int j = item.first_member; j < k; ++j) {
        const BufferIndex a = scene.core.members[static_cast<std::size_t>(j)];
        if (coexist(problem.buffers[a], problem.buffers[b]) &&
            !std::binary_search(exempt.begin(), exempt.end(),
                                std::pair(std::min(a, b), std::max(a, b)))) {
          return false;
        }
      }
      for (const StepRange& live : problem.buffers[b].live) {
        times.push_back(live.lower);
        times.push_back(live.upper);
      }
    }
  }
  sort_polled(times, poll);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  scene.steps = times.size();
  const auto number = [&](Step step) {
    return static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), step) -
                                    times.begin());
  };
  scene.spans.resize(scene.core.items.size());
  scene.disjoint.resize(scene.core.items.size());
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    if (item_of[b] < 0) continue;
    poll();
    for (const StepRange& live : problem.buffers[b].live) {
      scene.spans[static_cast<std::size_t>(item_of[b])].emplace_back(number(live.lower),
                                                                     number(live.upper));
    }
  }
  for (const Relation& relation : problem.relations) {
    if (relation.kind != RelationKind::disjoint) continue;
    for (const BufferIndex a : relation.buffers) {
      for (const BufferIndex b : relation.buffers) {
        if (item_of[a] < 0 || item_of[b] < 0 || a == b) continue;
        if (item_of[a] == item_of[b]) return false;
        scene.disjoint[static_cast<std::size_t>(item_of[a])].push_back(item_of[b]);
      }
    }
  }
  return true;
}

/// The lowest placement of several orders. Throws BudgetEnded when the budget ends, with the
/// incumbent, if any, in `best`.
void best_offsets(const Scene& scene, Poll& poll, std::vector<Size>& best, Size& best_height) {
  const std::vector<Item>& items = scene.core.items;
  Tops tops(scene.steps);
  std::vector<double> width(items.size(), 0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (const auto& [from, to] : scene.spans[i]) width[i] += static_cast<double>(to - from);
  }
  std::vector<std::size_t> order(items.size());
  std::vector<Size> offsets(items.size());
  constexpr std::array<double, 4> weights = {0.0, 1.0, 0.3, 4.0};
  for (const double weight : weights) {
    // From "longest life first" to "largest first".
    std::vector<double> key(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      key[i] = std::log2(width[i] + 1) + weight * std::log2(static_cast<double>(items[i].bytes));
    }
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto first = [&](std::size_t a, std::size_t b) {
      const bool x = items[a].earliest == items[a].latest;
      const bool y = items[b].earliest == items[b].latest;
      if (x != y) return x;
      if (x && items[a].earliest != items[b].earliest) return items[a].earliest < items[b].earliest;
      return key[a] != key[b] ? key[a] > key[b] : a < b;
    };
    sort_polled(order, first, poll);
    tops.clear();
    std::fill(offsets.begin(), offsets.end(), Size{-1});
    Size top = 0;
    bool complete = true;
    for (const std::size_t i : order) {
      poll(4);
      Size at = 0;
      for (const auto& [from, to] : scene.spans[i]) at = std::max(at, tops.top(from, to));
      for (const int other : scene.disjoint[i]) {
        const auto k = static_cast<std::size_t>(other);
        if (offsets[k] >= 0) at = std::max(at, offsets[k] + items[k].bytes);
      }
      offsets[i] = canonical::next_allowed(scene.core, items[i], at);
      complete = offsets[i] <= items[i].latest;
      if (!complete) break;
      const Size end = offsets[i] + items[i].bytes;
      top = std::max(top, end);
      for (const auto& [from, to] : scene.spans[i]) tops.raise(from, to, end);
    }
    if (complete && top < best_height) {
      best = offsets;
      best_height = top;
    }
    poll.check();
  }
}

}  // namespace

bool place_skyline(const PlacementProblem& problem, MemoryIndex m, const Budget& budget,
                   Placement& placement, Size& height) {
  Scene scene;
  std::vector<Size> best;
  Size best_height = std::numeric_limits<Size>::max();
  try {
    Poll poll(budget);
    if (!make_scene(problem, m, scene, poll)) return false;
    best_offsets(scene, poll, best, best_height);
  } catch (const BudgetEnded&) {
    if (best.empty()) return false;
  }
  const std::vector<Item>& items = scene.core.items;
  if (best.empty() && !items.empty()) return false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (int k = items[i].first_member; k < items[i].last_member; ++k) {
      placement.places[scene.core.members[static_cast<std::size_t>(k)]] = {m, best[i]};
    }
  }
  height = items.empty() ? 0 : best_height;
  return true;
}

}  // namespace tessera::search
