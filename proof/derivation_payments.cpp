// Payments: pairs that share addresses, used modes, changes of modes, and cores. A core is a set of
// payments of which every placement makes at least one.
//
// Let c(t) be what payment t costs, x(t) = 1 where it is made, and let core k, a clause over the
// payments T(k), take w(k) from the cost of each t in T(k), so that what is left, l(t), is not
// negative. Then
//
//   sum c(t) x(t)  =  sum l(t) x(t)  +  sum over k of w(k) * (payments of T(k) that are made)
//                 >=  sum of l(t) over payments known to be made
//                     + sum over k of w(k) * max(1, known ones of T(k)).
#include "derivation.h"

namespace tessera::proof {

void Derivation::declare_payment(char kind, std::string_view& text) {
  Variable& var = declare(text);
  const std::size_t self = static_cast<std::size_t>(&var - variables_.data());
  Payment payment{.variable = self, .cost = 1, .left = 0, .cores = {}};
  std::pair<std::size_t, std::size_t> what;
  if (kind == 'x') {
    const BufferIndex a = index(text, facts_.buffers());
    const BufferIndex b = index(text, facts_.buffers());
    what = std::minmax(a, b);
    payment.cost = facts_.cost_of(a, b);
    if (claim_.kind != ClaimKind::cost || payment.cost < 1)
      throw Wrong{"an overlap of these buffers has no cost"};
    var.kind = Kind::shared;
    var.order = {what.first, what.second};
  } else if (kind == 't') {
    var.memory = index(text, facts_.memories());
    const auto steps = static_cast<std::size_t>(facts_.steps());
    const std::size_t from = index(text, steps);
    const std::size_t to = index(text, steps);
    what = {var.memory, to};
    changed_.resize(facts_.memories(), 0);
    // By time, so that every switch is part of one change at most.
    if (claim_.kind != ClaimKind::switches || from < changed_[var.memory] || to <= from)
      throw Wrong{"this change of modes has no cost of its own"};
    changed_[var.memory] = to;
    var.kind = Kind::change;
    var.order = {from, to};
  } else {
    var.memory = index(text, facts_.memories());
    var.number = index(text, facts_.modes(var.memory));
    what = {var.memory, var.number};
    if (claim_.kind != ClaimKind::modes) throw Wrong{"modes have no cost in this problem"};
    var.kind = Kind::used;
  }
  payment.left = payment.cost;
  if (!paid_for_.insert(what).second) throw Wrong{"a payment is declared twice"};
  payment_of_[self] = payments_.size();
  payments_.push_back(std::move(payment));
}

void Derivation::core(std::string_view& text) {
  const auto found = clauses_.find(number(text));
  const std::int64_t weight = number(text);
  if (found == clauses_.end()) throw Wrong{"an unknown clause is named"};
  if (weight < 1) throw Wrong{"a core has no weight"};
  std::set<std::size_t> members;
  for (const Literal& lit : found->second) {
    const auto payment = payment_of_.find(lit.key / 2);
    if (lit.key % 2 != 0 || payment == payment_of_.end())
      throw Wrong{"a core names an item without cost"};
    members.insert(payment->second);
  }
  for (const std::size_t member : members) {
    Payment& payment = payments_[member];
    if (payment.left < weight) throw Wrong{"a core exceeds the remaining cost"};
    payment.left -= weight;
    payment.cores.push_back(core_weight_.size());
  }
  core_weight_.push_back(weight);
}

// Do the payments known to be made (including those from `lit` being false, which raise() has
// asserted) exceed the claim?
bool Derivation::pays_too_much(const Literal* lit) {
  if (lit != nullptr && !raise(negation(*lit))) return true;
  if (!most_paid_) return false;
  std::vector<std::int64_t> made(core_weight_.size(), 0);
  Wide sum = 0;
  for (const Payment& payment : payments_) {
    if (!holds({2 * payment.variable, 1})) continue;
    sum += payment.left;
    for (const std::size_t core : payment.cores) ++made[core];
  }
  for (std::size_t core = 0; core < made.size(); ++core)
    sum += Wide{core_weight_[core]} * std::max<std::int64_t>(1, made[core]);
  return sum > *most_paid_;
}

}  // namespace tessera::proof
