#include "planner/peaks.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "cost/score.h"
#include "model/claim_problem.h"
#include "tessera/claim.h"

namespace tessera::planner {

bool PeakLimits::any() const {
  constexpr double none = std::numeric_limits<double>::infinity();
  return peak_bytes < none || peak_bandwidth < none;
}

PeakLimits peak_limits_of(const PlanParams& params) {
  PeakLimits limits;
  for (const auto& [name, value] : params.peak_limits) {
    const auto metric = cost::metric_from(name);
    if (!metric)
      throw BadInput("a limit names the metric '" + name + "', which does not exist",
                     "limits are for peak_memory and peak_bandwidth");
    if (*metric != cost::MetricName::peak_memory && *metric != cost::MetricName::peak_bandwidth)
      throw BadInput("'" + name + "' is a sum over subgraphs and cannot be limited",
                     "limits apply to peak_memory and peak_bandwidth; give '" + name +
                         "' more weight instead");
    if (!(value >= 0)) throw BadInput("the limit on " + name + " is negative or not a number");
    if (*metric == cost::MetricName::peak_memory && value < 1)
      throw BadInput("the limit on peak_memory is below 1 byte", "for instance peak_memory=512KiB");
    double& limit =
        *metric == cost::MetricName::peak_memory ? limits.peak_bytes : limits.peak_bandwidth;
    limit = std::min(limit, value);
  }
  return limits;
}

namespace {

std::vector<Size> capacities(const Hardware& hardware) {
  std::vector<Size> sizes;
  for (const HardwareMemory& memory : hardware.memories)
    if (!memory.offchip) sizes.push_back(memory.space.capacity);
  return sizes;
}

}  // namespace

Size on_chip_capacity(const Hardware& hardware) {
  const std::vector<Size> sizes = capacities(hardware);
  return std::accumulate(sizes.begin(), sizes.end(), Size{0});
}

Hardware machine_within(const Hardware& hardware, const PeakLimits& limits) {
  std::vector<Size> sizes = capacities(hardware);
  std::ranges::sort(sizes);
  double left = limits.peak_bytes;
  double level = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const double share = left / static_cast<double>(sizes.size() - k);
    if (static_cast<double>(sizes[k]) > share) {
      level = share;
      break;
    }
    left -= static_cast<double>(sizes[k]);
  }
  Hardware within = hardware;
  for (HardwareMemory& memory : within.memories)
    if (!memory.offchip && static_cast<double>(memory.space.capacity) > level)
      limit_height(memory.space, std::max<Size>(1, static_cast<Size>(level)));
  return within;
}

bool decides(const Hardware& hardware, const PeakLimits& limits) {
  constexpr double none = std::numeric_limits<double>::infinity();
  return limits.peak_bandwidth == none &&
         (limits.peak_bytes == none || capacities(hardware).size() == 1);
}

}  // namespace tessera::planner
