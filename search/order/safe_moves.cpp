#include "search/order/safe_moves.h"

#include <bit>

namespace tessera::search {

SafeMoves::SafeMoves(const OpTables& tables)
    : tables_(tables), when_(tables.graph.ops), seen_(std::size_t{1} << most_ops, 0) {}

void SafeMoves::apply(Walk& walk, Size limit) {
  while (single_op(walk, limit) || set_of_ops(walk, limit)) {
  }
}

bool SafeMoves::single_op(Walk& walk, Size limit) {
  for (const OpId op : walk.ready())
    if (walk.change(op) <= 0 && walk.while_running(op) <= limit) {
      walk.run(op);
      return true;
    }
  return false;
}

/// Goes from the ready ops forwards, as long as the sets are small: those of later ops are larger.
bool SafeMoves::set_of_ops(Walk& walk, Size limit) {
  ++round_;
  tried_.clear();
  for (const OpId op : walk.ready()) add_followers(op);
  for (std::size_t k = 0; k < tried_.size(); ++k) {
    if (!collect(walk, tried_[k])) continue;
    if (lowers(walk) && best_subset(walk, limit)) return true;
    add_followers(tried_[k]);
  }
  return false;
}

void SafeMoves::add_followers(OpId op) {
  for (const OpId next : tables_.after[op])
    if (when_[next] != round_) {
      when_[next] = round_;
      tried_.push_back(next);
    }
}

/// Makes the set of the op and its ancestors. Is it small, and more than a ready op?
bool SafeMoves::collect(const Walk& walk, OpId op) {
  const std::span<const std::uint64_t> ancestors = tables_.ancestors(op);
  const std::span<const std::uint64_t> ran = walk.set();
  std::size_t count = 1;
  for (std::size_t w = 0; w < tables_.words; ++w)
    count += static_cast<std::size_t>(std::popcount(ancestors[w] & ~ran[w]));
  if (count > most_ops || count == 1) return false;
  set_.clear();
  for (std::size_t w = 0; w < tables_.words; ++w)
    for (std::uint64_t rest = ancestors[w] & ~ran[w]; rest != 0; rest &= rest - 1)
      set_.push_back(static_cast<OpId>(64 * w) + static_cast<OpId>(std::countr_zero(rest)));
  set_.push_back(op);
  return true;
}

/// Does the whole set leave no more live bytes than before?
bool SafeMoves::lowers(Walk& walk) {
  const Size before = walk.live();
  start_ = walk.path().size();
  for (bool more = true; more;) {
    more = false;
    for (const OpId op : set_)
      if (walk.may_run(op)) {
        walk.run(op);
        more = true;
      }
  }
  const Size after = walk.live();
  walk.back_to(start_);
  return after <= before;
}

bool SafeMoves::best_subset(Walk& walk, Size limit) {
  visits_ = 0;
  limit_ = limit;
  least_ = reached_ = walk.live();
  order_.clear();
  visit(walk, 0, true);
  for (const std::uint32_t mask : marks_) seen_[mask] = 0;
  marks_.clear();
  if (visits_ > most_visits || order_.empty() || reached_ > least_) return false;
  for (const OpId op : order_) walk.run(op);
  return true;
}

void SafeMoves::visit(Walk& walk, std::uint32_t mask, bool reached) {
  if (++visits_ > most_visits) return;
  if (seen_[mask] == 0) marks_.push_back(mask);
  seen_[mask] = reached ? 2 : 1;
  least_ = std::min(least_, walk.live());
  if (reached && mask != 0 && walk.live() <= reached_) {
    if (walk.live() < reached_ || order_.empty())
      order_.assign(walk.path().begin() + static_cast<std::ptrdiff_t>(start_), walk.path().end());
    reached_ = walk.live();
  }
  for (std::size_t k = 0; k < set_.size(); ++k) {
    const std::uint32_t next = mask | 1U << k;
    if (next == mask || !walk.may_run(set_[k])) continue;
    const bool here = reached && walk.while_running(set_[k]) <= limit_;
    if (seen_[next] >= (here ? 2 : 1)) continue;
    walk.run(set_[k]);
    visit(walk, next, here);
    walk.back();
  }
}

}  // namespace tessera::search
