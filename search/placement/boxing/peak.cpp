#include "search/placement/boxing/peak.h"

#include <algorithm>
#include <string>

#include "search/placement/boxing/completion.h"
#include "search/placement/boxing/first_fit.h"
#include "search/placement/boxing/orders.h"

namespace tessera::search::boxing {

namespace {

/// The sections of the highest job above the target, widened as long as few enough jobs live there.
struct Range {
  Section lower = 0;
  Section upper = 0;
  std::vector<JobIndex> jobs;
};

std::vector<JobIndex> living(const Instance& instance, Section lower, Section upper) {
  std::vector<JobIndex> found;
  for (std::size_t j = 0; j < instance.jobs.size() && instance.jobs[j].lower < upper; ++j) {
    if (instance.jobs[j].upper > lower) found.push_back(static_cast<JobIndex>(j));
  }
  return found;
}

/// The most loaded section of [lower, upper).
Section heaviest(const Instance& instance, Section lower, Section upper) {
  const auto begin = instance.load.begin();
  return static_cast<Section>(std::max_element(begin + lower, begin + upper) - begin);
}

Range choose(const Instance& instance, std::span<const Offset> offsets, const PeakParams& params,
             Random& random) {
  std::vector<JobIndex> tops;
  for (std::size_t j = 0; j < offsets.size(); ++j) {
    if (offsets[j] + instance.jobs[j].size > params.target)
      tops.push_back(static_cast<JobIndex>(j));
  }
  Range range;
  if (tops.empty()) return range;
  const Job& top = instance.jobs[static_cast<std::size_t>(tops[random.below(tops.size())])];
  range.lower = heaviest(instance, top.lower, top.upper);
  range.upper = range.lower + 1;
  range.jobs = living(instance, range.lower, range.upper);
  // Widens to the side with the larger load, by doubling steps.
  Section stride = 1;
  while (range.jobs.size() <= params.max_jobs) {
    const Section left = std::max<Section>(0, range.lower - stride);
    const Section right = std::min(instance.sections, range.upper + stride);
    if (left == range.lower && right == range.upper) return range;
    std::vector<JobIndex> more = living(instance, left, right);
    if (more.size() > params.max_jobs) break;
    range.lower = left;
    range.upper = right;
    range.jobs = std::move(more);
    stride *= 2;
  }
  if (range.jobs.size() > params.max_jobs) range.jobs.clear();
  return range;
}

PlacementProblem cut(const Instance& instance, const Range& range, Size target) {
  PlacementProblem problem;
  Memory memory;
  memory.name = "range";
  memory.capacity = target;
  for (AddressRange reserved : instance.reserved) {
    reserved.end = std::min(reserved.end, target);
    if (!reserved.empty()) memory.reserved.push_back(reserved);
  }
  if (!instance.borders.empty()) {
    Offset begin = 0;
    for (const Offset border : instance.borders) {
      if (border >= target) break;
      memory.banks.push_back({"b" + std::to_string(memory.banks.size()), border - begin, {}});
      begin = border;
    }
    memory.banks.push_back({"b" + std::to_string(memory.banks.size()), target - begin, {}});
    memory.straddle = false;
  }
  problem.memories.push_back(std::move(memory));
  const auto add = [&](Section lower, Section upper, Size size) -> Buffer& {
    Buffer buffer;
    buffer.id = "j" + std::to_string(problem.buffers.size());
    buffer.live = {
        {std::max(lower, range.lower) - range.lower, std::min(upper, range.upper) - range.lower}};
    buffer.size = size;
    return problem.buffers.emplace_back(std::move(buffer));
  };
  for (const JobIndex j : range.jobs) {
    const Job& job = instance.jobs[static_cast<std::size_t>(j)];
    Buffer& buffer = add(job.lower, job.upper, job.size);
    buffer.alignment = job.alignment;
    if (job.low > 0 || job.high < unbounded)
      buffer.window = AddressRange{job.low, std::min(job.high, target)};
  }
  for (const Obstacle& obstacle : instance.obstacles) {
    if (obstacle.upper <= range.lower || range.upper <= obstacle.lower) continue;
    add(obstacle.lower, obstacle.upper, obstacle.range.size()).offset = obstacle.range.begin;
  }
  return problem;
}

}  // namespace

PeakResult search_peak(const Instance& instance, std::span<const Offset> offsets,
                       const PeakParams& params, Random& random) {
  PeakResult result;
  if (params.engine == nullptr || instance.fragmented || instance.floor > params.target)
    return result;
  const Range range = choose(instance, offsets, params, random);
  result.jobs = range.jobs.size();
  if (range.jobs.empty()) return result;
  for (const JobIndex j : range.jobs) {
    // Such a job alone refutes the target, and a problem has to be valid.
    const Job& job = instance.jobs[static_cast<std::size_t>(j)];
    if (job.size > params.target || job.low + job.size > params.target) return result;
  }
  const PlacementProblem problem = cut(instance, range, params.target);
  if (params.engine->unsupported(problem, Objective::fit)) return result;
  engine::SearchParams search;
  search.budget = params.budget;
  search.budget.max_nodes = params.engine_nodes;
  const engine::SearchResult found = params.engine->solve(problem, search);
  result.searched = true;
  result.refuted = found.status == Status::infeasible;
  if (found.status != Status::feasible || !found.placement) return result;

  const Size height = height_of(instance, offsets);
  FixedJobs fixed_jobs;
  fixed_jobs.jobs = range.jobs;
  for (std::size_t k = 0; k < range.jobs.size(); ++k)
    fixed_jobs.offsets.push_back(found.placement->places[k].offset);
  std::vector<float> keys;
  const Orders orders(instance);
  FirstFit fit(instance);
  for (int attempt = 0; attempt < 4 && !result.offsets; ++attempt) {
    if (attempt == 0)
      keys_from_offsets(offsets, keys);
    else
      orders.draw(recipe(attempt - 1, random), random, keys);
    result.offsets = complete(fit, instance, fixed_jobs, keys, height - 1, params.budget);
  }
  return result;
}

}  // namespace tessera::search::boxing
