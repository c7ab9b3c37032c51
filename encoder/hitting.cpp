#include "hitting.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tessera::encoder {
namespace {

/// Conflicts of the first query, and of one attempt to shrink a core.
constexpr std::int64_t first_conflicts = 20'000;
constexpr std::int64_t conflicts_per_try = 1'000;
constexpr std::int64_t most_conflicts = 500'000'000;
/// Larger cores are not shrunk.
constexpr std::size_t most_shrunk = 80;
/// Nodes for one hitting set, and steps of the prices after one round of cores.
constexpr std::int64_t set_nodes = 20'000;
constexpr int price_steps = 150;

class Hitting {
 public:
  Hitting(Backend& solver, const Encoding& encoding, std::span<const engine::PairRule> rules,
          Cost known, const Budget& budget, const std::function<void()>& found)
      : solver_(solver), budget_(budget), found_(found), costs_(costs_of(encoding)), sets_(costs_) {
    std::map<std::pair<BufferIndex, BufferIndex>, std::uint32_t> item_of;
    for (std::uint32_t k = 0; k < encoding.soft.size(); ++k) {
      literals_.push_back(solver.literal(encoding.soft[k].literal));
      item_of[std::minmax(encoding.soft_pairs[k].first, encoding.soft_pairs[k].second)] = k;
    }
    for (const engine::PairRule& rule : rules) {
      engine::HittingRule own{.items = {}, .weights = rule.weights, .least = rule.least};
      for (const auto& [a, b] : rule.pairs) own.items.push_back(item_of.at(std::minmax(a, b)));
      sets_.add(std::move(own));
    }
    best_.answer = Answer::yes;
    best_.cost = known;
  }

  Optimum run() {
    bool greedy = true;
    while (true) {
      best_.bound = std::min(sets_.raise_bound(best_.cost, price_steps, budget_), best_.cost);
      std::vector<char> in = greedy ? sets_.greedy() : cheapest();
      best_.bound = std::min(std::max(best_.bound, least_), best_.cost);
      if (best_.bound == best_.cost) break;
      if (in.empty() || over()) return best_;
      const std::int64_t before = best_.cores;
      const Answer answer = cores_beside(in);
      if (over()) return best_;
      // no core at all: there is no cheaper model
      if (answer == Answer::no && best_.cores == before) break;
      if (best_.cores > before) continue;
      if (answer == Answer::unknown) {
        if (conflicts_ > budget_.max_nodes / 2 || conflicts_ > most_conflicts) return best_;
        conflicts_ *= 2;
      }
      // The cheapest set has a model, which proves it optimal; or no query about this set was
      // decided.
      if (!greedy && answer == Answer::yes && !exact_) return best_;
      greedy = false;
    }
    best_.bound = best_.cost;
    best_.complete = true;
    return best_;
  }

 private:
  static std::vector<Cost> costs_of(const Encoding& encoding) {
    std::vector<Cost> costs;
    for (const Soft& each : encoding.soft) costs.push_back(each.weight);
    return costs;
  }

  [[nodiscard]] bool over() const {
    if (budget_.meter != nullptr && budget_.meter->done.load() >= budget_.meter->limit.load())
      return true;
    return budget_.exhausted().has_value();
  }

  std::vector<char> cheapest() {
    Budget own = budget_;
    own.max_nodes = set_nodes;
    engine::HittingSet::Exact set = sets_.cheapest(own);
    exact_ = set.possible && set.bound == set.cost;
    least_ = std::max(least_, set.possible ? set.bound : best_.cost);
    return std::move(set.in);
  }

  [[nodiscard]] std::vector<int> all_outside_false(const std::vector<char>& in) const {
    std::vector<int> assumptions;
    for (std::size_t k = 0; k < literals_.size(); ++k)
      if (in[k] == 0 && literals_[k] != always && literals_[k] != never && literals_[k] != 0)
        assumptions.push_back(-literals_[k]);
    return assumptions;
  }

  /// Finds disjoint cores: the pairs of each core may pay in the following queries.
  Answer cores_beside(std::vector<char> in) {
    Budget own = budget_;
    own.max_nodes = std::min(conflicts_, budget_.max_nodes);
    while (true) {
      ++best_.calls;
      const Answer answer = solver_.solve(all_outside_false(in), own);
      if (answer == Answer::yes) keep();
      if (answer != Answer::no) return answer;
      std::vector<std::uint32_t> core = failed_of(in);
      if (core.empty()) return answer;
      shrink(core, in);
      if (core.empty()) return Answer::no;
      ++best_.cores;
      sets_.add({.items = core, .weights = std::vector<std::int64_t>(core.size(), 1), .least = 1});
      for (const std::uint32_t item : core) in[item] = 1;
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> failed_of(const std::vector<char>& in) {
    std::vector<std::uint32_t> core;
    for (std::uint32_t k = 0; k < literals_.size(); ++k)
      if (in[k] == 0 && literals_[k] != 0 && solver_.failed(-literals_[k])) core.push_back(k);
    return core;
  }

  void shrink(std::vector<std::uint32_t>& core, const std::vector<char>& in) {
    if (core.size() > most_shrunk) return;
    Budget own = budget_;
    own.max_nodes = conflicts_per_try;
    for (std::size_t i = 0; i < core.size() && core.size() > 1 && !over();) {
      std::vector<int> rest;
      std::vector<char> others(in.size(), 1);
      for (std::size_t k = 0; k < core.size(); ++k) {
        if (k == i) continue;
        rest.push_back(-literals_[core[k]]);
        others[core[k]] = 0;
      }
      ++best_.calls;
      if (solver_.solve(rest, own) != Answer::no) {
        ++i;
        continue;
      }
      core = failed_of(others);
      i = std::min(i, core.size());
    }
  }

  void keep() {
    Cost cost = 0;
    for (std::size_t k = 0; k < literals_.size(); ++k)
      if (literals_[k] != 0 && solver_.holds(literals_[k])) cost += costs_[k];
    if (cost >= best_.cost) return;
    best_.cost = cost;
    found_();
  }

  Backend& solver_;
  const Budget& budget_;
  const std::function<void()>& found_;
  const std::vector<Cost> costs_;
  engine::HittingSet sets_;
  std::vector<int> literals_;
  std::int64_t conflicts_ = first_conflicts;
  Cost least_ = 0;      ///< minimum over all sets
  bool exact_ = false;  ///< the last set is proved to be the cheapest
  Optimum best_;
};

}  // namespace

Optimum optimise_by_hitting(Backend& solver, const Encoding& encoding,
                            std::span<const engine::PairRule> rules, Cost known,
                            const Budget& budget, const std::function<void()>& found) {
  return Hitting(solver, encoding, rules, known, budget, found).run();
}

}  // namespace tessera::encoder
