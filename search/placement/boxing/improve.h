// Ruin and recreate around the peak.
//
//   Improver improver(instance);
//   Size height = improver.run(offsets, {.bound = instance.lower_bound}, random);
//
// Removes one of the highest jobs and some jobs live at the same time. Then places them again in
// another order, each in its lowest hole. The result is kept if the excess above the bound does not
// grow (Schrimpf, Schneider, Stamm-Wilbrandt and Dueck, "Record breaking optimization results using
// the ruin and recreate principle", J. Comput. Phys. 159, 2000). A step only visits jobs live at
// that time, so its cost does not depend on the length of the trace.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "model/random.h"
#include "search/placement/boxing/instance.h"

namespace tessera::search::boxing {

struct ImproveParams {
  Size target = 0;                    ///< stop at this height
  std::int64_t steps = 100;           ///< number of ruins
  std::int64_t max_work = 1'000'000;  ///< pairs of jobs visited
  Budget budget{};
};

class Improver {
 public:
  /// require: `instance` outlives the object.
  explicit Improver(const Instance& instance);

  /// require: `offsets` is a placement.
  /// ensure: `offsets` is a placement that is no higher; returns its height.
  Size run(std::vector<Offset>& offsets, const ImproveParams& params, Random& random);

 private:
  void living(Section lower, Section upper, std::vector<JobIndex>& found) const;
  void ruin(JobIndex top, std::span<const Offset> offsets, Random& random);
  [[nodiscard]] Offset lowest(JobIndex j, std::span<const Offset> offsets, Size limit);
  void forbid(const Job& job, Section lower, Section upper, AddressRange taken);
  [[nodiscard]] bool is_over(const Budget& budget);
  void find_tops(std::span<const Offset> offsets, Size target);
  [[nodiscard]] JobIndex draw_top(std::span<const Offset> offsets, Random& random) const;
  [[nodiscard]] double excess(std::span<const Offset> offsets, Size target) const;
  void draw_order(Random& random);
  [[nodiscard]] bool recreate(std::span<Offset> offsets, Size height, const Budget& budget);
  void update_tops(std::span<const Offset> offsets, Size target);
  [[nodiscard]] Offset end_of(JobIndex j, std::span<const Offset> offsets) const {
    return offsets[static_cast<std::size_t>(j)] + instance_->jobs[static_cast<std::size_t>(j)].size;
  }

  const Instance* instance_;
  std::size_t base_ = 1;
  std::vector<Section> latest_death_;  ///< tournament over the jobs in order of birth
  // Reused memory.
  std::vector<JobIndex> around_;
  std::vector<JobIndex> removed_;
  std::vector<std::uint8_t> out_;
  std::vector<Offset> before_;
  std::vector<AddressRange> forbidden_;
  std::vector<JobIndex> tops_;
  std::vector<std::pair<float, JobIndex>> order_;
  std::int64_t work_ = 0;
  std::int64_t checked_at_ = 0;  ///< work at the last check of the budget
  bool over_ = false;            ///< its result
};

}  // namespace tessera::search::boxing
