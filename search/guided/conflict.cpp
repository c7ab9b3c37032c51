#include "search/guided/conflict.h"

#include <algorithm>

namespace tessera::search::guided {

using learning::Entry;
using learning::Lit;
using learning::Rule;

void Conflict::ask(Lit lit) {
  const std::int32_t at = deduction_.state.entry_of(lit);
  if (at < 0 || deduction_.state.entry(at).level == 0) return;
  const auto index = static_cast<std::size_t>(at);
  if (asked_[index] != 0) {
    wanted_[index] = std::max(wanted_[index], lit.value);
    return;
  }
  asked_[index] = 1;
  wanted_[index] = lit.value;
  latest_ = std::max(latest_, at);
  ++open_;
}

bool Conflict::at_root() {
  deduction_.conflict(lemma_);
  for (const Lit& lit : lemma_.premises) {
    const std::int32_t at = deduction_.state.entry_of(lit);
    if (at >= 0 && deduction_.state.entry(at).level > 0) return false;
  }
  return true;
}

std::span<const std::int32_t> Conflict::levels() {
  const auto size = static_cast<std::size_t>(deduction_.state.size());
  if (asked_.size() < size) {
    asked_.resize(2 * size, 0);
    wanted_.resize(2 * size);
  }
  levels_.clear();
  open_ = 0;
  latest_ = -1;
  deduction_.conflict(lemma_);
  for (const Lit& lit : lemma_.premises) ask(lit);
  // A premise comes before its consequence on the trail, so one pass backwards visits all.
  for (std::int32_t at = latest_; open_ > 0; --at) {
    const auto index = static_cast<std::size_t>(at);
    if (asked_[index] == 0) continue;
    asked_[index] = 0;
    --open_;
    const Entry& entry = deduction_.state.entry(at);
    if (entry.reason.rule == Rule::decision) {
      levels_.push_back(entry.level);
      continue;
    }
    deduction_.explain(at, {entry.key, wanted_[index]}, lemma_);
    for (const Lit& premise : lemma_.premises) ask(premise);
  }
  return levels_;
}

}  // namespace tessera::search::guided
