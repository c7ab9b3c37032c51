#include "engine/memo.h"

#include <algorithm>
#include <utility>

#include "model/rules.h"
#include "tessera/check.h"

namespace tessera::engine {

Memo::Memo(const PlacementProblem& problem, std::size_t tries)
    : problem_(problem), most_tries_(tries) {
  for (const Relation& relation : problem.relations)
    if (relation.kind == RelationKind::adjacent)
      exact_.insert(exact_.end(), relation.buffers.begin(), relation.buffers.end());
  for (const ConditionRule& rule : problem.rules) {
    if (holds_for_smaller(rule.that)) continue;
    const std::vector<BufferIndex> named = buffers_of(rule.that);
    exact_.insert(exact_.end(), named.begin(), named.end());
  }
}

bool Memo::covers(const SizeLayer& large, const SizeLayer& small) const {
  for (std::size_t b = 0; b < large.sizes.size(); ++b)
    if (large.sizes[b] < small.sizes[b]) return false;
  for (std::size_t m = 0; m < large.capacities.size(); ++m)
    if (large.capacities[m] > small.capacities[m]) return false;
  return std::ranges::all_of(exact_,
                             [&](BufferIndex b) { return large.sizes[b] == small.sizes[b]; });
}

bool Memo::refutes(const SizeLayer& layer, std::size_t since) const {
  for (auto each = refuted_.rbegin(); each != refuted_.rend() && each->number >= since; ++each)
    if (covers(layer, each->layer)) return true;
  return false;
}

std::shared_ptr<const Placement> Memo::placement_for(const SizeLayer& layer) {
  std::size_t tries = 0;
  for (auto each = placed_.rbegin(); each != placed_.rend(); ++each) {
    if (covers(each->layer, layer)) return each->placement;
    if (tries == most_tries_) continue;
    if (tries++ == 0) replace_sizes(problem_, layer);
    if (check(problem_, *each->placement, 1).empty()) return each->placement;
  }
  return nullptr;
}

void Memo::refuted(const SizeLayer& layer) {
  std::erase_if(refuted_, [&](const Refuted& each) { return covers(each.layer, layer); });
  refuted_.push_back({layer, told_++});
  if (refuted_.size() > most_refutations) refuted_.pop_front();
}

void Memo::placed(const SizeLayer& layer, std::shared_ptr<const Placement> placement) {
  std::erase_if(placed_, [&](const Placed& each) { return covers(layer, each.layer); });
  placed_.push_back({layer, std::move(placement)});
  if (placed_.size() > most_placements) placed_.pop_front();
}

}  // namespace tessera::engine
