// Common code of the Z3 backends: literals, budgets and models. Private to encoder/.
#pragma once

#include <z3++.h>

#include <new>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "backend.h"

namespace tessera::encoder {

/// Offsets in units of the grid, as integers or as bit-vectors.
class Z3Base : public Backend {
 public:
  int literal(Lit of) const override {
    const int value = atoms_[atom_of(of)];
    return of < 0 ? -value : value;
  }
  int fresh() override;
  using Backend::clause;
  void clause(std::span<const int> literals) override;
  Answer solve(std::span<const int> assumptions, const Budget& budget) override;
  bool holds(int literal) override;
  Size value(IntIndex x) override {
    return model_.eval(integers_[x], true).get_numeral_int64() * unit_;
  }
  bool failed(int assumption) override;
  void report(Stats& stats) const override;

 protected:
  explicit Z3Base(const Z3Params& params) : params_(params), solver_(context_), model_(context_) {}

  /// Sets bits_, uniform_ and width_.
  void choose_theory(const Formula& formula, const std::vector<Domain>& domains, Size largest);
  void make_solver();
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
  /// Adds an integer that is a multiple of `factor` units, from 0 to `factor` * `steps`.
  void make_integer(Size factor, Size steps);
  /// x + units <= y
  z3::expr order(IntIndex x, Size units, IntIndex y);
  /// `units` divides x
  z3::expr divides(Size units, IntIndex x);
  int keep(const z3::expr& expression) {
    literals_.push_back(expression);
    return static_cast<int>(literals_.size() - 1);
  }
  [[nodiscard]] z3::expr expression(int literal) const;

  Z3Params params_;
  z3::context context_;
  z3::solver solver_;
  Size unit_ = 1;
  bool bits_ = false;
  bool uniform_ = true;  ///< every stride is the unit
  unsigned width_ = 0;
  std::vector<int> atoms_;
  std::vector<z3::expr> integers_;
  std::vector<z3::expr> literals_;  ///< by number; the first is true
  std::int64_t clauses_ = 0;
  std::int64_t calls_ = 0;

 private:
  /// Z3 takes some time to read parameters: they are set if they change.
  void limit(unsigned milliseconds, unsigned conflicts);

  z3::model model_;
  std::optional<z3::expr_vector> core_;  ///< of the last answer `no`, once it is wanted
  std::optional<std::pair<unsigned, unsigned>> limits_;
};

/// Z3 reports exhausted memory by an exception of its own; convert it to bad_alloc.
template <typename Act>
auto in_common_words(const Act& act) {
  try {
    return act();
  } catch (const z3::exception& error) {
    if (std::string_view(error.msg()) == "out of memory") throw std::bad_alloc();
    throw;
  }
}

/// Z3's memory per order before solving.
inline constexpr double z3_bytes_per_atom = 1'500;

}  // namespace tessera::encoder
