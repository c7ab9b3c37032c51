#include "search/placement/boxing/first_fit.h"

#include <algorithm>
#include <numeric>

namespace tessera::search::boxing {

FirstFit::FirstFit(const Instance& instance) : instance_(&instance), taken_(instance) {
  clear();
}

void FirstFit::clear() {
  taken_.clear();
  for (const Obstacle& obstacle : instance_->obstacles)
    taken_.add(obstacle.lower, obstacle.upper, obstacle.range);
}

Offset FirstFit::lowest(const Job& job, Size limit) {
  finder_.reset();
  sets_.clear();
  std::size_t blocked = 0;
  const auto block = [&](Section lower, Section upper, AddressRange range) {
    taken_.collect(lower, upper, sets_);
    for (; blocked < sets_.all.size(); ++blocked) finder_.block(*sets_.all[blocked], range);
  };
  if (job.fragment_count == 0) {
    block(job.lower, job.upper, {0, job.size});
  } else {
    for (const Fragment& fragment : instance_->fragments_of(job))
      block(fragment.lower, fragment.upper, fragment.range);
  }
  const Offset last = std::min(limit, job.high) - job.size;
  const Offset offset =
      finder_.lowest(job.low, last, [&](Offset from) { return next_legal(*instance_, job, from); });
  return offset <= last ? offset : no_height;
}

void FirstFit::add(const Job& job, Offset offset) {
  if (job.fragment_count == 0) {
    taken_.add(job.lower, job.upper, {offset, offset + job.size});
  } else {
    for (const Fragment& fragment : instance_->fragments_of(job))
      taken_.add(fragment.lower, fragment.upper, fragment.range.at(offset));
  }
}

Size FirstFit::place(std::span<const JobIndex> order, Size limit, const Budget& budget,
                     std::vector<Offset>& offsets) {
  clear();
  offsets.resize(instance_->jobs.size());
  Size height = instance_->floor;
  std::uint32_t steps = 0;
  for (const JobIndex j : order) {
    if (++steps % 32 == 0 && budget.exhausted()) return no_height;
    const Job& job = instance_->jobs[static_cast<std::size_t>(j)];
    const Offset offset = lowest(job, limit);
    if (offset == no_height) return no_height;
    add(job, offset);
    offsets[static_cast<std::size_t>(j)] = offset;
    height = std::max(height, offset + job.size);
  }
  return height;
}

std::vector<JobIndex> by_offset(std::span<const Offset> offsets) {
  std::vector<JobIndex> order(offsets.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](JobIndex a, JobIndex b) {
    return offsets[static_cast<std::size_t>(a)] < offsets[static_cast<std::size_t>(b)];
  });
  return order;
}

}  // namespace tessera::search::boxing
