// Lowers a placement by ejection: jobs above a level are removed and pushed into place again.
//
//   Ejection ejection(instance);
//   Size height = ejection.run(offsets, {.target = bound, .patience = 10'000'000});
//
// All jobs that end above a level, somewhat below the height, are removed. ejection_window.h finds
// new places for them in windows of time, which are independent and processed by all threads. When
// all jobs have places, the level becomes the height, and a lower level follows. Only jobs live
// around the tops are visited, which are few in a long trace, or among very many buffers with short
// lives. The first run begins by rebuilding the windows around the tops: jobs under the highest
// loads first, and large jobs before small ones that fit into the gaps.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "model/random.h"
#include "search/placement/boxing/ejection_window.h"
#include "search/placement/boxing/instance.h"
#include "search/placement/boxing/slices.h"

namespace tessera::search::boxing {

struct EjectionParams {
  Size target = 0;                    ///< stop at this height
  std::int64_t patience = 1'000'000;  ///< neighbours visited without a lower height before it stops
  std::int64_t most_work = std::numeric_limits<std::int64_t>::max();  ///< neighbours per run
  int threads = 1;
  std::uint64_t seed = 0;
  Budget budget{};
  std::function<void(Size height)> lowered{};  ///< called for every lower height
};

class Ejection {
 public:
  /// require: `instance` outlives the object, and no job has fragments.
  explicit Ejection(const Instance& instance);

  /// require: `offsets` is a placement.
  /// ensure: `offsets` is a placement that is no higher, and does not depend on `threads` unless
  /// the budget ends it. Returns its height.
  Size run(std::vector<Offset>& offsets, const EjectionParams& params);

  /// Neighbours visited in all runs.
  [[nodiscard]] std::int64_t work() const { return work_; }

 private:
  void start_over(std::span<const Offset> offsets, const Budget& budget);
  Size lower(std::vector<Offset>& offsets, const EjectionParams& params);
  void begin_level(Size level, std::span<const Offset> offsets);
  [[nodiscard]] bool reach(bool anew, std::int64_t most_work, std::vector<Offset>& offsets,
                           const EjectionParams& params);
  void build_anew(std::vector<Offset>& offsets, const EjectionParams& params);
  void divide(const WindowTask& each, Random& random);
  void work_on_windows(const EjectionParams& params);
  void collect();
  [[nodiscard]] bool joins(WindowTask& last, JobIndex j, SliceIndex from, SliceIndex to,
                           SliceIndex longest) const;

  const Instance* instance_;
  SliceTimes times_;
  Slices slices_;
  std::vector<float> weights_;
  std::vector<float> keys_;
  std::vector<float> penalties_;
  std::vector<JobIndex> pool_;  ///< unplaced jobs, except those of the tasks
  std::vector<WindowTask> tasks_;
  std::vector<WindowResult> results_;  ///< one per task
  std::vector<std::unique_ptr<EjectionWindow>> workers_;
  std::int64_t work_ = 0;
  Size level_ = 0;   ///< the level to reach
  Size height_ = 0;  ///< the height at the end of the last run
  bool begun_ = false;
};

}  // namespace tessera::search::boxing
