#include <filesystem>
#include <string>

#include "tessera/explore.h"
#include "tessera/files.h"

namespace tessera {

void save_plans(const Sweep& sweep, const ExploreResult& result, const std::string& folder) {
  namespace fs = std::filesystem;
  const bool modes = result.modes && !result.modes->machine.empty();
  if (result.plans.empty() && !modes) return;
  const fs::path plans = fs::path(folder) / "plans";
  std::error_code error;
  fs::create_directories(plans, error);
  if (error) throw OutputError(plans.string() + ": " + error.message());
  if (modes) write_output((plans / "fewest-modes.yaml").string(), result.modes->machine);
  for (const ExplorePlan& plan : result.plans) {
    const std::string name = std::to_string(plan.candidate);
    write_output((plans / (name + ".yaml")).string(), sweep.machine(plan.candidate).yaml());
    write_output((plans / (name + '-' + plan.network + ".json")).string(), plan.json);
  }
}

}  // namespace tessera
