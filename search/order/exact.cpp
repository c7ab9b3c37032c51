#include "search/order/exact.h"

#include <algorithm>
#include <utility>

namespace tessera::search {

std::size_t ExactOrder::SetHash::operator()(std::uint32_t place) const {
  std::uint64_t hash = 0x9e3779b97f4a7c15U;
  const std::size_t words = own->tables_.words;
  for (std::size_t w = 0; w < words; ++w) {
    hash = (hash ^ own->sets_[place * words + w]) * 0xbf58476d1ce4e5b9U;
    hash ^= hash >> 29;
  }
  return hash;
}

bool ExactOrder::SetEqual::operator()(std::uint32_t a, std::uint32_t b) const {
  const std::size_t words = own->tables_.words;
  const auto at = [&](std::uint32_t place) {
    return own->sets_.begin() + static_cast<std::ptrdiff_t>(place * words);
  };
  return std::equal(at(a), at(a) + static_cast<std::ptrdiff_t>(words), at(b));
}

ExactOrder::ExactOrder(const OpGraph& graph, const ExactLimits& limits)
    : graph_(graph),
      tables_(graph),
      walk_(tables_),
      safe_(tables_),
      limits_(limits),
      level_(std::max(limits.least, walk_.live())),
      known_(64, SetHash{this}, SetEqual{this}) {
  if (level_ < limits_.most) store(0, 0);
}

void ExactOrder::advance(std::int64_t steps) {
  const std::int64_t end = steps_ + steps;
  while (!finished() && steps_ < end) {
    if (queue_.empty()) {  // no order is below `most`
      level_ = limits_.most;
      return;
    }
    const Entry entry = queue_.top();
    queue_.pop();
    if (entry.level >= limits_.most) {
      level_ = limits_.most;
      return;
    }
    level_ = std::max(level_, entry.level);
    expand(entry);
  }
}

void ExactOrder::go_to(std::uint32_t place) {
  path_.clear();
  for (std::uint32_t at = place;; at = places_[at].parent) {
    const Place& each = places_[at];
    for (std::uint32_t k = each.count; k-- > 0;) path_.push_back(moves_[each.first + k]);
    if (at == 0) break;
  }
  std::ranges::reverse(path_);
  walk_.move_to(path_);
}

void ExactOrder::expand(const Entry& entry) {
  go_to(entry.place);
  ++steps_;
  const std::size_t length = walk_.path().size();
  const Size tried = std::exchange(places_[entry.place].tried, level_);
  safe_.apply(walk_, level_);  // at a higher level than before
  if (walk_.path().size() > length) return store(entry.place, length);
  ready_.assign(walk_.ready().begin(), walk_.ready().end());
  Size next = limits_.most;
  for (const OpId op : ready_) {
    const Size level = walk_.while_running(op);
    if (level > level_) {
      next = std::min(next, level);
      continue;
    }
    if (level <= tried) continue;
    walk_.run(op);
    store(entry.place, length);
    walk_.back_to(length);
    if (finished()) return;
  }
  if (next < limits_.most) queue_.push({next, entry.place});
}

/// Runs safe moves, and stores the down-set if it is new.
void ExactOrder::store(std::uint32_t parent, std::size_t from) {
  ++steps_;
  safe_.apply(walk_, level_);
  const std::span<const OpId> path = walk_.path();
  if (walk_.complete()) {
    order_.emplace(path.begin(), path.end());
    return;
  }
  const auto place = static_cast<std::uint32_t>(places_.size());
  const std::span<const std::uint64_t> set = walk_.set();
  sets_.insert(sets_.end(), set.begin(), set.end());
  if (!known_.insert(place).second) {
    sets_.resize(sets_.size() - set.size());
    return;
  }
  places_.push_back({-1, parent, static_cast<std::uint32_t>(moves_.size()),
                     static_cast<std::uint32_t>(path.size() - from)});
  moves_.insert(moves_.end(), path.begin() + static_cast<std::ptrdiff_t>(from), path.end());
  queue_.push({level_, place});
  constexpr std::size_t of_a_node = sizeof(Place) + sizeof(Entry) + 48;
  full_ = sets_.size() * sizeof(std::uint64_t) + moves_.size() * sizeof(OpId) +
              places_.size() * of_a_node >=
          limits_.bytes;
}

}  // namespace tessera::search
