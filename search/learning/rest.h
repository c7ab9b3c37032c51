// Dominance: a buffer without other constraints rests on the ground or on another buffer.
//
//   rests.add(var, ground);
//   rests.add_neighbour(var, below);       // below: the literal "this item lies below var's"
//   if (!rests.lift(state, orders, var)) ...;    // nothing can carry it where it is: raise it
//
// Every placement can be changed into such a placement by lowering buffers one stride at a time as
// long as possible. No two buffers exchange places, so orders fixed by symmetry remain valid.
#pragma once

#include <span>

#include "order.h"

namespace tessera::search::learning {

class RestRules {
 public:
  /// `var` may be lowered as far as `ground` and its neighbours permit.
  void add(Var var, Value ground);
  /// `below` true: an item is below that of `var` and in its way.
  /// require: add(var).
  void add_neighbour(Var var, Key below);
  [[nodiscard]] bool governs(Var var) const {
    return var < of_var_.size() && of_var_[var].ground >= 0;
  }

  /// Raises the start of a governed variable to the first place where it may rest. False: clash.
  bool lift(State& state, const OrderRules& orders, Var var) const;
  void explain(const State& state, const OrderRules& orders, Lit lit, std::int32_t at,
               std::vector<Lit>& premises) const;

 private:
  struct Rest {
    Value ground = -1;
    std::vector<Key> below;
  };
  std::vector<Rest> of_var_;  // by variable
};

}  // namespace tessera::search::learning
