#include "tessera/explain.h"

#include <algorithm>
#include <new>
#include <utility>

#include "encoder/explain.h"
#include "encoder/rule_forms.h"
#include "model/hex_text.h"
#include "model/optional.h"
#include "placer/lifted.h"
#include "placer/make_engine.h"
#include "tessera/errors.h"
#include "tessera/place.h"
#include "validation/limited_budget.h"
#include "validation/requirements.h"

namespace tessera::placer {

namespace {

/// In reported addresses the memory begins below its base; the offset is stated.
Explanation explain_lifted(const PlacementProblem& problem, const Lifted& above,
                           const ExplainParams& params) {
  Explanation told = explain(above.problem, params);
  if (told.memory && told.smallest_capacity)
    *told.smallest_capacity = std::max<Size>(1, *told.smallest_capacity - above.by[*told.memory]);
  if (told.status != Status::infeasible) return told;
  for (MemoryIndex m = 0; m < above.by.size(); ++m)
    if (above.by[m] > 0)
      told.text +=
          "Addresses of " + problem.memories[m].name + " are relative to " +
          hex_text(problem.memories[m].base - above.by[m]) + ", a multiple of the alignments " +
          std::to_string(above.by[m]) +
          " below its base; the bytes in between are reserved and count in each capacity.\n";
  return told;
}

/// Leaving out buffers adds no requirement (model/optional.h): if the mandatory buffers have a
/// placement, the problem has one.
Explanation explain_mandatory(const PlacementProblem& problem, const ExplainParams& params) {
  std::vector<BufferIndex> optional;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
    if (problem.buffers[b].optional) optional.push_back(b);
  if (optional.size() == problem.buffers.size()) return {.status = Status::feasible};
  const Restricted mandatory = chosen(problem, optional);
  Explanation told = explain(mandatory.problem, {.limits = params.limits});
  for (BufferIndex& b : told.buffers) b = mandatory.originals[b];
  return told;
}

bool may_leave_out(const PlacementProblem& problem, const ExplainParams& params) {
  const std::vector<Objective> all = resolve_objectives(params.minimize, problem);
  return has_optional(problem) &&
         std::find(all.begin(), all.end(), Objective::benefit) != all.end();
}

}  // namespace

}  // namespace tessera::placer

namespace tessera {

Explanation explain(const PlacementProblem& problem, const ExplainParams& params) {
  validation::require_valid(problem);
  if (placer::may_leave_out(problem, params)) return placer::explain_mandatory(problem, params);
  if (const auto above = placer::lifted(problem))
    return placer::explain_lifted(problem, *above, params);
  if (const auto why = encoder::unsupported_rule(problem))
    throw BadInput("explain does not support this problem: " + *why);
  encoder::ExplainParams own;
  const validation::LimitedBudget limited(params.limits);
  own.budget = limited.budget();
  const std::unique_ptr<engine::PlacementEngine> engine = placer::make_engine("learning");
  own.engine = engine.get();
  Explanation told;
  encoder::Explanation why;
  try {
    why = encoder::explain(problem, own);
  } catch (const std::bad_alloc&) {
    told.status = Status::unknown;
    told.stop = StopReason::memory_limit;
    return told;
  }
  told.status = why.status;
  told.stop = why.stop;
  told.minimal = why.minimal;
  told.buffers = std::move(why.buffers);
  for (const encoder::HardwareRule& rule : why.rules) told.rules.push_back(describe(problem, rule));
  told.step = why.step;
  told.memory = why.memory;
  told.asked = why.asked;
  told.available = why.available;
  told.smallest_capacity = why.smallest_capacity;
  told.text = std::move(why.text);
  return told;
}

}  // namespace tessera
