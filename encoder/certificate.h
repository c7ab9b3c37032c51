// Certificates of infeasibility, as files. The format is in docs/proofs.md.
//
//   DratCertificate certificate(path);           // the solver writes to certificate.lemmas()
//   ... the solver says no and is destroyed ...
//   certificate.write(problem, {});              // header, variable map, clauses, lemmas
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "cnf_writer.h"
#include "encoding.h"
#include "load_cut.h"

namespace tessera::encoder {

/// What the clauses of a certificate say: which of the equisatisfiable forms, and whether they
/// speak of the hard rules alone or also of a limit on what may be paid.
struct Claim {
  OffsetEncoding encoding = OffsetEncoding::automatic;
  bool break_symmetry = true;
  Goal goal = Goal::fit;
  std::optional<Cost> most;  ///< with Goal::cost or Goal::modes: the sum paid is at most this

  /// "encoding=order symmetry=1" or "encoding=binary symmetry=0 cost<=3".
  [[nodiscard]] std::string parameters() const;
  [[nodiscard]] static std::optional<Claim> parse(std::string_view parameters, std::string& why);
};

/// The clauses of a claim, in the order every reader and writer of certificates agrees on.
/// `variables`, if given, receives a line for every variable: what it means.
struct ClaimCnf {
  CnfLayout layout;
  Encoding encoding;
};
[[nodiscard]] ClaimCnf write_claim(const PlacementProblem& problem, const Claim& claim,
                                   const ClauseSink& sink);

/// Comment lines "c var 12: blob0 >= 4", for DIMACS and for certificates.
void describe_variables(const PlacementProblem& problem, const ClaimCnf& cnf, std::ostream& out);

void write_cut(const PlacementProblem& problem, const LoadCut& cut,
               const std::filesystem::path& file);

class DratCertificate {
 public:
  explicit DratCertificate(std::filesystem::path file);
  DratCertificate(const DratCertificate&) = delete;
  DratCertificate& operator=(const DratCertificate&) = delete;
  ~DratCertificate();  ///< removes the file of lemmas

  [[nodiscard]] const std::filesystem::path& lemmas() const { return lemmas_; }
  /// require: lemmas() refutes the clauses of the claim.
  void write(const PlacementProblem& problem, const Claim& claim) const;

 private:
  std::filesystem::path file_;
  std::filesystem::path lemmas_;
};

/// Lets CaDiCaL refute the clauses of the claim and writes the certificate to search.proof.
/// ensure: false if the budget ended first; nothing is written then.
/// require: the claim is true.
[[nodiscard]] bool write_refutation(const PlacementProblem& problem, const Claim& claim,
                                    const SearchParams& search);

}  // namespace tessera::encoder
