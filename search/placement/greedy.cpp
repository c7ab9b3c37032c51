#include "search/placement/greedy.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "facts/feature_sets.h"
#include "model/derived.h"
#include "search/placement/canonical_core.h"
#include "search/placement/canonical_orders.h"
#include "search/placement/skyline.h"
#include "search/placement/tie_memories.h"

namespace tessera::search {

using canonical::Core;
using canonical::Item;
using canonical::Part;

namespace {

constexpr Size nowhere = std::numeric_limits<Size>::max() / 4;

enum class Order : std::uint8_t { area, size, width, start, total, size_by_width, contention };
constexpr std::array<std::pair<Order, const char*>, 7> orders = {{
    {Order::area, "area"},
    {Order::size, "size"},
    {Order::width, "width"},
    {Order::start, "start"},
    {Order::total, "total"},
    {Order::size_by_width, "size_by_width"},
    {Order::contention, "contention"},
}};

/// By contention, then alignment, then size times lifetime squared, then lifetime: the heuristic
/// that TelaMalloc (ASPLOS 2023) replaced. Ranks, because four keys decide.
std::vector<double> contention_keys(const Core& core, const canonical::OrderFacts& facts) {
  std::vector<std::array<double, 4>> values;
  for (std::size_t i = 0; i < core.items.size(); ++i) {
    const Item& item = core.items[i];
    const auto size = static_cast<double>(item.size);
    values.push_back({facts.total[i], static_cast<double>(item.alignment),
                      size * item.width * item.width, item.width});
  }
  std::vector<std::size_t> sorted(values.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  std::vector<double> keys(values.size());
  for (std::size_t k = 0; k < sorted.size(); ++k)
    keys[sorted[k]] = static_cast<double>(sorted.size() - k);
  return keys;
}

/// One value per item; larger goes first.
std::vector<double> keys_of(const Core& core, const canonical::OrderFacts& facts, Order order) {
  if (order == Order::contention) return contention_keys(core, facts);
  std::vector<double> keys(core.items.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Item& item = core.items[i];
    const auto size = static_cast<double>(item.size);
    switch (order) {
      case Order::area:
        keys[i] = facts.area[i];
        break;
      case Order::size:
        keys[i] = size;
        break;
      case Order::width:
        keys[i] = item.width;
        break;
      case Order::start:
        keys[i] = -static_cast<double>(item.begin);
        break;
      case Order::total:
        keys[i] = facts.total[i];
        break;
      case Order::size_by_width:
        keys[i] = size * size * item.width;
        break;
      case Order::contention:
        break;
    }
  }
  return keys;
}

/// Fixed items first (by offset), then by key.
std::vector<int> sorted_by(const Core& core, const std::vector<double>& keys) {
  std::vector<int> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  const auto fixed = [&](int i) {
    const Item& item = core.items[static_cast<std::size_t>(i)];
    return item.earliest == item.latest;
  };
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    if (fixed(a) != fixed(b)) return fixed(a);
    const double x = keys[static_cast<std::size_t>(a)];
    const double y = keys[static_cast<std::size_t>(b)];
    return x != y ? x > y : a < b;
  });
  return order;
}

struct Attempt {
  std::vector<Size> offsets;  ///< per item, in units
  Size height = nowhere;      ///< in bytes; nowhere: something did not fit
};

Size height_in_bytes(const Core& core, const std::vector<Size>& offsets) {
  Size height = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    height = std::max(height, offsets[i] * core.unit + core.items[i].bytes);
  }
  return height;
}

/// First fit: every item goes into the lowest hole between the placed ones it conflicts with.
class FirstFit {
 public:
  FirstFit(const Core& core, Poll& poll) : core_(core), poll_(poll), general_(core.items.size()) {
    for (std::size_t g = 0; g < core.general.size(); ++g) {
      general_[static_cast<std::size_t>(core.general[g].first)].push_back(g);
      general_[static_cast<std::size_t>(core.general[g].second)].push_back(g);
    }
  }

  /// Throws BudgetEnded.
  void place(const std::vector<int>& order, Attempt& attempt) {
    attempt.offsets.assign(core_.items.size(), -1);
    attempt.height = nowhere;
    for (const int item : order) {
      const auto i = static_cast<std::size_t>(item);
      poll_(8 + core_.pair_begin[i + 1] - core_.pair_begin[i]);
      collect(i, attempt.offsets);
      const Size offset = lowest_hole(core_.items[i]);
      if (offset > core_.items[i].latest) return;
      attempt.offsets[i] = offset;
    }
    attempt.height = height_in_bytes(core_, attempt.offsets);
  }

 private:
  /// Open intervals of offsets that placed items forbid.
  void collect(std::size_t i, const std::vector<Size>& offsets) {
    forbidden_.clear();
    for (int p = core_.pair_begin[i]; p < core_.pair_begin[i + 1]; ++p) {
      const auto at = static_cast<std::size_t>(p);
      const Size other = offsets[static_cast<std::size_t>(core_.pair_item[at])];
      if (other < 0) continue;
      forbidden_.push_back({other - core_.pair_above[at], other + core_.pair_below[at]});
    }
    for (const std::size_t g : general_[i]) {
      const canonical::GeneralPair& pair = core_.general[g];
      const bool first = static_cast<std::size_t>(pair.first) == i;
      const Size other = offsets[static_cast<std::size_t>(first ? pair.second : pair.first)];
      if (other < 0) continue;
      for (const auto& [low, high] : pair.forbidden) {
        if (first) {
          forbidden_.push_back({other - high, other - low});
        } else {
          forbidden_.push_back({other + low, other + high});
        }
      }
    }
    std::sort(forbidden_.begin(), forbidden_.end());
  }

