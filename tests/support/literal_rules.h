// The contract's rules literally, for a placement of a tiny problem: address by address, step by
// step, without optimisation. Reference for the oracle and the tests of the checker.
#pragma once

#include <set>
#include <vector>

#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::testing::literal {

/// The addresses the buffer occupies at the step, in its memory.
[[nodiscard]] std::set<Offset> occupied(const Buffer& buffer, Offset offset, Step step);

/// All addresses it ever uses.
[[nodiscard]] std::set<Offset> used(const Buffer& buffer, Offset offset);

/// The number of the bank of an address; 0 in a memory without banks.
[[nodiscard]] std::size_t bank_at(const Memory& memory, Offset address);

/// The rules about one buffer: allowed memory, bounds, alignment, fixed offset, window, reserved
/// ranges, bank boundaries, and the part of same_bank that requires a single bank.
[[nodiscard]] bool alone(const PlacementProblem& problem, BufferIndex b, const BufferPlace& at);

/// Does the mode allow the buffer's accesses at this step?
[[nodiscard]] bool mode_serves(const PlacementProblem& problem, BufferIndex b,
                               const BufferPlace& at, Step step, const Mode& mode);

[[nodiscard]] bool share_an_address(const PlacementProblem& problem, BufferIndex a,
                                    const BufferPlace& at_a, BufferIndex b,
                                    const BufferPlace& at_b);

/// All rules of the problem about two buffers.
class Pair {
 public:
  Pair(const PlacementProblem& problem, BufferIndex a, BufferIndex b);
  /// Non-overlap and every relation between the two.
  [[nodiscard]] bool allows(const BufferPlace& at_a, const BufferPlace& at_b) const;
  /// The cost if they share an address.
  [[nodiscard]] Cost cost() const { return cost_; }

 private:
  [[nodiscard]] bool share_a_bank(const BufferPlace& at_a, const BufferPlace& at_b) const;

  const PlacementProblem& problem_;
  BufferIndex a_;
  BufferIndex b_;
  std::vector<RelationKind> relations_;
  /// differences (offset of b minus that of a) at which both occupy an address
  std::set<Offset> together_;
  bool a_before_b_ = false;  ///< adjacent, in this order
  bool b_before_a_ = false;
  Cost cost_ = 0;
};

}  // namespace tessera::testing::literal
