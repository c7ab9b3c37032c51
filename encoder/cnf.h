// The clauses a certificate speaks about, derived anew from the problem.
//
//   std::string why;
//   auto clauses = derive_cnf(problem, "encoding=order symmetry=1", why);
//   ProofVerdict verdict = check_proof(problem, file, derive_cnf);      // proof/check_proof.h
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/problem.h"

namespace tessera {

/// The clauses, one after the other, each ended by 0. `parameters` is the text behind "drat" in
/// the first line of a certificate; nothing (and a sentence in `why`) if it makes no sense.
/// require: validate(problem) is empty.
[[nodiscard]] std::optional<std::vector<int>> derive_cnf(const PlacementProblem& problem,
                                                         std::string_view parameters,
                                                         std::string& why);

}  // namespace tessera
