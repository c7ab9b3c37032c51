// Places buffers one by one at the lowest address that conflicts with no earlier buffer. The result
// is a proposal: the checker has to accept it.
//
//   FirstFit first_fit(problem, poll);                             // finds all conflicts, once
//   Placement proposal = first_fit.place(problem, last, order);    // for the sizes of `problem`
#pragma once

#include <vector>

#include "layers/context.h"
#include "tessera/placement.h"

namespace tessera::encoder {

struct FirstFitRules {
  /// A buffer that does not fit in its memory tries its other allowed memories.
  bool other_memories = false;
  /// Avoids banks whose role in this mode (per memory, of Memory::modes) does not allow the buffer,
  /// as if the mode never changed. Negative: no such rule.
  int mode = -1;
};

class FirstFit {
 public:
  /// Throws BudgetEnded.
  FirstFit(const PlacementProblem& problem, Poll& poll);

  /// Takes memories, first banks and modes from `like`; facts/modes.h may find better modes.
  /// require: `problem` differs from the constructor's only in sizes and capacities.
  [[nodiscard]] Placement place(const PlacementProblem& problem, const Placement& like,
                                const std::vector<BufferIndex>& order,
                                const FirstFitRules& rules = {}) const;

 private:
  struct Conflict {
    BufferIndex other = 0;
    Separation apart;  ///< this buffer is `first` in the separation
  };
  class Run;
  std::vector<std::vector<Conflict>> conflicts_;
  std::vector<std::vector<BufferIndex>> same_offset_;  ///< buffers with the same offset
  std::vector<std::vector<BufferIndex>> other_banks_;  ///< buffers whose banks it must avoid
};

}  // namespace tessera::encoder
