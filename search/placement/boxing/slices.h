// Placed jobs in slices of time: the data structure of ejection.
//
//   Slices slices(instance);
//   slices.put(job, offset, cost);  ...  slices.take(job, offset);
//   for (Slice& slice : slices.all) ...            // sorted by address
//
// Occupancy (occupancy.h) answers queries faster, but nothing can be removed from it, and it does
// not know which job takes an address. A slice lists all jobs live during some consecutive
// sections, by address. The number of births in a slice is half the number of jobs live at once. A
// job is thus in few slices, and most jobs of a slice live at the same time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/poll.h"
#include "search/placement/boxing/instance.h"

namespace tessera::search::boxing {

using SliceIndex = std::int32_t;

/// No job: an obstacle.
inline constexpr JobIndex immovable = -1;

struct Lying {
  Offset begin = 0;
  Offset end = 0;
  Section lower = 0;
  Section upper = 0;
  JobIndex job = immovable;
  float cost = 0;  ///< of moving it to another place
};
using Slice = std::vector<Lying>;  ///< sorted by begin

/// The begin and end of each slice.
class SliceTimes {
 public:
  explicit SliceTimes(const Instance& instance);
  [[nodiscard]] SliceIndex count() const { return static_cast<SliceIndex>(first_.size()) - 1; }
  [[nodiscard]] SliceIndex of(Section section) const {
    return of_[static_cast<std::size_t>(section)];
  }
  /// The first section of a slice; the number of sections for count().
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
  /// Empty.
  explicit Slices(const SliceTimes& times) : times_(&times) {}
  /// All slices with these places and the obstacles; a negative offset is no place. cost: per job.
  /// Throws BudgetEnded.
  void fill(const Instance& instance, std::span<const Offset> offsets, std::span<const float> costs,
            Poll poll = {});
  /// A copy of slices [from, to) of another object, which has them.
  void copy(const Slices& other, SliceIndex from, SliceIndex to);
  /// Swaps its slices into the other object, which has them.
  void swap_into(Slices& other);

  /// require: this has all slices that the job lives in.
  void put(const Job& job, const Lying& lying);
  /// require: as above; the job was put there.
  void take(const Job& job, JobIndex index, Offset offset);

  /// For one slice: the removed entries have to be in no other slice, or have to be removed there,
  /// too.
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
