#include "smt_text.h"

#include <algorithm>
#include <ostream>

#include "granule.h"

namespace tessera::encoder {

std::string smt_name(IntIndex x) {
  return "x" + std::to_string(x);
}
std::string smt_name_of_atom(std::size_t atom) {
  return "b" + std::to_string(atom);
}

namespace {

class SmtWriter {
 public:
  SmtWriter(const Formula& formula, const Numbers& numbers, std::ostream& out, Poll& poll)
      : formula_(formula),
        numbers_(numbers),
        grid_(grid_of(formula, numbers)),
        out_(out),
        poll_(poll) {
    Size largest = 1;
    for (const Domain& domain : grid_.domains) {
      bits_ = bits_ || domain.stride != grid_.unit;
      largest = std::max(largest, domain.last / grid_.unit);
    }
    for (const Atom& atom : formula.atoms()) {
      bits_ = bits_ || (atom.kind == AtomKind::multiple && grid_.unit % atom.modulus != 0);
    }
    while ((largest >> (width_ - 2)) != 0) ++width_;
  }

  void run() {
    out_ << "(set-logic " << (bits_ ? "QF_BV" : "QF_IDL") << ")\n";
    if (grid_.empty || formula_.has_empty_clause()) out_ << "(assert false)\n";
    declare();
    for (std::size_t c = 0; c < formula_.clauses().size(); ++c) {
      const std::span<const Lit> clause = formula_.clauses()[c];
      poll_(4 * static_cast<std::int64_t>(clause.size()));
      out_ << "(assert (or";
      for (const Lit literal : clause) {
        out_ << ' ' << (literal < 0 ? "(not " : "");
        atom(formula_.atom(literal), static_cast<std::size_t>(std::abs(literal)) - 1);
        out_ << (literal < 0 ? ")" : "");
      }
      out_ << " false))\n";
    }
    out_ << "(check-sat)\n(get-model)\n";
  }

 private:
  void declare() {
    const std::string sort = bits_ ? "(_ BitVec " + std::to_string(width_) + ")" : "Int";
    for (std::size_t i = 0; i < grid_.domains.size(); ++i) {
      const std::string name = smt_name(static_cast<IntIndex>(i));
      const Domain& domain = grid_.domains[i];
      out_ << "; " << name << ": offset of " << one_line(formula_.integers()[i].label)
           << ", in steps of " << domain.stride << '\n'
           << "(declare-fun " << name << " () " << sort << ")\n";
      if (domain.last < 0) continue;  // the formula is declared false already
      out_ << "(assert (and (" << at_most() << ' ' << number(0) << ' ' << name << ") (" << at_most()
           << ' ' << name << ' ' << number(domain.steps()) << ")))\n";
    }
    for (std::size_t i = 1; i < formula_.atoms().size(); ++i) {
      poll_();
      if (formula_.atoms()[i].kind != AtomKind::boolean) continue;
      out_ << "; " << smt_name_of_atom(i) << ": " << one_line(formula_.label(i)) << '\n'
           << "(declare-fun " << smt_name_of_atom(i) << " () Bool)\n";
    }
  }

  void atom(const Atom& of, std::size_t index) {
    switch (of.kind) {
      case AtomKind::boolean:
        out_ << (index == 0 ? "true" : smt_name_of_atom(index));
        return;
      case AtomKind::at_least: {
        const Domain& domain = grid_.domains[of.x];
        const Size step = domain.index_of(numbers_.value(of.amount));
        if (step > domain.steps()) {
          out_ << "false";
        } else {
          out_ << '(' << at_most() << ' ' << number(step) << ' ' << smt_name(of.x) << ')';
        }
        return;
      }
      case AtomKind::before:
        before(of);
        return;
      case AtomKind::multiple:
        if (grid_.domains[of.x].stride % of.modulus == 0) {
          out_ << "true";
        } else {
          out_ << "(= (bvurem " << units(of.x) << ' ' << number(of.modulus / grid_.unit) << ") "
               << number(0) << ')';
        }
        return;
    }
  }

  void before(const Atom& of) {
    const Size amount = rounded_amount(numbers_, grid_, of) / grid_.unit;
    if (grid_.domains[of.x].last / grid_.unit + amount <= 0) {
      out_ << "true";
    } else if (amount > grid_.domains[of.y].last / grid_.unit) {
      out_ << "false";
    } else if (!bits_) {
      out_ << "(<= (- " << smt_name(of.x) << ' ' << smt_name(of.y) << ") " << number(-amount)
           << ')';
    } else if (amount >= 0) {
      out_ << "(bvule (bvadd " << units(of.x) << ' ' << number(amount) << ") " << units(of.y)
           << ')';
    } else {
      out_ << "(bvule " << units(of.x) << " (bvadd " << units(of.y) << ' ' << number(-amount)
           << "))";
    }
  }

  [[nodiscard]] const char* at_most() const { return bits_ ? "bvule" : "<="; }
  [[nodiscard]] std::string number(Size value) const {
    if (bits_) return "(_ bv" + std::to_string(value) + ' ' + std::to_string(width_) + ')';
    return value < 0 ? "(- " + std::to_string(-value) + ')' : std::to_string(value);
  }
  [[nodiscard]] std::string units(IntIndex x) const {
    const Size factor = grid_.domains[x].stride / grid_.unit;
    return factor == 1 ? smt_name(x) : "(bvmul " + smt_name(x) + ' ' + number(factor) + ')';
  }
  [[nodiscard]] static std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }

  const Formula& formula_;
  const Numbers& numbers_;
  Grid grid_;
  std::ostream& out_;
  Poll& poll_;
  bool bits_ = false;
  int width_ = 2;  ///< sums have two terms, each at most the largest value
};

}  // namespace

void write_smt(const Formula& formula, const Numbers& numbers, std::ostream& out, Poll* poll) {
  Poll never;
  SmtWriter(formula, numbers, out, poll != nullptr ? *poll : never).run();
}

}  // namespace tessera::encoder
