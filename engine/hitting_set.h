// The cheapest set of items under covering rules: of these items, a given weight has to be in.
//
//   HittingSet sets({3, 1, 2});                               // what each item costs
//   sets.add({.items = {0, 1}, .weights = {1, 1}, .least = 1});
//   Cost least = sets.raise_bound(known, budget);             // no set is cheaper
//   HittingSet::Exact found = sets.cheapest(budget);          // the least if cost == bound
//
// Lower bounds come from the Lagrangian dual, in which any prices of the rules are valid. Prices
// are optimised in floating point (the volume algorithm: Barahona and Anbil 2000), and the bound
// they prove is computed in integers. An item whose reduced cost excludes it from every set cheaper
// than the incumbent stays out (Balas and Martin 1980).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/budget.h"
#include "tessera/problem.h"

namespace tessera::engine {

/// The sum of the weights of the items in the set is at least `least`.
struct HittingRule {
  std::vector<std::uint32_t> items;   ///< no duplicates
  std::vector<std::int64_t> weights;  ///< per item, above 0
  std::int64_t least = 0;
};

/// The same over pairs of buffers that overlap at a cost.
struct PairRule {
  std::vector<std::pair<BufferIndex, BufferIndex>> pairs;
  std::vector<std::int64_t> weights;
  std::int64_t least = 0;
};

/// Limit on the sum of all costs, which prevents overflow of fixed-point sums.
inline constexpr Cost most_summed_costs = Cost{1} << 26;

class HittingSet {
 public:
  struct Exact {
    bool possible = true;  ///< false: no set satisfies all rules
    std::vector<char> in;  ///< by item; empty if none was found
    Cost cost = 0;         ///< of `in`
    Cost bound = 0;        ///< proved
    std::int64_t nodes = 0;
  };

  /// require: costs are above 0, and their sum is at most most_summed_costs.
  explicit HittingSet(std::vector<Cost> costs);

  /// Weights above `least` are cut, and large ones scaled, which only weakens the rule. Beyond some
  /// thousand rules this has no effect.
  void add(HittingRule rule);
  [[nodiscard]] std::size_t rules() const { return rules_.size(); }
  [[nodiscard]] HittingRule rule(std::size_t index) const;
  /// Removes rules with price 0 that share() satisfies with excess.
  void forget_unused();

  /// Improves prices for up to this many rounds, each over all rules. `known`, the cost of a known
  /// set, determines the step length. Returns bound(). Counts no nodes.
  Cost raise_bound(Cost known, int rounds, const Budget& budget);
  /// The proved lower bound.
  [[nodiscard]] Cost bound() const { return bound_; }
  /// The bound before rounding, to detect whether it still grows.
  [[nodiscard]] double proved() const;
  /// Per item, its approximate amount in the cheapest fractional sets.
  [[nodiscard]] std::span<const double> share() const { return share_; }
  /// By item, for sets that cost `most` or less: 1 in none of them, -1 in all of them, 0 not known.
  [[nodiscard]] std::vector<signed char> decided(Cost most) const;

  /// A set that satisfies all rules, chosen by price; empty if there is none.
  [[nodiscard]] std::vector<char> greedy() const;
  /// The cheapest set, by branch and bound; budget.max_nodes limits the nodes.
  [[nodiscard]] Exact cheapest(const Budget& budget);

  [[nodiscard]] Cost cost_of(std::span<const char> in) const;

 private:
  friend class HittingSearch;
  struct Rule {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::int64_t least = 0;
    double scale = 1;  ///< of its weights, which normalises the rules
    double price = 0;
  };

  [[nodiscard]] double value_at(const std::vector<double>& prices, std::vector<char>& in);
  void first_prices();
  void prove();

  std::vector<Cost> costs_;
  std::vector<Rule> rules_;
  std::vector<std::uint32_t> items_;
  std::vector<std::int64_t> weights_;
  std::vector<double> share_;
  // State of the proof of `bound_`, in fixed point.
  std::vector<std::int64_t> reduced_;  ///< reduced cost of each item
  std::int64_t proved_ = 0;
  Cost bound_ = 0;
  std::vector<double> left_;  ///< working memory
};

}  // namespace tessera::engine
