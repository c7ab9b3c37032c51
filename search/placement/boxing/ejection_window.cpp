#include "search/placement/boxing/ejection_window.h"

#include <algorithm>

#include "model/numeric.h"

namespace tessera::search::boxing {

namespace {

/// Fixed work of a step, without visiting neighbours.
constexpr std::int64_t step_work = 200;
/// Work between two checks of the budget: a fraction of a millisecond.
constexpr std::int64_t scanned_between_checks = 100'000;
/// Breaks ties, which are frequent, and escapes from cycles.
constexpr double noise = 0.1;

}  // namespace

EjectionWindow::EjectionWindow(const Instance& instance, const SliceTimes& times,
                               std::span<const float> weights, std::span<const float> keys)
    : instance_(&instance),
      times_(&times),
      weights_(weights),
      keys_(keys),
      plain_(instance.reserved.empty() && instance.borders.empty()) {}

Offset EjectionWindow::legal(const Job& job, Offset from) const {
  if (!plain_) return next_legal(*instance_, job, from);
  from = std::max(from, job.low);
  return job.alignment == 1 ? from : align_up(from, job.alignment);
}

/// Collects all entries live at the same time as the job into near_, by address.
void EjectionWindow::gather(const Job& job, const Slices& slices) {
  near_.clear();
  runs_.assign(1, 0);
  const SliceIndex first = times_->of(job.lower);
  const SliceIndex last = times_->of(job.upper - 1);
  for (SliceIndex s = first; s <= last; ++s) {
    // Entries born before this slice were collected in an earlier one.
    const Section born = s == first ? 0 : times_->first(s);
    const Slice& slice = slices.at(s);
    scanned_ += static_cast<std::int64_t>(slice.size());
    const std::size_t before = near_.size();
    near_.resize(before + slice.size());
    std::size_t end = before;
    for (const Lying& lying : slice) {
      near_[end] = lying;
      const bool meets = static_cast<int>(lying.lower < job.upper) &
                         static_cast<int>(job.lower < lying.upper) &
                         static_cast<int>(lying.lower >= born);
      end += meets ? 1 : 0;
    }
    near_.resize(end);
    runs_.push_back(end);
  }
  merge_runs();
}

/// Each slice's part of near_ is sorted; pairs of parts are merged until one is left.
void EjectionWindow::merge_runs() {
  const auto by_begin = [](const Lying& a, const Lying& b) { return a.begin < b.begin; };
  while (runs_.size() > 2) {
    other_.resize(near_.size());
    merged_.assign(1, 0);
    const auto at = [](std::vector<Lying>& lying, std::size_t k) {
      return lying.begin() + static_cast<std::ptrdiff_t>(k);
    };
    for (std::size_t r = 0; r + 1 < runs_.size(); r += 2) {
      const std::size_t middle = runs_[r + 1];
      const std::size_t end = r + 2 < runs_.size() ? runs_[r + 2] : middle;
      std::merge(at(near_, runs_[r]), at(near_, middle), at(near_, middle), at(near_, end),
                 at(other_, runs_[r]), by_begin);
      merged_.push_back(end);
    }
    std::swap(near_, other_);
    std::swap(runs_, merged_);
  }
}

/// Collects the ends of near_ into ends_. Sorted by begin, they are nearly sorted by end.
void EjectionWindow::gather_ends() {
  ends_.clear();
  std::size_t moves = 0;
  for (const Lying& lying : near_) {
    const std::pair end(lying.end, movable(lying) ? lying.cost : -1.0F);
    std::size_t k = ends_.size();
    ends_.push_back(end);
    if (moves > 64 * near_.size()) continue;  // not nearly sorted: sorted below
    for (; k > 0 && ends_[k - 1].first > end.first; --k, ++moves) ends_[k] = ends_[k - 1];
    ends_[k] = end;
  }
  if (moves > 64 * near_.size()) std::sort(ends_.begin(), ends_.end());
}

/// -1: no hole begins at or below `last`.
Offset EjectionWindow::lowest_hole(const Job& job, Offset last) const {
  Offset offset = legal(job, 0);
  for (const Lying& lying : near_) {
    if (lying.begin >= offset + job.size) break;
    if (lying.end > offset) offset = legal(job, lying.end);
    if (offset > last) return -1;
  }
  return offset <= last ? offset : -1;
}

/// Among the places at or below `last` that begin at the end of another entry, the one whose
/// conflicting entries are worth least. An upward sweep: an entry conflicts if it has begun and not
/// ended.
EjectionWindow::Candidate EjectionWindow::cheapest(const Job& job, Offset last,
                                                   Random& random) const {
  Candidate best;
  best.cost = infinity;
  double cost = 0;
  std::int64_t firm = 0;  // conflicting entries that cannot move
  std::size_t begun = 0;
  std::size_t ended = 0;
  Offset seen = -1;
  for (std::size_t k = 0; k <= ends_.size(); ++k) {
    const Offset offset = legal(job, k == 0 ? 0 : ends_[k - 1].first);
    if (offset > last) break;
    if (offset <= seen) continue;
    seen = offset;
    for (; begun < near_.size() && near_[begun].begin < offset + job.size; ++begun) {
      if (movable(near_[begun]))
        cost += static_cast<double>(near_[begun].cost);
      else
        ++firm;
    }
    for (; ended < ends_.size() && ends_[ended].first <= offset; ++ended) {
      if (ends_[ended].second >= 0)
        cost -= static_cast<double>(ends_[ended].second);
      else
        --firm;
    }
    if (firm > 0 || cost >= best.cost) continue;
    const double noisy = cost * (1 + noise * random.unit());
    if (noisy < best.cost) best = {offset, noisy};
  }
  return best;
}

/// Places one job of the pool, if a place exists.
void EjectionWindow::step(const WindowTask& task, WindowResult& result, Random& random) {
  std::vector<JobIndex>& pool = result.pool;
  const auto weight = [&](std::size_t k) { return weights_[static_cast<std::size_t>(pool[k])]; };
  std::size_t pick = random.below(pool.size());
  for (int k = 0; k < 2; ++k) {  // prefers a large one
    const std::size_t other = random.below(pool.size());
    if (weight(other) > weight(pick)) pick = other;
  }
  const JobIndex j = pool[pick];
  const Job& job = instance_->jobs[static_cast<std::size_t>(j)];
  gather(job, result.slices);
  result.work += static_cast<std::int64_t>(near_.size()) + step_work;
  const Offset last = std::min(task.target, job.high) - job.size;
  Offset offset = lowest_hole(job, last);
  if (offset < 0) {
    result.penalties[static_cast<std::size_t>(j - result.first)] += 1;
    gather_ends();
    offset = cheapest(job, last, random).offset;
    if (offset < 0) return;
    for (const Lying& lying : near_) {
      if (lying.begin >= offset + job.size) break;
      if (lying.end <= offset) continue;
      result.slices.take(instance_->jobs[static_cast<std::size_t>(lying.job)], lying.job,
                         lying.begin);
      pool.push_back(lying.job);
    }
  }
  pool[pick] = pool.back();
  pool.pop_back();
  put(j, offset, result);
}

/// Places all jobs inside the window by descending key, each in the lowest hole.
void EjectionWindow::build(const WindowTask& task, const Budget& budget, WindowResult& result) {
  order_ = task.pool;
  for (SliceIndex s = task.from; s < task.to; ++s) {
    for (const Lying& lying : result.slices.at(s))
      if (movable(lying) && times_->of(lying.lower) == s) order_.push_back(lying.job);
    result.slices.erase_if(s, [&](const Lying& lying) { return movable(lying); });
  }
  const auto key = [&](JobIndex j) { return keys_[static_cast<std::size_t>(j)]; };
  std::sort(order_.begin(), order_.end(),
            [&](JobIndex a, JobIndex b) { return key(a) != key(b) ? key(a) > key(b) : a < b; });
  result.pool.clear();
  std::int64_t next_check = scanned_ + scanned_between_checks;
  bool over = false;
  for (const JobIndex j : order_) {
    if (over) {
      result.pool.push_back(j);
      continue;
    }
    const Job& job = instance_->jobs[static_cast<std::size_t>(j)];
    gather(job, result.slices);
    result.work += static_cast<std::int64_t>(near_.size()) + step_work;
    if (scanned_ >= next_check) {
      next_check = scanned_ + scanned_between_checks;
      over = budget.exhausted().has_value();
    }
    const Offset offset = lowest_hole(job, std::min(task.target, job.high) - job.size);
    if (offset >= 0)
      put(j, offset, result);
    else
      result.pool.push_back(j);
  }
}

void EjectionWindow::put(JobIndex j, Offset offset, WindowResult& result) const {
  const Job& job = instance_->jobs[static_cast<std::size_t>(j)];
  const float penalty = result.penalties[static_cast<std::size_t>(j - result.first)];
  result.slices.put(job, {offset, offset + job.size, job.lower, job.upper, j,
                          penalty * weights_[static_cast<std::size_t>(j)]});
}

void EjectionWindow::run(const WindowTask& task, const Slices& slices,
                         std::span<const float> penalties, const Budget& budget,
                         WindowResult& result) {
  lower_ = times_->first(task.from);
  upper_ = times_->first(task.to);
  const auto born_from = [&](Section section) {
    const auto& jobs = instance_->jobs;
    return std::partition_point(jobs.begin(), jobs.end(),
                                [&](const Job& job) { return job.lower < section; }) -
           jobs.begin();
  };
  const auto first = born_from(lower_);
  const auto end = born_from(upper_);
  result.first = static_cast<JobIndex>(first);
  result.penalties.assign(penalties.begin() + first, penalties.begin() + end);
  result.slices.copy(slices, task.from, task.to);
  result.pool = task.pool;
  result.work = 0;
  Random random(task.seed);
  if (task.anew) build(task, budget, result);
  const std::int64_t most = result.work + task.most_work;
  std::int64_t next_check = scanned_ + scanned_between_checks;
  while (!result.pool.empty() && result.work < most) {
    step(task, result, random);
    if (scanned_ < next_check) continue;
    next_check = scanned_ + scanned_between_checks;
    if (budget.exhausted()) break;
  }
  result.left = 0;
  for (const JobIndex j : result.pool)
    result.left += static_cast<double>(weights_[static_cast<std::size_t>(j)]);
}

}  // namespace tessera::search::boxing
