#include "engine/hitting_set.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace tessera::engine {
namespace {

/// Fixed-point prices: units per unit of cost.
constexpr std::int64_t fine_price = std::int64_t{1} << 14;
/// Limits on the price of one rule and on the sum of all.
constexpr double most_of_rule = 0x1p44;
constexpr std::int64_t most_of_all = std::int64_t{1} << 60;
/// Larger weights are scaled down.
constexpr std::int64_t most_weight = 1'024;
constexpr std::size_t most_rules = 8'192;

}  // namespace

HittingSet::HittingSet(std::vector<Cost> costs) : costs_(std::move(costs)) {
  share_.assign(costs_.size(), 0);
  reduced_.assign(costs_.size(), 0);
  for (std::size_t i = 0; i < costs_.size(); ++i) reduced_[i] = costs_[i] * fine_price;
}

void HittingSet::add(HittingRule rule) {
  if (rule.least <= 0 || rules_.size() == most_rules) return;
  std::int64_t largest = 1;
  for (std::int64_t& weight : rule.weights) {
    weight = std::min(weight, rule.least);
    largest = std::max(largest, weight);
  }
  // Rounding up on both sides keeps the rule valid.
  const std::int64_t divisor = (largest + most_weight - 1) / most_weight;
  Rule added{.begin = static_cast<std::uint32_t>(items_.size()), .end = 0, .least = 0};
  for (std::size_t k = 0; k < rule.items.size(); ++k) {
    items_.push_back(rule.items[k]);
    weights_.push_back((rule.weights[k] + divisor - 1) / divisor);
  }
  added.end = static_cast<std::uint32_t>(items_.size());
  double norm = 0;
  for (std::uint32_t k = added.begin; k < items_.size(); ++k)
    norm += static_cast<double>(weights_[k] * weights_[k]);
  added.scale = 1 / std::sqrt(std::max(norm, 1.0));
  added.least = (rule.least + divisor - 1) / divisor;
  rules_.push_back(added);
}

HittingRule HittingSet::rule(std::size_t index) const {
  const Rule& of = rules_[index];
  HittingRule copy{.items = {}, .weights = {}, .least = of.least};
  copy.items.assign(items_.begin() + of.begin, items_.begin() + of.end);
  copy.weights.assign(weights_.begin() + of.begin, weights_.begin() + of.end);
  return copy;
}

void HittingSet::forget_unused() {
  std::vector<Rule> kept;
  std::uint32_t at = 0;
  for (Rule rule : rules_) {
    double has = 0;
    for (std::uint32_t k = rule.begin; k < rule.end; ++k)
      has += static_cast<double>(weights_[k]) * share_[items_[k]];
    if (rule.price <= 0 && has > 1.02 * static_cast<double>(rule.least)) continue;
    const std::uint32_t begin = at;
    for (std::uint32_t k = rule.begin; k < rule.end; ++k, ++at) {
      items_[at] = items_[k];
      weights_[at] = weights_[k];
    }
    rule.begin = begin;
    rule.end = at;
    kept.push_back(rule);
  }
  rules_ = std::move(kept);
  items_.resize(at);
  weights_.resize(at);
}

/// The Lagrangian: a violated rule costs its price per missing unit, and an item is in if its
/// reduced cost is negative.
double HittingSet::value_at(const std::vector<double>& prices, std::vector<char>& in) {
  left_.resize(costs_.size());
  for (std::size_t i = 0; i < costs_.size(); ++i) left_[i] = static_cast<double>(costs_[i]);
  double value = 0;
  for (std::size_t r = 0; r < rules_.size(); ++r) {
    if (prices[r] <= 0) continue;
    value += prices[r] * static_cast<double>(rules_[r].least);
    for (std::uint32_t k = rules_[r].begin; k < rules_[r].end; ++k)
      left_[items_[k]] -= prices[r] * static_cast<double>(weights_[k]);
  }
  in.assign(costs_.size(), 0);
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    if (left_[i] >= 0) continue;
    in[i] = 1;
    value += left_[i];
  }
  return value;
}

