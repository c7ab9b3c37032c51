// The cheapest set of items that keeps rules of the kind "of these, so much has to be in".
//
//   HittingSet sets({3, 1, 2});                               // what each item costs
//   sets.add({.items = {0, 1}, .weights = {1, 1}, .least = 1});
//   Cost least = sets.raise_bound(known, budget);             // no set is cheaper
//   HittingSet::Exact found = sets.cheapest(budget);          // the least if cost == bound
//
// Bounds are those of the Lagrangian dual: any prices of the rules give one, so prices are looked
// for with floating point numbers (the volume algorithm: Barahona and Anbil 2000) and what they
// prove is added up in whole numbers. An item that prices say is too dear for anything cheaper than
// what is known stays out (reduced costs: Balas and Martin 1980).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/budget.h"
#include "tessera/problem.h"

namespace tessera::engine {

/// The sum of the weights of those items that are in is at least `least`.
struct HittingRule {
  std::vector<std::uint32_t> items;   ///< each once
  std::vector<std::int64_t> weights;  ///< of each, above 0
  std::int64_t least = 0;
};

/// The same of pairs of buffers that pay.
struct PairRule {
  std::vector<std::pair<BufferIndex, BufferIndex>> pairs;
  std::vector<std::int64_t> weights;
  std::int64_t least = 0;
};

/// Costs may add up to so much: what is counted in fine steps cannot wrap.
inline constexpr Cost most_summed_costs = Cost{1} << 26;

class HittingSet {
 public:
  struct Exact {
    bool possible = true;  ///< false: no set keeps all rules
    std::vector<char> in;  ///< by item; empty where none was found
    Cost cost = 0;         ///< of `in`
    Cost bound = 0;        ///< proved
    std::int64_t nodes = 0;
  };

  /// require: costs are above 0 and add up to most_summed_costs at most.
  explicit HittingSet(std::vector<Cost> costs);

  /// Weights beyond what is needed are cut, large ones made coarser (which asks for no more).
  /// Beyond some thousand rules nothing is added.
  void add(HittingRule rule);
  [[nodiscard]] std::size_t rules() const { return rules_.size(); }
  [[nodiscard]] HittingRule rule(std::size_t index) const;
  /// Those without a price and with more than they ask for, in share(), are forgotten.
  void forget_idle();

  /// Better prices, for some rounds each of which looks at all rules; what is known to be possible
  /// says how far there is to go. Gives bound(). Counts no nodes.
  Cost raise_bound(Cost known, int rounds, const Budget& budget);
  /// What has been proved so far.
  [[nodiscard]] Cost bound() const { return bound_; }
  /// The same before it was rounded up, for whoever asks whether it still grows.
  [[nodiscard]] double proved() const;
  /// How much of each item the cheapest fractional sets take, roughly.
  [[nodiscard]] std::span<const double> share() const { return share_; }
  /// By item: 1: in no set that costs `most` or less, -1: in all of them, 0: not known.
  [[nodiscard]] std::vector<signed char> decided(Cost most) const;

  /// One that keeps all rules, by price; empty: there is none.
  [[nodiscard]] std::vector<char> greedy() const;
  /// The cheapest, by branch and bound; budget.max_nodes counts nodes.
  [[nodiscard]] Exact cheapest(const Budget& budget);

  [[nodiscard]] Cost cost_of(std::span<const char> in) const;

 private:
  friend class HittingSearch;
  struct Rule {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::int64_t least = 0;
    double scale = 1;  ///< of its weights, so that rules are as long as each other
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
  // What `bound_` was proved with, fixed point.
  std::vector<std::int64_t> reduced_;  ///< cost of each item beyond what prices take
  std::int64_t proved_ = 0;
  Cost bound_ = 0;
  std::vector<double> left_;  ///< working memory
};

}  // namespace tessera::engine
