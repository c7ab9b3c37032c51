// Sizes with a large common divisor: addresses are few slots, and placement is graph colouring.
//
//   if (const auto slots = slots_of(problem)) found = place_in_slots(problem, *slots, params);
//   Cost least = cost_bound_by_slots(problem, budget);               // of any problem, proved
//
// Buffers of size S at multiples of A that share no address start at least align_up(S, A) apart,
// where A divides all alignments. Let P divide all sizes rounded up in this way, and be a multiple
// of all alignments. Rounding every offset down to a multiple of P keeps separate buffers separate,
// creates no new overlap, and stays below the capacity. Therefore slots of size P lose no solution.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/engine.h"
#include "tessera/problem.h"

namespace tessera::search {

struct Slots {
  MemoryIndex memory = 0;  ///< all buffers are restricted to it
  Size pitch = 1;          ///< distance between slots
  std::size_t count = 0;
  std::vector<std::uint32_t> spans{};  ///< number of slots per buffer; empty: one each
};

/// Nothing if there are too many slots, or if a rule is about addresses, banks, steps of access or
/// several memories.
/// require: validate(problem) is empty.
[[nodiscard]] std::optional<Slots> slots_of(const PlacementProblem& problem);

/// The cheapest placement, for any params.goal; `bound` is proved.
/// require: slots == slots_of(problem).
[[nodiscard]] engine::SearchResult place_in_slots(const PlacementProblem& problem,
                                                  const Slots& slots,
                                                  const engine::SearchParams& params);

/// The same as an engine for races: finds the least cost; supports only problems with slots.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_slots_engine();

/// A lower bound on the cost of every placement: in each memory, the buffers of at least some size,
/// shrunk to that size, colour its slots. 0 if there is no bound.
/// require: validate(problem) is empty.
[[nodiscard]] Cost cost_bound_by_slots(const PlacementProblem& problem, const Budget& budget);

}  // namespace tessera::search
