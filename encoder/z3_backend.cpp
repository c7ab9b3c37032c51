#include <algorithm>

#include "z3_base.h"

namespace tessera::encoder {
namespace {

class Z3Backend final : public Z3Base {
 public:
  explicit Z3Backend(const Z3Params& params) : Z3Base(params) {}

  using Backend::load;
  bool reloads() const override { return true; }
  void load(const Formula& formula, const Numbers& numbers, Poll& poll) override {
    poll.check();
    integers_.clear();
    poll.check_memory(z3_bytes_per_atom * static_cast<double>(formula.atoms().size()));
    formula_ = &formula;
    numbers_ = &numbers;
    grid_ = grid_of(formula, numbers);
    unit_ = grid_.unit;
    Size largest = 1;
    for (const Domain& domain : grid_.domains) largest = std::max(largest, domain.last / unit_);
    choose_theory(formula, grid_.domains, largest);
    make_solver();
    atoms_.assign(formula.atoms().size(), 0);
    atoms_[0] = always;
    if (grid_.empty || formula.has_empty_clause()) {
      clause({});
    } else {
      for (const Domain& domain : grid_.domains)
        make_integer(domain.stride / unit_, domain.steps());
      std::vector<int> literals;
      // Z3's theory of differences implies the tautologies about orders.
      for (std::size_t c = 0; c < formula.clauses().size(); ++c) {
        poll(16);  // each term takes time
        literals.clear();
        for (const Lit each : formula.clauses()[c]) literals.push_back(translate(each));
        clause(std::span<const int>(literals));
      }
    }
    formula_ = nullptr;
    numbers_ = nullptr;
  }

 private:
  int translate(Lit literal) {
    const std::size_t index = atom_of(literal);
    int& known = atoms_[index];
    if (known == 0) known = make(formula_->atoms()[index]);
    return literal < 0 ? -known : known;
  }

  int make(const Atom& atom) {
    switch (atom.kind) {
      case AtomKind::boolean:
        return fresh();
      case AtomKind::at_least: {
        const Domain& domain = grid_.domains[atom.x];
        const Size index = domain.index_of(numbers_->value(atom.amount));
        if (index <= 0) return always;
        if (index > domain.steps()) return never;
        return keep(at_most(number(index * (domain.stride / unit_)), integers_[atom.x]));
      }
      case AtomKind::before: {
        const Size units = rounded_amount(*numbers_, grid_, atom) / unit_;
        if (grid_.domains[atom.x].last / unit_ + units <= 0) return always;
        if (units > grid_.domains[atom.y].last / unit_) return never;
        return keep(order(atom.x, units, atom.y));
      }
      case AtomKind::multiple:
        if (grid_.domains[atom.x].stride % atom.modulus == 0) return always;
        return keep(divides(atom.modulus / unit_, atom.x));
    }
    return never;
  }

  const Formula* formula_ = nullptr;  ///< set while loading
  const Numbers* numbers_ = nullptr;  ///< set while loading
  Grid grid_;
};

class Z3 final : public Backend {
 public:
  explicit Z3(const Z3Params& params)
      : inner_(in_common_words([&] { return std::make_unique<Z3Backend>(params); })) {}

  using Backend::clause;
  using Backend::load;
  void load(const Formula& formula, const Numbers& numbers, Poll& poll) override {
    in_common_words([&] { inner_->load(formula, numbers, poll); });
  }
  bool reloads() const override { return inner_->reloads(); }
  int literal(Lit of) const override { return inner_->literal(of); }
  int fresh() override {
    return in_common_words([&] { return inner_->fresh(); });
  }
  void clause(std::span<const int> literals) override {
    in_common_words([&] { inner_->clause(literals); });
  }
  Answer solve(std::span<const int> assumptions, const Budget& budget) override {
    return in_common_words([&] { return inner_->solve(assumptions, budget); });
  }
  bool holds(int literal) override {
    return in_common_words([&] { return inner_->holds(literal); });
  }
  Size value(IntIndex x) override {
    return in_common_words([&] { return inner_->value(x); });
  }
  bool failed(int assumption) override {
    return in_common_words([&] { return inner_->failed(assumption); });
  }
  void report(Stats& stats) const override { inner_->report(stats); }

 private:
  std::unique_ptr<Z3Backend> inner_;
};

}  // namespace

std::unique_ptr<Backend> make_z3(const Z3Params& params) {
  return std::make_unique<Z3>(params);
}

}  // namespace tessera::encoder
