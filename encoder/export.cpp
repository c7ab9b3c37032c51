#include "export.h"

#include <ostream>

#include "problem_cnf.h"
#include "smt_text.h"

namespace tessera {
namespace {

void export_dimacs(const PlacementProblem& problem, std::ostream& out) {
  std::vector<int> clauses;
  std::size_t count = 0;
  const encoder::ProblemCnf cnf = encoder::write_problem(problem, [&](std::span<const int> clause) {
    clauses.insert(clauses.end(), clause.begin(), clause.end());
    clauses.push_back(0);
    ++count;
  });
  out << "c tessera constraints, encoding="
      << (cnf.layout.encoding == OffsetEncoding::binary ? "binary" : "order") << " symmetry=1\n";
  encoder::describe_variables(problem, cnf, out);
  out << "p cnf " << cnf.layout.variables << ' ' << count << '\n';
  for (const int literal : clauses) out << literal << (literal == 0 ? '\n' : ' ');
}

}  // namespace

void export_formula(const PlacementProblem& problem, FormulaFormat format, std::ostream& out) {
  if (format == FormulaFormat::dimacs) {
    export_dimacs(problem, out);
    return;
  }
  const encoder::Encoding encoding = encoder::encode(problem, {.break_symmetry = true});
  encoder::write_smt(encoding.formula, encoder::numbers_of(problem), out);
}

}  // namespace tessera
