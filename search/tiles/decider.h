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

#include "engine/memo.h"
#include "facts/load.h"
#include "search/tiles/tile_search.h"

namespace tessera::search {

struct SizeVerdict {
  Status verdict = Status::unknown;
  DecidedBy by = DecidedBy::engine;
  std::shared_ptr<const Placement> placement;  ///< set iff feasible
};

/// The part of a Decider that needs no engine. Each thread has one of its own, as long as nobody
/// decides.
class Refuter {
 public:
  /// require: all outlive it.
  Refuter(const tiling::Lowering& lowering, const TileSearchParams& params,
          const engine::Memo& memo);

  /// By bounds or dominance; the answer counts as the decision of DecidedBy.
  [[nodiscard]] std::optional<DecidedBy> refuted_cheaply(const std::vector<Size>& sizes);
  /// Does one of the refutations since there were so many refute these sizes, which nothing before
  /// did?
  [[nodiscard]] bool refuted_since(std::size_t refutations, const std::vector<Size>& sizes);
  /// Bytes by which the load of some step is over the capacity of the memories together.
  [[nodiscard]] Size over_capacity(const std::vector<Size>& sizes) { return load_.excess(sizes); }

 private:
  const TileSearchParams& params_;
  const engine::Memo& memo_;
  SizeLayer asked_;  ///< of the last question
  facts::LoadTest load_;
};

class Decider {
 public:
  /// require: both outlive the decider.
  Decider(const tiling::Lowering& lowering, const TileSearchParams& params, TileCounters& counters);

  /// ensure: feasible => the placement is right for these sizes.
  [[nodiscard]] SizeVerdict decide(const std::vector<Size>& sizes);

  /// Only what needs no engine; nothing where that does not decide.
  [[nodiscard]] std::optional<SizeVerdict> decide_cheaply(const std::vector<Size>& sizes);

  /// As a Refuter says.
  [[nodiscard]] std::optional<DecidedBy> refuted_cheaply(const std::vector<Size>& sizes) const {
    return refuter_.refuted_cheaply(sizes);
  }
  [[nodiscard]] bool refuted_since(std::size_t refutations, const std::vector<Size>& sizes) const {
    return refuter_.refuted_since(refutations, sizes);
  }
  /// How many questions the engine refuted so far.
  [[nodiscard]] std::size_t refutations() const { return memo_.refutations(); }
  /// Of the thread that decides, and one for another. require: this outlives it.
  [[nodiscard]] Refuter& refuter() const { return refuter_; }
  [[nodiscard]] Refuter other_refuter() const { return {lowering_, params_, memo_}; }

  /// Adds a decision to the counters; decide() does so itself.
  void count(const SizeVerdict& decision);

  /// Bytes by which the load of some step is over the capacity of the memories together.
  [[nodiscard]] Size over_capacity(const std::vector<Size>& sizes) const {
    return refuter_.over_capacity(sizes);
  }

 private:
  [[nodiscard]] SizeVerdict ask_engine(const std::vector<Size>& sizes);
  [[nodiscard]] const SizeLayer& layer(const std::vector<Size>& sizes);

  const tiling::Lowering& lowering_;
  const TileSearchParams& params_;
  TileCounters& counters_;
  std::unique_ptr<engine::PlacementSession> session_;  ///< opened for the first question
  engine::Memo memo_;
  mutable Refuter refuter_;  ///< of this thread
  SizeLayer asked_;          ///< of the last question
};

}  // namespace tessera::search
