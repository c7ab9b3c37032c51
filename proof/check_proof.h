// Does this certificate prove what it says?
//
//   ProofVerdict verdict = check_proof(problem, text);
//   for (const ProofPart& part : verdict.parts)
//     std::cout << part.claim_text << ": " << part.reason << '\n';
//   return verdict.accepted ? 0 : 3;
//
// A certificate is text: which capacities it is about, and one or more claims, each with a proof.
// The format, and every rule a proof may use, is in docs/proofs.md. This room knows the problem and
// the file; it shares no code with what writes certificates, and believes nothing the file says
// about the problem.
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

/// What a certificate says before its first claim.
struct ProofHeader {
  /// How its input was read: ("profile", "nvdla-like"), ("lifetimes", "inclusive"). Each at most
  /// once; a certificate that says more is refused.
  std::vector<std::pair<std::string, std::string>> read;
  struct Capacity {
    MemoryIndex memory = 0;
    Size size = 0;
    std::string name;
  };
  std::vector<Capacity> capacities;  ///< of memories with a limit: what the claims are about
};

/// Why no certificate can be about the problem, as a sentence; nothing where one can. A rule that
/// docs/proofs.md does not know belongs here: whoever writes certificates asks first.
[[nodiscard]] std::optional<std::string> unspoken(const PlacementProblem& problem);

/// The header alone, for whoever has to load the problem first; nothing and a sentence in `why`
/// where the text is no certificate.
[[nodiscard]] std::optional<ProofHeader> proof_header(std::string_view text, std::string& why);

struct ProofPart {
  Claim claim;
  /// describe(problem, claim), with the capacities it assumes of memories that have none in the
  /// problem: "cost >= 5 with sram of 12".
  std::string claim_text;
  std::string kind;  ///< "cut", "derivation" or "choice"
  bool accepted = false;
  std::string reason;  ///< a sentence: how it was proved, or what is wrong and in which line
  std::int64_t lemmas = 0;
  std::int64_t propagations = 0;
};

struct ProofVerdict {
  bool accepted = false;  ///< every part is
  std::string reason;     ///< a sentence about the whole
  std::vector<ProofPart> parts;
  /// The problem the claims are about: the one given, with the certificate's capacities.
  PlacementProblem about;
  /// Set where the budget ended before the file did: nothing is known then.
  std::optional<StopReason> stop;
};

/// Refused where the certificate assumes less room in a memory than the problem says it has.
/// require: validate(problem) is empty.
/// ensure: accepted => every claim holds for verdict.about, and for the problem as well where no
/// memory without a capacity got one.
[[nodiscard]] ProofVerdict check_proof(const PlacementProblem& problem, std::string_view text,
                                       const Budget& budget = {});

/// One claim about the problem as it stands, with the lines of its proof.
[[nodiscard]] ProofPart check_proof_of(const PlacementProblem& problem, const Claim& claim,
                                       std::string_view kind, std::string_view lines,
                                       const Budget& budget = {});

}  // namespace tessera::proof
