#include "search/placement/boxing/ejection.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "model/parallel.h"
#include "model/poll.h"

namespace tessera::search::boxing {

namespace {

/// Exponent of size times life: large jobs are harder to place, but less than in proportion.
constexpr float weight_exponent = 0.7F;
/// The order in which a window is rebuilt: the logarithm of the size, and these shares of the
/// logarithms of the life and of the largest load in it.
constexpr float life_in_key = 0.25F;
constexpr float load_in_key = 16;
/// The share of the distance to the target that remains at the next level.
constexpr double level_share = 0.9;
/// No rebuilding below this relative distance to the target.
constexpr double near_enough = 0.005;
/// Limit on unplaced jobs after windows were rebuilt, plus one percent of all jobs.
constexpr std::size_t most_left_anew = 8;
/// Slices of a window on either side of its first job; two slices are about one life.
constexpr SliceIndex margin = 6;
/// Touching windows are merged up to this number of slices.
constexpr SliceIndex longest_window = 64;
/// The same for rebuilt windows, which have to fit to the unchanged jobs at their ends.
constexpr SliceIndex margin_anew = 24;
constexpr SliceIndex longest_anew = 256;
/// A window is copied while it is processed, so more would need more memory.
constexpr std::size_t most_windows = 64;
/// Neighbours visited in a window before the windows are drawn again.
constexpr std::int64_t window_work = 3'000'000;

}  // namespace

Ejection::Ejection(const Instance& instance)
    : instance_(&instance), times_(instance), slices_(times_) {
  const std::vector<Size> loads = contention(instance);
  for (std::size_t j = 0; j < instance.jobs.size(); ++j) {
    const Job& job = instance.jobs[j];
    const auto size = static_cast<float>(job.size);
    const auto life = static_cast<float>(job.upper - job.lower);
    const auto load = static_cast<float>(std::max<Size>(loads[j], 1));
    weights_.push_back(std::pow(size * life, weight_exponent));
    keys_.push_back(std::log2(size) + life_in_key * std::log2(life) +
                    load_in_key * std::log2(load));
  }
}

/// Does the job belong to the last window, which may grow?
bool Ejection::joins(WindowTask& last, JobIndex j, SliceIndex from, SliceIndex to,
                     SliceIndex longest) const {
  if (from >= last.to) return false;
  const Job& job = instance_->jobs[static_cast<std::size_t>(j)];
  if (to - last.from <= longest) last.to = std::max(last.to, to);
  return job.upper <= times_.first(last.to);
}

/// Divides the pool into windows of time. A job that shares no window with its neighbours waits for
/// other windows.
void Ejection::divide(const WindowTask& each, Random& random) {
  std::sort(pool_.begin(), pool_.end());  // by birth
  tasks_.clear();
  std::vector<JobIndex> waiting;
  // Nothing moves across window borders, so they change between rounds.
  SliceIndex longest =
      each.anew ? longest_anew
      : random.below(8) == 0
          ? times_.count()
          : longest_window / 2 +
                static_cast<SliceIndex>(random.below(static_cast<std::uint64_t>(longest_window)));
  const SliceIndex beside = each.anew ? margin_anew : margin;
  for (const JobIndex j : pool_) {
    const Job& job = instance_->jobs[static_cast<std::size_t>(j)];
    const SliceIndex born = times_.of(job.lower);
    SliceIndex from = std::max(0, born - beside);
    const SliceIndex to = std::min(times_.count(), times_.of(job.upper - 1) + 1 + beside);
    if (!tasks_.empty()) {
      if (joins(tasks_.back(), j, from, to, longest)) {
        tasks_.back().pool.push_back(j);
        continue;
      }
      if (born < tasks_.back().to || tasks_.size() == most_windows) {
        waiting.push_back(j);
        continue;
      }
      from = std::max(from, tasks_.back().to);
    }
    WindowTask& task = tasks_.emplace_back(each);
    task.from = from;
    task.to = to;
    task.pool.push_back(j);
    task.seed = random.next();
  }
  pool_ = std::move(waiting);
  while (results_.size() < tasks_.size()) results_.emplace_back(times_);
}

void Ejection::work_on_windows(const EjectionParams& params) {
  const auto threads = static_cast<std::size_t>(std::max(params.threads, 1));
  while (workers_.size() < threads)
    workers_.push_back(std::make_unique<EjectionWindow>(*instance_, times_, weights_, keys_));
  std::atomic<std::size_t> next_worker{0};
  std::atomic<std::size_t> next{0};
  work_together(static_cast<int>(std::min(threads, tasks_.size())), [&] {
    EjectionWindow& worker = *workers_[next_worker++];
    for (std::size_t k = next++; k < tasks_.size(); k = next++)
      worker.run(tasks_[k], slices_, penalties_, params.budget, results_[k]);
  });
}

/// Merges the results of the windows.
void Ejection::collect() {
  for (std::size_t k = 0; k < tasks_.size(); ++k) {
    WindowResult& result = results_[k];
    work_ += result.work;
    result.slices.swap_into(slices_);
    std::copy(result.penalties.begin(), result.penalties.end(), penalties_.begin() + result.first);
    pool_.insert(pool_.end(), result.pool.begin(), result.pool.end());
  }
}

/// Removes all jobs that end above the level.
void Ejection::begin_level(Size level, std::span<const Offset> offsets) {
  level_ = level;
  pool_.clear();
  for (std::size_t j = 0; j < offsets.size(); ++j) {
    const Job& job = instance_->jobs[j];
    if (offsets[j] + job.size <= level) continue;
    slices_.take(job, static_cast<JobIndex>(j), offsets[j]);
    pool_.push_back(static_cast<JobIndex>(j));
  }
}

/// Brings all jobs to the level or below. False: the work limit or the budget was reached, and
/// `offsets` are unchanged; the pool and the slices keep their current state.
bool Ejection::reach(bool anew, std::int64_t most_work, std::vector<Offset>& offsets,
                     const EjectionParams& params) {
  const std::int64_t end = work_ + most_work;
  Random random(mix(params.seed, static_cast<std::uint64_t>(level_)));
  while (!pool_.empty()) {
    if (work_ >= end || params.budget.exhausted()) return false;
    WindowTask each;
    each.target = level_;
    each.most_work = std::min(window_work, end - work_);
    each.anew = std::exchange(anew, false);
    divide(each, random);
    work_on_windows(params);
    collect();
    // A rebuilt placement is only kept up if it is nearly as low by itself.
    if (each.anew && pool_.size() > most_left_anew + offsets.size() / 100) return false;
  }
  for (SliceIndex s = 0; s < times_.count(); ++s) {
    for (const Lying& lying : slices_.at(s))
      if (lying.job != immovable) offsets[static_cast<std::size_t>(lying.job)] = lying.begin;
  }
  return true;
}

/// Rebuilds the windows around the tops, and keeps the result if it is lower.
void Ejection::build_anew(std::vector<Offset>& offsets, const EjectionParams& params) {
  const Size height = height_of(*instance_, offsets);
  begin_level(height - 1, offsets);
  const std::int64_t most = std::min(params.patience, params.most_work);
  if (!reach(true, most, offsets, params)) start_over(offsets, params.budget);
}

void Ejection::start_over(std::span<const Offset> offsets, const Budget& budget) {
  pool_.clear();
  penalties_.assign(offsets.size(), 1);
  slices_.fill(*instance_, offsets, weights_, Poll(budget));
}

Size Ejection::run(std::vector<Offset>& offsets, const EjectionParams& params) {
  try {
    return lower(offsets, params);
  } catch (const BudgetEnded&) {  // while the slices were filled
    height_ = 0;
    return height_of(*instance_, offsets);
  }
}

Size Ejection::lower(std::vector<Offset>& offsets, const EjectionParams& params) {
  Size height = height_of(*instance_, offsets);
  const std::int64_t begin = work_;
  const Size goal = std::max({params.target, instance_->lower_bound, instance_->floor});
  if (height <= goal) return height;
  const auto lowered = [&] {
    const Size now = height_of(*instance_, offsets);
    if (now < height && params.lowered) params.lowered(now);
    height = now;
  };
  // If no lower placement was found elsewhere, continues where it ended.
  const bool resumes = !pool_.empty() && height == height_ && level_ >= goal;
  if (!resumes) start_over(offsets, params.budget);
  // Rebuilding comes near the target but does not reach it.
  if (!std::exchange(begun_, true) &&
      static_cast<double>(height - goal) > near_enough * static_cast<double>(goal)) {
    build_anew(offsets, params);
    lowered();
  }
  const auto ends_at = [&] {
    return work_ + std::min(params.patience, params.most_work - (work_ - begin));
  };
  std::int64_t end = ends_at();
  while (height > goal) {
    if (pool_.empty()) {
      const auto left = static_cast<Size>(static_cast<double>(height - 1 - goal) * level_share);
      begin_level(goal + left, offsets);
    }
    if (!reach(false, end - work_, offsets, params)) break;
    lowered();
    end = ends_at();
  }
  height_ = height;
  return height;
}

}  // namespace tessera::search::boxing
