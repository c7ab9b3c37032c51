// Where sizes have a large common divisor, addresses are few slots and placing is colouring.
//
//   if (const auto slots = slots_of(problem)) found = place_in_slots(problem, *slots, params);
//   Cost least = cost_bound_by_slots(problem, budget);               // of any problem, proved
//
// Buffers of size S that start at multiples of A and share no address start at least align_up(S, A)
// apart, where A divides all alignments. Be P a divisor of all sizes rounded up so, and a multiple
// of all alignments: rounding every offset down to a multiple of P keeps apart what was apart,
// brings nothing new together, and stays below the capacity. Slots of size P lose nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/engine.h"
#include "tessera/problem.h"

namespace tessera::search {

struct Slots {
  MemoryIndex memory = 0;  ///< all buffers are tied to it
  Size pitch = 1;          ///< from one slot to the next
  std::size_t count = 0;
  std::vector<std::uint32_t> spans{};  ///< slots in a row, by buffer; empty: one each
};

/// Nothing where there are too many slots, or a rule speaks of addresses, banks, steps of access
/// or several memories. require: validate(problem) is empty.
[[nodiscard]] std::optional<Slots> slots_of(const PlacementProblem& problem);

/// The cheapest placement, whatever params.goal is; `bound` is proved.
/// require: slots == slots_of(problem).
[[nodiscard]] engine::SearchResult place_in_slots(const PlacementProblem& problem,
                                                  const Slots& slots,
                                                  const engine::SearchParams& params);

/// An engine of the same for races: finds the least cost, and takes nothing without slots.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_slots_engine();

/// What every placement pays at least: in each memory the buffers of some size or more, shrunk to
/// that size, colour its slots. 0 where that says nothing. require: validate(problem) is empty.
[[nodiscard]] Cost cost_bound_by_slots(const PlacementProblem& problem, const Budget& budget);

}  // namespace tessera::search
