// Is this result right, in all it says?
//
//   ResultVerdict verdict = check_result(problem, result);
//   for (const Violation& wrong : verdict.wrong) std::cout << wrong.message << '\n';
//   for (const std::string& claim : verdict.claimed)
//     std::cout << "claimed, not checked: " << claim << '\n';
//
// check() of check.h judges the placement; a result file also says things about it and about what
// is not there (heights, costs, bounds, "infeasible"). What can be recomputed is compared, bounds
// are looked for among the cuts and the claims of a certificate, and what is left is listed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api.h"
#include "check.h"
#include "claim.h"
#include "limits.h"
#include "placement.h"
#include "problem.h"

namespace tessera {

struct ResultVerdict {
  std::vector<Violation> wrong{};
  std::vector<std::string> claimed{};  ///< what the file says and nobody here has checked
  std::vector<std::string> proved{};   ///< bounds that a cut or the certificate proves
};

struct CheckResultParams {
  std::size_t most_violations = 100;
  std::vector<Claim> proved{};  ///< claims of an accepted certificate for this very problem
};

/// require: validate(problem) is empty; result.placement is set where the status is feasible.
[[nodiscard]] TESSERA_API ResultVerdict check_result(const PlacementProblem& problem,
                                                     const PlacementResult& result,
                                                     const CheckResultParams& params = {});

/// How the input of a certificate has to be read, and its text.
struct CertificateText {
  std::string text{};
  std::vector<std::pair<std::string, std::string>> read{};  ///< ("profile", "nvdla-like"), ...
};
/// "-" is the standard input. Throws BadInput for a file that cannot be read or is no certificate.
[[nodiscard]] TESSERA_API CertificateText load_certificate(const std::string& path);

struct ClaimVerdict {
  Claim claim{};
  std::string text{};  ///< "max height of {sram} >= 4096"
  std::string kind{};  ///< "cut", "derivation" or "choice"
  bool accepted = false;
  std::string reason{};  ///< how it was proved, or what is wrong and in which line
};

struct CertificateVerdict {
  bool accepted = false;
  std::string reason{};
  std::vector<ClaimVerdict> claims{};
  /// The capacities the claims are about are at least the problem's own: what they say holds for
  /// the problem as it stands.
  bool about_this = false;
  std::optional<StopReason> stop{};  ///< a limit ended the check: neither right nor wrong
};

/// Does the certificate prove what it claims? No engine takes part.
[[nodiscard]] TESSERA_API CertificateVerdict check_certificate(const PlacementProblem& problem,
                                                               std::string_view text,
                                                               const Limits& limits = {});

/// What it proves about the problem as it stands; empty where it is not accepted or about larger
/// demands.
[[nodiscard]] TESSERA_API std::vector<Claim> proved_claims(const CertificateVerdict& verdict);

}  // namespace tessera
