// Placing buffers one by one, each at the lowest address where nothing that was placed before is in
// its way: a proposal for the checker, never an answer.
//
//   FirstFit first_fit(problem, poll);                             // who is in whose way, once
//   Placement proposal = first_fit.place(problem, last, order);    // for the sizes of `problem`
#pragma once

#include <vector>

#include "layers/context.h"
#include "tessera/placement.h"

namespace tessera::encoder {

struct FirstFitRules {
  /// A buffer that finds no room in its memory tries the others it may go to.
  bool other_memories = false;
  /// Keep away from banks whose role in this mode (per memory, of Memory::modes) does not allow
  /// what the buffer does: as if the mode never changed. Negative: no such rule.
  int mode = -1;
};

class FirstFit {
 public:
  /// Throws BudgetEnded.
  FirstFit(const PlacementProblem& problem, Poll& poll);

  /// Memories and the bank a buffer begins in are taken from `like`. So are the modes, for which
  /// facts/modes.h may find better ones.
  /// require: `problem` differs from the constructor's in sizes and capacities only.
  [[nodiscard]] Placement place(const PlacementProblem& problem, const Placement& like,
                                const std::vector<BufferIndex>& order,
                                const FirstFitRules& rules = {}) const;

 private:
  struct Conflict {
    BufferIndex other = 0;
    Separation apart;  ///< this buffer is the first of it
  };
  class Run;
  std::vector<std::vector<Conflict>> conflicts_;
  std::vector<std::vector<BufferIndex>> same_offset_;  ///< with whom it shares its offset
  std::vector<std::vector<BufferIndex>> other_banks_;  ///< whose banks it must not touch
};

}  // namespace tessera::encoder
