// Low placements of ten thousand to a million buffers: boxing, stacking, local improvement.
//
//   BoxingResult low = box(problem, {.budget = {.deadline = soon}});
//   if (low.placement) use(low.placement->places, low.heights);   // passes the checker
//   if (low.proven_minimum) ...                                   // heights == lower_bounds
//
// Every memory gets the lowest placement found within the budget; the search ends early only where
// the height meets the lower bound (the largest load, or what the exact search of a time range
// proved) or the given target. The phases, each with its own header beside this one:
//
//   instance.h    one memory as jobs over time sections; lower bounds
//   stacking.h    lowest open place first, the best buffer that fits in time (best-fit skyline)
//   boxing.h      Buchsbaum, Karloff, Kenyon, Reingold and Thorup, "OPT versus LOAD in dynamic
//                 storage allocation" (STOC 2003), made practical as in Lamprakos et al.,
//                 "idealloc" (arXiv 2504.04874): Corollary 15, Theorem 2, Lemma 1, Theorem 16
//   unboxing.h    boxes back to offsets: interval colouring of equal sizes, recursion
//   first_fit.h   the squeeze: first fit in increasing offset, with everything a buffer may ask
//   improve.h     ruin and recreate around the peak
//   completion.h  the jobs under the highest loads first, the others around them
//   peak.h        exact search of the time ranges that carry the peak
//   ejection.h    what sticks out pushes its way in again, in windows of time
//   rounds.h      many seeded rounds on several threads
//
// docs/boxing.md explains how they play together.
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
  int threads = 2;  ///< 0: as many as the machine has
  /// Rounds a memory gets at most. 0: until the deadline; without a deadline, a number derived
  /// from its size that ends in seconds.
  std::int64_t max_rounds = 0;
  /// Per memory: a height that is low enough. Empty: only the lower bound is.
  std::vector<Size> targets{};
  /// Per memory: bounds proved elsewhere, used where they are higher than the ones found here.
  std::vector<Size> lower_bounds{};
  // What may be used; each can be switched off.
  bool stacking = true;
  bool boxing = true;
  bool improve = true;
  bool focus = true;
  bool exact = true;
  bool eject = true;
  /// Decides the time ranges that carry the peak; nullptr: canonical search (canonical.h).
  std::function<std::unique_ptr<engine::PlacementEngine>()> make_exact{};
  /// Called (from any thread, one at a time) when a height or a bound becomes better.
  std::function<void(const std::vector<Size>& heights, const std::vector<Size>& bounds)> progress{};
};

/// The best height of one memory from this moment on.
struct HeightAt {
  double seconds = 0;
  MemoryIndex memory = 0;
  Size height = 0;
  std::string by;  ///< the phase that found it: "stacking", "boxing", "improve", "focus", ...
};

struct BoxingResult {
  /// feasible: `placement` keeps every rule. Otherwise unknown: this search never says "no".
  Status status = Status::unknown;
  StopReason stop = StopReason::completed;
  /// The lowest placement, set even where it is higher than the capacity allows (status unknown
  /// then), as long as fixed offsets and windows could be kept.
  std::optional<Placement> placement;
  std::vector<Size> heights;       ///< per memory, of `placement`
  std::vector<Size> lower_bounds;  ///< per memory, proved
  bool proven_minimum = false;     ///< heights == lower_bounds
  std::vector<HeightAt> over_time;
  std::string reason;  ///< for unknown: one sentence
  Stats stats;
};

/// What boxing takes: everything about addresses and lives, memories and may_overlap (which it does
/// not use), but no modes and no other hard relation.
[[nodiscard]] facts::FeatureSet boxing_features();

/// require: validate(problem) is empty, boxing_features() has all that the problem uses.
/// ensure: equal for equal problem, params (whatever `threads`) unless the budget ends it.
[[nodiscard]] BoxingResult box(const PlacementProblem& problem, const BoxingParams& params = {});

/// The engine "boxing": Objective::fit, feasible or unknown. The budget, seed and targets of
/// `params` are replaced by what solve() is given.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_boxing_engine(
    const BoxingParams& params = {});

}  // namespace tessera::search
