#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>

#include "tessera/explore.h"
#include "tessera/files.h"

namespace tessera::explorer {
namespace {

/// The machine for all networks at each loss; the loss is named where there are several.
void save_fewest_modes(const ExploreModes& modes, const std::filesystem::path& folder) {
  const auto together = [](const ExploreModes::Set& set) { return set.network == "*"; };
  const bool several = std::ranges::count_if(modes.sets, together) > 1;
  for (const ExploreModes::Set& set : modes.sets) {
    if (!together(set)) continue;
    char loss[40] = "";
    if (several) std::snprintf(loss, sizeof loss, "-%g", set.lose);
    write_output((folder / (std::string("fewest-modes") + loss + ".yaml")).string(), set.machine);
  }
}

}  // namespace

}  // namespace tessera::explorer

namespace tessera {

void save_plans(const Sweep& sweep, const ExploreResult& result, const std::string& folder) {
  namespace fs = std::filesystem;
  const bool modes = result.modes && !result.modes->sets.empty();
  if (result.plans.empty() && !modes) return;
  const fs::path plans = fs::path(folder) / "plans";
  std::error_code error;
  fs::create_directories(plans, error);
  if (error) throw OutputError(plans.string() + ": " + error.message());
  if (modes) explorer::save_fewest_modes(*result.modes, plans);
  for (const ExplorePlan& plan : result.plans) {
    const std::string name = std::to_string(plan.candidate);
    write_output((plans / (name + ".yaml")).string(), sweep.machine(plan.candidate).yaml());
    write_output((plans / (name + '-' + plan.network + ".json")).string(), plan.json);
  }
}

}  // namespace tessera
