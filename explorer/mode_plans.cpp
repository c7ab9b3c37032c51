#include "explorer/mode_plans.h"

#include <vector>

#include "explorer/candidate.h"

namespace tessera::explorer {
namespace {

std::set<UsedMode> modes_used(const NetworkPlan& plan) {
  std::set<UsedMode> used;
  for (const PlannedSubgraph& run : plan.subgraphs)
    for (const PlannedPlacement& placed : run.placements) {
      const std::vector<std::vector<std::string>>& modes = placed.placement.modes;
      for (MemoryIndex m = 0; m < modes.size(); ++m)
        for (const std::string& name : modes[m]) used.emplace(m, name);
    }
  return used;
}

/// None if the stored plan has no readable placements.
std::optional<ModePlan> recalled(const ModeQuestion& question, const KnownPlan& known,
                                 const std::string& json) {
  ModePlan answer{.known = known, .used = {}};
  if (!known.score) return answer;
  if (json.empty()) return std::nullopt;
  try {
    answer.used = modes_used(load_plan_text(json, "plan", question.network, question.hardware));
  } catch (const BadInput&) {
    return std::nullopt;  // the store was modified externally
  }
  return answer;
}

std::optional<ModePlan> known_answer(const ModeQuestion& question) {
  if (question.known)
    if (auto answer = recalled(question, *question.known, question.json)) return answer;
  if (question.store == nullptr) return std::nullopt;
  for (const std::string& key : {question.key, question.timed_key}) {
    const std::optional<KnownPlan> known = question.store->find(key);
    if (!known) continue;
    return recalled(question, *known, question.store->plan(key).value_or(""));
  }
  return std::nullopt;
}

}  // namespace

ModePlan load_or_plan(const ModeQuestion& question) {
  if (std::optional<ModePlan> known = known_answer(question)) return std::move(*known);
  NetworkPlan plan = plan_network(question.network, question.hardware, question.params);
  plan.dtype = question.dtype;
  const ModePlan answer{.known = summary_of(plan), .used = modes_used(plan), .made = true};
  if (question.store != nullptr && !cut_short(plan, answer.known, question.ended()))
    keep(*question.store, question.key, question.timed_key, answer.known,
         plan.status == Status::feasible ? plan_json(plan) : std::string());
  return answer;
}

}  // namespace tessera::explorer
