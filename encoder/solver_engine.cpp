#include "solver_engine.h"

#include <z3++.h>

#include <new>
#include <string_view>

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
    try {
      return decide(problem, params_, params);
    } catch (const z3::exception& error) {
      // Z3 says it in words of its own.
      if (std::string_view(error.msg()) == "out of memory") throw std::bad_alloc();
      throw;
    }
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
