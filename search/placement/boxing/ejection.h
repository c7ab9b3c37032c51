// Lower by ejection: what sticks out is taken away and pushes its way in again.
//
//   Ejection ejection(instance);
//   Size height = ejection.run(offsets, {.target = bound, .patience = 10'000'000});
//
// Whatever ends above a level somewhat below the height loses its place; ejection_window.h finds
// new ones, in windows of time that share nothing and are worked on by all threads. Once everybody
// has a place, the level is the height, and the next level is lower. Only what lives around the
// tops is ever looked at: in a long trace, or with very many buffers that live shortly, that is
// little. The first run begins by building the windows around the tops anew: those under the
// highest loads first, the large ones before the small ones that fit into what they leave.
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
  Size target = 0;                    ///< low enough: stop there
  std::int64_t patience = 1'000'000;  ///< neighbours looked at until there is a lower height
  std::int64_t most_work = std::numeric_limits<std::int64_t>::max();  ///< neighbours in one run
  int threads = 1;
  std::uint64_t seed = 0;
  Budget budget{};
  std::function<void(Size height)> lowered{};  ///< called for every lower height
};

class Ejection {
 public:
  /// require: `instance` outlives the object, no job has fragments.
  explicit Ejection(const Instance& instance);

  /// require: `offsets` is a placement.
  /// ensure: `offsets` is a placement that is no higher, the same whatever `threads` unless the
  /// budget ends it; returns its height.
  Size run(std::vector<Offset>& offsets, const EjectionParams& params);

  /// Neighbours looked at in all runs.
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
  std::vector<JobIndex> pool_;  ///< without a place; those of the tasks are not here
  std::vector<WindowTask> tasks_;
  std::vector<WindowResult> results_;  ///< one per task
  std::vector<std::unique_ptr<EjectionWindow>> workers_;
  std::int64_t work_ = 0;
  Size level_ = 0;   ///< that is to be reached
  Size height_ = 0;  ///< where the last run ended
  bool begun_ = false;
};

}  // namespace tessera::search::boxing
