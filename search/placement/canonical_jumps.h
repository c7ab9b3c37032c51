// Search: the choices that a failure depends on, and so the alternatives that need not be tried.
//
// Conflict-directed backjumping (Prosser, "Hybrid Algorithms for the Constraint Satisfaction
// Problem", Computational Intelligence 9, 1993). Each failure has a conflict: a set of frames such
// that no placement agrees with all their choices. If the item placed by a frame is not among the
// reasons of its failure, all its other choices fail for the same reasons. The frame is then left
// at once. A failed frame passes on the union of the conflicts of its choices, without itself.
//
// Why no placement is lost. Let F be the failing frame or its last ancestor that began with
// nothing skipped, and U the items unplaced then. Take a placement that agrees with the
// conflict and restrict it to U. Items placed before F only set lower bounds for U. Keep the
// bounds that come from frames in the conflict; they are at most lowest_. Lower all items of U as
// far as these bounds permit. The rest of the argument is about the placement that results.
// Every step of the search records the frames on which its conclusion depends:
//  - An item is at an offset or higher: the frame that implies it, by placing something under it or
//    by skipping it (because). Overfull sections need no more (because_overfull).
//  - An item is chosen: why it is at its lowest offset or higher, and why the neighbours that it
//    raises do not fit under it. Only those that a conflict used need a reason (add_conflict).
//  - An item is skipped: why each neighbour cannot support it, or only from some offset up.
//    Unplaced neighbours are too high; neighbours placed since F have fixed places
//    (because_lifted). A skip that no conflict used needs no reason. Reasons are given from the
//    last skip to the first, so that they are not circular (unskip).
//  - A state has failed before, or each item left is skipped or waits for an equal one: the bounds
//    of its items (because_known). If it began with a skipped item, also the frame's ancestors
//    since F. Waiting needs no other reason: both equal items are in the state, with the same
//    lowest_.
//
// Frames that were jumped over are refuted like others, and enter the table of failed states.
// Included by canonical_search.cpp, where Search is instantiated.
#pragma once

#include <algorithm>

#include "search/placement/canonical_search.h"

namespace tessera::search::canonical {

/// Conflicts take an eighth of items squared in bytes: at most 2 MB.
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

/// The frame's alternatives so far have failed because of the conflict.
template <typename T>
void Search<T>::keep_conflict() {
  std::copy_n(conflict_.data(), words_, conflict_of(top()));
}

/// The frame has failed and its changes are undone: leaves the earlier frames that this depends on.
template <typename T>
void Search<T>::close_conflict() {
  if (frames_.back().whole) because_known(frames_.back(), top());
  conflict_[index(top() / 64)] &= ~(std::uint64_t{1} << (top() % 64));
}

template <typename T>
void Search<T>::begin_placing(int item) {
  placed_by_[index(item)] = top();
  std::fill(conflict_.begin(), conflict_.end(), 0);
  if (frames_.back().whole) add_to_conflict(top());
}

/// Adds to the conflict the first choice that implies that the item is at `least` or higher, unless
/// the conflict has a later such choice.
/// If `least` exceeds release_[item], the recorded reason is wrong.
template <typename T>
void Search<T>::because(int item, T least) {
  T lowest = lowest_[index(item)];
  for (int at = last_change_[index(item)]; at >= 0; at = causes_[index(at)].before) {
    const Change& change = trail_[index(at)];
    Cause& cause = causes_[index(at)];
    // A placement explains bounds up to lowest_ only. A release above lowest_ comes from a skip,
    // which leaves lowest_ unchanged.
    const bool says_so = lowest >= least || change.lowest == lowest;
    if (change.release < least || (says_so && in_conflict(cause.frame))) {
      cause.used = true;
      add_to_conflict(cause.frame);
      return;
    }
    lowest = change.lowest;
  }
}

/// Why an item that is not at its lowest offset is at `lifted` or higher; far: why nothing can
/// support it.
template <typename T>
void Search<T>::because_lifted(int item, T lifted, int fresh) {
  const T lowest = lowest_[index(item)];
  for (int p = pair_begin_[index(item)]; p < pair_begin_[index(item) + 1]; ++p) {
    const int other = pair_item_[index(p)];
    const T above = static_cast<T>(lowest + pair_above_[index(p)]);
    if (!unplaced(other)) {
      if (placed_by_[index(other)] >= fresh) add_place_to_conflict(placed_by_[index(other)]);
    } else if (release_[index(other)] >= above) {
      because(other, above);
    } else if (lifted > lowest + 1) {
      because(other, static_cast<T>(lifted - pair_below_[index(p)]));
    }
  }
}

/// The failure depends on the place of the frame's item, not only on its skips.
template <typename T>
void Search<T>::add_place_to_conflict(int frame) {
  add_to_conflict(frame);
  causes_[frames_[index(frame)].item_trail].used = true;
}

/// Does the conflict depend on the place of the frame's item? Otherwise its alternatives fail as
/// well. Records raised neighbours it used. Call before undoing the placement.
template <typename T>
bool Search<T>::concerns(Frame& frame) {
  raised_.clear();
  if (!in_conflict(top())) frame.whole = false;
  if (!in_conflict(top()) || frame.whole) return frame.whole;
  std::size_t at = frame.item_trail;
  bool concerned = causes_[at++].used;
  for (int p = pair_begin_[index(frame.item)]; at < trail_.size(); ++p) {
    if (pair_item_[index(p)] != trail_[at].item) continue;
    if (causes_[at].used) {
      raised_.push_back({trail_[at].item, pair_below_[index(p)]});
      concerned = true;
    }
    ++at;
  }
  return concerned;
}

/// If the last conflict depends on the frame, adds that of its earlier choices. Also adds
/// why the item could only be placed there or skipped; -1: no item.
template <typename T>
void Search<T>::add_conflict(Frame& frame, int item) {
  if (!in_conflict(top()) || frame.whole) return;
  const std::uint64_t* before = conflict_of(top());
  for (std::size_t k = 0; k < words_; ++k) conflict_[k] |= before[k];
  if (item < 0) return;
  const T lowest = lowest_[index(item)];
  because(item, lowest);
  for (const Raised& each : raised_) {
    const T least = static_cast<T>(lowest - each.below + 1);
    // This neighbour would fit under the item but is skipped or waits: it depends on other items.
    // Recording a reason for each took most of the time with many skips.
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

/// Reason: the items of by_release_ up to `last`, all at last.offset or higher, do not fit into one
/// section of [begin, end).
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

/// Nothing can support a skipped item.
template <typename T>
void Search<T>::because_stuck(int item, int parent) {
  std::fill(conflict_.begin(), conflict_.end(), 0);
  because(item, static_cast<T>(lowest_[index(item)] + 1));
  because_lifted(item, far, frames_[index(parent)].fresh);
}

/// The state at the begin of frame `self` has failed.
template <typename T>
void Search<T>::because_known(const Frame& frame, int self) {
  std::fill(conflict_.begin(), conflict_.end(), 0);
  if (frame.fresh < self) {
    int parent = frame.component.parent;
    for (; parent >= frame.fresh; parent = frames_[index(parent)].component.parent) {
      add_place_to_conflict(parent);
    }
  }
  each_unplaced(frame.first, frame.last, [&](int i) {
    because(i, lowest_[index(i)]);
    if (skipped(i)) because(i, static_cast<T>(lowest_[index(i)] + 1));
  });
}

}  // namespace tessera::search::canonical
