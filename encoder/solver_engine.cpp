#include "solver_engine.h"

#include "session.h"

namespace tessera::encoder {
namespace {

class SolverEngine final : public PlacementEngine {
 public:
  explicit SolverEngine(DecideParams params) : params_(std::move(params)) {}

  std::string_view name() const override { return params_.engine; }
  std::optional<std::string> unsupported(const PlacementProblem& problem,
                                         Goal goal) const override {
    return encoder::unsupported(problem, goal);
  }
  SearchResult solve(const PlacementProblem& problem, const SearchParams& params) override {
    return decide(problem, params_, params);
  }
  std::unique_ptr<PlacementSession> open(const PlacementProblem& problem) override {
    return make_session(problem, {.decide = params_});
  }

 private:
  DecideParams params_;
};

}  // namespace

std::unique_ptr<PlacementEngine> make_solver_engine(DecideParams params) {
  return std::make_unique<SolverEngine>(std::move(params));
}

}  // namespace tessera::encoder
