// Placing buffers one by one, each at the lowest address where nothing that was placed before is in
// its way: a proposal for the checker, never an answer.
//
//   FirstFit first_fit(problem);                                   // who is in whose way, once
//   Placement proposal = first_fit.place(problem, last, order);    // for the sizes of `problem`
#pragma once

#include <vector>

#include "layers/context.h"
#include "model/placement.h"

namespace tessera::encoder {

class FirstFit {
 public:
  explicit FirstFit(const PlacementProblem& problem);

  /// Memories, modes and the bank a buffer begins in are taken from `like`.
  /// require: `problem` differs from the constructor's in sizes and capacities only.
  [[nodiscard]] Placement place(const PlacementProblem& problem, const Placement& like,
                                const std::vector<BufferIndex>& order) const;

 private:
  struct Conflict {
    BufferIndex other = 0;
    Separation apart;  ///< this buffer is the first of it
  };
  std::vector<std::vector<Conflict>> conflicts_;
  std::vector<std::vector<BufferIndex>> same_offset_;  ///< with whom it shares its offset
};

}  // namespace tessera::encoder
