#include "smt_engine.h"

#include "decide.h"
#include "session.h"

namespace tessera {
namespace {

class SmtEngine final : public PlacementEngine {
 public:
  explicit SmtEngine(const SmtParams& params)
      : params_{.engine = "smt",
                .break_symmetry = params.break_symmetry,
                .load_cut = params.load_cut,
                .make_solver = [theory = params.theory](const SearchParams& search,
                                                        const std::filesystem::path&) {
                  return encoder::make_z3({.theory = theory, .seed = search.seed});
                }} {}

  std::string_view name() const override { return "smt"; }
  std::optional<std::string> unsupported(const PlacementProblem& problem,
                                         Goal goal) const override {
    return encoder::unsupported(problem, goal);
  }
  SearchResult solve(const PlacementProblem& problem, const SearchParams& params) override {
    return encoder::decide(problem, params_, params);
  }
  std::unique_ptr<PlacementSession> open(const PlacementProblem& problem) override {
    return encoder::make_session(problem, {.decide = params_});
  }

 private:
  encoder::DecideParams params_;
};

}  // namespace

std::unique_ptr<PlacementEngine> make_smt_engine(const SmtParams& params) {
  return std::make_unique<SmtEngine>(params);
}

}  // namespace tessera
