// Ejection in one window of time: jobs without a place push out others that are easier to place.
//
//   EjectionWindow window(instance, times, weights, keys);
//   window.run(task, slices, penalties, budget, result);     // `slices` stays as it is
//   if (result.pool.empty()) result.slices.swap_into(slices);
//
// A job of the pool goes to the lowest hole below the target. If there is none, it goes where what
// is in its way is worth least, and that goes into the pool. Worth is a power of size times life,
// times a penalty that grows whenever the job finds no hole, so that those which are hard to place
// stay longer and longer: ejection chains with the penalties of guided ejection search (Nagata and
// Braysy, "A powerful route minimization heuristic for the vehicle routing problem with time
// windows", Oper. Res. Lett. 37(5), 2009). What lives outside of the window, even in part, stays
// where it is, so windows that share no slice can be worked on at the same time. A window may also
// be built anew first: all that is inside, by the best key first, at the lowest holes.
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
  std::vector<JobIndex> pool;  ///< without a place; each lives inside of the window
  Size target = 0;             ///< no job may end above
  std::int64_t most_work = 0;  ///< neighbours looked at
  std::uint64_t seed = 0;
  bool anew = false;  ///< everything inside is taken out and put back first
};

struct WindowResult {
  explicit WindowResult(const SliceTimes& times) : slices(times) {}
  Slices slices;                 ///< the window's, afterwards
  std::vector<JobIndex> pool;    ///< still without a place
  double left = 0;               ///< what the pool is worth, without penalties
  JobIndex first = 0;            ///< jobs first, first + 1, ... are born in the window
  std::vector<float> penalties;  ///< theirs, afterwards
  std::int64_t work = 0;
};

/// The working memory of one thread.
class EjectionWindow {
 public:
  /// weights: what each job is worth. keys: who goes first where a window is built anew, the
  /// largest. require: all four outlive the object.
  EjectionWindow(const Instance& instance, const SliceTimes& times, std::span<const float> weights,
                 std::span<const float> keys);

  /// ensure: equal for equal arguments, unless the budget ends it; whoever lives in the window and
  /// is not in result.pool has a place in result.slices that ends at or below the target, if all
  /// that live there did before.
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
    return lying.job != nobody_moves && lying.lower >= lower_ && lying.upper <= upper_;
  }

  const Instance* instance_;
  const SliceTimes* times_;
  std::span<const float> weights_;
  std::span<const float> keys_;
  bool plain_ = true;  ///< only alignment and windows restrict offsets
  Section lower_ = 0;  ///< of the window
  Section upper_ = 0;
  std::vector<Lying> near_;   ///< what lives at the same time as the job, by address
  std::int64_t scanned_ = 0;  ///< entries of slices, so far
  std::vector<Lying> other_;
  std::vector<JobIndex> order_;
  std::vector<std::size_t> runs_;
  std::vector<std::size_t> merged_;
  std::vector<std::pair<Offset, float>> ends_;  ///< of near_, sorted; cost below 0: does not move
};

}  // namespace tessera::search::boxing
