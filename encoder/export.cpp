#include "export.h"

#include <array>
#include <charconv>
#include <ostream>
#include <string>

#include "problem_cnf.h"
#include "smt_text.h"

namespace tessera::encoder {
namespace {

void export_dimacs(const PlacementProblem& problem, std::ostream& out, Poll* poll) {
  std::size_t count = 0;
  const auto counts = [&](std::span<const int> clause) {
    if (poll != nullptr) (*poll)(1 + static_cast<std::int64_t>(clause.size()) / 8);
    ++count;
  };
  const ProblemCnf cnf = write_problem(problem, counts, poll);
  out << "c tessera constraints, encoding="
      << (cnf.layout.encoding == OffsetEncoding::binary ? "binary" : "order") << " symmetry=1\n";
  describe_variables(problem, cnf, out);
  out << "p cnf " << cnf.layout.variables << ' ' << count << '\n';
  std::string line;
  write_again(problem, cnf, [&](std::span<const int> clause) {
    if (poll != nullptr) (*poll)(1 + static_cast<std::int64_t>(clause.size()));
    line.clear();
    std::array<char, 16> digits{};
    for (const int literal : clause) {
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), literal).ptr;
      line.append(digits.data(), end);
      line += ' ';
    }
    line += "0\n";
    out.write(line.data(), static_cast<std::streamsize>(line.size()));
  });
}

}  // namespace

void export_formula(const PlacementProblem& problem, FormulaFormat format, std::ostream& out,
                    Poll* poll) {
  if (format == FormulaFormat::dimacs) {
    export_dimacs(problem, out, poll);
    return;
  }
  const Encoding encoding = encode(problem, {.break_symmetry = true, .poll = poll});
  write_smt(encoding.formula, numbers_of(problem), out, poll);
}

}  // namespace tessera::encoder
