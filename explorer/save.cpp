#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "tessera/explore.h"
#include "tessera/files.h"

namespace tessera::explorer {
namespace {

/// The machine for all networks at each loss; file names include the loss if there are several.
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

/// Removes files of a previous sweep in the same folder, and no other files.
void remove_older(const std::filesystem::path& folder) {
  const auto is_of_a_sweep = [](const std::string& name) {
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    const std::string rest = name.substr(digits);
    if (digits > 0) return rest == ".yaml" || (rest.starts_with('-') && rest.ends_with(".json"));
    return name.starts_with("fewest-modes") && name.ends_with(".yaml");
  };
  std::error_code error;
  std::vector<std::filesystem::path> older;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (is_of_a_sweep(entry.path().filename().string())) older.push_back(entry.path());
  for (const std::filesystem::path& path : older) std::filesystem::remove(path, error);
}

}  // namespace

}  // namespace tessera::explorer

namespace tessera {

void save_plans(const Sweep& sweep, const ExploreResult& result, const std::string& folder) {
  namespace fs = std::filesystem;
  const bool modes = result.modes && !result.modes->sets.empty();
  const fs::path plans = fs::path(folder) / "plans";
  std::error_code error;
  if (result.plans.empty() && !modes && !fs::is_directory(plans, error)) return;
  fs::create_directories(plans, error);
  if (error) throw OutputError(plans.string() + ": " + error.message());
  explorer::remove_older(plans);
  if (!result.modes) fs::remove(fs::path(folder) / "modes.csv", error);
  if (modes) explorer::save_fewest_modes(*result.modes, plans);
  for (const ExplorePlan& plan : result.plans) {
    const std::string name = std::to_string(plan.candidate);
    write_output((plans / (name + ".yaml")).string(), sweep.machine(plan.candidate).yaml());
    write_output((plans / (name + '-' + plan.network + ".json")).string(), plan.json);
  }
}

}  // namespace tessera
