// The on-chip memories that an op's engine may read its operands from and write its results to.
//
//   const Reachable reachable(part, hardware);
//   if (reachable.restricts()) reachable.output(0);   // where the first op's results may lie
//
// Off-chip memories are not listed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tiling/subgraph.h"

namespace tessera::tiling {

/// Is there an engine that does not reach some on-chip memory?
[[nodiscard]] bool restricts_reach(const Hardware& hardware);

/// The memories that the producer of each of these tensors may write to; empty without producer.
/// The result is empty if nothing restricts reach.
[[nodiscard]] std::vector<Memories> made_in(const Network& network,
                                            std::span<const TensorIndex> tensors,
                                            const Hardware& hardware);

/// For the ops of a group. Part and hardware outlive it.
class Reachable {
 public:
  Reachable(const Subgraph& part, const Hardware& hardware);

  /// require of all other functions: restricts().
  [[nodiscard]] bool restricts() const { return !of_.empty(); }
  [[nodiscard]] Memories input(Step step) const { return memories(at(step).input); }
  [[nodiscard]] Memories weights(Step step) const { return memories(at(step).weights); }
  [[nodiscard]] Memories output(Step step) const { return memories(at(step).output); }

 private:
  [[nodiscard]] const Reach& at(Step step) const { return *of_[static_cast<std::size_t>(step)]; }
  [[nodiscard]] Memories memories(const std::vector<std::string>& listed) const;

  const Hardware& hardware_;
  std::vector<const Reach*> of_;  ///< per step; empty if no engine restricts
};

}  // namespace tessera::tiling
