#include "search/guided/solve.h"

#include <memory>
#include <optional>

#include "search/guided/rigid.h"
#include "search/learning/build.h"
#include "search/placement/tie_memories.h"

namespace tessera::search::guided {
namespace {

/// Translates the buffers of a part for a chooser that knows the whole problem.
class Renaming final : public RetreatChooser {
 public:
  Renaming(RetreatChooser& chooser, const std::vector<BufferIndex>& names)
      : chooser_(chooser), names_(names) {}
  std::optional<std::size_t> choose(const Impasse& impasse) override {
    decisions_.assign(impasse.decisions.begin(), impasse.decisions.end());
    for (Standing& each : decisions_)
      if (each.buffer != no_buffer) each.buffer = names_[each.buffer];
    return chooser_.choose({impasse.retreats, decisions_});
  }

 private:
  RetreatChooser& chooser_;
  const std::vector<BufferIndex>& names_;
  std::vector<Standing> decisions_;
};

/// The rules that the solver applies. Symmetry breaking would exclude placements that the search
/// may reach; other rules only serve the learning engine's own searches.
constexpr LearningParams solver_params() {
  LearningParams params;
  params.rests = true;
  params.symmetry = false;
  params.cores = false;
  return params;
}

/// Tries memories in the order of a balanced division.
void prefer_memories(const PlacementProblem& problem, std::uint64_t seed, learning::Build& build) {
  if (build.plan.first.empty()) return;
  const auto tied = tie_memories(problem, seed);
  if (!tied) return;
  Placement like;
  for (const Buffer& buffer : tied->buffers)
    like.places.push_back({allowed_memories(*tied, buffer).front(), 0});
  // With three memories or more, each is a Boolean: "not this one", except for the chosen one.
  const auto whose = build.buffers_of_variables();
  for (const learning::Var var : build.plan.first)
    if (!whose[var].empty() &&
        allowed_memories(problem, problem.buffers[whose[var].front()]).size() > 2)
      build.plan.phase[var] = 1;
  build.prefer(like);
}

}  // namespace

Part solve_part(const PlacementProblem& problem, const std::vector<BufferIndex>& names,
                const GuidedParams& params, const engine::SearchParams& search, Spent& spent) {
  Part part;
  Poll poll(search.budget);
  const LearningParams rules = solver_params();
  learning::Deduction deduction(rules);
  learning::Build build(problem, search.goal, deduction, rules, learning::Build::Record::nothing,
                        poll);
  build.all();
  if (!build.consistent() || rigid_clash(problem, poll)) {
    part.outcome = Outcome::refuted;
    return part;
  }
  prefer_memories(problem, search.seed, build);
  ShippedChooser shipped;
  // With clauses, the forest decides no more problems than the search without it.
  RetreatChooser* chooser = params.learned && !params.learn ? &shipped : nullptr;
  std::optional<Renaming> renaming;
  if (params.chooser != nullptr) chooser = &renaming.emplace(*params.chooser, names);
  std::unique_ptr<engine::Advisor> advisor;
  if (params.advisor) advisor = params.advisor(problem, search, poll);
  Search tree(problem, params, deduction, build, search.seed, poll, spent, chooser, advisor.get());
  part.outcome = tree.run(search.budget, part.stop);
  part.counters = tree.counters();
  if (part.outcome == Outcome::placed) part.placement = build.decode();
  return part;
}

}  // namespace tessera::search::guided
