#include "search/placement/canonical_search.h"

#include <algorithm>
#include <array>
#include <bit>

namespace tessera::canonical {
namespace {

// Stretches of sections are worked on in blocks of eight lanes that compilers turn into vector
// instructions; the last block is masked. Arrays over sections are padded by one block.
constexpr int block = 8;

template <typename T>
constexpr std::array<T, 2 * block> tail_mask = [] {
  std::array<T, 2 * block> mask{};
  for (std::size_t k = 0; k < block; ++k) mask[k] = static_cast<T>(-1);
  return mask;
}();

/// The mask whose first `count` lanes are all ones and the others zero.
template <typename T>
const T* mask_of(int count) {
  return tail_mask<T>.data() + (block - count);
}

template <typename T>
void lower_to(T* values, int begin, int end, T value) {
  int s = begin;
  for (; s + block <= end; s += block) {
    T* at = values + s;
    for (int k = 0; k < block; ++k) at[k] = value < at[k] ? value : at[k];
  }
  for (; s < end; ++s) values[s] = value < values[s] ? value : values[s];
}

template <typename T>
void add(T* values, int begin, int end, T value) {
  int s = begin;
  for (; s + block <= end; s += block) {
    T* at = values + s;
    for (int k = 0; k < block; ++k) at[k] = static_cast<T>(at[k] + value);
  }
  for (; s < end; ++s) values[s] = static_cast<T>(values[s] + value);
}

template <typename T>
T largest(const T* values, int begin, int end) {
  T result = 0;
  int s = begin;
  if (s + block <= end) {
    std::array<T, block> best{};
    for (; s + block <= end; s += block) {
      for (std::size_t k = 0; k < block; ++k) {
        const T value = values[s + static_cast<int>(k)];
        best[k] = value > best[k] ? value : best[k];
      }
    }
    for (const T value : best) result = value > result ? value : result;
  }
  for (; s < end; ++s) result = values[s] > result ? values[s] : result;
  return result;
}

}  // namespace

template <typename T>
void Search<T>::load(const Core& core) {
  core_ = &core;
  items_ = static_cast<int>(core.items.size());
  sections_ = core.sections;
  capacity_ = static_cast<T>(core.capacity);
  const std::size_t n = core.items.size();
  const std::size_t padded = index(sections_ + block);
  size_.resize(n);
  latest_.resize(n);
  least_lift_.assign(n, far);
  begin_.resize(n);
  end_.resize(n);
  twin_.resize(n);
  plain_.resize(n);
  part_begin_.resize(n + 1);
  first_lowest_.resize(n);
  parts_.clear();
  first_total_.assign(padded, 0);
  first_cuts_.assign(padded, 0);
  item_from_.assign(padded, items_);
  item_upto_.assign(padded, items_);
  for (std::size_t i = 0; i < n; ++i) {
    const Item& item = core.items[i];
    size_[i] = static_cast<T>(item.size);
    latest_[i] = static_cast<T>(item.latest);
    begin_[i] = item.begin;
    end_[i] = item.end;
    twin_[i] = params_.symmetry ? item.twin : -1;
    plain_[i] = item.plain ? 1 : 0;
    first_lowest_[i] = static_cast<T>(item.earliest);
    part_begin_[i] = static_cast<int>(parts_.size());
    for (int p = item.first_part; p < item.last_part; ++p) {
      const Part& part = core.parts[index(p)];
      if (!part.counted) continue;
      parts_.push_back(
          {part.begin, part.end, static_cast<T>(part.lo), static_cast<T>(part.hi - part.lo)});
    }
    for (int s = item.begin; s + 1 < item.end; ++s) ++first_cuts_[index(s)];
  }
  part_begin_[n] = static_cast<int>(parts_.size());
  links_.assign(core.links.empty() ? 0 : n, {});
  for (const auto& [i, j] : core.links) {
    links_[index(i)].push_back(j);
    links_[index(j)].push_back(i);
    const int from = std::min(begin_[index(i)], begin_[index(j)]);
    const int to = std::max(end_[index(i)], end_[index(j)]);
    for (int s = from; s + 1 < to; ++s) ++first_cuts_[index(s)];
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
  pair_above_.resize(core.pair_above.size());
  for (std::size_t p = 0; p < pair_above_.size(); ++p) {
    pair_above_[p] = static_cast<T>(core.pair_above[p]);
    T& lift = least_lift_[index(pair_item_[p])];
    lift = std::min(lift, pair_above_[p]);
  }
  // Linked items that occupy nothing belong to no stretch of time.
  decompose_ = params_.decomposition && (links_.empty() || item_from_[index(sections_)] == items_);
  counters_ = {};
}

template <typename T>
void Search<T>::start(std::span<const int> ranks) {
  ranks_.assign(ranks.begin(), ranks.end());
  lowest_ = first_lowest_;
  at_.assign(index(items_), 0);
  total_ = first_total_;
  for (std::size_t i = 0; i < index(items_); ++i) {
    for (int p = part_begin_[i]; p < part_begin_[i + 1]; ++p) {
      const FlatPart& part = parts_[index(p)];
      add(total_.data(), part.begin, part.end, part.extent);
    }
  }
  cuts_ = first_cuts_;
  bits_.assign(index(items_ / 64 + 1), 0);
  for (int i = 0; i < items_; ++i) bits_[index(i / 64)] |= std::uint64_t{1} << (i % 64);
  low_.assign(index(sections_ + block), far);
  load_.assign(index(sections_ + block), 0);
  frames_.clear();
  candidates_.clear();
  agenda_.clear();
  trail_.clear();
  resumed_ = false;
  const Component all{0, sections_, 0, items_, 0, -1, -1};
  if (!decompose_) {
    agenda_.push_back(all);
    return;
  }
  Component part = all;
  for (int s = 0; s < sections_; ++s) {
    if (s + 1 < sections_ && cuts_[index(s)] > 0) continue;
    part.end = s + 1;
    part.last = item_from_[index(s + 1)];
    agenda_.push_back(part);
    part.begin = s + 1;
    part.first = part.last;
  }
  part.end = sections_;
  part.last = items_;
  if (part.first < part.last) agenda_.push_back(part);  // items that occupy nothing
}

/// Where an unplaced item can lie at least. One that was skipped must rest on something that is
/// placed from now on.
template <typename T>
inline T Search<T>::release(int item, T floor, int floor_rank) const {
  const std::size_t i = index(item);
  const T lowest = lowest_[i];
  if (lowest > floor || (lowest == floor && ranks_[i] >= floor_rank)) return lowest;
  if (!params_.monotonic_floor) return lowest;
  const T lifted = static_cast<T>(floor + least_lift_[i]);
  return lifted < capacity_ ? lifted : capacity_;
}

/// The plain form of section inference: what is unplaced has to fit above the item just placed.
template <typename T>
bool Search<T>::own_sections_fit(int item, T at) const {
  for (int p = part_begin_[index(item)]; p < part_begin_[index(item) + 1]; ++p) {
    const FlatPart& part = parts_[index(p)];
    const T top = static_cast<T>(at + part.lo + part.extent);
    if (top + largest(total_.data(), part.begin, part.end) > capacity_) return false;
  }
  return true;
}

template <typename T>
bool Search<T>::sections_fit(int begin, int end, T floor, int floor_rank) {
  T* low = low_.data();
  std::fill(low + begin, low + end, far);
  const int first = item_upto_[index(begin)];
  const int last = item_from_[index(end)];
  for (int word = first / 64; word <= (last - 1) / 64; ++word) {
    std::uint64_t bits = bits_[index(word)];
    if (word == first / 64) bits &= ~std::uint64_t{0} << (first % 64);
    if (word == last / 64) bits &= (std::uint64_t{1} << (last % 64)) - 1;
    for (; bits != 0; bits &= bits - 1) {
      const int i = word * 64 + std::countr_zero(bits);
      if (end_[index(i)] <= begin) continue;
      const T lowest = release(i, floor, floor_rank);
      for (int p = part_begin_[index(i)]; p < part_begin_[index(i) + 1]; ++p) {
        const FlatPart& part = parts_[index(p)];
        lower_to(low, std::max(part.begin, begin), std::min(part.end, end),
                 static_cast<T>(lowest + part.lo));
      }
    }
  }
  T worst = 0;
  const T* total = total_.data();
  for (int s = begin; s < end; ++s) {
    const T sum = total[s] > 0 ? static_cast<T>(low[s] + total[s]) : T{0};
    worst = sum > worst ? sum : worst;
  }
  return worst <= capacity_;
}

/// For every release offset r and section: what starts at r or higher has to fit above r.
template <typename T>
bool Search<T>::one_machine_fits(int begin, int end, T floor, int floor_rank) {
  by_release_.clear();
  const int first = item_upto_[index(begin)];
  const int last = item_from_[index(end)];
  for (int i = first; i < last; ++i) {
    if (!unplaced(i) || end_[index(i)] <= begin) continue;
    by_release_.push_back({release(i, floor, floor_rank), 0, i});
  }
  std::sort(by_release_.begin(), by_release_.end(),
            [](const Candidate& a, const Candidate& b) { return a.offset > b.offset; });
  T* load = load_.data();
  std::fill(load + begin, load + end, T{0});
  for (const Candidate& each : by_release_) {
    for (int p = part_begin_[index(each.item)]; p < part_begin_[index(each.item) + 1]; ++p) {
      const FlatPart& part = parts_[index(p)];
      const int from = std::max(part.begin, begin);
      const int to = std::min(part.end, end);
      if (from >= to) continue;
      add(load, from, to, part.extent);
      if (each.offset + part.lo + largest(load, from, to) > capacity_) return false;
    }
  }
  return true;
}

/// Is there something unplaced that could still end up under a skipped item? It has to start
/// below the item's top, else the item could be lowered again.
template <typename T>
bool Search<T>::can_be_lifted(int item, T floor) const {
  const T lowest = lowest_[index(item)];
  for (int p = pair_begin_[index(item)]; p < pair_begin_[index(item) + 1]; ++p) {
    const T top = static_cast<T>(lowest + pair_above_[index(p)]);
    if (floor < top && lowest_[index(pair_item_[index(p)])] < top) return true;
  }
  return false;
}

/// The state of [first, last): lowest offsets, negative (complemented) for skipped items.
template <typename T>
void Search<T>::make_key(int first, int last, T floor, int floor_rank) {
  key_.resize(index(last - first + 2));
  key_[0] = static_cast<T>(first & 0x3fff);
  key_[1] = static_cast<T>(first >> 14);
  T* key = key_.data() + 2;
  const T* lowest = lowest_.data() + first;
  const int* ranks = ranks_.data() + first;
  for (int k = 0; k < last - first; ++k) {
    const bool skipped = lowest[k] < floor || (lowest[k] == floor && ranks[k] < floor_rank);
    key[k] = skipped ? static_cast<T>(~lowest[k]) : lowest[k];
  }
}

/// Starts a frame for the component. False: it is refuted at once.
template <typename T>
bool Search<T>::open(const Component& component) {
  Frame frame{component,      candidates_.size(), 0, 0,  trail_.size(),
              agenda_.size(), counters_.nodes,    0, -1, false,
              false};
  T least_top = far;
  int first = -1;
  int last = component.first;
  bool stuck = false;
  const T floor = component.floor;
  for (int word = component.first / 64; word <= (component.last - 1) / 64; ++word) {
    std::uint64_t bits = bits_[index(word)];
    if (word == component.first / 64) bits &= ~std::uint64_t{0} << (component.first % 64);
    if (word == component.last / 64) bits &= (std::uint64_t{1} << (component.last % 64)) - 1;
    for (; bits != 0; bits &= bits - 1) {
      const int i = word * 64 + std::countr_zero(bits);
      if (first < 0) first = i;
      last = i + 1;
      const T lowest = lowest_[index(i)];
      const T top = static_cast<T>(lowest + size_[index(i)]);
      if (top < least_top) least_top = top;
      const int rank = ranks_[index(i)];
      if (lowest < floor || (lowest == floor && rank < component.floor_rank)) {
        if (params_.dominance && !stuck && !can_be_lifted(i, floor)) stuck = true;
        continue;
      }
      if (lowest >= least_top && params_.dominance) continue;
      const int twin = twin_[index(i)];
      if (twin >= 0 && unplaced(twin)) continue;
      candidates_.push_back({lowest, rank, i});
    }
  }
  if (first < 0) return true;  // nothing left in it: candidates stay empty, and so does the frame
  ++counters_.nodes;
  if (stuck) {
    ++counters_.lifted_cuts;
    candidates_.resize(frame.candidates);
    return false;
  }
  T limit = capacity_;
  if (params_.monotonic_floor) {
    limit = static_cast<T>(capacity_ - largest(total_.data(), component.begin, component.end));
  }
  const auto begin = candidates_.begin() + static_cast<std::ptrdiff_t>(frame.candidates);
  candidates_.erase(std::remove_if(begin, candidates_.end(),
                                   [&](const Candidate& each) {
                                     return each.offset > limit ||
                                            (params_.dominance && each.offset >= least_top);
                                   }),
                    candidates_.end());
  frame.candidates_end = candidates_.size();
  frame.next = frame.candidates;
  if (frame.candidates == frame.candidates_end) return false;
  if (params_.failed_states) {
    make_key(first, last, floor, component.floor_rank);
    frame.hash = FailedStates<T>::hash(key_);
    if (table_.contains(key_, frame.hash)) {
      ++counters_.state_cuts;
      candidates_.resize(frame.candidates);
      return false;
    }
    frame.component.first = first;
    frame.component.last = last;
  }
  std::sort(candidates_.begin() + static_cast<std::ptrdiff_t>(frame.candidates), candidates_.end(),
            [](const Candidate& a, const Candidate& b) {
              return a.offset != b.offset ? a.offset < b.offset : a.rank < b.rank;
            });
  frames_.push_back(frame);
  return true;
}

/// Places the candidate. False: an inference refuses it; the state is as before.
template <typename T>
bool Search<T>::place(Frame& frame, const Candidate& candidate) {
  const std::size_t i = index(candidate.item);
  const T at = candidate.offset;
  frame.item = candidate.item;
  trail_.push_back({candidate.item, lowest_[i]});
  lowest_[i] = far;
  at_[i] = at;
  bits_[i / 64] &= ~(std::uint64_t{1} << (i % 64));
  int begin = begin_[i];
  int end = end_[i];
  bool lifted = false;
  bool fits_above = true;
  for (int p = pair_begin_[i]; p < pair_begin_[i + 1]; ++p) {
    const std::size_t k = index(pair_item_[index(p)]);
    const T top = static_cast<T>(at + pair_above_[index(p)]);
    if (lowest_[k] >= top) continue;
    lifted = true;
    T lowest = top;
    if (plain_[k] == 0) {
      const Size next = next_allowed(*core_, core_->items[k], top);
      lowest = next > latest_[k] ? static_cast<T>(far - 1) : static_cast<T>(next);
    }
    if (lowest > latest_[k]) {
      fits_above = false;
      break;
    }
    trail_.push_back({static_cast<int>(k), lowest_[k]});
    lowest_[k] = lowest;
    begin = std::min(begin, begin_[k]);
    end = std::max(end, end_[k]);
  }
  frame.hatless = !lifted;
  for (int p = part_begin_[i]; p < part_begin_[i + 1]; ++p) {
    const FlatPart& part = parts_[index(p)];
    add(total_.data(), part.begin, part.end, static_cast<T>(-part.extent));
  }
  if (fits_above && params_.section_inference) {
    if (params_.unallocated_floor ? !sections_fit(begin, end, at, candidate.rank)
                                  : !own_sections_fit(candidate.item, at)) {
      ++counters_.section_cuts;
      fits_above = false;
    } else if (params_.one_machine && !one_machine_fits(begin, end, at, candidate.rank)) {
      ++counters_.one_machine_cuts;
      fits_above = false;
    }
  }
  return fits_above;
}

template <typename T>
void Search<T>::unplace(Frame& frame) {
  const std::size_t i = index(frame.item);
  if (frame.cut) change_cuts(frame.item, 1);
  frame.cut = false;
  frame.item = -1;
  while (trail_.size() > frame.trail) {
    lowest_[index(trail_.back().item)] = trail_.back().lowest;
    trail_.pop_back();
  }
  bits_[i / 64] |= std::uint64_t{1} << (i % 64);
  for (int p = part_begin_[i]; p < part_begin_[i + 1]; ++p) {
    const FlatPart& part = parts_[index(p)];
    add(total_.data(), part.begin, part.end, part.extent);
  }
}

template <typename T>
void Search<T>::change_cuts(int item, int by) {
  add(cuts_.data(), begin_[index(item)], end_[index(item)] - 1, by);
  if (links_.empty()) return;
  for (const int other : links_[index(item)]) {
    if (!unplaced(other)) continue;
    add(cuts_.data(), std::min(begin_[index(item)], begin_[index(other)]),
        std::max(end_[index(item)], end_[index(other)]) - 1, by);
  }
}

/// Puts on the agenda what remains of the frame's component, in parts where time falls apart.
template <typename T>
void Search<T>::split(Frame& frame) {
  const Candidate& placed = candidates_[frame.next - 1];
  Component rest = frame.component;
  rest.floor = placed.offset;
  rest.floor_rank = placed.rank;
  rest.parent = static_cast<int>(frames_.size()) - 1;
  if (!decompose_) {
    agenda_.push_back(rest);
    return;
  }
  change_cuts(frame.item, -1);
  frame.cut = true;
  int from = begin_[index(frame.item)];
  int to = end_[index(frame.item)] - 1;
  if (!links_.empty()) {
    from = rest.begin;
    to = rest.end - 1;
  }
  const int last = rest.last;
  const int end = rest.end;
  for (int s = from; s < to; ++s) {
    if (cuts_[index(s)] != 0) continue;
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

template <typename T>
Outcome Search<T>::run(std::int64_t nodes) {
  const std::int64_t limit = nodes > std::numeric_limits<std::int64_t>::max() - counters_.nodes
                                 ? std::numeric_limits<std::int64_t>::max()
                                 : counters_.nodes + nodes;
  while (true) {
    // Descend: take the next component from the agenda.
    while (!resumed_) {
      if (agenda_.empty()) return Outcome::placed;
      if (counters_.nodes >= limit) return Outcome::paused;
      const Component component = agenda_.back();
      agenda_.pop_back();
      const std::size_t before = frames_.size();
      if (!open(component)) {
        // Refuted: everything since its parent's choice is void.
        if (component.parent < 0) return Outcome::refuted;
        while (frames_.size() > index(component.parent) + 1) {
          if (frames_.back().item >= 0) unplace(frames_.back());
          frames_.pop_back();
        }
        resumed_ = true;
      } else if (frames_.size() > before) {
        resumed_ = true;
      }
    }
    // Try the next candidate of the top frame.
    Frame& frame = frames_.back();
    bool last = frame.next == frame.candidates_end;
    if (frame.item >= 0) {
      unplace(frame);
      if (frame.hatless && params_.hatless) {
        ++counters_.hatless_cuts;
        last = true;
      }
    }
    agenda_.resize(frame.agenda);
    candidates_.resize(frame.candidates_end);
    if (last) {
      if (params_.failed_states && counters_.nodes - frame.nodes > 1) {
        make_key(frame.component.first, frame.component.last, frame.component.floor,
                 frame.component.floor_rank);
        table_.insert(key_, frame.hash);
      }
      const int parent = frame.component.parent;
      candidates_.resize(frame.candidates);
      frames_.pop_back();
      if (parent < 0) return Outcome::refuted;
      while (frames_.size() > index(parent) + 1) {
        if (frames_.back().item >= 0) unplace(frames_.back());
        frames_.pop_back();
      }
      continue;
    }
    const Candidate candidate = candidates_[frame.next++];
    if (!place(frame, candidate)) continue;
    split(frame);
    resumed_ = false;
  }
}

template class Search<std::int16_t>;
template class Search<std::int32_t>;
template class Search<std::int64_t>;

}  // namespace tessera::canonical
