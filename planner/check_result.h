// Is this result right, in all it says?
//
//   for (const Violation& wrong : check_result(problem, result)) std::cout << wrong.message <<
//   '\n';
//
// check() of model/ judges the placement; a result file also claims numbers (height, cost, bounds),
// and those are compared with what the placement has.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "../model/check.h"
#include "../model/placement.h"
#include "../model/problem.h"

namespace tessera {

/// require: validate(problem) is empty, result.placement is set.
[[nodiscard]] std::vector<Violation> check_result(const PlacementProblem& problem,
                                                  const PlacementResult& result,
                                                  std::size_t limit = 100);

struct CertificateVerdict {
  bool accepted = false;
  std::string kind;    ///< "cut", "drat", "derivation"
  std::string reason;  ///< what was proved, or what is wrong with it
};

/// Does the file prove that the problem has no solution? No engine takes part.
[[nodiscard]] CertificateVerdict check_certificate(const PlacementProblem& problem,
                                                   const std::filesystem::path& file);

}  // namespace tessera
