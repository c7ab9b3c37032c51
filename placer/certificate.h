// Writes certificates: a header, then claims, each with its proof. docs/reference/proofs.md
// describes the format, proof/ checks it.
//
//   CertificateFile file(path);
//   file.header(problem, {{"profile", "nvdla-like"}});
//   if (certify(problem, {.kind = ClaimKind::infeasible}, search, file)) ...  // the claim stays
//   file.seal();
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "facts/cut.h"
#include "tessera/claim.h"

namespace tessera::placer {

class CertificateFile final : public engine::ProofSink {
 public:
  /// Creates the file, or truncates it. Throws OutputError.
  explicit CertificateFile(const std::filesystem::path& path);
  ~CertificateFile() override;

  /// `read`: the options with which the input was read; a checker needs them.
  void header(const PlacementProblem& problem,
              const std::vector<std::pair<std::string, std::string>>& read);
  /// Begins a claim; `kind` is the kind of the proof that follows.
  void begin(const Claim& claim, std::string_view kind);
  void write(std::string_view text) override;
  /// Keeps the last claim, or drops it from the file.
  void keep();
  void drop();
  /// Writes the last line. Afterwards error() reports whether all writes succeeded.
  void seal();
  /// Empty, or the write error (for example, a full disk).
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  void flush();

  std::filesystem::path path_;
  int file_ = -1;
  std::string buffer_;
  std::uint64_t hash_;
  std::int64_t written_ = 0;
  std::int64_t mark_ = 0;  ///< file position where the last claim begins
  std::uint64_t hash_at_mark_;
  std::string error_;
};

/// Proves a claim within the budget and writes the proof; returns the prover's name. ensure: if no
/// prover succeeds, returns none and leaves the file unchanged; `declined` then names the feature
/// of the problem that derivations do not support, if that is the reason. require:
/// validate(problem) is empty.
[[nodiscard]] std::optional<std::string> certify(const PlacementProblem& problem,
                                                 const Claim& claim,
                                                 const engine::SearchParams& search,
                                                 CertificateFile& file,
                                                 std::string* declined = nullptr);

/// The same for a claim about benefits: sum rows, rows for sets without a placement (each with a
/// proof), and a tree. `refuted`: such sets, as indices into optional_units().
[[nodiscard]] std::optional<std::string> certify_benefit(
    const PlacementProblem& problem, const Claim& claim,
    const std::vector<std::vector<std::uint32_t>>& refuted, const engine::SearchParams& search,
    CertificateFile& file, std::string* declined = nullptr);

/// The lines of a proof of the kind "cut".
[[nodiscard]] std::string cut_text(const PlacementProblem& problem, const facts::Cut& cut);

/// Is the claim proved by a cut alone? The checker of proof/ has verified that cut.
[[nodiscard]] bool proved_by_cut(const PlacementProblem& problem, const Claim& claim);

}  // namespace tessera::placer
