#include <z3++.h>

#include <algorithm>
#include <new>
#include <string>
#include <string_view>

#include "backend.h"

namespace tessera::encoder {
namespace {

constexpr unsigned no_limit = 4294967295U;

/// What Z3 takes for an order before it has begun to solve.
constexpr double bytes_per_atom = 1'500;

/// Offsets in units of the grid, as integers or as bit-vectors.
class Z3Backend final : public Backend {
 public:
  explicit Z3Backend(const Z3Params& params)
      : params_(params), solver_(context_), model_(context_), core_(context_) {}

  using Backend::load;
  void load(const Formula& formula, const Numbers& numbers, Poll& poll) override {
    poll.check();
    poll.check_memory(bytes_per_atom * static_cast<double>(formula.atoms().size()));
    formula_ = &formula;
    numbers_ = &numbers;
    grid_ = grid_of(formula, numbers);
    choose_theory();
    z3::params options(context_);
    options.set("random_seed", static_cast<unsigned>(params_.seed % 1'000'000'000U));
    solver_ = z3::solver(context_, logic());
    solver_.set(options);
    atoms_.assign(formula.atoms().size(), 0);
    atoms_[0] = always;
    literals_.assign(1, context_.bool_val(true));
    if (grid_.empty || formula.has_empty_clause()) {
      solver_.add(context_.bool_val(false));
    } else {
      make_integers();
      std::vector<int> literals;
      // Tautologies about orders are what its theory of differences knows by itself.
      for (std::size_t c = 0; c < formula.clauses().size(); ++c) {
        poll(16);  // a term takes its time
        literals.clear();
        for (const Lit each : formula.clauses()[c]) literals.push_back(translate(each));
        clause(std::span<const int>(literals));
      }
    }
    formula_ = nullptr;
    numbers_ = nullptr;
  }

  int literal(Lit of) const override {
    const int value = atoms_[static_cast<std::size_t>(of < 0 ? -of : of) - 1];
    return of < 0 ? -value : value;
  }
  int fresh() override {
    const std::string name = "b" + std::to_string(literals_.size());
    return keep(context_.bool_const(name.c_str()));
  }

  void clause(std::span<const int> literals) override {
    z3::expr_vector terms(context_);
    for (const int literal : literals) {
      if (literal == always) return;
      if (literal != never) terms.push_back(expression(literal));
    }
    solver_.add(terms.empty() ? context_.bool_val(false) : z3::mk_or(terms));
    ++clauses_;
  }

  Answer solve(std::span<const int> assumptions, const Budget& budget) override {
    if (budget.exhausted()) return Answer::unknown;
    ++calls_;
    z3::params options(context_);
    options.set("timeout", milliseconds_left(budget));
    options.set("max_conflicts",
                static_cast<unsigned>(std::clamp<std::int64_t>(budget.max_nodes, 0, no_limit)));
    solver_.set(options);
    z3::expr_vector assumed(context_);
    assumed_.clear();
    for (const int literal : assumptions) {
      if (literal == always) continue;
      assumed.push_back(expression(literal));
      assumed_.push_back(literal);
    }
    z3::check_result answer = z3::unknown;
    try {
      const std::stop_callback interrupt(budget.stop, [this] { context_.interrupt(); });
      answer = solver_.check(assumed);
    } catch (const z3::exception&) {
      // Z3 reports an interrupt in the middle of preprocessing this way.
      if (!budget.exhausted()) throw;
    }
    if (answer == z3::sat) {
      model_ = solver_.get_model();
      return Answer::yes;
    }
    if (answer == z3::unknown) return Answer::unknown;
    core_ = solver_.unsat_core();
    return Answer::no;
  }

  bool holds(int literal) override {
    if (literal == always || literal == never || literal == 0) return literal == always;
    return model_.eval(expression(literal), true).is_true();
  }
  Size value(IntIndex x) override {
    const z3::expr value = model_.eval(integers_[x], true);
    return value.get_numeral_int64() * grid_.unit;
  }
  bool failed(int assumption) override {
    if (assumption == always || assumption == never) return assumption == never;
    const z3::expr wanted = expression(assumption);
    for (unsigned i = 0; i < core_.size(); ++i) {
      if (z3::eq(core_[static_cast<int>(i)], wanted)) return true;
    }
    return false;
  }

  void report(Stats& stats) const override {
    stats.push_back({"smt_theory", std::string(logic())});
    stats.push_back({"smt_unit", grid_.unit});
    stats.push_back({"smt_clauses", clauses_});
    stats.push_back({"smt_calls", calls_});
  }

 private:
  void choose_theory() {
    bool uniform = true;
    for (const Domain& domain : grid_.domains) uniform = uniform && domain.stride == grid_.unit;
    for (const Atom& atom : formula_->atoms()) {
      uniform = uniform && (atom.kind != AtomKind::multiple || grid_.unit % atom.modulus == 0);
    }
    bits_ = params_.theory == SmtTheory::bitvector ||
            (params_.theory == SmtTheory::automatic && !uniform);
    uniform_ = uniform;
    Size largest = 1;
    for (const Domain& domain : grid_.domains) {
      largest = std::max(largest, domain.last / grid_.unit);
    }
    width_ = 2;  // sums have two terms, each at most `largest`
    while ((largest >> (width_ - 2)) != 0) ++width_;
  }
  [[nodiscard]] const char* logic() const {
    return bits_ ? "QF_BV" : uniform_ ? "QF_IDL" : "QF_LIA";
  }

  z3::expr number(Size units) {
    return bits_ ? context_.bv_val(static_cast<std::int64_t>(units), width_)
                 : context_.int_val(static_cast<std::int64_t>(units));
  }
  static z3::expr at_most(const z3::expr& a, const z3::expr& b) {
    return a.is_bv() ? z3::ule(a, b) : a <= b;
  }

  void make_integers() {
    for (std::size_t i = 0; i < grid_.domains.size(); ++i) {
      const Domain& domain = grid_.domains[i];
      const std::string name = "x" + std::to_string(i);
      const z3::expr base =
          bits_ ? context_.bv_const(name.c_str(), width_) : context_.int_const(name.c_str());
      solver_.add(at_most(number(0), base));
      solver_.add(at_most(base, number(domain.steps())));
      const Size factor = domain.stride / grid_.unit;
      integers_.push_back(factor == 1 ? base : base * number(factor));
    }
  }

  int translate(Lit literal) {
    const auto index = static_cast<std::size_t>(literal < 0 ? -literal : literal) - 1;
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
        return keep(at_most(number(index * (domain.stride / grid_.unit)), integers_[atom.x]));
      }
      case AtomKind::before: {
        const Size amount = rounded_amount(*numbers_, grid_, atom) / grid_.unit;
        const Size units = amount;
        if (grid_.domains[atom.x].last / grid_.unit + units <= 0) return always;
        if (units > grid_.domains[atom.y].last / grid_.unit) return never;
        const z3::expr& x = integers_[atom.x];
        const z3::expr& y = integers_[atom.y];
        if (!bits_ && uniform_) return keep(x - y <= number(-units));
        return keep(units >= 0 ? at_most(x + number(units), y) : at_most(x, y + number(-units)));
      }
      case AtomKind::multiple: {
        if (grid_.domains[atom.x].stride % atom.modulus == 0) return always;
        const z3::expr modulus = number(atom.modulus / grid_.unit);
        const z3::expr& x = integers_[atom.x];
        return keep((bits_ ? z3::urem(x, modulus) : z3::mod(x, modulus)) == number(0));
      }
    }
    return never;
  }

