#include "cnf_writer.h"

#include <algorithm>
#include <cmath>

#include "cnf_builder.h"

namespace tessera::encoder {

void CnfBuilder::clause(std::span<const int> literals) {
  scratch_.clear();
  for (const int literal : literals) {
    if (literal == always) return;
    if (literal != never) scratch_.push_back(literal);
  }
  sink_(scratch_);
}

int CnfBuilder::conjunction(int a, int b) {
  if (a == never || b == never || a == -b) return never;
  if (a == always || a == b) return b;
  if (b == always) return a;
  const int gate = fresh();
  clause({-gate, a});
  clause({-gate, b});
  clause({gate, -a, -b});
  return gate;
}

int CnfBuilder::exclusive(int a, int b) {
  if (a == never) return b;
  if (b == never) return a;
  if (a == always) return -b;
  if (b == always) return -a;
  if (a == b) return never;
  if (a == -b) return always;
  const int gate = fresh();
  clause({-gate, a, b});
  clause({-gate, -a, -b});
  clause({gate, -a, b});
  clause({gate, a, -b});
  return gate;
}

int CnfBuilder::majority(int a, int b, int c) {
  if (a == never) return conjunction(b, c);
  if (b == never) return conjunction(a, c);
  if (c == never) return conjunction(a, b);
  if (a == always) return disjunction(b, c);
  if (b == always) return disjunction(a, c);
  if (c == always) return disjunction(a, b);
  const int gate = fresh();
  clause({-gate, a, b});
  clause({-gate, a, c});
  clause({-gate, b, c});
  clause({gate, -a, -b});
  clause({gate, -a, -c});
  clause({gate, -b, -c});
  return gate;
}

Size CnfLayout::value(IntIndex x, const std::function<bool(int)>& holds) const {
  const auto is_true = [&holds](int literal) {
    return literal == always || (literal != never && holds(literal));
  };
  Size result = 0;
  if (encoding == OffsetEncoding::order) {
    for (const int bit : bits[x]) {
      if (!is_true(bit)) break;
      result += grid.domains[x].stride;
    }
    return result;
  }
  for (std::size_t k = bits[x].size(); k-- > 0;) {
    result = 2 * result + (is_true(bits[x][k]) ? grid.unit : 0);
  }
  return result;
}

namespace {

/// Number of clauses of the order encoding about offsets.
double order_clauses(const Formula& formula, const Grid& grid) {
  double clauses = 0;
  for (const Domain& domain : grid.domains) clauses += static_cast<double>(domain.steps());
  for (const Atom& atom : formula.atoms()) {
    if (atom.kind == AtomKind::multiple) {
      clauses += static_cast<double>(grid.domains[atom.x].steps());
    } else if (atom.kind == AtomKind::before) {
      clauses +=
          static_cast<double>(std::min(grid.domains[atom.x].steps(), grid.domains[atom.y].steps()));
    }
  }
  return clauses;
}

}  // namespace

OffsetEncoding choose_encoding(const Formula& formula, const Numbers& numbers) {
  return order_clauses(formula, grid_of(formula, numbers)) <= most_order_clauses
             ? OffsetEncoding::order
             : OffsetEncoding::binary;
}

double expected_clauses(const Formula& formula, const Numbers& numbers, OffsetEncoding encoding) {
  const auto said = static_cast<double>(formula.clauses().size() + formula.tautologies().size());
  const Grid grid = grid_of(formula, numbers);
  if (encoding == OffsetEncoding::order) return said + order_clauses(formula, grid);
  Size largest = 1;
  for (const Domain& domain : grid.domains) largest = std::max(largest, domain.last / grid.unit);
  const double width = std::log2(static_cast<double>(largest)) + 2;
  // A comparison has three clauses for each bit.
  return said + 3 * width * static_cast<double>(formula.atoms().size());
}

namespace {

class FormulaWriter {
 public:
  FormulaWriter(const Formula& formula, const Numbers& numbers, const ClauseSink& sink,
                CnfLayout& layout)
      : formula_(formula),
        numbers_(numbers),
        builder_(sink, layout.variables),
        layout_(layout),
        writer_(layout.encoding == OffsetEncoding::order
                    ? make_order_writer(layout.grid, builder_)
                    : make_binary_writer(layout.grid, builder_)) {}

  void run() {
    layout_.bits.resize(formula_.integers().size());
    layout_.atoms.assign(formula_.atoms().size(), 0);
    layout_.atoms[0] = always;
    if (layout_.grid.empty || formula_.has_empty_clause()) {
      builder_.clause({});
      return;
    }
    writer_->integers(layout_.bits);
    std::vector<int> literals;
    for (const ClauseList* list : {&formula_.clauses(), &formula_.tautologies()}) {
      for (std::size_t c = 0; c < list->size(); ++c) {
        literals.clear();
        for (const Lit literal : (*list)[c]) literals.push_back(translate(literal));
        builder_.clause(literals);
      }
    }
  }

 private:
  int translate(Lit literal) {
    const std::size_t index = atom_of(literal);
    int& known = layout_.atoms[index];
    if (known == 0) known = write(formula_.atoms()[index]);
    return literal < 0 ? -known : known;
  }

  int write(const Atom& atom) {
    switch (atom.kind) {
      case AtomKind::boolean:
        return builder_.fresh();
      case AtomKind::at_least:
        return writer_->at_least(atom.x, numbers_.value(atom.amount));
      case AtomKind::before: {
        const Size amount = rounded_amount(numbers_, layout_.grid, atom);
        if (layout_.grid.domains[atom.x].last + amount <= 0) return always;
        if (amount > layout_.grid.domains[atom.y].last) return never;
        return writer_->before(atom.x, amount, atom.y);
      }
      case AtomKind::multiple:
        if (layout_.grid.domains[atom.x].stride % atom.modulus == 0) return always;
        return writer_->multiple(atom.x, atom.modulus);
    }
    return never;
  }

  const Formula& formula_;
  const Numbers& numbers_;
  CnfBuilder builder_;
  CnfLayout& layout_;
  std::unique_ptr<OffsetWriter> writer_;
};

}  // namespace

CnfLayout write_cnf(const Formula& formula, const Numbers& numbers, OffsetEncoding encoding,
                    const ClauseSink& sink) {
  CnfLayout layout;
  layout.encoding =
      encoding == OffsetEncoding::automatic ? choose_encoding(formula, numbers) : encoding;
  layout.grid = grid_of(formula, numbers);
  FormulaWriter(formula, numbers, sink, layout).run();
  return layout;
}

}  // namespace tessera::encoder
