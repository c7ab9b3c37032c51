// Sets aside buffers that are live together with all others.
//
//   SetAside aside = set_aside(problem);
//   if (aside.overfull()) return no_placement;
//   Placement whole = restore(aside, engine.solve(aside.rest, params).placement);
//
// No other buffer uses an address of a buffer that coexists with all of them. Therefore such
// buffers can be removed, and the buffers above them moved down: a placement exists if and only if
// one exists with all of them in one block at the start. Resident weights are an example. The
// remaining search has far fewer orders to refute.
#pragma once

#include <memory>
#include <vector>

#include "engine/engine.h"
#include "tessera/problem.h"

namespace tessera::engine {

struct SetAside {
  PlacementProblem rest;            ///< with the remaining capacities
  std::vector<BufferIndex> kept;    ///< per buffer of `rest`, its index in the problem
  std::vector<BufferIndex> aside;   ///< indices in the problem, ascending
  std::vector<MemoryIndex> memory;  ///< per buffer set aside
  std::vector<Size> granule;        ///< per memory: sizes in its block are rounded up to this
  std::vector<Size> block;          ///< per memory

  /// Does some block exceed its memory?
  [[nodiscard]] bool overfull() const;
};

/// Applies only to memories without banks, modes and reserved ranges whose capacity is a multiple
/// of their alignment. No buffer may have a fixed offset, a window, a gap or an own alignment. No
/// relation may name a buffer that is set aside.
/// require: validate(problem) is empty.
[[nodiscard]] SetAside set_aside(const PlacementProblem& problem);

/// Replaces the sizes of all buffers and the capacities of the memories.
void replace_sizes(SetAside& aside, const SizeLayer& layer);

/// require: `placed` places aside.rest; `sizes` are those of the problem.
[[nodiscard]] Placement restore(const SetAside& aside, const std::vector<Size>& sizes,
                                const Placement& placed);

/// An engine that sets buffers aside and passes the rest to `inner`. It supports no certificates,
/// which would be about another problem.
[[nodiscard]] std::unique_ptr<PlacementEngine> make_aside_engine(
    std::unique_ptr<PlacementEngine> inner);

}  // namespace tessera::engine
