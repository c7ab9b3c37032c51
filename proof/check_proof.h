// Is this certificate a proof that the problem has no solution?
//
//   ProofVerdict verdict = check_proof(problem, "no.proof", derive_cnf);   // encoder/cnf.h
//   if (!verdict.accepted) std::cerr << verdict.reason << '\n';
//
// Knows the problem and the file; shares no code with the engines. The format of the file is in
// docs/proofs.md. The clauses come from the caller, who derives them from the problem: clauses a
// certificate brings along are compared, never believed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/problem.h"

namespace tessera {

/// Zero-terminated clauses for the parameters of the certificate's first line; nothing and a
/// sentence in `why` if the parameters make no sense.
using CnfSource = std::function<std::optional<std::vector<int>>(
    const PlacementProblem& problem, std::string_view parameters, std::string& why)>;

struct ProofVerdict {
  bool accepted = false;
  std::string kind;    ///< "cut", "drat", "derivation"; empty if the first line is unreadable
  std::string claim;   ///< what the certificate proves: parameters of its first line
  std::string reason;  ///< a sentence: what was proved, or what is wrong and in which line
  std::int64_t lemmas = 0;
  std::int64_t propagations = 0;
};

/// require: validate(problem) is empty.
/// ensure: accepted => the claim holds (for an empty claim: the problem has no solution), trusting
/// `cnf_of` for certificates of kind drat.
[[nodiscard]] ProofVerdict check_proof(const PlacementProblem& problem,
                                       const std::filesystem::path& file, const CnfSource& cnf_of);

}  // namespace tessera