/// The first price of a new rule: the remaining reduced costs of its items, if all are positive.
void HittingSet::first_prices() {
  std::vector<double> prices;
  for (const Rule& rule : rules_) prices.push_back(rule.price);
  std::vector<char> in;
  static_cast<void>(value_at(prices, in));
  for (Rule& rule : rules_) {
    double most = rule.price > 0 ? 0 : std::numeric_limits<double>::max();
    for (std::uint32_t k = rule.begin; k < rule.end && most > 0; ++k)
      most = std::min(most, left_[items_[k]] / static_cast<double>(weights_[k]));
    if (most <= 0 || rule.begin == rule.end) continue;
    rule.price += most;
    for (std::uint32_t k = rule.begin; k < rule.end; ++k)
      left_[items_[k]] -= most * static_cast<double>(weights_[k]);
  }
}

Cost HittingSet::raise_bound(Cost known, int rounds, const Budget& budget) {
  constexpr double share_of_new = 0.1;
  constexpr int patience = 12;
  first_prices();
  std::vector<double> best;
  for (const Rule& rule : rules_) best.push_back(rule.price);
  std::vector<double> tried(best.size());
  std::vector<double> missing(best.size());
  std::vector<char> in;
  double most = value_at(best, in);
  const bool none_shared =
      std::all_of(share_.begin(), share_.end(), [](double share) { return share == 0; });
  for (std::size_t i = 0; i < in.size(); ++i)
    if (none_shared) share_[i] = in[i];
  double factor = 0.5;
  int fruitless = 0;
  for (int round = 0; round < rounds && factor > 1e-4; ++round) {
    if (round % 16 == 0 && budget.exhausted()) break;
    double norm = 0;
    for (std::size_t r = 0; r < rules_.size(); ++r) {
      missing[r] = static_cast<double>(rules_[r].least);
      for (std::uint32_t k = rules_[r].begin; k < rules_[r].end; ++k)
        missing[r] -= static_cast<double>(weights_[k]) * share_[items_[k]];
      missing[r] *= rules_[r].scale;
      if (best[r] <= 0 && missing[r] < 0) missing[r] = 0;
      norm += missing[r] * missing[r];
    }
    const double gap = std::min(std::max(static_cast<double>(known) - most, 0.1), 0.1 * most + 1);
    if (norm < 1e-12) break;
    for (std::size_t r = 0; r < rules_.size(); ++r)
      tried[r] = std::max(0.0, best[r] + factor * gap * missing[r] * rules_[r].scale / norm);
    const double value = value_at(tried, in);
    for (std::size_t i = 0; i < in.size(); ++i)
      share_[i] += share_of_new * (static_cast<double>(in[i]) - share_[i]);
    if (value > most + 1e-9) {
      most = value;
      best.swap(tried);
      factor = std::min(factor * 1.1, 2.0);
      fruitless = 0;
    } else if (++fruitless == patience) {
      factor *= 0.66;
      fruitless = 0;
    }
  }
  for (std::size_t r = 0; r < rules_.size(); ++r) rules_[r].price = best[r];
  prove();
  return bound_;
}

/// The same in integers; kept if it improves the proved bound.
void HittingSet::prove() {
  std::vector<std::int64_t> reduced;
  for (const Cost cost : costs_) reduced.push_back(cost * fine_price);
  std::int64_t sum = 0;
  for (const Rule& rule : rules_) {
    if (rule.price <= 0) continue;
    const double most = most_of_rule / static_cast<double>(rule.least);
    const auto price = static_cast<std::int64_t>(
        std::floor(std::min(rule.price * static_cast<double>(fine_price), most)));
    sum += price * rule.least;
    for (std::uint32_t k = rule.begin; k < rule.end; ++k) reduced[items_[k]] -= price * weights_[k];
  }
  for (const std::int64_t each : reduced) {
    if (each < 0) sum += each;
    if (sum < -most_of_all) return;
  }
  if (sum <= proved_) return;
  proved_ = sum;
  reduced_ = std::move(reduced);
  bound_ = (sum + fine_price - 1) / fine_price;
}

double HittingSet::proved() const {
  return static_cast<double>(proved_) / static_cast<double>(fine_price);
}

std::vector<signed char> HittingSet::decided(Cost most) const {
  std::vector<signed char> sides(costs_.size(), 0);
  if (most >= most_summed_costs) return sides;
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    if (proved_ + std::abs(reduced_[i]) <= most * fine_price) continue;
    if (reduced_[i] != 0) sides[i] = reduced_[i] > 0 ? 1 : -1;
  }
  return sides;
}

