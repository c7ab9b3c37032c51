#include "planner/explain.h"

#include <new>
#include <utility>

#include "encoder/explain.h"
#include "planner/make_engine.h"
#include "planner/requirements.h"

namespace tessera {

Story tell_why(const PlacementProblem& problem, const StoryParams& params) {
  require_valid(problem);
  ExplainParams own;
  const LimitedBudget limited(params.limits);
  own.budget = limited.budget();
  const std::unique_ptr<PlacementEngine> engine = make_engine("learning");
  own.engine = engine.get();
  Story story;
  Explanation why;
  try {
    why = explain(problem, own);
  } catch (const std::bad_alloc&) {
    story.status = Status::unknown;
    story.stop = StopReason::memory_limit;
    return story;
  }
  story.status = why.status;
  story.stop = why.stop;
  story.minimal = why.minimal;
  story.buffers = std::move(why.buffers);
  for (const HardwareRule& rule : why.rules) story.rules.push_back(describe(problem, rule));
  story.step = why.step;
  story.memory = why.memory;
  story.asked = why.asked;
  story.available = why.available;
  story.smallest_capacity = why.smallest_capacity;
  story.text = std::move(why.text);
  return story;
}

}  // namespace tessera
