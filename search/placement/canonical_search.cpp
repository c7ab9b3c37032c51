#include "search/placement/canonical_search.h"

#include <algorithm>

#include "search/placement/canonical_clique_cuts.h"
#include "search/placement/canonical_jumps.h"
#include "search/placement/canonical_lanes.h"
#include "search/placement/canonical_load.h"

namespace tessera::search::canonical {

/// Fixed work of a node, without the sections it visits: choice, keys, undo data. Measured over
/// nodes of 3 to 22 microseconds.
inline constexpr std::int64_t work_of_a_node = 1'000;
inline constexpr std::int64_t work_of_an_item = 3;  // of the component

template <typename T>
template <bool Jump>
inline void Search<T>::change(int item, T lowest, T release) {
  const std::size_t i = index(item);
  if constexpr (Jump) {
    causes_.push_back({static_cast<int>(frames_.size()) - 1, last_change_[i], false});
    last_change_[i] = static_cast<int>(trail_.size());
  }
  trail_.push_back({item, lowest_[i], release_[i]});
  lowest_[i] = lowest;
  release_[i] = release;
}

template <typename T>
void Search<T>::save_low(int begin, int end) {
  low_trail_.push_back({begin, end});
  low_values_.insert(low_values_.end(), low_.begin() + begin, low_.begin() + end);
  low_values_.insert(low_values_.end(), starters_.begin() + begin, starters_.begin() + end);
}

template <typename T>
template <bool Jump>
void Search<T>::undo(std::size_t trail, std::size_t low_trail) {
  while (trail_.size() > trail) {
    const Change& last = trail_.back();
    if constexpr (Jump) {
      last_change_[index(last.item)] = causes_.back().before;
      causes_.pop_back();
    }
    lowest_[index(last.item)] = last.lowest;
    release_[index(last.item)] = last.release;
    trail_.pop_back();
  }
  while (low_trail_.size() > low_trail) {
    const LowChange& last = low_trail_.back();
    const auto middle = low_values_.end() - (last.end - last.begin);
    const auto from = middle - (last.end - last.begin);
    std::copy(from, middle, low_.begin() + last.begin);
    std::copy(middle, low_values_.end(), starters_.begin() + last.begin);
    low_values_.resize(static_cast<std::size_t>(from - low_values_.begin()));
    low_trail_.pop_back();
  }
}

/// Each refusal has one and a half times the weight of the previous one.
template <typename T>
void Search<T>::blame(int section) {
  ++refusals_[index(section)];
  blame_[index(section)] += next_blame_;
  next_blame_ *= 1.5F;
  if (next_blame_ < 1e30F) return;
  for (float& each : blame_) each *= 1e-30F;
  next_blame_ *= 1e-30F;
}

/// The unplaced item that starts lowest in the section, and the end of its part.
template <typename T>
auto Search<T>::lowest_starter(int section) -> Starter {
  Starter found;
  T lowest = far;
  each_unplaced(item_upto_[index(section)], item_from_[index(section + 1)], [&](int i) {
    counters_.work += 2;
    const T release = release_[index(i)];
    if (release >= lowest || end_[index(i)] <= section) return;
    counters_.work += 6;
    for (int p = part_begin_[index(i)]; p < part_begin_[index(i) + 1]; ++p) {
      const FlatPart& part = parts_[index(p)];
      const T start = static_cast<T>(release + part.lo);
      if (section < part.begin || section >= part.end || start >= lowest) continue;
      lowest = start;
      found = {i, part.end, part.lo};
    }
  });
  return found;
}

/// Do all unplaced items of every section fit above the lowest start among them? Usually the cached
/// starter of the section, or the last one computed, is low enough. If all fit, updates the data of
/// Choice::fewest.
template <typename T>
bool Search<T>::sections_fit(int begin, int end) {
  if (begin >= end) return true;
  counters_.work += 64 + (end - begin) * 2;
  const auto low_enough = [&](const Starter& at, int s, T limit) {
    return s < at.end && unplaced(at.item) &&
           static_cast<T>(release_[index(at.item)] + at.lo) <= limit;
  };
  Starter latest;
  for (int s = params_.section_inference ? begin : end; s < end; ++s) {
    if (total_[index(s)] == 0) continue;
    const T limit = static_cast<T>(capacity_ - total_[index(s)]);
    if (low_enough(known_starter_[index(s)], s, limit)) continue;
    if (!low_enough(latest, s, limit)) latest = lowest_starter(s);
    known_starter_[index(s)] = latest;
    if (low_enough(latest, s, limit)) continue;
    blame(s);
    if (explains()) because_overfull(s);
    return false;
  }
  if (choice_ == Choice::fewest) find_starters(begin, end);
  return true;
}

template <typename T>
void Search<T>::find_starters(int begin, int end) {
  save_low(begin, end);
  T* low = low_.data();
  std::fill(low + begin, low + end, far);
  T* starters = starters_.data();
  std::fill(starters + begin, starters + end, T{0});
  T* limit = load_.data();
  for (int s = begin; s < end; ++s) limit[s] = static_cast<T>(capacity_ - total_[index(s)]);
  each_unplaced(item_upto_[index(begin)], item_from_[index(end)], [&](int i) {
    if (end_[index(i)] <= begin) return;
    for (int p = part_begin_[index(i)]; p < part_begin_[index(i) + 1]; ++p) {
      const FlatPart& part = parts_[index(p)];
      const int from = std::max(part.begin, begin);
      const int to = std::min(part.end, end);
      counters_.work += 12 + std::max(to - from, 0) / 4;
      const T start = static_cast<T>(release_[index(i)] + part.lo);
      lower_to(low, from, to, start);
      count_starters(starters, limit, from, to, start);
    }
  });
}

/// For every release offset r and section: the items whose release is r or higher have to fit above
/// r.
template <typename T>
bool Search<T>::one_machine_fits(int begin, int end) {
  by_release_.clear();
  each_unplaced(item_upto_[index(begin)], item_from_[index(end)], [&](int i) {
    if (end_[index(i)] > begin) by_release_.push_back({release_[index(i)], i});
  });
  std::sort(by_release_.begin(), by_release_.end(),
            [](const Release& a, const Release& b) { return a.offset > b.offset; });
  T* load = load_.data();
  std::fill(load + begin, load + end, T{0});
  for (const Release& each : by_release_) {
    for (int p = part_begin_[index(each.item)]; p < part_begin_[index(each.item) + 1]; ++p) {
      const FlatPart& part = parts_[index(p)];
      const int from = std::max(part.begin, begin);
      const int to = std::min(part.end, end);
      if (from >= to) continue;
      add(load, from, to, part.extent);
      // Not + part.lo: parts added before may begin lower than r + part.lo.
      if (each.offset + largest(load, from, to) <= capacity_) continue;
      if (explains()) because_late(each, from, to);
      return false;
    }
  }
  return true;
}

/// The least offset of a skipped item; far: there is none. The item rests on an unplaced item that
/// starts below its top at lowest_; otherwise it could be lowered to lowest_.
template <typename T>
T Search<T>::lifted(int item) const {
  const T lowest = lowest_[index(item)];
  T best = far;
  for (int p = pair_begin_[index(item)]; p < pair_begin_[index(item) + 1]; ++p) {
    const T release = release_[index(pair_item_[index(p)])];
    if (release >= static_cast<T>(lowest + pair_above_[index(p)])) continue;
    best = std::min(best, static_cast<T>(release + pair_below_[index(p)]));
  }
  return best;
}

/// Records that the item is not at its lowest offset. False: then it has no place, or a rule
/// refuses.
template <typename T>
template <bool Jump>
bool Search<T>::skip(int item) {
  const std::size_t i = index(item);
  const T on_others = lifted(item);
  T release = std::max(on_others, static_cast<T>(lowest_[i] + 1));
  if (on_others == far && !params_.dominance) release = static_cast<T>(lowest_[i] + 1);
  if (plain_[i] == 0) {
    const Size next = next_allowed(*core_, core_->items[i], release);
    release = next > latest_[i] ? far : static_cast<T>(next);
  }
  if (release > latest_[i]) {
    if (Jump && explains()) because_lifted(item, on_others, frames_.back().fresh);
    return false;
  }
  change<Jump>(item, lowest_[i], release);
  if (params_.unallocated_floor && !sections_fit(begin_[i], end_[i])) return false;
  return item_cliques_.empty() || cliques_fit(trail_.size() - 1);
}

/// The lowest item of [first, last) that may be chosen and lasts into the section (-1: any).
/// Returns -1 if there is none.
template <typename T>
int Search<T>::lowest_of(int first, int last, int section) const {
  int best = -1;
  T offset = far;
  int rank = 0;
  each_unplaced(first, last, [&](int i) {
    const T lowest = lowest_[index(i)];
    if (lowest > offset || (lowest == offset && ranks_[index(i)] > rank)) return;
    if (end_[index(i)] <= section || skipped(i) || waits_for_equal(i)) return;
    best = i;
    offset = lowest;
    rank = ranks_[index(i)];
  });
  return best;
}

/// From an item to one under which nothing fits; -1: not found from here.
template <typename T>
int Search<T>::descend(int item) const {
  while (true) {
    const T lowest = lowest_[index(item)];
    int below = -1;
    for (int p = pair_begin_[index(item)]; p < pair_begin_[index(item) + 1]; ++p) {
      const int other = pair_item_[index(p)];
      if (static_cast<T>(release_[index(other)] + pair_below_[index(p)]) > lowest) continue;
      if (!unplaced(other)) continue;
      if (skipped(other) || waits_for_equal(other)) return -1;
      if (below < 0 || lowest_[index(other)] < lowest_[index(below)]) below = other;
    }
    if (below < 0) return item;
    item = below;
  }
}

/// The section to choose from; -1: any.
template <typename T>
int Search<T>::focus(const Component& component) const {
  int found = -1;
  if (choice_ == Choice::blamed) {
    float most = 0;
    for (int s = component.begin; s < component.end; ++s) {
      if (blame_[index(s)] <= most || total_[index(s)] == 0) continue;
      most = blame_[index(s)];
      found = s;
    }
  } else if (choice_ == Choice::fewest) {
    T fewest = far;
    T lowest = far;
    for (int s = component.begin; s < component.end; ++s) {
      const T count = starters_[index(s)];
      if (total_[index(s)] == 0 || count > fewest) continue;
      if (count == fewest && low_[index(s)] >= lowest) continue;
      fewest = count;
      lowest = low_[index(s)];
      found = s;
    }
  }
  return found;
}

/// The next item to place or skip. -1: each unplaced item is skipped, or waits for an
/// equal one.
template <typename T>
int Search<T>::choose(const Frame& frame) const {
  if (const int section = focus(frame.component); section >= 0) {
    const int first = std::max(frame.first, item_upto_[index(section)]);
    const int last = std::min(frame.last, item_from_[index(section + 1)]);
    int found = lowest_of(first, last, section);
    if (found >= 0) found = descend(found);
    if (found >= 0) return found;
  }
  return lowest_of(frame.first, frame.last, -1);
}

/// With Choice::lowest no unplaced item starts lower than the chosen one: the fullest section has
/// to fit above it.
template <typename T>
bool Search<T>::floor_fits(const Frame& frame, int item) const {
  if (choice_ != Choice::lowest || !params_.monotonic_floor) return true;
  const T most = largest(total_.data(), frame.component.begin, frame.component.end);
  return lowest_[index(item)] + most <= capacity_;
}

/// The state of [first, last): lowest offsets, negative (complemented) for skipped items.
template <typename T>
void Search<T>::make_key(int first, int last) {
  key_.resize(index(last - first + 2));
  key_[0] = static_cast<T>(first & 0x3fff);
  key_[1] = static_cast<T>(first >> 14);
  T* key = key_.data() + 2;
  const T* lowest = lowest_.data() + first;
  const T* release = release_.data() + first;
  for (int k = 0; k < last - first; ++k) {
    key[k] = static_cast<T>(release[k] > lowest[k] ? ~lowest[k] : lowest[k]);
  }
}

/// Starts a frame for the component. False: it is refuted at once.
template <typename T>
template <bool Jump>
bool Search<T>::open(const Component& component) {
  int first = -1;
  int last = -1;
  int stuck = -1;
  bool fresh = true;
  each_unplaced(component.first, component.last, [&](int i) {
    if (first < 0) first = i;
    last = i + 1;
    if (!skipped(i)) return;
    fresh = false;
    if (params_.dominance && stuck < 0 && lifted(i) == far) stuck = i;
  });
  if (first < 0) return true;  // nothing is left in it: no frame
  ++counters_.nodes;
  counters_.work += work_of_a_node + work_of_an_item * (component.last - component.first);
  if (stuck >= 0) {
    ++counters_.failed_skips;
    if constexpr (Jump) because_stuck(stuck, component.parent);
    return false;
  }
  Frame frame{component, first, last,           trail_.size(),   low_trail_.size(),
              0,         0,     agenda_.size(), counters_.nodes, 0,
              -1,        0,     false,          false,           false};
  if constexpr (Jump) {
    frame.fresh = fresh ? top() + 1 : frames_[index(component.parent)].fresh;
  }
  if (params_.failed_states) {
    make_key(first, last);
    frame.hash = FailedStates<T>::hash(key_);
    if (table_.contains(key_, frame.hash)) {
      ++counters_.state_cuts;
      if constexpr (Jump) because_known(frame, top() + 1);
      return false;
    }
  }
  frames_.push_back(frame);
  if constexpr (Jump) open_conflict();
  return true;
}

/// Places the item at its lowest offset. False: an inference refuses it.
template <typename T>
template <bool Jump>
bool Search<T>::place(Frame& frame, int item) {
  const std::size_t i = index(item);
  const T at = lowest_[i];
  frame.item = item;
  frame.item_trail = trail_.size();
  frame.item_low_trail = low_trail_.size();
  change<Jump>(item, far, far);
  at_[i] = at;
  if constexpr (Jump) begin_placing(item);
  bits_[i / 64] &= ~(std::uint64_t{1} << (i % 64));
  int begin = begin_[i];
  int end = end_[i];
  bool raised_one = false;
  bool fits_above = true;
  for (int p = pair_begin_[i]; p < pair_begin_[i + 1]; ++p) {
    const int other = pair_item_[index(p)];
    const std::size_t k = index(other);
    const T top = static_cast<T>(at + pair_above_[index(p)]);
    if (lowest_[k] >= top) continue;
    raised_one = true;
    T lowest = top;
    if (plain_[k] == 0) {
      const Size next = next_allowed(*core_, core_->items[k], top);
      // `far` would mean that it is placed.
      lowest = next > latest_[k] ? static_cast<T>(far - 1) : static_cast<T>(next);
    }
    if (lowest > latest_[k]) {
      fits_above = false;
      if constexpr (Jump) {
        change<Jump>(other, lowest, lowest);
        because(other, lowest);
      }
      blame(begin_[k]);
      break;
    }
    change<Jump>(other, lowest, std::max(lowest, release_[k]));
    begin = std::min(begin, begin_[k]);
    end = std::max(end, end_[k]);
  }
  frame.hatless = !raised_one;
  for (int p = part_begin_[i]; p < part_begin_[i + 1]; ++p) {
    const FlatPart& part = parts_[index(p)];
    add(total_.data(), part.begin, part.end, static_cast<T>(-part.extent));
  }
  if (!fits_above) return false;
  if (!params_.unallocated_floor) {
    begin = begin_[i];
    end = end_[i];
  }
  if (!sections_fit(begin, end)) {
    ++counters_.section_cuts;
    return false;
  }
  if (params_.one_machine && params_.section_inference && !one_machine_fits(begin, end)) {
    ++counters_.one_machine_cuts;
    return false;
  }
  if (!item_cliques_.empty() && !cliques_fit(frame.item_trail)) {
    ++counters_.clique_cuts;
    return false;
  }
  return true;
}

template <typename T>
template <bool Jump>
void Search<T>::unplace(Frame& frame) {
  const std::size_t i = index(frame.item);
  if (frame.uncrossed) change_crossing(frame.item, 1);
  frame.uncrossed = false;
  frame.item = -1;
  undo<Jump>(frame.item_trail, frame.item_low_trail);
  bits_[i / 64] |= std::uint64_t{1} << (i % 64);
  for (int p = part_begin_[i]; p < part_begin_[i + 1]; ++p) {
    const FlatPart& part = parts_[index(p)];
    add(total_.data(), part.begin, part.end, part.extent);
  }
}

template <typename T>
void Search<T>::change_crossing(int item, int by) {
  add(crossing_.data(), begin_[index(item)], end_[index(item)] - 1, by);
  if (links_.empty()) return;
  for (const int other : links_[index(item)]) {
    if (!unplaced(other)) continue;
    add(crossing_.data(), std::min(begin_[index(item)], begin_[index(other)]),
        std::max(end_[index(item)], end_[index(other)]) - 1, by);
  }
}

/// Adds the rest of the frame's component to the agenda, split into independent parts of time.
template <typename T>
void Search<T>::split(Frame& frame) {
  Component rest = frame.component;
  rest.first = frame.first;
  rest.last = frame.last;
  rest.parent = static_cast<int>(frames_.size()) - 1;
  if (!decompose_) {
    agenda_.push_back(rest);
    return;
  }
  change_crossing(frame.item, -1);
  frame.uncrossed = true;
  int from = begin_[index(frame.item)];
  int to = end_[index(frame.item)] - 1;
  if (!links_.empty()) {
    from = rest.begin;
    to = rest.end - 1;
  }
  const int last = rest.last;
  const int end = rest.end;
  for (int s = from; s < to; ++s) {
    if (crossing_[index(s)] != 0) continue;
    rest.end = s + 1;
    rest.last = std::min(last, item_from_[index(s + 1)]);
    if (rest.first < rest.last) agenda_.push_back(rest);
    ++counters_.splits;
    rest.begin = s + 1;
    rest.first = std::max(rest.first, item_from_[index(s + 1)]);
  }
  rest.end = end;
  rest.last = last;
  if (rest.first < rest.last) agenda_.push_back(rest);
}

/// Undoes all frames above the parent.
template <typename T>
template <bool Jump>
void Search<T>::back_to(int parent) {
  while (frames_.size() > index(parent) + 1) {
    Frame& frame = frames_.back();
    if (frame.item >= 0) unplace<Jump>(frame);
    undo<Jump>(frame.trail, frame.low_trail);
    frames_.pop_back();
  }
}

/// Undoes the skips of the frame from last to first. For each skip that the conflict depends on,
/// records why the item is at lifted(item) or higher.
template <typename T>
void Search<T>::unskip(const Frame& frame) {
  while (trail_.size() > frame.trail) {
    const int item = trail_.back().item;
    const bool used = causes_.back().used;
    undo<true>(trail_.size() - 1, low_trail_.size());
    if (used) because_lifted(item, lifted(item), frame.fresh);
  }
}

template <typename T>
Outcome Search<T>::run(std::int64_t nodes) {
  const std::int64_t limit = nodes > std::numeric_limits<std::int64_t>::max() - counters_.nodes
                                 ? std::numeric_limits<std::int64_t>::max()
                                 : counters_.nodes + nodes;
  return jump_ ? run_as<true>(limit) : run_as<false>(limit);
}

template <typename T>
template <bool Jump>
Outcome Search<T>::run_as(std::int64_t limit) {
  while (true) {
    // Descend: take the next component from the agenda.
    while (!resumed_) {
      if (agenda_.empty()) return Outcome::placed;
      if (counters_.nodes >= limit) return Outcome::paused;
      const Component component = agenda_.back();
      agenda_.pop_back();
      const std::size_t before = frames_.size();
      if (!open<Jump>(component)) {
        // Refuted: everything since its parent's choice is undone.
        if (component.parent < 0) return Outcome::refuted;
        back_to<Jump>(component.parent);
        resumed_ = true;
      } else if (frames_.size() > before) {
        resumed_ = true;
      }
    }
    Frame& frame = frames_.back();
    bool exhausted = false;
    if (const int item = frame.item; item >= 0) {
      bool concerned = true;
      if constexpr (Jump) concerned = concerns(frame);
      unplace<Jump>(frame);
      if constexpr (Jump) add_conflict(frame, concerned ? item : -1);
      if (!concerned) {
        ++counters_.backjumps;
        exhausted = true;
      } else if (frame.hatless && params_.hatless) {
        ++counters_.hatless_cuts;
        if (Jump && !frame.whole) because_lifted(item, far, frame.fresh);
        exhausted = true;
      } else if (!skip<Jump>(item)) {
        ++counters_.failed_skips;
        exhausted = true;
      }
      if constexpr (Jump) keep_conflict();
    }
    agenda_.resize(frame.agenda);
    const int item = exhausted ? -1 : choose(frame);
    if (item < 0 || !floor_fits(frame, item)) {
      const int parent = frame.component.parent;
      if constexpr (Jump) {
        frame.whole = frame.whole || !exhausted;
        if (in_conflict(top()) && !frame.whole) unskip(frame);
      }
      undo<Jump>(frame.trail, frame.low_trail);
      if constexpr (Jump) close_conflict();
      if (params_.failed_states && counters_.nodes > frame.nodes) {
        make_key(frame.first, frame.last);
        table_.insert(key_, frame.hash);
      }
      frames_.pop_back();
      if (parent < 0) return Outcome::refuted;
      back_to<Jump>(parent);
      continue;
    }
    if (!place<Jump>(frame, item)) continue;
    split(frame);
    resumed_ = false;
  }
}

// In one file: instantiations in another file would be weak references here, for which linkers do
// not extract a member of a library.
template class Search<std::int16_t>;
template class Search<std::int32_t>;
template class Search<std::int64_t>;

}  // namespace tessera::search::canonical