Cost HittingSet::cost_of(std::span<const char> in) const {
  Cost sum = 0;
  for (std::size_t i = 0; i < costs_.size(); ++i) sum += in[i] != 0 ? costs_[i] : 0;
  return sum;
}

std::vector<char> HittingSet::greedy() const {
  std::vector<std::int64_t> need;
  std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>> rules_of(costs_.size());
  for (std::uint32_t r = 0; r < rules_.size(); ++r) {
    need.push_back(rules_[r].least);
    for (std::uint32_t k = rules_[r].begin; k < rules_[r].end; ++k)
      rules_of[items_[k]].emplace_back(r, weights_[k]);
  }
  std::vector<char> in(costs_.size(), 0);
  const auto put = [&](std::uint32_t item) {
    in[item] = 1;
    for (const auto& [r, weight] : rules_of[item]) need[r] -= weight;
  };
  // Satisfies the violated rules one by one: adds the item that contributes most per reduced cost.
  std::vector<std::uint32_t> order(rules_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return rules_[a].price * static_cast<double>(rules_[a].least) >
           rules_[b].price * static_cast<double>(rules_[b].least);
  });
  for (const std::uint32_t r : order) {
    while (need[r] > 0) {
      double best = std::numeric_limits<double>::max();
      std::uint32_t chosen = std::numeric_limits<std::uint32_t>::max();
      for (std::uint32_t k = rules_[r].begin; k < rules_[r].end; ++k) {
        const std::uint32_t item = items_[k];
        if (in[item] != 0) continue;
        double helps = 0;
        for (const auto& [other, weight] : rules_of[item])
          if (need[other] > 0)
            helps += static_cast<double>(std::min(weight, need[other])) /
                     static_cast<double>(rules_[other].least);
        const double each =
            (static_cast<double>(costs_[item]) * (1.05 - std::min(1.0, share_[item]))) / helps;
        if (each >= best) continue;
        best = each;
        chosen = item;
      }
      if (chosen == std::numeric_limits<std::uint32_t>::max()) return {};
      put(chosen);
    }
  }
  // Removes items that no rule needs, the most expensive first.
  std::vector<std::uint32_t> items(costs_.size());
  std::iota(items.begin(), items.end(), 0U);
  std::stable_sort(items.begin(), items.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return costs_[a] > costs_[b]; });
  for (const std::uint32_t item : items) {
    if (in[item] == 0) continue;
    const bool spare =
        std::all_of(rules_of[item].begin(), rules_of[item].end(),
                    [&](const auto& each) { return need[each.first] + each.second <= 0; });
    if (!spare) continue;
    in[item] = 0;
    for (const auto& [r, weight] : rules_of[item]) need[r] += weight;
  }
  return in;
}

/// Depth-first search: fixing an item in or out changes the bound by its reduced cost.
class HittingSearch {
 public:
  HittingSearch(const HittingSet& sets, const Budget& budget)
      : sets_(sets), budget_(budget), side_(sets.costs_.size(), 0), rules_of_(sets.costs_.size()) {
    for (std::uint32_t r = 0; r < sets.rules_.size(); ++r) {
      const HittingSet::Rule& rule = sets.rules_[r];
      std::int64_t all = 0;
      for (std::uint32_t k = rule.begin; k < rule.end; ++k) {
        rules_of_[sets.items_[k]].emplace_back(r, sets.weights_[k]);
        all += sets.weights_[k];
      }
      need_.push_back(rule.least);
      spare_.push_back(all - rule.least);
    }
  }

