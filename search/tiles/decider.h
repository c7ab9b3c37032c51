// Does a tile of these sizes fit? Remembers what it was told, so that it seldom has to search.
//
//   Decider decider(lowering, params);
//   SizeVerdict d = decider.decide(sizes);
//   if (d.verdict == Status::feasible) use(*d.placement);
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "search/tiles/load_test.h"
#include "search/tiles/tile_search.h"

namespace tessera {

struct SizeVerdict {
  Status verdict = Status::unknown;
  DecidedBy by = DecidedBy::engine;
  std::shared_ptr<const Placement> placement;  ///< set iff feasible
};

class Decider {
 public:
  /// require: both outlive the decider.
  Decider(const Lowering& lowering, const TileSearchParams& params, TileCounters& counters);

  /// ensure: feasible => the placement is right for these sizes.
  [[nodiscard]] SizeVerdict decide(const std::vector<Size>& sizes);

  /// Only what needs no engine; nothing where that does not decide.
  [[nodiscard]] std::optional<SizeVerdict> decide_cheaply(const std::vector<Size>& sizes);

  /// By bounds or dominance; the answer counts as the decision of DecidedBy.
  [[nodiscard]] std::optional<DecidedBy> refuted_cheaply(const std::vector<Size>& sizes) const;

  /// How many questions the engine refuted so far; and does one of those since then refute these
  /// sizes, which nothing before did?
  [[nodiscard]] std::size_t refutations() const { return refutations_; }
  [[nodiscard]] bool refuted_since(std::size_t refutations, const std::vector<Size>& sizes) const;

  /// By how many bytes at least every refutation so far was over the capacity: 0 where it was not
  /// by load, the largest size where there is none.
  [[nodiscard]] Size least_excess() const { return refutations_ == 0 ? least_excess_ : 0; }

  /// Adds a decision to the counters; decide() does so itself.
  void count(const SizeVerdict& decision);

  /// Bytes by which the load of some step is over the capacity of the memories together.
  [[nodiscard]] Size over_capacity(const std::vector<Size>& sizes) const;

 private:
  struct Placed {
    std::vector<Size> sizes;
    std::shared_ptr<const Placement> placement;
  };
  struct Refuted {
    std::vector<Size> sizes;
    std::size_t number = 0;  ///< among all refutations
  };
  [[nodiscard]] bool still_fits(const Placed& placed, const std::vector<Size>& sizes);
  [[nodiscard]] SizeVerdict ask_engine(const std::vector<Size>& sizes);
  void remember(const std::vector<Size>& sizes, const SizeVerdict& decision);

  const Lowering& lowering_;
  const TileSearchParams& params_;
  TileCounters& counters_;
  PlacementProblem resized_;  ///< the problem with the sizes of the last question
  std::unique_ptr<PlacementSession> session_;
  bool session_opened_ = false;
  bool plain_relations_ = true;  ///< none that a smaller size could break
  mutable LoadTest load_;
  mutable Size least_excess_ = std::numeric_limits<Size>::max();  ///< of refutations by load
  std::vector<Placed> placed_;    ///< no one covers another, the latest last
  std::vector<Refuted> refuted_;  ///< likewise, least ones
  std::size_t refutations_ = 0;
};

}  // namespace tessera
