#include "cadical_base.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::encoder {

CadicalBase::CadicalBase(std::uint64_t seed) {
  solver_.set("quiet", 1);
  solver_.set("seed", static_cast<int>(seed % 2'000'000'000U));
}

void CadicalBase::clause(std::span<const int> literals) {
  scratch_.clear();
  for (const int literal : literals) {
    if (literal == always) return;
    if (literal != never) scratch_.push_back(literal);
  }
  add(scratch_);
}

bool CadicalBase::holds(int literal) {
  if (literal == always || literal == never) return literal == always;
  // A variable without clauses has no value; any value is right.
  return std::abs(literal) <= solver_.vars() && solver_.val(literal) > 0;
}

bool CadicalBase::failed(int assumption) {
  if (false_assumption_) return assumption == never;
  return assumption != always && assumption != never && solver_.failed(assumption);
}

bool CadicalBase::possible(std::span<const int> assumptions) {
  false_assumption_ = std::find(assumptions.begin(), assumptions.end(), never) != assumptions.end();
  return !false_assumption_;
}

void CadicalBase::assume(std::span<const int> assumptions) {
  for (const int literal : assumptions) {
    if (literal != always) solver_.assume(literal);
  }
}

void CadicalBase::add(std::span<const int> literals) {
  for (const int literal : literals) solver_.add(literal);
  solver_.add(0);
  ++clauses_;
}

}  // namespace tessera::encoder
