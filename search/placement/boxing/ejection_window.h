// Ejection in one window of time: unplaced jobs push out jobs that are easier to place.
//
//   EjectionWindow window(instance, times, weights, keys);
//   window.run(task, slices, penalties, budget, result);     // `slices` stays as it is
//   if (result.pool.empty()) result.slices.swap_into(slices);
//
// A job of the pool goes into the lowest hole below the target. If there is none, it goes where the
// conflicting jobs are worth least, and those go into the pool. The worth of a job is a power of
// size times life, times a penalty. The penalty grows whenever the job finds no hole, so jobs that
// are hard to place stay longer: ejection chains with the penalties of guided ejection search
// (Nagata and Braysy, "A powerful route minimization heuristic for the vehicle routing problem with
// time windows", Oper. Res. Lett. 37(5), 2009). A job that lives partly outside the window does not
// move, so windows without common slices may be processed concurrently. A window may also be
// rebuilt first: all jobs inside by descending key, in the lowest holes.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/random.h"
#include "search/placement/boxing/instance.h"
#include "search/placement/boxing/slices.h"

namespace tessera::search::boxing {

struct WindowTask {
  SliceIndex from = 0;  ///< the window: slices [from, to)
  SliceIndex to = 0;
  std::vector<JobIndex> pool;  ///< unplaced jobs; each lives inside the window
  Size target = 0;             ///< no job may end above
  std::int64_t most_work = 0;  ///< neighbours visited
  std::uint64_t seed = 0;
  bool anew = false;  ///< first removes and places again all jobs inside
};

struct WindowResult {
  explicit WindowResult(const SliceTimes& times) : slices(times) {}
  Slices slices;                 ///< of the window, afterwards
  std::vector<JobIndex> pool;    ///< jobs still unplaced
  double left = 0;               ///< the worth of the pool, without penalties
  JobIndex first = 0;            ///< jobs first, first + 1, ... are born in the window
  std::vector<float> penalties;  ///< of these jobs, afterwards
  std::int64_t work = 0;
};

/// The state of one thread.
class EjectionWindow {
 public:
  /// weights: the worth of each job. keys: the order of rebuilding, the largest first.
  /// require: all four arguments outlive the object.
  EjectionWindow(const Instance& instance, const SliceTimes& times, std::span<const float> weights,
                 std::span<const float> keys);

  /// ensure: deterministic, unless the budget ends it. Each job of the window that is not in
  /// result.pool has a place in result.slices. It ends at or below the target if all placed jobs
  /// did before.
  void run(const WindowTask& task, const Slices& slices, std::span<const float> penalties,
           const Budget& budget, WindowResult& result);

 private:
  struct Candidate {
    Offset offset = -1;
    double cost = 0;
  };

  void build(const WindowTask& task, const Budget& budget, WindowResult& result);
  void put(JobIndex j, Offset offset, WindowResult& result) const;
  void step(const WindowTask& task, WindowResult& result, Random& random);
  void gather(const Job& job, const Slices& slices);
  void merge_runs();
  void gather_ends();
  [[nodiscard]] Offset legal(const Job& job, Offset from) const;
  [[nodiscard]] Offset lowest_hole(const Job& job, Offset last) const;
  [[nodiscard]] Candidate cheapest(const Job& job, Offset last, Random& random) const;
  [[nodiscard]] bool movable(const Lying& lying) const {
    return lying.job != immovable && lying.lower >= lower_ && lying.upper <= upper_;
  }

  const Instance* instance_;
  const SliceTimes* times_;
  std::span<const float> weights_;
  std::span<const float> keys_;
  bool plain_ = true;  ///< only alignment and windows restrict offsets
  Section lower_ = 0;  ///< of the window
  Section upper_ = 0;
  std::vector<Lying> near_;   ///< entries live at the same time as the job, by address
  std::int64_t scanned_ = 0;  ///< entries of slices visited so far
  std::vector<Lying> other_;
  std::vector<JobIndex> order_;
  std::vector<std::size_t> runs_;
  std::vector<std::size_t> merged_;
  std::vector<std::pair<Offset, float>> ends_;  ///< of near_, sorted; cost below 0: immovable
};

}  // namespace tessera::search::boxing