  [[nodiscard]] Size lowest_hole(const Item& item) const {
    Size at = canonical::next_allowed(core_, item, 0);
    for (const auto& [low, high] : forbidden_) {
      if (low >= at) break;
      if (at < high) at = canonical::next_allowed(core_, item, high);
    }
    return at;
  }

  const Core& core_;
  Poll& poll_;
  std::vector<std::vector<std::size_t>> general_;
  std::vector<std::pair<Size, Size>> forbidden_;
};

/// The best of all orders, then of noisy variations of the best one. Throws BudgetEnded, with the
/// incumbent in `best`.
bool fit_memory(const Core& core, const GreedyParams& params, Poll& poll, Attempt& best,
                std::string& name) {
  canonical::OrderFacts facts;
  canonical::collect_facts(core, facts);
  FirstFit first_fit(core, poll);
  Attempt attempt;
  std::vector<double> best_keys;
  for (const auto& [order, label] : orders) {
    if (!params.only_order.empty() && params.only_order != label) continue;
    if (best.height < nowhere && params.budget.exhausted()) break;
    const std::vector<double> keys = keys_of(core, facts, order);
    first_fit.place(sorted_by(core, keys), attempt);
    if (best_keys.empty() || attempt.height < best.height) {
      std::swap(best, attempt);
      best_keys = keys;
      name = label;
    }
    if (params.first_fit_is_enough && best.height < nowhere) return true;
  }
  if (!params.only_order.empty()) return best.height < nowhere;
  Random random(params.seed);
  for (int round = 0; round < params.rounds && !params.budget.exhausted(); ++round) {
    std::vector<double> keys = best_keys;
    for (double& key : keys) key *= 1 + 0.3 * random.unit();
    first_fit.place(sorted_by(core, keys), attempt);
    if (attempt.height < best.height) {
      std::swap(best, attempt);
      best_keys = keys;
    }
    if (params.first_fit_is_enough && best.height < nowhere) return true;
  }
  return best.height < nowhere;
}

bool fit_memory(const PlacementProblem& problem, MemoryIndex m, const GreedyParams& params,
                Core& core, Attempt& best, std::string& name) {
  Poll poll(params.budget);
  try {
    canonical::build_core(problem, m, core, poll);
    return core.contradiction.empty() && fit_memory(core, params, poll, best, name);
  } catch (const BudgetEnded&) {
    return best.height < nowhere;
  }
}

/// Throws BudgetEnded.
bool is_large(const PlacementProblem& problem, const GreedyParams& params) {
  const std::int64_t limit = std::min(params.max_pairs, canonical::max_pairs);
  Poll poll(params.budget);
  const std::int64_t pairs = canonical::count_pairs(problem, limit, &poll);
  return pairs > limit ||
         params.budget.too_large(canonical::bytes_per_core_pair * static_cast<double>(pairs));
}

}  // namespace

facts::FeatureSet greedy_features() {
  facts::FeatureSet taken = facts::together(facts::address_features, facts::sharing_features);
  taken.add(facts::Feature::choice_of_memory);
  return taken;
}

std::vector<std::string> greedy_orders() {
  std::vector<std::string> names;
  for (const auto& [order, label] : orders) names.emplace_back(label);
  return names;
}

GreedyResult place_greedily(const PlacementProblem& problem, const GreedyParams& params) {
  GreedyResult result;
  bool large = false;
  try {
    large = is_large(problem, params);
  } catch (const BudgetEnded&) {
    return result;
  }
  const int tries = problem.memories.size() > 1 && params.only_order.empty() ? 8 : 1;
  std::int64_t placements = 0;
  for (int attempt = 0; attempt < tries; ++attempt) {
    std::optional<PlacementProblem> tied;
    if (problem.memories.size() > 1) {
      tied = tie_memories(problem, params.seed + static_cast<std::uint64_t>(attempt));
      if (!tied) continue;
    }
    const PlacementProblem& of = tied ? *tied : problem;
    Placement placement;
    placement.places.resize(problem.buffers.size());
    placement.modes.resize(problem.memories.size());
    std::vector<Size> heights(problem.memories.size(), 0);
    std::string name;
    bool complete = true;
    for (MemoryIndex m = 0; m < problem.memories.size() && complete; ++m) {
      if (large) {
        complete = place_skyline(of, m, params.budget, placement, heights[m]);
        name = "skyline";
        continue;
      }
      Core core;
      Attempt best;
      complete = fit_memory(of, m, params, core, best, name);
      if (!complete) break;
      heights[m] = best.height;
      for (std::size_t i = 0; i < core.items.size(); ++i) {
        const Item& item = core.items[i];
        for (int k = item.first_member; k < item.last_member; ++k) {
          placement.places[core.members[static_cast<std::size_t>(k)]] = {
              m, best.offsets[i] * core.unit};
        }
      }
    }
    ++placements;
    if (complete) {
      result.placement = std::move(placement);
      result.heights = std::move(heights);
      result.order = name;
      break;
    }
    if (params.budget.exhausted()) break;
  }
  result.stats = {{"memory_ties", placements}, {"order", result.order}};
  return result;
}

}  // namespace tessera::search
