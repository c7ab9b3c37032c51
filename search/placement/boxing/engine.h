// Low placements of ten thousand to a million buffers: boxing, stacking, local improvement.
//
//   BoxingResult low = box(problem, {.budget = {.deadline = soon}});
//   if (low.placement) use(low.placement->places, low.heights);   // passes the checker
//   if (low.proven_minimum) ...                                   // heights == lower_bounds
//
// Every memory gets the lowest placement found within the budget. The search ends early only if the
// height meets the target or the lower bound. The lower bound is the largest load, or comes from
// the exact search of a time range. Each phase has its own header:
//
//   instance.h    one memory as jobs over time sections; lower bounds
//   stacking.h    fills the lowest open place with the best buffer that fits in time (skyline)
//   boxing.h      Buchsbaum, Karloff, Kenyon, Reingold and Thorup, "OPT versus LOAD in dynamic
//                 storage allocation" (STOC 2003), made practical as in Lamprakos et al.,
//                 "idealloc" (arXiv 2504.04874): Corollary 15, Theorem 2, Lemma 1, Theorem 16
//   unboxing.h    boxes back to offsets: interval colouring of equal sizes, recursively
//   first_fit.h   the squeeze: first fit in increasing offset, with all constraints of a buffer
//   improve.h     ruin and recreate around the peak
//   completion.h  the jobs under the highest loads first, then the others around them
//   peak.h        exact search of the time ranges that contain the peak
//   ejection.h    jobs above a level are pushed into place again, in windows of time
//   rounds.h      many seeded rounds on several threads
//
// docs/internals/boxing.md explains their interaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::search {

struct BoxingParams {
  Budget budget{};
  std::uint64_t seed = 0;
  int threads = 2;  ///< 0: number of hardware threads
  /// Maximum rounds per memory. 0: until the deadline; without a deadline, a number derived from
  /// the size that takes seconds.
  std::int64_t max_rounds = 0;
  /// Per memory, a height that suffices. Empty: only the lower bound does.
  std::vector<Size> targets{};
  /// Per memory, proved bounds from elsewhere; used if they are higher than its own.
  std::vector<Size> lower_bounds{};
  // Switches of the phases.
  bool stacking = true;
  bool boxing = true;
  bool improve = true;
  bool focus = true;
  bool exact = true;
  bool eject = true;
  /// Makes the solver of the time ranges that contain the peak; null: canonical search
  /// (canonical.h).
  std::function<std::unique_ptr<engine::PlacementEngine>()> make_exact{};
  /// Called (from any thread, one at a time) when a height or a bound improves.
  std::function<void(const std::vector<Size>& heights, const std::vector<Size>& bounds)> progress{};
};

/// An improvement of a memory's height.
struct HeightAt {
  double seconds = 0;
  MemoryIndex memory = 0;
  Size height = 0;
  std::string by;  ///< the phase that found it: "stacking", "boxing", "improve", "focus", ...
};

struct BoxingResult {
  /// feasible: `placement` satisfies every rule. Otherwise unknown: boxing never proves
  /// infeasibility.
  Status status = Status::unknown;
  StopReason stop = StopReason::completed;
  /// The lowest placement. Also set if it exceeds the capacity (the status is unknown then), as
  /// long as fixed offsets and windows are satisfied.
  std::optional<Placement> placement;
  std::vector<Size> heights;       ///< per memory, of `placement`
  std::vector<Size> lower_bounds;  ///< per memory, proved
  bool proven_minimum = false;     ///< heights == lower_bounds
  std::vector<HeightAt> over_time;
  std::string reason;  ///< for unknown: one sentence
  Stats stats;
};

/// The supported features: all about addresses and lives, several memories, and may_overlap (which
/// is not exploited), but no modes and no other hard relation.
[[nodiscard]] facts::FeatureSet boxing_features();

/// require: validate(problem) is empty, and boxing_features() contains all its features.
/// ensure: deterministic for any `threads`, unless the budget ends it.
[[nodiscard]] BoxingResult box(const PlacementProblem& problem, const BoxingParams& params = {});

/// The engine "boxing": Objective::fit, feasible or unknown. The arguments of solve() replace the
/// budget, seed and targets of `params`.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_boxing_engine(
    const BoxingParams& params = {});

}  // namespace tessera::search
