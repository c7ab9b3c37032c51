// Clauses and lemmas: the clauses must be those of the input, each lemma must follow by unit
// propagation, and the last must be the empty one.
#include <algorithm>

#include "parts.h"
#include "rup.h"

namespace tessera::proof {
namespace {

/// Reads "1 -2 3 0"; false if it is anything else.
bool read_clause(std::string_view line, std::vector<int>& clause) {
  constexpr std::int64_t largest_variable = 1'000'000'000;
  clause.clear();
  while (true) {
    const auto literal = take_number(line);
    if (!literal || *literal < -largest_variable || *literal > largest_variable) return false;
    if (*literal == 0) return take_word(line).empty();
    clause.push_back(static_cast<int>(*literal));
  }
}

std::string at(const Lines& lines, std::string_view what) {
  return "Line " + std::to_string(lines.number()) + ": " + std::string(what) + '.';
}

/// Compares the clauses of the file with those of the input and adds them.
std::string take_clauses(Lines& lines, const std::vector<int>& expected, RupChecker& checker) {
  std::optional<std::string_view> line = lines.next();
  while (line && line->starts_with("c ")) line = lines.next();
  if (!line || !line->starts_with("p cnf ")) return at(lines, "'p cnf' is expected here");
  std::vector<int> clause;
  std::size_t begin = 0;
  while ((line = lines.next()) && *line != "lemmas") {
    if (!read_clause(*line, clause)) return at(lines, "this is no clause");
    const auto end =
        std::find(expected.begin() + static_cast<std::ptrdiff_t>(begin), expected.end(), 0);
    if (end == expected.end()) return at(lines, "the input has fewer clauses");
    const std::span<const int> wanted(&expected[begin],
                                      static_cast<std::size_t>(end - expected.begin()) - begin);
    if (!std::equal(clause.begin(), clause.end(), wanted.begin(), wanted.end())) {
      return at(lines,
                "the input has another clause here: the certificate belongs to another input");
    }
    checker.add(clause);
    begin += clause.size() + 1;
  }
  if (begin != expected.size()) return at(lines, "the input has more clauses");
  if (!line) return at(lines, "'lemmas' is expected here");
  return {};
}

}  // namespace

void check_drat(const PlacementProblem& problem, std::string_view text, const CnfSource& cnf_of,
                ProofVerdict& verdict) {
  const auto body = unsealed(text, verdict.reason);
  if (!body) return;
  std::string why;
  const auto expected = cnf_of ? cnf_of(problem, verdict.claim, why) : std::nullopt;
  if (!expected) {
    verdict.reason = "The clauses cannot be derived from the input: " + why + '.';
    return;
  }
  Lines lines(*body);
  static_cast<void>(lines.next());
  RupChecker checker;
  verdict.reason = take_clauses(lines, *expected, checker);
  if (!verdict.reason.empty()) return;
  std::vector<int> lemma;
  while (const auto line = lines.next()) {
    if (checker.refuted()) break;  // the rest is not needed
    const bool removes = line->starts_with("d ");
    if (!read_clause(removes ? line->substr(2) : *line, lemma)) {
      verdict.reason = at(lines, "this is no lemma");
      return;
    }
    if (removes) {
      if (!checker.remove(lemma)) {
        verdict.reason = at(lines, "a clause is deleted that is not there");
        return;
      }
      continue;
    }
    ++verdict.lemmas;
    if (!checker.implies(lemma)) {
      verdict.reason = at(lines, "the lemma does not follow by unit propagation");
      return;
    }
    checker.add(lemma);
  }
  verdict.propagations = checker.propagations();
  verdict.accepted = checker.refuted();
  verdict.reason = verdict.accepted ? "The clauses of the input have no model: " +
                                          std::to_string(verdict.lemmas) + " lemmas checked."
                                    : "The lemmas end before the contradiction.";
}

}  // namespace tessera::proof
