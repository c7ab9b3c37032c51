// Completes a placement in which some jobs are fixed.
//
//   FixedJobs peak{{3, 7}, {0, 4096}};
//   std::optional<std::vector<Offset>> all = complete(instance, peak, keys, limit, budget);
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "search/placement/boxing/first_fit.h"
#include "search/placement/boxing/instance.h"

namespace tessera::search::boxing {

struct FixedJobs {
  std::vector<JobIndex> jobs;
  std::vector<Offset> offsets;  ///< one per job
};

/// First fit of the other jobs, highest key first. Nothing if one of them would end above `limit`,
/// or if the budget ends it.
/// require: the fixed jobs do not overlap.
[[nodiscard]] std::optional<std::vector<Offset>> complete(FirstFit& fit, const Instance& instance,
                                                          const FixedJobs& fixed_jobs,
                                                          std::span<const float> keys, Size limit,
                                                          const Budget& budget);

}  // namespace tessera::search::boxing
