#include "sat_engine.h"

#include "decide.h"
#include "session.h"

namespace tessera {
namespace {

class SatEngine final : public PlacementEngine {
 public:
  explicit SatEngine(const SatParams& params)
      : params_{.engine = "sat",
                .break_symmetry = params.break_symmetry,
                .load_cut = params.load_cut,
                .encoding = params.encoding,
                .writes_lemmas = true,
                .make_solver = [encoding = params.encoding](const SearchParams& search,
                                                            const std::filesystem::path& proof) {
                  return encoder::make_cadical(
                      {.encoding = encoding, .seed = search.seed, .proof = proof});
                }} {}

  std::string_view name() const override { return "sat"; }
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

std::unique_ptr<PlacementEngine> make_sat_engine(const SatParams& params) {
  return std::make_unique<SatEngine>(params);
}

}  // namespace tessera
