#include "cnf.h"

#include "certificate.h"

namespace tessera {

std::optional<std::vector<int>> derive_cnf(const PlacementProblem& problem,
                                           std::string_view parameters, std::string& why) {
  const std::optional<encoder::Claim> claim = encoder::Claim::parse(parameters, why);
  if (!claim) return std::nullopt;
  std::vector<int> clauses;
  static_cast<void>(encoder::write_claim(problem, *claim, [&clauses](std::span<const int> clause) {
    clauses.insert(clauses.end(), clause.begin(), clause.end());
    clauses.push_back(0);
  }));
  return clauses;
}

}  // namespace tessera
