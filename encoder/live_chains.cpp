#include "live_chains.h"

#include <algorithm>

namespace tessera::encoder {
namespace {

constexpr std::size_t chain_sorts = 3;
constexpr std::size_t cover_sort = chain_sorts;
constexpr std::size_t symmetry_sort = chain_sorts + 1;
constexpr std::size_t sorts = chain_sorts + 2;
constexpr std::size_t none = static_cast<std::size_t>(-1);

std::uint64_t hash_of(const std::vector<Lit>& clause) {
  std::uint64_t hash = clause.size();
  for (const Lit literal : clause)
    hash = (hash ^ static_cast<std::uint32_t>(literal)) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 29U);
}

}  // namespace

LiveChains::LiveChains(std::uint64_t seed, const Formula& formula, Poll& poll)
    : ChainBackend(seed) {
  load_structure(formula, poll);
}

std::uint32_t LiveChains::find(const std::vector<Lit>& clause) {
  const std::uint64_t hash = hash_of(clause);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto each = begin; each != end; ++each)
    if (lemmas_of_[each->second].clause == clause) return each->second;
  const auto number = static_cast<std::uint32_t>(lemmas_of_.size());
  by_hash_.emplace(hash, number);
  lemmas_of_.push_back({.clause = clause, .chain = {}, .buffers = {}});
  return number;
}

bool LiveChains::true_now(const Lemma& lemma) const {
  switch (lemma.kind) {
    case Lemma::Kind::chain:
      return rules_->excess(lemma.chain) > 0;
    case Lemma::Kind::symmetry:
      return lemma.listed == query_;
    case Lemma::Kind::cover: {
      Size room = numbers_.capacities[lemma.memory];
      for (const BufferIndex b : lemma.buffers) room -= numbers_.sizes[b];
      return room < 0;
    }
  }
  return false;
}

std::size_t LiveChains::sort_of(const Lemma& lemma) const {
  if (lemma.kind == Lemma::Kind::cover) return cover_sort;
  if (lemma.kind == Lemma::Kind::symmetry) return symmetry_sort;
  const Size excess = rules_->excess(lemma.chain);
  const Size capacity = *std::ranges::max_element(numbers_.capacities);
  return excess * 50 < capacity ? 0 : excess * 8 < capacity ? 1 : 2;
}

bool LiveChains::renumber(const Formula& formula, const Numbers& numbers,
                          const SizeClauses& clauses, Poll& poll) {
  ++query_;
  rules_->extend(formula);
  if (!rules_->renumber(numbers)) return false;
  numbers_ = numbers;
  atoms_.resize(formula.atoms().size(), 0);
  for (const std::vector<Lit>& clause : clauses.symmetry) {
    Lemma& lemma = lemmas_of_[find(clause)];
    lemma.kind = Lemma::Kind::symmetry;
    lemma.listed = query_;
  }
  for (const Cover& cover : clauses.covers) {
    Lemma& lemma = lemmas_of_[find(cover.clause)];
    if (!lemma.buffers.empty()) continue;
    lemma.kind = Lemma::Kind::cover;
    lemma.memory = cover.memory;
    lemma.buffers = cover.buffers;
  }
  const std::size_t before = lemmas_of_.size();
  for (Lemma& lemma : lemmas_of_) {
    poll();
    lemma.holds = true_now(lemma);
    lemma.active = false;
  }
  retire();
  open_.assign(sorts, none);
  assumed_.clear();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    const bool all = std::ranges::all_of(
        group.lemmas, [this](std::uint32_t each) { return lemmas_of_[each].holds; });
    if (!all) continue;
    group.used = query_;
    open_[group.sort] = g;
    assumed_.push_back(group.selector);
    for (const std::uint32_t each : group.lemmas) lemmas_of_[each].active = true;
  }
  kept_ = 0;
  for (std::uint32_t each = 0; each < before; ++each) {
    if (!lemmas_of_[each].holds) continue;
    if (lemmas_of_[each].active) ++kept_;
    activate(each);
  }
  for (Chain& chain : rules_->single_links()) {
    poll();
    lemma(std::move(chain));
  }
  return true;
}

void LiveChains::lemma(Chain chain) {
  const std::vector<Lit> clause = chain.clause();
  if (!occurs(clause)) return;  // an atom that does not occur is never true
  ++lemmas_;
  const std::uint32_t number = find(clause);
  Lemma& lemma = lemmas_of_[number];
  if (lemma.kind == Lemma::Kind::chain) lemma.chain = std::move(chain);
  lemma.holds = true;
  activate(number);
}

void LiveChains::activate(std::uint32_t number) {
  Lemma& lemma = lemmas_of_[number];
  if (lemma.active) return;
  lemma.active = true;
  std::size_t& open = open_[sort_of(lemma)];
  if (open == none) {
    open = groups_.size();
    const int selector = fresh();
    solver_.freeze(selector);
    solver_.phase(-selector);
    groups_.push_back({.selector = selector, .sort = sort_of(lemma), .used = query_, .lemmas = {}});
    assumed_.push_back(selector);
    ++new_groups_;
  }
  groups_[open].lemmas.push_back(number);
  say(lemma.clause, -groups_[open].selector);
}

/// Drops the groups that no query has used for the longest time.
void LiveChains::retire() {
  if (groups_.size() <= most_groups) return;
  std::ranges::stable_sort(groups_, std::greater{}, &Group::used);
  for (std::size_t g = most_groups / 2; g < groups_.size(); ++g) {
    add(std::vector<int>{-groups_[g].selector});
    solver_.melt(groups_[g].selector);
  }
  groups_.resize(most_groups / 2);
}

void LiveChains::report(Stats& stats) const {
  ChainBackend::report(stats);
  stats.push_back({"sat_lemmas_kept", kept_});
  stats.push_back({"sat_groups", new_groups_});
}

std::unique_ptr<LiveSolver> make_live_chains(std::uint64_t seed, const Formula& formula,
                                             Poll& poll) {
  return std::make_unique<LiveChains>(seed, formula, poll);
}

}  // namespace tessera::encoder
