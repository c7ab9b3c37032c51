// Pairs of items that must not overlap, each with the literal of its order.
//
//   PairKeys pairs;
//   if (!pairs.contains(i, j)) pairs.add(i, j, key);          // {i, j} and {j, i} are one pair
//   for (const auto& [pair, key] : pairs.sorted()) ...        // by the items, as they were added
//
// A hash table: a map with tens of thousands of nodes takes as long to free as to build.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "order.h"

namespace tessera::search::learning {

class PairKeys {
 public:
  using Entry = std::pair<std::pair<ItemIndex, ItemIndex>, Key>;

  [[nodiscard]] bool contains(ItemIndex i, ItemIndex j) const { return find(i, j) != nullptr; }
  /// nullptr if the pair is not present.
  [[nodiscard]] const Key* find(ItemIndex i, ItemIndex j) const {
    if (slots_.empty()) return nullptr;
    const std::uint32_t slot = slots_[slot_of(i, j)];
    return slot == 0 ? nullptr : &entries_[slot - 1].second;
  }
  /// require: !contains(i, j) and i != j.
  void add(ItemIndex i, ItemIndex j, Key key) {
    sorted_ = sorted_ && (entries_.empty() || entries_.back().first < std::pair(i, j));
    entries_.push_back({{i, j}, key});
    if (2 * entries_.size() > slots_.size())
      fill(std::max<std::size_t>(64, 2 * slots_.size()));
    else
      slots_[slot_of(i, j)] = static_cast<std::uint32_t>(entries_.size());
  }
  [[nodiscard]] const std::vector<Entry>& sorted() {
    if (sorted_) return entries_;
    std::sort(entries_.begin(), entries_.end());
    sorted_ = true;
    fill(slots_.size());
    return entries_;
  }

 private:
  [[nodiscard]] static std::uint64_t name_of(ItemIndex i, ItemIndex j) {
    return std::uint64_t{std::min(i, j)} << 32U | std::max(i, j);
  }
  /// The slot of the pair, or the free slot where it belongs.
  [[nodiscard]] std::size_t slot_of(ItemIndex i, ItemIndex j) const {
    const std::uint64_t name = name_of(i, j);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (name * 0x9E3779B97F4A7C15U) >> 20U & mask;
    const auto other = [&](const Entry& entry) {
      return name_of(entry.first.first, entry.first.second) != name;
    };
    while (slots_[at] != 0 && other(entries_[slots_[at] - 1])) at = (at + 1) & mask;
    return at;
  }
  void fill(std::size_t size) {
    slots_.assign(size, 0);
    for (std::size_t k = 0; k < entries_.size(); ++k)
      slots_[slot_of(entries_[k].first.first, entries_[k].first.second)] =
          static_cast<std::uint32_t>(k + 1);
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  ///< 1 + index of an entry, or 0; the size is a power of two
  bool sorted_ = true;
};

}  // namespace tessera::search::learning
