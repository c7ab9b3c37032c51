// Alignment that depends on the memory of a buffer.
//
// A variable's own stride divides every alignment of its memories. Once a memory is chosen, bounds
// are rounded to that memory's alignment.
#pragma once

#include "state.h"

namespace tessera::search::learning {

class StrideRules {
 public:
  /// While `memory` is true, the offset of `var` is a multiple of `stride`.
  void add(Key memory, Var var, Value stride);
  bool propagate(State& state, Key key);
  void explain(const State& state, const Reason& reason, Lit lit, std::vector<Lit>& premises) const;

 private:
  struct Rounding {
    Key memory;
    Var var;
    Value stride;
  };
  bool round(State& state, std::uint32_t index, unsigned side);

  std::vector<Rounding> roundings_;
};

}  // namespace tessera::search::learning
