// Many rounds, the best one counts.
//
//   RoundsResult best = run_rounds(instance, {.budget = ..., .seed = 7, .threads = 2});
//
// Rounds come in generations. All rounds of a generation start from the best placement of the one
// before and draw from their own stream of randomness, so that what comes out depends on the seed
// alone, whatever the number of threads and who is faster. A round is one of
//   stacking  a fresh order of keys, or the best ones perturbed
//   boxing    Theorem 16, unboxing, squeeze; and stacking in the order of the loose placement
//   improve   ruin and recreate from the best placement
//   focus     the jobs under the highest loads on their own, in rounds of their own, then the rest
//             around them: most of a long trace has room to spare
//   exact     the range that carries the peak
// After a generation its best placement is lowered by ejection (ejection.h), which uses all threads
// itself and has as much work as pays.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "search/placement/boxing/instance.h"

namespace tessera::search::boxing {

struct RoundsParams {
  Budget budget{};
  std::uint64_t seed = 0;
  int threads = 1;
  std::int64_t max_rounds = 0;  ///< 0: until the budget ends
  /// Counts rounds times jobs, as budget.max_nodes does, after each generation; budget.meter is not
  /// looked at. The first round runs to its end in any case.
  WorkMeter* meter = nullptr;
  Size target = 0;  ///< low enough
  bool stacking = true;
  bool boxing = true;
  bool improve = true;
  bool focus = true;
  bool exact = true;
  bool eject = true;
  std::vector<Offset> start{};  ///< a placement to start from; empty: none
  int depth = 0;                ///< of focus within focus
  std::function<std::unique_ptr<engine::PlacementEngine>()> make_exact{};
  /// Called between rounds, one at a time: a lower height, or a higher bound.
  std::function<void(Size height, Size bound, const std::string& by,
                     std::chrono::steady_clock::time_point when)>
      better{};
};

struct RoundsResult {
  StopReason stop = StopReason::completed;
  bool found = false;
  Size height = 0;
  std::vector<Offset> offsets;
  Size lower_bound = 0;
  std::int64_t rounds = 0;
  std::int64_t work = 0;  ///< rounds times jobs, and what ejection took in the same unit
  std::int64_t generations = 0;
  /// Better by stacking, boxing, improve, focus, exact, ejection.
  std::int64_t by_kind[6] = {0, 0, 0, 0, 0, 0};
};

[[nodiscard]] RoundsResult run_rounds(const Instance& instance, const RoundsParams& params);

}  // namespace tessera::search::boxing
