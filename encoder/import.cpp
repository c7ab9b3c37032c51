// Reads the output of a solver for export_formula().
#include <algorithm>
#include <cctype>
#include <charconv>
#include <istream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "export.h"
#include "problem_cnf.h"
#include "smt_text.h"

namespace tessera::encoder {
namespace {

ImportedModel failed(std::string sentence) {
  return {.status = Status::unknown, .placement = std::nullopt, .error = std::move(sentence)};
}

ImportedModel read_dimacs(const PlacementProblem& problem, const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::set<int> true_variables;
  std::set<int> false_variables;
  std::optional<Status> status;
  bool has_model = false;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.starts_with("s ")) {
      if (status) return failed("Line " + std::to_string(number) + ": a second result.");
      if (line.find("UNSATISFIABLE") != std::string::npos) {
        status = Status::infeasible;
      } else if (line.find("SATISFIABLE") != std::string::npos) {
        status = Status::feasible;
      } else {
        status = Status::unknown;
      }
    } else if (line.starts_with("v ")) {
      has_model = true;
      std::istringstream words(line.substr(2));
      std::string word;
      while (words >> word) {
        int literal = 0;
        const char* end = word.data() + word.size();
        if (std::from_chars(word.data(), end, literal).ptr != end) {
          return failed("Line " + std::to_string(number) + ": '" + word + "' is not a literal.");
        }
        if (literal > 0) true_variables.insert(literal);
        if (literal < 0) false_variables.insert(-literal);
        if (literal != 0 && true_variables.contains(std::abs(literal)) &&
            false_variables.contains(std::abs(literal)))
          return failed("Line " + std::to_string(number) + ": variable " +
                        std::to_string(std::abs(literal)) + " is both true and false.");
      }
    }
  }
  if (!status)
    return failed("No line begins with 's': the file is not the output of a SAT solver.");
  if (*status != Status::feasible) return {.status = *status, .placement = {}, .error = {}};
  if (!has_model) {
    return failed("The result is SATISFIABLE, but the 'v' lines with the model are missing.");
  }
  const ProblemCnf cnf = write_problem(problem, [](std::span<const int>) {});
  const auto holds = [&](int literal) {
    return literal == always ||
           (literal != never && true_variables.contains(std::abs(literal)) == (literal > 0));
  };
  return {.status = Status::feasible,
          .placement = decode(
              problem, cnf.encoding, [&](IntIndex x) { return cnf.layout.value(x, holds); },
              [&](Lit literal) { return holds(cnf.layout.literal(literal)); }),
          .error = {}};
}

/// The tokens of an SMT-LIB text: parentheses, and the words between them.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  bool open = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ';') {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
      open = false;
    } else if (c == '(' || c == ')') {
      words.emplace_back(1, c);
      open = false;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      words.back() += c;
      open = true;
    }
  }
  return words;
}

/// "12", "#b0101", "#x1f", "true", "false"; none for other words.
std::optional<Size> constant(const std::string& word) {
  if (word == "true" || word == "false") return word == "true" ? 1 : 0;
  const bool binary = word.starts_with("#b");
  const bool hexadecimal = word.starts_with("#x");
  const std::size_t prefix = binary || hexadecimal ? 2 : 0;
  Size value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data() + prefix, end, value,
                                             binary        ? 2
                                             : hexadecimal ? 16
                                                           : 10);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

ImportedModel read_smt(const PlacementProblem& problem, const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  const auto answer = [](const std::string& word) {
    return word == "sat" || word == "unsat" || word == "unknown";
  };
  if (std::count_if(words.begin(), words.end(), answer) > 1)
    return failed("The file has several solver results.");
  if (words.front() == "unsat") return {.status = Status::infeasible, .placement = {}, .error = {}};
  if (words.front() == "unknown") return {};
  std::map<std::string, Size> values;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != "define-fun") continue;
    const std::string& name = words[i + 1];
    // ( define-fun NAME ( ) SORT VALUE ), where SORT may be ( _ BitVec n )
    std::size_t k = i + 4;
    if (k < words.size() && words[k] == "(") {
      while (k < words.size() && words[k] != ")") ++k;
    }
    const std::optional<Size> value = k + 1 < words.size() ? constant(words[k + 1]) : std::nullopt;
    if (!value) return failed("The value of '" + name + "' is not a constant.");
    values[name] = *value;
  }
  if (values.empty()) return failed("The file is neither a SAT nor an SMT model.");
  const Encoding encoding = encode(problem, {.break_symmetry = true});
  const Grid grid = grid_of(encoding.formula, numbers_of(problem));
  const auto value_of = [&values](const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? 0 : found->second;
  };
  for (std::size_t i = 0; i < grid.domains.size(); ++i) {
    const std::string name = smt_name(static_cast<IntIndex>(i));
    if (const Size value = value_of(name); value < 0 || value > grid.domains[i].steps()) {
      return failed("The value " + std::to_string(value) + " of '" + name +
                    "' is out of range: the model belongs to another input.");
    }
  }
  return {.status = Status::feasible,
          .placement = decode(
              problem, encoding,
              [&](IntIndex x) { return value_of(smt_name(x)) * grid.domains[x].stride; },
              [&](Lit literal) {
                const auto atom = static_cast<std::size_t>(std::abs(literal)) - 1;
                const bool value = atom == 0 || value_of(smt_name_of_atom(atom)) != 0;
                return value == (literal > 0);
              }),
          .error = {}};
}

}  // namespace

ImportedModel import_model(const PlacementProblem& problem, std::istream& in) {
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::istringstream words(text);
  std::string first;
  if (!(words >> first)) return failed("The file is empty.");
  if (first == "c" || first == "s" || first == "v") return read_dimacs(problem, text);
  if (first == "sat" || first == "unsat" || first == "unknown" || first.front() == '(') {
    return read_smt(problem, text);
  }
  return failed("Line 1: '" + first + "' is not the start of a SAT or SMT result.");
}

}  // namespace tessera::encoder
