// Writes certificates: a header, then claim after claim with its proof. docs/proofs.md is the
// format, proof/ checks it.
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
  /// Creates the file, or empties it. Throws OutputError.
  explicit CertificateFile(const std::filesystem::path& path);
  ~CertificateFile() override;

  /// `read`: how the input was read, for whoever checks the certificate.
  void header(const PlacementProblem& problem,
              const std::vector<std::pair<std::string, std::string>>& read);
  /// Begins a claim; `kind` is that of the proof that follows.
  void begin(const Claim& claim, std::string_view kind);
  void write(std::string_view text) override;
  /// The claim begun last is proved, or it is not and leaves nothing behind.
  void keep();
  void drop();
  /// The last line. After it error() says whether all of it could be written.
  void seal();
  /// Empty, or why the file is not whole: a full disk.
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  void flush();

  std::filesystem::path path_;
  int file_ = -1;
  std::string buffer_;
  std::uint64_t hash_;
  std::int64_t written_ = 0;
  std::int64_t mark_ = 0;  ///< where the claim begun last begins
  std::uint64_t hash_at_mark_;
  std::string error_;
};

/// Writes a claim with its proof by whoever can prove it within the budget; says who.
/// ensure: nothing where nobody could; the file is as it was then, and `declined` says what about
/// the problem whoever writes derivations does not take, if that is why.
/// require: validate(problem) is empty.
[[nodiscard]] std::optional<std::string> certify(const PlacementProblem& problem,
                                                 const Claim& claim,
                                                 const engine::SearchParams& search,
                                                 CertificateFile& file,
                                                 std::string* declined = nullptr);

/// The same for a claim about benefits: rows of sums and of sets without a placement, each of which
/// is proved by itself, and a tree. `refuted`: such sets, of numbers of optional_units().
[[nodiscard]] std::optional<std::string> certify_benefit(
    const PlacementProblem& problem, const Claim& claim,
    const std::vector<std::vector<std::uint32_t>>& refuted, const engine::SearchParams& search,
    CertificateFile& file, std::string* declined = nullptr);

/// The lines of a proof of the kind "cut".
[[nodiscard]] std::string cut_text(const PlacementProblem& problem, const facts::Cut& cut);

/// Is the claim one that adding up proves? The cut that says so has passed the checker of proof/.
[[nodiscard]] bool proved_by_cut(const PlacementProblem& problem, const Claim& claim);

}  // namespace tessera::placer
