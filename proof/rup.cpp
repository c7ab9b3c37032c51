#include "rup.h"

#include <algorithm>

namespace tessera::proof {

void RupChecker::grow(int variable) {
  const std::size_t needed = 2 * static_cast<std::size_t>(variable) + 2;
  if (needed <= values_.size()) return;
  values_.resize(std::max(needed, 2 * values_.size()), 0);
  watches_.resize(values_.size());
}

void RupChecker::assign(int literal) {
  values_[slot(literal)] = 1;
  values_[slot(-literal)] = -1;
  trail_.push_back(literal);
}

void RupChecker::undo(std::size_t to) {
  for (std::size_t i = to; i < trail_.size(); ++i) {
    values_[slot(trail_[i])] = 0;
    values_[slot(-trail_[i])] = 0;
  }
  trail_.resize(to);
  head_ = to;
}

std::uint64_t RupChecker::hash_of(std::span<const int> clause) const {
  std::uint64_t sum = 0;
  std::uint64_t product = 1;
  for (const int literal : clause) {
    const auto number = static_cast<std::uint64_t>(slot(literal));
    sum += number;
    product *= 1023 + 2 * number;
  }
  return sum * 0x9E3779B97F4A7C15U ^ product;
}

void RupChecker::add(std::span<const int> clause) {
  for (const int literal : clause) grow(std::abs(literal));
  sorted_.assign(clause.begin(), clause.end());
  std::sort(sorted_.begin(), sorted_.end());
  sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
  const bool always_true = std::any_of(sorted_.begin(), sorted_.end(), [this](int literal) {
    return literal > 0 && std::binary_search(sorted_.begin(), sorted_.end(), -literal);
  });
  // Watch what is not false; all assignments here are permanent ones.
  std::stable_partition(sorted_.begin(), sorted_.end(),
                        [this](int literal) { return value(literal) >= 0; });
  const auto ref = static_cast<Ref>(arena_.size());
  arena_.push_back(static_cast<int>(sorted_.size()));
  arena_.insert(arena_.end(), sorted_.begin(), sorted_.end());
  known_.emplace(hash_of(sorted_), ref);
  if (always_true) return;  // only there to be deleted
  if (sorted_.size() >= 2) {
    watches_[slot(sorted_[0])].push_back({ref, sorted_[1]});
    watches_[slot(sorted_[1])].push_back({ref, sorted_[0]});
  }
  if (refuted_) return;
  if (sorted_.empty() || value(sorted_[0]) < 0) {
    refuted_ = true;
  } else if (value(sorted_[0]) == 0 && (sorted_.size() == 1 || value(sorted_[1]) < 0)) {
    assign(sorted_[0]);
    refuted_ = !propagate();
  }
}

bool RupChecker::remove(std::span<const int> clause) {
  for (const int literal : clause) grow(std::abs(literal));
  sorted_.assign(clause.begin(), clause.end());
  std::sort(sorted_.begin(), sorted_.end());
  sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
  const auto [first, last] = known_.equal_range(hash_of(sorted_));
  for (auto each = first; each != last; ++each) {
    const Ref ref = each->second;
    const auto length = static_cast<std::size_t>(arena_[ref]);
    if (length != sorted_.size()) continue;
    std::vector<int> other(arena_.begin() + ref + 1,
                           arena_.begin() + ref + 1 + static_cast<std::ptrdiff_t>(length));
    std::sort(other.begin(), other.end());
    if (other != sorted_) continue;
    arena_[ref] = 0;  // its watches go when they are met
    known_.erase(each);
    return true;
  }
  return false;
}

bool RupChecker::implies(std::span<const int> clause) {
  if (refuted_) return true;
  const std::size_t mark = trail_.size();
  bool follows = false;
  for (const int literal : clause) {
    grow(std::abs(literal));
    if (value(literal) > 0) {
      follows = true;
      break;
    }
    if (value(literal) == 0) assign(-literal);
  }
  follows = follows || !propagate();
  undo(mark);
  return follows;
}

bool RupChecker::propagate() {
  while (head_ < trail_.size()) {
    const int falsified = -trail_[head_++];
    ++propagations_;
    std::vector<Watch>& watching = watches_[slot(falsified)];
    std::size_t kept = 0;
    for (std::size_t i = 0; i < watching.size(); ++i) {
      const Watch watch = watching[i];
      if (value(watch.blocker) > 0) {
        watching[kept++] = watch;
        continue;
      }
      const auto length = static_cast<std::size_t>(arena_[watch.clause]);
      if (length == 0) continue;
      int* const literals = &arena_[watch.clause + 1];
      if (literals[0] == falsified) std::swap(literals[0], literals[1]);
      if (value(literals[0]) > 0) {
        watching[kept++] = {watch.clause, literals[0]};
        continue;
      }
      std::size_t k = 2;
      while (k < length && value(literals[k]) < 0) ++k;
      if (k < length) {
        std::swap(literals[1], literals[k]);
        watches_[slot(literals[1])].push_back({watch.clause, literals[0]});
        continue;
      }
      watching[kept++] = {watch.clause, literals[0]};
      if (value(literals[0]) == 0) {
        assign(literals[0]);
        continue;
      }
      for (++i; i < watching.size(); ++i) watching[kept++] = watching[i];
      watching.resize(kept);
      return false;
    }
    watching.resize(kept);
  }
  return true;
}

}  // namespace tessera::proof
