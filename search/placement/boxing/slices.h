// What lies where and when, in slices of time: the structure behind ejection.
//
//   Slices slices(instance);
//   slices.put(job, offset, cost);  ...  slices.take(job, offset);
//   for (Slice& slice : slices.all) ...            // sorted by address
//
// Occupancy (occupancy.h) answers faster, but nothing can be taken out of it, and it does not know
// who takes an address. A slice lists all that lives during some consecutive sections, by address.
// As many jobs are born in a slice as half of those that live at once, so a job is in few slices
// and most of a slice lives at the same time as any job in it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/poll.h"
#include "search/placement/boxing/instance.h"

namespace tessera::search::boxing {

using SliceIndex = std::int32_t;

/// No job: an obstacle.
inline constexpr JobIndex nobody_moves = -1;

struct Lying {
  Offset begin = 0;
  Offset end = 0;
  Section lower = 0;
  Section upper = 0;
  JobIndex job = nobody_moves;
  float cost = 0;  ///< of putting it somewhere else
};
using Slice = std::vector<Lying>;  ///< sorted by begin

/// Where slices begin and end.
class SliceTimes {
 public:
  explicit SliceTimes(const Instance& instance);
  [[nodiscard]] SliceIndex count() const { return static_cast<SliceIndex>(first_.size()) - 1; }
  [[nodiscard]] SliceIndex of(Section section) const {
    return of_[static_cast<std::size_t>(section)];
  }
  /// The first section of a slice; of count(): the number of sections.
  [[nodiscard]] Section first(SliceIndex slice) const {
    return first_[static_cast<std::size_t>(slice)];
  }

 private:
  std::vector<SliceIndex> of_;
  std::vector<Section> first_;
};

/// Some consecutive slices.
class Slices {
 public:
  /// None yet.
  explicit Slices(const SliceTimes& times) : times_(&times) {}
  /// All slices with these places and the obstacles; a negative offset is no place. cost: per job.
  /// Throws BudgetEnded.
  void fill(const Instance& instance, std::span<const Offset> offsets, std::span<const float> costs,
            Poll poll = {});
  /// A copy of slices [from, to) of another, which has them.
  void copy(const Slices& other, SliceIndex from, SliceIndex to);
  /// Swaps its slices into the other, which has them.
  void swap_into(Slices& other);

  /// require: all slices the job lives in are here.
  void put(const Job& job, const Lying& lying);
  /// require: as above; it was put there.
  void take(const Job& job, JobIndex index, Offset offset);

  /// Of one slice alone: what is taken away has to be in no other, or taken from it as well.
  template <typename Which>
  void erase_if(SliceIndex slice, const Which& which) {
    std::erase_if(mine(slice), which);
  }

  [[nodiscard]] const Slice& at(SliceIndex slice) const {
    return slices_[static_cast<std::size_t>(slice - from_)];
  }
  [[nodiscard]] SliceIndex from() const { return from_; }
  [[nodiscard]] SliceIndex to() const { return from_ + static_cast<SliceIndex>(count_); }

 private:
  Slice& mine(SliceIndex slice) { return slices_[static_cast<std::size_t>(slice - from_)]; }

  const SliceTimes* times_;
  SliceIndex from_ = 0;
  std::size_t count_ = 0;
  std::vector<Slice> slices_;  ///< the first count_ are in use
};

}  // namespace tessera::search::boxing
