#include "certificate.h"

#include <charconv>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "backend.h"
#include "totalizer.h"

namespace tessera::encoder {
namespace {

/// Writes a file beside its place, with a checksum of every byte in the last line (FNV-1a; it
/// detects damage, it is no signature), and moves it there when it is whole.
class SealedFile {
 public:
  explicit SealedFile(std::filesystem::path file) : file_(std::move(file)), part_(file_) {
    part_ += ".part";
    out_.open(part_, std::ios::binary | std::ios::trunc);
    require_good();
  }
  SealedFile(const SealedFile&) = delete;
  SealedFile& operator=(const SealedFile&) = delete;
  ~SealedFile() {
    std::error_code ignored;
    if (!sealed_) std::filesystem::remove(part_, ignored);
  }

  void line(std::string_view text) {
    take(text);
    take("\n");
  }

  void seal() {
    char digits[17] = {};
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash_));
    out_ << "end " << digits << '\n';
    out_.close();
    require_good();
    std::filesystem::rename(part_, file_);
    sealed_ = true;
  }

 private:
  void take(std::string_view text) {
    for (const char c : text) {
      hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
    }
    out_ << text;
  }
  void require_good() const {
    if (!out_) throw std::runtime_error("cannot write the certificate '" + file_.string() + "'");
  }

  std::filesystem::path file_;
  std::filesystem::path part_;
  std::ofstream out_;
  std::uint64_t hash_ = 0xCBF29CE484222325U;
  bool sealed_ = false;
};

std::string text_of(std::span<const int> clause) {
  std::string text;
  for (const int literal : clause) text += std::to_string(literal) + ' ';
  return text + '0';
}

}  // namespace

std::string Claim::parameters() const {
  std::string text = encoding == OffsetEncoding::binary ? "encoding=binary" : "encoding=order";
  text += break_symmetry ? " symmetry=1" : " symmetry=0";
  if (most) text += (goal == Goal::modes ? " modes<=" : " cost<=") + std::to_string(*most);
  return text;
}

std::optional<Claim> Claim::parse(std::string_view parameters, std::string& why) {
  std::istringstream words{std::string(parameters)};
  Claim claim{.encoding = OffsetEncoding::order};
  std::string word;
  const auto number_after = [&word](std::string_view prefix) -> std::optional<Cost> {
    if (!word.starts_with(prefix)) return std::nullopt;
    Cost value = 0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data() + prefix.size(), end, value);
    if (error != std::errc() || stop != end || value < 0) return std::nullopt;
    return value;
  };
  while (words >> word) {
    if (word == "encoding=order") {
      claim.encoding = OffsetEncoding::order;
    } else if (word == "encoding=binary") {
      claim.encoding = OffsetEncoding::binary;
    } else if (word == "symmetry=0" || word == "symmetry=1") {
      claim.break_symmetry = word.back() == '1';
    } else if (const auto cost = number_after("cost<=")) {
      claim.goal = Goal::cost;
      claim.most = cost;
    } else if (const auto modes = number_after("modes<=")) {
      claim.goal = Goal::modes;
      claim.most = modes;
    } else {
      why = "the certificate's first line has the unknown parameter '" + word + "'";
      return std::nullopt;
    }
  }
  return claim;
}

ClaimCnf write_claim(const PlacementProblem& problem, const Claim& claim, const ClauseSink& sink) {
  ClaimCnf cnf;
  cnf.encoding = encode(
      problem, {.break_symmetry = claim.break_symmetry, .presence = false, .goal = claim.goal});
  cnf.layout = write_cnf(cnf.encoding.formula, numbers_of(problem), claim.encoding, sink);
  if (!claim.most) return cnf;
  std::vector<std::pair<int, Cost>> weighted;
  Cost most = *claim.most;
  for (const Soft& soft : cnf.encoding.soft) {
    const int literal = cnf.layout.literal(soft.literal);
    if (literal == always) most -= soft.weight;
    if (literal != always && literal != never && literal != 0) {
      weighted.emplace_back(literal, soft.weight);
    }
  }
  if (most < 0) {
    sink({});
  } else {
    limit_sum(
        weighted, most, [&cnf] { return ++cnf.layout.variables; }, sink);
  }
  return cnf;
}

