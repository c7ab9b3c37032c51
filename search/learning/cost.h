// The summed cost of soft rules stays below a bound.
#pragma once

#include "state.h"

namespace tessera::learning {

class CostRule {
 public:
  enum class Outcome : std::uint8_t { rest, clash, exceeded };

  /// `key` true costs `cost`.
  void add(Key key, Value cost) { terms_.push_back({key, cost}); }
  /// From now on the sum of the true literals' costs is at most `limit`.
  void set_limit(Value limit) { limit_ = limit; }
  [[nodiscard]] bool empty() const { return terms_.empty(); }
  /// The costs of the literals that are true.
  [[nodiscard]] Value sum(const State& state) const;

  Outcome propagate(State& state) const;
  void explain(const State& state, Lit lit, std::int32_t at, std::vector<Lit>& premises) const;

  struct Term {
    Key key;
    Value cost;
  };
  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }

 private:
  std::vector<Term> terms_;
  Value limit_ = -1;  ///< -1: none
};

}  // namespace tessera::learning
