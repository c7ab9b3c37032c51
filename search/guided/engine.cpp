#include "search/guided/engine.h"

#include <optional>
#include <string>
#include <utility>

#include "facts/feature_sets.h"
#include "search/guided/search.h"
#include "search/learning/build.h"
#include "search/placement/tie_memories.h"

namespace tessera::search {
namespace guided {
namespace {

constexpr std::size_t most_parts = 4096;     // parts of buffers: three tables of parts x parts
constexpr std::size_t most_pairs = 1 << 20;  // pairs live at the same time

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

void add_stats(engine::SearchResult& result, const Counters& counters) {
  result.stats = {{"steps", counters.steps},
                  {"minor_backtracks", counters.minor_backtracks},
                  {"major_backtracks", counters.major_backtracks},
                  {"stuck_exits", counters.stuck_exits},
                  {"widenings", counters.widenings},
                  {"restarts", counters.restarts},
                  {"retreats", counters.retreats}};
}

class Engine final : public engine::PlacementEngine {
 public:
  explicit Engine(const GuidedParams& params) : params_(params) {}

  [[nodiscard]] std::string_view name() const override { return "guided"; }

  [[nodiscard]] facts::FeatureSet features() const override {
    return facts::together(
        facts::together(facts::address_features, facts::sharing_features),
        {facts::Feature::choice_of_memory, facts::Feature::modes, facts::Feature::modes_per_bank,
         facts::Feature::same_bank, facts::Feature::different_banks, facts::Feature::adjacent});
  }

  [[nodiscard]] std::optional<std::string> outgrown(const PlacementProblem& problem,
                                                    Objective /*goal*/) const override {
    const auto [parts, pairs] = learning::live_pairs(problem);
    if (parts <= most_parts && pairs <= most_pairs) return std::nullopt;
    return "The guided search supports at most " + std::to_string(most_parts) +
           " buffers (counting parts of buffers with gaps) and " + std::to_string(most_pairs) +
           " pairs of simultaneously live buffers; this problem has " + std::to_string(parts) +
           " and " + std::to_string(pairs) + ".";
  }

  [[nodiscard]] engine::SearchResult solve(const PlacementProblem& problem,
                                           const engine::SearchParams& params) override {
    engine::SearchResult result;
    const LearningParams solver = solver_params();
    learning::Deduction deduction(solver);
    Poll poll(params.budget);
    std::unique_ptr<engine::Advisor> advisor;
    ShippedChooser shipped;
    std::optional<Search> search;
    try {
      learning::Build build(problem, params.goal, deduction, solver,
                            learning::Build::Record::nothing, poll);
      build.all();
      const auto refuted = [&result](const char* reason) {
        result.status = Status::infeasible;
        result.reason = reason;
      };
      if (!build.consistent()) {
        refuted("A rule of the problem cannot be satisfied, independent of all other buffers.");
        return result;
      }
      prefer_memories(problem, params.seed, build);
      RetreatChooser* chooser = params_.chooser;
      if (chooser == nullptr && params_.learned) chooser = &shipped;
      if (params_.advisor) advisor = params_.advisor(problem, params, poll);
      search.emplace(problem, params_, deduction, build, params.seed, poll, chooser, advisor.get());
      switch (search->run(params.budget, result.stop)) {
        case Outcome::placed:
          result.status = Status::feasible;
          result.placement = build.decode();
          break;
        case Outcome::refuted:
          refuted("The rules contradict each other before any buffer is placed.");
          break;
        case Outcome::restart:
        case Outcome::exhausted:
          result.reason =
              "The guided search has no candidate left. It is incomplete: use a complete engine "
              "for a proof.";
          break;
        case Outcome::stopped:
          result.reason = "A limit stopped the guided search before a result.";
          break;
      }
    } catch (const BudgetEnded& ended) {
      result.stop = ended.reason;
      result.reason = ended.foreseen ? "The guided search needs more memory than is available for "
                                       "this many pairs of buffers."
                                     : "A limit stopped the guided search during setup.";
    }
    add_stats(result, search ? search->counters() : Counters{});
    if (advisor && search) {
      result.stats.push_back({"advisor_asked", search->counters().asked});
      result.stats.push_back({"advisor_refuted", search->counters().advised});
    }
    return result;
  }

 private:
  GuidedParams params_;
};

}  // namespace
}  // namespace guided

std::unique_ptr<engine::PlacementEngine> make_guided_engine(const GuidedParams& params) {
  return std::make_unique<guided::Engine>(params);
}

}  // namespace tessera::search
