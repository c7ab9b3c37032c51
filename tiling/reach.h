// In which memories on the chip the engine of an op finds what it reads, and leaves what it makes.
//
//   const Reachable reachable(part, hardware);
//   if (reachable.restricts()) reachable.output(0);   // where the first op's results may lie
//
// Those off the chip are left out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tiling/subgraph.h"

namespace tessera::tiling {

/// Does any engine leave out a memory on the chip?
[[nodiscard]] bool restricts_reach(const Hardware& hardware);

/// Where the op that makes it may leave each of these tensors: empty of what no op makes; nothing
/// at all where nothing restricts.
[[nodiscard]] std::vector<Memories> made_in(const Network& network,
                                            std::span<const TensorIndex> tensors,
                                            const Hardware& hardware);

/// Of the ops of a run; both outlive it.
class Reachable {
 public:
  Reachable(const Subgraph& part, const Hardware& hardware);

  /// Nothing else may be asked where nothing restricts.
  [[nodiscard]] bool restricts() const { return !of_.empty(); }
  [[nodiscard]] Memories input(Step step) const { return memories(at(step).input); }
  [[nodiscard]] Memories weights(Step step) const { return memories(at(step).weights); }
  [[nodiscard]] Memories output(Step step) const { return memories(at(step).output); }

 private:
  [[nodiscard]] const Reach& at(Step step) const { return *of_[static_cast<std::size_t>(step)]; }
  [[nodiscard]] Memories memories(const std::vector<std::string>& listed) const;

  const Hardware& hardware_;
  std::vector<const Reach*> of_;  ///< per step; nothing where no engine restricts
};

}  // namespace tessera::tiling
