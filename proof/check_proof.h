// Checks whether a certificate proves its claims.
//
//   ProofVerdict verdict = check_proof(problem, text);
//   for (const ProofPart& part : verdict.parts)
//     std::cout << part.claim_text << ": " << part.reason << '\n';
//   return verdict.accepted ? 0 : 3;
//
// A certificate is text: the capacities it refers to, and one or more claims, each with a proof.
// docs/reference/proofs.md defines the format and every proof rule. This module reads the problem
// and the file. It shares no code with the writers of certificates, and relies on no statement of
// the file about the problem.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/budget.h"
#include "tessera/claim.h"
#include "tessera/problem.h"

namespace tessera::proof {

/// The header of a certificate, before its first claim.
struct ProofHeader {
  /// Options with which the input was read: ("profile", "nvdla-like"), ("lifetimes", "inclusive").
  /// Each at most once; unknown options are rejected.
  std::vector<std::pair<std::string, std::string>> read;
  struct Capacity {
    MemoryIndex memory = 0;
    Size size = 0;
    std::string name;
  };
  std::vector<Capacity> capacities;  ///< of memories with a limit: the claims refer to these
};

/// Why the problem cannot have a certificate, as a sentence; none if it can. Covers rules that
/// docs/reference/proofs.md does not define. Writers of certificates call it first.
[[nodiscard]] std::optional<std::string> unspoken(const PlacementProblem& problem);

/// Only the header, for callers that load the problem afterwards; none and a message in `why` if
/// the text is no certificate.
[[nodiscard]] std::optional<ProofHeader> proof_header(std::string_view text, std::string& why);

struct ProofPart {
  Claim claim;
  /// describe(problem, claim), plus assumed capacities of memories without a capacity in the
  /// problem: "cost >= 5 with sram of 12".
  std::string claim_text;
  std::string kind;  ///< "cut", "derivation" or "choice"
  bool accepted = false;
  std::string reason;  ///< a sentence: how it was proved, or the error with its line
  std::int64_t lemmas = 0;
  std::int64_t propagations = 0;
};

struct ProofVerdict {
  bool accepted = false;  ///< every part is accepted
  std::string reason;     ///< a sentence on the whole certificate
  std::vector<ProofPart> parts;
  /// The problem of the claims: the given problem with the certificate's capacities.
  PlacementProblem about;
  /// Set if the budget ended before the file did; then the result is unknown.
  std::optional<StopReason> stop;
};

/// Rejects certificates that assume a smaller capacity than the problem states. require:
/// validate(problem) is empty. ensure: accepted => every claim holds for verdict.about; and for the
/// problem as well unless the certificate adds a capacity.
[[nodiscard]] ProofVerdict check_proof(const PlacementProblem& problem, std::string_view text,
                                       const Budget& budget = {});

/// Checks one claim about the unmodified problem, with the lines of its proof.
[[nodiscard]] ProofPart check_proof_of(const PlacementProblem& problem, const Claim& claim,
                                       std::string_view kind, std::string_view lines,
                                       const Budget& budget = {});

}  // namespace tessera::proof
