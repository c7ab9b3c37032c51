// Decides whether a tile of given sizes fits; reuses earlier decisions to avoid searches.
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
  std::shared_ptr<const Placement> placement{};  ///< set if and only if feasible
  std::string_view step{};                       ///< as engine::SearchResult
  std::int64_t kept = 0;                         ///< as engine::SearchResult
};

/// The part of a Decider that needs no engine. Each thread has its own; valid while no decision
/// runs.
class Refuter {
 public:
  /// require: all arguments outlive it.
  Refuter(const tiling::Lowering& lowering, const TileSearchParams& params,
          const engine::Memo& memo);

  /// Refutes by bounds or dominance; returns the rule.
  [[nodiscard]] std::optional<DecidedBy> refuted_cheaply(const std::vector<Size>& sizes);
  /// Does a refutation number `refutations` or later refute these sizes? Earlier ones must not.
  [[nodiscard]] bool refuted_since(std::size_t refutations, const std::vector<Size>& sizes);
  /// The load of the fullest step minus the capacity of all memories, in bytes.
  [[nodiscard]] Size over_capacity(const std::vector<Size>& sizes) { return load_.excess(sizes); }

 private:
  const TileSearchParams& params_;
  const engine::Memo& memo_;
  SizeLayer asked_;  ///< of the last query
  facts::LoadTest load_;
};

class Decider {
 public:
  /// require: lowering, params and counters outlive the decider.
  Decider(const tiling::Lowering& lowering, const TileSearchParams& params, TileCounters& counters);

  /// ensure: feasible => the placement is valid for these sizes.
  [[nodiscard]] SizeVerdict decide(const std::vector<Size>& sizes);

  /// A decision without an engine; nothing if that is not possible.
  [[nodiscard]] std::optional<SizeVerdict> decide_cheaply(const std::vector<Size>& sizes);

  /// As Refuter::refuted_cheaply().
  [[nodiscard]] std::optional<DecidedBy> refuted_cheaply(const std::vector<Size>& sizes) const {
    return refuter_.refuted_cheaply(sizes);
  }
  [[nodiscard]] bool refuted_since(std::size_t refutations, const std::vector<Size>& sizes) const {
    return refuter_.refuted_since(refutations, sizes);
  }
  /// The number of refutations by the engine so far.
  [[nodiscard]] std::size_t refutations() const { return memo_.refutations(); }
  /// The refuter of the deciding thread, and a new one for another thread.
  /// require: this outlives it.
  [[nodiscard]] Refuter& refuter() const { return refuter_; }
  [[nodiscard]] Refuter other_refuter() const { return {lowering_, params_, memo_}; }

  /// Adds a decision to the counters; decide() does so itself.
  void count(const SizeVerdict& decision);

  /// The load of the fullest step minus the capacity of all memories, in bytes.
  [[nodiscard]] Size over_capacity(const std::vector<Size>& sizes) const {
    return refuter_.over_capacity(sizes);
  }

 private:
  /// Throws BadInput if the engine does not support the problem.
  void require_support() const;
  [[nodiscard]] SizeVerdict ask_engine(const std::vector<Size>& sizes);
  [[nodiscard]] const SizeLayer& layer(const std::vector<Size>& sizes);

  const tiling::Lowering& lowering_;
  const TileSearchParams& params_;
  TileCounters& counters_;
  std::unique_ptr<engine::PlacementSession> session_;  ///< opened at the first query
  engine::Memo memo_;
  mutable Refuter refuter_;  ///< of this thread
  SizeLayer asked_;          ///< of the last query
};

}  // namespace tessera::search
