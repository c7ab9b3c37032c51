// The sum of soft costs stays below a limit.
//
// A core is a set of literals of which at least one is true in every placement. Its weight is an
// equal share of each of their costs, so that
//
//   sum of costs  >=  sum over cores of weight x max(1, literals true in it)
//                     + remaining costs of true literals
//
// A sum that is far below the limit by its literals alone may therefore exceed it (disjoint cores
// by splitting costs: Fu and Malik 2006; Ansotegui, Bonet, Levy 2009; as the bound of a linear
// search: Berg, Demirovic, Stuckey 2019).
#pragma once

#include <span>

#include "state.h"

namespace tessera::search::learning {

class CostRule {
 public:
  enum class Outcome : std::uint8_t { rest, clash, exceeded };

  /// `key` true has this cost.
  void add(Key key, Value cost) { terms_.push_back({key, cost, cost, {}}); }
  /// At least one of the terms (indices) is true. Returns the weight of the core.
  /// require: each term has a remaining cost.
  Value add_core(std::span<const std::uint32_t> terms);
  /// Limits the sum of the costs of true literals from here on.
  void set_limit(Value limit) { limit_ = limit; }
  [[nodiscard]] bool empty() const { return terms_.empty(); }
  /// The sum of the costs of true literals.
  [[nodiscard]] Value sum(const State& state) const;
  /// The lower bound from true literals and cores.
  [[nodiscard]] Value bound(const State& state) const;

  Outcome propagate(State& state);
  void explain(const State& state, Lit lit, std::int32_t at, std::vector<Lit>& premises) const;

  struct Term {
    Key key;
    Value cost;
    Value left;                        ///< remaining cost after the shares of cores
    std::vector<std::uint32_t> cores;  ///< cores that contain it
  };
  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }

 private:
  /// The cost of one more true literal, if `count` literals of each core are already true.
  [[nodiscard]] Value added_by(const Term& term, const std::vector<std::int32_t>& count,
                               std::int32_t more_than) const {
    Value added = term.left;
    for (const std::uint32_t core : term.cores)
      if (count[core] > more_than) added += weight_[core];
    return added;
  }

  std::vector<Term> terms_;
  std::vector<Value> weight_;               // per core
  Value weights_ = 0;                       // sum over cores
  mutable std::vector<std::int32_t> true_;  // reused: true literals per core
  Value limit_ = -1;                        // -1: none
};

}  // namespace tessera::search::learning
