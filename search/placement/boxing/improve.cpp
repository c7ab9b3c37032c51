#include "search/placement/boxing/improve.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "search/placement/boxing/first_fit.h"

namespace tessera::search::boxing {

Improver::Improver(const Instance& instance) : instance_(&instance) {
  const std::size_t n = instance.jobs.size();
  base_ = std::bit_ceil(std::max<std::size_t>(n, 1));
  latest_death_.assign(2 * base_, 0);
  for (std::size_t j = 0; j < n; ++j) latest_death_[base_ + j] = instance.jobs[j].upper;
  for (std::size_t node = base_ - 1; node > 0; --node)
    latest_death_[node] = std::max(latest_death_[2 * node], latest_death_[2 * node + 1]);
  out_.assign(n, 0);
}

/// All jobs live in [lower, upper), by a walk over the tournament tree.
void Improver::living(Section lower, Section upper, std::vector<JobIndex>& found) const {
  found.clear();
  const auto& jobs = instance_->jobs;
  const auto end = static_cast<std::size_t>(
      std::partition_point(jobs.begin(), jobs.end(),
                           [&](const Job& job) { return job.lower < upper; }) -
      jobs.begin());
  std::size_t j = 0;
  while (j < end) {
    // Skips the largest subtree that begins at j and dies too early.
    std::size_t node = base_ + j;
    if (latest_death_[node] > lower) {
      found.push_back(static_cast<JobIndex>(j));
      ++j;
      continue;
    }
    std::size_t width = 1;
    while (node % 2 == 0 && latest_death_[node / 2] <= lower) {
      node /= 2;
      width *= 2;
    }
    j += width;
  }
}

void Improver::ruin(JobIndex top, std::span<const Offset> offsets, Random& random) {
  const Job& job = instance_->jobs[static_cast<std::size_t>(top)];
  // A time range in or around the top job's life.
  Section lower = job.lower;
  Section upper = job.upper;
  if (random.below(2) == 0) {
    const auto at = static_cast<Section>(random.below(static_cast<std::uint64_t>(upper - lower)));
    lower += at;
    upper = lower + 1;
  }
  living(lower, upper, around_);
  work_ += static_cast<std::int64_t>(around_.size());
  removed_.clear();
  removed_.push_back(top);
  out_[static_cast<std::size_t>(top)] = 1;
  if (around_.empty()) return;
  // Jobs near a random address, and some random ones.
  const std::uint64_t most = std::min<std::uint64_t>(around_.size(), 48);
  const auto count =
      static_cast<std::size_t>(std::exp2(random.unit() * std::log2(static_cast<double>(most) + 1)));
  const bool near = random.below(3) != 0;
  if (near) {
    const JobIndex centre = around_[random.below(around_.size())];
    const Offset address = random.below(2) == 0 ? offsets[static_cast<std::size_t>(top)]
                                                : offsets[static_cast<std::size_t>(centre)];
    const auto distance = [&](JobIndex j) {
      const Offset begin = offsets[static_cast<std::size_t>(j)];
      const Offset end = begin + instance_->jobs[static_cast<std::size_t>(j)].size;
      return std::pair(address < begin ? begin - address : address > end ? address - end : 0, j);
    };
    const std::size_t keep = std::min(around_.size(), count);
    std::nth_element(around_.begin(), around_.begin() + static_cast<std::ptrdiff_t>(keep - 1),
                     around_.end(),
                     [&](JobIndex a, JobIndex b) { return distance(a) < distance(b); });
    around_.resize(keep);
    std::sort(around_.begin(), around_.end());
  }
  for (std::size_t k = 0; k < count && !around_.empty(); ++k) {
    const std::size_t pick = near ? k % around_.size() : random.below(around_.size());
    const JobIndex j = around_[pick];
    if (out_[static_cast<std::size_t>(j)] != 0) continue;
    out_[static_cast<std::size_t>(j)] = 1;
    removed_.push_back(j);
  }
}

/// Adds the offsets that a taken range forbids: (taken.begin - fragment.end, taken.end -
/// fragment.begin).
void Improver::forbid(const Job& job, Section lower, Section upper, AddressRange taken) {
  if (job.fragment_count == 0) {
    if (lower < job.upper && job.lower < upper)
      forbidden_.push_back({taken.begin - job.size, taken.end});
    return;
  }
  for (const Fragment& fragment : instance_->fragments_of(job)) {
    if (lower < fragment.upper && fragment.lower < upper)
      forbidden_.push_back({taken.begin - fragment.range.end, taken.end - fragment.range.begin});
  }
}

Offset Improver::lowest(JobIndex j, std::span<const Offset> offsets, Size limit) {
  const Job& job = instance_->jobs[static_cast<std::size_t>(j)];
  living(job.lower, job.upper, around_);
  work_ += static_cast<std::int64_t>(around_.size());
  forbidden_.clear();
  for (const JobIndex k : around_) {
    if (out_[static_cast<std::size_t>(k)] != 0) continue;
    const Job& other = instance_->jobs[static_cast<std::size_t>(k)];
    const Offset offset = offsets[static_cast<std::size_t>(k)];
    if (other.fragment_count == 0) {
      forbid(job, other.lower, other.upper, {offset, offset + other.size});
    } else {
      for (const Fragment& fragment : instance_->fragments_of(other))
        forbid(job, fragment.lower, fragment.upper, fragment.range.at(offset));
    }
  }
  for (const Obstacle& obstacle : instance_->obstacles)
    forbid(job, obstacle.lower, obstacle.upper, obstacle.range);
  std::sort(forbidden_.begin(), forbidden_.end());
  const Offset last = std::min(limit, job.high) - job.size;
  Offset offset = next_legal(*instance_, job, job.low);
  for (const AddressRange& range : forbidden_) {
    if (range.begin >= offset) {
      // Sorted by begin, but a legal offset may be above several of them.
      break;
    }
    if (range.end > offset) offset = next_legal(*instance_, job, range.end);
    if (offset > last) return no_height;
  }
  return offset <= last ? offset : no_height;
}

/// With very many jobs, one step takes longer than a limit may be exceeded.
bool Improver::is_over(const Budget& budget) {
  if (work_ - checked_at_ < 20'000) return over_;
  checked_at_ = work_;
  over_ = over_ || budget.exhausted();
  return over_;
}

void Improver::find_tops(std::span<const Offset> offsets, Size target) {
  const auto& jobs = instance_->jobs;
  tops_.clear();
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (offsets[j] + jobs[j].size > target) tops_.push_back(static_cast<JobIndex>(j));
  }
  work_ += static_cast<std::int64_t>(jobs.size());
}

/// Usually one of the highest.
JobIndex Improver::draw_top(std::span<const Offset> offsets, Random& random) const {
  JobIndex top = tops_[random.below(tops_.size())];
  for (int k = 0; k < 3; ++k) {
    const JobIndex other = tops_[random.below(tops_.size())];
    if (end_of(other, offsets) > end_of(top, offsets)) top = other;
  }
  return top;
}

/// Of the removed jobs. Sums of squares would overflow 64 bits; doubles suffice for ranking.
double Improver::excess(std::span<const Offset> offsets, Size target) const {
  double sum = 0;
  for (const JobIndex j : removed_) {
    const auto above = static_cast<double>(std::max<Size>(0, end_of(j, offsets) - target));
    sum += above * above;
  }
  return sum;
}

/// The order in which removed jobs are placed again.
void Improver::draw_order(Random& random) {
  order_.clear();
  const int rule = static_cast<int>(random.below(4));
  const auto noise = static_cast<float>(random.below(2) == 0 ? 4 : 1);
  for (const JobIndex j : removed_) {
    const Job& job = instance_->jobs[static_cast<std::size_t>(j)];
    const float size = std::log2(static_cast<float>(job.size));
    const float life = std::log2(static_cast<float>(job.upper - job.lower));
    const float key = rule == 0 ? size : rule == 1 ? size + life : rule == 2 ? life : 0;
    order_.emplace_back(-key + noise * static_cast<float>(random.unit()), j);
  }
  std::sort(order_.begin(), order_.end());
}

/// Places each in its lowest hole below `height`. False: one has no hole, or the budget ended.
bool Improver::recreate(std::span<Offset> offsets, Size height, const Budget& budget) {
  for (const auto& [key, j] : order_) {
    const Offset offset = lowest(j, offsets, height);
    if (offset == no_height || is_over(budget)) return false;
    offsets[static_cast<std::size_t>(j)] = offset;
    out_[static_cast<std::size_t>(j)] = 0;
  }
  return true;
}

/// Updates the tops after the removed jobs have moved.
void Improver::update_tops(std::span<const Offset> offsets, Size target) {
  for (const JobIndex j : removed_)
    if (end_of(j, offsets) > target) tops_.push_back(j);
  std::erase_if(tops_, [&](JobIndex j) { return end_of(j, offsets) <= target; });
  std::sort(tops_.begin(), tops_.end());
  tops_.erase(std::unique(tops_.begin(), tops_.end()), tops_.end());
}

Size Improver::run(std::vector<Offset>& offsets, const ImproveParams& params, Random& random) {
  Size height = height_of(*instance_, offsets);
  work_ = checked_at_ = 0;
  over_ = false;
  for (std::int64_t step = 0; step < params.steps && height > params.target; ++step) {
    if (work_ > params.max_work || is_over(params.budget) ||
        (step % 16 == 0 && params.budget.exhausted()))
      break;
    if (tops_.empty() || step % 64 == 0) {
      find_tops(offsets, params.target);
      if (tops_.empty()) break;
    }
    ruin(draw_top(offsets, random), offsets, random);
    const double was = excess(offsets, params.target);
    before_.clear();
    for (const JobIndex j : removed_) before_.push_back(offsets[static_cast<std::size_t>(j)]);
    draw_order(random);
    const bool keep =
        recreate(offsets, height, params.budget) && excess(offsets, params.target) <= was;
    for (std::size_t k = 0; k < removed_.size(); ++k) {
      const auto j = static_cast<std::size_t>(removed_[k]);
      out_[j] = 0;
      if (!keep) offsets[j] = before_[k];
    }
    if (!keep) continue;
    update_tops(offsets, params.target);
    Size highest = std::max(instance_->floor, std::min(params.target, height));
    for (const JobIndex j : tops_) highest = std::max(highest, end_of(j, offsets));
    height = highest;
  }
  return height_of(*instance_, offsets);
}

}  // namespace tessera::search::boxing