  HittingSet::Exact run() {
    found_.bound = sets_.bound_;
    found_.in = sets_.greedy();
    if (!found_.in.empty()) found_.cost = sets_.cost_of(found_.in);
    limit_ = found_.in.empty() ? std::numeric_limits<std::int64_t>::max()
                               : (found_.cost - 1) * fine_price;
    value_ = sets_.proved_;
    if (value_ <= limit_ && possible()) branch();
    if (!stopped_) {
      found_.possible = !found_.in.empty();
      if (found_.possible) found_.bound = std::max(found_.bound, found_.cost);
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool possible() const {
    return std::all_of(spare_.begin(), spare_.end(), [](std::int64_t s) { return s >= 0; });
  }

  /// False: a rule is violated, or no cheaper set exists.
  bool decide(std::uint32_t item, bool in) {
    trail_.push_back(item);
    side_[item] = in ? 1 : -1;
    const std::int64_t reduced = sets_.reduced_[item];
    if (in ? reduced > 0 : reduced < 0) value_ += std::abs(reduced);
    if (in) paid_ += sets_.costs_[item];
    bool fine = value_ <= limit_ && paid_ * fine_price <= limit_;
    for (const auto& [r, weight] : rules_of_[item]) {
      if (in) {
        need_[r] -= weight;
      } else {
        spare_[r] -= weight;
        fine = fine && spare_[r] >= 0;
      }
    }
    return fine;
  }
  void undo(std::size_t to) {
    while (trail_.size() > to) {
      const std::uint32_t item = trail_.back();
      trail_.pop_back();
      const bool in = side_[item] > 0;
      side_[item] = 0;
      const std::int64_t reduced = sets_.reduced_[item];
      if (in ? reduced > 0 : reduced < 0) value_ -= std::abs(reduced);
      if (in) paid_ -= sets_.costs_[item];
      for (const auto& [r, weight] : rules_of_[item]) (in ? need_ : spare_)[r] += weight;
    }
  }

  /// The rule with the most missing, in relation to the work of branching on it.
  [[nodiscard]] std::uint32_t next_rule() const {
    std::uint32_t chosen = no_rule;
    double least = std::numeric_limits<double>::max();
    for (std::uint32_t r = 0; r < need_.size(); ++r) {
      if (need_[r] <= 0) continue;
      const double room = static_cast<double>(spare_[r]) / static_cast<double>(need_[r]);
      if (room >= least) continue;
      least = room;
      chosen = r;
    }
    return chosen;
  }

  [[nodiscard]] std::uint32_t best_of(std::uint32_t rule) const {
    std::uint32_t item = no_rule;
    double best = -1;
    for (std::uint32_t k = sets_.rules_[rule].begin; k < sets_.rules_[rule].end; ++k) {
      const std::uint32_t each = sets_.items_[k];
      if (side_[each] != 0) continue;
      const double worth = static_cast<double>(sets_.weights_[k]) * (0.01 + sets_.share_[each]) /
                           static_cast<double>(sets_.costs_[each]);
      if (worth <= best) continue;
      best = worth;
      item = each;
    }
    return item;
  }

  /// Branches on an item of that rule: first in, then out.
  void branch() {
    const std::size_t before = trail_.size();
    while (!stopped_) {
      if (++found_.nodes >= budget_.max_nodes || (found_.nodes % 64 == 0 && budget_.exhausted())) {
        stopped_ = true;
        break;
      }
      const std::uint32_t rule = next_rule();
      if (rule == no_rule) {
        keep();
        break;
      }
      const std::uint32_t item = best_of(rule);
      if (item == no_rule) break;
      const std::size_t here = trail_.size();
      if (decide(item, true)) branch();
      undo(here);
      if (!decide(item, false)) break;
    }
    undo(before);
  }

  void keep() {
    found_.in.assign(side_.size(), 0);
    for (std::size_t i = 0; i < side_.size(); ++i) found_.in[i] = side_[i] > 0 ? 1 : 0;
    found_.cost = paid_;
    limit_ = (paid_ - 1) * fine_price;
  }

  static constexpr std::uint32_t no_rule = std::numeric_limits<std::uint32_t>::max();

  const HittingSet& sets_;
  const Budget& budget_;
  HittingSet::Exact found_;
  std::vector<signed char> side_;  // of each item: 1 in, -1 out, 0 undecided
  std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>> rules_of_;
  std::vector<std::int64_t> need_;   // of each rule: what is missing
  std::vector<std::int64_t> spare_;  // of each rule: the weight that may still be left out
  std::vector<std::uint32_t> trail_;
  std::int64_t value_ = 0;
  std::int64_t limit_ = 0;
  Cost paid_ = 0;
  bool stopped_ = false;
};

HittingSet::Exact HittingSet::cheapest(const Budget& budget) {
  return HittingSearch(*this, budget).run();
}

}  // namespace tessera::engine
