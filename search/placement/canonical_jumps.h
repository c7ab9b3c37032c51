// Search: on which choices a failure rests, and so which alternatives need not be tried.
//
// Conflict-directed backjumping (Prosser, "Hybrid Algorithms for the Constraint Satisfaction
// Problem", Computational Intelligence 9, 1993). Whatever fails leaves a conflict behind: frames
// such that no placement agrees with all their choices. If what a frame placed is not among the
// reasons why that failed, all its other choices fail for them as well: it is left at once.
// A frame that fails leaves what its choices failed for, without itself.
//
// Why no placement is lost. Let F be the last frame up to the failing one that began with nothing
// skipped, and U what was unplaced then. Of a placement that agrees with the conflict keep only U,
// and lower its items as far as they go above the bounds that frames of the conflict before F set.
// The rest is about this placement. What was placed before F is gone from it but for the bounds,
// and those are no higher than the lowest offsets known to the search: whatever can be lowered to
// one of these has been. Every step of the search writes down what it needs to know:
//  - That an item lies at an offset or higher: the frame that said so, by placing something under
//    it or by skipping it (because). Sections overfull need no more (because_overfull).
//  - An item is chosen: that it lies at its lowest offset or higher, and that what it lifts, as far
//    as a conflict used that, does not slip under it (add_conflict).
//  - An item is skipped, and lies on something or else the frame has failed: of every neighbour
//    why it does not lie on that one, else it could be lowered. What is unplaced lies too high;
//    what was placed since F is where it is (because_lifted). Skipping a conflict did not use needs
//    no reason; reasons are given from the last to the first, so that none goes round (unskip).
//  - A state has failed before, or everything left in it is skipped: the state. If it began with
//    nothing skipped these are the bounds of its items, else all frames since F as well
//    (because_known). Only here does it matter that equal buffers keep their order, and equal
//    buffers have equal bounds.
// Frames that were jumped over are refuted like others, and go into the table of failed states.
// For canonical_search.cpp, where Search is instantiated.
#pragma once

#include <algorithm>

#include "search/placement/canonical_search.h"

