#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "model/off_chip.h"
#include "planner/behind.h"

namespace tessera::planner {
namespace {

std::string fetch_wrong(const PlannedFetch& fetch, const BehindUse* use, std::size_t runs) {
  const std::string who = "`behind` fetches '" + fetch.tensor + "'";
  if (use == nullptr)
    return who + ", which is neither a weight of an op nor a tensor across a cut point";
  if (!use->weight && !fetch.passes) return who + " as a whole, which is allowed for weights only";
  if (fetch.subgraph >= runs || fetch.from > fetch.subgraph)
    return who + " from subgraph " + std::to_string(fetch.from) + " for subgraph " +
           std::to_string(fetch.subgraph) + ", which is not a valid order";
  if (!fetch.passes && (fetch.room > use->size || fetch.at > use->size))
    return who + ", but that has " + std::to_string(use->size) + " bytes, so no byte " +
           std::to_string(fetch.at) + " on";
  if (!fetch.passes && fetch.subgraph != use->first())
    return who + " for subgraph " + std::to_string(fetch.subgraph) + ", but subgraph " +
           std::to_string(use->first()) + " reads it first";
  const auto pass = std::ranges::find(use->passes, fetch.subgraph, &BehindUse::Pass::run);
  if (fetch.passes && fetch.at != 0)
    return who + " in slices from byte " + std::to_string(fetch.at) + ": slices start at byte 0";
  if (fetch.passes && (fetch.from != fetch.subgraph || pass == use->passes.end()))
    return who + " in slices during subgraph " + std::to_string(fetch.subgraph) +
           ", which does not use it";
  if (fetch.passes ? pass->stage(fetch.loops) == nullptr || fetch.copies < 1 || fetch.copies > 2
                   : fetch.loops != 0 || fetch.copies != 2)
    return who + " in slices of " + std::to_string(fetch.loops) + " loops and " +
           std::to_string(fetch.copies) + " copies, which is not a valid combination";
  if (fetch.writes != (fetch.passes && pass->writes))
    return who + (fetch.writes ? " as an output of a subgraph that does not produce it"
                               : " as an input of the subgraph that produces it");
  return {};
}

}  // namespace

std::vector<std::string> behind_wrong(const Network& network, const Hardware& hardware,
                                      const NetworkPlan& plan) {
  const HardwareMemory* const memory = off_chip::backing(hardware);
  const PlannedBehind& said = plan.behind;
  if (memory == nullptr) {
    if (said == PlannedBehind{}) return {};
    return {"`behind` names memory '" + said.memory + "', but the profile has no backing memory"};
  }
  if (said.memory != memory->space.name)
    return {"`behind` does not name the backing memory '" + memory->space.name + "'"};
  const std::vector<BehindUse> uses = behind_uses(network, hardware, plan.subgraphs);
  std::map<std::string, const BehindUse*> use_of;
  for (const BehindUse& use : uses) use_of[network.tensors[use.tensor].name] = &use;
  struct Named {
    std::size_t resident = 0;
    std::size_t away = 0;
    Size fetched = 0;
    bool in_order = true;
    std::vector<std::size_t> passes;
  };
  std::map<std::string, Named> named;
  std::string last;
  std::vector<std::string> wrong;
  for (const std::string& name : said.resident) {
    const auto found = use_of.find(name);
    if (found == use_of.end() || !found->second->weight)
      wrong.push_back("`behind` keeps '" + name + "', which is not a weight of an op");
    ++named[name].resident;
  }
  for (const std::string& name : said.away) {
    const auto found = use_of.find(name);
    if (found == use_of.end() || found->second->weight)
      wrong.push_back("`behind` has '" + name +
                      "' away, which is not a tensor across a cut point that may be stored there");
    ++named[name].away;
  }
  for (const PlannedFetch& fetch : said.fetches) {
    const auto found = use_of.find(fetch.tensor);
    std::string sentence =
        fetch_wrong(fetch, found == use_of.end() ? nullptr : found->second, plan.subgraphs.size());
    if (!sentence.empty()) wrong.push_back(std::move(sentence));
    Named& each = named[fetch.tensor];
    if (fetch.passes) {
      each.passes.push_back(fetch.subgraph);
    } else {
      each.in_order = each.in_order && fetch.at == each.fetched && fetch.room > 0 &&
                      (fetch.at == 0 || last == fetch.tensor);
      each.fetched += fetch.room;
    }
    last = fetch.tensor;
  }
  if (!wrong.empty()) return wrong;
  if (!std::ranges::is_sorted(said.fetches, {}, order_of))
    return {"`behind` does not list fetches in the order of the subgraphs that wait for them"};
  for (const auto& [name, use] : use_of) {
    const Named& each = named[name];
    const bool once = each.passes.empty() && each.resident + (each.fetched > 0 ? 1 : 0) == 1 &&
                      (each.resident == 1 || (each.in_order && each.fetched == use->size));
    const bool in_all = each.resident == 0 && each.fetched == 0 &&
                        std::ranges::equal(each.passes, use->passes, {}, {}, &BehindUse::Pass::run);
    if (!use->weight) {
      if (each.away > 1 || (each.away == 1 ? !in_all : !each.passes.empty()))
        wrong.push_back("`behind`: tensor '" + name +
                        "' must be listed once in `away` and be transferred in each subgraph that "
                        "uses it, or not be listed at all");
      continue;
    }
    if (!once && !in_all)
      wrong.push_back("`behind`: weight '" + name +
                      "' must be resident, or be fetched once, every byte in order, or be "
                      "transferred in each subgraph that reads it");
  }
  if (!wrong.empty()) return wrong;
  PlannedBehind right = said;
  complete(network, hardware, plan.subgraphs, uses, right);
  for (std::size_t k = 0; k < right.fetches.size(); ++k) {
    const PlannedFetch& a = right.fetches[k];
    if (const PlannedFetch& b = said.fetches[k]; a != b)
      wrong.push_back("`behind`: the fetch of '" + a.tensor + "' moves " + std::to_string(a.bytes) +
                      " bytes into a space of " + std::to_string(a.room) + " from cycle " +
                      std::to_string(a.begin) + " to " + std::to_string(a.end) + ", not " +
                      std::to_string(b.bytes) + " into " + std::to_string(b.room) + " from " +
                      std::to_string(b.begin) + " to " + std::to_string(b.end));
  }
  if (right.begins != said.begins)
    wrong.push_back("`behind`: `begins` does not match the transfers the subgraphs wait for");
  if (right.bytes != said.bytes || right.waiting_cycles != said.waiting_cycles ||
      std::abs(right.energy_pj - said.energy_pj) > 1e-9 * std::max(1.0, right.energy_pj))
    wrong.push_back("`behind`: " + std::to_string(right.bytes) +
                    " bytes are transferred, and groups wait " +
                    std::to_string(right.waiting_cycles) + " cycles for them, not " +
                    std::to_string(said.bytes) + " and " + std::to_string(said.waiting_cycles));
  return wrong;
}

}  // namespace tessera::planner
