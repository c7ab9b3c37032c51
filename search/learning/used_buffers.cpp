#include "used_buffers.h"

#include <algorithm>
#include <bit>

namespace tessera::search::learning {
namespace {

void insert(std::vector<std::uint64_t>& set, BufferIndex b) {
  set[b / 64] |= std::uint64_t{1} << (b % 64);
}

void unite(std::vector<std::uint64_t>& set, const std::vector<std::uint64_t>& with) {
  for (std::size_t w = 0; w < set.size(); ++w) set[w] |= with[w];
}

}  // namespace

UsedBuffers::UsedBuffers(const Build& build, const Deduction& deduction)
    : deduction_(deduction),
      of_var_(build.buffers_of_variables()),
      of_item_(build.buffers_of_items()),
      words_((build.plan.offsets.size() + 63) / 64),
      roots_(2 * deduction.state.variables()),
      axioms_(build.axioms.clauses.size()),
      last_(axioms_),
      contradiction_(words_, 0) {
  // Building removes false literals from clauses, and turns clauses with one literal into bounds.
  const auto& axioms = build.axioms;
  for (std::size_t at = 0; at < axioms_; ++at) {
    Set set(words_, 0);
    for (const Lit& lit : axioms.clauses[at])
      for (const BufferIndex b : of_var_[var_of(lit.key)]) insert(set, b);
    if (const auto found = axioms.of_relation.find(at); found != axioms.of_relation.end())
      for (const BufferIndex b : found->second->buffers) insert(set, b);
    if (const auto found = axioms.dropped.find(at); found != axioms.dropped.end())
      for (const Lit& lit : found->second) add(deduction.state.negation(lit), set);
    sets_.emplace(at + 1, std::move(set));
    if (const auto found = axioms.units.find(at); found != axioms.units.end())
      roots_[found->second.key].push_back({found->second.value, at + 1});
  }
}

void UsedBuffers::add(const Lit& lit, Set& set) const {
  for (const BufferIndex b : of_var_[var_of(lit.key)]) insert(set, b);
  const auto& roots = roots_[lit.key];
  const auto found = std::find_if(roots.begin(), roots.end(),
                                  [&](const Root& root) { return root.value >= lit.value; });
  if (found == roots.end()) return;
  // A decision may imply it as well: then some buffers too many are named.
  unite(set, sets_.at(found->clause));
}

std::uint64_t UsedBuffers::learned(std::span<const Lit> lits, std::span<const Lemma> antecedents) {
  Set set(words_, 0);
  for (const Lemma& lemma : antecedents) {
    if (lemma.reason.rule == Rule::clause) {
      const auto from = sets_.find(deduction_.clauses.head(lemma.reason.a).id);
      if (from != sets_.end()) unite(set, from->second);
    }
    if (lemma.conclusion.key != no_key) add(lemma.conclusion, set);
    for (const Lit& premise : lemma.premises) add(premise, set);
    for (const ItemIndex item : lemma.members) {
      insert(set, of_item_[item]);
      // The addresses that a balance sum assumes are bounds of level 0.
      if (lemma.reason.rule != Rule::balance) continue;
      for (unsigned side = 0; side < 2; ++side)
        for (const Root& root : roots_[key_of(deduction_.orders.items()[item].var, side)])
          if (root.clause <= axioms_) unite(set, sets_.at(root.clause));
    }
  }
  ++last_;
  if (lits.empty()) contradiction_ = set;
  if (lits.size() == 1) roots_[lits[0].key].push_back({lits[0].value, last_});
  sets_.emplace(last_, std::move(set));
  return last_;
}

void UsedBuffers::forgotten(std::span<const std::uint64_t> ids) {
  for (const std::uint64_t id : ids) sets_.erase(id);
}

std::vector<BufferIndex> UsedBuffers::buffers() const {
  std::vector<BufferIndex> found;
  for (std::size_t w = 0; w < words_; ++w)
    for (std::uint64_t bits = contradiction_[w]; bits != 0; bits &= bits - 1)
      found.push_back(
          static_cast<BufferIndex>(w * 64 + static_cast<unsigned>(std::countr_zero(bits))));
  return found;
}

}  // namespace tessera::search::learning
