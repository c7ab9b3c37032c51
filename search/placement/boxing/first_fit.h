// First fit in a given order, and the squeeze: first fit in increasing offset.
//
//   FirstFit fit(instance);
//   Size height = fit.place(order, limit, offsets);        // > limit: stopped early
//
// Every job goes into the lowest hole that satisfies all its constraints: alignment, window,
// reserved ranges, borders, gaps, obstacles.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "search/placement/boxing/instance.h"
#include "search/placement/boxing/occupancy.h"

namespace tessera::search::boxing {

/// Above every height: a job did not fit into its window, or a round was stopped.
inline constexpr Size no_height = std::numeric_limits<Size>::max();

class FirstFit {
 public:
  /// require: `instance` outlives the object.
  explicit FirstFit(const Instance& instance);

  /// Removes all jobs; obstacles remain.
  void clear();
  /// The lowest offset for the job among the added ones; no_height if it ends above `limit` or its
  /// window.
  [[nodiscard]] Offset lowest(const Job& job, Size limit);
  void add(const Job& job, Offset offset);

  /// Places all jobs in this order into an empty memory. Returns the height; or no_height as soon
  /// as a job would end above `limit`, or if the budget ends it.
  Size place(std::span<const JobIndex> order, Size limit, const Budget& budget,
             std::vector<Offset>& offsets);

 private:
  const Instance* instance_;
  Occupancy taken_;
  HoleFinder finder_;
  Occupancy::Sets sets_;
};

/// The jobs by ascending offset.
[[nodiscard]] std::vector<JobIndex> by_offset(std::span<const Offset> offsets);

}  // namespace tessera::search::boxing
