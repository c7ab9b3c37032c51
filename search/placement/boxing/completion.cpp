#include "search/placement/boxing/completion.h"

#include <algorithm>

namespace tessera::search::boxing {

namespace {

/// Jobs between two checks of the budget: one of many may take a tenth of a millisecond.
constexpr std::uint32_t between_checks = 32;

}  // namespace

std::optional<std::vector<Offset>> complete(FirstFit& fit, const Instance& instance,
                                            const FixedJobs& fixed_jobs,
                                            std::span<const float> keys, Size limit,
                                            const Budget& budget) {
  fit.clear();
  std::vector<Offset> offsets(instance.jobs.size(), -1);
  std::uint32_t steps = 0;
  for (std::size_t k = 0; k < fixed_jobs.jobs.size(); ++k) {
    if (++steps % between_checks == 0 && budget.exhausted()) return std::nullopt;
    const auto j = static_cast<std::size_t>(fixed_jobs.jobs[k]);
    offsets[j] = fixed_jobs.offsets[k];
    fit.add(instance.jobs[j], offsets[j]);
  }
  std::vector<JobIndex> rest;
  for (std::size_t j = 0; j < offsets.size(); ++j)
    if (offsets[j] < 0) rest.push_back(static_cast<JobIndex>(j));
  std::stable_sort(rest.begin(), rest.end(), [&](JobIndex a, JobIndex b) {
    return keys[static_cast<std::size_t>(a)] > keys[static_cast<std::size_t>(b)];
  });
  for (const JobIndex j : rest) {
    if (++steps % between_checks == 0 && budget.exhausted()) return std::nullopt;
    const Job& job = instance.jobs[static_cast<std::size_t>(j)];
    const Offset offset = fit.lowest(job, limit);
    if (offset == no_height) return std::nullopt;
    fit.add(job, offset);
    offsets[static_cast<std::size_t>(j)] = offset;
  }
  return offsets;
}

}  // namespace tessera::search::boxing
