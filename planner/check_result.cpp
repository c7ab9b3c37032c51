#include "planner/check_result.h"

#include <algorithm>
#include <utility>

#include "encoder/cnf.h"
#include "proof/check_proof.h"

namespace tessera {

std::vector<Violation> check_result(const PlacementProblem& problem, const PlacementResult& result,
                                    std::size_t limit) {
  std::vector<Violation> wrong = check(problem, *result.placement, limit);
  const auto say = [&](std::string sentence) {
    if (wrong.size() >= limit) return;
    Violation violation;
    violation.message = std::move(sentence);
    wrong.push_back(std::move(violation));
  };
  const auto claim = [&](const std::string& what, std::int64_t said, std::int64_t has) {
    if (said == has) return;
    say("The result says that the " + what + " is " + std::to_string(said) +
        ", but the placement has " + std::to_string(has) + ".");
  };
  if (wrong.empty()) {
    const std::vector<Size> high = heights(problem, *result.placement);
    // A CSV or a solver's model claims nothing: it has neither an engine nor a height.
    if (!result.engine.empty() || result.height != 0) {
      claim("height", result.height, *std::max_element(high.begin(), high.end()));
      claim("cost", result.cost, soft_cost(problem, *result.placement));
      if (!wrong.empty()) return wrong;
      if (result.lower_bound > result.height || result.cost_bound > result.cost)
        say("The result says that nothing lower or cheaper exists than what it has itself.");
      if (result.proven_minimum && result.lower_bound != result.height)
        say("The result calls its height the least, but its own bound is lower.");
    }
  }
  return wrong;
}

CertificateVerdict check_certificate(const PlacementProblem& problem,
                                     const std::filesystem::path& file) {
  ProofVerdict verdict = check_proof(problem, file, derive_cnf);
  return {verdict.accepted, std::move(verdict.kind), std::move(verdict.reason)};
}

}  // namespace tessera
