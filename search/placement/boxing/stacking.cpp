#include "search/placement/boxing/stacking.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "search/placement/boxing/first_fit.h"

namespace tessera::search::boxing {

namespace {

constexpr Section never = std::numeric_limits<Section>::max();

/// Larger keys, and earlier jobs among equal keys, have larger words. Never 0.
std::uint64_t word(float key, std::size_t job) {
  auto bits = std::bit_cast<std::uint32_t>(key);
  bits = (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
  return (static_cast<std::uint64_t>(bits) << 32) |
         (std::numeric_limits<std::uint32_t>::max() - static_cast<std::uint32_t>(job));
}

JobIndex job_of(std::uint64_t word) {
  return static_cast<JobIndex>(std::numeric_limits<std::uint32_t>::max() -
                               static_cast<std::uint32_t>(word));
}

}  // namespace

const Stacker::Node Stacker::no_job{never, -1, never, -1, 0};

Stacker::Stacker(const Instance& instance) : instance_(&instance) {}

void Stacker::prepare(const Budget& budget) {
  if (prepared_) return;
  Poll poll(budget);
  const Instance& instance = *instance_;
  const std::size_t n = instance.jobs.size();
  base_ = std::bit_ceil(std::max<std::size_t>(n, 1));
  nodes_.resize(2 * base_);
  order_.resize(n);
  std::iota(order_.begin(), order_.end(), 0);
  arrange(0, base_, false, poll);
  position_.resize(n);
  for (std::size_t leaf = 0; leaf < n; ++leaf)
    position_[static_cast<std::size_t>(order_[leaf])] = static_cast<JobIndex>(leaf);
  section_base_ = static_cast<Section>(
      std::bit_ceil(static_cast<std::uint32_t>(std::max(instance.sections, Section{1}))));
  fresh_top_.assign(2 * static_cast<std::size_t>(section_base_), 0);
  // The load of the hulls: stacking loses the space of gaps.
  std::vector<Size> load(static_cast<std::size_t>(instance.sections) + 1, 0);
  for (const Job& job : instance.jobs) {
    load[static_cast<std::size_t>(job.lower)] += job.size;
    load[static_cast<std::size_t>(job.upper)] -= job.size;
  }
  Size sum = 0;
  for (std::size_t s = 0; s < load.size() && s < static_cast<std::size_t>(section_base_); ++s) {
    sum += load[s];
    fresh_top_[static_cast<std::size_t>(section_base_) + s] = sum;
  }
  for (std::size_t node = static_cast<std::size_t>(section_base_) - 1; node > 0; --node)
    fresh_top_[node] = std::max(fresh_top_[2 * node], fresh_top_[2 * node + 1]);
  added_.resize(static_cast<std::size_t>(section_base_) * 2, 0);
  prepared_ = true;
}

/// Orders the leaves [from, from + width) so that the halves differ in birth or in death.
void Stacker::arrange(std::size_t from, std::size_t width, bool by_birth, Poll& poll) {
  const std::size_t to = std::min(from + width, order_.size());
  const std::size_t middle = from + width / 2;
  if (width < 2 || from >= to) return;
  poll(static_cast<std::int64_t>((to - from) / 32));
  if (middle < to) {
    std::nth_element(order_.begin() + static_cast<std::ptrdiff_t>(from),
                     order_.begin() + static_cast<std::ptrdiff_t>(middle),
                     order_.begin() + static_cast<std::ptrdiff_t>(to), [&](JobIndex a, JobIndex b) {
                       const Job& x = instance_->jobs[static_cast<std::size_t>(a)];
                       const Job& y = instance_->jobs[static_cast<std::size_t>(b)];
                       const Section p = by_birth ? x.lower : x.upper;
                       const Section q = by_birth ? y.lower : y.upper;
                       return p != q ? p < q : a < b;
                     });
  }
  arrange(from, width / 2, !by_birth, poll);
  arrange(middle, width / 2, !by_birth, poll);
}

void Stacker::pull(std::size_t node) {
  const Node& left = nodes_[2 * node];
  const Node& right = nodes_[2 * node + 1];
  nodes_[node] = {std::min(left.first_birth, right.first_birth),
                  std::max(left.last_birth, right.last_birth),
                  std::min(left.first_death, right.first_death),
                  std::max(left.last_death, right.last_death), std::max(left.best, right.best)};
}

void Stacker::start(std::span<const float> keys) {
  std::fill(nodes_.begin() + static_cast<std::ptrdiff_t>(base_), nodes_.end(), no_job);
  for (std::size_t leaf = 0; leaf < order_.size(); ++leaf) {
    const auto j = static_cast<std::size_t>(order_[leaf]);
    const Job& job = instance_->jobs[j];
    nodes_[base_ + leaf] = {job.lower, job.lower, job.upper, job.upper, word(keys[j], j)};
  }
  for (std::size_t node = base_ - 1; node > 0; --node) pull(node);
  top_ = fresh_top_;
  std::fill(added_.begin(), added_.end(), 0);
  segments_.clear();
  free_.clear();
  heap_.clear();
}

void Stacker::take(JobIndex job) {
  std::size_t node = base_ + static_cast<std::size_t>(position_[static_cast<std::size_t>(job)]);
  nodes_[node] = no_job;
  for (node /= 2; node > 0; node /= 2) pull(node);
}

void Stacker::search(std::size_t node, Section lower, Section upper, std::uint64_t& best) const {
  const Node& here = nodes_[node];
  if (here.best <= best || here.last_birth < lower || here.first_death > upper) return;
  if (here.first_birth >= lower && here.last_death <= upper) {
    best = here.best;
    return;
  }
  const std::size_t left = 2 * node;
  const std::size_t better = nodes_[left].best >= nodes_[left + 1].best ? left : left + 1;
  search(better, lower, upper, best);
  search(better ^ 1U, lower, upper, best);
}

JobIndex Stacker::best_within(Section lower, Section upper) const {
  std::uint64_t best = 0;
  search(1, lower, upper, best);
  return best == 0 ? -1 : job_of(best);
}

std::int32_t Stacker::open(Section lower, Section upper, Size height, std::int32_t previous,
                           std::int32_t next) {
  std::int32_t id = 0;
  if (free_.empty()) {
    id = static_cast<std::int32_t>(segments_.size());
    segments_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  segments_[static_cast<std::size_t>(id)] = {lower, upper, height, previous, next, true};
  if (previous >= 0) segments_[static_cast<std::size_t>(previous)].next = id;
  if (next >= 0) segments_[static_cast<std::size_t>(next)].previous = id;
  return id;
}

void Stacker::close(std::int32_t segment) {
  Segment& s = segments_[static_cast<std::size_t>(segment)];
  if (s.previous >= 0) segments_[static_cast<std::size_t>(s.previous)].next = s.next;
  if (s.next >= 0) segments_[static_cast<std::size_t>(s.next)].previous = s.previous;
  s.alive = false;
  free_.push_back(segment);
}

void Stacker::push(std::int32_t segment) {
  const Segment& s = segments_[static_cast<std::size_t>(segment)];
  heap_.push_back({s.height, s.lower, segment});
  std::push_heap(heap_.begin(), heap_.end(), [](const Entry& a, const Entry& b) {
    return a.height != b.height ? a.height > b.height : a.lower > b.lower;
  });
}

/// Merges the segment with neighbours of its height; returns the remaining one, not yet pushed.
std::int32_t Stacker::merge(std::int32_t segment) {
  Segment& s = segments_[static_cast<std::size_t>(segment)];
  if (s.previous >= 0 && segments_[static_cast<std::size_t>(s.previous)].height == s.height) {
    s.lower = segments_[static_cast<std::size_t>(s.previous)].lower;
    close(s.previous);
  }
  if (s.next >= 0 && segments_[static_cast<std::size_t>(s.next)].height == s.height) {
    s.upper = segments_[static_cast<std::size_t>(s.next)].upper;
    close(s.next);
  }
  return segment;
}

Size Stacker::waste(Section lower, Section upper, Size bytes) {
  return waste(1, 0, section_base_, lower, upper, bytes);
}

Size Stacker::waste(std::size_t node, Section l, Section u, Section lower, Section upper,
                    Size bytes) {
  if (lower <= l && u <= upper) {
    added_[node] += bytes;
    top_[node] += bytes;
    return top_[node];
  }
  const Section middle = l + (u - l) / 2;
  Size most = 0;
  if (lower < middle) most = waste(2 * node, l, middle, lower, upper, bytes);
  if (upper > middle) most = std::max(most, waste(2 * node + 1, middle, u, lower, upper, bytes));
  top_[node] = std::max(top_[2 * node], top_[2 * node + 1]) + added_[node];
  return most + added_[node];
}

double Stacker::excess(Size bound) {
  const auto base = static_cast<std::size_t>(section_base_);
  for (std::size_t node = 1; node < base; ++node) {
    for (const std::size_t child : {2 * node, 2 * node + 1}) {
      added_[child] += added_[node];
      top_[child] += added_[node];
    }
    added_[node] = 0;
  }
  double sum = 0;
  for (std::size_t s = 0; s < static_cast<std::size_t>(instance_->sections); ++s)
    sum += static_cast<double>(std::max<Size>(0, top_[base + s] - bound));
  return sum;
}

Size Stacker::stack(std::span<const float> keys, Size limit, const Budget& budget,
                    std::vector<Offset>& offsets) {
  const auto later = [](const Entry& a, const Entry& b) {
    return a.height != b.height ? a.height > b.height : a.lower > b.lower;
  };
  try {
    prepare(budget);
  } catch (const BudgetEnded&) {
    return no_height;
  }
  start(keys);
  if (top_[1] > limit) return no_height;
  offsets.resize(instance_->jobs.size());
  std::size_t left = instance_->jobs.size();
  if (left == 0) return instance_->floor;
  Size height = instance_->floor;
  push(open(0, instance_->sections, 0, -1, -1));
  for (std::uint32_t steps = 1; left > 0; ++steps) {
    if (steps % 256 == 0 && budget.exhausted()) return no_height;
    const Entry entry = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
    const std::int32_t id = entry.segment;
    const Segment here = segments_[static_cast<std::size_t>(id)];
    if (!here.alive || here.height != entry.height || here.lower != entry.lower) continue;

    const JobIndex j = best_within(here.lower, here.upper);
    if (j < 0) {
      Size to = no_height;
      if (here.previous >= 0) to = segments_[static_cast<std::size_t>(here.previous)].height;
      if (here.next >= 0) to = std::min(to, segments_[static_cast<std::size_t>(here.next)].height);
      if (waste(here.lower, here.upper, to - here.height) > limit) return no_height;
      segments_[static_cast<std::size_t>(id)].height = to;
      push(merge(id));
      continue;
    }
    const Job& job = instance_->jobs[static_cast<std::size_t>(j)];
    const Offset offset = align_up(here.height, job.alignment);
    const Offset end = offset + job.size;
    if (offset > here.height && waste(job.lower, job.upper, offset - here.height) > limit)
      return no_height;
    if (end > limit) return no_height;
    offsets[static_cast<std::size_t>(j)] = offset;
    height = std::max(height, end);
    take(j);
    --left;
    // The segment is split into the part left of the job, the job, and the part right of it.
    if (here.lower < job.lower) push(open(here.lower, job.lower, here.height, here.previous, id));
    if (job.upper < here.upper) push(open(job.upper, here.upper, here.height, id, here.next));
    Segment& top = segments_[static_cast<std::size_t>(id)];
    top.lower = job.lower;
    top.upper = job.upper;
    top.height = end;
    push(merge(id));
  }
  return height;
}

}  // namespace tessera::search::boxing
