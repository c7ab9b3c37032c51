#include "cores.h"

#include <algorithm>
#include <tuple>

namespace tessera::search::learning {
namespace {

constexpr std::int64_t patience = 2000;  // conflicts per query

/// A query with its own conflict limit.
Outcome ask(Search& search, std::vector<Lit> assumed, const Budget& budget,
            std::int64_t& conflicts_left, StopReason& stop) {
  search.restart();
  search.assume(std::move(assumed));
  std::int64_t allowed = std::min(conflicts_left, patience);
  const std::int64_t before = allowed;
  const Outcome outcome = search.run(budget, allowed, stop);
  conflicts_left -= before - allowed;
  return outcome;
}

/// The assumption that no cost is paid, the most expensive first.
std::vector<Lit> nothing_paid(const CostRule& cost) {
  std::vector<std::tuple<Value, Key>> costly;
  for (const CostRule::Term& term : cost.terms())
    if (term.left > 0) costly.emplace_back(-term.left, opposite(term.key));
  std::sort(costly.begin(), costly.end());
  std::vector<Lit> literals;
  for (const auto& [left, key] : costly) literals.push_back({key, 1});
  return literals;
}

std::vector<std::uint32_t> terms_of(const CostRule& cost, const std::vector<Lit>& core) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t t = 0; t < cost.terms().size(); ++t)
    if (std::any_of(core.begin(), core.end(),
                    [&](const Lit& lit) { return lit.key == opposite(cost.terms()[t].key); }))
      found.push_back(t);
  return found;
}

}  // namespace

Outcome find_cores(Search& search, Deduction& deduction, const Budget& budget,
                   std::int64_t& conflicts_left, StopReason& stop) {
  CostRule& cost = deduction.cost;
  Outcome outcome = Outcome::core;
  while (outcome == Outcome::core) {
    outcome = ask(search, nothing_paid(cost), budget, conflicts_left, stop);
    if (outcome != Outcome::core) break;
    // The same query with the core in reverse order may find a smaller core.
    std::vector<Lit> core;
    std::uint64_t name = 0;
    do {
      core = search.core();
      name = search.core_name();
      outcome = ask(search, {core.rbegin(), core.rend()}, budget, conflicts_left, stop);
    } while (outcome == Outcome::core && search.core().size() < core.size());
    if (outcome == Outcome::refuted) break;
    search.weigh_core(name, cost.add_core(terms_of(cost, core)));
  }
  search.assume({});
  if (outcome != Outcome::solution) search.restart();
  return outcome;
}

}  // namespace tessera::search::learning
