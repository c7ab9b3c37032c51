// The shortest refutation: at one step the live bytes exceed the capacity.
//
//   if (auto cut = find_load_cut(problem, poll)) say(cut->step, cut->asked, cut->available);
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/poll.h"
#include "tessera/problem.h"

namespace tessera::encoder {

struct LoadCut {
  Step step = 0;
  std::vector<MemoryIndex> memories;  ///< the buffers are tied to these
  std::vector<BufferIndex> buffers;   ///< no two of them may overlap at `step`
  Size asked = 0;                     ///< bytes they occupy at `step`
  Size available = 0;                 ///< capacities minus reserved ranges
};

/// Checks every step, for each memory alone and for all memories together. Throws BudgetEnded.
/// require: validate(problem) is empty.
[[nodiscard]] std::optional<LoadCut> find_load_cut(const PlacementProblem& problem, Poll& poll);

/// Bytes needed from each of these steps on, up to the step of the next entry.
using LoadCurve = std::vector<std::pair<Step, Size>>;

/// Bytes needed by the buffers tied to these memories, for any offsets. Among buffers that may
/// overlap, the largest of a connected group counts. Throws BudgetEnded.
[[nodiscard]] LoadCurve load_curve(const PlacementProblem& problem,
                                   const std::vector<MemoryIndex>& memories, Poll& poll);

/// The step with the largest load of these buffers in these memories, even below the capacity; none
/// without buffers. Throws BudgetEnded.
[[nodiscard]] std::optional<LoadCut> heaviest_step(const PlacementProblem& problem,
                                                   const std::vector<MemoryIndex>& memories,
                                                   Poll& poll);

/// "At step 3, 5 buffers occupy 130 bytes, but sram has 128."
[[nodiscard]] std::string describe(const PlacementProblem& problem, const LoadCut& cut);

}  // namespace tessera::encoder
