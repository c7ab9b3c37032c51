// Stacking: repeatedly fills the lowest open place with the best buffer that fits into it in time.
//
//   Stacker stacker(instance);
//   Size height = stacker.stack(keys, limit, offsets);     // no_height: the limit is out of reach
//
// The skyline is a row of segments over time. The lowest segment is filled with the job of the
// highest key among those that live entirely within it. If there is none, it is raised to its lower
// neighbour (Sekiyama, Imamichi, Imai and Raymond, "Profile-guided memory optimization for deep
// neural networks", arXiv 1804.10001, after Burke, Kendall and Whitwell's best fit for stock
// cutting, Oper. Res. 52(4), 2004). The raised area is waste. Therefore load plus waste of a
// section always is a lower bound on the final height. A round stops as soon as this bound reaches
// the limit, long before a job does. The final height is the largest such sum.
//
// Needs O(n) memory. A choice walks a tournament that splits the jobs alternately by birth and by
// death (a k-d tree; Bentley, Comm. ACM 18(9), 1975). It only enters nodes that a side of the
// segment cuts, and among those only nodes with a better key than the incumbent.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "model/poll.h"
#include "search/placement/boxing/instance.h"

namespace tessera::search::boxing {

class Stacker {
 public:
  /// require: `instance` outlives the object.
  explicit Stacker(const Instance& instance);

  /// Places every job without regard to obstacles, reserved ranges, windows and borders; gaps count
  /// as taken. keys: one per job, highest first. Returns the height; or no_height as soon as it is
  /// certain to exceed `limit`, or if the budget ends it.
  Size stack(std::span<const float> keys, Size limit, const Budget& budget,
             std::vector<Offset>& offsets);

  /// For the last complete stack: the sum over sections of the excess of load plus waste above
  /// `bound`.
  [[nodiscard]] double excess(Size bound);

 private:
  /// Summary of the unplaced jobs at or below the node.
  struct Node {
    Section first_birth = 0;
    Section last_birth = 0;
    Section first_death = 0;
    Section last_death = 0;
    std::uint64_t best = 0;  ///< key and job; 0: none left
  };
  struct Segment {
    Section lower = 0;
    Section upper = 0;
    Size height = 0;
    std::int32_t previous = -1;
    std::int32_t next = -1;
    bool alive = false;
  };
  struct Entry {
    Size height;
    Section lower;
    std::int32_t segment;
  };

  static const Node no_job;

  /// Builds the tournament once. Throws BudgetEnded.
  void prepare(const Budget& budget);
  void start(std::span<const float> keys);
  void pull(std::size_t node);
  void take(JobIndex job);
  [[nodiscard]] JobIndex best_within(Section lower, Section upper) const;
  void search(std::size_t node, Section lower, Section upper, std::uint64_t& best) const;
  void arrange(std::size_t from, std::size_t width, bool by_birth, Poll& poll);

  std::int32_t open(Section lower, Section upper, Size height, std::int32_t previous,
                    std::int32_t next);
  void close(std::int32_t segment);
  void push(std::int32_t segment);
  std::int32_t merge(std::int32_t segment);
  /// Returns the largest load plus waste of the sections.
  Size waste(Section lower, Section upper, Size bytes);
  Size waste(std::size_t node, Section l, Section u, Section lower, Section upper, Size bytes);

  const Instance* instance_;
  bool prepared_ = false;
  std::size_t base_ = 1;            ///< number of leaves of the tournament
  std::vector<JobIndex> order_;     ///< the job of each leaf
  std::vector<JobIndex> position_;  ///< the leaf of each job
  std::vector<Node> nodes_;
  std::vector<Segment> segments_;
  std::vector<std::int32_t> free_;
  std::vector<Entry> heap_;
  Section section_base_ = 1;
  std::vector<Size> top_;        ///< per node: the largest load plus waste below it, minus
  std::vector<Size> added_;      ///< additions to it or above
  std::vector<Size> fresh_top_;  ///< the same before any waste
};

}  // namespace tessera::search::boxing
