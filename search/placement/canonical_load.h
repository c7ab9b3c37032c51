// Search: converts a core to flat arrays, and sets up the root state. Included by
// canonical_search.cpp, where Search is instantiated.
#pragma once

#include <algorithm>

#include "search/placement/canonical_lanes.h"
#include "search/placement/canonical_search.h"

namespace tessera::search::canonical {

/// Weights of earlier tries are scaled: their next refusal would weigh this much, the first of a
/// new try weighs 1.
inline constexpr float old_blame = 0.01F;

template <typename T>
void Search<T>::load(const Core& core, const CoreCliques& cliques) {
  core_ = &core;
  blamed_root_ = -1;
  items_ = static_cast<int>(core.items.size());
  sections_ = core.sections;
  capacity_ = static_cast<T>(core.capacity);
  const std::size_t n = core.items.size();
  const std::size_t padded = index(sections_ + block);
  latest_.resize(n);
  begin_.resize(n);
  end_.resize(n);
  equal_below_.resize(n);
  plain_.resize(n);
  part_begin_.resize(n + 1);
  first_lowest_.resize(n);
  parts_.clear();
  first_total_.assign(padded, 0);
  first_crossing_.assign(padded, 0);
  item_from_.assign(padded, items_);
  item_upto_.assign(padded, items_);
  for (std::size_t i = 0; i < n; ++i) {
    const Item& item = core.items[i];
    // reachable_capacity() may have lowered core.capacity after item.latest was computed:
    // item.latest may exceed T.
    latest_[i] = static_cast<T>(std::min(item.latest, core.capacity - item.size));
    begin_[i] = item.begin;
    end_[i] = item.end;
    equal_below_[i] = params_.symmetry ? item.equal_below : -1;
    plain_[i] = item.plain ? 1 : 0;
    first_lowest_[i] = static_cast<T>(item.earliest);
    part_begin_[i] = static_cast<int>(parts_.size());
    for (int p = item.first_part; p < item.last_part; ++p) {
      const Part& part = core.parts[index(p)];
      if (!part.counted) continue;
      parts_.push_back(
          {part.begin, part.end, static_cast<T>(part.lo), static_cast<T>(part.hi - part.lo)});
    }
    for (int s = item.begin; s + 1 < item.end; ++s) ++first_crossing_[index(s)];
  }
  part_begin_[n] = static_cast<int>(parts_.size());
  links_.assign(core.links.empty() ? 0 : n, {});
  for (const auto& [i, j] : core.links) {
    links_[index(i)].push_back(j);
    links_[index(j)].push_back(i);
    const int from = std::min(begin_[index(i)], begin_[index(j)]);
    const int to = std::max(end_[index(i)], end_[index(j)]);
    for (int s = from; s + 1 < to; ++s) ++first_crossing_[index(s)];
  }
  // item_from_: items are sorted by begin_.
  for (int i = items_ - 1; i >= 0; --i) item_from_[index(begin_[index(i)])] = i;
  for (int s = sections_ - 1; s >= 0; --s) {
    item_from_[index(s)] = std::min(item_from_[index(s)], item_from_[index(s + 1)]);
  }
  int reached = 0;
  for (int i = 0; i < items_; ++i) {
    for (; reached < end_[index(i)]; ++reached) item_upto_[index(reached)] = i;
  }
  pair_begin_ = core.pair_begin;
  pair_item_ = core.pair_item;
  pair_above_.assign(core.pair_above.size(), 0);
  pair_below_.assign(core.pair_below.size(), 0);
  for (std::size_t p = 0; p < pair_above_.size(); ++p) {
    pair_above_[p] = static_cast<T>(core.pair_above[p]);
    pair_below_[p] = static_cast<T>(core.pair_below[p]);
  }
  // Linked items that occupy nothing belong to no span of time.
  decompose_ = params_.decomposition && (links_.empty() || item_from_[index(sections_)] == items_);
  load_cliques(cliques);
  find_roots();
  counters_ = {};
}

template <typename T>
void Search<T>::start(std::span<const int> ranks, Choice choice, int root, bool jump) {
  choice_ = choice;
  ranks_.assign(ranks.begin(), ranks.end());
  lowest_ = first_lowest_;
  release_ = first_lowest_;
  at_.assign(index(items_), 0);
  total_ = first_total_;
  for (std::size_t i = 0; i < index(items_); ++i) {
    for (int p = part_begin_[i]; p < part_begin_[i + 1]; ++p) {
      const FlatPart& part = parts_[index(p)];
      add(total_.data(), part.begin, part.end, part.extent);
    }
  }
  crossing_ = first_crossing_;
  bits_.assign(index(items_ / 64 + 1), 0);
  for (int i = 0; i < items_; ++i) bits_[index(i / 64)] |= std::uint64_t{1} << (i % 64);
  low_.assign(index(sections_ + block), far);
  known_starter_.assign(index(sections_), {});
  starters_.assign(index(sections_ + block), 0);
  load_.assign(index(sections_ + block), 0);
  frames_.clear();
  low_trail_.clear();
  low_values_.clear();
  agenda_.clear();
  trail_.clear();
  resumed_ = false;
  if (jump && root == blamed_root_) {
    // Refusals of earlier tries decide until this try has its own.
    for (float& each : blame_) each *= old_blame / next_blame_;
  } else {
    blame_.assign(index(sections_ + block), 0);
  }
  blamed_root_ = root;
  refusals_.assign(index(sections_ + block), 0);
  next_blame_ = 1;
  start_jumps(jump);
  static_cast<void>(sections_fit(0, sections_));
  low_trail_.clear();
  low_values_.clear();
  agenda_.push_back(roots_[index(root)]);
}

template <typename T>
void Search<T>::find_roots() {
  roots_.clear();
  const Component all{0, sections_, 0, items_, -1};
  if (!decompose_) {
    roots_.push_back(all);
    return;
  }
  Component part = all;
  for (int s = 0; s < sections_; ++s) {
    if (s + 1 < sections_ && first_crossing_[index(s)] > 0) continue;
    part.end = s + 1;
    part.last = item_from_[index(s + 1)];
    roots_.push_back(part);
    part.begin = s + 1;
    part.first = part.last;
  }
  part.end = sections_;
  part.last = items_;
  if (part.first < part.last) roots_.push_back(part);  // items that occupy nothing
}

}  // namespace tessera::search::canonical
