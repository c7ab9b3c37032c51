// Search: the unplaced items of a clique have to fit, without overlap, above their lowest start.
// Included by canonical_search.cpp, where Search is instantiated.
#pragma once

#include <algorithm>

#include "search/placement/canonical_search.h"

namespace tessera::search::canonical {

template <typename T>
void Search<T>::load_cliques(const CoreCliques& cliques) {
  cliques_ = &cliques;
  clique_extent_.assign(cliques.extent.begin(), cliques.extent.end());
  item_cliques_.assign(cliques.count() == 0 ? 0 : index(items_), {});
  clique_seen_.assign(index(cliques.count()), 0);
  clique_round_ = 0;
  for (int c = 0; c < cliques.count(); ++c)
    for (int k = cliques.first[index(c)]; k < cliques.first[index(c) + 1]; ++k)
      item_cliques_[index(cliques.item[index(k)])].push_back(c);
}

/// Tests the cliques of all items changed since the trail had this length.
template <typename T>
bool Search<T>::cliques_fit(std::size_t trail) {
  ++clique_round_;
  for (std::size_t at = trail; at < trail_.size(); ++at)
    for (const int c : item_cliques_[index(trail_[at].item)]) {
      if (clique_seen_[index(c)] == clique_round_) continue;
      clique_seen_[index(c)] = clique_round_;
      if (!clique_fits(c)) return false;
    }
  return true;
}

/// For every release offset: the members that start there or higher have to fit above it.
template <typename T>
bool Search<T>::clique_fits(int clique) {
  clique_members_.clear();
  T sum = 0;
  T highest = 0;
  for (int k = cliques_->first[index(clique)]; k < cliques_->first[index(clique) + 1]; ++k) {
    const int item = cliques_->item[index(k)];
    if (!unplaced(item)) continue;
    const T release = release_[index(item)];
    clique_members_.push_back({release, clique_extent_[index(k)], item});
    sum = static_cast<T>(sum + clique_extent_[index(k)]);
    highest = std::max(highest, release);
  }
  counters_.work += 16 + static_cast<std::int64_t>(clique_members_.size()) * 2;
  if (highest <= capacity_ - sum) return true;
  std::sort(clique_members_.begin(), clique_members_.end(),
            [](const Member& a, const Member& b) { return a.release > b.release; });
  counters_.work += static_cast<std::int64_t>(clique_members_.size()) * 8;
  T load = 0;
  for (const Member& last : clique_members_) {
    load = static_cast<T>(load + last.extent);
    if (last.release <= capacity_ - load) continue;
    blame(begin_[index(last.item)]);
    if (!explains()) return false;
    const T least = static_cast<T>(capacity_ - load + 1);
    for (const Member* each = clique_members_.data(); each <= &last; ++each)
      because(each->item, least);
    return false;
  }
  return true;
}

}  // namespace tessera::search::canonical
