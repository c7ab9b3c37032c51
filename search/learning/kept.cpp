#include "kept.h"

#include <algorithm>

namespace tessera::search::learning {

void KeptClauses::collect(const Search& search, const Deduction& deduction) {
  const ClauseDb& clauses = deduction.clauses;
  for (const Search::Unit& unit : search.units()) {
    ClauseDb::Head head;
    head.exact = unit.exact;
    keep({&unit.lit, 1}, deduction.state, head);
  }
  // Clauses with a name were kept before.
  for (ClauseRef ref = 0; ref < clauses.count(); ++ref)
    if (clauses.head(ref).learned && clauses.head(ref).id != kept_before &&
        clauses.head(ref).size <= most_literals)
      keep(clauses.lits(ref), deduction.state, clauses.head(ref));
}

void KeptClauses::keep(std::span<const Lit> lits, const State& state, const ClauseDb::Head& head) {
  if (bases_.empty()) return;
  Clause clause{first_ + bases_.size() - 1, head, {}};
  clause.head.id = kept_before;
  for (const Lit& lit : lits) clause.contradiction.push_back(state.negation(lit));
  clauses_.push_back(std::move(clause));
  ++bases_.back().clauses;
  if (clauses_.size() <= most_clauses) return;
  --bases_[clauses_.front().basis - first_].clauses;
  clauses_.pop_front();
}

void KeptClauses::begin(const SizeLayer& layer, const std::vector<Key>& symmetry) {
  if (!bases_.empty() && bases_.back().clauses == 0) bases_.pop_back();
  while (!bases_.empty() && bases_.front().clauses == 0) {
    bases_.pop_front();
    ++first_;
  }
  bases_.push_back({layer, symmetry, 0});
}

KeptClauses::Holds KeptClauses::holds(const Basis& basis, const State& state,
                                      std::span<const Var> offsets) const {
  const Basis& now = bases_.back();
  if (!std::ranges::includes(now.symmetry, basis.symmetry)) return Holds::no;
  if (!std::ranges::equal(now.layer.capacities, basis.layer.capacities, std::ranges::less_equal{}))
    return Holds::no;
  bool equal = true;
  for (BufferIndex b = 0; b < offsets.size(); ++b) {
    const Size more = now.layer.sizes[b] - basis.layer.sizes[b];
    if (more < 0 || more % state.stride(offsets[b]) != 0) return Holds::no;
    equal = equal && more == 0;
  }
  return equal ? Holds::exactly : Holds::for_larger;
}

bool KeptClauses::restore(const Deduction& deduction, Build& build, std::span<const Var> offsets) {
  restored_ = 0;
  bool exact = false;
  std::uint64_t known = ~std::uint64_t{0};
  Holds holding = Holds::no;
  for (const Clause& clause : clauses_) {
    if (clause.basis != known)
      holding = holds(bases_[clause.basis - first_], deduction.state, offsets);
    known = clause.basis;
    if (holding == Holds::no || (clause.head.exact && holding != Holds::exactly)) continue;
    lits_.clear();
    for (const Lit& lit : clause.contradiction) lits_.push_back(deduction.state.negation(lit));
    exact = build.add_kept(lits_, clause.head) || exact;
    ++restored_;
  }
  return exact;
}

}  // namespace tessera::search::learning
