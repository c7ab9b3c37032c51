#include "engine/session.h"

#include <utility>

#include "engine/memo.h"

namespace tessera::engine {
namespace {

class MemoSession final : public PlacementSession {
 public:
  MemoSession(PlacementEngine& engine, const PlacementProblem& problem)
      : memo_(problem), own_(engine.open(problem)) {}

  SearchResult solve(const SizeLayer& layer, const SearchParams& params) override {
    ++questions_;
    SearchResult result = answer(layer, params);
    result.stats.push_back({"session_questions", questions_});
    result.stats.push_back({"session_refutations_reused", refutations_reused_});
    result.stats.push_back({"session_placements_reused", placements_reused_});
    return result;
  }

 private:
  SearchResult answer(const SizeLayer& layer, const SearchParams& params) {
    SearchResult result;
    if (params.proof == nullptr && memo_.refutes(layer)) {
      ++refutations_reused_;
      result.status = Status::infeasible;
      result.reason = "known from an earlier call: buffers of at most these sizes do not fit";
      return result;
    }
    if (params.goal == Objective::fit) {
      if (const auto known = memo_.placement_for(layer)) {
        ++placements_reused_;
        result.status = Status::feasible;
        result.placement = *known;
        return result;
      }
    }
    result = own_->solve(layer, params);
    // With `at_most`, "infeasible" refers to that bound, and is not stored.
    if (result.status == Status::feasible)
      memo_.placed(layer, std::make_shared<const Placement>(*result.placement));
    else if (result.status == Status::infeasible && !params.at_most)
      memo_.refuted(layer);
    return result;
  }

  Memo memo_;
  std::unique_ptr<PlacementSession> own_;
  std::int64_t questions_ = 0;
  std::int64_t refutations_reused_ = 0;
  std::int64_t placements_reused_ = 0;
};

}  // namespace

std::unique_ptr<PlacementSession> open_session(PlacementEngine& engine,
                                               const PlacementProblem& problem) {
  return std::make_unique<MemoSession>(engine, problem);
}

}  // namespace tessera::engine
