// Checks a result: the placement and everything else the result says.
//
//   ResultVerdict verdict = check_result(problem, result);
//   for (const Violation& wrong : verdict.wrong) std::cout << wrong.message << '\n';
//   for (const std::string& claim : verdict.claimed)
//     std::cout << "claimed, not checked: " << claim << '\n';
//
// check() of check.h checks the placement. A result file also states heights, costs, bounds or
// "infeasible". check_result() recomputes what it can, and looks for bounds among cuts and the
// claims of a certificate. It lists the statements that remain unchecked.
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

/// The result of check_result().
struct ResultVerdict {
  std::vector<Violation> wrong{};
  std::vector<std::string> claimed{};  ///< statements of the file that were not checked
  std::vector<std::string> proved{};   ///< bounds that a cut or the certificate proves
};

/// Facts that are already proved about the problem.
struct CheckResultParams {
  std::size_t most_violations = 100;
  std::vector<Claim> proved{};  ///< claims of an accepted certificate for this problem
};

/// require: validate(problem) is empty; result.placement is set if the status is feasible.
[[nodiscard]] TESSERA_API ResultVerdict check_result(const PlacementProblem& problem,
                                                     const PlacementResult& result,
                                                     const CheckResultParams& params = {});

/// A certificate, and how its problem has to be read.
struct CertificateText {
  std::string text{};
  std::vector<std::pair<std::string, std::string>> read{};  ///< ("profile", "nvdla-like"), ...
};
/// `path` "-" reads the standard input.
/// ensure: throws BadInput if the file cannot be read or is not a certificate.
[[nodiscard]] TESSERA_API CertificateText load_certificate(const std::string& path);

/// The verdict on one claim of a certificate.
struct ClaimVerdict {
  Claim claim{};
  std::string text{};  ///< "max height of {sram} >= 4096"
  std::string kind{};  ///< "cut", "derivation" or "choice"
  bool accepted = false;
  std::string reason{};  ///< how it was proved, or what is wrong and in which line
};

/// The verdict on a certificate, which is accepted if all its claims are.
struct CertificateVerdict {
  bool accepted = false;
  std::string reason{};
  std::vector<ClaimVerdict> claims{};
  /// The capacities in the claims are at least those of the problem, so the claims hold for the
  /// problem as it is.
  bool about_this = false;
  std::optional<StopReason> stop{};  ///< a limit ended the check: neither accepted nor rejected
};

/// Checks that the certificate proves its claims. The check uses no solver.
[[nodiscard]] TESSERA_API CertificateVerdict check_certificate(const PlacementProblem& problem,
                                                               std::string_view text,
                                                               const Limits& limits = {});

/// The claims proved for the problem as it is. Empty if the certificate is rejected, or if it is
/// about smaller capacities.
[[nodiscard]] TESSERA_API std::vector<Claim> proved_claims(const CertificateVerdict& verdict);

}  // namespace tessera
