// The summed cost of soft rules stays below a bound.
//
// A core is a set of literals of which at least one is true, whatever is placed how. Its weight is
// the same share of each of their costs, so that
//
//   sum of costs  >=  sum over cores of weight x max(1, literals true in it)
//                     + what is left of the costs of true literals
//
// and a sum that is far from its limit by the literals alone may be beyond it (disjoint cores by
// splitting costs: Fu and Malik 2006; Ansotegui, Bonet, Levy 2009; as the bound of a linear search:
// Berg, Demirovic, Stuckey 2019).
#pragma once

#include <span>

#include "state.h"

namespace tessera::search::learning {

class CostRule {
 public:
  enum class Outcome : std::uint8_t { rest, clash, exceeded };

  /// `key` true costs `cost`.
  void add(Key key, Value cost) { terms_.push_back({key, cost, cost, {}}); }
  /// At least one of the terms (indices) is true. require: each has something left.
  /// Gives its weight.
  Value add_core(std::span<const std::uint32_t> terms);
  /// From now on the sum of the true literals' costs is at most `limit`.
  void set_limit(Value limit) { limit_ = limit; }
  [[nodiscard]] bool empty() const { return terms_.empty(); }
  /// The costs of the literals that are true.
  [[nodiscard]] Value sum(const State& state) const;
  /// What they and the cores come to at least.
  [[nodiscard]] Value bound(const State& state) const;

  Outcome propagate(State& state);
  void explain(const State& state, Lit lit, std::int32_t at, std::vector<Lit>& premises) const;

  struct Term {
    Key key;
    Value cost;
    Value left;                        ///< of the cost, after the cores took their shares
    std::vector<std::uint32_t> cores;  ///< it is in
  };
  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }

 private:
  /// What one more true literal adds, where `count` of each core's are true already.
  [[nodiscard]] Value added_by(const Term& term, const std::vector<std::int32_t>& count,
                               std::int32_t more_than) const {
    Value added = term.left;
    for (const std::uint32_t core : term.cores)
      if (count[core] > more_than) added += weight_[core];
    return added;
  }

  std::vector<Term> terms_;
  std::vector<Value> weight_;               // of each core
  Value weights_ = 0;                       // of all cores
  mutable std::vector<std::int32_t> true_;  // scratch: literals true in each core
  Value limit_ = -1;                        // -1: none
};

}  // namespace tessera::search::learning
