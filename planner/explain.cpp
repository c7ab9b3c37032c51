#include "tessera/explain.h"

#include <new>
#include <utility>

#include "encoder/explain.h"
#include "planner/limited_budget.h"
#include "planner/make_engine.h"
#include "planner/requirements.h"

namespace tessera {

Explanation explain(const PlacementProblem& problem, const ExplainParams& params) {
  require_valid(problem);
  encoder::ExplainParams own;
  const LimitedBudget limited(params.limits);
  own.budget = limited.budget();
  const std::unique_ptr<PlacementEngine> engine = make_engine("learning");
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
