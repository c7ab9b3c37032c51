// Does a tile of these sizes fit? Remembers what it was told, so that it seldom has to search.
//
//   Decider decider(lowering, params);
//   Decision d = decider.decide(sizes);
//   if (d.verdict == Status::feasible) use(*d.placement);
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "search/tiles/tile_search.h"

namespace tessera {

struct Decision {
  Status verdict = Status::unknown;
  DecidedBy by = DecidedBy::engine;
  std::shared_ptr<const Placement> placement;  ///< set iff feasible
};

class Decider {
 public:
  /// require: both outlive the decider.
  Decider(const Lowering& lowering, const TileSearchParams& params, TileCounters& counters);

  /// ensure: feasible => the placement is right for these sizes.
  [[nodiscard]] Decision decide(const std::vector<Size>& sizes);

  /// Only what needs no engine; nothing where that does not decide.
  [[nodiscard]] std::optional<Decision> decide_cheaply(const std::vector<Size>& sizes);

  /// By bounds or dominance; the answer counts as the decision of DecidedBy.
  [[nodiscard]] std::optional<DecidedBy> refuted_cheaply(const std::vector<Size>& sizes) const;

  /// Adds a decision to the counters; decide() does so itself.
  void count(const Decision& decision);

  /// Bytes by which the load of some step is over the capacity of the memories together.
  [[nodiscard]] Size over_capacity(const std::vector<Size>& sizes) const;

 private:
  struct Placed {
    std::vector<Size> sizes;
    std::shared_ptr<const Placement> placement;
  };
  /// Bytes over the capacity at the fullest step, or, with `any`, at some step.
  [[nodiscard]] Size worst_excess(const std::vector<Size>& sizes, bool any) const;
  [[nodiscard]] bool still_fits(const Placed& placed, const std::vector<Size>& sizes);
  [[nodiscard]] Decision ask_engine(const std::vector<Size>& sizes);
  void remember(const std::vector<Size>& sizes, const Decision& decision);

  const Lowering& lowering_;
  const TileSearchParams& params_;
  TileCounters& counters_;
  PlacementProblem resized_;  ///< the problem with the sizes of the last question
  std::unique_ptr<PlacementSession> session_;
  bool session_opened_ = false;
  bool plain_relations_ = true;  ///< none that a smaller size could break
  /// Buffers live at each step with a new set of them, for the load.
  std::vector<std::vector<BufferIndex>> live_sets_;
  std::vector<std::optional<MemoryIndex>> tied_to_;  ///< per buffer: the only memory allowed
  std::vector<Size> granules_;                       ///< per memory: sizes round up to these
  std::vector<Size> room_;                           ///< per memory, for rounded sizes
  Size common_granule_ = 0;                          ///< divides all of them
  Size all_room_ = 0;
  // Working memory.
  mutable std::vector<Size> tied_load_;
  mutable std::vector<Size> rounded_;
  mutable std::vector<Size> tied_size_;
  std::vector<Placed> placed_;              ///< no one covers another, the latest last
  std::vector<std::vector<Size>> refuted_;  ///< likewise, least ones
};

}  // namespace tessera
