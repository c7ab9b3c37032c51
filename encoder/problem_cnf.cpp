#include "problem_cnf.h"

#include <ostream>

namespace tessera::encoder {

ProblemCnf write_problem(const PlacementProblem& problem, const ClauseSink& sink, Poll* poll) {
  ProblemCnf cnf;
  cnf.encoding = encode(problem, {.break_symmetry = true, .poll = poll});
  cnf.layout =
      write_cnf(cnf.encoding.formula, numbers_of(problem), OffsetEncoding::automatic, sink);
  return cnf;
}

void write_again(const PlacementProblem& problem, const ProblemCnf& cnf, const ClauseSink& sink) {
  static_cast<void>(
      write_cnf(cnf.encoding.formula, numbers_of(problem), cnf.layout.encoding, sink));
}

void describe_variables(const PlacementProblem& problem, const ProblemCnf& cnf, std::ostream& out) {
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

}  // namespace tessera::encoder