namespace tessera::search::canonical {

/// Conflicts take an eighth of items squared in bytes: 2 MB at most.
inline constexpr int most_items = 4096;

template <typename T>
void Search<T>::start_jumps(bool jump) {
  jump_ = jump && params_.backjumping && items_ <= most_items;
  if (!jump_) return;
  words_ = index(items_) / 64 + 1;
  conflict_.resize(words_);
  conflicts_.resize(words_ * index(items_ + 1));
  placed_by_.resize(index(items_));
  last_change_.assign(index(items_), -1);
  causes_.clear();
}

template <typename T>
void Search<T>::open_conflict() {
  std::fill_n(conflict_of(top()), words_, 0);
}

/// The frame's alternatives have failed so far for what the conflict says.
template <typename T>
void Search<T>::keep_conflict() {
  std::copy_n(conflict_.data(), words_, conflict_of(top()));
}

/// The frame has failed, and its changes are undone: leaves what that rests on before it.
template <typename T>
void Search<T>::close_conflict() {
  if (frames_.back().whole) because_known(frames_.back(), top());
  conflict_[index(top() / 64)] &= ~(std::uint64_t{1} << (top() % 64));
}

template <typename T>
void Search<T>::begin_placing(int item) {
  placed_by_[index(item)] = top();
  std::fill(conflict_.begin(), conflict_.end(), 0);
  if (frames_.back().whole) blame_frame(top());
}

/// Since which choice is it known that the item lies at `least` or higher? The first one, unless
/// the conflict has a later one that says so too.
template <typename T>
void Search<T>::because(int item, T least) {
  T lowest = lowest_[index(item)];
  for (int at = last_change_[index(item)]; at >= 0; at = causes_[index(at)].before) {
    const Change& change = trail_[index(at)];
    Cause& cause = causes_[index(at)];
    // By placing something it says only where the lowest offset is: a release above that is as
    // old as the skipping, which leaves the lowest offset alone.
    const bool says_so = lowest >= least || change.lowest == lowest;
    if (change.release < least || (says_so && blamed(cause.frame))) {
      cause.used = true;
      blame_frame(cause.frame);
      return;
    }
    lowest = change.lowest;
  }
}

/// Why an item that does not lie at its lowest offset lies at `lifted` or higher; far: why there
/// is nothing for it to lie on.
template <typename T>
void Search<T>::because_lifted(int item, T lifted, int fresh) {
  const T lowest = lowest_[index(item)];
  for (int p = pair_begin_[index(item)]; p < pair_begin_[index(item) + 1]; ++p) {
    const int other = pair_item_[index(p)];
    const T above = static_cast<T>(lowest + pair_above_[index(p)]);
    if (!unplaced(other)) {
      if (placed_by_[index(other)] >= fresh) blame_placed(placed_by_[index(other)]);
    } else if (release_[index(other)] >= above) {
      because(other, above);
    } else if (lifted > lowest + 1) {
      because(other, static_cast<T>(lifted - pair_below_[index(p)]));
    }
  }
}

/// Rests on where the frame placed its item, not only on what it skipped.
template <typename T>
void Search<T>::blame_placed(int frame) {
  blame_frame(frame);
  causes_[frames_[index(frame)].item_trail].used = true;
}

/// Does the conflict of the frame's item rest on where it was placed? Else its alternatives fail
/// as well. Notes what it was seen to lie under. To be called before it is taken back.
template <typename T>
bool Search<T>::concerns(Frame& frame) {
  lifted_.clear();
  if (!blamed(top())) frame.whole = false;
  if (!blamed(top()) || frame.whole) return frame.whole;
  std::size_t at = frame.item_trail;
  bool concerned = causes_[at++].used;
  for (int p = pair_begin_[index(frame.item)]; at < trail_.size(); ++p) {
    if (pair_item_[index(p)] != trail_[at].item) continue;
    if (causes_[at].used) {
      lifted_.push_back({trail_[at].item, pair_below_[index(p)]});
      concerned = true;
    }
    ++at;
  }
  return concerned;
}

/// Adds the conflict of the frame's earlier choices to that of the last one, if this rests on them,
/// and why there was nothing to do with the item but to place it there or to skip it; -1: none.
template <typename T>
void Search<T>::add_conflict(Frame& frame, int item) {
  if (!blamed(top()) || frame.whole) return;
  const std::uint64_t* before = conflict_of(top());
  for (std::size_t k = 0; k < words_; ++k) conflict_[k] |= before[k];
  if (item < 0) return;
  const T lowest = lowest_[index(item)];
  because(item, lowest);
  for (const Lifted& each : lifted_) {
    const T least = static_cast<T>(lowest - each.below + 1);
    // Else it was skipped, and whatever it lies on is no lower than this item. To say why of each
    // took most of the time where many were skipped.
    if (release_[index(each.item)] < least) frame.whole = true;
    because(each.item, least);
  }
}

template <typename T>
void Search<T>::because_overfull(int section) {
  const T least = static_cast<T>(capacity_ - total_[index(section)] + 1);
  each_unplaced(item_upto_[index(section)], item_from_[index(section + 1)], [&](int i) {
    for (int p = part_begin_[index(i)]; p < part_begin_[index(i) + 1]; ++p) {
      const FlatPart& part = parts_[index(p)];
      if (part.begin <= section && section < part.end) because(i, static_cast<T>(least - part.lo));
    }
  });
}

/// Of the items by release those up to the last one overfill a section.
template <typename T>
void Search<T>::because_late(const Release& last, int begin, int end) {
  int section = begin;
  for (int s = begin; s < end; ++s) {
    if (load_[index(s)] > load_[index(section)]) section = s;
  }
  const T least = static_cast<T>(capacity_ - load_[index(section)] + 1);
  for (const Release* each = by_release_.data(); each <= &last; ++each) {
    for (int p = part_begin_[index(each->item)]; p < part_begin_[index(each->item) + 1]; ++p) {
      const FlatPart& part = parts_[index(p)];
      if (part.begin <= section && section < part.end) because(each->item, least);
    }
  }
}

/// A skipped item has nothing left to lie on.
template <typename T>
void Search<T>::because_stuck(int item, int parent) {
  std::fill(conflict_.begin(), conflict_.end(), 0);
  because(item, static_cast<T>(lowest_[index(item)] + 1));
  because_lifted(item, far, frames_[index(parent)].fresh);
}

/// The state with which frame number `self` begins has failed.
template <typename T>
void Search<T>::because_known(const Frame& frame, int self) {
  std::fill(conflict_.begin(), conflict_.end(), 0);
  if (frame.fresh < self) {
    int parent = frame.component.parent;
    for (; parent >= frame.fresh; parent = frames_[index(parent)].component.parent) {
      blame_placed(parent);
    }
  }
  each_unplaced(frame.first, frame.last, [&](int i) {
    because(i, lowest_[index(i)]);
    if (skipped(i)) because(i, static_cast<T>(lowest_[index(i)] + 1));
  });
}

}  // namespace tessera::search::canonical
