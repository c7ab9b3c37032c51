#include "check_proof.h"

#include <fstream>
#include <iterator>

#include "derivation.h"
#include "parts.h"

namespace tessera {
namespace {

using namespace proof;

std::string read_file(const std::filesystem::path& file, std::string& why) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    why = "The certificate '" + file.string() + "' cannot be read.";
    return {};
  }
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

ProofVerdict check_proof(const PlacementProblem& problem, const std::filesystem::path& file,
                         const CnfSource& cnf_of) {
  ProofVerdict verdict;
  const std::string text = read_file(file, verdict.reason);
  if (!verdict.reason.empty()) return verdict;
  constexpr std::string_view name = "tessera proof/1 ";
  if (!text.starts_with(name)) {
    verdict.reason = "Line 1: the file does not begin with 'tessera proof/1'.";
    return verdict;
  }
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view rest = std::string_view(text).substr(name.size(), end - name.size());
  const std::size_t blank = std::min(rest.find(' '), rest.size());
  verdict.kind = rest.substr(0, blank);
  verdict.claim = rest.substr(std::min(blank + 1, rest.size()));
  if (verdict.kind == "cut") {
    check_cut(problem, text, verdict);
  } else if (verdict.kind == "drat") {
    check_drat(problem, text, cnf_of, verdict);
  } else if (verdict.kind == "derivation") {
    check_derivation(problem, text, verdict);
  } else {
    verdict.reason = "Line 1: '" + verdict.kind + "' is no kind of certificate known here.";
  }
  return verdict;
}

}  // namespace tessera
