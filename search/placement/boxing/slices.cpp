#include "search/placement/boxing/slices.h"

#include <algorithm>
#include <utility>

namespace tessera::search::boxing {

namespace {

bool lower_address(const Lying& a, const Lying& b) {
  return a.begin != b.begin ? a.begin < b.begin : a.job < b.job;
}

/// The average number of live jobs over the sections.
double average_living(const Instance& instance) {
  double sum = 0;
  for (const Job& job : instance.jobs) sum += static_cast<double>(job.upper - job.lower);
  return sum / static_cast<double>(std::max<Section>(instance.sections, 1));
}

}  // namespace

SliceTimes::SliceTimes(const Instance& instance) {
  const auto births = static_cast<std::size_t>(std::max(1.0, average_living(instance) / 2));
  of_.resize(static_cast<std::size_t>(instance.sections));
  first_.push_back(0);
  std::size_t born = 0;
  std::size_t job = 0;
  for (Section s = 0; s < instance.sections; ++s) {
    if (born >= births) {
      first_.push_back(s);
      born = 0;
    }
    of_[static_cast<std::size_t>(s)] = static_cast<SliceIndex>(first_.size()) - 1;
    for (; job < instance.jobs.size() && instance.jobs[job].lower <= s; ++job) ++born;
  }
  first_.push_back(instance.sections);
}

void Slices::fill(const Instance& instance, std::span<const Offset> offsets,
                  std::span<const float> costs, Poll poll) {
  from_ = 0;
  count_ = static_cast<std::size_t>(times_->count());
  slices_.resize(count_);
  for (Slice& slice : slices_) slice.clear();
  const auto append = [&](const Lying& lying) {
    for (SliceIndex s = times_->of(lying.lower), last = times_->of(lying.upper - 1); s <= last; ++s)
      mine(s).push_back(lying);
  };
  for (const Obstacle& obstacle : instance.obstacles) {
    append(
        {obstacle.range.begin, obstacle.range.end, obstacle.lower, obstacle.upper, immovable, 0});
  }
  for (std::size_t j = 0; j < offsets.size(); ++j) {
    const Job& job = instance.jobs[j];
    if (offsets[j] < 0) continue;
    poll();
    append({offsets[j], offsets[j] + job.size, job.lower, job.upper, static_cast<JobIndex>(j),
            costs[j]});
  }
  for (Slice& slice : slices_) {
    poll(static_cast<std::int64_t>(slice.size()));
    std::sort(slice.begin(), slice.end(), lower_address);
  }
}

void Slices::copy(const Slices& other, SliceIndex from, SliceIndex to) {
  from_ = from;
  count_ = static_cast<std::size_t>(to - from);
  if (slices_.size() < count_) slices_.resize(count_);
  for (SliceIndex s = from; s < to; ++s) mine(s) = other.at(s);
}

void Slices::swap_into(Slices& other) {
  for (SliceIndex s = from(); s < to(); ++s) std::swap(mine(s), other.mine(s));
}

void Slices::put(const Job& job, const Lying& lying) {
  for (SliceIndex s = times_->of(job.lower), last = times_->of(job.upper - 1); s <= last; ++s) {
    Slice& slice = mine(s);
    slice.insert(std::upper_bound(slice.begin(), slice.end(), lying, lower_address), lying);
  }
}

void Slices::take(const Job& job, JobIndex index, Offset offset) {
  Lying lying;
  lying.begin = offset;
  lying.job = index;
  for (SliceIndex s = times_->of(job.lower), last = times_->of(job.upper - 1); s <= last; ++s) {
    Slice& slice = mine(s);
    slice.erase(std::lower_bound(slice.begin(), slice.end(), lying, lower_address));
  }
}

}  // namespace tessera::search::boxing