void describe_variables(const PlacementProblem& problem, const ClaimCnf& cnf, std::ostream& out) {
  const CnfLayout& layout = cnf.layout;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const IntIndex x = cnf.encoding.offset[b];
    const std::vector<int>& bits = layout.bits[x];
    for (std::size_t k = 0; k < bits.size(); ++k) {
      if (bits[k] == always || bits[k] == never) continue;
      out << "c var " << bits[k] << ": " << problem.buffers[b].id;
      if (layout.encoding == OffsetEncoding::order) {
        out << " >= " << static_cast<Size>(k + 1) * layout.grid.domains[x].stride << '\n';
      } else {
        out << " bit " << k << " (times " << layout.grid.unit << ")\n";
      }
    }
  }
  const Formula& formula = cnf.encoding.formula;
  for (std::size_t i = 1; i < formula.atoms().size(); ++i) {
    const AtomKind kind = formula.atoms()[i].kind;
    const int literal = layout.atoms[i];
    if (literal == 0 || literal == always || literal == never) continue;
    if (kind == AtomKind::at_least) continue;  // a value or a gate over bits
    out << "c var " << literal << ": " << formula.label(i) << '\n';
  }
}

void write_cut(const PlacementProblem& problem, const LoadCut& cut,
               const std::filesystem::path& file) {
  SealedFile out(file);
  out.line("tessera proof/1 cut");
  out.line("step " + std::to_string(cut.step));
  for (const MemoryIndex m : cut.memories) {
    out.line("memory " + std::to_string(m) + ' ' + problem.memories[m].name);
  }
  for (const BufferIndex b : cut.buffers) {
    out.line("buffer " + std::to_string(b) + ' ' + problem.buffers[b].id);
  }
  out.line("asked " + std::to_string(cut.asked) + " available " + std::to_string(cut.available));
  out.seal();
}

DratCertificate::DratCertificate(std::filesystem::path file)
    : file_(std::move(file)), lemmas_(file_) {
  lemmas_ += ".lemmas";
}

DratCertificate::~DratCertificate() {
  std::error_code ignored;
  std::filesystem::remove(lemmas_, ignored);
}

void DratCertificate::write(const PlacementProblem& problem, const Claim& claim) const {
  std::vector<std::string> clauses;
  const ClaimCnf cnf = write_claim(problem, claim, [&clauses](std::span<const int> clause) {
    clauses.push_back(text_of(clause));
  });
  Claim exact = claim;
  exact.encoding = cnf.layout.encoding;
  SealedFile out(file_);
  out.line("tessera proof/1 drat " + exact.parameters());
  std::ostringstream map;
  describe_variables(problem, cnf, map);
  std::istringstream lines(map.str());
  std::string line;
  while (std::getline(lines, line)) out.line(line);
  out.line("p cnf " + std::to_string(cnf.layout.variables) + ' ' + std::to_string(clauses.size()));
  for (const std::string& clause : clauses) out.line(clause);
  out.line("lemmas");
  std::ifstream lemmas(lemmas_);
  while (std::getline(lemmas, line)) out.line(line);
  out.seal();
}

bool write_refutation(const PlacementProblem& problem, const Claim& claim,
                      const SearchParams& search) {
  const DratCertificate certificate(search.proof);
  {
    // A formula without integers, so that the solver holds exactly the clauses of the claim.
    const std::unique_ptr<Backend> solver =
        make_cadical({.seed = search.seed, .proof = certificate.lemmas()});
    solver->load(Formula(), {});
    const ClauseSink take = [&solver](std::span<const int> clause) { solver->clause(clause); };
    static_cast<void>(write_claim(problem, claim, take));
    if (solver->solve({}, search.budget) != Answer::no) return false;
  }
  certificate.write(problem, claim);
  return true;
}

}  // namespace tessera::encoder
