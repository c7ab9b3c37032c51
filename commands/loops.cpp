#include "commands/loops.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "commands/fields.h"

namespace tessera::commands {
namespace {

using Items = std::vector<Item>;

constexpr std::size_t longest_body = 512;

std::size_t mixed(std::size_t hash, std::size_t more) {
  return hash ^ (more + 0x9e3779b97f4a7c15U + (hash << 6U) + (hash >> 2U));
}

std::size_t mixed(std::size_t hash, const Sequence& sequence) {
  const auto add = [&](std::int64_t value) {
    hash = mixed(hash, std::hash<std::int64_t>()(value));
  };
  for (const Numbers& digit : sequence.digits) {
    add(static_cast<std::int64_t>(digit.size()));
    for (const std::int64_t each : digit) add(each);
  }
  add(sequence.step);
  return hash;
}

/// Can the two be rounds of a loop?
bool alike(const Item& one, const Item& other) {
  if (one.shape != other.shape || one.fields.size() != other.fields.size()) return false;
  // Loops replace texts, so only one of several nested ones may.
  for (std::size_t n = 0; n < one.sequences.size(); ++n)
    if (one.fields[n] >= first_text && !one.sequences[n].constant() &&
        one.fields[n] != other.fields[n])
      return false;
  return true;
}

std::size_t size_of(const Items& items, std::size_t begin, std::size_t end) {
  std::size_t size = 0;
  for (std::size_t k = begin; k < end; ++k) size += items[k].size;
  return size;
}

std::size_t shape_of(const Item& loop) {
  std::size_t shape = mixed(loop.body_shape, static_cast<std::size_t>(loop.count));
  for (const Sequence& sequence : loop.sequences) shape = mixed(shape, sequence);
  return shape;
}

/// A loop without its body. require: `rounds` rounds of `period` items begin at `begin`
Item loop_of(const Items& items, std::size_t begin, std::size_t period, std::size_t rounds) {
  Item loop;
  loop.count = static_cast<std::int64_t>(rounds);
  loop.lines = 0;
  loop.size = 50 + 4 * period + size_of(items, begin, begin + period);
  for (std::size_t k = begin; k < begin + period; ++k) {
    const Item& first = items[k];
    loop.lines += first.lines;
    loop.body_shape = mixed(loop.body_shape, first.shape);
    const std::vector<std::string> names = pointers(first);
    for (std::size_t n = 0; n < first.fields.size(); ++n) {
      loop.fields.push_back(first.fields[n]);
      Sequence& sequence = loop.sequences.emplace_back();
      if (names[n].empty()) continue;
      Numbers values;
      for (std::size_t round = 0; round < rounds; ++round)
        values.push_back(items[k + round * period].fields[n]);
      sequence = sequence_of(values, first.fields[n] >= first_text);
      if (sequence.constant()) continue;
      loop.size += names[n].size() + json_text(sequence).size() + 4;
    }
  }
  loop.shape = shape_of(loop);
  return loop;
}

/// Per item, the number of consecutive items that are alike the ones a period later.
std::vector<std::size_t> runs(const Items& items, std::size_t period) {
  std::vector<std::size_t> run(items.size() + 1, 0);
  for (std::size_t at = items.size() - std::min(period, items.size()); at-- > 0;)
    run[at] = alike(items[at], items[at + period]) ? run[at + 1] + 1 : 0;
  return run;
}

/// Folds what repeats with this period. Returns whether anything did.
bool fold(Items& items, std::size_t period, std::size_t least) {
  const std::vector<std::size_t> run = runs(items, period);
  if (std::ranges::max(run) < (least - 1) * period) return false;
  Items folded;
  bool any = false;
  for (std::size_t at = 0; at < items.size();) {
    const std::size_t rounds = run[at] / period + 1;
    if (rounds >= least) {
      Item loop = loop_of(items, at, period, rounds);
      if (loop.size < size_of(items, at, at + rounds * period)) {
        for (std::size_t k = at; k < at + period; ++k) loop.body.push_back(std::move(items[k]));
        folded.push_back(std::move(loop));
        at += rounds * period;
        any = true;
        continue;
      }
    }
    folded.push_back(std::move(items[at++]));
  }
  items = std::move(folded);
  return any;
}

/// Are the fields of this item, in this round of it, those that the loop has in its round `ahead`
/// after the last? `field`: of the loop, the first of the item.
bool follows(const Item& loop, std::size_t field, const Item& item, std::int64_t round,
             std::int64_t ahead) {
  const std::vector<std::string> names = pointers(item);
  for (std::size_t n = 0; n < item.fields.size(); ++n) {
    const std::int64_t value = item.fields[n] + (item.count > 0 ? item.sequences[n].at(round) : 0);
    const std::size_t of = field + n;
    if (!names[n].empty() && value != loop.fields[of] + loop.sequences[of].at(loop.count + ahead))
      return false;
  }
  return true;
}

bool loop_follows(const Item& loop, const Item& next) {
  if (next.count == 0 || next.body_shape != loop.body_shape ||
      next.fields.size() != loop.fields.size())
    return false;
  for (std::int64_t round = 0; round < next.count; ++round)
    if (!follows(loop, 0, next, round, round)) return false;
  return true;
}

bool round_follows(const Item& loop, const Items& items, std::size_t at) {
  if (at + loop.body.size() > items.size()) return false;
  for (std::size_t k = 0; k < loop.body.size(); ++k)
    if (!alike(loop.body[k], items[at + k])) return false;
  std::size_t field = 0;
  for (std::size_t k = 0; k < loop.body.size(); ++k) {
    if (!follows(loop, field, items[at + k], 0, 0)) return false;
    field += items[at + k].fields.size();
  }
  return true;
}

/// Adds rounds that follow to the loops that they continue, as far as lines arrive later.
void extend_all(Items& items) {
  Items extended;
  for (std::size_t at = 0; at < items.size();) {
    Item* loop = extended.empty() || extended.back().count == 0 ? nullptr : &extended.back();
    if (loop != nullptr && loop_follows(*loop, items[at])) {
      loop->count += items[at++].count;
    } else if (loop != nullptr && round_follows(*loop, items, at)) {
      ++loop->count;
      at += loop->body.size();
    } else {
      extended.push_back(std::move(items[at++]));
      continue;
    }
    loop->shape = shape_of(*loop);
  }
  items = std::move(extended);
}

}  // namespace

std::vector<std::string> pointers(const Item& item) {
  std::vector<std::string> found;
  if (item.count == 0) {
    found = field_pointers(item.text);
    found.front().clear();
    return found;
  }
  for (std::size_t k = 0; k < item.body.size(); ++k)
    for (const std::string& each : pointers(item.body[k]))
      found.push_back(each.empty() ? "" : "/body/" + std::to_string(k) + each);
  return found;
}

void fold_repeated(Items& items) {
  extend_all(items);
  for (bool again = true; again;) {
    again = false;
    for (std::size_t period = 1; period <= std::min(longest_body, items.size() / 3); ++period) {
      if (!fold(items, period, 3)) continue;
      extend_all(items);
      again = true;
    }
  }
}

void fold_pairs(Items& items) {
  for (std::size_t period = std::min(longest_body, items.size() / 2); period > 0; --period)
    fold(items, period, 2);
}

}  // namespace tessera::commands
