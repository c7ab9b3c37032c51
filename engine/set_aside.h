// Buffers that live together with everything else, set aside before the search.
//
//   SetAside aside = set_aside(problem);
//   if (aside.overfull()) return no_placement;
//   Placement whole = restore(aside, engine.solve(aside.rest, params).placement);
//
// No other buffer ever uses an address of a buffer that coexists with all of them. So wherever such
// buffers lie, they can be taken out and what is above them moved down: there is a placement if
// and only if there is one with them in one block at the start. Resident weights are like that, and
// a search that need not find out by itself has far fewer orders to refute.
#pragma once

#include <memory>
#include <vector>

#include "engine/engine.h"
#include "tessera/problem.h"

namespace tessera::engine {

struct SetAside {
  PlacementProblem rest;            ///< with what is left of the capacities
  std::vector<BufferIndex> kept;    ///< of the problem, per buffer of `rest`
  std::vector<BufferIndex> aside;   ///< of the problem, in its order
  std::vector<MemoryIndex> memory;  ///< per buffer set aside
  std::vector<Size> granule;        ///< per memory: sizes of its blocks round up to it
  std::vector<Size> block;          ///< per memory

  /// Is some block alone too large?
  [[nodiscard]] bool overfull() const;
};

/// Only memories without banks, modes and reserved ranges whose capacity is a multiple of their
/// alignment take part, and only where no buffer has a fixed offset, a window, a gap or an
/// alignment of its own, and no relation names a buffer that would be set aside.
/// require: validate(problem) is empty.
[[nodiscard]] SetAside set_aside(const PlacementProblem& problem);

/// The same buffers with other numbers: sizes of all buffers, capacities of the memories.
void replace_sizes(SetAside& aside, const SizeLayer& layer);

/// require: `placed` places aside.rest; `sizes` are those of the problem.
[[nodiscard]] Placement restore(const SetAside& aside, const std::vector<Size>& sizes,
                                const Placement& placed);

/// An engine that sets aside what it can and gives the rest to another one. Certificates are not
/// passed on: they would speak of another problem.
[[nodiscard]] std::unique_ptr<PlacementEngine> make_aside_engine(
    std::unique_ptr<PlacementEngine> inner);

}  // namespace tessera::engine
