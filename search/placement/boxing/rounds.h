// Many seeded rounds; the best placement wins.
//
//   RoundsResult best = run_rounds(instance, {.budget = ..., .seed = 7, .threads = 2});
//
// Rounds form generations. All rounds of a generation start from the best placement of the previous
// one and use their own random stream. Therefore the result depends only on the seed, and not on
// the number of threads. A round is one of
//   stacking  a new order of keys, or perturbed best keys
//   boxing    Theorem 16, unboxing, squeeze; and stacking in the order of the loose placement
//   improve   ruin and recreate from the best placement
//   focus     the jobs under the highest loads alone, in rounds of their own, then the others
//             around them: most of a long trace has free space
//   exact     the range that contains the peak
// After a generation its best placement is lowered by ejection (ejection.h), which uses all threads
// itself, for as long as that is profitable.
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
  /// Counts rounds times jobs, as budget.max_nodes does, after each generation; budget.meter is
  /// ignored. The first round always runs to its end.
  WorkMeter* meter = nullptr;
  Size target = 0;  ///< a height that suffices
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
  std::int64_t work = 0;  ///< rounds times jobs, and ejection in the same unit
  std::int64_t generations = 0;
  /// Improvements by stacking, boxing, improve, focus, exact, ejection.
  std::int64_t by_kind[6] = {0, 0, 0, 0, 0, 0};
};

[[nodiscard]] RoundsResult run_rounds(const Instance& instance, const RoundsParams& params);

}  // namespace tessera::search::boxing
