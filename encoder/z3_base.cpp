#include "z3_base.h"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace tessera::encoder {
namespace {

constexpr unsigned no_limit = 4294967295U;

unsigned milliseconds_left(const Budget& budget) {
  if (budget.deadline == std::chrono::steady_clock::time_point::max()) return no_limit;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                        budget.deadline - std::chrono::steady_clock::now())
                        .count();
  return static_cast<unsigned>(std::clamp<std::int64_t>(left, 1, no_limit - 1));
}

}  // namespace

void Z3Base::choose_theory(const Formula& formula, const std::vector<Domain>& domains,
                           Size largest) {
  bool uniform = true;
  for (const Domain& domain : domains) uniform = uniform && domain.stride == unit_;
  for (const Atom& atom : formula.atoms())
    uniform = uniform && (atom.kind != AtomKind::multiple || unit_ % atom.modulus == 0);
  bits_ = params_.theory == SmtTheory::bitvector ||
          (params_.theory == SmtTheory::automatic && !uniform);
  uniform_ = uniform;
  width_ = 2;  // sums have two terms, each at most `largest`
  while ((largest >> (width_ - 2)) != 0) ++width_;
}

void Z3Base::make_solver() {
  z3::params options(context_);
  options.set("random_seed", static_cast<unsigned>(params_.seed % 1'000'000'000U));
  solver_ = z3::solver(context_, logic());
  solver_.set(options);
  limits_ = {};
  literals_.assign(1, context_.bool_val(true));
}

int Z3Base::fresh() {
  const std::string name = "b" + std::to_string(literals_.size());
  return keep(context_.bool_const(name.c_str()));
}

void Z3Base::clause(std::span<const int> literals) {
  z3::expr_vector terms(context_);
  for (const int literal : literals) {
    if (literal == always) return;
    if (literal != never) terms.push_back(expression(literal));
  }
  solver_.add(terms.empty() ? context_.bool_val(false) : z3::mk_or(terms));
  ++clauses_;
}

Answer Z3Base::solve(std::span<const int> assumptions, const Budget& budget) {
  if (budget.exhausted()) return Answer::unknown;
  ++calls_;
  limit(milliseconds_left(budget),
        static_cast<unsigned>(std::clamp<std::int64_t>(budget.max_nodes, 0, no_limit)));
  z3::expr_vector assumed(context_);
  for (const int literal : assumptions)
    if (literal != always) assumed.push_back(expression(literal));
  z3::check_result answer = z3::unknown;
  try {
    const std::stop_callback interrupt(budget.stop, [this] { context_.interrupt(); });
    answer = solver_.check(assumed);
  } catch (const z3::exception&) {
    // Z3 throws this when interrupted during preprocessing.
    if (!budget.exhausted()) throw;
  }
  if (answer == z3::sat) {
    model_ = solver_.get_model();
    return Answer::yes;
  }
  if (answer == z3::unknown) return Answer::unknown;
  core_.reset();
  return Answer::no;
}

void Z3Base::limit(unsigned milliseconds, unsigned conflicts) {
  const std::pair limits(milliseconds, conflicts);
  if (limits_ == limits) return;
  z3::params options(context_);
  options.set("timeout", milliseconds);
  options.set("max_conflicts", conflicts);
  solver_.set(options);
  limits_ = limits;
}

bool Z3Base::holds(int literal) {
  if (literal == always || literal == never || literal == 0) return literal == always;
  return model_.eval(expression(literal), true).is_true();
}

bool Z3Base::failed(int assumption) {
  if (assumption == always || assumption == never) return assumption == never;
  const z3::expr wanted = expression(assumption);
  if (!core_) core_ = solver_.unsat_core();
  for (unsigned i = 0; i < core_->size(); ++i)
    if (z3::eq((*core_)[static_cast<int>(i)], wanted)) return true;
  return false;
}

void Z3Base::report(Stats& stats) const {
  stats.push_back({"smt_theory", std::string(logic())});
  stats.push_back({"smt_unit", unit_});
  stats.push_back({"smt_clauses", clauses_});
  stats.push_back({"smt_calls", calls_});
}

void Z3Base::make_integer(Size factor, Size steps) {
  const std::string name = "x" + std::to_string(integers_.size());
  const z3::expr base =
      bits_ ? context_.bv_const(name.c_str(), width_) : context_.int_const(name.c_str());
  solver_.add(at_most(number(0), base));
  solver_.add(at_most(base, number(steps)));
  integers_.push_back(factor == 1 ? base : base * number(factor));
}

z3::expr Z3Base::order(IntIndex x, Size units, IntIndex y) {
  const z3::expr& low = integers_[x];
  const z3::expr& high = integers_[y];
  if (!bits_ && uniform_) return low - high <= number(-units);
  return units >= 0 ? at_most(low + number(units), high) : at_most(low, high + number(-units));
}

z3::expr Z3Base::divides(Size units, IntIndex x) {
  const z3::expr modulus = number(units);
  return (bits_ ? z3::urem(integers_[x], modulus) : z3::mod(integers_[x], modulus)) == number(0);
}

z3::expr Z3Base::expression(int literal) const {
  if (literal == always || literal == never)
    return literal == always ? literals_[0] : !literals_[0];
  const z3::expr& positive = literals_[static_cast<std::size_t>(std::abs(literal))];
  return literal < 0 ? !positive : positive;
}

}  // namespace tessera::encoder