  int keep(const z3::expr& expression) {
    literals_.push_back(expression);
    return static_cast<int>(literals_.size() - 1);
  }
  [[nodiscard]] z3::expr expression(int literal) const {
    if (literal == always || literal == never) {
      return literal == always ? literals_[0] : !literals_[0];
    }
    const z3::expr& positive = literals_[static_cast<std::size_t>(std::abs(literal))];
    return literal < 0 ? !positive : positive;
  }

  [[nodiscard]] static unsigned milliseconds_left(const Budget& budget) {
    if (budget.deadline == std::chrono::steady_clock::time_point::max()) return no_limit;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                          budget.deadline - std::chrono::steady_clock::now())
                          .count();
    return static_cast<unsigned>(std::clamp<std::int64_t>(left, 1, no_limit - 1));
  }

  Z3Params params_;
  z3::context context_;
  z3::solver solver_;
  z3::model model_;
  z3::expr_vector core_;
  const Formula* formula_ = nullptr;  ///< while loading
  const Numbers* numbers_ = nullptr;  ///< while loading
  Grid grid_;
  bool bits_ = false;
  bool uniform_ = true;  ///< every stride is the unit
  unsigned width_ = 0;
  std::vector<int> atoms_;
  std::vector<z3::expr> integers_;
  std::vector<z3::expr> literals_;  ///< by number; the first is true
  std::vector<int> assumed_;
  std::int64_t clauses_ = 0;
  std::int64_t calls_ = 0;
};

/// Z3 says in words of its own that memory has run out; everybody else says bad_alloc.
template <typename Act>
auto in_common_words(const Act& act) {
  try {
    return act();
  } catch (const z3::exception& error) {
    if (std::string_view(error.msg()) == "out of memory") throw std::bad_alloc();
    throw;
  }
}

class Z3 final : public Backend {
 public:
  explicit Z3(const Z3Params& params)
      : inner_(in_common_words([&] { return std::make_unique<Z3Backend>(params); })) {}

  using Backend::clause;
  using Backend::load;
  void load(const Formula& formula, const Numbers& numbers, Poll& poll) override {
    in_common_words([&] { inner_->load(formula, numbers, poll); });
  }
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
