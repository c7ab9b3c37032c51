// Queries about groups and their stored answers: the part of Candidates around make_answer().
#include <algorithm>
#include <new>
#include <span>

#include "planner/candidates.h"
#include "planner/effort.h"

namespace tessera::planner {

namespace {

bool alike(const PlannedSubgraph& a, const PlannedSubgraph& b) {
  return a.variant == b.variant && a.extent == b.extent && a.metrics == b.metrics;
}

/// True if `answer` begins with the options of `before`.
bool begins_alike(const CandidateAnswer& answer, const CandidateAnswer& before) {
  return answer.options.size() >= before.options.size() &&
         std::ranges::equal(before.options, std::span(answer.options).first(before.options.size()),
                            alike);
}

}  // namespace

std::shared_ptr<const CandidateAnswer> Candidates::answer(OpRange ops, int effort) {
  Known known = known_of(ops);
  while (known.effort < effort && !(known.answer && known.answer->final)) {
    bool searched = false;
    try {
      Known next = more(ops, known, searched);
      const bool moved = known.answer && !begins_alike(*next.answer, *known.answer);
      known = known.fewest || moved ? with_cheaper_of(known, std::move(next)) : std::move(next);
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
      known = given_up(known);
    }
    const std::lock_guard guard(lock_);
    Known& kept = of_run_[{ops.first, ops.last}];
    if (!kept.answer) ++(searched ? counts_.solved : counts_.reused);
    kept = known;
  }
  return known.answer;
}

std::pair<std::shared_ptr<const CandidateAnswer>, int> Candidates::known(OpRange ops) const {
  Known known = known_of(ops);
  return {std::move(known.answer), known.effort};
}

Candidates::Known Candidates::known_of(OpRange ops) const {
  const std::lock_guard guard(lock_);
  const auto known = of_run_.find({ops.first, ops.last});
  return known == of_run_.end() ? Known{} : known->second;
}

Candidates::Known Candidates::given_up(const Known& known) {
  CandidateAnswer last = known.answer ? *known.answer : CandidateAnswer{};
  last.open_beyond = last.undecided = last.final = true;
  return {.answer = std::make_shared<const CandidateAnswer>(std::move(last)),
          .fewest = nullptr,
          .effort = known.effort + 1,
          .level = known.level};
}

/// Partitions refer to options by position: the options of more effort follow the existing ones.
Candidates::Known Candidates::with_cheaper_of(const Known& known, Known next) {
  CandidateAnswer all = *next.answer;
  all.options = known.answer->options;
  std::vector<std::size_t> at;
  for (const PlannedSubgraph& option : next.answer->options) {
    const auto same = std::ranges::find_if(
        all.options, [&](const PlannedSubgraph& one) { return alike(one, option); });
    at.push_back(static_cast<std::size_t>(same - all.options.begin()));
    if (same == all.options.end()) all.options.push_back(option);
  }
  for (CandidateAnswer::Tried& tried : all.tried)
    if (tried.option) tried.option = at[*tried.option];
  next.fewest = std::move(next.answer);
  next.answer = std::make_shared<const CandidateAnswer>(std::move(all));
  return next;
}

struct Candidates::Step {
  int level = 0;
  std::string structure;
  std::string key;  ///< of the answer
};

Candidates::Step Candidates::next_step(OpRange ops, const Known& known) const {
  Step step;
  step.level = known.answer
                   ? next_level(known.level, known.answer->too_costly, params_.nodes_per_question)
                   : 0;
  step.structure = structure_of(ops);
  step.key = hardware_key_ + std::to_string(step.level) + ' ' + step.structure;
  return step;
}

CandidateAnswer Candidates::make(OpRange ops, const Known& known, const Step& step,
                                 bool& searched) const {
  const std::shared_ptr<RunGeometry> run = geometry_of(ops, step.structure);
  const std::lock_guard guard(run->lock);
  CandidateAnswer made;
  try {
    made = make_answer(*run, step.structure, step.level, known.answer.get(), searched);
  } catch (const std::bad_alloc&) {  // caught here, since other threads wait for the answer
    out_of_memory_ = true;
    made = *given_up(known).answer;
  } catch (const BudgetEnded& ended) {
    if (ended.reason == StopReason::memory_limit) out_of_memory_ = true;
    made = *given_up(known).answer;
  }
  keep(step.structure, run);
  made.cut_short = !made.complete() && (params_.budget.exhausted() || out_of_memory_);
  return made;
}

Candidates::Known Candidates::more(OpRange ops, const Known& known, bool& searched) {
  const Step step = next_step(ops, known);
  bool fresh = false;
  const auto made_here = [&] { return make(ops, known, step, searched); };
  PlanMemory::Answer answer;
  do {
    answer = memory_->get(step.key, fresh, made_here);
    if (answer->cut_short) memory_->forget(step.key, answer);
    // The other caller had less time than this one.
  } while (answer->cut_short && !fresh && !params_.budget.exhausted());
  return {.answer = answer, .fewest = nullptr, .effort = known.effort + 1, .level = step.level};
}

}  // namespace tessera::planner
